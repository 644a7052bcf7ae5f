use proptest::prelude::*;
use rand::RngExt;
use sim::Gaps;

use super::*;
use crate::random::{Stream, rng};
use crate::settings::{Life, RateLaw, Replacement, Weights};

fn settings() -> Settings {
    Settings { pages: 200, hosts: 3, mean_interval: 10.0, ..Settings::default() }
}

fn processes() -> [Changes; 3] {
    let bursty = Changes::Renewal(Gaps::HyperExponential { cv: 3.0 });
    [Changes::Poisson, bursty, Changes::Renewal(Gaps::Gamma { cv: 0.5 })]
}

#[test]
fn it_does_not_matter_when_is_asked() {
    for changes in processes() {
        let world = World::new(&Settings { changes, ..settings() }).unwrap();
        let again = World::new(&Settings { changes: world.changes.clone(), ..settings() }).unwrap();
        let mut random = rng(5, Stream::Rates, 0, 0);
        for number in world.numbers().take(50) {
            let (mut cursor, mut now) = (world.begin(number), 0.0);
            for _ in 0..30 {
                now += 20.0 * random.random::<f64>();
                world.follow(number, &mut cursor, now);
                assert_eq!(cursor.version, again.version(number, now));
                assert!(cursor.last <= now && now < cursor.next && cursor.before_last < cursor.last);
                assert_eq!(world.end_of_version(number, cursor.version), cursor.next);
            }
        }
        let other = World::new(&Settings { seed: 2, changes: world.changes.clone(), ..settings() }).unwrap();
        assert!(world.numbers().any(|number| world.version(number, 100.0) != other.version(number, 100.0)));
    }
}

/// Counts of a process that has run for long have mean `mu t`; Poisson counts also that variance. 400 pages that change 40
/// times each: the standard deviation of the sum is 126 for Poisson changes, at most 3 times that for the others.
#[test]
fn changes_come_as_often_as_they_should() {
    for changes in processes() {
        let bursty = changes != Changes::Poisson;
        let settings =
            Settings { pages: 400, rates: RateLaw::Equal, mean_interval: 1.0, changes, ..Settings::default() };
        let world = World::new(&settings).unwrap();
        let counts: Vec<f64> = world.numbers().map(|number| world.version(number, 40.0) as f64).collect();
        let mean = counts.iter().sum::<f64>() / 400.0;
        assert!((mean - 40.0).abs() < if bursty { 4.0 } else { 1.3 }, "{mean}");
        let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / 399.0;
        // Standard deviation of the estimate: 40 sqrt(2/399) = 2.8.
        assert!(bursty || (variance - 40.0).abs() < 10.0, "{variance}");
    }
}

/// The gaps of bursty changes have the coefficient of variation that was asked for; those of Poisson changes have 1.
#[test]
fn bursts_are_as_they_were_asked_for() {
    for (changes, wanted) in processes().into_iter().zip([1.0, 3.0, 0.5]) {
        let settings =
            Settings { pages: 100, rates: RateLaw::Equal, mean_interval: 1.0, changes, ..Settings::default() };
        let world = World::new(&settings).unwrap();
        let mut gaps = Vec::new();
        for number in world.numbers() {
            let mut cursor = world.begin(number);
            for _ in 0..400 {
                let next = cursor.next;
                world.follow(number, &mut cursor, next);
                gaps.push(cursor.next - cursor.last);
            }
        }
        let n = gaps.len() as f64;
        let mean = gaps.iter().sum::<f64>() / n;
        let cv = (gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / n).sqrt() / mean;
        // 40,000 gaps; the fourth moment of the bursty law makes its estimate the least certain.
        assert!((cv / wanted - 1.0).abs() < 0.05, "{cv} is not {wanted}");
    }
}

#[test]
fn rates_have_the_mean_that_was_asked_for() {
    let laws = [
        RateLaw::Equal,
        RateLaw::Uniform,
        RateLaw::Exponential,
        RateLaw::LogNormal { sigma: 1.5 },
        RateLaw::Pareto { alpha: 1.1 },
    ];
    for rates in laws {
        let world = World::new(&Settings { rates: rates.clone(), ..settings() }).unwrap();
        let mean = world.pages().iter().map(|page| page.rate).sum::<f64>() / 200.0;
        assert!((mean * 10.0 - 1.0).abs() < 1e-9, "{rates:?}: {mean}");
        let differs = world.pages().iter().any(|page| page.rate != world.pages()[0].rate);
        assert_eq!(differs, rates != RateLaw::Equal);
    }
    let given = vec![0.5, 0.0, 2.0];
    let world = World::new(&Settings { rates: RateLaw::Given(given.clone()), hosts: 1, ..settings() }).unwrap();
    assert_eq!(world.pages().iter().map(|page| page.rate).collect::<Vec<_>>(), given);
    assert_eq!(world.version(PageNumber(1), 1e9), 0);
}

