//! Stride scheduling.

use std::collections::BinaryHeap;

use super::due::Due;
use super::{SequenceError, golden_phase, normalised};
use crate::policy::PageId;

/// Law F-19: always the page due first, and after its access it is due `1/f` later than it was.
///
/// The first access to the `n`-th page is due after `frac(n/phi)` of its period. If instead all pages started in the same
/// phase, pages of the same frequency would always be due at once, and the others would wait for all of them: on 1,000
/// pages with rates 1, 2 and 3 that costs 1.075 of the bound instead of 1.0001. Where all rates differ the phases do not
/// matter.
#[derive(Clone, Debug)]
pub struct Stride {
    due: BinaryHeap<Due>,
    /// `1/f` by page.
    periods: Vec<f64>,
}

impl Stride {
    /// With the given frequencies.
    ///
    /// # Errors
    /// If a frequency is not from 0 to 1 or they do not sum to one.
    pub fn new(frequencies: &[f64]) -> Result<Self, SequenceError> {
        let pages = normalised(frequencies)?;
        let mut periods = vec![0.0; frequencies.len()];
        let mut due = Vec::with_capacity(pages.len());
        for (rank, (page, f)) in pages.into_iter().enumerate() {
            periods[page as usize] = f.recip();
            due.push(Due { at: golden_phase(rank) / f, page });
        }
        Ok(Self { due: due.into(), periods })
    }
}

impl Iterator for Stride {
    type Item = PageId;

    fn next(&mut self) -> Option<PageId> {
        let mut first = self.due.peek_mut()?;
        first.at += self.periods[first.page as usize];
        // The page that was first; the heap finds the new first one only when `first` is dropped.
        Some(PageId(first.page))
    }
}
