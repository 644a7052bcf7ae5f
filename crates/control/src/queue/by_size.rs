//! The right solver for the size of the problem.

use super::ageing::Ageing;
use super::{Bounds, Measures, TooLarge, certified, matrix_free, solve};
use crate::model::{Model, RobotPolicy};

/// Multiplications up to which blocks are eliminated directly: a tenth of a second.
pub const DIRECT_WORK: f64 = 2e8;

/// States up to which arrays are swept: half a minute on two processors, and about 30 bytes each.
pub const MATRIX_FREE_STATES: f64 = 5e6;

/// A residual above which sweeps are not taken for an exact solution.
pub const EXACT: f64 = 1e-10;

/// Measures, and how they were found.
#[derive(Clone, Debug, PartialEq)]
pub struct Solved {
    /// The measures; if they are only bounded, the middle of the bounds.
    pub measures: Measures,
    /// How they were found, and how far they can be trusted.
    pub method: Method,
}

/// How measures were found.
#[derive(Clone, Debug, PartialEq)]
pub enum Method {
    /// Exact, by block elimination (law C-7).
    Direct,
    /// Exact up to the residual, by sweeps over arrays (law C-14).
    MatrixFree {
        /// How many.
        sweeps: usize,
    },
    /// Between bounds that are certain (law C-15).
    Certified {
        /// How many of the oldest waiting pages were exact.
        oldest: usize,
        /// The bounds on each measure. Those of the cost are no further apart than was wanted, unless that takes too many
        /// states: see [`Bounds::relative_width`].
        bounds: Box<Bounds>,
    },
}

/// All measures, exactly if the size of the problem allows it, and else between certified bounds that are at most `accuracy`
/// apart for the cost, relative to it, if that can be done.
///
/// Obsolescence with one phase, once reduced, is always solved directly. With `R` phases there are about `R^(K-1)` states.
///
/// # Errors
/// If there are too many phases and places even for bounds.
pub fn solve_to(model: &Model, policy: &RobotPolicy, accuracy: f64) -> Result<Solved, TooLarge> {
    let model = &*model.for_modes(policy.robots());
    let phases = Ageing::new(model).phases();
    if is_direct(model, phases) {
        return Ok(Solved { measures: solve(model, policy), method: Method::Direct });
    }
    if fits_arrays(model, phases) {
        let (measures, sweeps) = matrix_free::solve(model, policy);
        if measures.residual <= EXACT {
            return Ok(Solved { measures, method: Method::MatrixFree { sweeps } });
        }
    }
    let (bounds, oldest) = certified::solve(model, policy, accuracy)?;
    Ok(Solved { measures: bounds.middle(), method: Method::Certified { oldest, bounds: Box::new(bounds) } })
}

/// Whether arrays over the phases of waiting pages can be had, and lists of how many may be in each phase.
pub(crate) fn fits_arrays(model: &Model, phases: usize) -> bool {
    let lists = (model.most_pages() as f64).powi(phases as i32 - 1);
    states(model, phases) <= MATRIX_FREE_STATES && lists <= MATRIX_FREE_STATES
}

/// Whether blocks are small enough to be eliminated.
pub(crate) fn is_direct(model: &Model, phases: usize) -> bool {
    phases == 1 || direct_work(model, phases) <= DIRECT_WORK
}

/// States of each level from one on.
fn blocks(model: &Model, phases: usize) -> impl Iterator<Item = f64> {
    let n = (model.arrivals()[0].1.phases() * model.service().order()) as f64;
    (0..model.most_pages()).map(move |waiting| n * (phases as f64).powi(waiting as i32))
}

/// All states but those of the empty system.
pub(crate) fn states(model: &Model, phases: usize) -> f64 {
    blocks(model, phases).sum()
}

/// A level is factored, applied to the one below, and that to the jumps into it.
fn direct_work(model: &Model, phases: usize) -> f64 {
    let jumps = model.arrivals().iter().map(|(_, bmap)| bmap.largest_batch()).max().unwrap_or(1) as f64;
    blocks(model, phases).map(|block| (2.0 + jumps) * block.powi(3)).sum()
}

#[cfg(test)]
pub(crate) mod vectors;

#[cfg(test)]
pub(crate) mod tests;
