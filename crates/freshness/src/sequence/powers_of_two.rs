//! Exact schedules for frequencies that are powers of two.

use super::shares::Shares;
use super::{SequenceError, checked_sum};
use crate::policy::PageId;

/// The cycle has at most `2^63` accesses.
const BITS: u32 = 63;

/// Law F-18: if every frequency is `1/2^k` and they sum to one, page `i` is accessed exactly every `2^k` accesses, and the
/// bound of law F-3 is reached.
///
/// The points `0..2^63` are given out in runs of `2^(63-k)`, longest first, so that each run is a leaf of the binary tree
/// on the points' leading bits. Access `s` goes to the owner of `s` with its bits reversed: the leading `k` bits of that
/// point are the last `k` bits of `s`, so a page comes back whenever `s` has the same remainder modulo `2^k`.
#[derive(Clone, Debug)]
pub struct PowersOfTwo {
    /// Owners of the points, by position in `pages`.
    shares: Shares,
    /// Pages by falling frequency.
    pages: Vec<u32>,
    next: u64,
}

impl PowersOfTwo {
    /// The schedule for the given frequencies. They must sum to exactly one: a schedule with idle accesses would waste
    /// what the pages could use.
    ///
    /// # Errors
    /// Names the first page whose frequency is neither zero nor `1/2^k`, `k <= 63`.
    pub fn new(frequencies: &[f64]) -> Result<Self, SequenceError> {
        let sum = checked_sum(frequencies)?;
        let runs = frequencies.iter().map(|&f| run(f)).collect::<Vec<_>>();
        if let Some(page) = runs.iter().position(Option::is_none) {
            return Err(SequenceError::NotPowerOfTwo { page, value: frequencies[page] });
        }
        let mut owned: Vec<(u64, u32)> = runs.into_iter().flatten().zip(0..).filter(|&(run, _)| run > 0).collect();
        let points: u128 = owned.iter().map(|&(run, _)| u128::from(run)).sum();
        if points != 1 << BITS {
            return Err(SequenceError::Sum { sum });
        }
        owned.sort_by_key(|&(run, page)| (std::cmp::Reverse(run), page));
        let shares = Shares::new(owned.iter().map(|&(run, _)| run));
        Ok(Self { shares, pages: owned.into_iter().map(|(_, page)| page).collect(), next: 0 })
    }
}

/// `2^63 f` if it is zero or a whole power of two.
fn run(f: f64) -> Option<u64> {
    let points = f * (1_u64 << BITS) as f64;
    let whole = points as u64;
    (whole as f64 == points && (whole == 0 || whole.is_power_of_two())).then_some(whole)
}

impl Iterator for PowersOfTwo {
    type Item = PageId;

    fn next(&mut self) -> Option<PageId> {
        // The lowest 63 bits of the position, reversed; the counter may wrap, as the cycle divides its range.
        let point = (self.next << (u64::BITS - BITS)).reverse_bits();
        self.next = self.next.wrapping_add(1);
        Some(PageId(self.pages[self.shares.owner(point)]))
    }
}
