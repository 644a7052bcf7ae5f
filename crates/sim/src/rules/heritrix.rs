//! Heritrix 1, `AdaptiveRevisitFrontier` with `WaitEvaluator`.

use freshness::Outcome;

use super::SECONDS;
use crate::due_queue::RevisitRule;

/// First visit: wait 1 day. Changed: `wait / 1.5`. Unchanged: `wait * 1.5`. Clamped to [1 hour, 28 days].
///
/// A failed access leaves the wait as it is. The optional use of overdue time is off, as shipped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Heritrix {
    /// Wait after the first visit, in seconds.
    pub initial: f64,
    /// Factor on the wait of an unchanged page.
    pub unchanged_factor: f64,
    /// Divisor of the wait of a changed page.
    pub changed_factor: f64,
    /// Shortest wait, in seconds.
    pub min: f64,
    /// Longest wait, in seconds.
    pub max: f64,
}

impl Default for Heritrix {
    fn default() -> Self {
        Self { initial: 86_400.0, unchanged_factor: 1.5, changed_factor: 1.5, min: 3_600.0, max: 2_419_200.0 }
    }
}

impl RevisitRule for Heritrix {
    /// The wait, in seconds.
    type State = f64;

    fn unvisited(&self) -> f64 {
        self.initial
    }

    fn next_due(&self, wait: &mut f64, now: f64, outcome: Outcome) -> f64 {
        let scaled = match outcome {
            Outcome::Changed { .. } => *wait / self.changed_factor,
            Outcome::Unchanged => *wait * self.unchanged_factor,
            Outcome::First | Outcome::Gone | Outcome::Failed => *wait,
        };
        *wait = scaled.clamp(self.min, self.max);
        now + *wait / SECONDS
    }
}
