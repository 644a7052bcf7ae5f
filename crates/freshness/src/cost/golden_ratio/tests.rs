use proptest::prelude::*;

use super::*;
use crate::access_time::AccessTime;
use crate::cost::even_spacing_cost;
use crate::pages::Pages;

/// Cost of the golden ratio over the bound for `n` equal pages whose rates sum to `q`.
fn ratio_of_equal_pages(n: usize, q: f64) -> f64 {
    let rates = vec![q / n as f64; n];
    let instance = Instance::new(&Pages::new(&rates, &rates).unwrap(), &AccessTime::constant(1.0).unwrap());
    let frequencies = vec![1.0 / n as f64; n];
    golden_ratio_limit_cost(&instance, &frequencies) / even_spacing_cost(&instance, &frequencies)
}

#[test]
fn f14_the_printed_guarantee_is_the_best_case_not_the_worst() {
    assert!((GOLDEN_WORST - 1.109_016_994).abs() < 1e-9);
    assert!((GOLDEN_BEST - 1.047_213_595).abs() < 1e-9);
    // 1,364 is a Lucas number, next to a power of phi; 1,786 is far from one.
    assert!((ratio_of_equal_pages(1_364, 0.01) - 1.0469).abs() < 5e-4);
    assert!((ratio_of_equal_pages(1_786, 0.01) - 1.1048).abs() < 5e-4);
}

#[test]
fn f14_small_rate_ratio_is_the_limit_of_the_exact_cost() {
    // With f = t phi^-40 and b/f = 1e-6 the next terms are 1e-6 of the ratio, and F_40 is phi^40/sqrt 5 to 1e-16.
    for step in 0..=100 {
        let t = GOLDEN_RATIO.powf(f64::from(step) / 100.0);
        let f = t * power(40);
        let exact = golden_psi(1e-6 * f, f) / (f * phi(1e-6));
        assert!((golden_ratio_small_rate_ratio(t) - exact).abs() < 1e-6, "{t}");
        assert!((golden_ratio_position(f) - t).abs() < 1e-13 || step == 100, "{t}");
    }
}

#[test]
fn f14_extremes_and_mean_of_the_small_rate_ratio() {
    let at = golden_ratio_small_rate_ratio;
    assert!((at(1.0) - GOLDEN_BEST).abs() < 1e-15);
    assert!((at(GOLDEN_RATIO) - GOLDEN_BEST).abs() < 1e-15);
    assert!((at(PHI_2 / 2.0) - GOLDEN_WORST).abs() < 1e-15);
    // Midpoint rule over ln t, error ~ 1e-9.
    let mean = (0..10_000).map(|k| at(GOLDEN_RATIO.powf((f64::from(k) + 0.5) / 1e4))).sum::<f64>() / 1e4;
    assert!((mean - PHI_2 / (5.0 * GOLDEN_RATIO.ln())).abs() < 1e-8);
}

#[test]
fn f14_frequent_pages_exceed_the_asymptotic_worst_case() {
    // With b -> 0 the ratio is f sum w F^2; at f = 3/4 it is 3/4 (1/2 + 1/4 4) = 9/8. The next term is b/3 of it.
    let ratio = |f: f64| golden_psi(1e-9, f) / (f * phi(1e-9 / f));
    assert!((ratio(0.75) - 1.125).abs() < 1e-8);
    let largest = (1..=10_000).map(|n| ratio(f64::from(n) / 1e4)).fold(0.0, f64::max);
    assert!((largest - 1.125).abs() < 1e-8, "{largest}");
}

#[test]
fn f13_gaps_of_known_frequencies() {
    assert_eq!(golden_psi(0.3, 0.0), 0.3);
    assert!((golden_psi(0.3, 1.0) / phi(0.3) - 1.0).abs() < 1e-15);
    // A rounding above one is one.
    assert_eq!(golden_psi(0.3, 1.0 + 2e-16), golden_psi(0.3, 1.0));
    // 0.75: in four accesses two gaps of one and one gap of two.
    let psi = 0.5 * phi(0.3) + 0.25 * phi(0.6);
    assert!((golden_psi(0.3, 0.75) / psi - 1.0).abs() < 1e-15);
}

#[test]
fn f13_has_no_seam_at_powers_of_the_golden_ratio() {
    for j in 1..70 {
        let f = power(j);
        let b = 0.7 * f;
        let [below, at, above] = [f * (1.0 - 1e-15), f, f * (1.0 + 1e-15)].map(|f| golden_psi(b, f));
        assert!((below / at - 1.0).abs() < 1e-14 && (above / at - 1.0).abs() < 1e-14, "{j}");
    }
}

proptest! {
    /// F-13: the weights are not negative, add up to the frequency, and weights times gaps to one.
    #[test]
    fn f13_gaps_make_up_the_cycle(ln_f in -100.0_f64..0.0) {
        let f = ln_f.exp();
        let gaps = gaps(f).unwrap();
        let weight: f64 = gaps.iter().map(|gap| gap.1).sum();
        let length: f64 = gaps.iter().map(|gap| gap.0 * gap.1).sum();
        prop_assert!(gaps.iter().all(|gap| gap.1 >= 0.0));
        prop_assert!((weight / f - 1.0).abs() < 1e-14, "{weight} {f}");
        prop_assert!((length - 1.0).abs() < 2e-14, "{length}");
    }

    /// F-14: no page costs more than `GOLDEN_WORST` of its bound, whatever its rate.
    #[test]
    fn f14_the_worst_case_holds_for_every_rate(ln_f in -60.0_f64..-3.0, ln_u in -12.0_f64..5.0) {
        let (f, u) = (ln_f.exp(), ln_u.exp());
        let ratio = golden_psi(u * f, f) / (f * phi(u));
        // For frequencies that are not small F_n differs from phi^n/sqrt 5 by f^2/5 and so may the ratio.
        prop_assert!(ratio <= GOLDEN_WORST * (1.0 + 2.0 * f * f) && ratio >= 1.0 - 1e-13, "{ratio}");
    }
}
