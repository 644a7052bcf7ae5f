//! C-26 against published values, the measured crawler of ADKNS, and random processes of two phases.

use proptest::prelude::*;

use super::*;
use crate::model::examples;

fn matrix(entries: [[f64; 2]; 2]) -> Matrix {
    Matrix::from_fn(2, 2, |i, j| entries[i][j])
}

fn moments(process: &Bmap) -> [f64; 3] {
    [1, 2, 3].map(|k| process.interval_moment(k))
}

#[test]
fn c26_canonical_form_and_bounds_computed_elsewhere() {
    // BuTools' MAP2FromMoments and MAP2CorrelationBounds of this process.
    let map = Bmap::new(vec![matrix([[-14.0, 1.0], [1.0, -25.0]]), matrix([[6.0, 7.0], [3.0, 21.0]])]).unwrap();
    let (low, high) = correlation_bounds(&moments(&map)).unwrap();
    assert!((low / -0.030588145972597944 - 1.0).abs() < 1e-9, "{low}");
    assert!((high / 0.07450555405039298 - 1.0).abs() < 1e-9, "{high}");
    let wanted = [
        matrix([[-13.909830056250538, 9.199027971873996], [0.0, -25.090169943749462]]),
        matrix([[4.710802084376542, 0.0], [2.8009720281259947, 22.28919791562347]]),
    ];
    let two = OrderTwo::new(&moments(&map)).unwrap();
    let g = map.correlation(1) / amplitude(squared_variation(&moments(&map)));
    let canonical = sticky(&two, g).unwrap().sped_up(1.0 / map.interval_moment(1));
    for (got, wanted) in canonical.matrices().iter().zip(&wanted) {
        for (got, wanted) in got.entries().iter().zip(wanted.entries()) {
            assert!((got - wanted).abs() < 1e-9, "{got} {wanted}");
        }
    }
    // The form that is returned differs (c^2 > 1) and is the same process: joint moments fix it.
    let returned = from_correlation(&moments(&map), map.correlation(1)).unwrap();
    for lag in 1..4 {
        assert!((returned.correlation(lag) / map.correlation(lag) - 1.0).abs() < 1e-9);
    }
}

#[test]
fn c26_the_measured_crawler_comes_back() {
    // The process of ADKNS section 7 has a diagonal D_0, hence the form fitted here: entry by entry.
    let crawler = examples::measured_crawler().arrivals()[0].1.clone();
    let wanted = [1, 2, 3].map(|k| crawler.interval_moment(k));
    let lags: Vec<f64> = (1..=6).map(|lag| crawler.correlation(lag)).collect();
    let g = decay(&lags, amplitude(squared_variation(&wanted)), 0.0, SLOWEST);
    let fitted = from_decay(&wanted, g).unwrap();
    for (entry, wanted) in [((0, 0), 0.0037), ((0, 1), 6.58e-5), ((1, 0), 1.3e-4), ((1, 1), 0.0064)] {
        assert!((fitted.matrices()[1][entry] / wanted - 1.0).abs() < 1e-4, "{}", fitted.matrices()[1][entry]);
    }
}

#[test]
fn c26_the_papers_data() {
    // Section 7: mean 212.03, variance 51352.38, correlations (as corrected: a tenth of what is printed).
    let (mean, variance) = (212.03, 51352.38);
    let lags = [0.0622, 0.0574, 0.0555, 0.0537, 0.0523, 0.0507];
    let second = variance + mean * mean;
    let third = crate::fit::moments::two_moments(mean, second, 2).unwrap().moment(3);
    let a = amplitude(variance / (mean * mean));
    assert!((a - 0.0623).abs() < 5e-5, "no process of two phases exceeds 0.0623: {a}");
    let g = decay(&lags, a, 0.0, SLOWEST);
    // The published matrices decay by 0.9626 per batch; least squares on the six lags, on a grid elsewhere, 0.96534.
    assert!((g - 0.96534).abs() < 1e-5, "{g}");
    let fitted = from_decay(&[mean, second, third], g).unwrap();
    assert!((1.0 / fitted.batch_rate() - mean).abs() < 1e-9);
    assert!((fitted.variance() / variance - 1.0).abs() < 1e-9);
    for (lag, wanted) in (1..).zip(lags) {
        assert!((fitted.correlation(lag) - wanted).abs() < 0.003, "{lag}: {}", fitted.correlation(lag));
    }
    // As printed the correlations are out of reach, and the refusal says so.
    let refused = from_correlation(&[mean, second, third], 0.622).unwrap_err().to_string();
    assert!(refused.contains("0.622 at lag 1 is out of reach"), "{refused}");
}

