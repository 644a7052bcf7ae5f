//! How long pages stay: ADKNS section 5.

mod law;

pub use law::SojournLaw;

use thiserror::Error;

use super::ageing::Ageing;
use super::blocks::Blocks;
use super::by_size::{EXACT, MATRIX_FREE_STATES, fits_arrays, is_direct, states};
use super::matrix_free::{self, Watched};
use super::{direct, flows};
use crate::matrix::{Absorbing, Matrix, dot};
use crate::model::{Model, RobotPolicy};

/// Operations that the distribution of times may take.
const MOST_WORK: f64 = 1e12;

/// What becomes of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is indexed.
    Served,
    /// It becomes obsolete while it waits.
    Obsolete,
    /// Any of the two, or lost on arrival: then its time in the system is zero.
    Any,
}

/// The time pages spend in the system, by their fate.
///
/// Under first come, first served the fate of a page does not depend on anything that arrives after it. A page that finds
/// `j >= 1` pages before it goes through stages `j, j-1, ..., 0`; in stage `j >= 1` the state is (service phase, obsolescence
/// phases of the `j - 1` pages waiting before it and of itself), in stage 0 it is being indexed.
#[derive(Clone, Debug)]
pub struct Sojourn {
    form: Form,
    arrival_rate: f64,
}

/// The chain of stages.
#[derive(Clone, Debug)]
enum Form {
    /// As dense blocks.
    Stages(Vec<Stage>),
    /// As arrays, without a matrix.
    Arrays(Box<Watched>),
}

/// Times in the system cannot be had.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SojournError {
    /// The phases of waiting pages make too many states.
    #[error(
        "{states:.1e} states are too many for the distribution of times in the system, the limit is {MATRIX_FREE_STATES:.1e}; \
         bounds on their means can be had all the same"
    )]
    TooLarge {
        /// States of the whole system.
        states: f64,
    },
    /// Rates lie too far apart, or there are too many phases.
    #[error(
        "rates lie so far apart, or phases and places are so many, that the distribution of times in the system takes \
         {work:.1e} operations, the limit is {MOST_WORK:.1e}; their means can be had all the same"
    )]
    Stiff {
        /// Numbers to look at.
        work: f64,
    },
    /// The stationary law is not exact.
    #[error(
        "the law of what pages find is only known to {residual:.1e}, too coarse for the distribution of times in the system; \
         bounds on their means can be had all the same"
    )]
    Unsettled {
        /// Its residual.
        residual: f64,
    },
}

#[derive(Clone, Debug)]
struct Stage {
    /// Rate at which pages begin in this stage, by state.
    begin: Vec<f64>,
    /// Moves within the stage; the diagonal is of no account.
    within: Matrix,
    /// Moves to the next stage, or to the end.
    onward: Matrix,
    /// Rate at which the page itself becomes obsolete.
    obsolete: Vec<f64>,
}

impl Stage {
    /// All rates out of the stage, plus `u`.
    fn leaving(&self, u: f64) -> Vec<f64> {
        self.onward.row_sums().iter().zip(&self.obsolete).map(|(on, obsolete)| on + obsolete + u).collect()
    }

    fn absorbing(&self, u: f64) -> Absorbing {
        Absorbing::new(&self.within, &self.leaving(u))
    }
}

impl Sojourn {
    /// The times under a policy, by the method that the size of the problem allows: dense blocks as in [`Sojourn::of`], or arrays
    /// without a matrix on top of the stationary law of C-14.
    ///
    /// # Errors
    /// If there are too many states.
    pub fn by_size(model: &Model, policy: &RobotPolicy) -> Result<Self, SojournError> {
        let sojourn = Self::of_any_pace(model, policy)?;
        let work = sojourn.work();
        if work > MOST_WORK { Err(SojournError::Stiff { work }) } else { Ok(sojourn) }
    }

    /// How many numbers are looked at for the distributions.
    pub(crate) fn work(&self) -> f64 {
        // Few pages stay thirty times as long as others do on average.
        let longest = 30.0 * self.mean(Fate::Served).max(self.mean(Fate::Obsolete));
        self.law().work(longest)
    }

