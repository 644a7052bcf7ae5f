//! The best thresholds.

mod branch;
mod constrained;
mod search;
mod sets;
mod simplex;
mod staircase;
mod within;

pub use constrained::{Constrained, ConstrainedError, Limit, Measure, ThresholdPolicy, constrained, pareto};
pub use within::markov_bound_within;

use thiserror::Error;

use crate::decision::DecisionError;
use crate::decision::process::Process;
use crate::model::{Model, ModelError, RobotPolicy};
use crate::queue::{Measures, solve};
use sets::Sets;
use staircase::Staircase;

/// The best thresholds of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// The best of all; only modes that it uses are listed.
    pub best: Best,
    /// The cost of every fixed number of robots, ascending.
    pub fixed: Vec<(u32, f64)>,
    /// The best for sets of two and more modes: the given one, or all sets if there are at most [`ALL_SETS`] modes, else all
    /// pairs and the set the best uses.
    pub by_modes: Vec<ByModes>,
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
    /// No threshold policy with the modes allowed costs less: the cost itself if that is proven, as it always is when all
    /// policies were tried.
    pub lower: f64,
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
    /// Whether all thresholds were tried; else the search found none better.
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
}

/// With up to so many modes all their subsets are reported.
pub const ALL_SETS: usize = 5;

/// Law C-17: the best thresholds for the given modes (most robots first), or for every set of modes.
///
/// Up to 20,000 policies are all tried. Beyond that a search moves boundaries between modes until no move helps and then tries
/// to prove its result by branch and bound: [`Best::lower`] says how far it came.
///
/// # Errors
/// If a mode is unknown or out of order, or the obsolescence law has so many phases that levels are too large.
pub fn optimise(model: &Model, modes: Option<&[u32]>) -> Result<Optimum, OptimiseError> {
    let process = Process::new(model)?;
    let set = positions(&process, modes)?;
    let fixed: Vec<(u32, f64)> =
        model.arrivals().iter().map(|(r, _)| (*r, solve(model, &model.fixed(*r)).cost)).collect();
    let Sets { best, lower, by_set } =
        Sets::of(&process, &set, modes.is_some()).ok_or(DecisionError::NothingIndexed)?;
    let (modes, thresholds) = named(&process, &set, &best.staircase, true);
    let measures = solve(model, &RobotPolicy::thresholds(model, &modes, &thresholds)?);
    let by_modes = by_set.iter().map(|(subset, found, exact)| {
        let (modes, thresholds) = named(&process, subset, &found.staircase, false);
        ByModes { modes, thresholds, cost: found.score.1, exact: *exact }
    });
    Ok(Optimum { best: Best { modes, thresholds, measures, lower }, fixed, by_modes: by_modes.collect() })
}

/// The given modes by position among the model's, or all.
fn positions(process: &Process<'_>, modes: Option<&[u32]>) -> Result<Vec<usize>, OptimiseError> {
    let Some(modes) = modes else { return Ok((0..process.modes().len()).collect()) };
    if modes.is_empty() {
        return Err(OptimiseError::NoModes);
    }
    if let Some(pair) = modes.windows(2).find(|pair| pair[0] <= pair[1]) {
        return Err(OptimiseError::Order { before: pair[0], after: pair[1] });
    }
    for robots in modes {
        RobotPolicy::new(process.model(), process.model().fixed(*robots).robots().to_vec())?;
    }
    Ok(modes.iter().filter_map(|r| process.modes().iter().position(|known| known == r)).collect())
}

/// Modes and thresholds of a staircase on a set: all modes of the set, or only those used.
fn named(process: &Process<'_>, set: &[usize], staircase: &Staircase, only_used: bool) -> (Vec<u32>, Vec<usize>) {
    let shown: Vec<usize> = if only_used { staircase.used().iter().map(|p| set[*p]).collect() } else { set.to_vec() };
    let (_, thresholds) = staircase.among(set, &shown).thresholds();
    (shown.iter().map(|mode| process.modes()[*mode]).collect(), thresholds)
}

#[cfg(test)]
mod tests;
