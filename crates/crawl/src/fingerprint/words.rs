//! The words of a text, as between white space.

use std::ops::Range;

use crate::extract::printable;

/// Gives the places of the words of a text: what [`str::split_whitespace`] parts, eight bytes at a time.
pub(super) struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Words<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { bytes: text.as_bytes(), at: 0 }
    }
}

impl Iterator for Words<'_> {
    type Item = Range<usize>;

    #[inline]
    fn next(&mut self) -> Option<Range<usize>> {
        let mut space = 1;
        while self.at < self.bytes.len() && space > 0 {
            space = white_space(&self.bytes[self.at..]);
            self.at += space;
        }
        let start = self.at;
        while self.at < self.bytes.len() {
            self.at += printable(self.bytes, self.at);
            if self.at == self.bytes.len() || white_space(&self.bytes[self.at..]) > 0 {
                break;
            }
            self.at += 1;
        }
        (self.at > start).then_some(start..self.at)
    }
}

/// A text with one space after each word, copied in runs that have that already.
pub(super) struct Normal<'a> {
    text: &'a str,
    normal: String,
    /// What is to be copied next.
    run: Range<usize>,
}

impl<'a> Normal<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        Self { text, normal: String::with_capacity(text.len() + 1), run: 0..0 }
    }

    /// Takes the next word.
    #[inline]
    pub(super) fn take(&mut self, word: Range<usize>) {
        let is_next = !self.run.is_empty() && word.start == self.run.end + 1;
        let follows = is_next && self.text.as_bytes()[self.run.end] == b' ';
        if !follows {
            self.copy();
            self.run.start = word.start;
        }
        self.run.end = word.end;
    }

    fn copy(&mut self) {
        if !self.run.is_empty() {
            self.normal.push_str(&self.text[self.run.clone()]);
            self.normal.push(' ');
        }
    }

    pub(super) fn finish(mut self) -> String {
        self.copy();
        self.normal
    }
}

/// How many bytes the white space that a text begins with takes; 0 if it begins otherwise.
#[inline]
fn white_space(text: &[u8]) -> usize {
    match text {
        [b'\t'..=b'\r' | b' ', ..] => 1,
        [0xC2, 0x85 | 0xA0, ..] => 2,
        [0xE1, 0x9A, 0x80, ..]
        | [0xE2, 0x80, 0x80..=0x8A | 0xA8 | 0xA9 | 0xAF, ..]
        | [0xE2, 0x81, 0x9F, ..]
        | [0xE3, 0x80, 0x80, ..] => 3,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn white_space_is_what_unicode_says() {
        for c in '\0'..=char::MAX {
            let expected = if c.is_whitespace() { c.len_utf8() } else { 0 };
            assert_eq!(white_space(c.to_string().as_bytes()), expected, "{c:?}");
        }
    }

    proptest! {
        #[test]
        fn words_are_what_lies_between_white_space(any: String, text in "[a-zé’\u{a0}\u{2003}\u{3000} \n]{0,60}") {
            for text in [any, text] {
                let found: Vec<&str> = Words::of(&text).map(|word| &text[word]).collect();
                prop_assert_eq!(&found, &text.split_whitespace().collect::<Vec<_>>());
                let mut normal = Normal::of(&text);
                Words::of(&text).for_each(|word| normal.take(word));
                let expected: String = found.iter().flat_map(|word| [word, " "]).collect();
                prop_assert_eq!(normal.finish(), expected);
            }
        }
    }
}
