//! Law C-20 for models that are too large for dense blocks.

use super::DecisionError;
use super::bound::Bounding;
use crate::model::Model;
use crate::queue::guided::{AllowedModes, guided, size};
use crate::queue::oldest::Nature;

/// States beyond which no more pages are made exact: a few seconds, ...
const STATES: f64 = 150_000.0;

/// ... and beyond which there is no bound.
pub(crate) const MOST_STATES: f64 = 200_000.0;

/// Relative accuracy of the search for the best prices, far less than what nature's choice costs.
const ACCURACY: f64 = 1e-4;

/// Splits of the range of mean sojourn times.
const MOST_SPLITS: usize = 12;

/// The same for one of many boxes.
const FEW_SPLITS: usize = 2;

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
    let chain = (most_exact(model), Nature::Free);
    Ok(bound(model, &all_modes(model), chain, ACCURACY, (f64::INFINITY, MOST_SPLITS)))
}

/// A lower bound on the cost of all threshold policies on the modes allowed with each number of pages, with so many exact pages,
/// or `known` if that is less. They do not look at phases, so nature is bound by age.
pub(crate) fn lower_of_thresholds(model: &Model, allowed: &AllowedModes, oldest: usize, known: f64) -> f64 {
    bound(model, allowed, (oldest, Nature::BoundByAge), ACCURACY, (known, FEW_SPLITS))
}

fn all_modes(model: &Model) -> AllowedModes {
    vec![(0..model.arrivals().len()).collect(); model.most_pages() + 1]
}

fn most_exact(model: &Model) -> usize {
    (1..model.most_pages()).take_while(|oldest| size(model, *oldest) <= STATES).last().unwrap_or(1)
}

/// A lower bound on the cost of policies on the modes allowed, or `known` if that is less.
fn bound(
    model: &Model,
    allowed: &AllowedModes,
    chain: (usize, Nature),
    accuracy: f64,
    (known, splits): (f64, usize),
) -> f64 {
    guided(model, chain, allowed, accuracy / 10.0, |problem| Bounding::new(problem, accuracy).lower(known, splits))
}

#[cfg(test)]
mod tests;
