//! How often the system loses, ages or starves under a policy, and what that costs.

mod ageing;
pub(crate) mod blocks;
pub(crate) mod by_size;
pub(crate) mod certified;
mod coarse;
mod counts;
mod direct;
mod frame;
pub(crate) mod guided;
mod matrix_free;
pub(crate) mod oldest;

mod sojourn;

pub use by_size::{DIRECT_WORK, EXACT, MATRIX_FREE_STATES, Method, Solved, solve_to};
pub use certified::{Bounds, TooLarge, cost_to};
pub use sojourn::{Fate, Sojourn, SojournError, SojournLaw};

use crate::matrix::dot;
use crate::model::{Costs, Model, RobotPolicy};
use blocks::Blocks;

/// All measures of ADKNS sections 4 and 5 that enter the cost (2).
#[derive(Clone, Debug, PartialEq)]
pub struct Measures {
    /// `J`, the cost (2).
    pub cost: f64,
    /// `lambda`, pages delivered per unit of time (9).
    pub arrival_rate: f64,
    /// Probability that a delivered page finds no place (8).
    pub p_loss: f64,
    /// Probability that a delivered page becomes obsolete while it waits (14).
    pub p_obsolete: f64,
    /// Probability that a delivered page is indexed (15).
    pub p_success: f64,
    /// Fraction of time in which the indexer has nothing to do (5).
    pub p_starvation: f64,
    /// Mean number of active robots (6).
    pub active_robots: f64,
    /// Fraction of time each number of robots is active (7), by number, ascending.
    pub robots: Vec<(u32, f64)>,
    /// Mean time in the system of a page that is indexed (23).
    pub sojourn_served: f64,
    /// Mean time in the system of a page that becomes obsolete (24); zero if none does.
    pub sojourn_obsolete: f64,
    /// Mean time in the system of any delivered page, that of a lost one being zero (22).
    pub sojourn: f64,
    /// Probability of 0, 1, ... pages in the system.
    pub levels: Vec<f64>,
    /// Largest imbalance of probability flow in any state, relative to the flow through it; of measures that are only bounded
    /// the width of the bounds of the cost relative to it.
    pub residual: f64,
}

/// Rates at which pages arrive and leave.
#[derive(Clone, Debug)]
struct Flows {
    arrivals: f64,
    lost: f64,
    obsolete: f64,
    served: f64,
}

/// Mean times in the system: (23), (24) and (22).
struct Times {
    served: f64,
    obsolete: f64,
    all: f64,
}

/// Laws C-6 to C-9: the stationary law under a policy, and all measures.
#[must_use]
pub fn solve(model: &Model, policy: &RobotPolicy) -> Measures {
    let model = &*model.for_modes(policy.robots());
    let blocks = Blocks::new(model, policy);
    let (levels, residual) = direct::stationary(&blocks);
    let flows = flows(&blocks, &levels);
    let sojourn = Sojourn::new(&blocks, &levels, flows.arrivals);
    let times = Times {
        served: sojourn.mean(Fate::Served),
        obsolete: sojourn.mean(Fate::Obsolete),
        all: sojourn.mean(Fate::Any),
    };
    let masses = levels.iter().map(|level| level.iter().sum()).collect();
    measures(model, policy, masses, &flows, &times, residual)
}

fn measures(
    model: &Model,
    policy: &RobotPolicy,
    masses: Vec<f64>,
    flows: &Flows,
    times: &Times,
    residual: f64,
) -> Measures {
    let robots = robots(policy, &masses, model);
    let active_robots = robots.iter().map(|(r, share)| f64::from(*r) * share).sum();
    let mut measures = Measures {
        cost: 0.0,
        arrival_rate: flows.arrivals,
        p_loss: flows.lost / flows.arrivals,
        p_obsolete: flows.obsolete / flows.arrivals,
        p_success: flows.served / flows.arrivals,
        p_starvation: masses[0],
        active_robots,
        robots,
        sojourn_served: times.served,
        sojourn_obsolete: times.obsolete,
        sojourn: times.all,
        levels: masses,
        residual,
    };
    measures.cost = measures.cost_with(model.costs());
    measures
}

impl Measures {
    /// Law C-10, the cost (2): `lambda (c_loss P_loss + c_obs P_obs) + a V1 + c_rob N_act + c_star P_star`.
    #[must_use]
    pub fn cost_with(&self, costs: &Costs) -> f64 {
        let (lost, obsolete) = (self.arrival_rate * self.p_loss, self.arrival_rate * self.p_obsolete);
        costs.total(lost, obsolete, self.sojourn_served, self.active_robots, self.p_starvation)
    }
}

/// Laws C-8 and C-9: the rates behind (8), (9), (14) and (15).
fn flows(blocks: &Blocks<'_>, levels: &[Vec<f64>]) -> Flows {
    let mut flows = Flows { arrivals: 0.0, lost: 0.0, obsolete: 0.0, served: 0.0 };
    for (i, p) in levels.iter().enumerate() {
        let (arriving, lost) = blocks.arriving_and_lost(i);
        let phases = blocks.arrival_phases(i, p);
        flows.arrivals += dot(&phases, &arriving);
        flows.lost += dot(&phases, &lost);
        flows.served += blocks.service_flow(i, p);
        flows.obsolete += blocks.obsolescence_flow(i, p);
    }
    flows
}

fn robots(policy: &RobotPolicy, masses: &[f64], model: &Model) -> Vec<(u32, f64)> {
    let share = |r: u32| (0..masses.len()).filter(|&i| policy.with_pages(i) == r).map(|i| masses[i]).sum();
    model.arrivals().iter().map(|(r, _)| (*r, share(*r))).filter(|(_, share)| *share > 0.0).collect()
}

#[cfg(test)]
mod tests;
