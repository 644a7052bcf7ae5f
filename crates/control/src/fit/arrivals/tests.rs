//! The whole way from deliveries to arrival processes.

use proptest::prelude::*;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::fit::deliveries::{Activity, Batches, Stops};
use crate::fit::em_arrivals::tests::simulated;
use crate::fit::{Method, arrivals_by_robots};
use crate::model::examples;

fn times(run: &[Observation]) -> Vec<f64> {
    let mut now = 0.0;
    let mut times = Vec::new();
    for &(gap, size) in run {
        now += gap;
        times.extend((0..size).map(|page| now + 1e-4 * page as f64));
    }
    times.sort_by(f64::total_cmp);
    times
}

fn options() -> DeliveryOptions {
    DeliveryOptions { lags: 6, ..DeliveryOptions::default() }
}

#[test]
fn c26_errors_shrink_with_the_root_of_the_sample() {
    // Light tails: the third moment of the gaps, too, is known well from the sample.
    let process = map2::from_decay(&[100.0, 3.0e4, 1.6e7], 0.9).unwrap().with_batches(&[0.5, 0.2, 0.3]);
    let error = |n: usize| {
        let one = |seed: u64| {
            let statistics = DeliveryStatistics::from_times(&times(&simulated(&process, n, seed)), None, &options());
            let fitted = arrivals_from_statistics(&statistics.unwrap()).unwrap().process;
            let errors = [
                fitted.rate() / process.rate() - 1.0,
                fitted.variance() / process.variance() - 1.0,
                fitted.correlation(1) / process.correlation(1) - 1.0,
                fitted.matrices()[3][(0, 0)] / process.matrices()[3][(0, 0)] - 1.0,
            ];
            errors.map(|e| e * e).iter().sum::<f64>() / 4.0
        };
        ((1..=8).map(one).sum::<f64>() / 8.0).sqrt()
    };
    let (few, many) = (error(2000), error(32_000));
    // Sixteen times the sample: a quarter of the error; eight seeds scatter by about a third.
    assert!(many < 0.06, "{few} {many}");
    assert!((2.2..7.5).contains(&(few / many)), "{few} {many}");
}

#[test]
fn c26_the_measured_crawler_and_what_was_matched() {
    let crawler = examples::measured_crawler().arrivals()[0].1.clone();
    let statistics = DeliveryStatistics::from_times(&times(&simulated(&crawler, 30_000, 2)), None, &options()).unwrap();
    let fitted = arrivals_from_statistics(&statistics).unwrap();
    let matched = &fitted.report.matched;
    let of = |quantity| *matched.iter().find(|m| m.quantity == quantity).unwrap();
    for exact in [Quantity::Moment(1), Quantity::Moment(2), Quantity::MeanBatch] {
        assert!(of(exact).relative_error().abs() < 1e-9, "{exact}");
    }
    assert!((of(Quantity::Correlation(3)).wanted - of(Quantity::Correlation(3)).fitted).abs() < 0.03);
    assert_eq!(Quantity::Correlation(3).to_string(), "correlation at lag 3");
    // r D_k: lambda^(r) = r lambda.
    for (r, process) in fitted.for_robots(4) {
        assert!((process.rate() / (f64::from(r) * fitted.process.rate()) - 1.0).abs() < 1e-12);
    }
}

#[test]
fn c26_departures_are_said() {
    let fit = |gaps: &mut dyn Iterator<Item = f64>| {
        let run: Vec<Observation> = gaps.map(|gap| (gap, 1)).collect();
        let options = DeliveryOptions { batches: Batches::Single, stops: Stops::Kept, ..options() };
        arrivals_from_statistics(&DeliveryStatistics::from_times(&times(&run), None, &options).unwrap()).unwrap()
    };
    // Almost regular gaps: no process of two phases.
    let regular = fit(&mut (0..500).map(|i| 1.0 + 0.3 * f64::from(i % 7) / 7.0));
    assert!(matches!(regular.report.departures[0], Departure::Renewal(MomentError::TooRegular { .. })), "{regular:?}");
    assert!((regular.process.batch_rate() - 1.0 / regular.report.matched[0].wanted).abs() < 1e-9);
    // Alternating long and short: as negative as the correlation can be, more so than two phases allow.
    let alternating = fit(&mut (0..500).map(|i| if i % 2 == 0 { 0.01 } else { 2.0 + f64::from(i % 5) }));
    let departures = &alternating.report.departures;
    assert!(departures.iter().any(|d| matches!(d, Departure::Decay { .. } | Departure::Renewal(_))), "{departures:?}");
    // A Poisson process: nothing to be said but that the gaps are independent, or nearly.
    let poisson = simulated(&Bmap::poisson(2.0).unwrap(), 3000, 1);
    let poisson = fit(&mut poisson.iter().map(|(gap, _)| *gap));
    assert!(poisson.process.correlation(1).abs() < 0.05);
    assert!(arrivals_from_statistics(&DeliveryStatistics::from_times(&[1.0, 2.0], None, &options()).unwrap()).is_err());
}

