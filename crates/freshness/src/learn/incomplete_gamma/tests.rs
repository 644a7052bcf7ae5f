use super::*;
use proptest::prelude::*;

/// `e^-x sum_{j<n} x^j/j!`, which is `Q(n, x)` for whole `n`.
fn poisson_sum(n: u32, x: f64) -> f64 {
    let mut term = (-x).exp();
    let mut sum = 0.0;
    for j in 0..n {
        sum += term;
        term *= x / f64::from(j + 1);
    }
    sum
}

#[test]
fn ln_gamma_at_known_arguments() {
    let pi = std::f64::consts::PI;
    let known = [
        (0.5, 0.5 * pi.ln()),
        (1.0, 0.0),
        (2.0, 0.0),
        (6.0, 120f64.ln()),
        (2.5, (0.75 * pi.sqrt()).ln()),
        (1e-20, 1e20f64.ln()),
    ];
    for (a, value) in known {
        assert!((ln_gamma(a) - value).abs() < 1e-13 * f64::max(1.0, value), "{a}: {} {value}", ln_gamma(a));
    }
    // 170! in double precision.
    let factorial: f64 = (1..=170).map(|j| f64::from(j).ln()).sum();
    assert!((ln_gamma(171.0) / factorial - 1.0).abs() < 1e-14);
}

#[test]
fn normal_quantiles_of_the_tables() {
    for (p, z) in
        [(0.5, 0.0), (0.025, 1.959_963_984_540_054), (0.95, -1.644_853_626_951_472_7), (1e-10, 6.361_340_902_404_056)]
    {
        assert!((normal_upper_quantile(p) - z).abs() < 1e-11, "{p}: {}", normal_upper_quantile(p));
    }
    assert!((chi_square_1_quantile(0.95) - 3.841_458_820_694_124).abs() < 1e-10);
}

#[test]
fn quantiles_at_the_ends() {
    assert_eq!(quantile(2.0, 0.0, Tail::Lower), 0.0);
    assert_eq!(quantile(2.0, 0.0, Tail::Upper), f64::INFINITY);
    // P(a, x) = x^a/Gamma(a+1) to first order: the quantile of a tiny shape is 1e-130 and more.
    let x = quantile(0.01, 0.05, Tail::Lower);
    let leading = ((0.05f64.ln() + ln_gamma(1.01)) / 0.01).exp();
    assert!((x / leading - 1.0).abs() < 1e-10, "{x} {leading}");
}

#[test]
fn huge_shapes_meet_the_others_where_the_formula_changes() {
    // Relative distance of a tenth of the law's own width times 1e-6.
    for tail in [Tail::Lower, Tail::Upper] {
        let (below, above) = (quantile(HUGE_SHAPE * (1.0 - 1e-12), 0.05, tail), quantile(HUGE_SHAPE, 0.05, tail));
        assert!((below / above - 1.0).abs() < 1e-9, "{below} {above}");
    }
}

proptest! {
    /// Whole shapes: `Q(n, x)` is a finite sum, `P` its complement. Absolute 1e-12: the sum is the one that rounds.
    #[test]
    fn whole_shapes_are_poisson_sums(n in 1u32..60, x in 0.0f64..120.0) {
        let (lower, upper) = lower_and_upper(f64::from(n), x);
        prop_assert!((upper - poisson_sum(n, x)).abs() < 1e-12);
        prop_assert!((lower + upper - 1.0).abs() < 1e-15);
    }

    /// `Q(a+1, x) - Q(a, x) = x^a e^-x/Gamma(a+1)` for any shape, across the border between series and fraction.
    #[test]
    fn recurrence_in_the_shape(a in 0.05f64..200.0, ratio in 0.2f64..3.0) {
        let x = a * ratio;
        let step = (a * x.ln() - x - ln_gamma(a + 1.0)).exp();
        let difference = lower_and_upper(a + 1.0, x).1 - lower_and_upper(a, x).1;
        prop_assert!((difference - step).abs() < 2e-13, "{} {}", difference, step);
    }

    /// The inverse returns what was put in, relative 1e-10 in the tail.
    #[test]
    fn quantile_undoes_the_tails(log_shape in -2.0f64..5.0, log_p in -12.0f64..-0.01, upper in any::<bool>()) {
        let (a, p) = (10f64.powf(log_shape), 10f64.powf(log_p));
        let tail = if upper { Tail::Upper } else { Tail::Lower };
        let x = quantile(a, p, tail);
        prop_assume!(x > 1e-280);
        let (lo, up) = lower_and_upper(a, x);
        let back = if upper { up } else { lo };
        prop_assert!((back / p - 1.0).abs() < 1e-10, "shape {} p {} x {} back {}", a, p, x, back);
    }
}
