//! The cost as it was, not as a model has it.

use super::{Event, Observation};
use crate::model::Costs;

/// Law C-10 measured: the cost (2) of what was seen.
#[derive(Clone, Debug, PartialEq)]
pub struct CostMeter {
    costs: Costs,
    /// Time, pages and robots at the last observation.
    last: Option<(f64, usize, u32)>,
    time: f64,
    robot_time: f64,
    idle_time: f64,
    lost: f64,
    obsolete: f64,
    indexed: f64,
    sojourn: f64,
}

impl CostMeter {
    /// Nothing seen yet.
    #[must_use]
    pub fn new(costs: Costs) -> Self {
        let last = None;
        Self {
            costs,
            last,
            time: 0.0,
            robot_time: 0.0,
            idle_time: 0.0,
            lost: 0.0,
            obsolete: 0.0,
            indexed: 0.0,
            sojourn: 0.0,
        }
    }

    /// One more observation, and the number of robots active from then on.
    pub fn see(&mut self, observation: &Observation, robots: u32) {
        if let Some((since, pages, robots)) = self.last {
            let passed = (observation.now - since).max(0.0);
            self.time += passed;
            self.robot_time += f64::from(robots) * passed;
            self.idle_time += if pages == 0 { passed } else { 0.0 };
        }
        self.last = Some((observation.now, observation.pages, robots));
        match observation.event {
            Event::Tick => {}
            Event::Batch { lost, .. } => self.lost += lost as f64,
            Event::Obsolete { .. } => self.obsolete += 1.0,
            Event::Indexed { sojourn, .. } => {
                self.indexed += 1.0;
                self.sojourn += sojourn;
            }
        }
    }

    /// The cost so far; none before time has passed and a page has been indexed.
    #[must_use]
    pub fn cost(&self) -> Option<f64> {
        let per_time = |sum: f64| sum / self.time;
        let total = self.costs.total(
            per_time(self.lost),
            per_time(self.obsolete),
            self.sojourn / self.indexed,
            per_time(self.robot_time),
            per_time(self.idle_time),
        );
        (self.time > 0.0 && self.indexed > 0.0).then_some(total)
    }
}
