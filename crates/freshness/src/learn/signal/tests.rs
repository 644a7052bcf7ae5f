use super::*;
use proptest::prelude::*;

fn model(recall: f64, nu: f64) -> SignalModel {
    SignalModel::new(recall, nu).unwrap()
}

fn seen(changed: bool) -> Observation {
    if changed { Observation::Changed } else { Observation::Unchanged }
}

#[test]
fn refuses_what_is_no_signal() {
    assert_eq!(SignalModel::new(1.1, 0.0), Err(SignalError::Recall(1.1)));
    assert!(SignalModel::new(f64::NAN, 0.0).is_err());
    assert_eq!(SignalModel::new(0.5, -1.0), Err(SignalError::FalseRate(-1.0)));
    assert!(SignalModel::new(0.5, f64::INFINITY).is_err());
}

#[test]
fn f24_effective_age() {
    // r = 0.5, mu = 2, nu = 1: alpha = 1, gamma = 2, a signal adds ln 2.
    let page = model(0.5, 1.0).page(2.0);
    assert!((page.effective_age(3.0, 2) - (3.0 + 2.0 * 2f64.ln())).abs() < 1e-15);
    assert!((page.precision() - 0.5).abs() < 1e-15 && (model(0.5, 1.0).precision(2.0) - 0.5).abs() < 1e-15);
    // No information, certainty, and every change signalled.
    assert_eq!(model(0.0, 1.0).page(2.0).effective_age(3.0, 7), 3.0);
    assert_eq!(model(0.5, 0.0).page(2.0).effective_age(3.0, 1), f64::INFINITY);
    assert_eq!(model(0.5, 0.0).page(2.0).effective_age(3.0, 0), 3.0);
    assert_eq!(model(1.0, 1.0).page(2.0).hazard(3.0, 0), 0.0);
    assert_eq!(model(1.0, 1.0).page(2.0).effective_age(3.0, 1), f64::INFINITY);
    assert_eq!(model(0.5, 1.0).page(0.0).hazard(3.0, 4), 0.0);
    assert_eq!(model(0.5, 1.0).page(f64::NAN).hazard(3.0, 4), 0.0);
}

/// F-24: the probability of being fresh, among simulated intervals with the same number of signals. 300,000 intervals,
/// five standard errors.
#[test]
fn f24_freshness_as_simulated() {
    use super::super::signal_learner::tests::interval;
    use rand::SeedableRng;
    let mut rng = rand_pcg::Pcg64::seed_from_u64(41);
    let (model, mu, tau) = (model(0.6, 0.7), 0.9, 1.1);
    let mut counts = [(0.0, 0.0); 4];
    for _ in 0..300_000 {
        let (_, n, changed) = interval(mu, &model, tau, false, &mut rng);
        if let Some(count) = counts.get_mut(n as usize) {
            count.0 += f64::from(u8::from(!changed));
            count.1 += 1.0;
        }
    }
    for (n, (fresh, all)) in counts.into_iter().enumerate() {
        let expected = (-model.page(mu).hazard(tau, n as u32)).exp();
        let error = (expected * (1.0 - expected) / all).sqrt();
        assert!((fresh / all - expected).abs() < 5.0 * error, "{n}: {} {expected}", fresh / all);
    }
}

/// A list that is read every `every`, and visits to a page after it has told, or else after `patience`: the time since the visit
/// before, told up to the last reading, the signals, and the age of the last change if there was one. Time runs on between visits, so
/// that readings do not wait for them.
struct ReadList {
    model: SignalModel,
    mu: f64,
    every: f64,
    patience: f64,
    now: f64,
}

impl ReadList {
    fn next(&mut self, rng: &mut rand_pcg::Pcg64) -> (Span, u32, Option<f64>) {
        use rand::RngExt;
        use rand_distr::{Distribution, Exp1};
        let began = self.now;
        let (mut changed_at, mut signals) = (None, 0);
        let mut reading = (began / self.every).floor() * self.every + self.every;
        let mut at = began;
        let total = self.mu + self.model.false_rate();
        let mut told_at: Vec<f64> = Vec::new();
        loop {
            at += Distribution::<f64>::sample(&Exp1, rng) / total;
            // What was told up to a reading is known then, and hurries the visit.
            while reading < at.min(began + self.patience) {
                signals = told_at.len() as u32;
                if signals > 0 {
                    self.now = reading;
                    let age = changed_at.map(|changed: f64| reading - changed);
                    return (Span::new(reading - began, reading - began), signals, age);
                }
                reading += self.every;
            }
            if at >= began + self.patience {
                self.now = began + self.patience;
                let told = (reading - self.every - began).max(0.0);
                return (Span::new(self.patience, told), signals, changed_at.map(|changed| self.now - changed));
            }
            if rng.random::<f64>() * total < self.mu {
                changed_at = Some(at);
                if rng.random::<f64>() < self.model.recall() {
                    told_at.push(at);
                }
            } else {
                told_at.push(at);
            }
        }
    }
}

