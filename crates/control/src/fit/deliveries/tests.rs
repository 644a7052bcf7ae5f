//! C-24: batches, stops and operational time, against sequences whose structure is known.

use proptest::prelude::*;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::PhaseType;
use crate::fit::em_arrivals::tests::simulated;
use crate::model::examples;

/// Delivery times of gaps and batches; pages of a batch come `within` apart.
fn times(run: &[Observation], within: f64) -> Vec<f64> {
    let (mut now, mut times) = (1000.0, Vec::new());
    for &(gap, size) in run {
        now += gap;
        times.extend((0..size).map(|page| now + within * page as f64));
    }
    times.sort_by(f64::total_cmp);
    times
}

fn options() -> DeliveryOptions {
    DeliveryOptions::default()
}

#[test]
fn c24_the_measured_crawlers_batches() {
    // Batches of ADKNS section 7, their pages 0.05 apart, gaps of mean 213.
    let crawler = examples::measured_crawler().arrivals()[0].1.clone();
    let run = simulated(&crawler, 20_000, 1);
    let statistics = DeliveryStatistics::from_times(&times(&run, 0.05), None, &options()).unwrap();
    let gap = statistics.grouping().batch_gap.unwrap();
    assert!((0.05..20.0).contains(&gap), "{gap}");
    let sizes = statistics.batch_sizes();
    assert!((sizes.mean() / 3.263389905 - 1.0).abs() < 0.015, "20,000 batches, a few taken as one: {}", sizes.mean());
    // Batches closer than that are taken as one: a gap below 1 has probability 0.5%.
    assert!(sizes.law()[8..].iter().sum::<f64>() < 0.01);
    // The mean of 20,000 gaps with c^2 = 1.14 and slow correlation: standard error about 1.5%.
    assert!((statistics.gaps().mean() * crawler.batch_rate() - 1.0).abs() < 0.05);
    for (lag, rho) in (1..=3).zip(statistics.correlations()) {
        assert!((rho - crawler.correlation(lag)).abs() < 0.04, "{lag} {rho}");
    }
    assert_eq!(statistics.stops(), 0.0);
}

#[test]
fn c24_printed_batch_law_has_the_printed_mean() {
    // One batch in 9074 is d = 1.1e-4: the printed probabilities are counts out of 9074.
    let law = [0.040445227, 0.18404232, 0.26405114, 0.5057307, 8.8163983e-4, 7.7143486e-4, 0.0018734847, 0.00220405];
    let mut sizes = BatchSizes::new(64);
    for (size, p) in (1..).zip(law) {
        let count = f64::round(p * 9074.0);
        assert!((count / 9074.0 / p - 1.0).abs() < 1e-4, "{size}");
        (0..count as usize).for_each(|_| sizes.add(size));
    }
    assert!((sizes.mean() - 3.263389905223716).abs() < 1e-8, "{}", sizes.mean());
}

#[test]
fn c24_no_batches_without_an_antimode() {
    let mut rng = Pcg64Mcg::seed_from_u64(4);
    for law in [
        PhaseType::exponential(2.0).unwrap(),
        PhaseType::erlang(5, 1.0).unwrap(),
        PhaseType::hyper_exponential(&[0.5, 0.5], &[1.0, 4.0]).unwrap(),
    ] {
        for n in [100, 1000, 30_000] {
            let run: Vec<Observation> = (0..n).map(|_| (law.sample(&mut rng), 1)).collect();
            let statistics = DeliveryStatistics::from_times(&times(&run, 0.0), None, &options()).unwrap();
            assert_eq!(statistics.grouping().batch_gap, None);
            assert_eq!((statistics.batch_sizes().mean(), statistics.stops()), (1.0, 0.0));
        }
    }
}

#[test]
fn c24_chance_is_no_antimode() {
    // Small samples have holes; in none of 300 is one taken for a valley.
    let mut rng = Pcg64Mcg::seed_from_u64(9);
    let law = PhaseType::exponential(1.0).unwrap();
    for _ in 0..300 {
        let mut gaps = LogHistogram::default();
        (0..60).for_each(|_| gaps.add(law.sample(&mut rng)));
        assert_eq!(gaps.antimode(), None);
    }
}

