//! White space and words of running text.

/// What a place in a text is, for the cutting into words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Part of a word.
    Word,
    /// White space of so many bytes.
    Space(usize),
    /// A character that is neither seen nor separates words, of so many bytes.
    Nothing(usize),
}

const WORD: u8 = 0;
const SPACE: u8 = 1;
const LEAD: u8 = 2;

/// What each byte is: control bytes are white space, and four lead bytes need a second look.
const CLASS: [u8; 256] = {
    let mut class = [WORD; 256];
    let mut byte = 0;
    while byte <= 0x20 {
        class[byte] = SPACE;
        byte += 1;
    }
    class[0x7F] = SPACE;
    class[0xC2] = LEAD;
    class[0xE2] = LEAD;
    class[0xE3] = LEAD;
    class[0xEF] = LEAD;
    class
};

/// What stands at a place; `bytes` is UTF-8.
#[inline]
pub(super) fn place(bytes: &[u8], at: usize) -> Place {
    match CLASS[usize::from(bytes[at])] {
        WORD => Place::Word,
        SPACE => Place::Space(1),
        _ => lead(&bytes[at..]),
    }
}

fn lead(rest: &[u8]) -> Place {
    match rest {
        // no-break space, soft hyphen
        [0xC2, 0x80..=0xA0, ..] => Place::Space(2),
        [0xC2, 0xAD, ..] => Place::Nothing(2),
        // typographic spaces, line and paragraph separators; zero-width marks, but not the joiners that words need
        [0xE2, 0x80, 0x80..=0x8A | 0xA8 | 0xA9 | 0xAF, ..] => Place::Space(3),
        [0xE2, 0x80, 0x8B | 0x8E | 0x8F, ..] | [0xE2, 0x81, 0xA0, ..] | [0xEF, 0xBB, 0xBF, ..] => Place::Nothing(3),
        // ideographic space
        [0xE3, 0x80, 0x80, ..] => Place::Space(3),
        _ => Place::Word,
    }
}

