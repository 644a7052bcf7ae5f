//! How pages change.

mod poisson;
mod renewal;
mod replay;

pub use renewal::Gaps;

use crate::page::Page;
use poisson::Poisson;
use renewal::Renewal;
use replay::Replay;

/// The process by which every page changes.
#[derive(Clone, Debug)]
pub enum Changes {
    /// Poisson with the page's change rate (the model of CLW). Costs the same per access however often pages change.
    Poisson,
    /// Independent gaps between changes with the page's mean, more or less regular than the exponential law.
    Renewal(Gaps),
    /// Given change times of every page, in order, in days from the start. A change at 0 or before is in the first copy.
    Replayed(Vec<Vec<f64>>),
}

/// The changes of a page between two moments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Changed {
    /// When the first came.
    pub first: f64,
    /// When the last came.
    pub last: f64,
    /// How many came, at least 1; for a Poisson process the expected number, given the first.
    pub count: f64,
}

/// A process under way.
pub(crate) enum ChangeProcess {
    Poisson(Poisson),
    Renewal(Renewal),
    Replay(Replay),
}

impl ChangeProcess {
    pub fn new(changes: &Changes, seed: u64, needs_last: bool) -> Self {
        match changes {
            Changes::Poisson => Self::Poisson(Poisson::new(seed, needs_last)),
            Changes::Renewal(gaps) => Self::Renewal(Renewal::new(*gaps, seed)),
            Changes::Replayed(times) => Self::Replay(Replay::new(times.clone())),
        }
    }

    /// Tells of the next page, in the order of their numbers.
    pub fn add(&mut self, page: &Page) {
        if let Self::Renewal(renewal) = self {
            renewal.add(page);
        }
    }

    /// The changes of page number `page` in `(since, until]`, where `since` never goes back.
    pub fn between(&mut self, page: usize, rate: f64, since: f64, until: f64) -> Option<Changed> {
        match self {
            Self::Poisson(process) => process.between(rate, since, until),
            Self::Renewal(process) => process.between(page, rate, since, until),
            Self::Replay(process) => process.between(page, since, until),
        }
    }
}

#[cfg(test)]
mod tests;
