use super::*;
use proptest::prelude::*;

fn estimate(shape: f64, rate: f64) -> RateEstimate {
    RateEstimate::new(shape, rate).unwrap()
}

fn log_likelihood(observation: Observation, tau: f64, mu: f64) -> f64 {
    match observation {
        Observation::Unchanged => -mu * tau,
        Observation::Changed => (-(-mu * tau).exp_m1()).ln(),
        Observation::ChangedAt { age } => mu.ln() - mu * age,
        Observation::ChangedBetween { least, most } => (-(-mu * (most - least)).exp_m1()).ln() - mu * least,
    }
}

#[test]
fn refuses_what_is_not_a_gamma_law() {
    assert_eq!(RateEstimate::new(0.0, 1.0), Err(EstimateError::NotPositive { name: "shape", value: 0.0 }));
    assert!(RateEstimate::new(1.0, f64::NAN).is_err());
}

/// Shape one is the exponential law, whose quantiles are logarithms.
#[test]
fn interval_of_an_exponential_law() {
    let (low, high) = estimate(1.0, 2.0).interval(0.9);
    assert!((low + 0.95f64.ln() / 2.0).abs() < 1e-12);
    assert!((high + 0.05f64.ln() / 2.0).abs() < 1e-12);
    assert_eq!(estimate(1.0, 2.0).interval(1.0), (0.0, f64::INFINITY));
}

/// F-21: after many visits the interval holds the true rate as often as it says, at every visiting frequency. The exact
/// posterior would give 0.9 on average over the prior; 2000 pages leave a standard error of 0.007, the match another
/// 0.01.
#[test]
fn f21_intervals_hold_what_they_promise() {
    use rand::{RngExt, SeedableRng};
    use rand_distr::{Distribution, Gamma};
    let mut rng = rand_pcg::Pcg64::seed_from_u64(1);
    for tau in [0.1, 1.0, 3.0] {
        let mut held = 0;
        for _ in 0..2000 {
            let mu: f64 = Gamma::new(2.0, 0.5).unwrap().sample(&mut rng);
            let mut page = estimate(2.0, 2.0);
            for _ in 0..30 {
                let gap = tau * rng.random_range(0.2..1.8);
                let changed = rng.random::<f64>() < -(-mu * gap).exp_m1();
                page.update(gap, if changed { Observation::Changed } else { Observation::Unchanged });
            }
            let (low, high) = page.interval(0.9);
            held += usize::from(low <= mu && mu <= high);
        }
        let share = held as f64 / 2000.0;
        assert!((share - 0.9).abs() < 0.03, "tau {tau}: {share}");
    }
}

proptest! {
    /// F-21, F-23: `changes` and `exposure` reproduce score and curvature of the exact likelihood at `m`. Central
    /// differences of step 1e-4 m leave about 1e-6.
    #[test]
    fn f21_matches_the_likelihood_to_second_order(
        log_u in -3.0f64..2.0, tau in 0.1f64..10.0, part in 0.0f64..1.0, length in 0.01f64..1.0,
    ) {
        let m = 10f64.powf(log_u) / tau;
        let least = part * (1.0 - length) * tau;
        let between = Observation::ChangedBetween { least, most: least + length * tau };
        let exact = Observation::ChangedAt { age: part * tau };
        for observation in [Observation::Unchanged, Observation::Changed, exact, between] {
            let Worth { changes, exposure } = Worth::of(observation, tau, m);
            let l = |factor: f64| log_likelihood(observation, tau, m * factor);
            let h = 1e-4;
            let score = (l(1.0 + h) - l(1.0 - h)) / (2.0 * h);
            let curvature = (l(1.0 + h) - 2.0 * l(1.0) + l(1.0 - h)) / (h * h);
            let scale = 1.0 + m * tau;
            prop_assert!((changes - m * exposure - score).abs() < 1e-6 * scale);
            prop_assert!((changes + curvature).abs() < 3e-6 * scale, "{} {}", changes, curvature);
        }
    }

    /// The exposure of a change in its other form, `(A - u/(e^u - 1))/m`, where that does not cancel; and between
    /// nothing and half the gap everywhere.
    #[test]
    fn f21_change_is_worth_at_most_one_in_half_the_gap(log_u in -12.0f64..3.0) {
        let u = 10f64.powf(log_u);
        let worth = Worth::of(Observation::Changed, u, 1.0);
        prop_assert!((0.0..=1.0).contains(&worth.changes) && worth.exposure >= 0.0 && worth.exposure <= 0.5 * u);
        if u > 0.1 {
            prop_assert!((worth.exposure - (worth.changes - u / u.exp_m1())).abs() < 1e-14);
        }
    }

    /// Whatever is thrown at it, an estimate stays a gamma law with a finite mean.
    #[test]
    fn never_leaves_its_range(
        visits in proptest::collection::vec((prop_oneof![
            Just(0.0), Just(f64::NAN), Just(f64::INFINITY), Just(-1.0), Just(1e300), Just(5e-324),
            (-12.0f64..12.0).prop_map(|e| 10f64.powf(e)),
        ], 0u8..4, any::<f64>(), any::<f64>()), 0..200),
        log_shape in -12.0f64..6.0, log_rate in -12.0f64..12.0,
    ) {
        let mut page = estimate(10f64.powf(log_shape), 10f64.powf(log_rate));
        for (tau, kind, age, other) in visits {
            page.update(tau, match kind {
                0 => Observation::Unchanged,
                1 => Observation::Changed,
                2 => Observation::ChangedAt { age },
                _ => Observation::ChangedBetween { least: age, most: other },
            });
            prop_assert!(page.mean().is_finite() && page.mean() >= 0.0 && page.shape() > 0.0 && page.rate() > 0.0);
        }
        let (low, high) = page.interval(0.9);
        prop_assert!(low >= 0.0 && low <= high, "{:?} {} {}", page, low, high);
    }
}
