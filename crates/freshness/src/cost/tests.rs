use proptest::prelude::*;
use rand::RngExt;
use rand::SeedableRng;
use rand_pcg::Pcg64;

use super::*;
use crate::access_time::AccessTime;
use crate::pages::Pages;
use crate::policy::PageId;

fn instance(rates: &[f64], weights: &[f64], law: &AccessTime) -> Instance {
    Instance::new(&Pages::new(rates, weights).unwrap(), law)
}

fn assert_close(left: f64, right: f64, relative: f64) {
    assert!((left - right).abs() <= relative * right.abs(), "{left} and {right}");
}

/// Laws with mean one, each no smaller than the one before in the increasing convex order.
fn laws_of_mean_one() -> Vec<AccessTime> {
    let gamma = |shape| AccessTime::gamma(shape, 1.0).unwrap();
    vec![AccessTime::constant(1.0).unwrap(), gamma(5.0), gamma(2.0), gamma(1.0), gamma(0.3)]
}

/// The printed formula of CLW, right only where it does not cancel: `r = 1 - (x/q) (1 - last)`.
fn printed(q: f64, x: f64, last: f64) -> f64 {
    1.0 - x / q * (1.0 - last)
}

#[test]
fn f3_even_spacing_is_the_mean_of_the_stale_probability() {
    // With constant X = 1 and accesses every T = 1/x, r = (1/T) int_0^T (1 - e^(-mu t)) dt. Midpoint rule: error ~ 1e-11.
    for (mu, x) in [(0.3, 0.25), (1e-4, 0.5), (2.0, 0.1), (1e-6, 1e-3)] {
        let (period, nodes) = (1.0 / x, 200_000);
        let node = |k: i32| -(-mu * period * (f64::from(k) + 0.5) / f64::from(nodes)).exp_m1();
        let mean = (0..nodes).map(node).sum::<f64>() / f64::from(nodes);
        assert_close(even_spacing_stale(mu, mu, 0.0, x), mean, 1e-10);
    }
}

#[test]
fn f9_randomised_is_the_sum_over_geometric_gaps() {
    for (b, x) in [(0.2_f64, 0.3_f64), (1e-5, 0.05), (3.0, 0.9), (1e-9, 1.0)] {
        let gaps = (1..).map(f64::from).take_while(|&d| x * (1.0 - x).powf(d - 1.0) > 1e-22);
        let psi: f64 = gaps.map(|d| x * x * (1.0 - x).powf(d - 1.0) * phi(b * d)).sum();
        assert_close(randomised_psi(b, x), psi, 1e-12);
    }
}

#[test]
fn stale_fractions_agree_with_the_printed_formulas() {
    for law in laws_of_mean_one() {
        for (mu, x) in [(0.5, 0.2), (2.0, 0.7), (0.1, 0.01), (20.0, 0.3)] {
            let (b, deficit, h) = (law.decay(mu), law.deficit(mu), law.transform(mu));
            let even = even_spacing_stale(mu, b, deficit, x);
            assert_close(even, printed(mu, x, h.powf(1.0 / x)), 1e-13);
            let randomised = randomised_stale(mu, b, deficit, x);
            assert_close(randomised, printed(mu, x, x * h / (1.0 - h + x * h)), 1e-13);
            assert!(even < randomised);
        }
    }
}

#[test]
fn stale_fractions_at_their_ends() {
    for stale in [even_spacing_stale, randomised_stale] {
        assert_eq!(stale(0.0, 0.0, 0.0, 0.5), 0.0);
        assert_eq!(stale(0.0, 0.0, 0.0, 0.0), 0.0);
        assert_eq!(stale(0.3, 0.2, 0.1, 0.0), 1.0);
        // Hardly any access, one that overflows 1/x, and a page that always changes before it is seen again.
        assert_close(stale(0.3, 0.3, 0.0, 1e-12), 1.0 - 1e-12 / 0.3, 1e-15);
        assert_eq!(stale(0.3, 0.3, 0.0, 1e-310), 1.0);
        assert_close(stale(800.0, 800.0, 0.0, 1.0), 1.0 - 1.0 / 800.0, 1e-15);
        // Accessed all the time and hardly changing: q/2, far below what the printed formulas resolve.
        assert_close(stale(1e-14, 1e-14, 0.0, 1.0), 5e-15, 1e-13);
        assert_close(stale(1e-7, 1e-7, 0.0, 1.0), 0.5e-7 * (1.0 - 1e-7 / 3.0), 1e-13);
    }
}

