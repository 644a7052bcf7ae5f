use super::*;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Exp1};

fn seen(changed: bool) -> Observation {
    if changed { Observation::Changed } else { Observation::Unchanged }
}

/// Visits to a page of rate `mu` at irregular times; with `dated`, changes come with their age.
fn visits(mu: f64, n: usize, gap: f64, dated: bool, rng: &mut rand_pcg::Pcg64) -> Vec<(f64, Observation)> {
    let visit = |rng: &mut rand_pcg::Pcg64| {
        let tau = gap * rng.random_range(0.1..1.9);
        let age = Distribution::<f64>::sample(&Exp1, rng) / mu;
        match (age < tau, dated) {
            (true, true) => (tau, Observation::ChangedAt { age }),
            (changed, _) => (tau, seen(changed)),
        }
    };
    (0..n).map(|_| visit(rng)).collect()
}

#[test]
fn says_so_when_visits_say_nothing_or_everything() {
    assert_eq!(maximum_likelihood(&[]), None);
    assert_eq!(maximum_likelihood(&[(0.0, Observation::Unchanged), (f64::NAN, Observation::Changed)]), None);
    let never = [(1.0, Observation::Unchanged), (3.0, Observation::Unchanged)];
    assert_eq!(maximum_likelihood(&never).unwrap().rate, 0.0);
    let always = [(1.0, Observation::Changed), (3.0, Observation::Changed)];
    assert_eq!(maximum_likelihood(&always).unwrap().rate, f64::INFINITY);
    let now = [(1.0, Observation::ChangedAt { age: 0.0 })];
    assert_eq!(maximum_likelihood(&now).unwrap().rate, f64::INFINITY);
}

/// Dates in whole seconds of a page that changes twice in one: read as exact they would give half the rate; as the seconds in which
/// the changes were, the rate within four standard errors of 2.6 % (2,000 visits, each worth 0.72 changes).
#[test]
fn f23_dates_in_whole_seconds_do_not_make_a_page_slower() {
    let mut rng = rand_pcg::Pcg64::seed_from_u64(3);
    let mut now: f64 = 0.0;
    let mut visit = |_| {
        let tau: f64 = rng.random_range(4.0..6.0);
        now += tau;
        let age = Distribution::<f64>::sample(&Exp1, &mut rng) / 2.0;
        let most = now - (now - age).floor();
        (tau, most)
    };
    let seen: Vec<(f64, f64)> = (0..2000).map(&mut visit).collect();
    let rate = |found: fn(f64) -> Observation| {
        let visits: Vec<_> = seen.iter().map(|&(tau, most)| (tau, found(most))).collect();
        maximum_likelihood(&visits).unwrap().rate
    };
    let exact = rate(|age| Observation::ChangedAt { age });
    let between = rate(|most| Observation::ChangedBetween { least: most - 1.0, most });
    assert!((exact - 1.0).abs() < 0.1, "{exact}");
    assert!((between - 2.0).abs() < 0.21, "{between}");
}

/// No change in a time of 4: rates up to `chi^2/(2 * 4)` are not rejected. Every visit of one found a change: the lower
/// end solves `ln(1 - e^-r) = -chi^2/2`.
#[test]
fn f22_intervals_of_one_sided_data_in_closed_form() {
    let chi = chi_square_1_quantile(0.95);
    let never = [(1.0, Observation::Unchanged), (3.0, Observation::Unchanged)];
    let (low, high) = RateLikelihood::new(&never).interval(0.95).unwrap();
    assert!(low == 0.0 && (high / (chi / 8.0) - 1.0).abs() < 1e-12, "{low} {high}");
    let (low, high) = RateLikelihood::new(&[(1.0, Observation::Changed)]).interval(0.95).unwrap();
    assert!(high == f64::INFINITY && (low + (-(-0.5 * chi).exp()).ln_1p()).abs() < 1e-12, "{low} {high}");
}

/// Regular visits: `r = -ln(1 - k/n)/tau` in closed form.
#[test]
fn f22_regular_visits_in_closed_form() {
    for (k, n, tau) in [(1, 10, 0.5), (9, 10, 2.0), (1, 1000, 1e-3), (999, 1000, 1e4)] {
        let data: Vec<_> = (0..n).map(|i| (tau, seen(i < k))).collect();
        let rate = maximum_likelihood(&data).unwrap().rate;
        let closed = -(-f64::from(k) / f64::from(n)).ln_1p() / tau;
        assert!((rate / closed - 1.0).abs() < 1e-12, "{rate} {closed}");
    }
}

/// Always changed: the root of `1/2 + 20 u/(e^u - 1) = u/4`, by bisection here. Never changed: in closed form.
#[test]
fn f22_prior_keeps_the_estimate_finite() {
    let prior = RateEstimate::new(0.5, 0.25).unwrap();
    let always = vec![(1.0, Observation::Changed); 20];
    let rate = RateLikelihood::new(&always).with_prior(&prior).maximum().unwrap().rate;
    let (mut low, mut high) = (0.1f64, 50.0f64);
    for _ in 0..60 {
        let u = 0.5 * (low + high);
        if 0.5 + 20.0 * u / u.exp_m1() > 0.25 * u { low = u } else { high = u }
    }
    assert!((rate - low).abs() < 1e-12, "{rate} {low}");
    let never = vec![(1.0, Observation::Unchanged); 20];
    let rate = RateLikelihood::new(&never).with_prior(&prior).maximum().unwrap().rate;
    assert!((rate - 0.5 / 20.25).abs() < 1e-15);
}

