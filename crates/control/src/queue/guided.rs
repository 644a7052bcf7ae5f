//! The space of law C-15 with the number of robots to be chosen: what no policy can undercut (law C-20).
//!
//! The phases of the `L` oldest waiting pages are known and the others counted. Nature, who chooses the phase that is promoted
//! into the first `L`, works together with whoever chooses the robots. The least mean the two can reach is no more than that of
//! any policy.

mod around;

use std::collections::BTreeMap;

use super::ageing::Ageing;
use super::certified::{Correction, Places};
use super::coarse::Classes;
use super::frame::Frame;
use super::oldest::{Nature, Oldest, Prospects, add, add_product};
use crate::decision::bound::{Met, Probing};
use crate::matrix::{Absorbing, Matrix};
use crate::model::Model;
use around::Around;

/// Columns of values: what is to be small, and two that follow its choices, pages in the system that will be indexed and pages
/// indexed per unit of time.
const COLUMNS: usize = 3;

/// Sweeps between corrections.
const SWEEPS: usize = 3;

/// Corrections after which a bound is returned as it is: it holds all the same.
const MOST_CORRECTIONS: usize = 40;

/// Who may be active when: modes by position, most robots first, for each number of pages.
pub(crate) type AllowedModes = Vec<Vec<usize>>;

/// States of the chain with `oldest` exact pages.
pub(crate) fn size(model: &Model, oldest: usize) -> f64 {
    let states = model.arrivals()[0].1.phases() * model.service().order();
    Oldest::size(model.most_pages(), states, Ageing::new(model).phases(), oldest)
}

/// Hands the decision process with `oldest` exact pages to `work`; bounds are settled to the relative `accuracy`.
///
/// Nature may promote any phase there is, or be bound by age: that is only right for policies that do not look at the phases of
/// waiting pages.
pub(crate) fn guided<T>(
    model: &Model,
    (oldest, nature): (usize, Nature),
    allowed: &AllowedModes,
    accuracy: f64,
    work: impl FnOnce(Guided<'_>) -> T,
) -> T {
    let ageing = Ageing::new(model);
    let frames: Vec<Frame> =
        model.arrivals().iter().rev().map(|(robots, _)| Frame::new(model, &model.fixed(*robots))).collect();
    let space = Oldest::new(&frames[0], &ageing, oldest, nature).led(COLUMNS);
    let prospects = Prospects::new(model, &ageing, oldest, nature);
    work(Guided::new(model, &frames, (&space, &prospects), allowed, accuracy))
}

/// The decision process, with the values reached so far.
pub(crate) struct Guided<'a> {
    model: &'a Model,
    /// By mode, most robots first.
    frames: &'a [Frame],
    space: &'a Oldest<'a>,
    prospects: &'a Prospects,
    allowed: &'a AllowedModes,
    accuracy: f64,
    correction: Correction<'a>,
    places: Places,
    /// The modes by level and (arrival phase, service phase) that the correction follows.
    followed: Vec<Vec<usize>>,
    /// `(pace I - Q_{i,i})^-1` by level, pages by phase, and modes of the states of a row.
    inverses: BTreeMap<(usize, usize, Vec<usize>), Matrix>,
    /// Rates out of each state but for ageing, by mode and level.
    out: Vec<Vec<Vec<f64>>>,
    /// The modes chosen in the last sweep by level, row and state.
    choices: Vec<Vec<usize>>,
    /// Values by level, row, state and column; means by column.
    h: Vec<Vec<f64>>,
    g: [f64; COLUMNS],
}

/// Prices of `G + y (N - t D)`.
#[derive(Clone, Copy)]
struct Prices {
    y: f64,
    t: f64,
}

