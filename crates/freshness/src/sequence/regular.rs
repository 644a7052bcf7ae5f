//! Regular sequences.

use std::collections::BinaryHeap;

use super::due::Due;
use super::{SequenceError, golden_phase, normalised};
use crate::policy::PageId;

/// Law F-20: accesses to every page as regular as the other pages allow.
///
/// This is the greedy algorithm of Tijdeman (*The chairman assignment problem*, 1980). With `e = 1/(2N-2)`, the `m`-th
/// access to a page is released at access `(m - 1 + e)/f` and has the deadline `(m - e)/f`; of the released pages the one
/// with the earliest deadline is accessed. For two pages it is Hajek's regular sequence,
/// `floor(n f + 1/2) - floor((n-1) f + 1/2)`, for which no sequence of the same frequencies costs less. CLW
/// expect much of another generalisation of that sequence, by Arian and Levy, who serve, in the order of falling frequency,
/// the first page whose count is below a threshold; this one adds a guarantee for every page.
#[derive(Clone, Debug)]
pub struct Regular {
    /// Pages not yet released, by release.
    waiting: BinaryHeap<Due>,
    /// Released pages, by deadline.
    released: BinaryHeap<Due>,
    /// By page.
    progress: Vec<Progress>,
    /// `1/(2N-2)`.
    slack: f64,
    /// Accesses so far.
    now: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    frequency: f64,
    /// Accesses so far plus the phase.
    served: f64,
}

impl Regular {
    /// After `n` accesses, for every `n`, page `i` has had `n f_i` of them within `1 - 1/(2N-2)`, the best that can be
    /// promised for all frequencies.
    ///
    /// All pages start in phase, so many pages of the same frequency are accessed in one run; then
    /// [`Regular::staggered`] costs less.
    ///
    /// # Errors
    /// If a frequency is not from 0 to 1 or they do not sum to one.
    pub fn new(frequencies: &[f64]) -> Result<Self, SequenceError> {
        Self::with_phases(frequencies, |_| 0.0)
    }

    /// The same with releases and deadlines of each page put off by a phase, from `-1/2` to `1/2` of its period.
    ///
    /// Counts may then be off by up to two. On 1,000 pages with rates 1, 2 and 3 the cost is 1.0001 of the bound,
    /// and 1.075 in phase; where all rates differ the two cost the same.
    ///
    /// # Errors
    /// If a frequency is not from 0 to 1 or they do not sum to one.
    pub fn staggered(frequencies: &[f64]) -> Result<Self, SequenceError> {
        Self::with_phases(frequencies, |rank| golden_phase(rank) - 0.5)
    }

    fn with_phases(frequencies: &[f64], phase: impl Fn(usize) -> f64) -> Result<Self, SequenceError> {
        let pages = normalised(frequencies)?;
        let slack = 0.5 / (pages.len().max(2) - 1) as f64;
        let mut progress = vec![Progress::default(); frequencies.len()];
        let mut waiting = Vec::with_capacity(pages.len());
        for (rank, (page, frequency)) in pages.into_iter().enumerate() {
            let served = phase(rank);
            progress[page as usize] = Progress { frequency, served };
            waiting.push(Due { at: (served + slack) / frequency, page });
        }
        let released = BinaryHeap::with_capacity(waiting.len());
        Ok(Self { waiting: waiting.into(), released, progress, slack, now: 0.0 })
    }

    fn release(&mut self) {
        // If none is released yet, because of rounding or at the start, the first one is.
        while let Some(&Due { at, page }) = self.waiting.peek()
            && (at <= self.now || self.released.is_empty())
        {
            self.waiting.pop();
            let Progress { frequency, served } = self.progress[page as usize];
            self.released.push(Due { at: (served + 1.0 - self.slack) / frequency, page });
        }
    }
}

impl Iterator for Regular {
    type Item = PageId;

    fn next(&mut self) -> Option<PageId> {
        self.now += 1.0;
        self.release();
        let page = self.released.pop()?.page;
        let progress = &mut self.progress[page as usize];
        progress.served += 1.0;
        self.waiting.push(Due { at: (progress.served + self.slack) / progress.frequency, page });
        Some(PageId(page))
    }
}