#[test]
fn f4_even_spacing_at_the_closed_form_is_theorem_3_4() {
    let rates = [0.05, 0.4, 1.3, 2.0];
    for law in laws_of_mean_one() {
        let weights = rates.map(|mu| 3.0 * mu);
        let instance = instance(&rates, &weights, &law);
        let total: f64 = instance.decays().iter().sum();
        let frequencies: Vec<f64> = instance.decays().iter().map(|b| b / total).collect();
        let product: f64 = rates.iter().map(|&mu| law.transform(mu)).product();
        let bound = 3.0 * (rates.iter().sum::<f64>() - 1.0 + product);
        assert_close(even_spacing_cost(&instance, &frequencies), bound, 1e-14);
    }
}

#[test]
fn many_pages_limit_is_where_finite_instances_go() {
    // CLW (17): the distance to the limit falls as 1/N. With exponential X it is, to first order, c0 e^-q sum q_i^2/2.
    let law = AccessTime::exponential(1.0).unwrap();
    for n in [10, 100, 1_000, 10_000] {
        let rates: Vec<f64> = (0..n).map(|i| 0.8 * f64::from(1 + i % 3)).collect();
        let q: f64 = rates.iter().sum();
        let rates: Vec<f64> = rates.iter().map(|mu| 0.8 * mu / q).collect();
        let instance = instance(&rates, &rates, &law);
        let total: f64 = instance.decays().iter().sum();
        let frequencies: Vec<f64> = instance.decays().iter().map(|b| b / total).collect();
        let excess = even_spacing_cost(&instance, &frequencies) - many_pages_limit(0.8, 0.8);
        let expected = (-0.8_f64).exp() * rates.iter().map(|mu| mu * mu / 2.0).sum::<f64>();
        assert!((excess / expected - 1.0).abs() < 2.0 / f64::from(n), "{n}: {excess} {expected}");
    }
    assert_eq!(many_pages_limit(1.0, 0.0), 0.0);
}

#[test]
fn f11_cyclic_cost_is_lemma_3_1_with_3() {
    let (rates, weights) = ([0.3, 0.1, 0.7, 0.2], [1.0, 2.0, 0.5, 4.0]);
    let law = AccessTime::gamma(2.0, 1.5).unwrap();
    // Page 3 does not occur. Gaps: page 0: 2, 3; page 1: 5; page 2: 1, 4.
    let schedule = [0, 1, 0, 2, 2];
    let gaps: [&[i32]; 3] = [&[2, 3], &[5], &[1, 4]];
    let mut cost = weights[3];
    for i in 0..3 {
        let h = law.transform(rates[i]);
        let current: f64 = gaps[i].iter().map(|&d| 1.0 - h.powi(d)).sum();
        cost += weights[i] * (1.0 - current / (5.0 * rates[i] * 1.5));
    }
    let instance = instance(&rates, &weights, &law);
    assert_close(cyclic_cost(&instance, &schedule), cost, 1e-14);
    assert_close(cyclic_cost(&instance, &[]), 7.5, 1e-15);
}

