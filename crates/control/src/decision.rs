//! The best policy of any kind.

mod averages;
mod belief;
pub(crate) mod bound;
pub(crate) mod iteration;
mod observed;
pub(crate) mod passage;
pub(crate) mod process;

pub use averages::Averages;
pub use belief::{BeliefFilter, BeliefPolicy, UnknownRobots};
pub use observed::{ObservedPolicy, Sees};

use thiserror::Error;

use crate::model::Model;
use bound::Bounding;
use iteration::Allowed;
use observed::Observing;
use process::Process;

/// The most states with a full buffer: levels are handled as dense blocks.
pub(crate) const LARGEST_LEVEL: usize = 600;

/// Why nothing can be decided.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DecisionError {
    /// The phases of waiting pages make the levels too large.
    #[error(
        "{states} states with a full buffer are too many to optimise over, the limit is {LARGEST_LEVEL}: lower the buffer or use an exponential obsolescence law"
    )]
    TooLarge {
        /// States with a full buffer.
        states: usize,
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
    /// Policies that see the whole state, mixed at random, cost no more.
    pub reached: f64,
    /// The cheapest policy met that does the same thing whenever it sees the same state: its cost,
    pub cost: f64,
    /// and its averages.
    pub averages: Averages,
}

/// Law C-20: a certified lower bound on the cost of all policies, to a relative 1e-7 of what can be reached.
///
/// # Errors
/// If levels have too many states.
pub fn markov_bound(model: &Model) -> Result<MarkovBound, DecisionError> {
    let process = Process::new(model)?;
    let all = Allowed::everything(&process);
    let mut bounding = Bounding::new(&process, &all, &process.always(0), 1e-7);
    let lower = bounding.lower(f64::INFINITY, 1000);
    let (cost, averages, _) = bounding.best.ok_or(DecisionError::NothingIndexed)?;
    Ok(MarkovBound { lower, reached: bounding.reached, cost, averages })
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
    let mut bounding = Bounding::new(&process, &all, &process.always(0), 1e-3);
    bounding.lower(f64::INFINITY, 0);
    let seeing = bounding.best.map(|(_, _, choices)| choices);
    let fixed = (0..process.modes().len()).map(|mode| process.always(mode));
    let starts: Vec<_> = fixed.chain(seeing).collect();
    Observing::new(&process, sees).best(&starts).ok_or(DecisionError::NothingIndexed)
}

#[cfg(test)]
mod tests;