    fn of_any_pace(model: &Model, policy: &RobotPolicy) -> Result<Self, SojournError> {
        let model = &*model.for_modes(policy.robots());
        let phases = Ageing::new(model).phases();
        if is_direct(model, phases) {
            return Ok(Self::of(model, policy));
        }
        if !fits_arrays(model, phases) {
            return Err(SojournError::TooLarge { states: states(model, phases) });
        }
        let (watched, arrival_rate, residual) = matrix_free::watch(model, policy);
        if residual > EXACT {
            return Err(SojournError::Unsettled { residual });
        }
        Ok(Self { form: Form::Arrays(Box::new(watched)), arrival_rate })
    }

    /// The times under a policy, by dense blocks.
    #[must_use]
    pub fn of(model: &Model, policy: &RobotPolicy) -> Self {
        let blocks = Blocks::new(model, policy);
        let (levels, _) = direct::stationary(&blocks);
        let arrival_rate = flows(&blocks, &levels).arrivals;
        Self::new(&blocks, &levels, arrival_rate)
    }

    pub(super) fn new(blocks: &Blocks<'_>, levels: &[Vec<f64>], arrival_rate: f64) -> Self {
        let begin = pages_seen(blocks, levels);
        let stages = begin.into_iter().enumerate().map(|(j, begin)| stage(blocks, j, begin));
        Self { form: Form::Stages(stages.collect()), arrival_rate }
    }

    /// `P_success`, `P_obs`, or one.
    #[must_use]
    pub fn probability(&self, fate: Fate) -> f64 {
        if fate == Fate::Any { 1.0 } else { self.defective_moment(fate, 0) }
    }

    /// Law C-11, (22)-(25) and beyond: the `k`-th moment of the time of pages of a fate; zero if there are none.
    #[must_use]
    pub fn moment(&self, fate: Fate, k: u32) -> f64 {
        if fate == Fate::Any {
            let of = |fate| self.defective_moment(fate, k);
            return if k == 0 { 1.0 } else { of(Fate::Served) + of(Fate::Obsolete) };
        }
        let probability = self.probability(fate);
        if probability > 0.0 { self.defective_moment(fate, k) / probability } else { 0.0 }
    }

    /// The mean time.
    #[must_use]
    pub fn mean(&self, fate: Fate) -> f64 {
        self.moment(fate, 1)
    }

    /// Law C-11, (16)-(21): the Laplace transform of the time of pages of a fate, `u >= 0`; one if there are none.
    #[must_use]
    pub fn transform(&self, fate: Fate, u: f64) -> f64 {
        if fate == Fate::Any {
            let of = |fate| self.defective_transform(fate, u);
            let lost = 1.0 - self.probability(Fate::Served) - self.probability(Fate::Obsolete);
            return of(Fate::Served) + of(Fate::Obsolete) + lost;
        }
        let probability = self.probability(fate);
        if probability > 0.0 { self.defective_transform(fate, u) / probability } else { 1.0 }
    }

    /// `E[T^k; fate]`.
    fn defective_moment(&self, fate: Fate, k: u32) -> f64 {
        let rate = match &self.form {
            Form::Stages(stages) => moment(stages, fate, k),
            Form::Arrays(watched) => of_fate(watched.moment(k), fate),
        };
        rate / self.arrival_rate
    }

    /// `E[exp(-uT); fate]`.
    fn defective_transform(&self, fate: Fate, u: f64) -> f64 {
        let rate = match &self.form {
            Form::Stages(stages) => transform(stages, fate, u),
            Form::Arrays(watched) => of_fate(watched.transform(u), fate),
        };
        rate / self.arrival_rate
    }

    /// Law C-12: the distributions of the times, for many times and quantiles.
    #[must_use]
    pub fn law(&self) -> SojournLaw<'_> {
        SojournLaw::new(self)
    }

    /// Law C-12: `P(T <= t)` for pages of a fate.
    #[must_use]
    pub fn distribution(&self, fate: Fate, t: f64) -> f64 {
        self.law().distribution(fate, t)
    }

    /// Law C-12: the time that pages of a fate exceed with probability `1 - p`.
    #[must_use]
    pub fn quantile(&self, fate: Fate, p: f64) -> f64 {
        self.law().quantile(fate, p)
    }
}

/// What belongs to a fate, of (served, obsolete).
fn of_fate([served, obsolete]: [f64; 2], fate: Fate) -> f64 {
    match fate {
        Fate::Served => served,
        Fate::Obsolete => obsolete,
        Fate::Any => served + obsolete,
    }
}

