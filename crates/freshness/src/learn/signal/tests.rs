use super::*;
use proptest::prelude::*;

fn model(recall: f64, nu: f64) -> SignalModel {
    SignalModel::new(recall, nu).unwrap()
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
        plain.update(tau, if changed { Observation::Changed } else { Observation::Unchanged });
        knowing.update_signalled(tau, n, changed, &model);
    }
    assert!(plain.mean() > 1.5, "{}", plain.mean());
    assert!((knowing.mean() - 1.0).abs() < 0.1, "{}", knowing.mean());
}

proptest! {
    /// As F-21, with signals: score and information of `n ln gamma - gamma tau + ln(1 - e^-x)`, by central differences;
    /// where the exposure is cut off the score still holds.
    #[test]
    fn f24_worth_matches_the_likelihood(
        recall in 0.0f64..1.0, log_nu in -3.0f64..1.0, n in 0u32..6, log_tau in -1.5f64..1.0, m in 0.1f64..3.0,
    ) {
        let (nu, tau) = (10f64.powf(log_nu), 10f64.powf(log_tau));
        let model = model(recall, nu);
        let l = |factor: f64| {
            let page = model.page(m * factor);
            let x = page.hazard(tau, n);
            f64::from(n) * page.signal_rate().ln() - page.signal_rate() * tau + (-(-x).exp_m1()).ln()
        };
        let h = 1e-4;
        let score = (l(1.0 + h) - l(1.0 - h)) / (2.0 * h);
        let information = -(l(1.0 + h) - 2.0 * l(1.0) + l(1.0 - h)) / (h * h);
        let Worth { changes, exposure } = model.page(m).worth(tau, n, true);
        let scale = 1.0 + f64::from(n) + m * tau;
        prop_assert!((changes - m * exposure - score).abs() < 1e-6 * scale, "{} {} {}", changes, exposure, score);
        // In the plane of ln m the second derivative has the score besides.
        let is_cut_off = exposure == recall * tau;
        prop_assert!(is_cut_off || (changes - (information)).abs() < 1e-5 * scale, "{} {}", changes, information);
        prop_assert!(changes >= 0.0 && exposure >= 0.0);
    }

    /// Without signals, or when they say nothing, the plain estimator.
    #[test]
    fn f24_useless_signals_change_nothing(
        m in 0.01f64..10.0, tau in 0.0f64..10.0, n in 0u32..9, changed in any::<bool>(),
    ) {
        let mut plain = RateEstimate::new(m, 1.0).unwrap();
        let mut signalled = plain;
        plain.update(tau, if changed { Observation::Changed } else { Observation::Unchanged });
        signalled.update_signalled(tau, n, changed, &model(0.0, 0.4));
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
            page.update_signalled(tau, n, changed, &model);
            prop_assert!(page.mean().is_finite() && page.shape() > 0.0 && page.rate() > 0.0, "{:?}", page);
        }
        let prior = Prior::new(page.mean().max(1e-30), 1.0).unwrap();
        let mut evidence = Evidence::default();
        evidence.record_signalled(tau, (n, changed), &model, &prior, Forgetting::Never);
        prop_assert!(evidence.estimate(&prior).mean().is_finite());
    }
}
