//! Path patterns with `*` and `$`, and the one form in which patterns and paths are compared.

use std::borrow::Cow;

use memchr::memmem;

use crate::address::normalise::{escape, is_unreserved};

/// A path pattern: `*` stands for any characters, `$` at the end for the end of the path; anything may follow otherwise.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Pattern {
    /// In the form in which it is compared, without the final `$`.
    text: Box<[u8]>,
    /// Bytes before the first `*`.
    literal: usize,
    is_anchored: bool,
}

impl Pattern {
    /// Prepares a pattern as written.
    pub(crate) fn new(written: &[u8]) -> Self {
        let (open, is_anchored) = match written.strip_suffix(b"$") {
            Some(open) => (open, true),
            None => (written, false),
        };
        let text = comparable(open, b'*');
        let literal = memchr::memchr(b'*', &text).unwrap_or(text.len());
        Self { text: text.into(), literal, is_anchored }
    }

    /// How specific the pattern is: its octets, `*` and `$` included.
    pub(super) fn octets(&self) -> usize {
        self.text.len() + usize::from(self.is_anchored)
    }

    /// What a path must begin with.
    pub(super) fn prefix(&self) -> &[u8] {
        &self.text[..self.literal]
    }

    /// Whether a path in the form of [`comparable_path`] matches.
    pub(crate) fn matches(&self, path: &[u8]) -> bool {
        path.strip_prefix(self.prefix()).is_some_and(|rest| self.matches_rest(rest))
    }

    /// Whether what follows the prefix matches. Each literal is taken where it first occurs, which is never worse than
    /// later, so the time is linear in the path and the pattern.
    pub(super) fn matches_rest(&self, mut rest: &[u8]) -> bool {
        let Some(open) = self.text.get(self.literal + 1..) else { return !self.is_anchored || rest.is_empty() };
        let last_star = memchr::memrchr(b'*', open);
        let (middle, last) = last_star.map_or((&open[..0], open), |at| (&open[..at], &open[at + 1..]));
        for literal in middle.split(|b| *b == b'*').filter(|literal| !literal.is_empty()) {
            let Some(at) = memmem::find(rest, literal) else { return false };
            rest = &rest[at + literal.len()..];
        }
        if self.is_anchored { rest.ends_with(last) } else { memmem::find(rest, last).is_some() }
    }
}

/// A path and query in the form in which it is compared: fragment cut off, `/` first, `*` and `$` as escapes.
pub(crate) fn comparable_path(path_and_query: &str) -> Cow<'_, [u8]> {
    let end = memchr::memchr(b'#', path_and_query.as_bytes()).unwrap_or(path_and_query.len());
    let mut path = comparable_text(&path_and_query[..end]);
    if path.first() != Some(&b'/') {
        path.to_mut().insert(0, b'/');
    }
    path
}

/// A whole address, or a part of one, in the form in which it is compared.
pub(crate) fn comparable_text(text: &str) -> Cow<'_, [u8]> {
    let bytes = text.as_bytes();
    if bytes.iter().all(|b| is_unreserved(*b) || is_harmless(*b)) {
        return Cow::Borrowed(bytes);
    }
    Cow::Owned(comparable(bytes, b'\0'))
}

/// Reserved characters that stay as they are.
fn is_harmless(byte: u8) -> bool {
    matches!(
        byte,
        b'/' | b'?' | b'&' | b'=' | b'+' | b':' | b';' | b',' | b'@' | b'!' | b'(' | b')' | b'\'' | b'[' | b']'
    )
}

/// Reserved characters that separate nothing, so that they mean the same with and without escape.
fn is_data(byte: u8, in_query: bool) -> bool {
    match byte {
        b'/' | b'?' => in_query,
        b'&' | b'=' | b'+' | b';' => false,
        _ => is_harmless(byte),
    }
}

/// The one form for comparing (RFC 9309, section 2.2.2): unreserved characters, and reserved ones that separate nothing,
/// without escape; separators as written; everything else as an escape in upper case. The RFC writes the second kind
/// with escapes instead, which compares the same. `star` stays as it is; all other `*` and `$` become escapes.
fn comparable(written: &[u8], star: u8) -> Vec<u8> {
    let mut form = Vec::with_capacity(written.len() + 16);
    let mut in_query = false;
    let mut at = 0;
    while let Some(&byte) = written.get(at) {
        let escaped = escape(&written[at..]);
        at += if escaped.is_some() { 3 } else { 1 };
        match escaped {
            Some(byte) if is_unreserved(byte) || is_data(byte, in_query) => form.push(byte),
            Some(byte) => push_escape(&mut form, byte),
            None if byte == star || byte == b'%' || is_unreserved(byte) || is_harmless(byte) => form.push(byte),
            None => push_escape(&mut form, byte),
        }
        in_query |= escaped.is_none() && byte == b'?';
    }
    form
}

fn push_escape(form: &mut Vec<u8>, byte: u8) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    form.extend([b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
}
