//! How often should each page be accessed?
//!
//! | question | answer |
//! |---|---|
//! | weights proportional to change rates | [`closed_form`], CLW (10) |
//! | any weights | [`optimum()`], CLW (7)-(9), or [`PartialSums`] in one pass at slightly less accuracy |
//! | limits per host | [`optimum_with_limits`] |
//! | accesses drawn at random | [`randomised_optimum`], CLW (15), (16) |
//! | visits in continuous time, limits per page and host | [`restrained_optimum`] |
//! | least budget for a wanted cost | [`least_budget`] |
//!
//! Exact and binned solver both end in a [`Multiplier`], from which the frequency of any page follows.

mod binned;
mod budget;
mod hosts;
mod multiplier;
mod optimum;
mod randomised;
mod restrained;

use thiserror::Error;

pub use binned::{PageTerm, PartialSums};
pub use budget::{LeastBudget, law_for_budget, law_for_robots, least_budget};
pub use hosts::{HostLimits, LimitedAllocation, optimum_with_limits};
pub use multiplier::{Demand, Multiplier};
pub use optimum::{frequencies, optimum, solve_demand, solve_exact};
pub use randomised::randomised_optimum;
pub use restrained::{Restraints, Visits, restrained_cost, restrained_optimum};

use crate::access_time::AccessTime;
use crate::pages::Pages;
use crate::special::phi;

/// Access frequencies and what they cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Allocation {
    /// `lambda`, the cost saved per unit of access frequency at the margin; zero if no page is worth an access.
    pub multiplier: f64,
    /// `f_i`, the fraction of accesses that go to page `i`. They sum to one unless no page is worth an access.
    pub frequencies: Vec<f64>,
    /// The least cost of any policy of the kind asked for.
    pub cost: f64,
}

/// Why there is no allocation.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum AllocationError {
    /// The limits per host add up to less than all accesses.
    #[error("the host limits let only {usable} of the accesses be used; raise the limits or lower the budget")]
    LimitsTooLow {
        /// Fraction of the accesses that the limits allow.
        usable: f64,
    },
    /// A limit is negative or not a number.
    #[error("host {host}: limit {value} is not a number of at least 0")]
    Limit {
        /// The host.
        host: usize,
        /// Its limit.
        value: f64,
    },
    /// The weights are not proportional to the change rates.
    #[error("page {page}: its weight is not proportional to its change rate")]
    NotProportional {
        /// The first page that breaks the proportion.
        page: usize,
    },
    /// No budget reaches the wanted cost.
    #[error("the wanted cost {wanted} cannot be reached; the least possible is {least}")]
    Unreachable {
        /// What was asked for.
        wanted: f64,
        /// The infimum over all budgets.
        least: f64,
    },
}

/// Law F-4, CLW Theorem 3.4 and (10): with `c_i = c0 mu_i` the optimal frequencies are `ln h_i / sum ln h_j` and the bound
/// is `c0 (mu - 1/E[X] + prod h_i / E[X])`, here written without cancellation as
/// `(c0/E[X]) (sum (q_i - b_i) + phi(sum b_i))`.
///
/// # Errors
/// If the weights are not proportional to the change rates (to 1e-12), naming the first page that is out of proportion.
pub fn closed_form(pages: &Pages<'_>, law: &AccessTime) -> Result<Allocation, AllocationError> {
    let (rates, weights) = (pages.change_rates(), pages.weights());
    let c0 = rates.iter().zip(weights).find(|(mu, _)| **mu > 0.0).map_or(0.0, |(mu, c)| c / mu);
    let out_of_proportion = |(mu, c): (&f64, &f64)| (c - c0 * mu).abs() > 1e-12 * c0 * mu;
    if let Some(page) = rates.iter().zip(weights).position(out_of_proportion) {
        return Err(AllocationError::NotProportional { page });
    }
    let decays: Vec<f64> = rates.iter().map(|&mu| law.decay(mu)).collect();
    let sum: f64 = decays.iter().sum();
    let deficits: f64 = rates.iter().map(|&mu| law.deficit(mu)).sum();
    if sum == 0.0 {
        return Ok(Allocation { multiplier: 0.0, frequencies: vec![0.0; rates.len()], cost: 0.0 });
    }
    let value = c0 / law.mean();
    Ok(Allocation {
        multiplier: value * crate::special::g(sum),
        frequencies: decays.iter().map(|b| b / sum).collect(),
        cost: value * (deficits + phi(sum)),
    })
}

/// Every page equally often: `f_i = 1/N`, what round robin does.
#[must_use]
pub fn uniform(pages: usize) -> Vec<f64> {
    vec![1.0 / pages as f64; pages]
}

/// Every page as often as it changes: `f_i = mu_i / sum mu_j`, where the interval rules of other crawlers settle.
/// All zero if no page ever changes.
#[must_use]
pub fn proportional(pages: &Pages<'_>) -> Vec<f64> {
    // Scaled by the largest so that the sum of very large rates stays finite.
    let largest = pages.change_rates().iter().copied().fold(0.0, f64::max);
    if largest == 0.0 {
        return vec![0.0; pages.len()];
    }
    let sum: f64 = pages.change_rates().iter().map(|mu| mu / largest).sum();
    pages.change_rates().iter().map(|mu| mu / largest / sum).collect()
}

#[cfg(test)]
mod tests;
