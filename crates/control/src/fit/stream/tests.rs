//! C-28: streams give what the whole sample gives, in bounded memory, and follow changes.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::PhaseType;
use crate::fit::arrivals_from_statistics;
use crate::fit::deliveries::{Batches, Stops};
use crate::fit::em_arrivals::{Observation, tests::simulated};
use crate::model::examples;

fn times(run: &[Observation], scale: f64) -> Vec<f64> {
    let mut now = 0.0;
    let mut times = Vec::new();
    for &(gap, size) in run {
        now += gap * scale;
        times.extend((0..size).map(|page| now + 1e-3 * page as f64));
    }
    times.sort_by(f64::total_cmp);
    times
}

#[test]
fn c28_without_forgetting_the_stream_is_the_whole() {
    let crawler = examples::measured_crawler().arrivals()[0].1.clone();
    let all = times(&simulated(&crawler, 5000, 1), 1.0);
    let fixed = DeliveryOptions { batches: Batches::Within(1.0), stops: Stops::Kept, ..DeliveryOptions::default() };
    // The antimode found as the stream goes on lies elsewhere in the same empty valley: a few close batches are grouped
    // otherwise.
    for (options, tolerance) in [(fixed, 1e-9), (DeliveryOptions::default(), 0.01)] {
        let mut stream = DeliveryStream::new(options, f64::INFINITY);
        all.iter().for_each(|time| stream.delivered(*time));
        // One more delivery, far away, so that the last batch is complete; its own is not.
        let whole = DeliveryStatistics::from_times(&all, None, &options).unwrap();
        stream.delivered(all[all.len() - 1] + 100.0);
        let streamed = stream.statistics();
        assert!((streamed.gaps().weight() / whole.gaps().weight() - 1.0).abs() <= tolerance);
        assert!((streamed.rate() / whole.rate() - 1.0).abs() < tolerance);
        assert!((streamed.gaps().variance() / whole.gaps().variance() - 1.0).abs() < 2.0 * tolerance);
        for (s, w) in streamed.correlations().iter().zip(whole.correlations()) {
            assert!((s - w).abs() < tolerance);
        }
        assert!(arrivals_from_statistics(streamed).unwrap().process.largest_batch() >= 8);
    }
}

#[test]
fn c28_the_stream_follows_a_change() {
    let crawler = examples::measured_crawler().arrivals()[0].1.clone();
    let before = times(&simulated(&crawler, 4000, 2), 1.0);
    let after = times(&simulated(&crawler, 4000, 3), 0.2);
    let mut stream = DeliveryStream::new(DeliveryOptions::default(), 500.0);
    before.iter().for_each(|time| stream.delivered(*time));
    let slow = stream.statistics().gaps().mean();
    after.iter().for_each(|time| stream.delivered(before[before.len() - 1] + time));
    let fast = stream.statistics().gaps().mean();
    // A memory of 500 gaps, slowly correlated: standard error about a tenth.
    assert!((slow * crawler.batch_rate() - 1.0).abs() < 0.4, "{slow}");
    assert!((fast * crawler.batch_rate() - 0.2).abs() < 0.08, "{fast}");
    assert!((stream.statistics().gaps().weight() - 500.0).abs() < 1.0);
    // Twice the memory, less a trifle: weights that fade tell as much as that many equal ones.
    assert!((stream.statistics().gaps().effective_size() - 999.0).abs() < 2.0);
}

