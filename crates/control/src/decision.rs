//! The best policy of any kind.

mod averages;
mod belief;
pub(crate) mod bound;
pub(crate) mod iteration;
pub(crate) mod large;
mod observed;
pub(crate) mod passage;
pub(crate) mod process;

pub use averages::Averages;
pub use belief::{BeliefFilter, BeliefPolicy, UnknownRobots};
pub use observed::{ObservedPolicy, Sees};

use thiserror::Error;

use crate::model::Model;
use crate::number::many;
use crate::queue::solve;
use bound::{Bounding, Dense};
use iteration::Allowed;
use observed::Observing;
use passage::evaluate;
use process::Process;

/// The most states with a full buffer: levels are handled as dense blocks.
pub(crate) const LARGEST_LEVEL: usize = 600;

/// Whether levels are small enough for dense blocks, which [`best_observed`], [`BeliefPolicy`] and
/// [`pareto`](crate::pareto) need.
///
/// # Errors
/// If they are too large; says what to change.
pub fn check_levels(model: &Model) -> Result<(), DecisionError> {
    process::check_size(model)
}

/// Why nothing can be decided.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum DecisionError {
    /// The phases of waiting pages make the levels too large.
    #[error(
        "{} states with a full buffer are too many for a search over policies, the limit is {LARGEST_LEVEL}: {}",
        many(*.states),
        if *.waiting { "lower the buffer or use an exponential obsolescence law" } else { "describe service or arrivals with fewer phases" }
    )]
    TooLarge {
        /// States with a full buffer.
        states: f64,
        /// Whether it is the phases of waiting pages that make them so many.
        waiting: bool,
    },
    /// They are too many even for a bound.
    #[error(
        "a bound over all policies needs {states:.1e} states at least, the limit is {:.1e}: describe obsolescence with fewer phases",
        large::MOST_STATES
    )]
    NoBound {
        /// States of the smallest chain that gives a bound.
        states: f64,
    },
    /// Every policy met was degenerate.
    #[error("under no policy that was met are pages indexed for good: check that batches fit into the buffer")]
    NothingIndexed,
}

/// What no policy can undercut, and what comes near it.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkovBound {
    /// No policy costs less, whatever it sees and remembers.
    pub lower: f64,
    /// What comes near it; not known if the model is too large for dense blocks.
    pub reached: Option<Reached>,
}

/// What policies that see the whole state reach.
#[derive(Clone, Debug, PartialEq)]
pub struct Reached {
    /// Mixed at random they cost no more.
    pub mixed: f64,
    /// The cheapest policy met that does the same thing whenever it sees the same state: its cost,
    pub cost: f64,
    /// and its averages.
    pub averages: Averages,
}

/// Law C-20: a certified lower bound on the cost of all policies, to a relative 1e-7 of what can be reached.
///
/// If levels are too large for dense blocks, it is that of a chain in which only the oldest waiting pages are known one by one
/// (law C-15), and somewhat lower.
///
/// # Errors
/// If there are too many states even for that.
pub fn markov_bound(model: &Model) -> Result<MarkovBound, DecisionError> {
    let modes: Vec<u32> = model.arrivals().iter().map(|(robots, _)| *robots).collect();
    let model = &*model.for_modes(&modes);
    let process = match Process::new(model) {
        Ok(process) => process,
        Err(DecisionError::TooLarge { .. }) if large::can_help(model) => {
            return Ok(MarkovBound { lower: large::lower(model)?, reached: None });
        }
        // There is only one policy.
        Err(DecisionError::TooLarge { .. }) if modes.len() == 1 => {
            return Ok(MarkovBound { lower: solve(model, &model.fixed(modes[0])).cost, reached: None });
        }
        Err(error) => return Err(error),
    };
    if process.modes().len() == 1 {
        // There is only one policy.
        let averages = evaluate(&process, &process.always(0)).ok_or(DecisionError::NothingIndexed)?;
        let cost = averages.cost(model.costs());
        return Ok(MarkovBound { lower: cost, reached: Some(Reached { mixed: cost, cost, averages }) });
    }
    let all = Allowed::everything(&process);
    let mut bounding = Bounding::new(Dense::new(&process, &all, &process.always(0)), 1e-7);
    let lower = bounding.lower(f64::INFINITY, 1000);
    let (cost, met) = bounding.best.ok_or(DecisionError::NothingIndexed)?;
    Ok(MarkovBound { lower, reached: Some(Reached { mixed: bounding.reached, cost, averages: met.policy.0 }) })
}

/// Law C-21: the best policy that sees only a part of the state.
///
/// Few policies are all compared. Else the result is the best of those found by improving the policy for one number of pages
/// after the other, every change evaluated exactly, from every fixed number of robots and from the best policy that sees
/// everything.
///
/// # Errors
/// If levels have too many states.
pub fn best_observed(model: &Model, sees: Sees) -> Result<ObservedPolicy, DecisionError> {
    let process = Process::new(model)?;
    let all = Allowed::everything(&process);
    let mut bounding = Bounding::new(Dense::new(&process, &all, &process.always(0)), 1e-3);
    bounding.lower(f64::INFINITY, 0);
    let seeing = bounding.best.map(|(_, met)| met.policy.1);
    let fixed = (0..process.modes().len()).map(|mode| process.always(mode));
    let starts: Vec<_> = fixed.chain(seeing).collect();
    Observing::new(&process, sees).best(&starts).ok_or(DecisionError::NothingIndexed)
}

#[cfg(test)]
mod tests;
