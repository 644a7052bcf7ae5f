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

/// Counts bits, 64 counters at once: eight bytes of eight words, emptied before they overflow.
pub(super) struct SimHash {
    lanes: [u64; 8],
    in_lanes: u8,
    counts: [u32; 64],
    features: u32,
}

impl Default for SimHash {
    fn default() -> Self {
        Self { lanes: [0; 8], in_lanes: 0, counts: [0; 64], features: 0 }
    }
}

impl SimHash {
    pub(super) fn add(&mut self, feature: u64) {
        for (lane, byte) in self.lanes.iter_mut().zip(feature.to_le_bytes()) {
            *lane += SPREAD[usize::from(byte)];
        }
        self.features = self.features.saturating_add(1);
        self.in_lanes += 1;
        if self.in_lanes == u8::MAX {
            self.empty_lanes();
        }
    }

    fn empty_lanes(&mut self) {
        for (counts, lane) in self.counts.chunks_exact_mut(8).zip(&mut self.lanes) {
            for (count, ones) in counts.iter_mut().zip(lane.to_le_bytes()) {
                *count += u32::from(ones);
            }
            *lane = 0;
        }
        self.in_lanes = 0;
    }

    /// The simhash; 0 if there were no features.
    pub(super) fn finish(&mut self) -> u64 {
        self.empty_lanes();
        let half = self.features / 2;
        self.counts.iter().rev().fold(0, |hash, count| hash << 1 | u64::from(*count > half))
    }
}