#[test]
fn c28_stops_are_left_out_and_slow_times_are_not() {
    let mut rng = Pcg64Mcg::seed_from_u64(6);
    let law = PhaseType::exponential(1.0).unwrap();
    let mut stream = DeliveryStream::new(DeliveryOptions::default(), 1000.0);
    let mut now = 0.0;
    let mut deliver = |stream: &mut DeliveryStream, n: usize, scale: f64| {
        for _ in 0..n {
            now += scale * law.sample(&mut rng);
            stream.delivered(now);
        }
        now += 5000.0;
    };
    // Stops among the first thousand deliveries and after them.
    [200, 500, 1000, 1000, 1000].into_iter().for_each(|n| deliver(&mut stream, n, 1.0));
    let gaps = stream.statistics().gaps();
    assert!((gaps.mean() - 1.0).abs() < 0.15 && gaps.squared_variation() < 2.0, "{gaps:?}");
    assert!(stream.statistics().stops() > 0.5);
    // Everything a thousand times slower: all gaps look like stops at first, then no longer.
    deliver(&mut stream, 6000, 1000.0);
    let gaps = stream.statistics().gaps();
    assert!((gaps.mean() - 1000.0).abs() < 150.0, "{gaps:?}");
}

#[test]
fn c28_robots_are_taken_into_account() {
    let options = DeliveryOptions { batches: Batches::Single, stops: Stops::Kept, ..DeliveryOptions::default() };
    let mut stream = DeliveryStream::new(options, f64::INFINITY);
    let mut now = 0.0;
    for block in 0..40u32 {
        let robots = 1 + block % 4;
        stream.robots(now, robots);
        for _ in 0..20 {
            now += 1.0 / f64::from(robots);
            stream.delivered(now);
        }
    }
    assert!((stream.statistics().gaps().mean() - 1.0).abs() < 1e-12);
    // A time that runs backwards does no harm.
    stream.delivered(now - 5.0);
    assert!(stream.statistics().gaps().variance() < 1e-9);
}

#[test]
fn c28_memory_is_bounded() {
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    let law = PhaseType::hyper_exponential(&[0.01, 0.99], &[1e-4, 1.0]).unwrap();
    let mut stream = DeliveryStream::new(DeliveryOptions::default(), 1000.0);
    let mut sizes = SizeStream::new(1000.0);
    let mut now = 0.0;
    for _ in 0..20_000 {
        let x = law.sample(&mut rng);
        now += x;
        stream.delivered(now);
        sizes.add(x);
    }
    assert_eq!(stream.recent.len(), RECENT);
    // Eight bins to the octave; the sample spans about 35 octaves.
    assert!(stream.gaps.points().len() < 300 && sizes.histogram.points().len() < 300);
}

#[test]
fn c28_sizes() {
    let mut rng = Pcg64Mcg::seed_from_u64(4);
    let law = PhaseType::hyper_exponential(&[0.1, 0.9], &[0.1, 2.0]).unwrap();
    let sample: Vec<f64> = (0..8000).map(|_| law.sample(&mut rng)).collect();
    let stream = |sample: &[f64]| {
        let mut stream = SizeStream::new(f64::INFINITY);
        sample.iter().for_each(|x| stream.add(*x));
        stream
    };
    let mut parts = stream(&sample[..3000]);
    parts.merge(&stream(&sample[3000..]));
    let whole = stream(&sample);
    assert!((parts.moments().variance() / whole.moments().variance() - 1.0).abs() < 1e-12);
    // Moments are exact; the bins move the likelihood fit by less than the sample does (five standard errors: 8%).
    let by_moments = whole.law_from_moments(2).unwrap();
    assert!(by_moments.report.matched.iter().all(|m| m.relative_error().abs() < 1e-7));
    assert!(by_moments.report.goodness.unwrap().kolmogorov_smirnov.unwrap() < 0.1);
    let by_em = parts.law_from_em(2, &EmOptions::default()).unwrap();
    let exact = crate::fit::em::law_from_sample(&sample, 2, &EmOptions::default()).unwrap();
    assert!((by_em.law.mean() / exact.law.mean() - 1.0).abs() < 1e-6);
    assert!((by_em.law.squared_variation() / exact.law.squared_variation() - 1.0).abs() < 0.01);
    assert!(SizeStream::new(10.0).law_from_moments(2).is_err());
}
