//! One page watched from its arrival on: laws C-11 and C-12 without a matrix.

use super::level::{Level, Purpose};
use crate::matrix::{Matrix, dot};
use crate::model::{Model, RobotPolicy};
use crate::queue::ageing::Ageing;
use crate::queue::blocks::Blocks;
use crate::queue::frame::Frame;

/// A page and what is before it.
///
/// Pages that come later do not matter to it. So the chain is that of the arrays without arrivals: with `j` pages before it the
/// watched page is the last of `j + 1`, its phase the last digit. It ends by being served as the only page left, or by becoming
/// obsolete.
#[derive(Clone, Debug)]
pub(in crate::queue) struct Watched {
    frame: Frame,
    ageing: Ageing,
    /// Rates at which pages come that find 0, 1, ... before them, by what they find and their own phase.
    begin: Vec<Vec<f64>>,
    /// `E[T^k; served]` and `E[T^k; obsolete]` per unit of time for `k = 0, 1, 2`.
    moments: Vec<[f64; 2]>,
}

/// With cycles a level is solved again until it changes by no more than this part of its mass.
const SETTLED: f64 = 1e-14;

/// Levels above which there are no more pages than this, relative to all, are left out.
const NEGLIGIBLE: f64 = 1e-20;

impl Watched {
    pub(super) fn new(model: &Model, ageing: Ageing, begin: Vec<Vec<f64>>) -> Self {
        let mut watched = Self { frame: Frame::of_service(model), ageing, begin, moments: Vec::new() };
        watched.moments = watched.first_moments(3);
        watched
    }

    /// `E[T^k; served]` and `E[T^k; obsolete]`, per unit of time.
    pub(in crate::queue) fn moment(&self, k: u32) -> [f64; 2] {
        let k = k as usize;
        self.moments.get(k).copied().unwrap_or_else(|| self.first_moments(k + 1)[k])
    }

    /// `E[exp(-uT); served]` and `E[exp(-uT); obsolete]`, per unit of time.
    pub(in crate::queue) fn transform(&self, u: f64) -> [f64; 2] {
        let levels = self.levels(u);
        self.ends(&levels, &self.occupied(&levels, &self.begin))
    }

    /// The chain step by step.
    pub(in crate::queue) fn walk(&self) -> Walk<'_> {
        let levels = self.levels(0.0);
        let clock = levels.iter().map(Level::fastest).fold(0.0, f64::max);
        let least = NEGLIGIBLE * self.begin.iter().flatten().sum::<f64>();
        let mut walk = Walk { watched: self, levels, clock, least, state: self.begin.clone() };
        walk.leave_out();
        walk
    }

    fn levels(&self, u: f64) -> Vec<Level<'_>> {
        let purpose = Purpose::Watched(u);
        (1..=self.frame.top()).map(|i| Level::new(&self.frame, &self.ageing, &purpose, i)).collect()
    }

    /// `k! begin (-A)^-(k+1) end` for the two ends and `k = 0, 1, ...`: one solution after another.
    fn first_moments(&self, count: usize) -> Vec<[f64; 2]> {
        let levels = self.levels(0.0);
        let mut factor = 1.0;
        let mut occupied = self.begin.clone();
        let mut moments = Vec::new();
        for k in 0..count {
            occupied = self.occupied(&levels, &occupied);
            moments.push(self.ends(&levels, &occupied).map(|end| factor * end));
            factor *= (k + 1) as f64;
        }
        moments
    }

    /// `begin (-A)^-1`: how long pages are in each state, from the top. One pass is exact if ageing has no cycles.
    fn occupied(&self, levels: &[Level<'_>], begin: &[Vec<f64>]) -> Vec<Vec<f64>> {
        let mut occupied: Vec<Vec<f64>> = begin.iter().map(|begin| vec![0.0; begin.len()]).collect();
        for i in (0..levels.len()).rev() {
            let (here, above) = occupied[i..].split_at_mut(1);
            let above = above.first().map(Vec::as_slice);
            let mut unsettled = true;
            while unsettled {
                let next = levels[i].solved(&begin[i], above, &here[0]);
                let change: f64 = next.iter().zip(&here[0]).map(|(a, b)| (a - b).abs()).sum();
                unsettled = !self.ageing.is_acyclic() && change > SETTLED * next.iter().sum::<f64>();
                here[0] = next;
            }
        }
        occupied
    }

    /// Rates at which pages in such states are served and become obsolete.
    fn ends(&self, levels: &[Level<'_>], state: &[Vec<f64>]) -> [f64; 2] {
        let served = dot(&state[0], &self.frame.leaving(1));
        [served, levels.iter().zip(state).map(|(level, p)| level.last_exits(p)).sum()]
    }
}

/// The chain of a watched page, looked at after each step of a Poisson clock.
#[derive(Debug)]
pub(in crate::queue) struct Walk<'a> {
    watched: &'a Watched,
    levels: Vec<Level<'a>>,
    /// Rate of the clock.
    pub(in crate::queue) clock: f64,
    /// Masses below this are left out.
    least: f64,
    state: Vec<Vec<f64>>,
}

impl Walk<'_> {
    /// One step: the rates of pages that were served and became obsolete in it.
    pub(in crate::queue) fn step(&mut self) -> [f64; 2] {
        let ended = self.watched.ends(&self.levels, &self.state).map(|rate| rate / self.clock);
        for i in 0..self.state.len() {
            let above = self.state.get(i + 1).map(Vec::as_slice);
            self.state[i] = self.levels[i].stepped(above, &self.state[i], self.clock);
        }
        self.leave_out();
        ended
    }

    /// States in which there are any.
    pub(in crate::queue) fn states(&self) -> usize {
        self.state.iter().map(Vec::len).sum()
    }

    /// Whether any pages to speak of have not ended.
    pub(in crate::queue) fn some_are_left(&self) -> bool {
        self.state[0].iter().sum::<f64>() > self.least || self.state.len() > 1
    }

    /// Leaves out the highest levels once hardly any page is there.
    fn leave_out(&mut self) {
        let begun = self.state.iter().rposition(|p| p.iter().sum::<f64>() > self.least);
        self.state.truncate(begun.map_or(1, |i| i + 1));
    }
}

/// `seen[i][l - 1]`: rates at which the `l`-th page of a batch is admitted with `i` pages, from (arrival phase, service phase) to
/// the service phase it finds.
pub(super) fn seen(model: &Model, policy: &RobotPolicy) -> Vec<Vec<Matrix>> {
    let blocks = Blocks::without_obsolescence(model, policy);
    let finds = |i: usize| match i {
        0 => Matrix::row_vector(model.service().start()),
        _ => Matrix::identity(blocks.m()),
    };
    let place = |i: usize, l: usize| {
        let mut rates = vec![0.0; blocks.w()];
        for (k, d) in blocks.arrivals(i).matrices().iter().enumerate().skip(1) {
            if blocks.admitted(i, k) >= l {
                rates.iter_mut().zip(d.row_sums()).for_each(|(sum, rate)| *sum += rate);
            }
        }
        Matrix::column_vector(&rates).kronecker(&finds(i))
    };
    (0..=blocks.top()).map(|i| (1..=blocks.largest_jump(i)).map(|l| place(i, l)).collect()).collect()
}
