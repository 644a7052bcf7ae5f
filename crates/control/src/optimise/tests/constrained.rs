//! C-18: limits, prices and curves against all policies one by one.

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::model::{Model, RobotPolicy, examples};
use crate::optimise::{Constrained, ConstrainedError, Limit, Measure, ThresholdPolicy, constrained, pareto};
use crate::queue::{Measures, solve};
use crate::random_models::random_model;

pub(super) const MEASURES: [Measure; 6] =
    [Measure::Loss, Measure::Obsolete, Measure::Starvation, Measure::Robots, Measure::Sojourn, Measure::Cost];

pub(super) fn of(measure: Measure, m: &Measures) -> f64 {
    match measure {
        Measure::Loss => m.p_loss,
        Measure::Obsolete => m.p_obsolete,
        Measure::Starvation => m.p_starvation,
        Measure::Robots => m.active_robots,
        Measure::Sojourn => m.sojourn_served,
        Measure::Cost => m.cost,
    }
}

/// All threshold policies through the queue's own solver.
pub(super) fn all(model: &Model) -> Vec<Measures> {
    let modes: Vec<u32> = model.arrivals().iter().rev().map(|(r, _)| *r).collect();
    let mut all = Vec::new();
    let mut ends = vec![0; modes.len() - 1];
    loop {
        let mode = |i: usize| modes[ends.iter().filter(|end| i >= **end).count()];
        let robots = (0..=model.buffer()).map(mode).collect();
        all.push(solve(model, &RobotPolicy::new(model, robots).unwrap()));
        let Some(last) = ends.iter().rposition(|end| *end <= model.buffer()) else { return all };
        let next = ends[last] + 1;
        ends[last..].fill(next);
    }
}

fn solved(model: &Model, policy: &ThresholdPolicy) -> Measures {
    solve(model, &RobotPolicy::thresholds(model, &policy.modes, &policy.thresholds).unwrap())
}

/// `max_mu min_j (cost_j + mu excess_j)` for one limit, by the lower hull: the best of single policies within the limit and of
/// mixtures of one within and one beyond that just keep it.
fn dual_by_hand(points: &[(f64, f64)]) -> f64 {
    let within = points.iter().filter(|p| p.1 <= 0.0);
    let single = within.clone().map(|p| p.0).fold(f64::INFINITY, f64::min);
    let beyond = || points.iter().filter(|p| p.1 > 0.0);
    let mixed = within.flat_map(|a| beyond().map(move |b| (a.0 * b.1 - b.0 * a.1) / (b.1 - a.1)));
    mixed.fold(single, f64::min)
}

