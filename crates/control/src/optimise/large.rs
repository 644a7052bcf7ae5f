//! Law C-17 where policies are too large for dense blocks: a race between certified bounds.

mod boxes;
mod limits;
mod race;
mod search;

pub(super) use limits::constrained;

use super::sets::{Sets, subsets};
use super::staircase::{all, count};
use super::{Best, ByModes, Fixed, Measure, OptimiseError, Optimum, named};
use crate::decision::DecisionError;
use crate::decision::process::Process;
use crate::model::{Model, RobotPolicy};
use crate::phase_type::PhaseType;
use crate::queue::certified::{Appraisal, MOST_STATES};
use crate::queue::guided::size;
use crate::queue::{Measures, TooLarge, cost_to, solve_to};
use race::{Entry, Group, Race, Standing};

/// Policies times states of the smallest chain, up to which all are compared.
const LISTED: f64 = 5e6;

/// Costs that are reported are known at least to this part of them, if that can be done.
const ACCURACY: f64 = 1e-3;

/// The best thresholds on a set of modes; if it was `given`, its first mode must be used and no other set is of interest. The
/// model may lack modes of the `whole` that are not in the set.
pub(super) fn optimise(whole: &Model, model: &Model, set: &[usize], given: bool) -> Result<Optimum, OptimiseError> {
    let mut race = Race::new(model, set, Measure::Cost, &[]);
    enter(&mut race, given, LISTED)?;
    let subsets = subsets(set, given);
    let on = |subset: &Vec<usize>| {
        let subset = subset.clone();
        move |entry: &Entry| entry.is_on(set, &subset)
    };
    let groups: Vec<_> = subsets.iter().map(on).collect();
    let everyone: Group<'_> = &|_| true;
    let all: Vec<Group<'_>> = std::iter::once(everyone).chain(groups.iter().map(|group| group as Group<'_>)).collect();
    race.narrow(&all);
    let best = best(&mut race)?;
    let mut by_modes: Vec<ByModes> =
        subsets.iter().zip(&groups).filter_map(|(subset, group)| by_set(&mut race, subset, group)).collect();
    if best.modes.len() > 1 && by_modes.iter().all(|found| found.modes != best.modes) && !given {
        let (modes, thresholds, cost) = (best.modes.clone(), best.thresholds.clone(), best.measures.cost);
        by_modes.push(ByModes { modes, thresholds, cost, interval: best.interval, exact: best.is_proven() });
    }
    Ok(Optimum { best, fixed: fixed(whole)?, by_modes })
}

/// Enters all staircases if that takes at most so many states, summed over them, or those that a search finds.
fn enter(race: &mut Race<'_>, given: bool, most: f64) -> Result<(), OptimiseError> {
    let (model, set, states) = (race.model, race.set, size(race.model, 1));
    if states > MOST_STATES {
        let phases = model.reduced_obsolescence().map_or(1, |law| law.order());
        return Err(TooLarge { phases, places: model.buffer(), states }.into());
    }
    if count(model, set.len()) as f64 * states <= most {
        race.enter(all(set.len(), model.buffer(), given));
        race.complete = true;
        return Ok(());
    }
    let alike = alike(model).ok_or(DecisionError::NothingIndexed)?;
    let process = Process::new(&alike)?;
    let Sets { best, by_set, .. } = Sets::of(&process, set, given).ok_or(DecisionError::NothingIndexed)?;
    let pairs: Vec<Vec<usize>> = subsets(set, given).into_iter().filter(|subset| subset.len() == 2).collect();
    if (pairs.len() * (model.buffer() + 1)) as f64 * states <= most {
        let places = all(2, model.buffer(), true);
        race.enter(pairs.iter().flat_map(|pair| places.iter().map(|s| s.among(pair, set))).collect());
        race.pairs_complete = true;
    }
    race.descend(best.staircase, set);
    for (subset, found, _) in by_set {
        race.descend(found.staircase.among(&subset, set), &subset);
    }
    Ok(())
}

/// The same system with an exponential law of obsolescence of the same mean: where to begin a search.
fn alike(model: &Model) -> Option<Model> {
    let law = PhaseType::exponential(1.0 / model.obsolescence()?.mean()).ok()?;
    let (service, arrivals) = (model.service().clone(), model.arrivals().to_vec());
    let alike = Model::new(model.buffer(), service, Some(law), arrivals, *model.costs()).ok()?;
    Some(alike.with_admission(model.admission()))
}

fn best(race: &mut Race<'_>) -> Result<Best, OptimiseError> {
    let (model, set) = (race.model, race.set);
    let Standing { leader, rivals, lower } = race.standing(&|_| true);
    let leader = leader.ok_or(DecisionError::NothingIndexed)?;
    race.refine(leader, ACCURACY);
    let entry = &race.entries[leader];
    let (modes, thresholds) = named(model, set, &entry.staircase, true);
    let [low, high] = entry.appraisal.cost;
    let solved = solve_to(model, &RobotPolicy::thresholds(model, &modes, &thresholds)?, ACCURACY)?;
    let again = Appraisal::of(&solved).cost;
    let known = [low.max(again[0]), high.min(again[1])];
    race.entries[leader].appraisal.cost = known;
    let (cost, interval) = reported(known);
    let lower = match (race.complete, rivals.is_empty()) {
        (false, _) => boxes::lower(model, set, known[1]),
        (true, false) => lower,
        (true, true) => f64::INFINITY,
    };
    let measures = Measures { cost, ..solved.measures };
    Ok(Best { modes, thresholds, measures, interval, lower: lower.min(known[0]) })
}

fn by_set(race: &mut Race<'_>, subset: &[usize], group: Group<'_>) -> Option<ByModes> {
    let Standing { leader, rivals, .. } = race.standing(group);
    let leader = leader?;
    race.refine(leader, ACCURACY);
    let entry = &race.entries[leader];
    let (modes, thresholds) = named(race.model, subset, &entry.staircase.among(race.set, subset), false);
    let (cost, interval) = reported(entry.appraisal.cost);
    let all_tried = race.complete || (subset.len() == 2 && race.pairs_complete);
    Some(ByModes { modes, thresholds, cost, interval, exact: all_tried && rivals.is_empty() })
}

/// Every fixed number of robots, ascending.
fn fixed(model: &Model) -> Result<Vec<Fixed>, TooLarge> {
    let of = |robots: u32| {
        let (cost, interval) = reported(cost_to(model, &model.fixed(robots), ACCURACY)?);
        Ok(Fixed { robots, cost, interval })
    };
    model.arrivals().iter().map(|(robots, _)| of(*robots)).collect()
}

/// The middle of bounds, and the bounds themselves unless they are one number up to rounding.
pub(super) fn reported([low, high]: [f64; 2]) -> (f64, Option<[f64; 2]>) {
    (f64::midpoint(low, high), (high - low > 1e-9 * high.abs()).then_some([low, high]))
}

#[cfg(test)]
mod tests;
