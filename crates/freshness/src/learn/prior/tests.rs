use super::*;
use proptest::prelude::*;

#[test]
fn refuses_what_is_no_prior() {
    assert_eq!(Prior::new(0.0, 1.0), Err(PriorError::Median(0.0)));
    assert_eq!(Prior::new(1.0, 0.0), Err(PriorError::Spread(0.0)));
    assert!(Prior::new(f64::NAN, 1.0).is_err() && Prior::new(1.0, f64::NAN).is_err());
    assert!(Prior::unknown(0.0).is_err());
}

#[test]
fn default_prior_spans_what_its_documentation_says() {
    let prior = Prior::unknown(1.0).unwrap();
    let tail = (1.644_853_627 * prior.spread()).exp();
    assert!((1.0 / (prior.median() / tail) / 365.25 - 2.2).abs() < 0.1);
    assert!((prior.median() * tail - 0.9).abs() < 0.05);
}

#[test]
fn nothing_seen_leaves_the_prior() {
    let estimate = Prior::new(0.2, 0.5).unwrap().estimate();
    assert!((estimate.mean() - 0.2).abs() < 1e-15 && (estimate.shape() - 4.0).abs() < 1e-14);
}

/// A page a hundred times as fast as the median: a gamma prior of the same information holds it down by half after
/// twenty visits' worth, this one by a quarter at most.
#[test]
fn fast_pages_are_not_held_down() {
    let prior = Prior::new(1.0, 1.0).unwrap();
    let (changes, exposure) = (20.0, 0.2);
    assert!(prior.given(changes, exposure).mean() > 75.0);
    let mut gamma = prior.estimate();
    gamma.add(super::super::estimate::Worth { changes, exposure });
    assert!(gamma.mean() < 20.0);
}

proptest! {
    #[test]
    fn lambert_solves_its_equation(c in prop_oneof![-700.0f64..1e4, -3.0f64..3.0]) {
        let w = lambert_of_exp(c);
        prop_assert!(((w + w.ln()) - c).abs() < 1e-14 * (1.0 + c.abs()), "{} {}", c, w);
    }

    /// The mean maximises the posterior density of `ln mu`, and the shape is its curvature, by differences.
    #[test]
    fn given_is_the_mode(
        log_median in -6.0f64..6.0, spread in 0.1f64..3.0, changes in 0.0f64..50.0, log_exposure in -3.0f64..3.0,
    ) {
        let prior = Prior::new(10f64.powf(log_median), spread).unwrap();
        let exposure = 10f64.powf(log_exposure - log_median);
        let estimate = prior.given(changes, exposure);
        let penalty = |y: f64| (y - prior.ln_median()).powi(2) / (2.0 * prior.variance());
        let density = |y: f64| changes * y - y.exp() * exposure - penalty(y);
        let (y, h) = (estimate.mean().ln(), 1e-3);
        let scale = estimate.shape() + changes;
        let slope = (density(y + h) - density(y - h)) / (2.0 * h);
        let curvature = (density(y + h) - 2.0 * density(y) + density(y - h)) / (h * h);
        prop_assert!(slope.abs() < 1e-6 * scale + 1e-9 * density(y).abs() / h, "{}", slope);
        let rounding = 1e-9 * density(y).abs() / (h * h * estimate.shape());
        prop_assert!((curvature / estimate.shape() + 1.0).abs() < 1e-5 + rounding, "{}", curvature);
    }

    #[test]
    fn given_is_always_a_law(
        log_median in -300.0f64..300.0, spread in 0.01f64..100.0,
        changes in 0.0f64..5000.0, log_exposure in -45.0f64..38.0,
    ) {
        let estimate = Prior::new(10f64.powf(log_median), spread).unwrap().given(changes, 10f64.powf(log_exposure));
        prop_assert!(estimate.mean().is_finite() && estimate.mean() >= 0.0 && estimate.shape() > 0.0, "{:?}", estimate);
    }
}
