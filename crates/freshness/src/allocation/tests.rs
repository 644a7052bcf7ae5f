//! F-4, F-6, F-7, F-8, F-10 and F-27 against closed forms, the optimality conditions and brute force.

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::cost::even_spacing_cost;
use crate::instance::Instance;
use crate::special::g;

fn laws() -> Vec<AccessTime> {
    vec![
        AccessTime::constant(1.0).unwrap(),
        AccessTime::exponential(1.0).unwrap(),
        AccessTime::gamma(2.5, 1.0).unwrap(),
        AccessTime::hyper_exponential(&[0.9, 0.1], &[0.2, 8.2]).unwrap(),
        AccessTime::lognormal(0.5, 1.1).unwrap(),
        AccessTime::empirical(&[0.1, 0.4, 0.5, 3.0]).unwrap(),
    ]
}

fn spread(n: usize, decades: f64, rng: &mut Pcg64Mcg) -> Vec<f64> {
    (0..n).map(|_| 10f64.powf(decades * (rng.random::<f64>() - 0.5))).collect()
}

fn instance(rates: &[f64], weights: &[f64], law: &AccessTime) -> Instance {
    Instance::new(&Pages::new(rates, weights).unwrap(), law)
}

/// The conditions of CLW (8), (9): sum one, equal gain where accessed, no more to gain where not.
fn check_kkt(instance: &Instance, allocation: &Allocation, tolerance: f64) {
    let sum: f64 = allocation.frequencies.iter().sum();
    assert!((sum - 1.0).abs() < tolerance, "sum {sum}");
    for ((&a, &b), &x) in instance.values().iter().zip(instance.decays()).zip(&allocation.frequencies) {
        assert!((0.0..=1.0 + 1e-12).contains(&x), "{x}");
        let gain = if x > 0.0 { a * g(b / x) } else { a };
        let miss = gain / allocation.multiplier - 1.0;
        assert!(if x > 0.0 { miss.abs() < tolerance } else { miss < tolerance }, "a {a} b {b} x {x} miss {miss}");
    }
}

#[test]
fn f4_closed_form_is_the_general_optimum_when_weights_follow_rates() {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    for law in laws() {
        for decades in [0.5, 4.0, 12.0] {
            let rates = spread(300, decades, &mut rng);
            let weights: Vec<f64> = rates.iter().map(|mu| 3.0 * mu).collect();
            let pages = Pages::new(&rates, &weights).unwrap();
            let closed = closed_form(&pages, &law).unwrap();
            let general = optimum(&Instance::new(&pages, &law));
            // Twelve digits: the two share nothing but the transform.
            assert!((general.cost / closed.cost - 1.0).abs() < 1e-12);
            assert!((general.multiplier / closed.multiplier - 1.0).abs() < 1e-12);
            for (x, y) in general.frequencies.iter().zip(&closed.frequencies) {
                assert!((x / y - 1.0).abs() < 1e-12, "{law:?} {x} {y}");
            }
        }
    }
}

#[test]
fn f4_closed_form_is_the_formula_as_printed() {
    let (rates, law) = ([0.3, 0.1, 0.05], AccessTime::exponential(1.0).unwrap());
    let closed = closed_form(&Pages::new(&rates, &rates).unwrap(), &law).unwrap();
    let product: f64 = rates.iter().map(|mu| 1.0 / (1.0 + mu)).product();
    assert!((closed.cost - (0.45 - 1.0 + product)).abs() < 1e-15);
    let wrong = closed_form(&Pages::new(&rates, &[0.3, 0.1, 0.06]).unwrap(), &law);
    assert_eq!(wrong, Err(AllocationError::NotProportional { page: 2 }));
}

