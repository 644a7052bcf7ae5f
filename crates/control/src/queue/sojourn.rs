//! How long pages stay: ADKNS section 5.

use super::blocks::Blocks;
use crate::matrix::{Absorbing, Matrix, dot};

/// The fate of a page that finds `j` pages before it, for every `j` and state of the system.
///
/// Under first come, first served it does not depend on anything that arrives later. A page with `j >= 1` before it sees
/// (service phase, obsolescence phases of the `j - 1` pages waiting before it and of itself).
#[derive(Clone, Debug)]
pub struct Sojourn {
    served: f64,
    served_time: f64,
    obsolete: f64,
    obsolete_time: f64,
}

/// For a tagged page with `j` before it: chance to be served, and mean time on the event of being served and of obsolescence.
struct Fate {
    served: Vec<f64>,
    served_time: Vec<f64>,
    obsolete: Vec<f64>,
    obsolete_time: Vec<f64>,
}

impl Sojourn {
    /// Law C-11: (17)-(19), (23)-(25) at `u = 0`.
    pub(super) fn new(blocks: &Blocks<'_>, levels: &[Vec<f64>]) -> Self {
        let seen = pages_seen(blocks, levels);
        let mut sojourn = Self { served: 0.0, served_time: 0.0, obsolete: 0.0, obsolete_time: 0.0 };
        let mut fate = at_once(blocks);
        for (j, rates) in seen.iter().enumerate() {
            if j > 0 {
                fate = behind(blocks, j, &fate);
            }
            sojourn.served += dot(rates, &fate.served);
            sojourn.served_time += dot(rates, &fate.served_time);
            sojourn.obsolete += dot(rates, &fate.obsolete);
            sojourn.obsolete_time += dot(rates, &fate.obsolete_time);
        }
        sojourn
    }

    /// (23).
    #[must_use]
    pub fn mean_served(&self) -> f64 {
        self.served_time / self.served
    }

    /// (24), zero if no page becomes obsolete.
    #[must_use]
    pub fn mean_obsolete(&self) -> f64 {
        if self.obsolete > 0.0 { self.obsolete_time / self.obsolete } else { 0.0 }
    }

    /// (22), over all pages delivered at the given rate.
    #[must_use]
    pub fn mean(&self, arrival_rate: f64) -> f64 {
        (self.served_time + self.obsolete_time) / arrival_rate
    }
}

/// For every `j` the rates at which pages come that find `j` before them, by the state they see; their own obsolescence
/// phase is drawn from `gamma`.
fn pages_seen(blocks: &Blocks<'_>, levels: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let size = |j: usize| blocks.m() * blocks.waiting_states(j);
    let mut seen: Vec<Vec<f64>> = (0..levels.len() - 1).map(|j| vec![0.0; size(j)]).collect();
    for (i, p) in levels.iter().enumerate() {
        for k in 1..=blocks.arrivals(i).largest_batch() {
            let admitted = blocks.admitted(i, k);
            if admitted == 0 {
                continue;
            }
            let batches = Matrix::row_vector(&blocks.batches_seen(i, p, k));
            let gamma = Matrix::row_vector(&blocks.gamma);
            let mut state = if i == 0 {
                batches.kronecker(&Matrix::row_vector(blocks.model().service().start()))
            } else {
                batches.kronecker(&gamma)
            };
            for l in 1..=admitted {
                if l > 1 {
                    state = state.kronecker(&gamma);
                }
                seen[i + l - 1].iter_mut().zip(state.entries()).for_each(|(sum, rate)| *sum += rate);
            }
        }
    }
    seen
}

/// A page that is served at once.
fn at_once(blocks: &Blocks<'_>) -> Fate {
    let service = blocks.model().service();
    let m = blocks.m();
    let served_time = Absorbing::new(service.rates(), service.exits()).solve_column(&vec![1.0; m]);
    Fate { served: vec![1.0; m], served_time, obsolete: vec![0.0; m], obsolete_time: vec![0.0; m] }
}

/// A page with `j >= 1` before it, from the fate of one with `j - 1`: `v_j = (-A_j)^-1 B v_{j-1}` and
/// `w_j = (-A_j)^-1 (v_j + B w_{j-1})` for either end, where obsolescence of the page itself is an end of its own.
fn behind(blocks: &Blocks<'_>, j: usize, ahead: &Fate) -> Fate {
    let own_exits = {
        let others = vec![1.0; blocks.m() * blocks.waiting_states(j - 1)];
        Matrix::column_vector(&others).kronecker(&Matrix::column_vector(&blocks.gamma_exits))
    };
    // With one page before it the page itself goes to the server; else the pages before it move up.
    let step = if j == 1 {
        let service = blocks.model().service();
        let start = Matrix::row_vector(service.start());
        let up = Matrix::column_vector(service.exits()).times(&start);
        up.kronecker(&Matrix::column_vector(&vec![1.0; blocks.r()]))
    } else {
        blocks.departures(j - 1).kronecker(&Matrix::identity(blocks.r()))
    };
    let leaving: Vec<f64> = step.row_sums().iter().zip(own_exits.entries()).map(|(a, b)| a + b).collect();
    let stay = Absorbing::new(&blocks.inner(j), &leaving);
    let plus = |a: Vec<f64>, b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(x, y)| x + y).collect() };
    let served = stay.solve_column(&step.before(&ahead.served));
    let served_time = stay.solve_column(&plus(step.before(&ahead.served_time), &served));
    let obsolete = stay.solve_column(&plus(step.before(&ahead.obsolete), own_exits.entries()));
    let obsolete_time = stay.solve_column(&plus(step.before(&ahead.obsolete_time), &obsolete));
    Fate { served, served_time, obsolete, obsolete_time }
}