fn check_mixture(model: &Model, found: &Constrained, minimise: Measure, limits: &[Limit]) -> Result<(), TestCaseError> {
    let average = |measure: Measure| -> f64 {
        found.mixture.iter().map(|(weight, policy)| weight * of(measure, &solved(model, policy))).sum()
    };
    prop_assert!((found.mixture.iter().map(|(weight, _)| weight).sum::<f64>() - 1.0).abs() < 1e-9);
    prop_assert!(found.mixture.len() <= limits.len() + 1);
    prop_assert!((average(minimise) - found.dual).abs() < 1e-8 * (1.0 + found.dual.abs()));
    for (limit, price) in limits.iter().zip(&found.multipliers) {
        let slack = limit.at_most - average(limit.measure);
        prop_assert!(slack > -1e-9 * (1.0 + limit.at_most) && *price >= 0.0);
        // What is not used up is free.
        prop_assert!(slack * price < 1e-6 * (1.0 + found.dual.abs()), "{slack} {price}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// C-18: the optimum keeps its limits and is the least of all that do; prices and mixture solve the dual; 1e-9 relative.
    #[test]
    fn c18_constrained_optimum_is_that_of_all_policies(seed in any::<u64>(), most in 1..=2usize) {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let model = random_model(&mut rng, 5);
        let all = all(&model);
        let mut pick = || MEASURES[rng.random_range(0..6)];
        let (minimise, limited) = (pick(), [pick(), pick()]);
        // Limits between the extremes, taken from a policy drawn at random, so that some policy keeps them.
        let drawn = &all[rng.random_range(0..all.len())];
        let limits: Vec<Limit> =
            limited[..most].iter().map(|measure| Limit { measure: *measure, at_most: of(*measure, drawn) * 1.000_001 }).collect();
        let keeps = |m: &&Measures| limits.iter().all(|limit| of(limit.measure, m) <= limit.at_most * (1.0 + 1e-11));
        let wanted = all.iter().filter(keeps).map(|m| of(minimise, m)).fold(f64::INFINITY, f64::min);
        let found = constrained(&model, None, minimise, &limits).unwrap();
        let measures = solved(&model, &found.best);
        prop_assert!(found.exact && keeps(&&measures));
        prop_assert!((found.value - wanted).abs() <= 1e-9 * (1.0 + wanted.abs()), "{} {wanted}", found.value);
        prop_assert!((of(minimise, &measures) - wanted).abs() <= 1e-9 * (1.0 + wanted.abs()));
        prop_assert!(found.gap() >= -1e-9 * (1.0 + wanted.abs()));
        check_mixture(&model, &found, minimise, &limits)?;
        if let [limit] = limits[..] {
            let points: Vec<(f64, f64)> = all.iter().map(|m| (of(minimise, m), of(limit.measure, m) - limit.at_most)).collect();
            prop_assert!((found.dual - dual_by_hand(&points)).abs() < 1e-8 * (1.0 + found.dual.abs()));
        }
    }

    /// C-18: a curve has every policy that no other beats in both measures, and no other.
    #[test]
    fn c18_pareto_curve(seed in any::<u64>()) {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let model = random_model(&mut rng, 5);
        let curve = pareto(&model, None, Measure::Robots, Measure::Starvation).unwrap();
        let points: Vec<(f64, f64)> = curve.iter().map(|policy| (policy.averages.robots, policy.averages.empty)).collect();
        prop_assert!(points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 > pair[1].1));
        for m in all(&model) {
            let beaten = |p: &&(f64, f64)| p.0 <= m.active_robots * (1.0 + 1e-9) && p.1 <= m.p_starvation * (1.0 + 1e-9);
            prop_assert!(points.iter().find(beaten).is_some());
        }
    }
}

#[test]
fn c18_loss_limited_in_the_example() {
    let model = examples::paper(5);
    let limits = [Limit { measure: Measure::Loss, at_most: 0.15 }];
    let found = constrained(&model, None, Measure::Cost, &limits).unwrap();
    assert!(found.best.averages.p_loss() <= 0.15 && found.value > 63.5425, "{found:?}");
    assert!(found.multipliers[0] > 0.0 && found.dual < found.value, "{found:?}");
    // A limit that does not bind is free and changes nothing.
    let loose = [Limit { measure: Measure::Loss, at_most: 0.9 }];
    let found = constrained(&model, Some(&[3, 1]), Measure::Cost, &loose).unwrap();
    assert_eq!((found.best.modes.as_slice(), found.best.thresholds.as_slice()), (&[3, 1][..], &[2][..]));
    assert!(found.multipliers == [0.0] && found.gap().abs() < 1e-9);
}

#[test]
fn c18_search_keeps_limits_in_a_large_buffer() {
    // 302,621 policies; the search must be no worse than the best of two modes, which is tried in full.
    let model = examples::paper(120);
    let limits =
        [Limit { measure: Measure::Starvation, at_most: 0.02 }, Limit { measure: Measure::Obsolete, at_most: 0.45 }];
    let found = constrained(&model, None, Measure::Cost, &limits).unwrap();
    let two = constrained(&model, Some(&[3, 1]), Measure::Cost, &limits).unwrap();
    assert!(!found.exact && two.exact && two.is_proven());
    assert!(found.lower.unwrap() <= found.value, "{found:?}");
    assert!(found.value <= two.value * (1.0 + 1e-9), "{} {}", found.value, two.value);
    assert!(found.best.averages.empty <= 0.02 && found.best.averages.p_obsolete() <= 0.45);
    assert!(found.dual <= found.value && pareto(&model, None, Measure::Robots, Measure::Starvation).unwrap().len() > 5);
}

#[test]
fn c18_limits_that_cannot_be_kept() {
    let model = examples::paper(5);
    let at_most = |at_most: f64| constrained(&model, None, Measure::Cost, &[Limit { measure: Measure::Loss, at_most }]);
    let error = at_most(0.001).unwrap_err();
    assert!(matches!(error, ConstrainedError::Infeasible { measure: Measure::Loss, reached, .. } if reached > 0.001));
    assert!(error.to_string().ends_with("allowed are 0.001: raise that limit"), "{error}");
    assert!(at_most(f64::NAN).is_err() && at_most(-1.0).is_err());
}