#[test]
fn weights_follow_rates_or_do_not() {
    let by_rate = Settings { weights: Weights::Rate, rates: RateLaw::LogNormal { sigma: 2.0 }, ..settings() };
    let world = World::new(&by_rate).unwrap();
    for number in world.numbers() {
        let ratio = world.weight(number) / (world.page(number).rate * 10.0);
        assert!((1.0 / 1.1..=1.1).contains(&ratio), "{ratio}");
    }
    assert!(world.classes().is_sorted());
    let world = World::new(&Settings { weights: Weights::Independent, ..settings() }).unwrap();
    assert_eq!(world.classes(), [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0]);
    let of_class = |class| world.pages().iter().filter(|page| page.class == class).count();
    assert!((0..8).all(|class| of_class(class) > 5));
    let world = World::new(&settings()).unwrap();
    assert!(world.numbers().all(|number| world.weight(number) == 1.0));
}

#[test]
fn pages_go_and_as_many_come() {
    let replacements = vec![Replacement { share: 0.2, at: 50.0 }, Replacement { share: 0.5, at: 80.0 }];
    let world = World::new(&Settings { replacements, ..settings() }).unwrap();
    let alive = |now: f64| world.pages().iter().filter(|page| page.is_alive(now)).count();
    assert_eq!([0.0, 49.9, 50.0, 79.0, 81.0].map(alive), [200; 5]);
    assert_eq!(world.pages().len(), 200 + 40 + 100);
    assert_eq!(world.turns(), [50.0, 80.0]);
    // A page that has gone no longer changes, and one that is still to come has not.
    let gone = world.numbers().find(|number| world.page(*number).until == 50.0).unwrap();
    assert_eq!(world.version(gone, 50.0), world.version(gone, 1_000.0));
    let new = world.numbers().find(|number| world.page(*number).from == 80.0).unwrap();
    assert_eq!(world.version(new, 80.0), 0);
    assert!(world.version(new, 10_000.0) > 0);
}

#[test]
fn a_record_is_replayed() {
    let lives = vec![
        Life { from: 0.0, until: f64::INFINITY, changes: vec![-1.0, 0.0, 1.0, 2.5, 10.0] },
        Life { from: 3.0, until: 8.0, changes: vec![5.0] },
    ];
    let world = World::new(&Settings { hosts: 1, changes: Changes::Replayed(lives), ..settings() }).unwrap();
    let versions = |page: u32| [0.0, 1.0, 2.0, 3.0, 9.0, 11.0].map(|now| world.version(PageNumber(page), now));
    assert_eq!(versions(0), [0, 1, 1, 2, 2, 3]);
    assert_eq!(versions(1), [0, 0, 0, 0, 1, 1]);
    assert_eq!(world.turns(), [3.0, 8.0]);
}

#[test]
fn what_cannot_be_is_refused() {
    let wrong = [
        Settings { pages: 0, ..settings() },
        Settings { hosts: 201, ..settings() },
        Settings { mean_interval: f64::NAN, ..settings() },
        Settings { sizes: (2_000, 1_000), ..settings() },
        Settings { rates: RateLaw::Given(vec![1.0, -1.0, 1.0]), ..settings() },
        Settings { rates: RateLaw::Pareto { alpha: f64::NAN }, ..settings() },
        Settings { changes: Changes::Renewal(Gaps::HyperExponential { cv: 0.5 }), ..settings() },
        Settings { replacements: vec![Replacement { share: 1.5, at: 1.0 }], ..settings() },
    ];
    for settings in wrong {
        let error = World::new(&settings).unwrap_err().to_string();
        assert!(error.contains("must be"), "{error}");
    }
}

proptest! {
    #[test]
    fn no_path_panics(text in ".{0,40}", near in "/w[0-9]{1,2}/[a-z-]{0,12}-?[0-9]{0,12}(\\.html)?") {
        let world = World::new(&Settings { pages: 20, hosts: 2, ..Settings::default() }).unwrap();
        for path in [text, near] {
            if let Some(number) = world.find(0, &path) {
                prop_assert_eq!(world.path(number), path);
            }
        }
    }
}

#[test]
fn every_page_is_found_on_its_host_only() {
    let world = World::new(&settings()).unwrap();
    for number in world.numbers() {
        let (host, path) = (world.page(number).host as usize, world.path(number));
        assert_eq!(world.find(host, &path), Some(number));
        assert_eq!(world.find((host + 1) % 3, &path), None);
        assert_eq!(world.find(host, &path.replace("/w", "/w0")), None);
    }
}
