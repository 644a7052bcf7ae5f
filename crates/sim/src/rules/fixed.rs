//! The same interval for every page.

use freshness::Outcome;

use crate::due_queue::RevisitRule;

/// `next = access + interval`, whatever was found: Nutch's `DefaultFetchSchedule`, the usual default everywhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedInterval {
    /// Days from one access to the next.
    pub interval: f64,
}

impl Default for FixedInterval {
    /// 30 days, as Nutch's `db.fetch.interval.default`.
    fn default() -> Self {
        Self { interval: 30.0 }
    }
}

impl RevisitRule for FixedInterval {
    type State = ();

    fn unvisited(&self) {}

    fn next_due(&self, (): &mut (), now: f64, _outcome: Outcome) -> f64 {
        now + self.interval
    }
}
