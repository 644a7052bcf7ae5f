//! Law C-20 for models that are too large for dense blocks.

use super::DecisionError;
use super::bound::Bounding;
use crate::model::Model;
use crate::queue::guided::{guided, size};
use crate::queue::oldest::Nature;

/// States beyond which no more pages are made exact: a few seconds, ...
const STATES: f64 = 150_000.0;

/// ... and beyond which there is no bound.
pub(crate) const MOST_STATES: f64 = 200_000.0;

/// Relative accuracy of the search for the best prices, far less than what nature's choice costs.
const ACCURACY: f64 = 1e-4;

/// Splits of the range of mean sojourn times.
const MOST_SPLITS: usize = 12;

/// Whether it is the phases of waiting pages that make a model large.
pub(crate) fn can_help(model: &Model) -> bool {
    model.reduced_obsolescence().is_some_and(|law| law.order() > 1)
}

/// A lower bound on the cost of all policies.
///
/// A policy may look at the phases of waiting pages, and what it does then tells about them. So nature may promote any phase
/// there is, whatever the ages of pages say.
pub(super) fn lower(model: &Model) -> Result<f64, DecisionError> {
    if size(model, 1) > MOST_STATES {
        return Err(DecisionError::NoBound { states: size(model, 1) });
    }
    let modes: Vec<usize> = (0..model.arrivals().len()).collect();
    Ok(bound(model, &modes, (most_exact(model), Nature::Free), ACCURACY))
}

/// A lower bound on the cost of all threshold policies on some modes. They do not look at phases, so nature is bound by age.
pub(crate) fn lower_of_thresholds(model: &Model, modes: &[usize]) -> f64 {
    bound(model, modes, (most_exact(model), Nature::BoundByAge), ACCURACY)
}

fn most_exact(model: &Model) -> usize {
    (1..model.most_pages()).take_while(|oldest| size(model, *oldest) <= STATES).last().unwrap_or(1)
}

/// A lower bound on the cost of policies on some modes with so many exact pages.
fn bound(model: &Model, modes: &[usize], chain: (usize, Nature), accuracy: f64) -> f64 {
    let allowed = vec![modes.to_vec(); model.most_pages() + 1];
    guided(model, chain, &allowed, accuracy / 10.0, |problem| {
        Bounding::new(problem, accuracy).lower(f64::INFINITY, MOST_SPLITS)
    })
}

#[cfg(test)]
mod tests;
