//! Law C-18 by certified bounds.

use super::race::{Entry, Race, Standing};
use super::{ACCURACY, LISTED, enter, reported};
use crate::decision::{Averages, DecisionError};
use crate::model::Model;
use crate::optimise::constrained::{Constrained, ConstrainedError, Limit, Measure, ThresholdPolicy};
use crate::optimise::simplex::{Column, Mixture, cheapest_mixture};
use crate::optimise::{OptimiseError, named};

/// The least of a measure within limits that are kept for certain.
///
/// Prices and the dual value are those of a programme in which every policy is as good as it can be: no policy drawn at random
/// has less.
pub(in crate::optimise) fn constrained(
    model: &Model,
    set: &[usize],
    minimise: Measure,
    limits: &[Limit],
) -> Result<Constrained, ConstrainedError> {
    let mut race = Race::new(model, set, minimise, limits);
    enter(&mut race, false, LISTED)?;
    if !race.complete {
        return Err(ConstrainedError::TooMany);
    }
    race.narrow(&[&|_| true]);
    let Standing { leader, rivals, lower } = race.standing(&|_| true);
    let leader = leader.ok_or_else(|| nothing(&race, limits, rivals.is_empty()))?;
    race.refine(leader, ACCURACY);
    let Mixture { value: dual, multipliers, parts } = mixture(&race, limits, leader);
    let (value, interval) = reported(race.value(&race.entries[leader]));
    let mixture = parts.iter().map(|(weight, n)| (*weight, policy(&race, &race.entries[*n]))).collect();
    let best = policy(&race, &race.entries[leader]);
    let exact = rivals.is_empty();
    let lower = Some(if exact { value } else { lower.min(value) });
    Ok(Constrained { best, value, lower, interval, multipliers, dual, mixture, exact })
}

fn mixture(race: &Race<'_>, limits: &[Limit], leader: usize) -> Mixture {
    let column = |entry: &Entry| Column {
        cost: race.value(entry)[0],
        excess: limits.iter().map(|l| race.bounds(l.measure, &entry.appraisal)[0] - l.at_most).collect(),
    };
    let columns: Vec<Column> = race.entries.iter().map(column).collect();
    cheapest_mixture(&columns, leader)
}

fn policy(race: &Race<'_>, entry: &Entry) -> ThresholdPolicy {
    let (modes, thresholds) = named(race.model, race.set, &entry.staircase, true);
    let [good, bad] = entry.appraisal.averages.unwrap_or([NONE; 2]);
    let middle = |of: fn(&Averages) -> f64| f64::midpoint(of(&good), of(&bad));
    let averages = Averages {
        arrivals: middle(|a| a.arrivals),
        lost: middle(|a| a.lost),
        obsolete: middle(|a| a.obsolete),
        served: middle(|a| a.served),
        robots: middle(|a| a.robots),
        pages: middle(|a| a.pages),
        empty: middle(|a| a.empty),
    };
    ThresholdPolicy { modes, thresholds, averages }
}

const NONE: Averages =
    Averages { arrivals: 0.0, lost: 0.0, obsolete: 0.0, served: 0.0, robots: 0.0, pages: 0.0, empty: 0.0 };

/// Why no policy keeps the limits for certain.
fn nothing(race: &Race<'_>, limits: &[Limit], none_can: bool) -> ConstrainedError {
    if !none_can {
        return ConstrainedError::Undecided;
    }
    let over = |entry: &Entry, limit: &Limit| {
        race.bounds(limit.measure, &entry.appraisal)[0] / limit.at_most.max(1e-300) - 1.0
    };
    let excess = |entry: &Entry| limits.iter().map(|limit| over(entry, limit).max(0.0)).sum::<f64>();
    let Some(nearest) = race.entries.iter().min_by(|a, b| excess(a).total_cmp(&excess(b))) else {
        return OptimiseError::from(DecisionError::NothingIndexed).into();
    };
    let worst = limits.iter().max_by(|a, b| over(nearest, a).total_cmp(&over(nearest, b)));
    worst.map_or(OptimiseError::NoModes.into(), |limit| ConstrainedError::Infeasible {
        measure: limit.measure,
        reached: race.bounds(limit.measure, &nearest.appraisal)[0],
        at_most: limit.at_most,
    })
}
