//! Links of a page made absolute, fast: most are plain text that needs no parser, the rest goes through the WHATWG parser.

use std::cell::OnceCell;

use memchr::{memchr, memchr2};
use url::Url;

use super::{MAX_INPUT, Normaliser, PageUrl, UrlError, normalise};

/// Resolves the links of one page.
///
/// ```
/// use crawl::address::{PageUrl, Resolver};
/// # fn main() -> Result<(), crawl::address::UrlError> {
/// let page = PageUrl::parse("https://example.org/docs/intro.html")?;
/// let resolver = Resolver::new(&page);
/// assert_eq!(resolver.join("../img/?utm_source=x#top")?.as_str(), "https://example.org/img/");
/// # Ok(())
/// # }
/// ```
pub struct Resolver<'a> {
    base: &'a PageUrl,
    rules: &'a Normaliser,
    /// The base for the WHATWG parser, made when first needed.
    parsed: OnceCell<Url>,
}

impl<'a> Resolver<'a> {
    /// Resolves against `base` by the default rules.
    #[must_use]
    pub fn new(base: &'a PageUrl) -> Self {
        Self::with(base, &normalise::DEFAULT)
    }

    /// Resolves against `base` by the given rules.
    #[must_use]
    pub fn with(base: &'a PageUrl, rules: &'a Normaliser) -> Self {
        Self { base, rules, parsed: OnceCell::new() }
    }

    /// The address a link leads to.
    ///
    /// # Errors
    ///
    /// When the link leads to no page: another scheme, credentials, too long, not a URL.
    pub fn join(&self, href: &str) -> Result<PageUrl, UrlError> {
        let href = trim(href);
        let fragment = memchr(b'#', href.as_bytes());
        let core = &href[..fragment.unwrap_or(href.len())];
        if core.is_empty() {
            return Ok(self.base.clone());
        }
        let target = target(core);
        if matches!(target, Target::Foreign) {
            return Err(UrlError::Scheme);
        }
        if core.len() > MAX_INPUT {
            return Err(UrlError::TooLong);
        }
        if let Some(page) = self.join_plain(core, &target) {
            return page;
        }
        // The sign of the fragment stays, so that a space before it is not taken for one at the end.
        self.join_any(&href[..fragment.map_or(href.len(), |at| at + 1)])
    }

    /// The answer of the WHATWG parser, normalised.
    pub(super) fn join_any(&self, href: &str) -> Result<PageUrl, UrlError> {
        let base = match self.parsed.get() {
            Some(base) => base,
            None => {
                let base = Url::parse(self.base.as_str())?;
                self.parsed.get_or_init(|| base)
            }
        };
        PageUrl::from_url(&base.join(href)?, self.rules)
    }

    /// The answer for links of plain characters, which need no parser; `None` when one is needed.
    fn join_plain(&self, core: &str, target: &Target<'_>) -> Option<Result<PageUrl, UrlError>> {
        if !core.bytes().all(is_plain) || has_escaped_dot(core) {
            return None;
        }
        let base = self.base;
        let mut layout = base.layout();
        let rest = match target {
            Target::Absolute { rest, .. } | Target::Local(rest) => rest,
            Target::Foreign | Target::Unclear => return None,
        };
        let (path, query) = split_query(rest);
        let folder = folder(base, target, path);
        let mut text = String::with_capacity(base.origin().len() + folder.len() + core.len());
        match target {
            Target::Absolute { scheme, authority, .. } => {
                text.push_str(scheme.unwrap_or(base.scheme()));
                text.push_str("://");
                layout.authority_start = text.len();
                text.push_str(authority);
                layout.path_start = text.len();
            }
            _ => text.push_str(base.origin()),
        }
        text.push_str(folder);
        push_resolved(&mut text, layout.path_start, path);
        Some(self.rules.finish(text, layout, query))
    }
}