/// Per stage `w_k = (-A)^-1 (k w_{k-1} + B w_k of the next stage)`.
fn moment(stages: &[Stage], fate: Fate, k: u32) -> f64 {
    let mut next: Vec<Vec<f64>> = vec![ends(fate); k as usize + 1];
    next[1..].iter_mut().for_each(|end| end[0] = 0.0);
    let mut total = 0.0;
    for stage in stages {
        let absorbing = stage.absorbing(0.0);
        let mut here: Vec<Vec<f64>> = Vec::with_capacity(next.len());
        for (order, after) in next.iter().enumerate() {
            let mut right = stage.onward.before(after);
            if order == 0 {
                add(&mut right, 1.0, &own_end(stage, fate));
            } else {
                add(&mut right, order as f64, &here[order - 1]);
            }
            here.push(absorbing.solve_column(&right));
        }
        total += dot(&stage.begin, &here[k as usize]);
        next = here;
    }
    total
}

/// Per stage `v = (uI - A)^-1 (own end + B v of the next stage)`.
fn transform(stages: &[Stage], fate: Fate, u: f64) -> f64 {
    let mut next = ends(fate);
    let mut total = 0.0;
    for stage in stages {
        let mut right = stage.onward.before(&next);
        add(&mut right, 1.0, &own_end(stage, fate));
        next = stage.absorbing(u).solve_column(&right);
        total += dot(&stage.begin, &next);
    }
    total
}

/// What a page is worth when it leaves stage 0: it has been served.
fn ends(fate: Fate) -> Vec<f64> {
    vec![f64::from(u8::from(fate == Fate::Served))]
}

/// What a page is worth when it becomes obsolete.
fn own_end(stage: &Stage, fate: Fate) -> Vec<f64> {
    if fate == Fate::Obsolete { stage.obsolete.clone() } else { vec![0.0; stage.obsolete.len()] }
}

fn add(sum: &mut [f64], factor: f64, terms: &[f64]) {
    sum.iter_mut().zip(terms).for_each(|(s, t)| *s += factor * t);
}

/// For every `j` the rates at which pages come that find `j` before them, by the state they see; their own obsolescence
/// phase is drawn from `gamma`.
fn pages_seen(blocks: &Blocks<'_>, levels: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let size = |j: usize| blocks.m() * blocks.waiting_states(j);
    let mut seen: Vec<Vec<f64>> = (0..levels.len() - 1).map(|j| vec![0.0; size(j)]).collect();
    let gamma = Matrix::row_vector(&blocks.gamma);
    for (i, p) in levels.iter().enumerate().filter(|(i, _)| blocks.largest_jump(*i) > 0) {
        for k in 1..=blocks.arrivals(i).largest_batch() {
            let batches = blocks.batches_seen(i, p, k);
            if batches.iter().all(|rate| *rate == 0.0) {
                continue;
            }
            let mut state = Matrix::row_vector(&batches);
            for l in 1..=blocks.admitted(i, k) {
                state = match (i, l) {
                    (0, 1) => state.kronecker(&Matrix::row_vector(blocks.model().service().start())),
                    _ => state.kronecker(&gamma),
                };
                add(&mut seen[i + l - 1], 1.0, state.entries());
            }
        }
    }
    seen
}

fn stage(blocks: &Blocks<'_>, j: usize, begin: Vec<f64>) -> Stage {
    let service = blocks.model().service();
    let exits = Matrix::column_vector(service.exits());
    if j == 0 {
        return Stage { begin, within: service.rates().clone(), onward: exits, obsolete: vec![0.0; blocks.m()] };
    }
    let others = Matrix::column_vector(&vec![1.0; blocks.m() * blocks.waiting_states(j - 1)]);
    let obsolete = others.kronecker(&Matrix::column_vector(&blocks.gamma_exits)).entries().to_vec();
    // With one page before it the page itself goes to the server; else the pages before it move up.
    let onward = if j == 1 {
        let restart = exits.times(&Matrix::row_vector(service.start()));
        restart.kronecker(&Matrix::column_vector(&vec![1.0; blocks.r()]))
    } else {
        blocks.departures(j - 1).kronecker(&Matrix::identity(blocks.r()))
    };
    Stage { begin, within: blocks.inner(j), onward, obsolete }
}

#[cfg(test)]
mod tests;
