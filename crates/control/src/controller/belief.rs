//! A controller that follows the hidden phase of the arrivals.

use super::{Controller, Event, Observation};
use crate::decision::{BeliefFilter, BeliefPolicy};

/// Law C-22 at work: the belief about the arrival phase, and the policy on pages and belief. It asks to be asked every `period`,
/// because silence tells something too.
#[derive(Clone, Debug)]
pub struct BeliefController {
    filter: BeliefFilter,
    policy: BeliefPolicy,
    period: f64,
    /// The time of the last observation, and the robots active since.
    last: Option<(f64, u32)>,
}

impl BeliefController {
    /// With a filter that has seen nothing yet.
    #[must_use]
    pub fn new(filter: BeliefFilter, policy: BeliefPolicy, period: f64) -> Self {
        Self { filter, policy, period, last: None }
    }

    /// The probabilities of the arrival phases.
    #[must_use]
    pub fn probabilities(&self) -> &[f64] {
        self.filter.probabilities()
    }
}

impl Controller for BeliefController {
    fn robots(&mut self, observation: &Observation) -> u32 {
        if let Some((since, robots)) = self.last {
            // Filter and policy come from one model, so it knows the number; else the belief stays as it is.
            let _ = self.filter.update((observation.now - since).max(0.0), robots);
        }
        if let Event::Batch { pages, .. } = observation.event {
            self.filter.observe(pages);
        }
        let robots = self.policy.robots(observation.pages, self.filter.probabilities());
        self.last = Some((observation.now, robots));
        robots
    }

    fn next_tick(&self) -> f64 {
        self.last.map_or(f64::INFINITY, |(since, _)| since + self.period)
    }
}