/// F-21 repeated over the same visits: the sums of what the public estimator adds at mean `m` are the ML equation.
#[test]
fn f21_fixed_point_is_the_maximum_likelihood() {
    let mut rng = rand_pcg::Pcg64::seed_from_u64(11);
    for (mu, dated) in [(0.3, false), (1.0, true), (4.0, false)] {
        let mut data = visits(mu, 40, 0.7, dated, &mut rng);
        data.extend(visits(mu, 10, 0.2, false, &mut rng));
        let rate = maximum_likelihood(&data).unwrap().rate;
        // An estimate so heavy that one pass hardly moves it: the mean must stay where it is.
        let weight = 1e9;
        let mut page = RateEstimate::new(rate * weight, weight).unwrap();
        data.iter().for_each(|&(tau, found)| page.update(tau, found));
        let drift = (page.mean() / rate - 1.0) * weight;
        assert!(drift.abs() < 1e-5, "drift per unit of exposure {drift}");
        // And the passes converge to it from far away: each replaces the estimate by what the data add at its mean.
        let mut m = 1e-3;
        for _ in 0..30 {
            let start = RateEstimate::new(m * 1e-3, 1e-3).unwrap();
            let sums = data.iter().fold((0.0, 0.0), |(k, t), &(tau, found)| {
                let mut one = start;
                one.update(tau, found);
                (k + one.shape() - start.shape(), t + one.rate() - start.rate())
            });
            m = sums.0 / sums.1;
        }
        assert!((m / rate - 1.0).abs() < 1e-9, "{m} {rate}");
    }
}

/// F-22: the likelihood-ratio interval covers the truth at its level: 95% within 2% (1500 runs, standard error 0.6%,
/// and the chi-square limit for 25 visits), and the Fisher interval for the same data is close to it.
#[test]
fn f22_coverage() {
    let mut rng = rand_pcg::Pcg64::seed_from_u64(12);
    for (gap, dated) in [(0.3, false), (1.5, false), (1.5, true)] {
        let (mut held, mut spread) = (0, 0.0);
        for _ in 0..1500 {
            let data = visits(1.0, 25, gap, dated, &mut rng);
            let likelihood = RateLikelihood::new(&data);
            let (low, high) = likelihood.interval(0.95).unwrap();
            held += usize::from(low <= 1.0 && 1.0 <= high);
            let mle = likelihood.maximum().unwrap();
            if mle.information > 0.0 {
                spread += (high - low) / (2.0 * 1.96 / mle.information.sqrt()) / 1500.0;
            }
        }
        let share = held as f64 / 1500.0;
        assert!((share - 0.95).abs() < 0.02, "gap {gap}: {share}");
        assert!((spread - 1.0).abs() < 0.15, "gap {gap}: {spread}");
    }
}

proptest! {
    /// F-22: no rate on a fine grid beats the maximum, and the score vanishes there, by the defining equation.
    #[test]
    fn f22_maximises_the_likelihood(
        data in proptest::collection::vec((1e-3f64..10.0, 0u8..4, 0.0f64..1.0), 1..40), exponent in -6.0f64..6.0,
    ) {
        let unit = 10f64.powf(exponent);
        let data: Vec<_> = data.into_iter().map(|(tau, kind, part)| (tau * unit, match kind {
            0 => Observation::Unchanged,
            1 => Observation::Changed,
            2 => Observation::ChangedAt { age: part * tau * unit },
            _ => Observation::ChangedBetween { least: 0.5 * part * tau * unit, most: 0.5 * (part + 1.0) * tau * unit },
        })).collect();
        let likelihood = RateLikelihood::new(&data);
        let rate = likelihood.maximum().unwrap().rate;
        let best = likelihood.ln(rate);
        for step in -400..=400 {
            let r = 10f64.powf(f64::from(step) / 50.0) / unit;
            prop_assert!(likelihood.ln(r) <= best + 1e-9 * (1.0 + best.abs()), "{} beats {}", r, rate);
        }
        if rate > 0.0 && rate < f64::INFINITY {
            let left: f64 = data.iter().map(|&(tau, found)| match found {
                Observation::Unchanged => -tau,
                Observation::Changed => tau / (rate * tau).exp_m1(),
                Observation::ChangedAt { age } => 1.0 / rate - age,
                Observation::ChangedBetween { least, most } => (most - least) / (rate * (most - least)).exp_m1() - least,
            }).sum();
            prop_assert!((left * rate).abs() < 1e-9 * data.len() as f64, "{}", left * rate);
            let (low, high) = likelihood.interval(0.9).unwrap();
            prop_assert!(low < rate && rate < high && low > 0.0);
        }
    }
}
