//! What the model says beside what was seen.

use control::{Costs, Measures};
use crawl::fleet::Seen;
use serde::Serialize;
use store::Counters;

use super::{Decision, Rule, describe};

/// How the number of robots is decided, what the model says, and what was seen.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ControlStatus {
    /// `thresholds`, `aimd`, `on-off` or `fixed`.
    pub rule: &'static str,
    /// Robots by documents in the buffer, in words; none before the model has been fitted.
    pub policy: Option<String>,
    /// Robots wanted for 0, 1, ... documents in the buffer.
    pub robots: Vec<u32>,
    /// The model in short.
    pub fitted: Option<Fitted>,
    /// What the model says.
    pub predicted: Option<Figures>,
    /// What was seen since the policy was taken up.
    pub measured: Figures,
}

/// The model in short.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Fitted {
    /// Documents that the most robots bring per second.
    pub arrivals_per_second: f64,
    /// Mean time a robot is under way, in seconds.
    pub fetch_seconds: f64,
    /// Its squared coefficient of variation.
    pub fetch_variation: f64,
    /// Part of the fetches that bring a document.
    pub brings: f64,
    /// Mean time to index a document, in seconds.
    pub service_seconds: f64,
    /// Its squared coefficient of variation.
    pub service_variation: f64,
    /// Rate at which a waiting document becomes obsolete, per second.
    pub obsolete_per_second: Option<f64>,
}

/// The measures of the paper, predicted or seen. What has not been seen is null.
#[derive(Clone, Copy, Debug, Default, Serialize, PartialEq)]
pub struct Figures {
    /// Seconds in which it was seen.
    pub seconds: Option<f64>,
    /// Documents brought per second.
    pub arrivals_per_second: Option<f64>,
    /// Part of them that found no place.
    pub p_loss: Option<f64>,
    /// Part of them that became obsolete while they waited.
    pub p_obsolete: Option<f64>,
    /// Part of the time in which the indexer had nothing to do.
    pub p_starvation: Option<f64>,
    /// Mean time from arrival until a document is indexed, in seconds.
    pub sojourn_served: Option<f64>,
    /// Mean number of robots at work, those included that are no longer wanted and on their way back.
    pub active_robots: Option<f64>,
    /// The cost (2).
    pub cost: Option<f64>,
}

impl Rule {
    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Thresholds => "thresholds",
            Self::Aimd => "aimd",
            Self::OnOff => "on-off",
            Self::Fixed => "fixed",
        }
    }
}

impl ControlStatus {
    pub(super) fn new(rule: Rule, decision: Option<&Decision>, measured: Figures) -> Self {
        let fitted = |decision: &Decision| Fitted {
            arrivals_per_second: decision.model.largest_rate(),
            fetch_seconds: decision.model.fetch().mean(),
            fetch_variation: decision.model.fetch().squared_variation(),
            brings: decision.model.brings(),
            service_seconds: decision.model.service().mean(),
            service_variation: decision.model.service().squared_variation(),
            obsolete_per_second: Some(decision.model.obsolescence()).filter(|rate| *rate > 0.0),
        };
        Self {
            rule: rule.name(),
            policy: decision.map(|decision| describe(&decision.policy)),
            robots: decision.map(|decision| decision.policy.robots().to_vec()).unwrap_or_default(),
            fitted: decision.map(fitted),
            predicted: decision.map(|decision| Figures::from(&decision.predicted)),
            measured,
        }
    }
}

impl From<&Measures> for Figures {
    fn from(measures: &Measures) -> Self {
        Self {
            seconds: None,
            arrivals_per_second: Some(measures.arrival_rate),
            p_loss: Some(measures.p_loss),
            p_obsolete: Some(measures.p_obsolete),
            p_starvation: Some(measures.p_starvation),
            sojourn_served: Some(measures.sojourn_served),
            active_robots: Some(measures.active_robots),
            cost: Some(measures.cost),
        }
    }
}

/// Measures what goes on since a policy was taken up.
#[derive(Debug)]
pub(super) struct Meter {
    costs: Costs,
    since: Counters,
    /// Integral of the robots at work over time, and that time.
    at_work: (f64, f64),
}

impl Meter {
    pub(super) fn new(costs: Costs, now: Counters) -> Self {
        Self { costs, since: now, at_work: (0.0, 0.0) }
    }

    /// Begins anew.
    pub(super) fn begin(&mut self, now: Counters) {
        *self = Self::new(self.costs, now);
    }

    pub(super) fn see(&mut self, seen: &Seen) {
        if let Seen::Worked { time, active, .. } = seen {
            self.at_work.0 += f64::from(*active) * time;
            self.at_work.1 += time;
        }
    }

    /// What was seen up to now.
    pub(super) fn figures(&self, now: Counters) -> Figures {
        let since = &self.since;
        let count = |of: fn(&Counters) -> u64| (of(&now) - of(since)) as f64;
        let sum = |of: fn(&Counters) -> f64| of(&now) - of(since);
        let ratio = |a: f64, b: f64| (b > 0.0).then(|| a / b);
        let (seconds, arrivals) = (sum(|c| c.seconds), count(|c| c.arrivals));
        let (lost, obsolete) = (count(|c| c.lost), count(|c| c.obsolete));
        let sojourn = ratio(sum(|c| c.seconds_served), count(|c| c.served));
        let starvation = ratio(sum(|c| c.starved), seconds);
        let robots = ratio(self.at_work.0, self.at_work.1);
        let cost = match (sojourn, starvation, robots) {
            (Some(sojourn), Some(starvation), Some(robots)) => {
                Some(self.costs.total(lost / seconds, obsolete / seconds, sojourn, robots, starvation))
            }
            _ => None,
        };
        Figures {
            seconds: Some(seconds),
            arrivals_per_second: ratio(arrivals, seconds),
            p_loss: ratio(lost, arrivals),
            p_obsolete: ratio(obsolete, arrivals),
            p_starvation: starvation,
            sojourn_served: sojourn,
            active_robots: robots,
            cost,
        }
    }
}
