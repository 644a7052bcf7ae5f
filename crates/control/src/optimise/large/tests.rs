//! C-17, C-18 by bounds against exact costs.

use proptest::prelude::*;

use super::race::Race;
use super::*;
use crate::optimise::{Limit, constrained as exact_constrained, optimise as exact_optimise};
use crate::queue::by_size::tests::{paper_with, system};
use crate::queue::by_size::vectors::Law;
use crate::queue::solve;

fn all_modes(model: &Model) -> Vec<usize> {
    (0..model.arrivals().len()).collect()
}

/// A cost that is reported, exactly or between bounds, is the exact one.
fn assert_cost(cost: f64, interval: Option<[f64; 2]>, exact: f64) {
    let [low, high] = interval.unwrap_or([cost, cost]);
    assert!(low <= exact * (1.0 + 1e-9) && exact <= high * (1.0 + 1e-9), "{exact} {low} {high}");
    assert!(high - low <= 2.0 * ACCURACY * exact);
}

/// The race against dense blocks, for every set of modes; what is called proven is the best.
fn check(model: &Model) {
    let (exact, raced) =
        (exact_optimise(model, None).unwrap(), optimise(model, model, &all_modes(model), false).unwrap());
    assert_cost(raced.best.measures.cost, raced.best.interval, exact.best.measures.cost);
    assert!(raced.best.lower <= exact.best.measures.cost * (1.0 + 1e-9));
    assert_eq!(raced.fixed.len(), exact.fixed.len());
    for (got, wanted) in raced.fixed.iter().zip(&exact.fixed) {
        assert_eq!(got.robots, wanted.robots);
        assert_cost(got.cost, got.interval, wanted.cost);
    }
    assert_eq!(raced.by_modes.len(), exact.by_modes.len());
    for (got, wanted) in raced.by_modes.iter().zip(&exact.by_modes) {
        assert_eq!(got.modes, wanted.modes);
        let policy = RobotPolicy::thresholds(model, &got.modes, &got.thresholds).unwrap();
        let cost = solve(model, &policy).cost;
        assert_cost(got.cost, got.interval, cost);
        assert!(!got.exact || cost <= wanted.cost * (1.0 + 2e-9), "{got:?} {wanted:?}");
    }
}

#[test]
fn c17_the_race_finds_the_best_of_the_example() {
    for law in [Law::Hyper(1.0), Law::Erlang(2)] {
        check(&paper_with(law, 6));
    }
    let model = paper_with(Law::Erlang(3), 4);
    check(&model);
    let given = optimise(&model, &model, &[0, 3], true).unwrap();
    let exact = exact_optimise(&model, Some(&[4, 1])).unwrap();
    assert_eq!((given.by_modes.len(), &given.best.thresholds), (1, &exact.best.thresholds));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn c17_the_race_finds_the_best_of_random_systems((model, _) in (1usize..6, any::<bool>()).prop_flat_map(|(k, c)| system(2, c, k))) {
        check(&model);
    }
}

/// Too large for dense blocks: every threshold between two modes, each solved without a matrix.
#[test]
fn c17_beyond_dense_blocks() {
    let model = paper_with(Law::Hyper(1.0), 10);
    let cost = |threshold: usize| {
        let policy = RobotPolicy::thresholds(&model, &[3, 1], &[threshold]).unwrap();
        solve_to(&model, &policy, 0.01).unwrap().measures.cost
    };
    let costs: Vec<f64> = (0..=10).map(cost).collect();
    let least = (0..=10).min_by(|a, b| costs[*a].total_cmp(&costs[*b])).unwrap();
    let raced = exact_optimise(&model, Some(&[3, 1])).unwrap();
    assert_eq!((&raced.best.modes[..], &raced.best.thresholds[..]), (&[3, 1][..], &[least][..]));
    assert_cost(raced.best.measures.cost, raced.best.interval, costs[least]);
    // Proven, as all were tried.
    assert_eq!(raced.best.lower, raced.best.measures.cost);
    assert!(raced.by_modes[0].exact);
}

/// If not all policies can be listed the search finds the same here, and boxes prove it, or nearly.
#[test]
fn c17_search_by_bounds() {
    for law in [Law::Hyper(1.0), Law::Erlang(2)] {
        let model = paper_with(law, 6);
        let (set, exact) = (all_modes(&model), exact_optimise(&model, None).unwrap().best);
        let mut race = Race::new(&model, &set, Measure::Cost, &[]);
        enter(&mut race, false, 0.0).unwrap();
        assert!(!race.complete && race.entries.len() < count(&model, 4), "{} were tried", race.entries.len());
        race.narrow(&[&|_| true]);
        let best = best(&mut race).unwrap();
        assert_eq!((best.modes, best.thresholds), (exact.modes, exact.thresholds));
        let part = best.lower / exact.measures.cost;
        assert!(part <= 1.0 + 1e-9 && part > 0.998, "{part}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// C-17: no staircase costs less than boxes say, whatever is known of the best; and where all pages are exact they find it.
    #[test]
    fn c17_boxes_hold((model, _) in (1usize..5, any::<bool>()).prop_flat_map(|(k, c)| system(2, c, k))) {
        let (set, exact) = (all_modes(&model), exact_optimise(&model, None).unwrap().best.measures.cost);
        for known in [exact, 1.5 * exact] {
            let lower = boxes::lower(&model, &set, known);
            prop_assert!(lower <= exact * (1.0 + 1e-9), "{lower} {exact}");
            // Prices are searched for to 1e-4.
            prop_assert!(lower >= exact * (1.0 - 1e-3), "{lower} {exact}");
        }
    }
}

/// C-18: within a limit that the best policy breaks, against dense blocks; and beyond them the limit is kept.
#[test]
fn c18_limits_by_bounds() {
    let limits = [Limit { measure: Measure::Loss, at_most: 0.06 }];
    let model = paper_with(Law::Hyper(1.0), 5);
    let exact = exact_constrained(&model, None, Measure::Cost, &limits).unwrap();
    let raced = constrained(&model, &all_modes(&model), Measure::Cost, &limits).unwrap();
    assert_eq!((&raced.best.modes, &raced.best.thresholds), (&exact.best.modes, &exact.best.thresholds));
    assert_cost(raced.value, raced.interval, exact.value);
    assert!(raced.exact && raced.dual <= exact.dual * (1.0 + 1e-9));
    let impossible = [Limit { measure: Measure::Loss, at_most: 1e-6 }];
    let error = constrained(&model, &all_modes(&model), Measure::Cost, &impossible).unwrap_err();
    assert!(error.to_string().starts_with("no threshold policy keeps the limits"), "{error}");

    let model = paper_with(Law::Hyper(1.0), 9);
    let limits = [Limit { measure: Measure::Loss, at_most: 0.003 }];
    let raced = exact_constrained(&model, Some(&[3, 1]), Measure::Cost, &limits).unwrap();
    let policy = RobotPolicy::thresholds(&model, &raced.best.modes, &raced.best.thresholds).unwrap();
    let solved = solve_to(&model, &policy, 0.01).unwrap().measures;
    assert!(solved.p_loss <= 0.003);
    assert_cost(raced.value, raced.interval, solved.cost);
}