impl<'a> Guided<'a> {
    fn new(
        model: &'a Model,
        frames: &'a [Frame],
        (space, prospects): (&'a Oldest<'a>, &'a Prospects),
        allowed: &'a AllowedModes,
        accuracy: f64,
    ) -> Self {
        let levels = 0..=space.frame.top();
        let states = |i: usize| space.rows(i) * space.frame.states(i);
        let followed: Vec<Vec<usize>> = levels.clone().map(|i| vec![allowed[i][0]; space.frame.states(i)]).collect();
        let mut correction = Correction::new(&frames[0], space.ageing, Classes::ByPhase);
        correction.follow(&mixed(frames, &followed), space.ageing);
        Self {
            model,
            frames,
            space,
            prospects,
            allowed,
            accuracy,
            places: Places::new(space, &correction),
            correction,
            followed,
            inverses: BTreeMap::new(),
            out: frames.iter().map(|frame| levels.clone().map(|i| out(frame, i)).collect()).collect(),
            choices: levels.clone().map(|i| vec![allowed[i][0]; states(i)]).collect(),
            h: levels.map(|i| vec![0.0; states(i) * COLUMNS]).collect(),
            g: [0.0; COLUMNS],
        }
    }

    /// What is left over of `c - g + Q h` by the best choices, averaged over the coarse space; the least of it over states and
    /// modes, and the most over states by the best mode.
    fn examine(&self, prices: Prices) -> (Vec<Matrix>, [f64; 2]) {
        let mut found = [f64::INFINITY, f64::NEG_INFINITY];
        let level = |i: usize| {
            let around = Around::new(self, i, prices);
            let mut left = around.common.clone();
            let width = self.space.frame.states(i) * COLUMNS;
            for (row, left) in left.chunks_exact_mut(width).enumerate() {
                let h = &self.h[i][row * width..][..width];
                if i > 0 {
                    self.space.add_moves(i, row, left, |target| &self.h[i][target * width..][..width]);
                }
                for (s, left) in left.chunks_exact_mut(COLUMNS).enumerate() {
                    let (mode, _) = self.best_mode(&around, row, s, h);
                    add(left, 1.0, &self.drift(&around, row, s, mode, h));
                    found = [found[0].min(left[0]), found[1].max(left[0])];
                }
            }
            self.places.averaged(&self.correction, i, &left, COLUMNS)
        };
        let averages = (0..self.h.len()).map(level).collect();
        (averages, found)
    }

    /// Solves each level for its neighbours, upwards, with the modes that are best given the values so far.
    fn sweep(&mut self, prices: Prices) {
        for i in 0..self.h.len() {
            let around = Around::new(self, i, prices);
            let width = self.space.frame.states(i) * COLUMNS;
            let mut new = around.common.clone();
            for row in (0..self.space.rows(i)).rev() {
                let (before, after) = new.split_at_mut((row + 1) * width);
                let here = &mut before[row * width..];
                let old = &self.h[i];
                if i > 0 {
                    let value = |target: usize| {
                        if target > row {
                            &after[(target - row - 1) * width..][..width]
                        } else {
                            &old[target * width..][..width]
                        }
                    };
                    self.space.add_moves(i, row, here, value);
                }
                self.settle(&around, row, here);
            }
            self.h[i] = new;
        }
    }

    /// One row: chooses modes and solves for its states.
    fn settle(&mut self, around: &Around, row: usize, here: &mut [f64]) {
        let (i, n) = (around.i, here.len() / COLUMNS);
        let h = &self.h[i][row * n * COLUMNS..][..n * COLUMNS];
        let modes: Vec<usize> = (0..n).map(|s| self.best_mode(around, row, s, h).0).collect();
        for (s, here) in here.chunks_exact_mut(COLUMNS).enumerate() {
            add(here, 1.0, &self.arrivals(around, row, s, modes[s]));
        }
        self.choices[i][row * n..][..n].copy_from_slice(&modes);
        let right = here.to_vec();
        here.fill(0.0);
        add_product(here, self.inverse(i, row, modes), &right, COLUMNS);
    }

    fn inverse(&mut self, i: usize, row: usize, modes: Vec<usize>) -> &Matrix {
        let (total, pace) = if i == 0 { (0, 0.0) } else { (self.space.total(i, row), self.space.pace(i, row)) };
        let frames = self.frames;
        self.inverses.entry((i, total, modes)).or_insert_with_key(|(_, _, modes)| {
            let n = modes.len();
            let within = Matrix::from_fn(n, n, |s, t| frames[modes[s]].within[i][(s, t)]);
            let leaving: Vec<f64> = (0..n).map(|s| frames[modes[s]].leaving(i)[s] + pace).collect();
            Absorbing::new(&within, &leaving).solve(&Matrix::identity(n))
        })
    }

    /// The allowed mode with the least drift of the first column, and that drift without what all modes share.
    fn best_mode(&self, around: &Around, row: usize, s: usize, h: &[f64]) -> (usize, f64) {
        let drift = |mode: &usize| (*mode, self.drift(around, row, s, *mode, h)[0]);
        let least = self.allowed[around.i].iter().map(drift).reduce(|a, b| if b.1 < a.1 { b } else { a });
        least.unwrap_or((0, f64::INFINITY))
    }

    /// What depends on the mode in `c + Q h`, and the rate out of the state, all but what waiting pages do.
    fn drift(&self, around: &Around, row: usize, s: usize, mode: usize, h: &[f64]) -> [f64; COLUMNS] {
        let mut drift = self.arrivals(around, row, s, mode);
        let within = &self.frames[mode].within[around.i];
        for (t, rate) in within.row(s).iter().enumerate().filter(|(t, _)| *t != s) {
            add(&mut drift, *rate, &h[t * COLUMNS..][..COLUMNS]);
        }
        let pace = if around.i == 0 { 0.0 } else { self.space.pace(around.i, row) };
        add(&mut drift, -(self.out[mode][around.i][s] + pace), &h[s * COLUMNS..][..COLUMNS]);
        drift
    }

    /// What a mode costs, and what its arrivals lead to.
    fn arrivals(&self, around: &Around, row: usize, s: usize, mode: usize) -> [f64; COLUMNS] {
        let mut sum = [around.paid[mode][s], 0.0, 0.0];
        for (up, above) in self.frames[mode].up[around.i].iter().zip(&around.above) {
            let values = &above[row * up.columns() * COLUMNS..];
            for (rate, values) in up.row(s).iter().zip(values.chunks_exact(COLUMNS)).filter(|(rate, _)| **rate != 0.0) {
                add(&mut sum, *rate, values);
            }
        }
        sum
    }

    /// Corrects values on the coarse space, with the modes that most states of each kind use.
    fn correct(&mut self, left_over: &[Matrix]) {
        let followed: Vec<Vec<usize>> = (0..self.h.len()).map(|i| self.usual_modes(i)).collect();
        if followed != self.followed {
            self.correction.follow(&mixed(self.frames, &followed), self.space.ageing);
            self.followed = followed;
        }
        self.places.correct(&self.correction, left_over, &mut self.h, &mut self.g);
    }

    fn usual_modes(&self, i: usize) -> Vec<usize> {
        let n = self.space.frame.states(i);
        let mut weights = vec![vec![0.0; self.frames.len()]; n];
        for (modes, chance) in self.choices[i].chunks_exact(n).zip(self.places.chances(i)) {
            modes.iter().enumerate().for_each(|(s, mode)| weights[s][*mode] += chance);
        }
        let heaviest = |weights: &Vec<f64>| (0..weights.len()).max_by(|a, b| weights[*a].total_cmp(&weights[*b]));
        weights.iter().map(|weights| heaviest(weights).unwrap_or(0)).collect()
    }

    /// More than rounding can have changed `c - g + Q h` by; see [`super::certified`].
    fn rounding(&self) -> f64 {
        let frame = self.space.frame;
        let ageing = self.space.ageing.pace.iter().fold(0.0f64, |a, b| a.max(*b)) * frame.top() as f64;
        let fastest = self.out.iter().flatten().flatten().fold(0.0f64, |a, b| a.max(*b)) + ageing;
        let terms = (4 * frame.top() + 16 * frame.states(frame.top()) + 16) as f64;
        let largest = self.h.iter().flatten().step_by(COLUMNS).fold(0.0f64, |most, value| most.max(value.abs()));
        terms * f64::EPSILON * (2.0 * self.g[0].abs() + 4.0 * fastest * largest)
    }
}

impl Probing for Guided<'_> {
    type Policy = ();

