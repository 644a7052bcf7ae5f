//! The stationary law for truly phase-type obsolescence without ever forming the generator (law C-14).

mod level;
mod watched;

use super::ageing::Ageing;
use super::coarse::{Aggregate, Classes, Coarse, Unknown};
use super::direct::Elimination;
use super::frame::Frame;
use super::oldest::{Nature, Prospects};
use super::{Flows, Measures, Times, measures};
use crate::matrix::Matrix;
use crate::model::{Model, RobotPolicy};
use level::{Level, Purpose, add_product, gap};
use watched::seen;
pub(super) use watched::{Walk, Watched};

/// Sweeps after which the residual is reported as it is.
const MOST_SWEEPS: usize = 1000;

/// A sweep that changes no level by more than this part of its mass is the last.
const SETTLED: f64 = 1e-13;

/// All measures, and the number of sweeps.
pub(super) fn solve(model: &Model, policy: &RobotPolicy) -> (Measures, usize) {
    let (frame, ageing) = (Frame::new(model, policy), Ageing::new(model));
    let solver = Solver::new(&frame, &ageing);
    let (levels, sweeps) = solver.stationary();
    let residual = (0..levels.len()).map(|i| solver.residual(i, &levels)).fold(0.0, f64::max);
    let flows = solver.flows(model, &levels);
    let times = times(model, &ageing, &levels, &flows);
    let masses = levels.iter().map(|level| level.iter().sum()).collect();
    (measures(model, policy, masses, &flows, &times, residual), sweeps)
}

/// A page watched from its arrival on, the rate of arrivals, and the residual of the stationary law behind it.
pub(super) fn watch(model: &Model, policy: &RobotPolicy) -> (Watched, f64, f64) {
    let (frame, ageing) = (Frame::new(model, policy), Ageing::new(model));
    let solver = Solver::new(&frame, &ageing);
    let (levels, _) = solver.stationary();
    let residual = (0..levels.len()).map(|i| solver.residual(i, &levels)).fold(0.0, f64::max);
    let arrivals = solver.flows(model, &levels).arrivals;
    let (seen, m) = (seen(model, policy), model.service().order());
    let begin = (1..levels.len()).map(|i| flow_from_below(i, m, &levels, &seen, &ageing)).collect();
    (Watched::new(model, ageing.clone(), begin), arrivals, residual)
}

/// By Little's law (C-19) from the mean numbers of pages in the system that will be indexed and become obsolete.
fn times(model: &Model, ageing: &Ageing, levels: &[Vec<f64>], flows: &Flows) -> Times {
    let all_exact = levels.len().max(3) - 2;
    let prospects = Prospects::new(model, ageing, all_exact, Nature::Free);
    let phases = model.service().order();
    let (mut indexed, mut obsolete) = (0.0, 0.0);
    for (i, p) in levels.iter().enumerate().skip(1) {
        let n = levels[1].len();
        for (row, states) in p.chunks_exact(n).enumerate() {
            for (m, mass) in states.iter().enumerate().map(|(s, mass)| (s % phases, mass)) {
                indexed += mass * prospects.indexed(i, row, m)[0];
                obsolete += mass * prospects.obsolete(i, row, m)[0];
            }
        }
    }
    Times {
        served: indexed / flows.served,
        obsolete: if flows.obsolete > 0.0 { obsolete / flows.obsolete } else { 0.0 },
        all: (indexed + obsolete) / flows.arrivals,
    }
}

struct Solver<'a> {
    frame: &'a Frame,
    ageing: &'a Ageing,
    /// For `i = 1, 2, ...`.
    geometry: Vec<Level<'a>>,
    coarse: Coarse<'a>,
}

impl<'a> Solver<'a> {
    fn new(frame: &'a Frame, ageing: &'a Ageing) -> Self {
        let coarse = Coarse::new(frame, ageing, Classes::ByPhase);
        let purpose = Purpose::Stationary(&coarse);
        let geometry = (1..=frame.top()).map(|i| Level::new(frame, ageing, &purpose, i)).collect();
        Self { frame, ageing, geometry, coarse }
    }

    /// Law C-14: the stationary law as arrays, and the number of sweeps. Level `i >= 1` holds for each code (the phases of the
    /// waiting pages, oldest first, as digits) the masses of (arrival phase, service phase).
    ///
    /// Given its neighbours a level is solved exactly by one pass over the codes, if ageing has no cycles: each code is fed
    /// only by earlier ones and needs one product with a small inverse. If there are cycles, moves back are those of the sweep
    /// before.
    ///
    /// Sweeps over the levels go down, the way pages move up in the queue. Before each the masses of (pages, pages by phase,
    /// arrival phase, service phase) are corrected: they solve a small chain whose only unknown is the phase of the page that
    /// waits longest, and that is taken from the last sweep. Nothing is ever subtracted.
    fn stationary(&self) -> (Vec<Vec<f64>>, usize) {
        let mut levels = self.start();
        let mut sweeps = 0;
        let mut change = f64::INFINITY;
        while change > SETTLED && sweeps < MOST_SWEEPS {
            self.correct(&mut levels);
            change = self.sweep(&mut levels);
            sweeps += 1;
        }
        self.correct(&mut levels);
        (levels, sweeps)
    }