#[test]
fn f6_cho_and_garcia_molina() {
    // Five pages that change 1..5 times a day, equal weights, five accesses a day (ACM TODS 28(4), 2003, table 3).
    let rates = [1.0, 2.0, 3.0, 4.0, 5.0];
    let plan = optimum(&instance(&rates, &[1.0; 5], &AccessTime::constant(0.2).unwrap()));
    for (x, printed) in plan.frequencies.iter().zip([1.15, 1.36, 1.35, 1.14, 0.0]) {
        assert!((5.0 * x - printed).abs() < 0.005, "{x} {printed}");
    }
}

#[test]
fn f6_optimality_conditions_hold_over_twelve_decades() {
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    for law in laws() {
        for n in [1, 2, 10, 1_000, 100_000] {
            let (rates, weights) = (spread(n, 12.0, &mut rng), spread(n, 12.0, &mut rng));
            // From far more pages than accesses to far more accesses than changes.
            for budget in [1e-3, 1.0, 1e5] {
                let law = law_for_budget(&law, budget * n as f64).unwrap();
                let instance = instance(&rates, &weights, &law);
                check_kkt(&instance, &optimum(&instance), 1e-10);
            }
        }
    }
}

#[test]
fn f6_a_page_of_no_use_gets_nothing() {
    let law = AccessTime::constant(0.1).unwrap();
    let plan = optimum(&instance(&[1.0, 0.0, 1.0, 1e9], &[1.0, 1.0, 0.0, 1.0], &law));
    assert!((plan.frequencies[0] - 1.0).abs() < 1e-14);
    assert_eq!(plan.frequencies[1..], [0.0, 0.0, 0.0]);
    let idle = optimum(&instance(&[0.0, 1.0], &[1.0, 0.0], &law));
    assert_eq!((idle.frequencies, idle.multiplier, idle.cost), (vec![0.0, 0.0], 0.0, 0.0));
}

#[test]
fn f6_one_page_gets_everything_however_fast_it_changes() {
    for mu in [1e-12, 1.0, 50.0, 800.0, 1e9] {
        let plan = optimum(&instance(&[mu], &[1.0], &AccessTime::constant(1.0).unwrap()));
        assert_eq!(plan.frequencies, [1.0]);
    }
    // The faster one is worth less per access and takes what is left, though its multiplier equals its value to all digits.
    let instance = instance(&[1e-6, 1e6], &[1e-6, 5e5], &AccessTime::constant(1.0).unwrap());
    let plan = optimum(&instance);
    check_kkt(&instance, &plan, 1e-12);
    assert!(plan.frequencies[0] > 1e-7 && plan.frequencies[1] > 0.99, "{plan:?}");
}

/// Least cost over a fine grid of frequencies of three pages.
fn brute_force(instance: &Instance, cost: impl Fn(f64, f64) -> f64) -> f64 {
    let steps = 1_000;
    let mut least = f64::INFINITY;
    for i in 0..=steps {
        for j in 0..=steps - i {
            let x = [i, j, steps - i - j].map(|k| f64::from(k) / f64::from(steps));
            let pages = instance.values().iter().zip(instance.decays()).zip(x);
            let total: f64 = pages.map(|((a, b), x)| a * cost(*b, x)).sum();
            least = least.min(instance.unavoidable_cost() + total);
        }
    }
    least
}

#[test]
fn f6_and_f10_agree_with_brute_force() {
    for law in laws() {
        for weights in [[1.0, 1.0, 1.0], [0.2, 1.0, 5.0], [5.0, 1.0, 0.2]] {
            let instance = instance(&[0.2, 1.0, 3.0], &weights, &law);
            let even = |b: f64, x: f64| if x > 0.0 { x * phi(b / x) } else { b };
            let random = |b: f64, x: f64| b - if x > 0.0 { x * b.exp_m1() / (b.exp_m1() + x) } else { 0.0 };
            for (ours, grid) in [
                (optimum(&instance).cost, brute_force(&instance, even)),
                (randomised_optimum(&instance).cost, brute_force(&instance, random)),
            ] {
                // The grid is off by half a step at most, where the cost is flat to first order.
                assert!(ours <= grid * (1.0 + 1e-12) && ours > grid - 1e-5, "{law:?} {weights:?} {ours} {grid}");
            }
        }
    }
}