    fn model(&self) -> &Model {
        self.model
    }

    /// For any `h` the mean is at least the least of `c + Q_a h` over states and choices `a`.
    fn probe(&mut self, y: f64, t: f64) -> (f64, Option<Met<()>>) {
        let prices = Prices { y, t };
        let mut gain = f64::NEG_INFINITY;
        for _ in 0..MOST_CORRECTIONS {
            let (left_over, [low, high]) = self.examine(prices);
            gain = gain.max(self.g[0] + low - self.rounding());
            if high - low <= self.accuracy * self.g[0].abs() {
                break;
            }
            self.correct(&left_over);
            for _ in 0..SWEEPS {
                self.sweep(prices);
            }
        }
        let [priced, pages, served] = self.g;
        let met = Met { linear: priced - y * (pages - t * served), pages, served, policy: () };
        (gain, (served > 0.0 && pages > 0.0).then_some(met))
    }
}

/// Rates out of the states of level `i`, ageing apart.
fn out(frame: &Frame, i: usize) -> Vec<f64> {
    let within = &frame.within[i];
    let moves = |s: usize| (0..within.rows()).filter(|&t| t != s).map(|t| within[(s, t)]).sum::<f64>();
    frame.leaving(i).iter().enumerate().map(|(s, leaving)| leaving + moves(s)).collect()
}

/// The frame in which each state has its own mode.
fn mixed(frames: &[Frame], modes: &[Vec<usize>]) -> Frame {
    let rows = |i: usize, block: &dyn Fn(&Frame) -> Option<Matrix>| -> Matrix {
        let blocks: Vec<Option<Matrix>> = frames.iter().map(block).collect();
        let columns = blocks.iter().flatten().map(Matrix::columns).max().unwrap_or(0);
        Matrix::from_fn(modes[i].len(), columns, |s, t| blocks[modes[i][s]].as_ref().map_or(0.0, |block| block[(s, t)]))
    };
    let levels = 0..modes.len();
    let jumps = |i: usize| frames.iter().map(|frame| frame.up[i].len()).max().unwrap_or(0);
    let up = |i: usize| (0..jumps(i)).map(|l| rows(i, &|frame| frame.up[i].get(l).cloned())).collect();
    Frame {
        within: levels.clone().map(|i| rows(i, &|frame| Some(frame.within[i].clone()))).collect(),
        up: levels.map(up).collect(),
        service: frames[0].service.clone(),
        arriving_and_lost: Vec::new(),
    }
}
