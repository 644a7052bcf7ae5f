//! C-11, C-12: times on arrays against dense blocks, Little's law and a closed form.

use proptest::prelude::*;

use super::*;
use crate::model::examples;
use crate::phase_type::PhaseType;
use crate::queue::by_size::tests::{paper_with, system};
use crate::queue::by_size::vectors::Law;
use crate::queue::solve_to;

const FATES: [Fate; 3] = [Fate::Served, Fate::Obsolete, Fate::Any];

fn on_arrays(model: &Model, policy: &RobotPolicy) -> Sojourn {
    let (watched, arrival_rate, residual) = matrix_free::watch(model, policy);
    assert!(residual < EXACT, "{residual}");
    Sojourn { form: Form::Arrays(Box::new(watched)), arrival_rate }
}

/// Moments, transforms and distributions of two forms: both are sums of positive terms, on stationary laws that agree to 1e-10.
fn assert_same(got: &Sojourn, wanted: &Sojourn) {
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs().max(1e-3);
    let mean = wanted.mean(Fate::Served);
    let (mut one, mut other) = (got.law(), wanted.law());
    for fate in FATES {
        for k in 0..=4 {
            assert!(close(got.moment(fate, k), wanted.moment(fate, k)), "{fate:?} {k}");
        }
        assert!(close(got.transform(fate, 0.7), wanted.transform(fate, 0.7)), "{fate:?}");
        for t in [0.0, 0.1, 1.0, 3.0, 30.0] {
            let (a, b) = (one.distribution(fate, t * mean), other.distribution(fate, t * mean));
            assert!(close(a, b), "{fate:?} {t}: {a} {b}");
        }
    }
}

#[test]
fn c12_arrays_agree_with_dense_blocks() {
    for (law, buffer) in [(Law::Hyper(1.0), 8), (Law::Erlang(2), 7), (Law::Erlang(3), 5), (Law::Erlang(2), 1)] {
        let model = paper_with(law, buffer);
        for policy in [model.fixed(4), RobotPolicy::thresholds(&model, &[4, 2, 1], &[0, 1]).unwrap()] {
            assert_same(&on_arrays(&model, &policy), &Sojourn::of(&model, &policy));
        }
    }
    let model = paper_with(Law::Hyper(7.0), 6);
    let (one, other) = (on_arrays(&model, &model.fixed(4)), Sojourn::of(&model, &model.fixed(4)));
    for fate in FATES {
        // Quantiles are found to 1e-10, where the distributions agree to 1e-9.
        assert!((one.quantile(fate, 0.9) / other.quantile(fate, 0.9) - 1.0).abs() < 1e-8);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// For any law, with cycles or without, any admission rule.
    #[test]
    fn c12_arrays_agree_on_random_systems(
        (two, first) in (1usize..6, any::<bool>()).prop_flat_map(|(k, c)| system(2, c, k)),
        (three, second) in (1usize..4, any::<bool>()).prop_flat_map(|(k, c)| system(3, c, k)),
    ) {
        assert_same(&on_arrays(&two, &first), &Sojourn::of(&two, &first));
        assert_same(&on_arrays(&three, &second), &Sojourn::of(&three, &second));
    }
}

/// Shares and means are those of the stationary law alone, which has them by flow balance and Little's law; the distribution
/// has that mean.
#[test]
fn c11_arrays_keep_littles_law() {
    let model = paper_with(Law::Erlang(2), 11);
    let policy = RobotPolicy::thresholds(&model, &[3, 1], &[2]).unwrap();
    let m = solve_to(&model, &policy, 0.01).unwrap().measures;
    let sojourn = Sojourn::by_size(&model, &policy).unwrap();
    for (fate, share, mean) in [
        (Fate::Served, m.p_success, m.sojourn_served),
        (Fate::Obsolete, m.p_obsolete, m.sojourn_obsolete),
        (Fate::Any, 1.0, m.sojourn),
    ] {
        assert!((sojourn.probability(fate) - share).abs() < 1e-10, "{fate:?}");
        assert!((sojourn.mean(fate) / mean - 1.0).abs() < 1e-9, "{fate:?}");
    }
    // E[T] = integral of P(T > t): trapezoids of 0.05 have an error of about 0.05^2/12 times the density at zero.
    let (mut law, step) = (sojourn.law(), 0.05);
    let tail = |n: u32, law: &mut SojournLaw<'_>| 1.0 - law.distribution(Fate::Served, f64::from(n) * step);
    let sum: f64 = (0..800).map(|n| tail(n, &mut law)).sum::<f64>() - 0.5;
    assert!((step * sum / m.sojourn_served - 1.0).abs() < 1e-3);
}

#[test]
fn too_many_states_are_refused() {
    let model = paper_with(Law::Erlang(2), 30);
    let error = Sojourn::by_size(&model, &model.fixed(3)).unwrap_err();
    assert!(error.to_string().contains("4.3e9 states are too many"), "{error}");
}

/// A page alone in the system stays as long as its service takes: a closed form, for rates that lie a billion apart.
#[test]
fn c12_rates_far_apart() {
    let service = PhaseType::hyper_exponential(&[0.5, 0.5], &[1e9, 1.0]).unwrap();
    let (paper, costs) = (examples::paper(1), examples::PAPER_COSTS);
    let model = Model::new(1, service, None, paper.arrivals().to_vec(), costs).unwrap();
    let sojourn = Sojourn::by_size(&model, &model.fixed(2)).unwrap();
    let mut law = sojourn.law();
    for t in [1e-10f64, 1e-9, 1e-7, 1e-3, 1.0, 20.0] {
        let wanted = -0.5 * (-1e9 * t).exp_m1() - 0.5 * (-t).exp_m1();
        assert!((law.distribution(Fate::Served, t) / wanted - 1.0).abs() < 1e-10, "{t}");
    }
    assert!((law.quantile(Fate::Served, 0.75) - 2f64.ln()).abs() < 1e-8);
    // A probability that is hardly a number takes no longer than others.
    assert!(law.quantile(Fate::Served, 1e-320) < 1e-300);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Doubling short times gives what steps of a clock give.
    #[test]
    fn c12_doubling_agrees_with_steps((model, policy) in system(2, true, 3), t in 0.01f64..20.0) {
        let sojourn = Sojourn::of(&model, &policy);
        let mut law = sojourn.law();
        let [served, obsolete] = law.by_doubling(t).unwrap();
        let wanted = [Fate::Served, Fate::Obsolete].map(|fate| law.ended_by(fate, t));
        prop_assert!((served - wanted[0]).abs() < 1e-12 * sojourn.arrival_rate);
        prop_assert!((obsolete - wanted[1]).abs() < 1e-12 * sojourn.arrival_rate);
    }
}
