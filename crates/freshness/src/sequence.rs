//! In which order pages are accessed, given how often each should be.
//!
//! Each type here is an endless iterator over [`PageId`]s that keeps a few numbers per page and no table of the length of
//! its cycle. Pages of frequency zero never appear.
//!
//! | sequence | cost over the bound | per access |
//! |---|---|---|
//! | [`RoundRobin`] | 1 for equal frequencies | constant |
//! | [`PowersOfTwo`] | 1, for frequencies `1/2^k` (law F-18) | `O(log N)` |
//! | [`Regular::staggered`] | 1.024 at 10 pages, 1.003 at 100, 1.0003 at 1,000 (law F-20) | `O(log N)` |
//! | [`Stride`] | 1.065 at 10 pages, 1.026 at 100, 1.003 at 1,000 (law F-19) | `O(log N)` |
//! | [`Splitting::new`] | 1.04 at 10 pages, 1.012 at 100, 1.0015 at 1,000 (law F-20) | `O(log N)` |
//! | [`GoldenRatio`] | 1.047 to 1.109 for rare changes (laws F-12 to F-14) | `O(log N)` |
//! | [`Randomised`] | exact, up to 2 for rare changes (law F-9) | constant |
//!
//! The numbers for the regular and the stride sequence are the worst of 72 instances each (for the splitting sequence of 36, drawn apart): uniform, log-normal, Pareto and
//! three-valued rates, `q` of 0.1, 1 and 5, `c = mu` and independent weights.
//!
//! None of them can follow pages that come, go or change their rate: that is what [`index`](crate::index) does.

mod due;
mod golden_ratio;
mod powers_of_two;
mod randomised;
mod regular;
mod round_robin;
mod shares;
mod splitting;
mod stride;

use thiserror::Error;

pub use golden_ratio::GoldenRatio;
pub use powers_of_two::PowersOfTwo;
pub use randomised::Randomised;
pub use regular::Regular;
pub use round_robin::RoundRobin;
pub use splitting::Splitting;
pub use stride::Stride;

#[cfg(doc)]
use crate::policy::PageId;

/// How far the sum of the frequencies may be from one and still be taken for one.
const SUM_TOLERANCE: f64 = 1e-6;

/// Why there is no sequence with the given frequencies.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SequenceError {
    /// There are no pages.
    #[error("there are no pages to access; give at least one")]
    NoPages,
    /// There are more pages than a page number can tell apart.
    #[error("{pages} pages are more than the {} that can be numbered; split them", u32::MAX)]
    TooManyPages {
        /// Number of pages.
        pages: usize,
    },
    /// A frequency is negative, more than one or not a number.
    #[error("page {page}: frequency {value} is not a number from 0 to 1")]
    Frequency {
        /// Position of the page, from 0.
        page: usize,
        /// The offending value.
        value: f64,
    },
    /// The frequencies do not sum to one.
    #[error("the frequencies sum to {sum} instead of 1; divide each by the sum")]
    Sum {
        /// Their sum.
        sum: f64,
    },
    /// A frequency is not a power of two.
    #[error("page {page}: frequency {value} is not 1/2^k with k from 0 to 63; use another sequence")]
    NotPowerOfTwo {
        /// Position of the page, from 0.
        page: usize,
        /// The offending value.
        value: f64,
    },
    /// The length of a golden-ratio cycle is out of range.
    #[error("the golden-ratio cycle F_k needs k from 3 to 90, got {k}")]
    CycleIndex {
        /// The offending value.
        k: u32,
    },
}

/// Checks the frequencies and returns their sum, which is one within [`SUM_TOLERANCE`].
fn checked_sum(frequencies: &[f64]) -> Result<f64, SequenceError> {
    if frequencies.is_empty() {
        return Err(SequenceError::NoPages);
    }
    if u32::try_from(frequencies.len()).is_err() {
        return Err(SequenceError::TooManyPages { pages: frequencies.len() });
    }
    let most = 1.0 + SUM_TOLERANCE;
    if let Some(page) = frequencies.iter().position(|f| !(0.0..=most).contains(f)) {
        return Err(SequenceError::Frequency { page, value: frequencies[page] });
    }
    let sum: f64 = frequencies.iter().sum();
    if (sum - 1.0).abs() > SUM_TOLERANCE {
        return Err(SequenceError::Sum { sum });
    }
    Ok(sum)
}

/// The pages of positive frequency, each with its frequency divided by the sum of all.
fn normalised(frequencies: &[f64]) -> Result<Vec<(u32, f64)>, SequenceError> {
    let sum = checked_sum(frequencies)?;
    Ok((0..).zip(frequencies).filter(|&(_, &f)| f > 0.0).map(|(page, &f)| (page, f / sum)).collect())
}

/// `frac(n/phi)`, `n = 1, 2, ...`: phases that fill the unit interval evenly however many there are.
fn golden_phase(rank: usize) -> f64 {
    const INVERSE_GOLDEN_RATIO: f64 = 0.618_033_988_749_894_8;
    ((rank + 1) as f64 * INVERSE_GOLDEN_RATIO).fract()
}

#[cfg(test)]
mod tests;
