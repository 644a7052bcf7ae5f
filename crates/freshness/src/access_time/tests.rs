//! F-1 against closed forms, 40-digit quadrature, other laws and sampling.

use proptest::prelude::*;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use super::*;

/// Within a few rounding errors, relative.
fn close(got: f64, wanted: f64, tolerance: f64) -> bool {
    (got - wanted).abs() <= tolerance * wanted.abs()
}

fn all_laws() -> Vec<AccessTime> {
    vec![
        AccessTime::constant(0.7).unwrap(),
        AccessTime::exponential(0.7).unwrap(),
        AccessTime::gamma(3.0, 0.7).unwrap(),
        AccessTime::gamma(0.4, 0.7).unwrap(),
        AccessTime::hyper_exponential(&[0.9, 0.1], &[0.1, 6.1]).unwrap(),
        AccessTime::phase_type(&[0.3, 0.7, 0.0], &[-4.0, 3.0, 0.5, 0.0, -2.0, 2.0, 1.0, 0.0, -3.0]).unwrap(),
        AccessTime::lognormal(0.5, 0.8).unwrap(),
        AccessTime::empirical(&[0.1, 0.2, 0.2, 0.7, 3.0]).unwrap(),
    ]
}

#[expect(clippy::excessive_precision, reason = "digits as computed")]
/// Values of `-ln h` and `mu E[X] + ln h` for median 1, computed with 40 to 60 digits by tanh-sinh quadrature
/// (mpmath 1.3); columns sigma, mu, decay, deficit.
const LOGNORMAL: [(f64, f64, f64, f64); 21] = [
    (0.3, 1e-15, 1.04602785990871689e-15, 5.15215397082998939e-32),
    (0.3, 1e-6, 1.04602780838718247e-6, 5.15215344736472629e-14),
    (0.3, 1e-2, 0.0104551316725045421, 5.14692658262726136e-6),
    (0.3, 1.0, 0.999115593472182353, 0.0469122664365345861),
    (0.3, 10.0, 7.66025039003075709, 2.80002820905641231),
    (0.3, 1e4, 206.245479241049883, 10254.0331198461195),
    (0.3, 1e15, 4920.24696620246183, 1046027859903796.69),
    (1.0, 1e-15, 1.64872127070012581e-15, 2.33538713523579209e-30),
    (1.0, 1e-6, 1.64871893532339831e-6, 2.33537672983204908e-12),
    (1.0, 1e-2, 0.0162632217559672943, 0.000223990951033987153),
    (1.0, 1.0, 0.962972400500303767, 0.68574887019982438),
    (1.0, 10.0, 3.77259968064138448, 12.714613026359897),
    (1.0, 1e4, 34.4295819122461526, 16452.7831250890353),
    (1.0, 1e15, 516.485919758304089, 1648721270699611.66),
    (2.5, 1e-15, 2.27598950933928183e-14, 1.33909636574968997e-25),
    (2.5, 1e-6, 0.0000226563742919068779, 1.03520801619850055e-7),
    (2.5, 1e-2, 0.0804180414312540823, 0.147180909504013197),
    (2.5, 1.0, 0.858110358203772587, 21.9017847353229554),
    (2.5, 10.0, 1.88938144856947233, 225.709569486697808),
    (2.5, 1e4, 8.81159715638776182, 227590.139338110892),
    (2.5, 1e15, 93.4881243482421663, 22759895093526634.5),
];

#[test]
fn f1_lognormal_agrees_with_forty_digit_quadrature() {
    for (sigma, mu, decay, deficit) in LOGNORMAL {
        let law = AccessTime::lognormal(1.0, sigma).unwrap();
        assert!(close(law.decay(mu), decay, 1e-12), "decay {sigma} {mu}: {} {decay}", law.decay(mu));
        assert!(close(law.deficit(mu), deficit, 1e-11), "deficit {sigma} {mu}: {} {deficit}", law.deficit(mu));
    }
}

#[test]
fn f1_phase_type_contains_the_simpler_laws() {
    let erlang = AccessTime::phase_type(&[1.0, 0.0, 0.0], &[-3.0, 3.0, 0.0, 0.0, -3.0, 3.0, 0.0, 0.0, -3.0]).unwrap();
    let gamma = AccessTime::gamma(3.0, 1.0).unwrap();
    let (p, r) = ([0.25, 0.75], [0.5, 8.0]);
    let hyper = AccessTime::hyper_exponential(&p, &[1.0 / r[0], 1.0 / r[1]]).unwrap();
    for exponent in -15..=15 {
        let mu = 10f64.powi(exponent);
        assert!(close(erlang.decay(mu), gamma.decay(mu), 1e-13), "{mu}");
        assert!(close(erlang.deficit(mu), gamma.deficit(mu), 1e-12), "{mu}");
        let missed: f64 = (0..2).map(|k| p[k] * mu / (r[k] + mu)).sum();
        let kept: f64 = (0..2).map(|k| p[k] * r[k] / (r[k] + mu)).sum();
        let wanted = if missed < 0.5 { -(-missed).ln_1p() } else { -kept.ln() };
        assert!(close(hyper.decay(mu), wanted, 1e-13), "{mu}");
    }
}

