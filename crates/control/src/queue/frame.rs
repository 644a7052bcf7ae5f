//! The generator without the phases of waiting pages: arrivals and service only.

use super::blocks::Blocks;
use crate::matrix::{Absorbing, Matrix};
use crate::model::{Model, RobotPolicy};

/// The small blocks on (arrival phase, service phase) that are left of the Lemma when waiting pages are kept apart.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    /// `D_0 (+) S` by level.
    pub(super) within: Vec<Matrix>,
    /// `up[i][l - 1] = D_l (x) I`.
    pub(super) up: Vec<Vec<Matrix>>,
    /// `service[i] = I (x) S_0 beta`, from `i` to `i - 1`; nothing for `i = 0`.
    pub(super) service: Vec<Matrix>,
    /// Rates at which pages arrive, and are lost, by level and arrival phase.
    pub(super) arriving_and_lost: Vec<(Vec<f64>, Vec<f64>)>,
}

impl Frame {
    pub(super) fn new(model: &Model, policy: &RobotPolicy) -> Self {
        let blocks = Blocks::without_obsolescence(model, policy);
        let levels = 0..=blocks.top();
        Self {
            within: levels.clone().map(|i| blocks.within(i)).collect(),
            up: levels.clone().map(|i| (1..=blocks.largest_jump(i)).map(|l| blocks.up(i, l)).collect()).collect(),
            service: levels.clone().map(|i| if i == 0 { Matrix::zeros(0, 0) } else { blocks.down(i) }).collect(),
            arriving_and_lost: levels.map(|i| blocks.arriving_and_lost(i)).collect(),
        }
    }

    /// Service only: nothing arrives, and arrivals have no phases.
    pub(super) fn of_service(model: &Model) -> Self {
        let service = model.service();
        let exits = Matrix::column_vector(service.exits());
        let restart = exits.times(&Matrix::row_vector(service.start()));
        let top = model.most_pages();
        Self {
            within: (0..=top).map(|i| if i == 0 { Matrix::zeros(1, 1) } else { service.rates().clone() }).collect(),
            up: vec![Vec::new(); top + 1],
            service: (0..=top).map(|i| if i < 2 { exits.clone() } else { restart.clone() }).collect(),
            arriving_and_lost: Vec::new(),
        }
    }

    /// The most pages there can be.
    pub(super) fn top(&self) -> usize {
        self.within.len() - 1
    }

    /// States of (arrival phase, service phase) with `i` pages.
    pub(super) fn states(&self, i: usize) -> usize {
        self.within[i].rows()
    }

    /// Rates at which arrivals and service leave each state of level `i`.
    pub(super) fn leaving(&self, i: usize) -> Vec<f64> {
        let mut rates = vec![0.0; self.states(i)];
        let ends = if i == 0 { None } else { Some(&self.service[i]) };
        for block in self.up[i].iter().chain(ends) {
            rates.iter_mut().zip(block.row_sums()).for_each(|(sum, rate)| *sum += rate);
        }
        rates
    }

    /// The fastest rate at which a state of level `i` is left, ageing apart.
    pub(super) fn pace(&self, i: usize) -> f64 {
        let within = &self.within[i];
        let moves = |s: usize| (0..within.rows()).filter(|&t| t != s).map(|t| within[(s, t)]).sum::<f64>();
        self.leaving(i).iter().enumerate().map(|(s, leaving)| leaving + moves(s)).fold(0.0, f64::max)
    }

    /// `(pace I - Q_{i,i})^-1` on (arrival phase, service phase) when waiting pages age at `pace` together.
    pub(super) fn inverse(&self, i: usize, pace: f64) -> Matrix {
        let leaving: Vec<f64> = self.leaving(i).iter().map(|rate| rate + pace).collect();
        Absorbing::new(&self.within[i], &leaving).solve(&Matrix::identity(leaving.len()))
    }
}
