//! What is changed in a URL after the WHATWG parser has read it, so that one page has one address.

use memchr::memchr;

use super::{Layout, PageUrl, UrlError, parameters};

/// The rules by which addresses are made equal.
#[derive(Debug, Clone, Default)]
pub struct Normaliser {
    merge_slashes: bool,
    drop_parameters: Vec<Box<str>>,
}

/// The rules of [`PageUrl::parse`].
pub(super) static DEFAULT: Normaliser = Normaliser { merge_slashes: false, drop_parameters: Vec::new() };

impl Normaliser {
    /// The default rules: slashes as written, no further parameters dropped.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Makes one slash of several in the path. Off by default, because some servers tell them apart.
    #[must_use]
    pub fn merge_slashes(mut self, merge: bool) -> Self {
        self.merge_slashes = merge;
        self
    }

    /// Drops one more query parameter, by its exact name.
    #[must_use]
    pub fn drop_parameter(mut self, name: &str) -> Self {
        self.drop_parameters.push(name.into());
        self
    }

    /// Ends the making of an address: `text` holds origin and path as the WHATWG parser leaves them.
    pub(super) fn finish(
        &self,
        mut text: String,
        mut layout: Layout,
        query: Option<&str>,
    ) -> Result<PageUrl, UrlError> {
        self.clean_path(&mut text, layout.path_start);
        layout.path_end = text.len();
        if let Some(query) = query {
            self.push_query(&mut text, query);
        }
        PageUrl::from_layout(text, layout)
    }

    /// Puts the path, which begins at `start`, into its one form.
    fn clean_path(&self, text: &mut String, start: usize) {
        let bytes = &text.as_bytes()[start..];
        if memchr(b'%', bytes).is_some() {
            let path = text.split_off(start);
            push_percent(text, start, &path);
        }
        let bytes = &text.as_bytes()[start..];
        if memchr::memchr2(b';', b'(', bytes).is_some() {
            let path = text.split_off(start);
            push_without_sessions(text, &path);
        }
        if self.merge_slashes && text[start..].contains("//") {
            let path = text.split_off(start);
            push_merged(text, &path);
        }
    }

    /// Appends the query without the parameters that are noise; nothing at all if nothing remains.
    fn push_query(&self, text: &mut String, query: &str) {
        let start = text.len();
        let is_escaped = memchr(b'%', query.as_bytes()).is_some();
        for parameter in query.split('&') {
            let before = text.len();
            text.push(if before == start { '?' } else { '&' });
            if is_escaped {
                push_percent(text, before + 1, parameter);
            } else {
                text.push_str(parameter);
            }
            let written = &text[before + 1..];
            if parameters::is_noise(written) || self.drops(written) {
                text.truncate(before);
            }
        }
        if text.len() == start + 1 {
            text.truncate(start);
        }
    }

    fn drops(&self, parameter: &str) -> bool {
        if self.drop_parameters.is_empty() {
            return false;
        }
        let name = parameter.split('=').next().unwrap_or_default();
        self.drop_parameters.iter().any(|dropped| **dropped == *name)
    }
}

/// Appends `part` with unreserved characters decoded and all other escapes in upper case.
///
/// A percent sign that begins no escape stays, and an escape directly behind it is not decoded: it could complete it
/// (`%%361` must not become `%61`), and normalising twice would then differ from normalising once.
fn push_percent(text: &mut String, start: usize, part: &str) {
    let mut rest = part;
    while let Some(at) = memchr(b'%', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let Some(byte) = escape(rest.as_bytes()) else {
            text.push('%');
            rest = &rest[1..];
            continue;
        };
        if is_unreserved(byte) && !ends_in_stray_percent(&text.as_bytes()[start..]) {
            text.push(char::from(byte));
        } else {
            text.push_str(&rest[..3]);
            let written = text.len() - 2;
            text[written..].make_ascii_uppercase();
        }
        rest = &rest[3..];
    }
    text.push_str(rest);
}

/// The octet of the escape at the beginning of `bytes`.
pub(crate) fn escape(bytes: &[u8]) -> Option<u8> {
    let digit = |at: usize| char::from(*bytes.get(at)?).to_digit(16);
    if bytes.first() != Some(&b'%') {
        return None;
    }
    u8::try_from(digit(1)? * 16 + digit(2)?).ok()
}

/// The characters that mean the same with and without escape (RFC 3986, section 2.3).
pub(crate) fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

fn ends_in_stray_percent(bytes: &[u8]) -> bool {
    match bytes {
        [.., b'%'] => true,
        [.., b'%', digit] => digit.is_ascii_hexdigit(),
        _ => false,
    }
}

/// Appends the path without `;jsessionid=...` and without `(S(...))` segments.
fn push_without_sessions(text: &mut String, path: &str) {
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let before = text.len();
        text.push('/');
        push_segment(text, segment);
        if segments.peek().is_some() && is_session_segment(&text[before + 1..]) {
            text.truncate(before);
        }
    }
}

fn push_segment(text: &mut String, segment: &str) {
    let name = segment.split(';').next().unwrap_or_default();
    // Without its parameters it would be a dot segment, and another page.
    if matches!(name, "." | "..") {
        text.push_str(segment);
        return;
    }
    text.push_str(name);
    for parameter in segment.split(';').skip(1) {
        let is_session = parameter.get(..11).is_some_and(|head| head.eq_ignore_ascii_case("jsessionid="));
        if !is_session {
            text.push(';');
            text.push_str(parameter);
        }
    }
}

/// Whether a segment is a session id as ASP.NET writes it: `(S(lit3py55t21z5v55vlm25s55))`.
fn is_session_segment(segment: &str) -> bool {
    let id = segment.strip_prefix("(S(").and_then(|rest| rest.strip_suffix("))"));
    id.is_some_and(|id| id.len() >= 20 && id.bytes().all(|b| b.is_ascii_alphanumeric()))
}

fn push_merged(text: &mut String, path: &str) {
    let mut last = '\0';
    for c in path.chars() {
        if c != '/' || last != '/' {
            text.push(c);
        }
        last = c;
    }
}