#[test]
fn large_batches_keep_their_mean_and_it_is_said() {
    let run: Vec<Observation> = (0..200).map(|i| (10.0 + f64::from(i % 13), if i % 20 == 0 { 9 } else { 2 })).collect();
    let options = DeliveryOptions { largest_batch: 4, ..options() };
    let fitted =
        arrivals_from_statistics(&DeliveryStatistics::from_times(&times(&run), None, &options).unwrap()).unwrap();
    assert_eq!(fitted.process.largest_batch(), 9);
    let batch = fitted.report.matched.iter().find(|matched| matched.quantity == Quantity::MeanBatch).unwrap();
    assert!((batch.wanted - 2.35).abs() < 1e-12 && batch.relative_error().abs() < 1e-12, "{batch:?}");
    let share = fitted.report.departures.iter().find_map(|departure| match departure {
        Departure::LargeBatches { largest: 4, share } => Some(*share),
        _ => None,
    });
    assert_eq!(share, Some(0.05));
}

#[test]
fn c24_varying_activity_gives_the_process_of_one_robot() {
    // One robot's process, run at the speed of one, three and two robots by turns.
    let robot = examples::measured_crawler().arrivals()[0].1.clone();
    let run = simulated(&robot, 12_000, 5);
    let (mut changes, mut all, mut now, mut operational) = (Vec::new(), Vec::new(), 0.0, 0.0);
    for (i, &(gap, size)) in run.iter().enumerate() {
        let robots = [1, 3, 2][(i / 50) % 3];
        if i % 50 == 0 {
            changes.push((now, robots));
        }
        now += gap / f64::from(robots);
        operational += gap;
        all.extend((0..size).map(|page| now + 1e-4 * page as f64));
    }
    all.sort_by(f64::total_cmp);
    let activity = Activity::new(&changes).unwrap();
    let statistics = DeliveryStatistics::from_times(&all, Some(&activity), &options()).unwrap();
    let mean = operational / run.len() as f64;
    assert!((statistics.gaps().mean() / mean - 1.0).abs() < 1e-3, "the first gap is not seen");
    let parts = Trace::new(&all, None, &options()).unwrap().by_robots(&activity);
    let em = EmOptions::default();
    let fitted = arrivals_by_robots(&parts, None, &[Method::Moments], &em).unwrap();
    assert_eq!(fitted.iter().map(|(r, _)| *r).collect::<Vec<_>>(), [1, 2, 3]);
    for (r, choice) in &fitted {
        // 4000 gaps each with slow correlation: standard error about 3%.
        let per_robot = choice.best.fitted.process.rate() / f64::from(*r);
        assert!((per_robot / robot.rate() - 1.0).abs() < 0.12, "{r} {per_robot}");
    }
}

#[test]
fn c27_more_phases_are_likelier() {
    let process = examples::paper(5).arrivals()[2].1.clone();
    let options = DeliveryOptions { batches: Batches::Within(1e-3), stops: Stops::Kept, ..options() };
    let all: Vec<f64> = times(&simulated(&process, 1500, 8));
    let trace = Trace::new(&all, None, &options).unwrap();
    let em = EmOptions { iterations: 100, tolerance: 1e-6 };
    let fits = [1, 2, 3].map(|phases| arrivals_by_em(&trace, phases, false, &em).unwrap());
    let likelihood = |fitted: &FittedArrivals| fitted.report.goodness.unwrap().log_likelihood;
    assert!(likelihood(&fits[0]) < likelihood(&fits[1]) && likelihood(&fits[1]) < likelihood(&fits[2]) + 1.0);
    for fitted in &fits {
        assert!(fitted.report.matched[0].relative_error().abs() < 0.01, "the mean is matched");
    }
    let joint = arrivals_by_em(&trace, 2, true, &em).unwrap();
    assert!((joint.process.rate() / process.rate() - 1.0).abs() < 0.15);
}

