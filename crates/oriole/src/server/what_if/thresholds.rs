//! What it would cost to have fewer robots from some number of documents in the buffer on.

use control::{Finishing, RobotPolicy};
use serde::Serialize;

use super::Settings;

/// Thresholds that are tried.
const TRIED: usize = 24;

/// Multiplications that may be made: a good part of a second.
const MOST_WORK: f64 = 1e9;

/// Costs of having all robots up to a number of documents in the buffer, and one above it.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Thresholds {
    /// Most robots, and places of the buffer.
    pub(super) robots: u32,
    pub(super) buffer: usize,
    /// Documents up to which all robots are wanted, and the cost.
    pub(super) curve: Vec<(usize, f64)>,
    /// The least cost of them, and where it is.
    pub(super) best: (usize, f64),
    /// What it costs to have always so many robots.
    pub(super) fixed: Vec<(u32, f64)>,
    /// What it costs never to have fewer.
    pub(super) always: f64,
}

/// The costs for these settings; none if there are too many states to be quick about it.
pub(super) fn solve(model: &Finishing, settings: &Settings, reserve: bool) -> Option<Thresholds> {
    let Settings { robots, buffer, .. } = *settings;
    let model = resized(model, robots, buffer)?.reserving(reserve);
    let phases = (model.service().order() * model.fetch().order()) as f64;
    let work = buffer as f64 * (f64::from(robots) * phases).powi(3);
    let tried = ((MOST_WORK / work) as usize).min(TRIED);
    if tried < 4 {
        return None;
    }
    let cost = |policy: RobotPolicy| Some(model.solve(&policy).ok()?.cost).filter(|cost| cost.is_finite());
    let at = |threshold: usize| {
        let wanted = (0..=buffer).map(|documents| if documents <= threshold { robots } else { 1 }).collect();
        cost(model.policy(wanted).ok()?).map(|cost| (threshold, cost))
    };
    let curve: Vec<(usize, f64)> = spread(buffer, tried).into_iter().filter_map(at).collect();
    let best = curve.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let always = cost(model.fixed(robots).ok()?)?;
    let fixed = [1, 2, 4, 8, 16, 32, 64].into_iter().filter(|number| *number < robots).chain([robots]);
    let fixed = fixed.filter_map(|number| Some((number, cost(model.fixed(number).ok()?)?))).collect();
    Some(Thresholds { robots, buffer, curve, best, fixed, always })
}

/// Some numbers from 0 to one below `end`, both included.
fn spread(end: usize, count: usize) -> Vec<usize> {
    let last = end.saturating_sub(1);
    let mut all: Vec<usize> = (0..count).map(|n| n * last / (count - 1).max(1)).collect();
    all.dedup();
    all
}

/// The same robots and indexer with other numbers of robots and places.
fn resized(model: &Finishing, robots: u32, buffer: usize) -> Option<Finishing> {
    let obsolescence = Some(model.obsolescence()).filter(|rate| *rate > 0.0);
    let (service, fetch) = (model.service().clone(), model.fetch().clone());
    let resized = Finishing::new(buffer, service, obsolescence, fetch, robots, *model.costs()).ok()?;
    // Where there is always work there is for more robots, too; else for no more.
    let known = model.at_work();
    let last = *known.last()?;
    let is_busy = last >= known.len() as f64 * (1.0 - 1e-6);
    let more = (known.len() + 1..=robots as usize).map(|number| if is_busy { number as f64 } else { last });
    let at_work: Vec<f64> = known.iter().copied().chain(more).take(robots as usize).collect();
    resized.bringing(model.brings()).ok()?.with_work(&at_work).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use control::{Costs, PhaseType};

    fn model() -> Finishing {
        let (service, fetch) = (PhaseType::exponential(10.0).unwrap(), PhaseType::exponential(2.0).unwrap());
        let costs = Costs { loss: 1.0, obsolete: 1.0, sojourn: 1.0, robot: 0.01, starvation: 10.0 };
        Finishing::new(10, service, Some(0.1), fetch, 8, costs).unwrap()
    }

    fn settings(robots: u32, buffer: usize) -> Settings {
        Settings { budget: None, robots, fixed: false, buffer }
    }

    #[test]
    fn the_ends_of_the_curve_are_fixed_numbers() {
        let found = solve(&model(), &settings(8, 10), false).unwrap();
        assert_eq!(found.curve.len(), 10);
        // All robots up to nine documents differ from always all only with the buffer full, where one is wanted.
        assert!(found.curve.iter().all(|(_, cost)| *cost >= found.best.1));
        assert_eq!(found.fixed.iter().map(|(robots, _)| *robots).collect::<Vec<_>>(), [1, 2, 4, 8]);
        assert_eq!(found.fixed.last().unwrap().1, found.always);
        let one = solve(&model(), &settings(1, 10), false).unwrap();
        assert!(one.curve.iter().all(|(_, cost)| (cost - one.always).abs() < 1e-9), "one robot is one robot: {one:?}");
    }

    #[test]
    fn other_sizes_are_other_systems() {
        let (small, large) = (solve(&model(), &settings(4, 5), true), solve(&model(), &settings(16, 40), true));
        let (small, large) = (small.unwrap(), large.unwrap());
        assert!(small.curve.last().unwrap().0 == 4 && large.curve.last().unwrap().0 == 39);
        assert!(large.curve.len() <= TRIED);
        assert!(solve(&model(), &settings(10_000, 100_000), true).is_none(), "too large to be quick about it");
    }

    #[test]
    fn thresholds_are_spread() {
        assert_eq!(spread(5, 24), [0, 1, 2, 3, 4]);
        assert_eq!(spread(1, 24), [0]);
        let many = spread(1_000, 24);
        assert_eq!((many.len(), many[0], many[23]), (24, 0, 999));
    }
}
