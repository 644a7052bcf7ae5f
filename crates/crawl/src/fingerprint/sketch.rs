//! A sketch of a set, small and of fixed size, that tells how much two sets have in common.

use super::finalize;

/// Bins; each holds the smallest hash of the features that fall into it.
const BINS: usize = 128;
/// Two bins of 4 bits to a byte.
pub(super) const BYTES: usize = BINS / 2;
/// Values of a bin; 0 means that it is empty.
const VALUES: u64 = 15;

/// A stored sketch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sketch([u8; BYTES]);

impl Sketch {
    pub(super) fn as_bytes(&self) -> &[u8; BYTES] {
        &self.0
    }

    /// A sketch from its bytes; missing ones are empty bins.
    pub(super) fn from_slice(bytes: &[u8]) -> Self {
        let mut sketch = [0; BYTES];
        for (to, from) in sketch.iter_mut().zip(bytes) {
            *to = *from;
        }
        Self(sketch)
    }

    /// The estimated Jaccard coefficient of the two sets: common elements over all elements.
    ///
    /// With P the share of equal bins among those not empty in both, and 1/15 the chance that different elements give
    /// equal bins, J = (P - 1/15) / (1 - 1/15).
    pub(super) fn similarity(&self, other: &Self) -> f64 {
        let (mut used, mut equal) = (0, 0);
        for (one, two) in self.0.iter().zip(&other.0) {
            for (one, two) in [(one & 15, two & 15), (one >> 4, two >> 4)] {
                used += u32::from(one | two != 0);
                equal += u32::from(one == two && one != 0);
            }
        }
        if used == 0 {
            return 1.0;
        }
        let chance = 1.0 / VALUES as f64;
        let equal = f64::from(equal) / f64::from(used);
        ((equal - chance) / (1.0 - chance)).clamp(0.0, 1.0)
    }
}

/// Gathers the smallest hash of each bin.
pub(super) struct SketchBuilder([u64; BINS]);

impl Default for SketchBuilder {
    fn default() -> Self {
        Self([u64::MAX; BINS])
    }
}

impl SketchBuilder {
    pub(super) fn add(&mut self, feature: u64) {
        // The top 7 bits choose the bin, the others the order within it.
        let bin = &mut self.0[(feature >> 57) as usize];
        *bin = (*bin).min(feature << 7 >> 7);
    }

    pub(super) fn finish(&self) -> Sketch {
        let value = |smallest: u64| if smallest == u64::MAX { 0 } else { (finalize(smallest) % VALUES) as u8 + 1 };
        let mut sketch = [0; BYTES];
        for (byte, pair) in sketch.iter_mut().zip(self.0.chunks_exact(2)) {
            *byte = value(pair[0]) | value(pair[1]) << 4;
        }
        Sketch(sketch)
    }
}