#[test]
fn f1_small_rates_see_mean_and_variance_only() {
    // b = mu E[X] - mu^2 Var/2 + O(mu^3), so deficit/mu^2 -> Var/2.
    let variances = [0.0, 0.49, 0.49 / 3.0, 0.49 / 0.4, f64::NAN, f64::NAN, f64::NAN, f64::NAN];
    for (law, variance) in all_laws().iter().zip(variances) {
        for mu in [1e-15, 1e-9] {
            assert!(close(law.decay(mu), mu * law.mean(), 1e-8), "{law:?}");
            if variance.is_finite() {
                assert!((law.deficit(mu) / (mu * mu) - variance / 2.0).abs() < 1e-7, "{law:?} {mu}");
            }
        }
    }
}

#[test]
fn f1_samples_have_the_transform() {
    for law in all_laws() {
        let mut rng = Pcg64Mcg::seed_from_u64(7);
        let mu = 1.3;
        let n = 200_000;
        let kept: Vec<f64> = (0..n).map(|_| (-mu * law.sample(&mut rng)).exp()).collect();
        let mean = kept.iter().sum::<f64>() / f64::from(n);
        let variance = kept.iter().map(|k| (k - mean) * (k - mean)).sum::<f64>() / f64::from(n);
        // Five standard errors: a false alarm once in two million runs, and the seed is fixed.
        let allowed = 5.0 * (variance / f64::from(n)).sqrt() + 1e-11;
        assert!((mean - law.transform(mu)).abs() < allowed, "{law:?}: {mean} {}", law.transform(mu));
    }
}

#[test]
fn f1_scaling_time_scales_the_rate() {
    for law in all_laws() {
        let scaled = law.scaled(4.0).unwrap();
        assert!(close(scaled.mean(), 4.0 * law.mean(), 1e-15));
        for mu in [1e-9, 0.3, 1e6] {
            assert!(close(scaled.decay(mu), law.decay(4.0 * mu), 1e-12), "{law:?} {mu}");
        }
    }
}

#[test]
fn wrong_parameters_are_named() {
    let error = |law: Result<AccessTime, LawError>| law.unwrap_err().to_string();
    assert_eq!(error(AccessTime::constant(0.0)), "mean must be a number from 1e-60 to 1e60, got 0");
    assert_eq!(error(AccessTime::gamma(-1.0, 1.0)), "shape must be a number from 0.001 to 1e60, got -1");
    assert!(error(AccessTime::hyper_exponential(&[0.5, 0.4], &[1.0, 1.0])).contains("sum to 0.9"));
    assert!(error(AccessTime::phase_type(&[1.0], &[1.0])).contains("row 0"));
    assert!(error(AccessTime::phase_type(&[1.0], &[0.0])).contains("never end"));
    assert!(error(AccessTime::phase_type(&[0.5, 0.5], &[-1.0, 0.0, 0.0, 0.0])).contains("never end"));
    assert!(error(AccessTime::empirical(&[])).contains("no values"));
    assert!(error(AccessTime::empirical(&[0.0, 0.0])).contains("all values are 0"));
    assert!(error(AccessTime::empirical(&[1.0, -2.0])).contains("value 2 is -2"));
    assert!(error(AccessTime::lognormal(1.0, 30.0)).contains("to 10, got 30"));
    assert!(AccessTime::constant(1.0).unwrap().scaled(f64::NAN).is_err());
}

proptest! {
    /// F-1: over the whole range `0 < b <= mu E[X]`, `b` and the deficit add up, both rise with `mu`, and `b` is concave.
    #[test]
    fn f1_decay_and_deficit_are_consistent(exponent in -15.0f64..15.0, which in 0usize..8) {
        let law = &all_laws()[which];
        let mu = 10f64.powf(exponent);
        let (b, deficit, q) = (law.decay(mu), law.deficit(mu), mu * law.mean());
        prop_assert!(b > 0.0 && deficit >= 0.0);
        prop_assert!(close(b + deficit, q, 1e-12), "{:?} {} {} {}", law, b, deficit, q);
        let (b2, deficit2) = (law.decay(2.0 * mu), law.deficit(2.0 * mu));
        prop_assert!(b2 >= b && deficit2 >= deficit);
        prop_assert!(b2 <= 2.0 * b * (1.0 + 1e-13));
    }

    /// The table is as good as the law itself.
    #[test]
    fn f1_table_agrees_with_the_law(exponent in -8.0f64..8.0, which in 4usize..8) {
        let law = &all_laws()[which];
        let mut rates = vec![1e-8; 5_000];
        rates[0] = 1e8;
        let table = Transform::of(law, &rates);
        let mu = 10f64.powf(exponent);
        prop_assert!(close(table.decay(mu), law.decay(mu), 1e-12), "{:?} {} {}", law, table.decay(mu), law.decay(mu));
        prop_assert!(close(table.deficit(mu), law.deficit(mu), 3e-11));
    }
}
