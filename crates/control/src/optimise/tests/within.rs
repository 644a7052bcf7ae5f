//! C-18: the search within limits, what it proves, and bounds over all policies within limits.

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::constrained::{MEASURES, all, of};
use crate::arrivals::Bmap;
use crate::decision::markov_bound;
use crate::decision::process::Process;
use crate::model::{Costs, Model, RobotPolicy, examples};
use crate::optimise::constrained::Task;
use crate::optimise::{Limit, Measure, constrained, markov_bound_within, optimise, positions};
use crate::phase_type::PhaseType;
use crate::queue::solve;
use crate::random_models::random_model;

/// Measures that are sums of parts of the cost.
const BOUNDED: [Measure; 4] = [Measure::Cost, Measure::Robots, Measure::Starvation, Measure::Sojourn];

/// A limit taken from a policy drawn at random, so that some policy keeps it.
fn draw(rng: &mut Pcg64Mcg, model: &Model) -> Limit {
    let all = all(model);
    let measure = MEASURES[rng.random_range(0..6)];
    Limit { measure, at_most: of(measure, &all[rng.random_range(0..all.len())]) * 1.000_001 }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// C-18: the search beats no policy there is, its bound holds for all of them, and what it calls proven is the best; 1e-9
    /// relative, and 1e-6 for what is proven.
    #[test]
    fn c18_search_against_all_policies(seed in any::<u64>()) {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let model = random_model(&mut rng, 5);
        let limits = [draw(&mut rng, &model)];
        let process = Process::new(&model).unwrap();
        let set = positions(&model, None).unwrap();
        let minimise = BOUNDED[rng.random_range(0..4)];
        let task = Task { process: &process, set, minimise, limits: &limits };
        let (best, found) = (task.by_trying_all().unwrap(), task.by_search().unwrap());
        let rounding = 1e-9 * (1.0 + best.value.abs());
        prop_assert!(found.value >= best.value - rounding, "{} {}", found.value, best.value);
        prop_assert!(found.lower.unwrap() <= best.value + rounding, "{:?} {}", found.lower, best.value);
        prop_assert!(!found.is_proven() || (found.value - best.value).abs() <= 1e-6 * (1.0 + best.value.abs()));
        prop_assert!(found.is_proven(), "{} {:?}", found.value, found.lower);
    }

    /// C-18 with C-20: no threshold policy that keeps the limits is below the bound, which is not below that without limits;
    /// 1e-6 relative.
    #[test]
    fn c18_bound_within_limits(seed in any::<u64>()) {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let model = random_model(&mut rng, 4);
        let limits = [draw(&mut rng, &model), draw(&mut rng, &model)];
        let Ok(best) = constrained(&model, None, Measure::Cost, &limits) else { return Ok(()) };
        let bound = markov_bound_within(&model, Measure::Cost, &limits, &best.best.averages).unwrap().unwrap();
        let free = markov_bound(&model).unwrap().lower;
        prop_assert!(bound <= best.value * (1.0 + 1e-6), "{bound} {}", best.value);
        prop_assert!(bound >= free * (1.0 - 1e-6), "{bound} {free}");
    }
}

/// Nothing but one number of robots to choose from: bound and policy are one, even if the limit binds.
#[test]
fn c18_bound_of_a_single_policy() {
    let paper = examples::paper(5);
    let arrivals = paper.arrivals()[2..3].to_vec();
    let law = paper.obsolescence().cloned();
    let model = Model::new(5, paper.service().clone(), law, arrivals, *paper.costs()).unwrap();
    let only = solve(&model, &model.fixed(3));
    for (measure, value) in [(Measure::Loss, only.p_loss), (Measure::Obsolete, only.p_obsolete)] {
        let limits = [Limit { measure, at_most: value * (1.0 + 1e-9) }];
        let best = constrained(&model, None, Measure::Cost, &limits).unwrap();
        let bound = markov_bound_within(&model, Measure::Cost, &limits, &best.best.averages).unwrap().unwrap();
        // The bound is found to 1e-7.
        assert!((bound / only.cost - 1.0).abs() < 1e-6, "{bound} {}", only.cost);
    }
    let share = markov_bound_within(
        &model,
        Measure::Loss,
        &[],
        &constrained(&model, None, Measure::Loss, &[]).unwrap().best.averages,
    );
    assert_eq!(share.unwrap(), None);
}

/// Sixteen robots and few places: 54,264 policies, of which a search alone misses the best by some tenths of a percent. All are
/// tried; the search from neighbours comes within 0.1% of it, and its bound holds.
#[test]
fn c18_many_robots_and_few_places() {
    let arrivals = (1..=16).map(|r| (r, Bmap::poisson(0.25 * f64::from(r)).unwrap())).collect();
    let costs = Costs { loss: 1.0, obsolete: 1.0, sojourn: 0.5, robot: 0.2, starvation: 10.0 };
    let (service, law) = (PhaseType::exponential(1.5).unwrap(), PhaseType::exponential(0.3).unwrap());
    let model = Model::new(5, service, Some(law), arrivals, costs).unwrap();
    let least = optimise(&model, None).unwrap().best.measures;
    for part in [0.9, 0.7, 0.5] {
        let limits = [Limit { measure: Measure::Starvation, at_most: part * least.p_starvation }];
        let best = constrained(&model, None, Measure::Cost, &limits).unwrap();
        assert!(best.exact && best.is_proven());
        let process = Process::new(&model).unwrap();
        let set = positions(&model, None).unwrap();
        let found = Task { process: &process, set, minimise: Measure::Cost, limits: &limits }.by_search().unwrap();
        assert!((-1e-9..1e-3).contains(&(found.value / best.value - 1.0)), "{} {}", found.value, best.value);
        assert!(found.lower.unwrap() <= best.value * (1.0 + 1e-9), "{:?} {}", found.lower, best.value);
    }
}

/// Where a mode makes no difference but rounding, the policy without it is preferred, and it costs no more than the same number of
/// robots held all the time.
#[test]
fn c17_simplest_of_equal_policies() {
    // More robots always starve the indexer less, but a tenth of its speed hardly ever brings 30 pages together.
    let arrivals = (1..=4).map(|r| (r, Bmap::poisson(0.05 * f64::from(r)).unwrap())).collect();
    let costs = Costs { starvation: 1000.0, ..Costs::default() };
    let model = Model::new(30, PhaseType::exponential(2.0).unwrap(), None, arrivals, costs).unwrap();
    let optimum = optimise(&model, None).unwrap();
    assert_eq!((&optimum.best.modes[..], &optimum.best.thresholds[..]), (&[4][..], &[][..]));
    let fixed = optimum.fixed[3].cost;
    assert_eq!(optimum.best.measures.cost.to_bits(), fixed.to_bits());
    let policy = RobotPolicy::thresholds(&model, &[4, 1], &[25]).unwrap();
    assert!((solve(&model, &policy).cost / fixed - 1.0).abs() < 1e-9);
    let given = optimise(&model, Some(&[4, 1])).unwrap();
    assert_eq!(given.best.modes, [4]);
    let within = constrained(&model, None, Measure::Cost, &[Limit { measure: Measure::Loss, at_most: 0.5 }]).unwrap();
    assert_eq!(within.best.modes, [4]);
}
