//! The best thresholds.

mod branch;
mod constrained;
mod large;
mod search;
mod sets;
mod simplex;
mod staircase;
mod within;

pub use constrained::{Constrained, ConstrainedError, Limit, Measure, ThresholdPolicy, constrained, pareto};
pub use within::markov_bound_within;

use thiserror::Error;

use crate::decision::DecisionError;
use crate::decision::large::can_help;
use crate::decision::process::Process;
use crate::model::{Model, ModelError, RobotPolicy};
use crate::queue::{Measures, TooLarge, solve};
pub use search::MANY_MODES;
use sets::Sets;
pub(crate) use sets::{ENUMERATED, PROOF_LEVELS};
use staircase::Staircase;
pub(crate) use staircase::{alike_by_modes, count};

/// The best thresholds of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// The best of all; only modes that it uses are listed.
    pub best: Best,
    /// What every fixed number of robots costs, ascending.
    pub fixed: Vec<Fixed>,
    /// The best for sets of two and more modes: the given one, or all sets if there are at most [`ALL_SETS`] modes, else all
    /// pairs, if there are at most [`MANY_MODES`] modes, and the set the best uses.
    pub by_modes: Vec<ByModes>,
}

/// Always the same number of robots.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixed {
    /// How many.
    pub robots: u32,
    /// The cost (2).
    pub cost: f64,
    /// If the cost is only bounded, its bounds; then `cost` is their middle.
    pub interval: Option<[f64; 2]>,
}

/// The best threshold policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Numbers of robots, descending, all of them used.
    pub modes: Vec<u32>,
    /// Thresholds between them.
    pub thresholds: Vec<usize>,
    /// All measures.
    pub measures: Measures,
    /// If the cost is only bounded, its bounds; then that of the measures is their middle.
    pub interval: Option<[f64; 2]>,
    /// No threshold policy with the modes allowed costs less: the cost itself, or the lower end of its interval, if this one is
    /// proven to be the best.
    pub lower: f64,
}

impl Best {
    /// Whether no other threshold policy is better, up to rounding.
    #[must_use]
    pub fn is_proven(&self) -> bool {
        let least = self.interval.map_or(self.measures.cost, |[low, _]| low);
        self.lower >= least - 1e-9 * least.abs()
    }
}

/// The best thresholds for one set of modes, the first of which must be used.
#[derive(Clone, Debug, PartialEq)]
pub struct ByModes {
    /// Numbers of robots, descending.
    pub modes: Vec<u32>,
    /// Thresholds between them; a mode between equal ones, or after one of `K`, is skipped.
    pub thresholds: Vec<usize>,
    /// The cost (2).
    pub cost: f64,
    /// If the cost is only bounded, its bounds; then `cost` is their middle.
    pub interval: Option<[f64; 2]>,
    /// Whether these are proven to be the best; else the search found none better, or bounds could not tell.
    pub exact: bool,
}

/// Why thresholds cannot be optimised.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum OptimiseError {
    /// A mode is unknown.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Modes are not in order.
    #[error("modes must be listed from most robots to fewest, each once; {before} is followed by {after}")]
    Order {
        /// A mode.
        before: u32,
        /// The one after it.
        after: u32,
    },
    /// No modes at all.
    #[error("no modes were given; list at least one number of robots")]
    NoModes,
    /// The model is too large or degenerate.
    #[error(transparent)]
    Decision(#[from] DecisionError),
    /// The model is too large even for bounds.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
}

/// With up to so many modes all their subsets are reported.
pub const ALL_SETS: usize = 5;

/// Law C-17: the best thresholds for the given modes (most robots first), or for every set of modes.
///
/// Up to 20,000 policies are all tried. Beyond that a search moves boundaries between modes until no move helps and then tries
/// to prove its result by branch and bound: [`Best::lower`] says how far it came. If the obsolescence law has so many phases that
/// policies cannot be evaluated by dense blocks, they are compared by certified bounds that are narrowed as far as it takes.
///
/// # Errors
/// If a mode is unknown or out of order, or the model is too large even for bounds.
pub fn optimise(model: &Model, modes: Option<&[u32]>) -> Result<Optimum, OptimiseError> {
    positions(model, modes)?;
    let whole = model;
    let model = &*model.for_modes(modes.unwrap_or(&numbers(model)));
    let set = positions(model, modes)?;
    let process = match Process::new(model) {
        Ok(process) => process,
        Err(DecisionError::TooLarge { .. }) if can_help(model) => {
            return large::optimise(whole, model, &set, modes.is_some());
        }
        Err(DecisionError::TooLarge { .. }) if set.len() == 1 => return Ok(only(whole, numbers(model)[set[0]])),
        Err(error) => return Err(error.into()),
    };
    let fixed = fixed(whole);
    let Sets { best, lower, by_set } =
        Sets::of(&process, &set, modes.is_some()).ok_or(DecisionError::NothingIndexed)?;
    let (modes, thresholds) = named(model, &set, &best.staircase, true);
    let measures = solve(model, &RobotPolicy::thresholds(model, &modes, &thresholds)?);
    let by_modes = by_set.iter().map(|(subset, found, exact)| {
        let (modes, thresholds) = named(model, subset, &found.staircase, false);
        ByModes { modes, thresholds, cost: found.score.1, interval: None, exact: *exact }
    });
    let best = Best { modes, thresholds, measures, interval: None, lower };
    Ok(Optimum { best, fixed, by_modes: by_modes.collect() })
}

/// What every fixed number of robots costs.
fn fixed(model: &Model) -> Vec<Fixed> {
    let cost = |robots: u32| solve(model, &model.fixed(robots)).cost;
    model.arrivals().iter().map(|(robots, _)| Fixed { robots: *robots, cost: cost(*robots), interval: None }).collect()
}

/// The only mode there is to choose from is the best.
fn only(model: &Model, robots: u32) -> Optimum {
    let measures = solve(model, &model.fixed(robots));
    let lower = measures.cost;
    let best = Best { modes: vec![robots], thresholds: Vec::new(), measures, interval: None, lower };
    Optimum { best, fixed: fixed(model), by_modes: Vec::new() }
}

/// The numbers of robots of a model, most first.
fn numbers(model: &Model) -> Vec<u32> {
    model.arrivals().iter().rev().map(|(robots, _)| *robots).collect()
}

/// The given modes by position among the model's, most robots first, or all.
fn positions(model: &Model, modes: Option<&[u32]>) -> Result<Vec<usize>, OptimiseError> {
    let numbers = numbers(model);
    let Some(modes) = modes else { return Ok((0..numbers.len()).collect()) };
    if modes.is_empty() {
        return Err(OptimiseError::NoModes);
    }
    if let Some(pair) = modes.windows(2).find(|pair| pair[0] <= pair[1]) {
        return Err(OptimiseError::Order { before: pair[0], after: pair[1] });
    }
    for robots in modes {
        RobotPolicy::new(model, model.fixed(*robots).robots().to_vec())?;
    }
    Ok(modes.iter().filter_map(|r| numbers.iter().position(|known| known == r)).collect())
}

/// Modes and thresholds of a staircase on a set: all modes of the set, or only those used.
fn named(model: &Model, set: &[usize], staircase: &Staircase, only_used: bool) -> (Vec<u32>, Vec<usize>) {
    let shown: Vec<usize> = if only_used { staircase.used().iter().map(|p| set[*p]).collect() } else { set.to_vec() };
    let (_, thresholds) = staircase.among(set, &shown).thresholds();
    (shown.iter().map(|mode| numbers(model)[*mode]).collect(), thresholds)
}

#[cfg(test)]
mod tests;
