//! The simhash of a set of features: bit by bit what most of the features' hashes say.

/// For each byte its eight bits, one to a byte.
const SPREAD: [u64; 256] = {
    let mut spread = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            spread[byte] |= ((byte as u64 >> bit) & 1) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    spread
};

/// Features that are counted together.
pub(super) const ROW: usize = 16;

/// Counts bits, 64 counters at once. Rows of features are added up bit by bit in whole words (a Harley-Seal adder), their sums
/// counted in eight bytes of eight words each, which are emptied before they overflow.
#[derive(Default)]
pub(super) struct SimHash {
    /// Sums of bits that are less than a row makes: ones, twos, fours and eights.
    digits: [u64; 4],
    sixteens: Lanes,
    features: u32,
}

/// 64 counters.
struct Lanes {
    lanes: [u64; 8],
    in_lanes: u8,
    counts: [u32; 64],
}

impl Default for Lanes {
    fn default() -> Self {
        Self { lanes: [0; 8], in_lanes: 0, counts: [0; 64] }
    }
}

impl Lanes {
    fn add(&mut self, bits: u64) {
        for (lane, byte) in self.lanes.iter_mut().zip(bits.to_le_bytes()) {
            *lane += SPREAD[usize::from(byte)];
        }
        self.in_lanes += 1;
        if self.in_lanes == u8::MAX {
            self.empty();
        }
    }

    fn empty(&mut self) {
        for (counts, lane) in self.counts.chunks_exact_mut(8).zip(&mut self.lanes) {
            for (count, ones) in counts.iter_mut().zip(lane.to_le_bytes()) {
                *count += u32::from(ones);
            }
            *lane = 0;
        }
        self.in_lanes = 0;
    }
}

impl SimHash {
    /// Adds `count` features; the others of the row are 0.
    pub(super) fn add(&mut self, row: &[u64; ROW], count: usize) {
        self.features = self.features.saturating_add(count as u32);
        let mut carried = *row;
        let mut length = ROW;
        for digit in &mut self.digits {
            length /= 2;
            for at in 0..length {
                (*digit, carried[at]) = add_bits(*digit, carried[2 * at], carried[2 * at + 1]);
            }
        }
        self.sixteens.add(carried[0]);
    }

    /// The simhash; 0 if there were no features.
    pub(super) fn finish(&mut self) -> u64 {
        self.sixteens.empty();
        let half = self.features / 2;
        let bit = |at: usize| {
            let digits = self.digits.iter().rev().fold(0, |sum, digit| 2 * sum + (digit >> at & 1) as u32);
            ROW as u32 * self.sixteens.counts[at] + digits > half
        };
        (0..64).rev().fold(0, |hash, at| hash << 1 | u64::from(bit(at)))
    }
}

/// Adds three bits at each place: what stays, and what is carried.
fn add_bits(one: u64, two: u64, three: u64) -> (u64, u64) {
    let either = one ^ two;
    (either ^ three, one & two | either & three)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_bit_is_what_most_features_say(features in prop::collection::vec(any::<u64>(), 0..600), likely: u64) {
            // Bits that most features have, and any others.
            let features: Vec<u64> = features.into_iter().map(|feature| feature | likely & feature >> 1).collect();
            let mut simhash = SimHash::default();
            for features in features.chunks(ROW) {
                let row = std::array::from_fn(|at| features.get(at).copied().unwrap_or(0));
                simhash.add(&row, features.len());
            }
            let count = |at: u32| features.iter().filter(|feature| *feature >> at & 1 == 1).count();
            let expected = (0..64).rev().fold(0, |hash: u64, at| hash << 1 | u64::from(count(at) > features.len() / 2));
            prop_assert_eq!(simhash.finish(), expected);
        }
    }
}
