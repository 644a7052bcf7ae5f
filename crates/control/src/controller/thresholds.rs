//! Thresholds with a minimum dwell, replaced only on a clear gain.

use super::{Controller, Observation};
use crate::model::{Model, RobotPolicy};
use crate::queue::{Method, Solved, TooLarge, solve_to};

/// Thresholds for a real crawler.
///
/// After a change the number of robots stays for at least `dwell`, so that a number of pages that hovers about a threshold does
/// not start and stop robots all the time. One thing is never delayed: a reduction while the buffer is full, because each batch
/// would be lost. With `dwell` zero this is the policy itself.
///
/// The cost is flat about its optimum: a policy from a model fitted to a few hundred batches is nearly as good as the best,
/// although the cost it predicts may be far off. So a new policy is taken up only if it promises more than `margin`.
#[derive(Clone, Debug, PartialEq)]
pub struct ThresholdController {
    policy: RobotPolicy,
    dwell: f64,
    margin: f64,
    /// Active robots, and since when.
    active: Option<(u32, f64)>,
    /// Whether another number is wanted and must wait.
    waits: bool,
}

impl ThresholdController {
    /// With a minimum dwell in units of the observations' clock, and the relative gain a new policy must promise.
    #[must_use]
    pub fn new(policy: RobotPolicy, dwell: f64, margin: f64) -> Self {
        Self { policy, dwell, margin, active: None, waits: false }
    }

    /// The policy in force.
    #[must_use]
    pub fn policy(&self) -> &RobotPolicy {
        &self.policy
    }

    /// Takes up `policy` if its relative gain over the present one (see [`gain`]) exceeds the margin; says whether it did.
    /// Active robots follow at the next observation, subject to the dwell.
    pub fn consider(&mut self, policy: &RobotPolicy, gain: f64) -> bool {
        let clear = gain > self.margin && *policy != self.policy;
        if clear {
            self.policy = policy.clone();
        }
        clear
    }

    /// Whether a change may be made now.
    fn may_change(&self, from: u32, since: f64, to: u32, observation: &Observation) -> bool {
        let full = observation.pages + 1 >= self.policy.robots().len();
        observation.now >= since + self.dwell || (full && to < from)
    }
}

impl Controller for ThresholdController {
    fn robots(&mut self, observation: &Observation) -> u32 {
        let wanted = self.policy.with_pages(observation.pages);
        let (robots, since) = match self.active {
            None => (wanted, observation.now),
            Some((robots, since)) if robots == wanted => (robots, since),
            Some((robots, since)) if self.may_change(robots, since, wanted, observation) => (wanted, observation.now),
            Some(stay) => stay,
        };
        self.waits = robots != wanted;
        self.active = Some((robots, since));
        robots
    }

    fn next_tick(&self) -> f64 {
        match self.active {
            Some((_, since)) if self.waits => since + self.dwell,
            _ => f64::INFINITY,
        }
    }
}

/// What a policy promises over the present one under a newly fitted model, as a fraction of the present cost:
/// `1 - J(proposed)/J(present)`; the least it can be if the costs are only bounded.
///
/// Both costs are those of the new model; what the old one predicted is of no account. What is reported to people should be the
/// measured cost ([`super::CostMeter`]).
///
/// # Errors
/// If the model is too large even for bounds.
pub fn gain(model: &Model, present: &RobotPolicy, proposed: &RobotPolicy) -> Result<f64, TooLarge> {
    if present == proposed {
        return Ok(0.0);
    }
    let [present, proposed] = [present, proposed].map(|policy| solve_to(model, policy, ACCURACY).map(|s| costs(&s)));
    Ok(1.0 - proposed?[1] / present?[0])
}

/// Costs that are only bounded are known to this part of them, far less than a gain that is worth a change.
const ACCURACY: f64 = 1e-3;

/// The least and the most that a policy can cost.
fn costs(solved: &Solved) -> [f64; 2] {
    match &solved.method {
        Method::Certified { bounds, .. } => [bounds.low.cost, bounds.high.cost],
        Method::Direct | Method::MatrixFree { .. } => [solved.measures.cost; 2],
    }
}