    /// The rates behind (8), (9), (14) and (15).
    fn flows(&self, model: &Model, levels: &[Vec<f64>]) -> Flows {
        let service = model.service();
        let mut flows = Flows { arrivals: 0.0, lost: 0.0, obsolete: 0.0, served: 0.0 };
        for (i, p) in levels.iter().enumerate() {
            let (arriving, lost) = &self.frame.arriving_and_lost[i];
            let (masses, exits) = if i == 0 { (p.clone(), 0.0) } else { self.geometry[i - 1].totals(p) };
            let phases = masses.len() / arriving.len();
            for (s, mass) in masses.iter().enumerate() {
                flows.arrivals += mass * arriving[s / phases];
                flows.lost += mass * lost[s / phases];
                flows.served += if i == 0 { 0.0 } else { mass * service.exits()[s % phases] };
            }
            flows.obsolete += exits;
        }
        flows
    }

    fn start(&self) -> Vec<Vec<f64>> {
        let level = |level: &Level<'_>| vec![1.0 / level.len() as f64; level.len()];
        std::iter::once(vec![1.0; self.frame.states(0)]).chain(self.geometry.iter().map(level)).collect()
    }

    /// Aggregation and disaggregation.
    fn correct(&self, levels: &mut [Vec<f64>]) {
        let (masses, unknown): (Vec<Vec<f64>>, Vec<Unknown>) =
            self.geometry.iter().zip(&levels[1..]).map(|(level, p)| level.aggregated(&self.coarse, p)).unzip();
        let solved = Elimination::new(&Aggregate { coarse: &self.coarse, unknown: &unknown[1..] }).stationary();
        levels[0].clone_from(&solved[0]);
        for (l, level) in (1..).zip(&self.geometry) {
            let factor = |(old, new): (&f64, &f64)| if *old > 0.0 { new / old } else { 0.0 };
            let factors: Vec<f64> = masses[l - 1].iter().zip(&solved[l]).map(factor).collect();
            level.scale(&mut levels[l], &factors);
        }
    }

    /// Solves each level for its neighbours, from the top; the largest change of a level relative to its mass.
    fn sweep(&self, levels: &mut [Vec<f64>]) -> f64 {
        let mut worst = 0.0f64;
        for i in (0..levels.len()).rev() {
            let next = self.solved(i, levels);
            let change: f64 = next.iter().zip(&levels[i]).map(|(a, b)| (a - b).abs()).sum();
            worst = worst.max(change / next.iter().sum::<f64>());
            levels[i] = next;
        }
        worst
    }

    fn solved(&self, i: usize, levels: &[Vec<f64>]) -> Vec<f64> {
        if i == 0 {
            return self.frame.inverse(0, 0.0).after(&self.flow_to_empty(levels));
        }
        let above = levels.get(i + 1).map(Vec::as_slice);
        self.geometry[i - 1].solved(&self.flow_from_below(i, levels), above, &levels[i])
    }

    fn flow_to_empty(&self, levels: &[Vec<f64>]) -> Vec<f64> {
        self.frame.service[1].after(&levels[1])
    }

    fn flow_from_below(&self, i: usize, levels: &[Vec<f64>]) -> Vec<f64> {
        flow_from_below(i, self.frame.states(i), levels, &self.frame.up, self.ageing)
    }

    fn residual(&self, i: usize, levels: &[Vec<f64>]) -> f64 {
        if i == 0 {
            let mut flow = self.flow_to_empty(levels);
            let gap = gap(&mut flow, &levels[0], &self.frame.within[0], &self.frame.leaving(0), 0.0);
            return gap / flow.iter().sum::<f64>();
        }
        let above = levels.get(i + 1).map(Vec::as_slice);
        self.geometry[i - 1].residual(&self.flow_from_below(i, levels), above, &levels[i])
    }
}

/// Rates at which batches lead to the states of level `i >= 1`, `n` for each code: `sum_l p_{i-l} (D_l (x) I (x) gamma^l)`, with
/// `up[i][l - 1]` for `D_l (x) I`.
fn flow_from_below(i: usize, n: usize, levels: &[Vec<f64>], up: &[Vec<Matrix>], ageing: &Ageing) -> Vec<f64> {
    let mut flow = vec![0.0; n];
    for (j, p) in levels[..i].iter().enumerate() {
        if j >= 2 {
            flow = with_fresh_page(&flow, n, ageing);
        }
        if let Some(up) = up[j].get(i - j - 1) {
            add_product(&mut flow, p, up);
        }
    }
    if i >= 2 { with_fresh_page(&flow, n, ageing) } else { flow }
}

/// One more waiting page, its phase drawn from `gamma`; `n` states for each code.
fn with_fresh_page(flow: &[f64], n: usize, ageing: &Ageing) -> Vec<f64> {
    let phases = |states| ageing.start.iter().map(move |p| (p, states));
    flow.chunks_exact(n)
        .flat_map(phases)
        .flat_map(|(p, states): (_, &[f64])| states.iter().map(move |rate| p * rate))
        .collect()
}