#[test]
fn f10_is_16_when_weights_follow_rates() {
    for law in laws() {
        let rates = [0.01, 0.3, 2.0, 7.0];
        let plan = randomised_optimum(&instance(&rates, &rates, &law));
        let odds: Vec<f64> = rates.iter().map(|&mu| law.decay(mu).exp_m1()).collect();
        let sum: f64 = odds.iter().sum();
        for (x, e) in plan.frequencies.iter().zip(&odds) {
            assert!((x / (e / sum) - 1.0).abs() < 1e-12);
        }
        let printed = rates.iter().sum::<f64>() - sum / (1.0 + sum) / law.mean();
        assert!((plan.cost / printed - 1.0).abs() < 1e-12, "{} {printed}", plan.cost);
    }
}

#[test]
fn f10_pages_of_enormous_rate_take_what_is_left() {
    let law = AccessTime::constant(1.0).unwrap();
    let equal = randomised_optimum(&instance(&[900.0, 900.0], &[900.0, 900.0], &law));
    assert!((equal.frequencies[0] - 0.5).abs() < 1e-12, "{equal:?}");
    let plan = randomised_optimum(&instance(&[0.5, 1000.0], &[1.0, 1000.0], &law));
    assert!((plan.frequencies.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    // sqrt(a_1/a_2) - 1 times (1/h - 1): the multiplier is the value of the second page.
    let wanted = (f64::sqrt(2.0) - 1.0) * 0.5f64.exp_m1();
    assert!((plan.frequencies[0] / wanted - 1.0).abs() < 1e-12, "{plan:?}");
}

#[test]
fn the_most_extreme_numbers_are_survived() {
    let extremes = [0.0, 1e-60, 1e-40, 1e-20, 1e-8, 1.0, 1e8, 1e20, 1e40, 1e60];
    let pairs: Vec<(f64, f64)> = extremes.iter().flat_map(|&mu| extremes.map(|c| (mu, c))).collect();
    let (rates, weights): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
    for mean in [1e-58, 1e-30, 1e-10, 1.0, 1e10, 1e30, 1e58] {
        for law in laws() {
            let instance = instance(&rates, &weights, &law.scaled(mean).unwrap());
            for (which, plan) in [optimum(&instance), randomised_optimum(&instance)].iter().enumerate() {
                let sum: f64 = plan.frequencies.iter().sum();
                assert!((sum - 1.0).abs() < 1e-9, "{which} {mean:e} {law:?}: {sum}");
                assert!(plan.frequencies.iter().all(|x| (0.0..=1.0 + 1e-9).contains(x)));
            }
        }
    }
}

#[test]
fn f7_limits_bind_where_they_must() {
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    let n = 400;
    let (rates, weights) = (spread(n, 3.0, &mut rng), spread(n, 3.0, &mut rng));
    let host_of: Vec<u32> = (0..n).map(|_| rng.random_range(0..8)).collect();
    let instance = instance(&rates, &weights, &AccessTime::constant(0.01).unwrap());
    let free = optimum(&instance);
    let limits = HostLimits::new(&host_of, vec![0.14, 0.14, 0.14, 0.14, 0.14, 0.14, 0.14, 0.14]).unwrap();
    let plan = optimum_with_limits(&instance, &limits).unwrap();
    let x = &plan.allocation.frequencies;
    assert!((x.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert!(plan.allocation.cost >= free.cost);
    assert!(plan.bound.iter().any(|b| *b) && plan.bound.iter().any(|b| !*b), "{:?}", plan.bound);
    for host in 0..8 {
        let used: f64 = (0..n).filter(|&i| host_of[i] == host as u32).map(|i| x[i]).sum();
        assert!(used <= 0.14 + 1e-12);
        assert_eq!(plan.bound[host], used > 0.14 - 1e-9, "{host} {used}");
        let more = plan.host_multipliers[host] / plan.allocation.multiplier - 1.0;
        assert!(if plan.bound[host] { more > 0.0 } else { more.abs() < 1e-12 });
    }
    for i in 0..n {
        let (a, b) = (instance.values()[i], instance.decays()[i]);
        let gain = if x[i] > 0.0 { a * g(b / x[i]) } else { a };
        let miss = gain / plan.host_multipliers[host_of[i] as usize] - 1.0;
        assert!(if x[i] > 0.0 { miss.abs() < 1e-10 } else { miss < 1e-10 }, "{miss}");
    }
}

#[test]
fn f7_extreme_limits() {
    let instance = instance(&[1.0, 2.0, 3.0], &[1.0; 3], &AccessTime::constant(0.3).unwrap());
    let with = |limits: &[f64]| optimum_with_limits(&instance, &HostLimits::new(&[0, 0, 1], limits.to_vec()).unwrap());
    assert_eq!(with(&[f64::INFINITY; 2]).unwrap().allocation, optimum(&instance));
    assert_eq!(with(&[0.5, 0.4]), Err(AllocationError::LimitsTooLow { usable: 0.9 }));
    let tight = with(&[0.5, 0.5]).unwrap();
    assert!((tight.allocation.frequencies[2] - 0.5).abs() < 1e-14 && tight.bound == [true, true]);
    let closed = with(&[1.0, 0.0]).unwrap();
    assert_eq!(closed.allocation.frequencies[2], 0.0);
    assert!(HostLimits::new(&[0], vec![f64::NAN]).is_err());
}

#[test]
fn f8_budget_and_cost_are_inverse_to_each_other() {
    let mut rng = Pcg64Mcg::seed_from_u64(4);
    let (rates, weights) = (spread(200, 4.0, &mut rng), spread(200, 2.0, &mut rng));
    let pages = Pages::new(&rates, &weights).unwrap();
    for law in laws() {
        for budget in [1e-3, 10.0, 1e4] {
            let cost = optimum(&Instance::new(&pages, &law_for_budget(&law, budget).unwrap())).cost;
            let back = least_budget(&pages, &law, cost, None).unwrap();
            let (allocation, scaled) = (back.allocation.unwrap(), back.law.unwrap());
            assert!((allocation.cost / cost - 1.0).abs() < 1e-10);
            assert!((scaled.mean() * back.budget - 1.0).abs() < 1e-14);
            // With little budget the cost hardly depends on it, so the budget is known less well than the cost.
            assert!((back.budget / budget - 1.0).abs() < if budget < 1.0 { 1e-3 } else { 1e-8 }, "{}", back.budget);
        }
    }
}

#[test]
fn f8_answers_at_the_ends() {
    let pages = Pages::new(&[1.0, 0.0], &[1.0, 5.0]).unwrap();
    let law = AccessTime::constant(1.0).unwrap();
    assert_eq!(least_budget(&pages, &law, 1.0, None).unwrap().budget, 0.0);
    assert!(matches!(least_budget(&pages, &law, 0.0, None), Err(AllocationError::Unreachable { .. })));
    // One access a day to each of two hosts leaves page 0 stale for 1 - (1 - 1/e) = 0.368 of the time.
    let limits = HostLimits::new(&[0, 1], vec![1.0, 1.0]).unwrap();
    match least_budget(&pages, &law, 0.3, Some(&limits)) {
        Err(AllocationError::Unreachable { least, .. }) => assert!((least - (-1f64).exp()).abs() < 1e-12, "{least}"),
        other => panic!("{other:?}"),
    }
    let enough = least_budget(&pages, &law, 0.4, Some(&limits)).unwrap();
    assert!(enough.budget < 1.0 && (enough.allocation.unwrap().cost - 0.4).abs() < 1e-10);
}

#[test]
fn f27_bins_come_close_and_shards_add_up() {
    let mut rng = Pcg64Mcg::seed_from_u64(5);
    let n = 50_000;
    let (rates, weights) = (spread(n, 6.0, &mut rng), spread(n, 6.0, &mut rng));
    let law = AccessTime::exponential(0.001).unwrap();
    let pages = Pages::new(&rates, &weights).unwrap();
    let exact = optimum(&Instance::new(&pages, &law));
    let whole = PartialSums::of(&pages, &law);
    let multiplier = whole.multiplier();
    assert!((multiplier.value() / exact.multiplier - 1.0).abs() < 1e-4, "{} {}", multiplier.value(), exact.multiplier);
    assert!((whole.lower_bound(&multiplier) / exact.cost - 1.0).abs() < 1e-4);
    assert!((whole.total_weight() / pages.total_weight() - 1.0).abs() < 1e-12);

    let mut shards = PartialSums::new();
    for range in [0..20_000, 20_000..20_001, 20_001..n] {
        shards.merge(&PartialSums::of(&Pages::new(&rates[range.clone()], &weights[range]).unwrap(), &law));
    }
    assert!((shards.multiplier().value() / multiplier.value() - 1.0).abs() < 1e-12);
    assert_eq!(shards.pages(), n as u64);

    // Exact over shards: only demands travel.
    let parts: Vec<Instance> =
        [0..30_000, 30_000..n].map(|r| instance(&rates[r.clone()], &weights[r], &law)).into_iter().collect();
    let sharded = solve_demand(shards.multiplier_with_top(exact_top(&parts)), |m| {
        parts.iter().map(|part| m.demand(part.values(), part.decays())).sum()
    });
    assert!((sharded.value() / exact.multiplier - 1.0).abs() < 1e-12);
}

fn exact_top(parts: &[Instance]) -> f64 {
    parts.iter().flat_map(|part| part.values()).copied().fold(0.0, f64::max)
}

proptest! {
    /// F-27: adding and removing pages one by one gives the sums of what is left.
    #[test]
    fn f27_incremental(seed in 0u64..1_000) {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let (rates, weights) = (spread(60, 8.0, &mut rng), spread(60, 8.0, &mut rng));
        let law = AccessTime::gamma(2.0, 0.5).unwrap();
        let terms: Vec<PageTerm> = rates.iter().zip(&weights).map(|(&mu, &c)| PageTerm::new(mu, c, &law)).collect();
        let mut sums = PartialSums::new();
        terms.iter().for_each(|term| sums.add(term));
        terms[..30].iter().for_each(|term| sums.remove(term));
        let left = PartialSums::of(&Pages::new(&rates[30..], &weights[30..]).unwrap(), &law);
        prop_assert_eq!(sums.pages(), 30);
        let (ours, wanted) = (sums.multiplier(), left.multiplier());
        prop_assert!((ours.value() / wanted.value() - 1.0).abs() < 1e-9);
    }

    /// More budget never costs more, and every other allocation costs at least as much as the optimum.
    #[test]
    fn f6_is_a_minimum(seed in 0u64..10_000) {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let (rates, weights) = (spread(12, 6.0, &mut rng), spread(12, 6.0, &mut rng));
        let law = AccessTime::gamma(0.7, 10f64.powf(rng.random_range(-4.0..2.0))).unwrap();
        let instance = instance(&rates, &weights, &law);
        let best = optimum(&instance);
        let mut other: Vec<f64> = (0..12).map(|_| rng.random::<f64>().powi(8)).collect();
        let sum: f64 = other.iter().sum();
        other.iter_mut().for_each(|x| *x /= sum);
        prop_assert!(best.cost <= even_spacing_cost(&instance, &other) * (1.0 + 1e-13));
        prop_assert!(best.cost <= randomised_optimum(&instance).cost * (1.0 + 1e-13));
        let more = optimum(&Instance::new(&Pages::new(&rates, &weights).unwrap(), &law.scaled(0.5).unwrap()));
        prop_assert!(more.cost <= best.cost * (1.0 + 1e-13));
    }
}
