//! C-20 with few exact pages against dense blocks.

use proptest::prelude::*;

use super::*;
use crate::decision::markov_bound;
use crate::model::RobotPolicy;
use crate::queue::by_size::tests::{paper_with, system};
use crate::queue::by_size::vectors::Law;
use crate::queue::solve;

/// Over all policies, or those of thresholds, with so many exact pages; searched for to 1e-5.
fn bounded(model: &Model, oldest: usize, nature: Nature) -> f64 {
    bound(model, &all_modes(model), (oldest, nature), 1e-5, (f64::INFINITY, MOST_SPLITS))
}

/// The exact bound, and those with 1, 2, ... exact pages, up to all.
fn check(model: &Model) {
    let exact = markov_bound(model).unwrap();
    let reached = exact.reached.unwrap().mixed;
    let mut last = f64::NEG_INFINITY;
    for oldest in 1..model.most_pages().max(2) {
        let lower = bounded(model, oldest, Nature::Free);
        assert!(lower <= reached * (1.0 + 1e-9), "{oldest}: {lower} {reached}");
        assert!(lower >= last - 3e-5 * reached, "{oldest}: {lower} {last}");
        last = lower;
    }
    assert!(last >= exact.lower - 3e-5 * reached, "{last} {}", exact.lower);
}

#[test]
fn c20_the_example_with_few_exact_pages() {
    for law in [Law::Hyper(1.0), Law::Erlang(2)] {
        let model = paper_with(law, 6);
        check(&model);
        // What one exact page leaves open.
        let exact = markov_bound(&model).unwrap().lower;
        assert!(bounded(&model, 1, Nature::Free) > 0.98 * exact);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn c20_random_systems_with_few_exact_pages((model, _) in (1usize..5, any::<bool>()).prop_flat_map(|(k, c)| system(2, c, k))) {
        check(&model);
    }

    /// Bound by age, nature is no better than free, and no threshold policy costs less than what is left.
    #[test]
    fn c20_nature_bound_by_age((model, _) in (2usize..6, any::<bool>()).prop_flat_map(|(k, c)| system(2, c, k))) {
        let best = (0..=model.buffer())
            .map(|threshold| solve(&model, &RobotPolicy::thresholds(&model, &[3, 1], &[threshold]).unwrap()).cost)
            .chain([solve(&model, &model.fixed(1)).cost])
            .fold(f64::INFINITY, f64::min);
        let [free, by_age] = [Nature::Free, Nature::BoundByAge].map(|nature| bounded(&model, 1, nature));
        prop_assert!(by_age <= best * (1.0 + 1e-9), "{by_age} {best}");
        prop_assert!(free <= by_age * (1.0 + 3e-5), "{free} {by_age}");
    }
}

/// Twelve places are too many for dense blocks. More places and fewer exact pages change little: with eight places the exact
/// bound is 77.0251 (hyper-exponential), and the best threshold policy found by others costs 91.12.
#[test]
fn c20_larger_than_dense_blocks() {
    let model = paper_with(Law::Hyper(1.0), 12);
    let bound = markov_bound(&model).unwrap();
    assert_eq!(bound.reached, None);
    assert!(bound.lower > 76.9 && bound.lower < 77.0251, "{bound:?}");
    let model = paper_with(Law::Erlang(6), 60);
    assert!(matches!(markov_bound(&model), Err(DecisionError::NoBound { .. })));
}
