//! Measures between two times.

use control::Costs;
use serde_json::Value;

/// Names of the measures that are compared, as the engine says them. The cost is the last.
pub(super) const MEASURES: [&str; 7] =
    ["p_loss", "p_obsolete", "p_starvation", "sojourn_served", "active_robots", "arrivals_per_second", "cost"];

/// Values of the measures, in their order.
pub(super) type Values = [f64; MEASURES.len()];

/// What was counted since a policy was taken up, from what the engine says of it.
#[derive(Clone, Copy)]
pub(super) struct Sums {
    seconds: f64,
    arrivals: f64,
    lost: f64,
    obsolete: f64,
    starved: f64,
    sojourn: f64,
    robots: f64,
}

impl Sums {
    pub(super) fn of(measured: &Value) -> Option<Self> {
        let get = |name: &str| measured[name].as_f64();
        let seconds = get("seconds")?;
        let arrivals = get("arrivals_per_second")? * seconds;
        let (lost, obsolete) = (get("p_loss")? * arrivals, get("p_obsolete")? * arrivals);
        Some(Self {
            seconds,
            arrivals,
            lost,
            obsolete,
            starved: get("p_starvation")? * seconds,
            // Up to the few that are in the buffer.
            sojourn: get("sojourn_served")? * (arrivals - lost - obsolete),
            robots: get("active_robots")? * seconds,
        })
    }

    /// The measures between two times; none if another policy was taken up meanwhile, as counting then began anew.
    pub(super) fn since(self, before: Self, costs: &Costs) -> Option<Values> {
        let seconds = self.seconds - before.seconds;
        let (arrivals, lost) = (self.arrivals - before.arrivals, self.lost - before.lost);
        let obsolete = self.obsolete - before.obsolete;
        let sojourn = (self.sojourn - before.sojourn) / (arrivals - lost - obsolete);
        let (starvation, robots) = ((self.starved - before.starved) / seconds, (self.robots - before.robots) / seconds);
        let cost = costs.total(lost / seconds, obsolete / seconds, sojourn, robots, starvation);
        let values = [lost / arrivals, obsolete / arrivals, starvation, sojourn, robots, arrivals / seconds, cost];
        (seconds > 0.0 && arrivals > 0.0 && values.iter().all(|value| value.is_finite())).then_some(values)
    }
}