/// What a link says about its host.
enum Target<'a> {
    /// Another scheme than `http` and `https`.
    Foreign,
    /// Only the parser can tell.
    Unclear,
    /// A host of its own, and the rest after it.
    Absolute { scheme: Option<&'static str>, authority: &'a str, rest: &'a str },
    /// A path or a query on the host of the page.
    Local(&'a str),
}

fn target(core: &str) -> Target<'_> {
    if let Some(rest) = core.strip_prefix("//") {
        return absolute(None, rest);
    }
    let Some(colon) = scheme_end(core) else { return Target::Local(core) };
    let scheme = match &core[..colon] {
        name if name.eq_ignore_ascii_case("https") => "https",
        name if name.eq_ignore_ascii_case("http") => "http",
        _ => return Target::Foreign,
    };
    match core[colon + 1..].strip_prefix("//") {
        Some(rest) => absolute(Some(scheme), rest),
        None => Target::Unclear,
    }
}

fn absolute<'a>(scheme: Option<&'static str>, rest: &'a str) -> Target<'a> {
    let end = memchr2(b'/', b'?', rest.as_bytes()).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    if is_plain_host(authority) { Target::Absolute { scheme, authority, rest } } else { Target::Unclear }
}

/// Position of the colon that ends a scheme.
fn scheme_end(core: &str) -> Option<usize> {
    let bytes = core.as_bytes();
    if !bytes.first()?.is_ascii_alphabetic() {
        return None;
    }
    let end = bytes.iter().position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')))?;
    (bytes[end] == b':').then_some(end)
}

/// Whether the parser would take this host as it is: a lower-case ASCII name that cannot be read as an IPv4 address.
/// Two hyphens may mean the ASCII form of an international name, which the parser must check.
fn is_plain_host(host: &str) -> bool {
    let mut before = b'.';
    let mut last_label_is_name = false;
    for byte in host.bytes() {
        match byte {
            b'a'..=b'z' => last_label_is_name |= before == b'.',
            b'0'..=b'9' => {}
            b'-' if before != b'-' => {}
            b'.' if before != b'.' => last_label_is_name = false,
            _ => return false,
        }
        before = byte;
    }
    last_label_is_name
}

/// Characters that the parser leaves alone in a path and in a query.
fn is_plain(byte: u8) -> bool {
    static PLAIN: [bool; 256] = {
        let mut plain = [false; 256];
        let listed = b"-._~!$&()*+,;=:@/?%ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        let mut at = 0;
        while at < listed.len() {
            plain[listed[at] as usize] = true;
            at += 1;
        }
        plain
    };
    PLAIN[usize::from(byte)]
}

/// Whether there is a `%2e`, which the parser counts as a dot when it looks for dot segments.
fn has_escaped_dot(core: &str) -> bool {
    memchr::memchr_iter(b'%', core.as_bytes()).any(|at| normalise::escape(&core.as_bytes()[at..]) == Some(b'.'))
}

fn split_query(rest: &str) -> (&str, Option<&str>) {
    match memchr(b'?', rest.as_bytes()) {
        Some(at) => (&rest[..at], Some(&rest[at + 1..])),
        None => (rest, None),
    }
}

/// What a path is put behind: the folder of the page, the whole path of the page if the link has none, or nothing.
fn folder<'a>(base: &'a PageUrl, target: &Target<'_>, path: &str) -> &'a str {
    if path.starts_with('/') {
        return "";
    }
    if matches!(target, Target::Absolute { .. }) {
        return "/";
    }
    let page = base.path();
    let end = if path.is_empty() { page.len() } else { page.rfind('/').map_or(0, |at| at + 1) };
    &page[..end]
}

/// Appends `path` and follows its dot segments.
fn push_resolved(text: &mut String, path_start: usize, path: &str) {
    if !has_dot_segment(path) {
        text.push_str(path);
        return;
    }
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        match segment {
            "." => {}
            ".." => pop_segment(text, path_start),
            _ => {
                text.push_str(segment);
                if segments.peek().is_some() {
                    text.push('/');
                }
            }
        }
    }
}

/// Whether a segment begins with a dot.
fn has_dot_segment(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.first() == Some(&b'.') || bytes.windows(2).any(|pair| pair == b"/.")
}

/// Removes the last segment of a path that ends in a slash; the root stays.
fn pop_segment(text: &mut String, path_start: usize) {
    let parent = text[path_start..text.len() - 1].rfind('/').unwrap_or(0);
    text.truncate(path_start + parent + 1);
}

/// Cuts off what the parser ignores at both ends.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c <= ' ')
}
