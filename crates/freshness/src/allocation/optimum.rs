//! The optimum for any weights.

use super::Allocation;
use super::binned::PartialSums;
use super::multiplier::{Demand, Level, Multiplier, find_interval};
use crate::cost::even_spacing_cost;
use crate::instance::Instance;
use crate::parallel::{fill_pieces, map_pieces};

/// Laws F-3 and F-6: the frequencies that minimise the lower bound `sum c_i r_i` of CLW Theorem 3.3, conditions (7)-(9).
///
/// `cost` is that bound; no policy whatever does better. A page with `a_i <= lambda` gets frequency zero.
#[must_use]
pub fn optimum(instance: &Instance) -> Allocation {
    allocation(instance, &solve_exact(instance))
}

/// The multiplier of the optimum: one scalar root, one pass over the pages per iteration. [`Multiplier::IDLE`] if no page
/// is worth an access.
#[must_use]
pub fn solve_exact(instance: &Instance) -> Multiplier {
    let start = first_guess(instance);
    solve_demand(start, |multiplier| demand(instance, multiplier))
}

/// The same when the pages are spread over several places: `demand` adds up what [`Multiplier::demand`] gives in each,
/// and `start` is a guess that must know the largest value of all, such as [`PartialSums::multiplier_with_top`] of the merged sums.
pub fn solve_demand(start: Multiplier, mut demand: impl FnMut(&Multiplier) -> Demand) -> Multiplier {
    if start == Multiplier::IDLE {
        return start;
    }
    let top = start.top();
    find_interval(top, 1.0, start.interval_of(top), |w| demand(&Multiplier::new(top, w)))
}

/// The frequencies of all pages at a multiplier.
#[must_use]
pub fn frequencies(instance: &Instance, multiplier: &Multiplier) -> Vec<f64> {
    let level = Level::of(multiplier);
    let mut frequencies = vec![0.0; instance.len()];
    fill_pieces(&mut frequencies, |first, piece| {
        let pages = instance.values()[first..].iter().zip(&instance.decays()[first..]);
        for (x, (&a, &b)) in piece.iter_mut().zip(pages) {
            *x = level.frequency(a, b);
        }
    });
    frequencies
}

pub(super) fn allocation(instance: &Instance, multiplier: &Multiplier) -> Allocation {
    let frequencies = frequencies(instance, multiplier);
    let cost = even_spacing_cost(instance, &frequencies);
    Allocation { multiplier: multiplier.value(), frequencies, cost }
}

fn demand(instance: &Instance, multiplier: &Multiplier) -> Demand {
    let (values, decays) = (instance.values(), instance.decays());
    let parts = map_pieces(instance.len(), |range| multiplier.demand(&values[range.clone()], &decays[range]));
    parts.into_iter().sum()
}

/// From a few pages the exact solver starts as if all had the same value; from many, one pass over bins saves passes over
/// pages.
fn first_guess(instance: &Instance) -> Multiplier {
    let (values, decays) = (instance.values(), instance.decays());
    let top = values.iter().copied().fold(0.0, f64::max);
    if top == 0.0 {
        return Multiplier::IDLE;
    }
    if instance.len() > 10_000 {
        return PartialSums::of_instance(instance).multiplier_with_top(top);
    }
    let sum: f64 = values.iter().zip(decays).filter(|(a, _)| **a > 0.0).map(|(_, b)| b).sum();
    Multiplier::new(top, sum)
}
