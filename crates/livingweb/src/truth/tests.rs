use rand::RngExt;

use super::*;
use crate::random::{Stream, rng};
use crate::settings::{RateLaw, Replacement, Settings, Weights};

fn ledger(settings: &Settings) -> Ledger {
    let world = Arc::new(World::new(settings).unwrap());
    let limits = vec![f64::INFINITY; world.hosts()];
    Ledger::new(world, limits)
}

fn truth(ledger: &mut Ledger) -> Truth {
    let origins = vec!["http://h".to_owned(); ledger.world.hosts()];
    ledger.read().truth(&Arc::clone(&ledger.world), &origins)
}

fn close(got: Option<f64>, wanted: f64) {
    let got = got.unwrap();
    assert!((got - wanted).abs() < 1e-9, "{got} is not {wanted}");
}

/// What a crawler does.
#[derive(Clone, Copy, Debug)]
enum Act {
    Fetch(PageNumber),
    Hold(PageNumber, Option<u64>),
    Reset,
}

/// The same sums, made by walking from event to event and looking at everything at each.
#[derive(Default)]
struct BruteForce {
    counted: [f64; 2],
    stale: [f64; 2],
    missing: [f64; 2],
}

impl BruteForce {
    fn walk(world: &World, acts: &[(f64, Act)], from: f64, to: f64) -> Self {
        let mut sums = Self::default();
        let changes = world.numbers().flat_map(|number| {
            let mut cursor = world.begin(number);
            std::iter::from_fn(move || {
                let next = cursor.next;
                world.follow(number, &mut cursor, next);
                (cursor.last == next && next <= to).then_some(next)
            })
        });
        let mut events: Vec<f64> = changes.chain(acts.iter().map(|(at, _)| *at)).chain([from, to]).collect();
        events.extend(world.turns().iter().filter(|at| **at < to));
        events.sort_by(f64::total_cmp);
        for pair in events.windows(2).filter(|pair| pair[0] >= from && pair[1] > pair[0]) {
            sums.add(world, acts, f64::midpoint(pair[0], pair[1]), pair[1] - pair[0]);
        }
        sums
    }

    fn add(&mut self, world: &World, acts: &[(f64, Act)], now: f64, length: f64) {
        for number in world.numbers() {
            let page = world.page(number);
            let (mut held, mut knows_gone, mut says_itself) = (None, false, false);
            for (at, act) in acts.iter().filter(|(at, _)| *at <= now) {
                match act {
                    Act::Fetch(fetched) if *fetched == number && !says_itself && page.is_alive(*at) => {
                        held = Some(world.version(number, *at));
                    }
                    Act::Fetch(fetched) if *fetched == number && !says_itself && page.until <= *at => {
                        (held, knows_gone) = (None, true);
                    }
                    Act::Hold(said, version) if *said == number => (held, says_itself) = (*version, true),
                    _ => {}
                }
            }
            let is_there = page.is_alive(now);
            let stale = held.is_some_and(|version| !is_there || version != world.version(number, now));
            let counts = !knows_gone && (is_there || held.is_some());
            for (kind, weight) in [world.weight(number), 1.0].into_iter().enumerate() {
                let one = |holds: bool| if holds { weight * length } else { 0.0 };
                self.counted[kind] += one(counts);
                self.stale[kind] += one(stale && counts);
                self.missing[kind] += one(counts && held.is_none());
            }
        }
    }

    fn check(&self, stale: &Stale) {
        for (kind, (all, held)) in
            [(stale.all.weighted, stale.held.weighted), (stale.all.unweighted, stale.held.unweighted)]
                .into_iter()
                .enumerate()
        {
            close(all, (self.stale[kind] + self.missing[kind]) / self.counted[kind]);
            close(held, self.stale[kind] / (self.counted[kind] - self.missing[kind]));
        }
    }
}

/// The books, which add up when they are asked, say what a walk from event to event says.
#[test]
fn the_books_agree_with_brute_force() {
    for seed in 1..=6 {
        let settings = Settings {
            seed,
            pages: 12,
            hosts: 2,
            mean_interval: 3.0,
            weights: Weights::Independent,
            replacements: vec![Replacement { share: 0.25, at: 11.0 }],
            ..Settings::default()
        };
        let mut ledger = ledger(&settings);
        let world = Arc::clone(&ledger.world);
        let mut random = rng(seed, Stream::Links, 0, 0);
        let (mut now, mut acts, mut window) = (0.0, Vec::new(), 0.0);
        for _ in 0..150 {
            now += 0.4 * random.random::<f64>();
            let number = PageNumber(random.random_range(0..world.pages().len() as u32));
            ledger.advance(now);
            let act = match random.random_range(0..40) {
                0 => Act::Reset,
                1 if world.page(number).is_alive(now) => {
                    Act::Hold(number, Some(random.random_range(0..=world.version(number, now))))
                }
                2 if world.page(number).is_alive(now) => Act::Hold(number, None),
                _ => Act::Fetch(number),
            };
            match act {
                Act::Fetch(number) if world.page(number).is_alive(now) => ledger.give(number, false),
                Act::Fetch(number) => ledger.deny(number),
                Act::Hold(number, version) => assert!(ledger.hold(number, version)),
                Act::Reset => {
                    ledger.reset();
                    window = now;
                }
            }
            acts.push((now, act));
        }
        now += 1.0;
        ledger.advance(now);
        let truth = truth(&mut ledger);
        BruteForce::walk(&world, &acts, 0.0, now).check(&truth.since_start.stale);
        BruteForce::walk(&world, &acts, window, now).check(&truth.window.stale);
        let changes: u64 = world.numbers().map(|number| world.version(number, now)).sum();
        assert_eq!(truth.changes, changes);
    }
}

