//! Law C-23: how many robots to keep active now, decided from what can be seen.
//!
//! A controller is a state machine: observations in, robots wanted out. It has no clock; the crawler and the simulator tell it
//! the time. [`ThresholdController`] holds the thresholds; [`baselines`] are what others do; [`CostMeter`] measures the cost
//! (2) of any of them, and [`DriftDetector`] tells when the model behind the thresholds no longer fits.

pub mod baselines;
mod belief;
mod cost;
mod drift;
mod thresholds;

pub use belief::BeliefController;
pub use cost::CostMeter;
pub use drift::{Deviation, Drift, DriftDetector, DriftOptions, Expected};
pub use thresholds::{ThresholdController, gain};

use crate::decision::ObservedPolicy;
use crate::model::RobotPolicy;

/// What is seen when something happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// The time, on a clock that never goes back.
    pub now: f64,
    /// Pages in the system after the event, the one being indexed included.
    pub pages: usize,
    /// The size class of the page being indexed, from 0, if there is one and it is known: its phase of service.
    pub size_class: Option<usize>,
    /// What happened.
    pub event: Event,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// Time passed, or the size class changed.
    Tick,
    /// Robots delivered a batch.
    Batch {
        /// All its pages.
        pages: usize,
        /// Those that found no place.
        lost: usize,
    },
    /// A page was indexed.
    Indexed {
        /// Its time in the system.
        sojourn: f64,
        /// The part of it in which it was being indexed.
        service: f64,
    },
    /// A page became obsolete while it waited, and left.
    Obsolete {
        /// Its time in the system.
        sojourn: f64,
    },
}

/// Decides how many robots are active.
pub trait Controller {
    /// Robots wanted from now on. To be asked at every event, and at [`Controller::next_tick`] if nothing happens before.
    fn robots(&mut self, observation: &Observation) -> u32;

    /// When to ask again even if nothing happens before; infinite if there is no need.
    fn next_tick(&self) -> f64 {
        f64::INFINITY
    }
}

/// The plain policy: thresholds that act at once.
impl Controller for RobotPolicy {
    fn robots(&mut self, observation: &Observation) -> u32 {
        self.with_pages(observation.pages)
    }
}

/// Law C-21: a policy on the number of pages and, if it uses it, the size class of the page being indexed. A class that is not
/// known counts as the first.
impl Controller for ObservedPolicy {
    fn robots(&mut self, observation: &Observation) -> u32 {
        let by_class = &self.robots[observation.pages.min(self.robots.len() - 1)];
        by_class[observation.size_class.unwrap_or(0).min(by_class.len() - 1)]
    }
}

#[cfg(test)]
mod tests;