/// F-30: what of a list that is read now and then is learned does not depend on how often that is, and the rate is found, with dates
/// and without. 20,000 visits; the recall on its grid is within 0.04, rates within 5 %.
#[test]
fn f30_lists_that_are_read_now_and_then() {
    use super::super::SignalLearner;
    use rand::SeedableRng;
    for every in [0.1, 1.0, 3.0] {
        let mut rng = rand_pcg::Pcg64::seed_from_u64(43);
        let model = model(0.9, 0.02);
        let mut list = ReadList { model, mu: 1.0, every, patience: 1.7, now: 0.0 };
        let (mut learner, mut fresh) = (SignalLearner::new(), [(0.0, 0.0); 2]);
        let mut estimates = [RateEstimate::new(1.0, 1.0).unwrap(); 3];
        for _ in 0..20_000 {
            let (span, n, age) = list.next(&mut rng);
            learner.record(1.0, span, n, age.is_some());
            estimates[0].update(span.length(), seen(age.is_some()));
            estimates[1].update_signalled(span, n, seen(age.is_some()), &model);
            let dated = age.map_or(Observation::Unchanged, |age| Observation::ChangedAt { age });
            estimates[2].update_signalled(span, n, dated, &model);
            let count = &mut fresh[n.min(1) as usize];
            *count = (
                count.0 + f64::from(u8::from(age.is_none())) - (-model.page(1.0).hazard(span, n)).exp(),
                count.1 + 1.0,
            );
        }
        // Predicted and found fresh agree, with signals and without: five standard errors of at most 1/2.
        for (difference, all) in fresh {
            assert!(difference.abs() < 2.5 * f64::sqrt(all), "{every}: {difference} of {all}");
        }
        let learned = learner.model();
        assert!((learned.recall() - 0.9).abs() < 0.04 && learned.false_rate() < 0.06, "{every}: {learned:?}");
        for estimate in &estimates[1..] {
            assert!((estimate.mean() - 1.0).abs() < 0.05, "{every}: {}", estimate.mean());
        }
        assert!(
            every > 1.0 || estimates[0].mean() > 1.1,
            "who knows nothing of signals overrates: {}",
            estimates[0].mean()
        );
    }
}

/// When visits are made at the first signal, the plain estimator overrates the page; the one that knows does not.
#[test]
fn f24_rate_is_learned_right_when_signals_decide_the_visits() {
    use super::super::signal_learner::tests::interval;
    use rand::SeedableRng;
    let mut rng = rand_pcg::Pcg64::seed_from_u64(42);
    let (model, mu) = (model(0.8, 0.3), 1.0);
    let mut plain = RateEstimate::new(1.0, 1.0).unwrap();
    let mut knowing = plain;
    for _ in 0..3000 {
        let (tau, n, changed) = interval(mu, &model, 2.0, true, &mut rng);
        plain.update(tau, seen(changed));
        knowing.update_signalled(tau, n, seen(changed), &model);
    }
    assert!(plain.mean() > 1.5, "{}", plain.mean());
    assert!((knowing.mean() - 1.0).abs() < 0.1, "{}", knowing.mean());
}

