//! What it would cost to have fewer robots from some number of documents in the buffer on.

use std::time::{Duration, Instant};

use control::{Finishing, RobotPolicy};
use serde::Serialize;

use super::Settings;

/// Thresholds that are tried.
const TRIED: usize = 24;

/// Fewer than this are no curve.
const LEAST_TRIED: usize = 4;

/// Multiplications that may be made: a second or two.
const MOST_WORK: f64 = 2e9;

/// What a state takes, in multiplications, however few others there are with as many documents.
const STATE: f64 = 8e3;

/// When it is given up, should the machine be slower than that.
const LONGEST: Duration = Duration::from_secs(10);

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
    let until = Instant::now() + LONGEST;
    let model = resized(model, robots, buffer)?.reserving(reserve);
    let few = [1, 2, 4, 8, 16, 32, 64].into_iter().filter(|number| *number < robots);
    let numbers: Vec<u32> = few.chain([robots]).collect();
    let tried = ((MOST_WORK / work(&model)) as usize).saturating_sub(numbers.len()).min(TRIED);
    if tried < LEAST_TRIED {
        return None;
    }
    let cost = |policy: RobotPolicy| {
        let measures = (Instant::now() < until).then(|| model.solve(&policy))?;
        Some(measures.ok()?.cost).filter(|cost| cost.is_finite())
    };
    let at = |threshold: usize| {
        let wanted = (0..=buffer).map(|documents| if documents <= threshold { robots } else { 1 }).collect();
        cost(model.policy(wanted).ok()?).map(|cost| (threshold, cost))
    };
    // What cannot be solved once cannot be solved again and again.
    let curve: Vec<(usize, f64)> = spread(buffer, tried).into_iter().map(at).collect::<Option<_>>()?;
    let best = curve.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1))?;
    let fixed = numbers.into_iter().map(|number| Some((number, cost(model.fixed(number).ok()?)?)));
    let fixed: Vec<(u32, f64)> = fixed.collect::<Option<_>>()?;
    let (_, always) = *fixed.last()?;
    Some(Thresholds { robots, buffer, curve, best, fixed, always })
}

/// Multiplications that it takes to solve the system under one policy, about. Up to the threshold all robots are under way; each
/// document more was brought by one that was not sent out again.
fn work(model: &Finishing) -> f64 {
    let (phases, fetch, robots) = (model.service().order() as f64, model.fetch().order(), model.most());
    let of = |fleets: f64| (phases * fleets).powi(3) + STATE * phases * fleets;
    let above = (1..=robots.min(model.buffer() as u32)).map(|left| of(multisets(fetch + 1, left)));
    model.buffer() as f64 * of(multisets(fetch, robots)) + above.sum::<f64>()
}

/// In how many ways so many robots can be in so many phases.
fn multisets(phases: usize, robots: u32) -> f64 {
    (1..phases).map(|phase| (f64::from(robots) + phase as f64) / phase as f64).product()
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

    /// A level takes time even if it has but one state.
    #[test]
    fn many_places_are_too_many_even_for_one_robot() {
        assert!(work(&resized(&model(), 1, 100_000).unwrap()) > 100_000.0 * STATE);
        for (robots, buffer) in [(1, 100_000), (2, 100_000), (4, 50_000), (64, 20_000)] {
            assert!(solve(&model(), &settings(robots, buffer), true).is_none(), "{robots} robots, {buffer} places");
        }
        let fetch = PhaseType::hyper_exponential(&[0.5, 0.5], &[1.0, 3.0]).unwrap();
        let (service, costs) = (model().service().clone(), *model().costs());
        let two_phases = Finishing::new(10, service, Some(0.1), fetch, 8, costs).unwrap();
        assert!(solve(&two_phases, &settings(64, 100), false).is_none(), "fleets of 64 robots in two phases");
    }

    #[test]
    fn robots_are_spread_over_phases() {
        assert_eq!([multisets(1, 9), multisets(2, 9), multisets(3, 2), multisets(3, 9)], [1.0, 10.0, 6.0, 55.0]);
    }

    #[test]
    fn thresholds_are_spread() {
        assert_eq!(spread(5, 24), [0, 1, 2, 3, 4]);
        assert_eq!(spread(1, 24), [0]);
        let many = spread(1_000, 24);
        assert_eq!((many.len(), many[0], many[23]), (24, 0, 999));
    }
}