#[test]
fn c24_a_coarse_clock_is_no_antimode() {
    // Exponential gaps of mean 5, times in whole seconds: pages of the same second are batches, others are not.
    let mut rng = Pcg64Mcg::seed_from_u64(5);
    let law = PhaseType::exponential(0.2).unwrap();
    let run: Vec<Observation> = (0..20_000).map(|_| (law.sample(&mut rng), 1)).collect();
    let coarse: Vec<f64> = times(&run, 0.0).iter().map(|time| time.floor()).collect();
    let statistics = DeliveryStatistics::from_times(&coarse, None, &options()).unwrap();
    assert_eq!(statistics.grouping().batch_gap, Some(0.0));
}

#[test]
fn c24_stops_are_left_out_and_interrupt() {
    let mut rng = Pcg64Mcg::seed_from_u64(6);
    let law = PhaseType::exponential(1.0).unwrap();
    let mut run: Vec<Observation> = (0..3000).map(|_| (law.sample(&mut rng), 1)).collect();
    run[1000].0 = 4000.0;
    run[2000].0 = 90_000.0;
    let all = times(&run, 0.0);
    let trace = Trace::new(&all, None, &options()).unwrap();
    let statistics = trace.statistics(&options());
    assert_eq!(statistics.stops(), 2.0);
    // 2997 gaps of variation one.
    assert!((statistics.gaps().mean() - 1.0).abs() < 5.0 / 2997f64.sqrt());
    assert_eq!(trace.runs().iter().map(Vec::len).collect::<Vec<_>>(), [999, 999, 999]);
    let with = |stops| DeliveryStatistics::from_times(&all, None, &DeliveryOptions { stops, ..options() }).unwrap();
    assert_eq!(with(Stops::Kept).gaps().weight(), 2999.0);
    assert_eq!(with(Stops::LongerThan(5000.0)).stops(), 1.0);
}

/// Gaps of a law, with one of them replaced by another.
fn with_one(law: &PhaseType, n: usize, gap: f64) -> DeliveryStatistics {
    let mut rng = Pcg64Mcg::seed_from_u64(7);
    let mut run: Vec<Observation> = (0..n).map(|_| (law.sample(&mut rng), 1)).collect();
    run[n / 2].0 = gap;
    let options = DeliveryOptions { batches: Batches::Single, ..options() };
    DeliveryStatistics::from_times(&times(&run, 0.0), None, &options).unwrap()
}

#[test]
fn c24_one_stop_among_many_gaps_of_many_lengths() {
    // Quartiles a factor of sixty apart, the longest gap about ten.
    let law = PhaseType::hyper_exponential(&[0.5, 0.5], &[100.0, 1.0]).unwrap();
    let statistics = with_one(&law, 20_000, 2000.0);
    assert_eq!((statistics.stops(), statistics.doubts()), (1.0, vec![]));
    assert!((statistics.gaps().raw()[2] / law.moment(3) - 1.0).abs() < 0.2);
    assert!((statistics.stopped_share() - 2000.0 / (2000.0 + 20_000.0 * law.mean())).abs() < 0.01);
    assert!(statistics.longest_gap() < 20.0);
}

#[test]
fn c24_a_gap_that_may_be_a_stop_is_pointed_out() {
    let statistics = with_one(&PhaseType::exponential(1.0).unwrap(), 20_000, 80.0);
    assert_eq!(statistics.stops(), 0.0);
    let doubts = statistics.doubts();
    assert!(matches!(doubts[..], [Departure::OneLongGap { share, .. }] if share > 0.7), "{doubts:?}");
    // Ten stops that hold nearly all of the time are left out, but not without a word.
    let mut run: Vec<Observation> = (0..2000).map(|i| (1.0 + f64::from(i % 7), 1)).collect();
    run.iter_mut().step_by(200).for_each(|gap| gap.0 = 1e5);
    let statistics = DeliveryStatistics::from_times(&times(&run, 0.0), None, &options()).unwrap();
    let doubts = statistics.doubts();
    assert!(matches!(doubts[..], [Departure::MostlyStops { share, .. }] if share > 0.9), "{doubts:?}");
}

