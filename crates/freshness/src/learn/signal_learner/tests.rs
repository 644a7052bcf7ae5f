use super::super::{Observation, RateEstimate};
use super::*;
use proptest::prelude::*;
use rand::{Rng, RngExt, SeedableRng};
use rand_distr::{Distribution, Exp1};
use rand_pcg::Pcg64;

/// One interval of a page: its length, its signals, true and false, and whether the page changed. It ends after `tau`,
/// or already at the first signal.
pub(crate) fn interval(
    mu: f64,
    model: &SignalModel,
    tau: f64,
    at_signal: bool,
    rng: &mut impl Rng,
) -> (f64, u32, bool) {
    let total = mu + model.false_rate();
    let (mut t, mut signals, mut changed) = (0.0, 0, false);
    loop {
        t += Distribution::<f64>::sample(&Exp1, rng) / total;
        if t >= tau {
            return (tau, signals, changed);
        }
        let change = rng.random::<f64>() * total < mu;
        changed |= change;
        if !change || rng.random::<f64>() < model.recall() {
            signals += 1;
            if at_signal {
                return (t, signals, changed);
            }
        }
    }
}

fn with_precision(recall: f64, precision: f64) -> SignalModel {
    SignalModel::new(recall, recall * (1.0 - precision) / precision).unwrap()
}

fn learn(model: &SignalModel, visits: usize, at_signal: bool, rng: &mut Pcg64) -> SignalLearner {
    let mut learner = SignalLearner::new();
    for _ in 0..visits {
        let mu = rng.random_range(0.3..1.7);
        let (tau, n, changed) = interval(mu, model, rng.random_range(0.0..1.2), at_signal, rng);
        learner.record(mu, tau, n, changed);
    }
    learner
}

/// F-24: recall and false rate are found, whether visits ignore the signals or are made at the first one. Recall to
/// 0.12: with 3000 visits and one signal in five true its standard error is 0.04, and the grid is 0.03 wide.
#[test]
fn finds_recall_and_false_rate() {
    for (recall, precision) in [(0.9, 0.9), (0.6, 0.5), (0.3, 0.2), (0.9, 0.2), (0.3, 0.9)] {
        for at_signal in [false, true] {
            let model = with_precision(recall, precision);
            let learned = learn(&model, 3000, at_signal, &mut Pcg64::seed_from_u64(51)).model();
            assert!((learned.recall() - recall).abs() < 0.12, "{recall} {precision} {at_signal}: {learned:?}");
            let off = (learned.false_rate() - model.false_rate()).abs();
            assert!(off < 0.1 * model.false_rate() + 0.03, "{recall} {precision} {at_signal}: {learned:?}");
        }
    }
}

#[test]
fn believes_nothing_before_it_has_seen_anything_and_little_soon_after() {
    assert_eq!(SignalLearner::new().model(), SignalModel::USELESS);
    let early = learn(&with_precision(0.9, 0.9), 3, false, &mut Pcg64::seed_from_u64(52)).model();
    assert!(early.precision(1.0) < 0.5, "{early:?}");
    // Signals without any truth in them, after 20 visits, on average over 200 learners.
    let lies = SignalModel::new(0.0, 3.0).unwrap();
    let mut rng = Pcg64::seed_from_u64(57);
    let mean = (0..200).map(|_| learn(&lies, 20, false, &mut rng).model().recall()).sum::<f64>() / 200.0;
    assert!(mean < 0.2, "{mean}");
}

/// Few false signals among many true ones are the difference of large numbers; those that are surely false keep it from
/// being taken for next to nothing (half of the time without them, a sixth with them).
#[test]
fn seldom_takes_good_signals_for_perfect_ones() {
    let mut rng = Pcg64::seed_from_u64(58);
    let model = with_precision(0.3, 0.9);
    let mut learned = || learn(&model, 300, false, &mut rng).model().false_rate();
    let too_low = (0..200).filter(|_| learned() < 0.4 * model.false_rate()).count();
    assert!(too_low <= 60, "{too_low} of 200");
}

/// A sitemap that flags every page at every look, and one that flags none: after 2000 visits the hazard is that of a
/// page without signals, within 5 percent.
#[test]
fn lying_sitemaps_are_found_out() {
    let mut rng = Pcg64::seed_from_u64(53);
    for looks_per_time in [0.0, 0.5, 3.0, 50.0] {
        let mut learner = SignalLearner::new();
        for _ in 0..2000 {
            let (mu, tau) = (rng.random_range(0.3..1.7), rng.random_range(0.0..2.0));
            let flags = (tau * looks_per_time + rng.random::<f64>()).floor() as u32;
            learner.record(mu, tau, flags, rng.random::<f64>() < -f64::exp_m1(-mu * tau));
        }
        let page = learner.model().page(1.0);
        let flags = (2.0 * looks_per_time) as u32;
        assert!((page.hazard(2.0, flags) / 2.0 - 1.0).abs() < 0.05, "{looks_per_time}: {:?}", learner.model());
    }
}

