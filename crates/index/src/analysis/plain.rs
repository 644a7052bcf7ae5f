//! Words of letters and digits of ASCII, as most are: they are read eight bytes at a time.

/// Bytes that are looked at to read a word.
pub(super) const WINDOW: usize = 24;

/// Longest word that is read: with what parts it from the next it is within the window.
pub(super) const LONGEST: usize = WINDOW - 2;

/// A word in lower case: its bytes, the others zero, and how many they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PlainWord {
    pub(super) parts: [u64; 3],
    pub(super) length: usize,
}

impl PlainWord {
    /// Letters and digits at the beginning; it may be that not all of the word are there.
    #[inline]
    pub(super) fn read(window: &[u8; WINDOW]) -> Self {
        let mut word = Self::default();
        let (parts, _) = window.as_chunks();
        for (to, part) in word.parts.iter_mut().zip(parts) {
            let (lower, length) = beginning(u64::from_le_bytes(*part));
            *to = lower;
            word.length += length;
            if length < 8 {
                break;
            }
        }
        word
    }
}

/// A byte in all eight places.
const fn all(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// The letters and digits with which eight bytes begin, in lower case, and how many they are.
#[inline]
fn beginning(bytes: u64) -> (u64, usize) {
    // The highest bit of a byte says whether it is in a range. No sum is carried over to the next byte.
    let low = bytes & all(0x7f);
    let within = |bytes: u64, first: u8, last: u8| (bytes + all(0x80 - first)) & !(bytes + all(0x7f - last));
    let letters = within(low | all(0x20), b'a', b'z') & !bytes & all(0x80);
    let digits = within(low, b'0', b'9') & !bytes & all(0x80);
    let others = !(letters | digits) & all(0x80);
    let length = others.trailing_zeros() as usize / 8;
    let mask = if length == 8 { u64::MAX } else { (1 << (8 * length)) - 1 };
    ((bytes | (letters >> 2)) & mask, length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_byte_is_what_it_is() {
        for byte in 0..=255_u8 {
            let (lower, length) = beginning(u64::from_le_bytes([byte, b'-', 0, 0, 0, 0, 0, 0]));
            let expected =
                if byte.is_ascii_alphanumeric() { (u64::from(byte.to_ascii_lowercase()), 1) } else { (0, 0) };
            assert_eq!((lower, length), expected, "{byte}");
        }
    }

    proptest! {
        #[test]
        fn words_are_read_as_byte_by_byte(window in prop::array::uniform24(prop::sample::select(b"aZzA09m@[`{/:\x10\x19\x80\xe1 ".to_vec()))) {
            let length = window.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
            let word = PlainWord::read(&window);
            let mut expected = [0; WINDOW];
            expected[..length].copy_from_slice(&window[..length].to_ascii_lowercase());
            prop_assert_eq!((word.length, word.parts.map(u64::to_le_bytes).concat()), (length, expected.to_vec()));
        }
    }
}
