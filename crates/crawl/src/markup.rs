//! Tags and text of HTML and XML in one pass over the bytes, without a tree.
//!
//! Tags, attributes, comments and raw text are cut as the WHATWG tokenizer cuts them; what a browser would do with the
//! tree is left to the reader. Every byte is looked at a fixed number of times, whatever the input, and nothing nests.
//! Entities are not decoded here: see [`decode`].

use std::borrow::Cow;

use memchr::{memchr, memchr2, memmem};

#[cfg(test)]
mod tests;

/// Attributes kept per tag; the rest are read and dropped.
const MAX_ATTRIBUTES: usize = 64;

/// A piece of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// Character data with entities as written.
    Text(&'a str),
    /// Character data without entities: CDATA, scripts and style sheets.
    Literal(&'a str),
    /// A start tag. Its attributes are [`Scanner::attribute`].
    Open(&'a str),
    /// An end tag.
    Close(&'a str),
}

/// Which rules apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    Html,
    Xml,
}

/// Elements whose content is not markup, and whether entities count in it.
const RAW_TEXT: [(&str, bool); 8] = [
    ("script", false),
    ("style", false),
    ("title", true),
    ("textarea", true),
    ("iframe", false),
    ("noframes", false),
    ("noembed", false),
    ("xmp", false),
];

/// Bytes in which what is looked for is mostly found.
const NEAR: usize = 32;

/// Where a byte first is. What ends a text or a value is mostly near: there it is looked for eight bytes at a time and without a call.
#[inline]
fn find(byte: u8, bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    let mut at = 0;
    while at < NEAR {
        let Some(eight) = bytes[at..].first_chunk::<8>() else {
            return bytes[at..].iter().position(|other| *other == byte).map(|distance| at + distance);
        };
        // The lowest bit that is set is in the first byte that differs in nothing.
        let differs = u64::from_le_bytes(*eight) ^ u64::from_ne_bytes([byte; 8]);
        let same = differs.wrapping_sub(ONES) & !differs & (ONES << 7);
        if same != 0 {
            return Some(at + (same.trailing_zeros() / 8) as usize);
        }
        at += 8;
    }
    memchr(byte, &bytes[at..]).map(|distance| at + distance)
}

/// Reads tokens from a document.
pub(crate) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    syntax: Syntax,
    attributes: Vec<(&'a str, &'a str)>,
    self_closing: bool,
    /// The raw text element that was just opened.
    raw: Option<usize>,
    /// Raw text elements that have no end tag in the rest of the document: one bit each.
    unclosed: u8,
    truncated: bool,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str, syntax: Syntax) -> Self {
        Self {
            text,
            at: 0,
            syntax,
            attributes: Vec::with_capacity(8),
            self_closing: false,
            raw: None,
            unclosed: 0,
            truncated: false,
        }
    }

    /// The next token, `None` at the end.
    pub(crate) fn next(&mut self) -> Option<Token<'a>> {
        if let Some(token) = self.raw.take().and_then(|element| self.raw_text(element)) {
            return Some(token);
        }
        loop {
            if self.at >= self.text.len() {
                return None;
            }
            if let Some(text) = self.character_data() {
                return Some(Token::Text(text));
            }
            if let Some(token) = self.markup() {
                return Some(token);
            }
        }
    }

    /// The value of an attribute of the tag just opened; the first of that name counts.
    pub(crate) fn attribute(&self, name: &str) -> Option<&'a str> {
        self.attributes.iter().find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
    }

    /// Name and value of each attribute of the tag just opened.
    pub(crate) fn attributes(&self) -> &[(&'a str, &'a str)] {
        &self.attributes
    }

    /// Whether the tag just opened ended in `/>`.
    pub(crate) fn self_closing(&self) -> bool {
        self.self_closing
    }

    /// Whether the document ended inside a tag or comment.
    pub(crate) fn truncated(&self) -> bool {
        self.truncated
    }

    /// Text up to the next tag, `None` if a tag starts here.
    fn character_data(&mut self) -> Option<&'a str> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let mut end = start;
        loop {
            end = match find(b'<', &bytes[end..]) {
                Some(distance) => end + distance,
                None => bytes.len(),
            };
            let starts_markup = match bytes.get(end + 1) {
                None => true,
                Some(next) => next.is_ascii_alphabetic() || matches!(next, b'/' | b'!' | b'?' | b'_'),
            };
            if starts_markup {
                break;
            }
            end += 1;
        }
        // A lone `<` at the very end is text.
        let end = if end + 1 == bytes.len() { bytes.len() } else { end };
        self.at = end;
        (end > start).then(|| &self.text[start..end])
    }

    /// The tag at this place, `None` after a comment or another thing that says nothing.
    fn markup(&mut self) -> Option<Token<'a>> {
        let rest = &self.text.as_bytes()[self.at + 1..];
        match rest.first() {
            Some(b'!') => self.declaration(),
            Some(b'?') => {
                let end: &[u8] = if self.syntax == Syntax::Xml { b"?>" } else { b">" };
                self.skip_past(end);
                None
            }
            Some(b'/') => self.close_tag(),
            _ => self.open_tag(),
        }
    }

    /// Goes behind the next `end`, or to the end of the document.
    fn skip_past(&mut self, end: &[u8]) {
        let rest = &self.text.as_bytes()[self.at..];
        match memmem::find(rest, end) {
            Some(distance) => self.at += distance + end.len(),
            None => self.stop(),
        }
    }

    fn stop(&mut self) {
        self.at = self.text.len();
        self.truncated = true;
    }

    fn declaration(&mut self) -> Option<Token<'a>> {
        let rest = &self.text[self.at..];
        if rest.starts_with("<!--") {
            self.comment();
            return None;
        }
        if self.syntax == Syntax::Xml && rest.starts_with("<![CDATA[") {
            let start = self.at + 9;
            self.at = start;
            self.skip_past(b"]]>");
            let end = if self.truncated { self.at } else { self.at - 3 };
            return Some(Token::Literal(&self.text[start..end]));
        }
        if self.syntax == Syntax::Xml
            && memchr2(b'[', b'>', rest.as_bytes()).is_some_and(|at| rest[at..].starts_with('['))
        {
            // The entities of an internal subset are never used, so they cannot grow.
            self.skip_past(b"]");
        }
        self.skip_past(b">");
        None
    }

    fn comment(&mut self) {
        let bytes = self.text.as_bytes();
        // `<!-->` and `<!--->` are whole comments.
        let mut at = self.at + 2;
        while let Some(distance) = memmem::find(&bytes[at..], b"--") {
            let behind = &bytes[at + distance + 2..];
            if behind.starts_with(b">") {
                self.at = at + distance + 3;
                return;
            }
            if behind.starts_with(b"!>") {
                self.at = at + distance + 4;
                return;
            }
            at += distance + 1;
        }
        self.stop();
    }

    fn close_tag(&mut self) -> Option<Token<'a>> {
        if !self.text.as_bytes().get(self.at + 2).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_') {
            self.skip_past(b">");
            return None;
        }
        self.at += 2;
        let name = self.name();
        self.read_attributes().then_some(Token::Close(name))
    }

    fn open_tag(&mut self) -> Option<Token<'a>> {
        self.at += 1;
        let name = self.name();
        if !self.read_attributes() {
            return None;
        }
        if self.syntax == Syntax::Html {
            self.raw = RAW_TEXT.iter().position(|(raw, _)| name.eq_ignore_ascii_case(raw));
        }
        Some(Token::Open(name))
    }

    fn name(&mut self) -> &'a str {
        let start = self.at;
        let rest = &self.text.as_bytes()[start..];
        let length = rest.iter().position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>'));
        self.at = start + length.unwrap_or(rest.len());
        &self.text[start..self.at]
    }

    /// Reads up to and with the `>` of a tag; false if it never comes.
    fn read_attributes(&mut self) -> bool {
        self.attributes.clear();
        self.self_closing = false;
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at) {
                None => {
                    self.truncated = true;
                    return false;
                }
                Some(b'>') => {
                    self.at += 1;
                    return true;
                }
                Some(b'/') => {
                    self.self_closing = bytes.get(self.at + 1) == Some(&b'>');
                    self.at += 1;
                }
                Some(byte) if byte.is_ascii_whitespace() => self.at += 1,
                Some(_) => self.read_attribute(),
            }
        }
    }

    fn read_attribute(&mut self) {
        let bytes = self.text.as_bytes();
        let start = self.at;
        // An equals sign in the first place belongs to the name.
        self.at += 1;
        while bytes.get(self.at).is_some_and(|byte| !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'>' | b'='))
        {
            self.at += 1;
        }
        // The first byte may have been half of a character; the loop ends only on ASCII.
        let name = &self.text[start..self.at];
        self.skip_space();
        let mut value = "";
        if bytes.get(self.at) == Some(&b'=') {
            self.at += 1;
            self.skip_space();
            value = self.value();
        }
        if self.attributes.len() < MAX_ATTRIBUTES {
            self.attributes.push((name, value));
        }
    }

    fn value(&mut self) -> &'a str {
        let rest = &self.text.as_bytes()[self.at..];
        if let Some(quote @ (b'"' | b'\'')) = rest.first().copied() {
            let start = self.at + 1;
            let end = find(quote, &rest[1..]).map_or(self.text.len(), |distance| start + distance);
            self.at = (end + 1).min(self.text.len());
            return &self.text[start..end];
        }
        let length = rest.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'>').unwrap_or(rest.len());
        self.at += length;
        &self.text[self.at - length..self.at]
    }

    fn skip_space(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(rest.len());
    }

    /// The content of a raw text element, `None` if it has no end tag or is empty.
    fn raw_text(&mut self, element: usize) -> Option<Token<'a>> {
        let (name, entities) = *RAW_TEXT.get(element)?;
        let bit = 1 << element;
        // A text field or title that is never closed must not swallow the page.
        if self.unclosed & bit != 0 || (entities && self.self_closing) {
            return None;
        }
        let start = self.at;
        let Some(end) = self.find_end_tag(name) else {
            self.unclosed |= bit;
            if entities {
                return None;
            }
            self.stop();
            return (start < self.at).then(|| Token::Literal(&self.text[start..self.at]));
        };
        self.at = end;
        let content = &self.text[start..end];
        match (content.is_empty(), entities) {
            (true, _) => None,
            (false, true) => Some(Token::Text(content)),
            (false, false) => Some(Token::Literal(content)),
        }
    }

    fn find_end_tag(&self, name: &str) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = self.at;
        loop {
            at += memmem::find(&bytes[at..], b"</")?;
            let behind = &bytes[at + 2..];
            let same = behind.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()));
            let ends = behind.get(name.len()).is_none_or(|b| b.is_ascii_whitespace() || matches!(b, b'/' | b'>'));
            if same && ends {
                return Some(at);
            }
            at += 2;
        }
    }
}

/// Prefix and local part of a name: `("image", "loc")` of `image:loc`.
pub(crate) fn split_name(name: &str) -> (&str, &str) {
    name.split_once(':').unwrap_or(("", name))
}

/// Text with its entities decoded.
pub(crate) fn decode(text: &str) -> Cow<'_, str> {
    if find(b'&', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    htmlize::unescape(text)
}

/// An attribute's value with its entities decoded and without white space around it.
pub(crate) fn decode_attribute(value: &str) -> Cow<'_, str> {
    let value = value.trim();
    if find(b'&', value.as_bytes()).is_none() {
        return Cow::Borrowed(value);
    }
    htmlize::unescape_attribute(value)
}