/// A byte in each of eight places.
const fn eight(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// Bit 7 of each of eight bytes that is not printable ASCII, or is a space.
#[inline]
pub(crate) fn not_visible(chunk: u64) -> u64 {
    let low = chunk & eight(0x7F);
    // From 0x21 on, but not 0x7F and nothing from 0x80 on. Nothing is carried from byte to byte.
    !((low + eight(0x5F)) & !(low + eight(1)) & !chunk) & eight(0x80)
}

/// How many bytes from a place on are printable ASCII without spaces, looked at eight at a time.
#[inline]
pub(super) fn printable(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(chunk) = bytes[at..].first_chunk::<8>() {
        let others = not_visible(u64::from_le_bytes(*chunk));
        if others != 0 {
            return at - start + (others.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    let rest = &bytes[at..];
    at - start + rest.iter().position(|byte| !(0x21..0x7F).contains(byte)).unwrap_or(rest.len())
}

/// Words of printable ASCII with single spaces between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PlainWords {
    /// Where the first ends; where it starts, if there is only one.
    pub(super) first_end: usize,
    /// Where the last starts, of which the end has not been looked for.
    pub(super) last: usize,
    /// Spaces between first and last.
    pub(super) spaces: u32,
}

/// The words from a place on, which is in a word, as far as they are plain. Eight bytes at a time, whatever words are in them: of the
/// last words, some may be left.
pub(super) fn plain_words(bytes: &[u8], start: usize) -> PlainWords {
    let mut words = PlainWords { first_end: start, last: start, spaces: 0 };
    let (mut earlier, mut at, mut ended_in_space) = (words, start, 0);
    while let Some(chunk) = bytes[at..].first_chunk::<8>() {
        let spaces = plain_spaces(u64::from_le_bytes(*chunk));
        let Some(spaces) = spaces.filter(|spaces| spaces & (spaces << 8 | ended_in_space) == 0) else { break };
        earlier = words;
        if words.spaces == 0 {
            words.first_end = at + (spaces.trailing_zeros() / 8) as usize;
        }
        words.spaces += ((spaces >> 7).wrapping_mul(eight(1)) >> 56) as u32;
        words.last = if spaces == 0 { words.last } else { at + 8 - (spaces.leading_zeros() / 8) as usize };
        ended_in_space = spaces >> 56;
        at += 8;
    }
    // What follows a space at the very end need not be a word.
    let words = if ended_in_space == 0 { words } else { earlier };
    if words.spaces > 0 { words } else { PlainWords { first_end: start, last: start, spaces: 0 } }
}

/// Bit 7 of each byte that is a space, if the others are printable ASCII.
#[inline]
fn plain_spaces(chunk: u64) -> Option<u64> {
    let others = not_visible(chunk);
    // Bit 7 of each byte that is a space: only they differ from one in no bit.
    let differs = chunk ^ eight(b' ');
    let spaces = !(((differs & eight(0x7F)) + eight(0x7F)) | differs) & eight(0x80);
    (spaces == others).then_some(spaces)
}

/// How many words a run without white space counts for. Scripts without spaces are counted by length.
#[inline]
pub(super) fn words_in(bytes: u32, ascii: bool) -> u32 {
    if ascii || bytes <= 48 { 1 } else { bytes / 8 }
}

/// Appends a text with every run of white space as one space, and none at the ends.
pub(super) fn push_collapsed(target: &mut String, text: &str) {
    let bytes = text.as_bytes();
    let (mut at, mut space) = (0, false);
    while at < bytes.len() {
        match place(bytes, at) {
            Place::Space(length) => {
                space = true;
                at += length;
            }
            Place::Nothing(length) => at += length,
            Place::Word => {
                let start = at;
                while at < bytes.len() && place(bytes, at) == Place::Word {
                    at += 1;
                }
                if space && !target.is_empty() {
                    target.push(' ');
                }
                space = false;
                target.push_str(&text[start..at]);
            }
        }
    }
}

/// A text with single spaces, cut to a number of bytes.
pub(super) fn label(text: &str, limit: usize) -> Option<String> {
    let mut label = String::new();
    push_collapsed(&mut label, super::cut(text, limit.saturating_mul(4)));
    label.truncate(super::cut(&label, limit).trim_end().len());
    (!label.is_empty()).then_some(label)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn printable_bytes_are_counted_as_one_by_one(bytes: Vec<u8>, text in "[ -~]{0,40}[^ ]?[!-~]{0,20}", start in 0..4_usize) {
            for bytes in [bytes.as_slice(), text.as_bytes()] {
                let start = start.min(bytes.len());
                let rest = bytes[start..].iter();
                let counted = rest.take_while(|byte| (0x21..0x7F).contains(*byte)).count();
                prop_assert_eq!(printable(bytes, start), counted);
            }
        }

        #[test]
        fn plain_words_are_separated_by_single_spaces(text in "[a-z]([!-~]{0,12} ?){0,9}([a-z]{1,4} ){0,20}[ é\n]?[a-z ]{0,20}") {
            let words = plain_words(text.as_bytes(), 0);
            let plain = &text[..words.last];
            prop_assert_eq!(plain.matches(' ').count(), words.spaces as usize);
            prop_assert!(plain.bytes().all(|byte| (0x20..0x7F).contains(&byte)) && !plain.contains("  "));
            prop_assert!(plain.is_empty() || plain.ends_with(' ') && plain.find(' ') == Some(words.first_end));
            prop_assert_eq!(place(text.as_bytes(), words.last), Place::Word);
            // No more is left than two chunks and the word that they are in.
            let rest = text[words.last..].find(['\n', 'é']).map_or(text.len(), |end| words.last + end);
            let rest = text[words.last..rest].find("  ").map_or(rest, |end| words.last + end);
            prop_assert!(text[words.last..rest].matches(' ').count() <= 8, "{:?}", &text[words.last..rest]);
        }
    }
}
