//! The golden-ratio sequence.

use super::shares::Shares;
use super::{SequenceError, checked_sum};
use crate::policy::PageId;

/// The longest cycle is `F_90 = 2.9e18`.
const LARGEST_K: u32 = 90;

/// Accesses per cycle that [`GoldenRatio::of`] wants for the rarest page.
const LEAST_ACCESSES: f64 = 50.0;

/// Frequencies are held in units of `2^-63`.
const UNITS: f64 = (1_u64 << 63) as f64;

/// Law F-12, the sequence `gamma(k, N)` of CLW section 5, after Itai and Rosberg.
///
/// The cycle has `F_k` accesses (`F_1 = F_2 = 1`), of which page `i` owns `M_i`, `f_i F_k` rounded up or down. Number the
/// accesses `j = 0, 1, ...` page by page; access `j` has the place of `frac(j/phi)` in ascending order. That place is
/// `s = j F_{k-1} mod F_k`, hence `j = s F_{k-1}^-1 mod F_k`, and since `F_{k-1}^2 = (-1)^k mod F_k` the next access is found
/// by adding a constant: no sorting and no table of the cycle's length.
#[derive(Clone, Debug)]
pub struct GoldenRatio {
    shares: Shares,
    cycle: u64,
    step: u64,
    next: u64,
}

impl GoldenRatio {
    /// The sequence with a cycle of `F_k` accesses.
    ///
    /// A page may be rounded to no access at all if its frequency is below `1/F_k`.
    ///
    /// # Errors
    /// If `k` is not from 3 to 90, a frequency is not from 0 to 1 or they do not sum to one.
    pub fn new(frequencies: &[f64], k: u32) -> Result<Self, SequenceError> {
        if !(3..=LARGEST_K).contains(&k) {
            return Err(SequenceError::CycleIndex { k });
        }
        checked_sum(frequencies)?;
        let cycle = fibonacci(k);
        let step = if k.is_multiple_of(2) { fibonacci(k - 1) } else { fibonacci(k - 2) };
        Ok(Self { shares: Shares::new(largest_remainders(frequencies, cycle)), cycle, step, next: 0 })
    }

    /// The sequence with the shortest cycle in which the rarest page is accessed 50 times, but at most `F_90`.
    ///
    /// # Errors
    /// If a frequency is not from 0 to 1 or they do not sum to one.
    pub fn of(frequencies: &[f64]) -> Result<Self, SequenceError> {
        checked_sum(frequencies)?;
        let rarest = frequencies.iter().copied().filter(|&f| f > 0.0).fold(1.0, f64::min);
        let k = (3..LARGEST_K).find(|&k| fibonacci(k) as f64 * rarest >= LEAST_ACCESSES).unwrap_or(LARGEST_K);
        Self::new(frequencies, k)
    }

    /// `F_k`.
    #[must_use]
    pub fn cycle_length(&self) -> u64 {
        self.cycle
    }

    /// `M_i`, the accesses to each page in a cycle.
    pub fn counts(&self) -> impl Iterator<Item = u64> + '_ {
        self.shares.counts()
    }
}

impl Iterator for GoldenRatio {
    type Item = PageId;

    fn next(&mut self) -> Option<PageId> {
        let page = self.shares.owner(self.next);
        let sum = self.next + self.step;
        self.next = if sum < self.cycle { sum } else { sum - self.cycle };
        Some(PageId(page as u32))
    }
}

/// `F_k`, `F_1 = F_2 = 1`, for `k` up to 93.
fn fibonacci(k: u32) -> u64 {
    (0..k).fold((0, 1), |(a, b), _| (b, a + b)).0
}

/// Whole numbers that sum to `total`, each `f_i total` rounded up or down: the pages with the largest remainders are
/// rounded up. Exact, in units of `2^-63`.
fn largest_remainders(frequencies: &[f64], total: u64) -> Vec<u64> {
    let units: Vec<u64> = frequencies.iter().map(|f| (f * UNITS).round() as u64).collect();
    let all: u128 = units.iter().map(|&unit| u128::from(unit)).sum();
    let quota = |unit: u64| u128::from(unit) * u128::from(total);
    let mut counts: Vec<u64> = units.iter().map(|&unit| (quota(unit) / all) as u64).collect();
    let missing = (total - counts.iter().sum::<u64>()) as usize;
    if missing > 0 {
        let mut by_remainder: Vec<u32> = (0..units.len() as u32).collect();
        let key = |&page: &u32| (std::cmp::Reverse(quota(units[page as usize]) % all), page);
        by_remainder.select_nth_unstable_by_key(missing - 1, key);
        by_remainder[..missing].iter().for_each(|&page| counts[page as usize] += 1);
    }
    counts
}
