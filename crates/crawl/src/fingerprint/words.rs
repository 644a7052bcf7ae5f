//! The words of a text, as between white space.

use std::ops::Range;

use crate::extract::not_visible;

/// Bytes that are looked at together.
const BLOCK: usize = 64;

/// Calls `each` with the places of the words of a text: what [`str::split_whitespace`] parts. The bytes that may end a word are
/// found by blocks, so that the search for one does not wait for the last.
///
/// Says whether the text is regular: words with one space or line end between them, and nothing else.
#[inline]
pub(super) fn for_each_word(text: &str, mut each: impl FnMut(Range<usize>)) -> bool {
    let bytes = text.as_bytes();
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    // A space behind the end ends the last word.
    let mut last = [b'-'; BLOCK];
    last[..rest.len()].copy_from_slice(rest);
    last[rest.len()] = b' ';
    let (mut start, mut is_regular) = (0, true);
    for (number, block) in blocks.iter().chain([&last]).enumerate() {
        let mut others = others(block);
        while others != 0 {
            let within = others.trailing_zeros() as usize;
            let at = number * BLOCK + within;
            others &= others - 1;
            // What nearly always ends a word has a way of its own: with one for all it took a tenth longer.
            if at > start && matches!(block[within], b' ' | b'\n') {
                each(start..at);
                start = at + 1;
                continue;
            }
            let space = if at < bytes.len() { white_space(&bytes[at..]) } else { 1 };
            if space > 0 {
                is_regular = false;
                if at > start {
                    each(start..at);
                }
                start = at + space;
            }
        }
    }
    is_regular
}

/// A text with one space after each word; `is_regular` is what [`for_each_word`] says of it.
pub(super) fn normal(text: &str, is_regular: bool) -> Vec<u8> {
    let mut normal = Vec::with_capacity(text.len() + 1);
    if is_regular {
        normal.extend(text.bytes().map(|byte| if byte == b'\n' { b' ' } else { byte }));
        normal.push(b' ');
    } else {
        for_each_word(text, |word| {
            normal.extend_from_slice(text[word].as_bytes());
            normal.push(b' ');
        });
    }
    normal
}

/// A bit for each byte that is not printable ASCII, or is a space.
#[inline]
fn others(block: &[u8; BLOCK]) -> u64 {
    let mut bits = 0;
    for (number, bytes) in block.as_chunks::<8>().0.iter().enumerate() {
        let others = not_visible(u64::from_le_bytes(*bytes)) >> 7;
        // Moves bit 0 of byte n to bit n of the highest byte.
        bits |= (others.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * number);
    }
    bits
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
        fn words_are_what_lies_between_white_space(any: String, text in "[a-zé’\u{a0}\u{2003}\u{3000} \n]{0,200}") {
            for text in [any, text] {
                let mut found = Vec::new();
                let is_regular = for_each_word(&text, |word| found.push(&text[word]));
                prop_assert_eq!(&found, &text.split_whitespace().collect::<Vec<_>>());
                let expected: String = found.iter().flat_map(|word| [word, " "]).collect();
                prop_assert_eq!(is_regular, text.replace('\n', " ") + " " == expected);
                prop_assert_eq!(normal(&text, is_regular), expected.as_bytes());
            }
        }
    }
}