#[test]
fn constant_gaps_are_fitted_by_their_mean() {
    let all: Vec<f64> = (0..100).map(|i| 0.3 * f64::from(i)).collect();
    let fitted = arrivals_from_statistics(&DeliveryStatistics::from_times(&all, None, &options()).unwrap()).unwrap();
    assert!((fitted.process.rate() * 0.3 - 1.0).abs() < 1e-9);
    assert!(fitted.report.departures.iter().any(|departure| matches!(departure, Departure::MeanOnly(_))));
}

proptest! {
    /// Whatever the gaps, there is a process with their mean; its second moment is theirs too unless the report says
    /// otherwise.
    #[test]
    fn c26_any_sequence_has_a_fit(logs in prop::collection::vec(-1.0f64..1.0, 20..200), spread in 0.0f64..6.0, memory in 0.0f64..0.9) {
        let mut log = 0.0;
        let mut now = 0.0;
        let mut all = vec![0.0];
        for next in logs {
            log = memory * log + (1.0 - memory) * next;
            now += (spread * log).exp();
            all.push(now);
        }
        let options = DeliveryOptions { batches: Batches::Single, stops: Stops::Kept, ..options() };
        let fitted = arrivals_from_statistics(&DeliveryStatistics::from_times(&all, None, &options).unwrap()).unwrap();
        let matched = &fitted.report.matched;
        prop_assert!(matched[0].relative_error().abs() < 1e-6);
        let mean_only = fitted.report.departures.iter().any(|departure| matches!(departure, Departure::MeanOnly(_)));
        prop_assert!(mean_only || matched[1].relative_error().abs() < 1e-6);
    }
}

/// Batches of 100 to 300 pages: one gap in 200 is between batches, and those gaps are nearly all of the time.
#[test]
fn c24_gaps_between_large_batches_are_no_stops() {
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    let law = crate::PhaseType::exponential(0.01).unwrap();
    let (mut now, mut all) = (0.0, Vec::new());
    for i in 0..100 {
        now += 5.0 + law.sample(&mut rng);
        all.extend((0..100 + 37 * i % 201).map(|page| now + 0.01 * f64::from(page)));
        now = all[all.len() - 1];
    }
    let trace = Trace::new(&all, None, &options()).unwrap();
    let statistics = trace.statistics(&options());
    assert_eq!((statistics.stops(), statistics.gaps().weight()), (0.0, 99.0));
    let truth = (all.len() - 1) as f64 / (now - all[0]);
    let by_moments = arrivals_from_statistics(&statistics).unwrap();
    let by_em = arrivals_by_em(&trace, 2, true, &EmOptions::default()).unwrap();
    for fitted in [by_moments, by_em] {
        // A batch more than gaps, and gaps that begin with the batch before: about a hundredth each.
        assert!((fitted.process.rate() / truth - 1.0).abs() < 0.03, "{} {truth}", fitted.process.rate());
    }
}

/// A million gaps are looked at in stretches, values in groups, and it is said.
#[test]
fn c27_large_samples_are_thinned() {
    let run: Vec<Observation> = (0..100_000).map(|i| (1.0 + f64::from(i % 17), 1)).collect();
    let (kept, sampled) = stretches(vec![run[..1500].to_vec(), run[1500..].to_vec()]);
    let used: usize = kept.iter().map(Vec::len).sum();
    assert!((15_000..=MOST_GAPS + STRETCH).contains(&used) && kept.iter().all(|run| run.len() <= STRETCH));
    assert_eq!(sampled.departure(), Some(Departure::Sampled { used, of: 100_000 }));
    assert_eq!(stretches(vec![run[..99].to_vec()]).1.departure(), None);
}
