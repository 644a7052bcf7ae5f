//! Measures of a stationary law.

use super::Finishing;
use super::chain::{Chain, State};
use crate::matrix::{Absorbing, dot};
use crate::queue::Measures;

/// Sums over states, each weighted with its probability.
#[derive(Default)]
struct Sums {
    arrivals: f64,
    lost: f64,
    obsolete: f64,
    served: f64,
    at_work: f64,
    documents: f64,
    /// Documents that will be indexed.
    to_be_served: f64,
}

/// Laws C-8 to C-11 for the states of the chain. Times follow by Little's law: documents in the system that will be indexed over
/// documents indexed per unit of time.
pub(super) fn of(model: &Finishing, chain: &Chain, law: &[Vec<f64>], residual: f64) -> Measures {
    let fates = fates(model, chain.levels.len());
    let mut sums = Sums::default();
    let mut robots = vec![0.0; model.at_work.len()];
    for (documents, (level, masses)) in chain.levels.iter().zip(law).enumerate() {
        for (state, mass) in level.states.iter().zip(masses) {
            sums.add(model, documents, state, *mass, &fates);
            robots[state.under_way() as usize] += mass;
        }
    }
    let mut levels: Vec<f64> = law.iter().map(|masses| masses.iter().sum()).collect();
    levels.resize(model.buffer + 1, 0.0);
    let Sums { arrivals, lost, obsolete, served, at_work, documents, to_be_served } = sums;
    let ratio = |a: f64, b: f64| if b > 0.0 { a / b } else { 0.0 };
    let mut measures = Measures {
        cost: 0.0,
        arrival_rate: arrivals,
        p_loss: lost / arrivals,
        p_obsolete: obsolete / arrivals,
        p_success: served / arrivals,
        p_starvation: levels[0],
        active_robots: at_work,
        robots: (0..).zip(robots).filter(|(_, share)| *share > 0.0).collect(),
        sojourn_served: to_be_served / served,
        sojourn_obsolete: ratio((documents - to_be_served).max(0.0), obsolete),
        sojourn: documents / arrivals,
        levels,
        residual,
    };
    measures.cost = measures.cost_with(&model.costs);
    measures
}

impl Sums {
    fn add(&mut self, model: &Finishing, documents: usize, state: &State, mass: f64, fates: &[Vec<f64>]) {
        let under_way = state.under_way();
        let at_work = model.at_work[under_way as usize];
        let pace = at_work / f64::from(under_way.max(1));
        let back: f64 =
            state.robots.iter().zip(model.fetch.exits()).map(|(robots, exit)| f64::from(*robots) * exit).sum();
        let arrivals = mass * back * pace * model.brings;
        self.arrivals += arrivals;
        self.lost += if documents == model.buffer { arrivals } else { 0.0 };
        self.at_work += mass * at_work;
        self.documents += mass * documents as f64;
        if documents > 0 {
            self.served += mass * model.service.exits()[state.service];
            self.obsolete += mass * (documents - 1) as f64 * model.obsolescence;
            self.to_be_served += mass * (1.0 + fates[documents - 1][state.service]);
        }
    }
}

/// By number of documents that wait and phase of service: how many of them will be indexed.
///
/// The one before which `j - 1` others wait is indexed with probability `s_j`: `(j theta I - S) s_j = S_0 (beta s_{j-1}) +
/// (j - 1) theta s_{j-1}`, `s_0 = 1`.
fn fates(model: &Finishing, levels: usize) -> Vec<Vec<f64>> {
    let (service, theta) = (&model.service, model.obsolescence);
    let mut fate = vec![1.0; service.order()];
    let mut sum = vec![0.0; service.order()];
    let mut all = vec![sum.clone()];
    for place in 1..levels {
        let leaving: Vec<f64> = service.exits().iter().map(|exit| exit + place as f64 * theta).collect();
        let next = dot(service.start(), &fate);
        let ahead = (place - 1) as f64 * theta;
        let right: Vec<f64> =
            service.exits().iter().zip(&fate).map(|(exit, fate)| exit * next + ahead * fate).collect();
        fate = Absorbing::new(service.rates(), &leaving).solve_column(&right);
        sum.iter_mut().zip(&fate).for_each(|(sum, fate)| *sum += fate);
        all.push(sum.clone());
    }
    all
}