#[test]
fn c26_exponential_gaps_of_two_phases_are_independent() {
    let poisson = [0.5, 0.5, 0.75];
    assert!((from_decay(&poisson, 0.0).unwrap().rate() - 2.0).abs() < 1e-12);
    assert!(from_decay(&poisson, 0.1).is_err());
    assert_eq!(correlation_bounds(&poisson).unwrap(), (0.0, 0.0));
}

#[test]
fn c26_decay_is_found_from_noiseless_correlations() {
    for g in [-0.4, 0.0, 0.3, 0.99] {
        let lags: Vec<f64> = (1..=10).map(|k| 0.2 * f64::powi(g, k)).collect();
        // The sum of squares is flat to 1e-16, so its minimum is found to about 1e-8.
        assert!((decay(&lags, 0.2, -1.0, 1.0) - g).abs() < 1e-6);
    }
}

proptest! {
    /// Any decay within the bounds gives a process with the moments and correlations asked for.
    #[test]
    fn c26_every_feasible_decay_is_reached(variation in 0.55f64..8.0, share in 0.0f64..0.999, third in 1.05f64..3.0) {
        let second = 1.0 + variation;
        let third = if variation > 1.0 { 1.5 * second * second * third } else { two_moments_third(second) };
        let wanted = [2.0, 4.0 * second, 8.0 * third];
        prop_assume!((variation - 1.0).abs() > 1e-3);
        let (low, high) = decay_bounds(&wanted).unwrap();
        let g = low + share * (high - low);
        let process = from_decay(&wanted, g).unwrap();
        for (k, wanted) in (1..).zip(wanted) {
            prop_assert!((process.interval_moment(k) / wanted - 1.0).abs() < 1e-7);
        }
        for lag in 1..4 {
            let rho = amplitude(variation) * g.powi(lag as i32);
            prop_assert!((process.correlation(lag) - rho).abs() < 1e-7);
        }
    }

    /// No process of two phases is outside the bounds, and each is found again: they have no other parameters.
    #[test]
    fn c26_random_processes_lie_within_the_bounds(entries in prop::collection::vec(0.05f64..5.0, 6)) {
        let d1 = matrix([[entries[0], entries[1]], [entries[2], entries[3]]]);
        let out = |i: usize| d1.row(i).iter().sum::<f64>() + entries[4 + i];
        let d0 = matrix([[-out(0), entries[4]], [entries[5], -out(1)]]);
        let process = Bmap::new(vec![d0, d1]).unwrap();
        let (wanted, rho) = (moments(&process), process.correlation(1));
        prop_assume!((squared_variation(&wanted) - 1.0).abs() > 1e-2);
        let (low, high) = correlation_bounds(&wanted).unwrap();
        prop_assert!((low - 1e-7..=high + 1e-7).contains(&rho), "{low} {rho} {high}");
        let fitted = from_correlation(&wanted, rho.clamp(low, high)).unwrap();
        prop_assert!((fitted.correlation(2) - process.correlation(2)).abs() < 1e-7);
        prop_assert!((fitted.interval_moment(4) / process.interval_moment(4) - 1.0).abs() < 1e-5);
    }
}

fn two_moments_third(second: f64) -> f64 {
    crate::fit::moments::two_moments(1.0, second, 2).unwrap().moment(3)
}