#[test]
fn c24_regular_deliveries_have_no_stops() {
    // One gap in ten is a fifth longer than the others, which are all alike.
    let run: Vec<Observation> = (0..1000).map(|i| (if i % 10 == 0 { 12.0 } else { 10.0 }, 1)).collect();
    let statistics = DeliveryStatistics::from_times(&times(&run, 0.0), None, &options()).unwrap();
    assert_eq!((statistics.stops(), statistics.gaps().weight()), (0.0, 999.0));
    assert_eq!(statistics.doubts(), []);
}

#[test]
fn c24_batches_by_a_gap_of_ones_own() {
    let all = [0.0, 1.0, 2.0, 10.0, 11.0, 30.0];
    let with = |batches| Trace::new(&all, None, &DeliveryOptions { batches, ..options() }).unwrap().batches;
    let batches = with(Batches::Within(1.0));
    assert_eq!(batches.iter().map(|batch| batch.size).collect::<Vec<_>>(), [3, 2, 1]);
    assert_eq!(batches.iter().map(Batch::gap).collect::<Vec<_>>(), [None, Some(10.0), Some(20.0)]);
    assert_eq!(with(Batches::Single).len(), 6);
}

#[test]
fn c24_operational_time() {
    let activity = Activity::new(&[(0.0, 2), (10.0, 0), (20.0, 3)]).unwrap();
    assert_eq!([5.0, 10.0, 15.0, 22.0].map(|time| activity.operational(time)), [10.0, 20.0, 20.0, 26.0]);
    assert_eq!([-1.0, 0.0, 12.0, 20.0].map(|time| activity.robots(time)), [2, 2, 0, 3]);
    // One page per unit of operational time is seen as that, whatever the activity.
    let all: Vec<f64> = (1..=200)
        .map(|page| if page <= 20 { 0.5 } else { 13.333 } + f64::from(page) / if page <= 20 { 2.0 } else { 3.0 })
        .collect();
    let statistics = DeliveryStatistics::from_times(
        &all,
        Some(&activity),
        &DeliveryOptions { batches: Batches::Single, ..options() },
    );
    let gaps = *statistics.unwrap().gaps();
    assert!((gaps.mean() - 1.0).abs() < 0.01 && gaps.variance() < 0.01, "{gaps:?}");
}

#[test]
fn c24_parts_by_number_of_robots() {
    // With no robot active two pages are still under way.
    let activity = Activity::new(&[(0.0, 1), (10.0, 2), (20.0, 1), (30.0, 0)]).unwrap();
    let all = [1.0, 4.0, 9.0, 11.0, 12.0, 14.0, 21.0, 25.0, 31.0, 32.0];
    let options = DeliveryOptions { batches: Batches::Single, stops: Stops::Kept, ..options() };
    let parts = Trace::new(&all, None, &options).unwrap().by_robots(&activity);
    let gaps = |r: u32| parts[&r].trace.batches.iter().filter_map(Batch::gap).collect::<Vec<_>>();
    assert_eq!((gaps(1), gaps(2)), (vec![3.0, 5.0, 4.0], vec![1.0, 2.0]));
    assert_eq!(parts.len(), 2);
    // All of the time counts, and every batch for the number that was active before it.
    let counts = |r: u32| (parts[&r].time, parts[&r].batches, parts[&r].broken);
    assert_eq!((counts(1), counts(2)), ((19.0, 4.0, 1.0), (10.0, 3.0, 1.0)));
}

#[test]
fn c24_a_number_that_changes_with_a_batch_changes_after_it() {
    // Pairs of pages; the number changes with the first page of one and the second of another, and is repeated.
    let all = [0.0, 0.1, 5.0, 5.1, 10.0, 10.1, 15.0, 15.1];
    let activity = Activity::new(&[(0.0, 1), (0.1, 1), (5.0, 2), (5.1, 2), (10.0, 2), (10.1, 3)]).unwrap();
    let options = DeliveryOptions { batches: Batches::Within(0.5), stops: Stops::Kept, ..options() };
    let parts = Trace::new(&all, None, &options).unwrap().by_robots(&activity);
    for r in 1..=3 {
        assert_eq!((parts[&r].time, parts[&r].batches, parts[&r].broken), (5.0, 1.0, 0.0), "{r}");
    }
}

