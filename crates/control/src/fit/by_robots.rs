//! Law C-24: one arrival process for each number of active robots, from deliveries while it was active.

use std::collections::BTreeMap;

use super::arrivals::FittedArrivals;
use super::choice::{Choice, Method, choose_arrivals};
use super::deliveries::{DeliveryOptions, Part};
use super::em::EmOptions;
use super::{Departure, FitError};
use crate::arrivals::{Bmap, BmapError};
use crate::matrix::Matrix;

/// Each number of robots fitted on its own ([`super::Trace::by_robots`]), as [`choose_arrivals`] does.
///
/// All processes have as many phases, the slowest first, for the phase is kept when the number changes. Batches come at the rate
/// at which they came in all of the time, also where gaps were broken by a change of the number.
///
/// # Errors
/// If one of them cannot be fitted.
pub fn arrivals_by_robots(
    parts: &BTreeMap<u32, Part>,
    phases: Option<usize>,
    methods: &[Method],
    options: &EmOptions,
) -> Result<Vec<(u32, Choice<FittedArrivals>)>, FitError> {
    let mut all = Vec::new();
    for (robots, part) in parts {
        let mut choice = choose_arrivals(&part.trace, phases, methods, options)?;
        choice.best.fitted = with_rate(&choice.best.fitted, part);
        all.push((*robots, choice));
    }
    let most = all.iter().map(|(_, choice)| choice.best.fitted.process.phases()).max().unwrap_or(1);
    for (_, choice) in &mut all {
        let process = &mut choice.best.fitted.process;
        *process = slowest_first(process, most)?;
    }
    Ok(all)
}

/// The same process at the rate of all of the time.
fn with_rate(fitted: &FittedArrivals, part: &Part) -> FittedArrivals {
    if part.broken == 0.0 {
        return fitted.clone();
    }
    let process = fitted.process.sped_up(part.batch_rate() / fitted.process.batch_rate());
    let departures =
        [fitted.report.departures.clone(), vec![Departure::Broken { share: part.broken_share() }]].concat();
    let mut at_rate = FittedArrivals::new(process, &part.trace.statistics(&DeliveryOptions::default()), departures);
    at_rate.report.goodness = fitted.report.goodness;
    at_rate
}

/// The same process with its phases in order of the time until the next batch, longest first, the last of them split into as
/// many as it takes to have `phases`.
fn slowest_first(process: &Bmap, phases: usize) -> Result<Bmap, BmapError> {
    let waits = process.times_to_batch();
    let mut order: Vec<usize> = (0..waits.len()).collect();
    order.sort_by(|a, b| waits[*b].total_cmp(&waits[*a]));
    let last = order.len() - 1;
    let copies = (phases.max(order.len()) - last) as f64;
    let entry = |k: usize, i: usize, j: usize| {
        let (from, to) = (order[i.min(last)], order[j.min(last)]);
        let rate = process.matrices()[k][(from, to)];
        match (k == 0 && from == to, j < last) {
            // The diagonal of D_0 is no move.
            (true, _) => {
                if i == j {
                    rate
                } else {
                    0.0
                }
            }
            (false, true) => rate,
            (false, false) => rate / copies,
        }
    };
    let n = phases.max(order.len());
    Bmap::new((0..process.matrices().len()).map(|k| Matrix::from_fn(n, n, |i, j| entry(k, i, j))).collect())
}

#[cfg(test)]
mod tests;