/// A site that was honest and then flags everything: forgotten within ten thousand visits.
#[test]
fn habits_may_change() {
    let mut rng = Pcg64::seed_from_u64(54);
    let mut learner = learn(&with_precision(0.9, 0.9), 5000, false, &mut rng);
    assert!(learner.model().precision(1.0) > 0.8);
    let lies = SignalModel::new(0.0, 4.0).unwrap();
    for _ in 0..10_000 {
        let (tau, n, changed) = interval(1.0, &lies, rng.random_range(0.0..1.2), false, &mut rng);
        learner.record(1.0, tau, n, changed);
    }
    assert!(learner.model().precision(1.0) < 0.05, "{:?}", learner.model());
}

/// Signals that were right for long and then stop coming, for changes that go on: after a hundred visits they are not believed to tell
/// of more than a part, after a thousand of none.
#[test]
fn silence_is_found_out() {
    let mut rng = Pcg64::seed_from_u64(57);
    let honest = SignalModel::new(1.0, 0.0).unwrap();
    let mut learner = learn(&honest, 20_000, false, &mut rng);
    assert!(learner.model().recall() > 0.98);
    let silent = SignalModel::new(0.0, 0.0).unwrap();
    for (visits, most) in [(100, 0.9), (900, 0.1)] {
        for _ in 0..visits {
            let (tau, n, changed) = interval(1.0, &silent, rng.random_range(0.0..1.2), false, &mut rng);
            learner.record(1.0, tau, n, changed);
        }
        assert!(learner.model().recall() < most, "{visits}: {:?}", learner.model());
    }
}

/// The rates of 50 pages are learned at the same time, from visits hurried by signals: both come out right.
#[test]
fn learns_along_with_the_rates() {
    let mut rng = Pcg64::seed_from_u64(55);
    let model = with_precision(0.7, 0.5);
    let truth: Vec<f64> = (0..50).map(|_| rng.random_range(0.3..1.7)).collect();
    let mut pages = vec![RateEstimate::new(1.0, 3.0).unwrap(); 50];
    let mut learner = SignalLearner::new();
    for _ in 0..100 {
        for (page, &mu) in pages.iter_mut().zip(&truth) {
            let (tau, n, changed) = interval(mu, &model, rng.random_range(0.5..2.0), true, &mut rng);
            learner.record(page.mean(), tau, n, changed);
            let seen = if changed { Observation::Changed } else { Observation::Unchanged };
            page.update_signalled(tau, n, seen, &learner.model());
        }
    }
    let learned = learner.model();
    assert!((learned.recall() - 0.7).abs() < 0.1 && (learned.false_rate() - 0.7).abs() < 0.1, "{learned:?}");
    let off: f64 = pages.iter().zip(&truth).map(|(page, mu)| (page.mean() / mu).ln()).sum::<f64>() / 50.0;
    assert!(off.abs() < 0.1, "{off}");
}

#[test]
fn merged_parts_know_what_the_whole_knows() {
    let model = with_precision(0.6, 0.5);
    let mut rng = Pcg64::seed_from_u64(56);
    let mut merged = learn(&model, 700, false, &mut rng);
    merged.merge(&learn(&model, 700, false, &mut rng));
    let learned = merged.model();
    assert!((learned.recall() - 0.6).abs() < 0.15 && (learned.false_rate() - 0.6).abs() < 0.1, "{learned:?}");
}

proptest! {
    #[test]
    fn any_visits_leave_a_model(
        visits in proptest::collection::vec((
            prop_oneof![Just(0.0), Just(f64::NAN), Just(1e300), -12.0f64..12.0],
            prop_oneof![Just(0.0), Just(-1.0), Just(f64::INFINITY), (-12.0f64..12.0).prop_map(|e| 10f64.powf(e))],
            any::<u32>(),
            any::<bool>(),
        ), 0..100),
    ) {
        let mut learner = SignalLearner::new();
        for (mu, tau, n, changed) in visits {
            learner.record(mu, tau, n, changed);
            let model = learner.model();
            prop_assert!(SignalModel::new(model.recall(), model.false_rate()).is_ok(), "{:?}", model);
        }
    }
}
