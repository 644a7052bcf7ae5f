//! What a simulation measured.

use crate::config::Config;
use crate::measure::Estimate;

/// Counts of accesses in the measured time.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    pub accesses: u64,
    pub first: u64,
    pub changed: u64,
    pub gone: u64,
    /// Changes between the accesses counted, expected for Poisson changes.
    pub changes: f64,
}

/// The result of a simulation. Everything is measured after the warm-up.
#[derive(Clone, Debug, PartialEq)]
pub struct SimReport {
    /// The seed: the same one gives the same report, bit for bit.
    pub seed: u64,
    /// Time-averaged `sum c_i 1{copy i is out of date}` with its 95% interval by batch means.
    ///
    /// The interval takes the batches as independent: it is too narrow if most pages are accessed less than once a batch.
    pub stale_cost: Estimate,
    /// The average of each batch, for comparing policies pairwise.
    pub batch_costs: Vec<f64>,
    /// Time-averaged sum of the weights of all pages, the cost if every copy were always out of date.
    pub total_weight: f64,
    /// Days measured.
    pub duration: f64,
    /// Accesses completed.
    pub accesses: u64,
    /// Accesses per day.
    pub accesses_per_day: f64,
    /// Accesses that were the first to their page.
    pub first_accesses: u64,
    /// Accesses that found a change.
    pub changes_detected: u64,
    /// Changes never seen because another one followed before the next access. For Poisson changes, which are not drawn
    /// one by one, the expected number given when each copy became out of date.
    pub changes_missed: f64,
    /// Accesses wasted on pages that were gone.
    pub gone: u64,
    /// Pages held at the end and not known to be gone.
    pub pages_at_end: usize,
}

impl SimReport {
    pub(crate) fn new(config: &Config, tally: Tally, batch_costs: Vec<f64>, total_weight: f64, alive: usize) -> Self {
        Self {
            seed: config.seed,
            stale_cost: Estimate::of(&batch_costs),
            batch_costs,
            total_weight,
            duration: config.duration,
            accesses: tally.accesses,
            accesses_per_day: tally.accesses as f64 / config.duration,
            first_accesses: tally.first,
            changes_detected: tally.changed,
            changes_missed: (tally.changes - tally.changed as f64).max(0.0),
            gone: tally.gone,
            pages_at_end: alive,
        }
    }

    /// The weighted fraction of time that copies are out of date.
    #[must_use]
    pub fn stale_fraction(&self) -> f64 {
        if self.total_weight > 0.0 { self.stale_cost.mean / self.total_weight } else { 0.0 }
    }
}
