use super::*;

/// Mean and squared coefficient of variation of the gaps between the changes of one page, and its changes per day.
fn gaps_of(gaps: Gaps, rate: f64, days: f64) -> (f64, f64) {
    let mut process = Renewal::new(gaps, 3);
    process.add(&Page::new(rate, 1.0));
    let (mut at, mut seen, mut last_seen) = (0.0, Vec::new(), 0.0);
    // Steps so short that no two changes fall in one often; those that do are counted but their gap is left out.
    let step = 1e-3 / rate;
    let mut count = 0.0;
    while at < days {
        if let Some(changed) = process.between(0, rate, at, at + step) {
            seen.push(changed.first - last_seen);
            last_seen = changed.last;
            count += changed.count;
        }
        at += step;
    }
    let n = seen.len() as f64;
    let mean = seen.iter().sum::<f64>() / n;
    let variance = seen.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / n;
    (count / days, variance / (mean * mean))
}

/// The rate is the page's, the variation as asked for: to 5%, several standard deviations at 20,000 gaps.
#[test]
fn renewal_gaps_have_the_mean_and_variation_asked_for() {
    for (gaps, cv) in [
        (Gaps::Gamma { cv: 0.3 }, 0.3),
        (Gaps::Gamma { cv: 1.0 }, 1.0),
        (Gaps::HyperExponential { cv: 1.0 }, 1.0),
        (Gaps::HyperExponential { cv: 1.5 }, 1.5),
    ] {
        let rate = 0.25;
        let (per_day, c2) = gaps_of(gaps, rate, 80_000.0);
        assert!((per_day / rate - 1.0).abs() < 0.05, "{gaps:?}: {per_day}");
        assert!((c2 / (cv * cv) - 1.0).abs() < 0.07, "{gaps:?}: {c2}");
    }
}

/// A process that has run for long has `mu t` changes on average in `(0, t]` for every `t`, also right after the start.
#[test]
fn renewal_processes_start_in_the_middle() {
    for gaps in [Gaps::HyperExponential { cv: 3.0 }, Gaps::Gamma { cv: 2.0 }, Gaps::Gamma { cv: 0.2 }] {
        let pages = 40_000;
        let mut process = Renewal::new(gaps, 11);
        for _ in 0..pages {
            process.add(&Page::new(1.0, 1.0));
        }
        let changes: f64 =
            (0..pages).filter_map(|page| process.between(page, 1.0, 0.0, 0.25)).map(|changed| changed.count).sum();
        // Expected 10,000; the variance of a bursty count is a few times its mean.
        assert!((changes / 1e4 - 1.0).abs() < 0.08, "{gaps:?}: {changes}");
    }
}

#[test]
fn a_page_that_never_changes_never_does() {
    let mut renewal = Renewal::new(Gaps::Gamma { cv: 2.0 }, 1);
    renewal.add(&Page::new(0.0, 1.0));
    assert_eq!(renewal.between(0, 0.0, 0.0, 1e9), None);
    assert_eq!(Poisson::new(1, true).between(0.0, 0.0, 1e9), None);
}

#[test]
fn replay_gives_first_and_last_of_each_interval() {
    let mut replay = Replay::new(vec![vec![-1.0, 0.0, 1.0, 2.0, 2.5, 7.0], vec![]]);
    assert_eq!(replay.between(0, 0.0, 0.5), None);
    assert_eq!(replay.between(0, 0.5, 2.5), Some(Changed { first: 1.0, last: 2.5, count: 3.0 }));
    assert_eq!(replay.between(0, 2.5, 6.9), None);
    assert_eq!(replay.between(0, 6.9, 100.0), Some(Changed { first: 7.0, last: 7.0, count: 1.0 }));
    assert_eq!(replay.between(0, 100.0, 200.0), None);
    assert_eq!(replay.between(1, 0.0, 200.0), None);
}

/// The last change before an access at `t`, seen backwards, is exponential and cut off at the interval: its mean distance
/// from `t`, given a change, is `1/mu - t/(e^(mu t) - 1)`, as is that of the first change from the start.
#[test]
fn first_and_last_poisson_changes_mirror_each_other() {
    let (mu, t) = (0.7, 2.0);
    let mut process = Poisson::new(5, true);
    let found: Vec<Changed> = (0..200_000).filter_map(|_| process.between(mu, 10.0, 10.0 + t)).collect();
    let n = found.len() as f64;
    let mean = 1.0 / mu - t / (mu * t).exp_m1();
    let from_start = found.iter().map(|changed| changed.first - 10.0).sum::<f64>() / n;
    let from_end = found.iter().map(|changed| 10.0 + t - changed.last).sum::<f64>() / n;
    // Standard deviation of a mean: below 0.6/sqrt(150,000) = 0.0016.
    assert!((from_start - mean).abs() < 0.006, "{from_start} {mean}");
    assert!((from_end - mean).abs() < 0.006, "{from_end} {mean}");
    let count = found.iter().map(|changed| changed.count).sum::<f64>() / 200_000.0;
    assert!((count - mu * t).abs() < 0.01, "{count}");
    assert!(found.iter().all(|changed| changed.first <= changed.last));
}