/// A Poisson page that is visited every `T` is out of date for `1 - (1 - e^(-mu T))/(mu T)` of the time.
#[test]
fn the_closed_form() {
    let settings = Settings { pages: 400, rates: RateLaw::Equal, mean_interval: 1.0, ..Settings::default() };
    for every in [0.3_f64, 1.0, 4.0] {
        let mut ledger = ledger(&settings);
        let rounds = 100;
        for round in 0..rounds {
            ledger.advance(f64::from(round) * every);
            for number in ledger.world.numbers() {
                ledger.give(number, false);
            }
        }
        ledger.advance(f64::from(rounds) * every);
        let truth = truth(&mut ledger);
        let wanted = 1.0 - (1.0 - (-every).exp()) / every;
        let got = truth.since_start.stale.all.unweighted.unwrap();
        // 40,000 independent intervals; the stale part of one has a standard deviation below 0.35, so 0.00175 for the mean.
        assert!((got - wanted).abs() < 0.007, "every {every}: {got}, not {wanted}");
        // All rates and weights are equal, so that every policy is the same and costs just that.
        let expected = truth.since_start.expected.unwrap();
        assert!((expected.fetch_rate - 400.0 / every).abs() < 1e-9);
        for fraction in [expected.weighted.bound, expected.weighted.uniform, expected.unweighted.proportional] {
            assert!((fraction - wanted).abs() < 1e-9, "{fraction}");
        }
    }
}

#[test]
fn the_bound_is_below_the_others_and_limits_raise_it() {
    let settings = Settings { weights: Weights::Independent, ..Settings::default() };
    let world = World::new(&settings).unwrap();
    let free = world.expected(0.0, 60.0, 20.0, &[f64::INFINITY; 4]).unwrap().weighted;
    assert!(free.bound < 0.95 * free.uniform && free.bound < 0.95 * free.proportional, "{free:?}");
    assert_eq!(free.bound, free.bound_with_limits);
    let limited = world.expected(0.0, 60.0, 20.0, &[1.0, f64::INFINITY, f64::INFINITY, f64::INFINITY]).unwrap();
    assert!(limited.weighted.bound_with_limits > 1.01 * limited.weighted.bound, "{limited:?}");
    assert_eq!(world.expected(0.0, 60.0, 0.0, &[]), None);
}

/// With pages that come and go the bound is that of each time, by its length.
#[test]
fn the_bound_follows_the_pages() {
    let replacements = vec![Replacement { share: 1.0, at: 40.0 }];
    let world = World::new(&Settings { replacements, ..Settings::default() }).unwrap();
    let bound = |from, to| world.expected(from, to, 20.0, &[]).unwrap().weighted.bound;
    let (before, after) = (bound(0.0, 40.0), bound(40.0, 100.0));
    assert!(before != after);
    assert!((bound(0.0, 100.0) - (0.4 * before + 0.6 * after)).abs() < 1e-12);
}

#[test]
fn a_copy_is_judged_by_what_its_owner_says() {
    let mut ledger = ledger(&Settings { pages: 4, hosts: 1, mean_interval: 1.0, ..Settings::default() });
    ledger.advance(100.0);
    let version = |number| ledger.world.version(PageNumber(number), 100.0);
    let copies = [(PageNumber(0), version(0)), (PageNumber(1), version(1)), (PageNumber(2), 0)];
    assert!(version(2) > 0);
    let report = ledger.judge(copies.into_iter());
    assert_eq!((report.pages, report.pages_held, report.pages_stale), (4, 3, 1));
    close(report.stale.all.unweighted, 0.5);
    close(report.stale.held.unweighted, 1.0 / 3.0);
    assert!(!ledger.hold(PageNumber(0), Some(u64::MAX)));
}

#[test]
fn time_never_goes_back() {
    let mut ledger = ledger(&Settings::default());
    assert_eq!(ledger.advance(5.0), 5.0);
    assert_eq!(ledger.advance(3.0), 5.0);
}