#[test]
fn f11_agrees_with_a_simulation_of_changes() {
    // Poisson changes, exponential access times. The standard error is estimated from 40 batches; 4 of them is 1 in 16,000.
    let (rates, weights, schedule) = ([0.1, 0.5], [2.0, 1.0], [0_u32, 1, 1, 0, 1]);
    let law = AccessTime::exponential(0.8).unwrap();
    let exact = cyclic_cost(&instance(&rates, &weights, &law), &schedule);
    let mut rng = Pcg64::seed_from_u64(1);
    let batches: Vec<f64> = (0..40).map(|_| simulate(&rates, &weights, &schedule, &law, 4_000, &mut rng)).collect();
    let mean = batches.iter().sum::<f64>() / 40.0;
    let variance = batches.iter().map(|cost| (cost - mean).powi(2)).sum::<f64>() / 39.0;
    let error = (variance / 40.0).sqrt();
    assert!((mean - exact).abs() < 4.0 * error, "{mean} +- {error}, exact {exact}");
    // The test has power: the cost with accesses taken to be evenly spaced lies outside.
    let even = even_spacing_cost(&instance(&rates, &weights, &law), &[0.4, 0.6]);
    assert!((mean - even).abs() > 4.0 * error, "{mean} +- {error}, even {even}");
}

fn simulate(rates: &[f64], weights: &[f64], schedule: &[u32], law: &AccessTime, cycles: usize, rng: &mut Pcg64) -> f64 {
    let exponential = |rng: &mut Pcg64, rate: f64| -(1.0 - rng.random::<f64>()).ln() / rate;
    let (mut now, mut cost) = (0.0, 0.0);
    let mut change: Vec<f64> = rates.iter().map(|&mu| exponential(rng, mu)).collect();
    for &page in std::iter::repeat_n(schedule, cycles).flatten() {
        now += law.sample(rng);
        let i = page as usize;
        cost += weights[i] * (now - change[i]).max(0.0);
        change[i] = now + exponential(rng, rates[i]);
    }
    cost / now
}

#[test]
fn f11_a_window_of_whole_cycles_costs_what_the_cycle_does() {
    let (rates, weights) = ([0.3, 0.001, 0.7, 5.0], [1.0, 2.0, 0.5, 4.0]);
    let instance = instance(&rates, &weights, &AccessTime::exponential(1.0).unwrap());
    let schedule = [0, 1, 0, 2, 3, 2, 0, 3];
    let exact = cyclic_cost(&instance, &schedule);
    let sequence = || schedule.iter().map(|&page| PageId(page)).cycle();
    // After a warm-up of one cycle ages are those of the long run, wherever the window opens.
    for warm_up in 8..16 {
        assert_close(sequence_cost(&instance, sequence(), warm_up, 8), exact, 1e-14);
        assert_close(sequence_cost(&instance, sequence(), warm_up, 800), exact, 1e-13);
    }
    // A window that is not whole cycles does not.
    assert!((sequence_cost(&instance, sequence(), 8, 3) / exact - 1.0).abs() > 1e-3);
}

#[test]
fn f11_a_window_step_by_step() {
    let instance = instance(&[0.3, 0.2, 0.05], &[1.0, 3.0, 2.0], &AccessTime::constant(1.0).unwrap());
    let pages = [0_u32, 1, 1, 0, 2, 0, 1, 0, 0, 1];
    let mut ages = [0.0; 3];
    let mut cost = SequenceCost::new(&instance, 4);
    assert!(cost.cost().is_nan());
    let mut stale = 0.0;
    for (n, &page) in pages.iter().enumerate() {
        for (i, age) in ages.iter_mut().enumerate() {
            let step = phi(instance.decays()[i] * (*age + 1.0)) - phi(instance.decays()[i] * *age);
            stale += if n >= 4 { instance.values()[i] * step } else { 0.0 };
            *age += 1.0;
        }
        ages[page as usize] = 0.0;
        cost.access(PageId(page));
    }
    assert_close(cost.cost(), instance.unavoidable_cost() + stale / 6.0, 1e-14);
}

#[test]
fn freshness_ratio_at_its_ends() {
    assert_eq!(freshness_ratio(10.0, 4.0, 4.0), 1.0);
    assert_eq!(freshness_ratio(10.0, 10.0, 4.0), 0.0);
    assert_eq!(freshness_ratio(10.0, 7.0, 4.0), 0.5);
    assert_eq!(freshness_ratio(10.0, 10.0, 10.0), 1.0);
}

/// A schedule in which page 0 has the given gaps and page 1, without weight, fills the rest.
fn with_gaps(gaps: &[usize]) -> Vec<u32> {
    let one = |&gap: &usize| std::iter::once(0).chain(std::iter::repeat_n(1, gap - 1));
    gaps.iter().flat_map(one).collect()
}

