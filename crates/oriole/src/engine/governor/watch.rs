//! Is what goes on still what the model was fitted to?

use control::controller::{DriftDetector, DriftOptions, Event, Expected, Observation};
use crawl::fleet::Seen;

use super::Decision;

/// Watches for a clear change of robots or indexer.
#[derive(Debug)]
pub(super) struct Watch {
    /// None before there is a model.
    detector: Option<DriftDetector>,
    robots: u32,
}

impl Watch {
    pub(super) fn new(decision: Option<&Decision>) -> Self {
        let detector = decision.map(|decision| DriftDetector::new(expected(decision), DriftOptions::default()));
        Self { detector, robots: 0 }
    }

    /// Whether something has clearly changed since the model was fitted.
    pub(super) fn see(&mut self, seen: &Seen) -> bool {
        let (now, event) = match *seen {
            Seen::Worked { at, next, .. } => {
                self.robots = next;
                (at, Event::Tick)
            }
            Seen::Delivered { at, lost, .. } => (at, Event::Batch { pages: 1, lost: usize::from(lost) }),
            Seen::Indexed { at, served } => (at, Event::Indexed { sojourn: served.sojourn, service: served.service }),
            Seen::Obsolete { at, sojourn } => (at, Event::Obsolete { sojourn }),
            Seen::Back { .. } => return false,
        };
        let observation = Observation { now, pages: 0, size_class: None, event };
        self.detector.as_mut().is_some_and(|detector| detector.see(&observation, self.robots).is_some())
    }
}

fn expected(Decision { model, predicted, .. }: &Decision) -> Expected {
    let service = model.service();
    Expected {
        pages_per_robot: predicted.arrival_rate / predicted.active_robots,
        service: service.mean(),
        service_deviation: service.squared_variation().sqrt() * service.mean(),
        batch: 1.0,
    }
}