proptest! {
    /// As F-21, with signals: score and information of `n ln gamma - gamma s + ln(1 - e^-x)`, by central differences;
    /// where the exposure is cut off the score still holds. Also where not all of the time was told of (F-30).
    #[test]
    fn f24_worth_matches_the_likelihood(
        recall in 0.0f64..1.0, log_nu in -3.0f64..1.0, n in 0u32..6, log_tau in -1.5f64..1.0, m in 0.1f64..3.0,
        part in prop_oneof![Just(1.0), 0.0f64..1.0],
    ) {
        let (nu, tau) = (10f64.powf(log_nu), 10f64.powf(log_tau));
        let (model, told) = (model(recall, nu), part * tau);
        let span = Span::new(tau, told);
        let l = |factor: f64| {
            let page = model.page(m * factor);
            let x = page.hazard(span, n);
            f64::from(n) * page.signal_rate().ln() - page.signal_rate() * told + (-(-x).exp_m1()).ln()
        };
        let h = 1e-4;
        let score = (l(1.0 + h) - l(1.0 - h)) / (2.0 * h);
        let information = -(l(1.0 + h) - 2.0 * l(1.0) + l(1.0 - h)) / (h * h);
        let Worth { changes, exposure } = model.page(m).worth(span, n, Observation::Changed);
        let scale = 1.0 + f64::from(n) + m * tau;
        prop_assert!((changes - m * exposure - score).abs() < 1e-6 * scale, "{} {} {}", changes, exposure, score);
        // In the plane of ln m the second derivative has the score besides.
        let is_cut_off = exposure == recall * told;
        prop_assert!(is_cut_off || (changes - (information)).abs() < 1e-5 * scale, "{} {}", changes, information);
        prop_assert!(changes >= 0.0 && exposure >= 0.0);
    }

    /// F-30 with F-23: the change was last at an age between two, and nobody told of one. Score and information of
    /// `-r m s - m a + ln(1 - e^(-m (b - a)))`, where `a` and `b` are less by the part `r` of what of them was told.
    #[test]
    fn f30_worth_of_a_dated_change_matches_the_likelihood(
        recall in 0.0f64..0.99, tau in 0.1f64..10.0, part in 0.0f64..1.0, m in 0.1f64..3.0,
        (low, high) in (0.0f64..0.5, 0.51f64..1.0),
    ) {
        let told = part * tau;
        let (least, most) = (low * tau, high * tau);
        let untold = |age: f64| age.min(tau - told) + (1.0 - recall) * (age - (tau - told)).max(0.0);
        let l = |factor: f64| {
            let m = m * factor;
            -recall * m * told - m * untold(least) + (-(-m * (untold(most) - untold(least))).exp_m1()).ln()
        };
        let h = 1e-4;
        let score = (l(1.0 + h) - l(1.0 - h)) / (2.0 * h);
        let information = -(l(1.0 + h) - 2.0 * l(1.0) + l(1.0 - h)) / (h * h);
        let found = Observation::ChangedBetween { least, most };
        let Worth { changes, exposure } = model(recall, 0.1).page(m).worth(Span::new(tau, told), 0, found);
        prop_assert!((changes - m * exposure - score).abs() < 1e-6 * (1.0 + m * tau), "{} {} {}", changes, exposure, score);
        prop_assert!((changes - information).abs() < 1e-5 * (1.0 + m * tau), "{} {}", changes, information);
    }

    /// Without signals, or when they say nothing, the plain estimator.
    #[test]
    fn f24_useless_signals_change_nothing(
        m in 0.01f64..10.0, tau in 0.0f64..10.0, n in 0u32..9, changed in any::<bool>(),
    ) {
        let mut plain = RateEstimate::new(m, 1.0).unwrap();
        let mut signalled = plain;
        plain.update(tau, seen(changed));
        signalled.update_signalled(tau, n, seen(changed), &model(0.0, 0.4));
        prop_assert_eq!(plain, signalled);
    }

    /// Any visit leaves the estimate a law.
    #[test]
    fn f24_never_leaves_its_range(
        recall in prop_oneof![Just(0.0), Just(1.0), 0.0f64..1.0], log_nu in -320.0f64..12.0, n in 0u32..5000,
        tau in prop_oneof![Just(0.0), Just(f64::NAN), Just(f64::INFINITY), (-12.0f64..12.0).prop_map(|e| 10f64.powf(e))],
        log_shape in -12.0f64..6.0, log_rate in -12.0f64..12.0, changed in any::<bool>(),
    ) {
        let mut page = RateEstimate::new(10f64.powf(log_shape), 10f64.powf(log_rate)).unwrap();
        let model = model(recall, 10f64.powf(log_nu));
        for _ in 0..3 {
            page.update_signalled(tau, n, seen(changed), &model);
            prop_assert!(page.mean().is_finite() && page.shape() > 0.0 && page.rate() > 0.0, "{:?}", page);
        }
        let prior = Prior::new(page.mean().max(1e-30), 1.0).unwrap();
        let mut evidence = Evidence::default();
        evidence.record_signalled(tau, (n, seen(changed)), &model, &prior, Forgetting::Never);
        prop_assert!(evidence.estimate(&prior).mean().is_finite());
    }
}