#[test]
fn wrong_times_are_refused() {
    let error = |times: &[f64]| Trace::new(times, None, &options()).unwrap_err().to_string();
    assert!(error(&[1.0]).contains("too few deliveries to fit anything: 1"));
    assert!(error(&[1.0, 3.0, 2.0]).contains("delivery 3 is 2"));
    assert!(error(&[1.0, f64::NAN]).contains("delivery 2 is NaN"));
    assert!(error(&[1e300, 2e300]).contains("delivery 2 is 2e300, 1e300 after the one before it"));
    assert!(error(&[1.0, 1.0, 1e60]).contains("choose another unit of time"));
    assert!(error(&[1e-310, 2e-310]).contains("choose another unit of time"));
    assert!(Activity::new(&[]).is_err());
    assert!(Activity::new(&[(1.0, 1), (0.0, 2)]).unwrap_err().to_string().contains("change of activity 2"));
}

/// Sums from the definitions.
fn correlation(x: &[f64], lag: usize) -> f64 {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / x.len() as f64;
    let pairs = x.iter().zip(&x[lag..]).map(|(a, b)| (a - mean) * (b - mean));
    pairs.sum::<f64>() / (x.len() - lag) as f64 / variance
}

proptest! {
    /// Every page is in one batch, gaps and stops add up to the time that passed, and moments and correlations are those
    /// of the definitions.
    #[test]
    fn c24_nothing_is_lost(logs in prop::collection::vec(-6.0f64..6.0, 3..200), within in 0.01f64..1.0) {
        let run: Vec<Observation> = logs.iter().map(|log| (log.exp(), 1)).collect();
        let all = times(&run, 0.0);
        let options = DeliveryOptions { batches: Batches::Within(within), stops: Stops::Kept, ..options() };
        let trace = Trace::new(&all, None, &options).unwrap();
        prop_assert_eq!(trace.batches.iter().map(|batch| batch.size).sum::<usize>(), all.len());
        let gaps: Vec<f64> = trace.batches.iter().filter_map(Batch::gap).collect();
        let passed = trace.batches.last().unwrap().at - all[0];
        prop_assert!((gaps.iter().sum::<f64>() - passed).abs() < 1e-9 * (1.0 + passed));
        let statistics = trace.statistics(&options);
        if gaps.len() > 3 {
            for (lag, rho) in (1..3).zip(statistics.correlations()) {
                prop_assert!((rho - correlation(&gaps, lag)).abs() < 1e-8);
            }
        }
    }

    /// Statistics of two parts, merged, are those of the whole; only the pairs across the cut are missing.
    #[test]
    fn c28_parts_add_up(logs in prop::collection::vec((-2.0f64..2.0, 1usize..9), 8..60), cut in 2usize..6) {
        let batch = |(i, (log, size)): (usize, &(f64, usize))| Batch {
            at: i as f64,
            until: i as f64,
            since: (i != 0 && i != cut).then(|| log.exp()),
            after_stop: false,
            size: *size,
        };
        let batches: Vec<Batch> = logs.iter().enumerate().map(batch).collect();
        let grouping = Grouping { batch_gap: None, stop_gap: 1e9 };
        let statistics = |batches: &[Batch]| Trace { batches: batches.to_vec(), grouping }.statistics(&options());
        let (whole, mut parts) = (statistics(&batches), statistics(&batches[..cut]));
        parts.merge(&statistics(&batches[cut..]));
        prop_assert!((parts.rate() / whole.rate() - 1.0).abs() < 1e-12);
        prop_assert!((parts.gaps().variance() / whole.gaps().variance() - 1.0).abs() < 1e-9);
        for (p, w) in parts.correlations().iter().zip(whole.correlations()) {
            prop_assert!((p - w).abs() < 1e-9);
        }
        prop_assert_eq!(parts.batch_sizes().law(), whole.batch_sizes().law());
    }
}
