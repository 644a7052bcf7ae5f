//! The hash of a word: rapidhash, version 3, as in its crate. There the length of an input decides by branches what is read of it,
//! and the processor guesses the length of every other word wrongly; here a table says it.

use std::ops::Range;

use rapidhash::v3::rapidhash_v3_seeded;

use super::LOW;

/// Words up to this length are hashed here.
const SHORT: usize = 16;

/// What is taken of a word of one length.
#[derive(Clone, Copy)]
struct Taken {
    /// Which bits of the eight bytes at its start, and how far they move up.
    mask: u64,
    up: u32,
    /// Which bits of its last byte.
    last: u64,
    /// Where the other bytes begin, of which the bits of `mask` are taken too.
    other: usize,
    seed: u64,
}

const TAKEN: [Taken; SHORT + 1] = {
    let mut taken = [Taken { mask: 0, up: 0, last: 0, other: 0, seed: LOW.seed }; SHORT + 1];
    let mut length = 1;
    while length <= SHORT {
        taken[length] = match length {
            1..4 => Taken { mask: 0xFF, up: 45, last: 0xFF, other: length / 2, seed: LOW.seed },
            4..8 => Taken { mask: 0xFFFF_FFFF, up: 0, last: 0, other: length - 4, seed: LOW.seed ^ length as u64 },
            _ => Taken { mask: u64::MAX, up: 0, last: 0, other: length - 8, seed: LOW.seed ^ length as u64 },
        };
        length += 1;
    }
    taken
};

/// The hash of the word at a place of a text.
#[inline]
pub(super) fn word_hash(text: &[u8], place: Range<usize>) -> u64 {
    let length = place.len();
    match text[place.start..].first_chunk::<SHORT>() {
        Some(bytes) if (1..=SHORT).contains(&length) => short_hash(bytes, length),
        _ => rapidhash_v3_seeded(&text[place], &LOW),
    }
}

/// The hash of the first `length` of these bytes, at least one.
#[inline]
fn short_hash(bytes: &[u8; SHORT], length: usize) -> u64 {
    let taken = &TAKEN[length];
    let eight = |at: usize| bytes[at..].first_chunk::<8>().map_or(0, |eight| u64::from_le_bytes(*eight));
    let first = (eight(0) & taken.mask) << taken.up | u64::from(bytes[length - 1]) & taken.last;
    let other = eight(taken.other) & taken.mask;
    let (low, high) = multiply(first ^ LOW.secrets[1], other ^ taken.seed);
    let (low, high) = multiply(low ^ 0xAAAA_AAAA_AAAA_AAAA, high ^ LOW.secrets[1] ^ length as u64);
    low ^ high
}

#[inline]
fn multiply(one: u64, two: u64) -> (u64, u64) {
    let product = u128::from(one) * u128::from(two);
    (product as u64, (product >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_hash_is_that_of_the_crate(text in prop::collection::vec(any::<u8>(), 40), start in 0..40_usize) {
            for end in start..=40 {
                prop_assert_eq!(word_hash(&text, start..end), rapidhash_v3_seeded(&text[start..end], &LOW), "{}..{}", start, end);
            }
        }
    }
}
