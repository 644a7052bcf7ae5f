//! C-27 for laws: the likelihood rises, known laws are recovered, and the distance is that of Kolmogorov and Smirnov.

use proptest::prelude::*;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use super::*;

fn sample(law: &PhaseType, n: usize, seed: u64) -> Vec<f64> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    (0..n).map(|_| law.sample(&mut rng)).collect()
}

fn points(sample: &[f64]) -> Vec<(f64, f64)> {
    sorted_points(sample, 1).unwrap()
}

#[test]
fn partitions_are_counted_as_by_euler() {
    assert_eq!([1, 2, 3, 4, 5, 6].map(|n| partitions(n).len()), [1, 2, 3, 5, 7, 11]);
    assert!(partitions(5).iter().all(|parts| parts.iter().sum::<usize>() == 5));
    assert_eq!(partitions(0).len(), 1);
}

#[test]
fn c27_one_branch_is_the_maximum_in_closed_form() {
    let values = sample(&PhaseType::erlang(3, 2.0).unwrap(), 500, 1);
    let mean = values.iter().sum::<f64>() / 500.0;
    let fitted = hyper_erlang(&points(&values), &[3], &EmOptions::default());
    assert!((fitted.parameters.branches[0].rate * mean / 3.0 - 1.0).abs() < 1e-12);
    let log_density = |x: &f64| 3.0 * (3.0 / mean).ln() + 2.0 * x.ln() - 3.0 * x / mean - 2f64.ln();
    let wanted: f64 = values.iter().map(log_density).sum();
    assert!((fitted.log_likelihood() / wanted - 1.0).abs() < 1e-12);
}

#[test]
fn c27_errors_shrink_with_the_root_of_the_sample() {
    let law = PhaseType::hyper_exponential(&[0.3, 0.7], &[0.5, 6.0]).unwrap();
    let options = EmOptions { iterations: 2000, tolerance: 1e-10 };
    // Root mean square error of the three parameters over eight seeds.
    let error = |n: usize| {
        let one = |seed: u64| {
            let fitted = hyper_erlang(&points(&sample(&law, n, seed)), &[1, 1], &options).parameters;
            let slow = usize::from(fitted.branches[1].rate < fitted.branches[0].rate);
            let errors = [
                fitted.weights[slow] / 0.3 - 1.0,
                fitted.branches[slow].rate / 0.5 - 1.0,
                fitted.branches[1 - slow].rate / 6.0 - 1.0,
            ];
            errors.map(|e| e * e).iter().sum::<f64>() / 3.0
        };
        ((1..=8).map(one).sum::<f64>() / 8.0).sqrt()
    };
    let (few, many) = (error(500), error(8000));
    // Sixteen times the sample: a quarter of the error. With eight seeds the ratio scatters by about a third.
    assert!(many < 0.05, "{many}");
    assert!((2.2..7.5).contains(&(few / many)), "{few} {many}");
}

#[test]
fn c27_the_right_structure_is_found() {
    let law = PhaseType::erlang(4, 1.0).unwrap();
    let fitted = law_from_sample(&sample(&law, 2000, 5), 4, &EmOptions::default()).unwrap();
    let goodness = fitted.report.goodness.unwrap();
    // Four phases in one branch; other arrangements of four are clearly less likely.
    assert_eq!(fitted.law.start(), [1.0, 0.0, 0.0, 0.0]);
    // The mean is matched by the maximum of the likelihood, and the law is close: 1.36/sqrt(n) is the 95% point.
    assert!(fitted.report.matched[0].relative_error().abs() < 1e-9);
    assert!(goodness.kolmogorov_smirnov.unwrap() < 1.36 / 2000f64.sqrt());
}

#[test]
fn goodness_is_that_of_the_definitions() {
    let law = PhaseType::hyper_exponential(&[0.2, 0.8], &[0.1, 3.0]).unwrap();
    let values = points(&sample(&law, 300, 7));
    let goodness = Goodness::of(&law, &values);
    let log_likelihood: f64 = values.iter().map(|(x, _)| law.density(*x).ln()).sum();
    assert!((goodness.log_likelihood / log_likelihood - 1.0).abs() < 1e-10);
    let distance = |(i, (x, _)): (usize, &(f64, f64))| {
        let f = law.distribution(*x);
        (f - i as f64 / 300.0).abs().max((f - (i + 1) as f64 / 300.0).abs())
    };
    let distance = values.iter().enumerate().map(distance).fold(0.0, f64::max);
    assert!((goodness.kolmogorov_smirnov.unwrap() - distance).abs() < 1e-12);
    // A law of another mean is far away.
    assert!(Goodness::of(&law.scaled(2.0), &values).kolmogorov_smirnov.unwrap() > 0.15);
    // In other units everything but the unit stays.
    let fitted =
        law_from_sample(&values.iter().map(|(x, _)| *x).collect::<Vec<_>>(), 2, &EmOptions::default()).unwrap();
    let scaled = fitted.scaled(3.0);
    let again = Goodness::of(&scaled.law, &values.iter().map(|(x, w)| (3.0 * x, *w)).collect::<Vec<_>>());
    assert!((scaled.report.goodness.unwrap().log_likelihood - again.log_likelihood).abs() < 1e-8);
    assert!(
        scaled
            .report
            .matched
            .iter()
            .zip(&fitted.report.matched)
            .all(|(s, f)| { (s.relative_error() - f.relative_error()).abs() < 1e-12 })
    );
}

#[test]
fn c27_far_values_do_not_underflow() {
    let mut values = sample(&PhaseType::exponential(1.0).unwrap(), 200, 9);
    values.extend([1e5, 2e5, 3e5]);
    let fitted = law_from_sample(&values, 3, &EmOptions::default()).unwrap();
    assert!(fitted.report.goodness.unwrap().log_likelihood.is_finite());
    assert!(fitted.report.matched[0].relative_error().abs() < 1e-6);
}

#[test]
fn wrong_samples_are_refused() {
    let error =
        |sample: &[f64], phases| law_from_sample(sample, phases, &EmOptions::default()).unwrap_err().to_string();
    assert!(error(&[1.0], 2).contains("too few values to fit anything: 1"));
    assert!(error(&[1.0, 0.0], 2).contains("value 2 of the sample is 0"));
    assert!(error(&[1.0, f64::INFINITY], 2).contains("value 2"));
    assert!(error(&[1.0, 2.0], 0).contains("0 phases"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The likelihood never falls (beyond rounding, 1e-12 relative), whatever the sample, and the result is a law with the
    /// mean of the sample: the likelihood is stationary under a change of all rates.
    #[test]
    fn c27_the_likelihood_never_falls(sample in prop::collection::vec(-4.0f64..4.0, 20..60), phases in 1usize..6) {
        let points = points(&sample.iter().map(|x| x.exp()).collect::<Vec<_>>());
        let mean = points.iter().map(|(x, _)| x).sum::<f64>() / points.len() as f64;
        for orders in partitions(phases) {
            let climb = hyper_erlang(&points, &orders, &EmOptions { iterations: 40, tolerance: 0.0 });
            for pair in climb.log_likelihoods.windows(2) {
                prop_assert!(pair[1] >= pair[0] - 1e-12 * pair[0].abs(), "{:?}", pair);
            }
            let law = climb.parameters.law().unwrap();
            prop_assert!(climb.log_likelihoods.len() < 2 || (law.mean() / mean - 1.0).abs() < 1e-9);
        }
    }
}