/// Frequencies of the pages of a schedule.
fn frequencies(schedule: &[u32], pages: usize) -> Vec<f64> {
    let mut counts = vec![0.0; pages];
    schedule.iter().for_each(|&page| counts[page as usize] += 1.0);
    counts.iter().map(|count| count / schedule.len() as f64).collect()
}

proptest! {
    /// F-15 (Theorem 3.2): taking from a gap to give to one at least as long raises the cost.
    #[test]
    fn f15_moving_gaps_apart_raises_the_cost(
        mut gaps in prop::collection::vec(2_usize..30, 2..8),
        rate in 0.001_f64..0.5,
        pair in any::<(prop::sample::Index, prop::sample::Index)>(),
    ) {
        let instance = instance(&[rate, 1.0], &[1.0, 0.0], &AccessTime::exponential(1.0).unwrap());
        let before = cyclic_cost(&instance, &with_gaps(&gaps));
        let mut from = pair.0.index(gaps.len());
        let mut to = (from + 1 + pair.1.index(gaps.len() - 1)) % gaps.len();
        if gaps[from] > gaps[to] {
            std::mem::swap(&mut from, &mut to);
        }
        gaps[from] -= 1;
        gaps[to] += 1;
        let after = cyclic_cost(&instance, &with_gaps(&gaps));
        // The rise is at least e^(-b 60) b^2 over the length, far above rounding.
        prop_assert!(after > before, "{before} {after}");
    }

    /// F-3: no schedule is below the bound for its own frequencies.
    #[test]
    fn f3_no_schedule_beats_even_spacing(
        schedule in prop::collection::vec(0_u32..6, 1..60),
        rates in prop::collection::vec(1e-4_f64..3.0, 6),
        weights in prop::collection::vec(0.0_f64..3.0, 6),
    ) {
        for law in laws_of_mean_one() {
            let instance = instance(&rates, &weights, &law);
            let bound = even_spacing_cost(&instance, &frequencies(&schedule, 6));
            let cost = cyclic_cost(&instance, &schedule);
            prop_assert!(cost >= bound * (1.0 - 1e-14), "{cost} {bound}");
        }
    }

    /// F-16 (Theorem 3.1): constant <= gamma(5) <= gamma(2) <= exponential <= gamma(0.3), under any policy.
    #[test]
    fn f16_a_more_variable_access_time_costs_more(
        schedule in prop::collection::vec(0_u32..4, 1..40),
        rates in prop::collection::vec(1e-3_f64..3.0, 4),
    ) {
        let x = frequencies(&schedule, 4);
        let costs: Vec<[f64; 4]> = laws_of_mean_one()
            .iter()
            .map(|law| {
                let instance = instance(&rates, &[1.0, 2.0, 3.0, 4.0], law);
                [
                    cyclic_cost(&instance, &schedule),
                    even_spacing_cost(&instance, &x),
                    randomised_cost(&instance, &x),
                    golden_ratio_limit_cost(&instance, &x),
                ]
            })
            .collect();
        for pair in costs.windows(2) {
            for (less, more) in pair[0].iter().zip(&pair[1]) {
                prop_assert!(*less < more * (1.0 + 1e-14), "{less} {more}");
            }
        }
    }

    /// F-3 <= F-13 and F-3 <= F-9, page by page over all magnitudes.
    #[test]
    fn bounds_are_in_order(ln_b in -30.0_f64..6.0, ln_x in -34.0_f64..0.0) {
        let (b, x) = (ln_b.exp(), ln_x.exp());
        let even = even_spacing_psi(b, x);
        let instance = instance(&[b], &[b], &AccessTime::constant(1.0).unwrap());
        let golden = golden_ratio_limit_cost(&instance, &[x]);
        prop_assert!(golden >= even * (1.0 - 1e-13), "{golden} {even}");
        prop_assert!(randomised_psi(b, x) >= even * (1.0 - 1e-13));
    }
}
