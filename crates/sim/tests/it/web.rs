//! Hosts, pages that come and go, seeds, cancelling.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use freshness::learn::{Prior, SignalModel};
use freshness::{AccessTime, HostId, Outcome, PageId, Policy, Visit};
use sim::rules::{FixedInterval, Nutch};
use sim::{Cancelled, Changes, Config, ConfigError, DueQueue, Gaps, Known, Learned, Page, Scheduler, Sequenced};
use sim::{Simulation, Turnover};

use crate::support::*;

/// Looks over the shoulder of a policy: when each access to a host began and ended.
struct Watched<S> {
    inner: S,
    hosts: Vec<HostId>,
    /// Host to the end of its last access, or infinity while one goes on.
    free_from: BTreeMap<HostId, f64>,
    closest: f64,
    overlaps: usize,
}

impl<S: Scheduler> Watched<S> {
    fn new(inner: S, pages: &[Page]) -> Self {
        let hosts = pages.iter().map(|page| page.host).collect();
        Self { inner, hosts, free_from: BTreeMap::new(), closest: f64::INFINITY, overlaps: 0 }
    }
}

impl<S: Scheduler> Policy for Watched<S> {
    fn draw(&mut self, now: f64) -> Option<PageId> {
        let page = self.inner.draw(now)?;
        let before = self.free_from.insert(self.hosts[page.0 as usize], f64::INFINITY);
        match before {
            Some(f64::INFINITY) => self.overlaps += 1,
            Some(end) => self.closest = self.closest.min(now - end),
            None => {}
        }
        Some(page)
    }

    fn record(&mut self, visit: Visit) {
        self.free_from.insert(self.hosts[visit.page.0 as usize], visit.at);
        self.inner.record(visit);
    }
}

impl<S: Scheduler> Scheduler for Watched<S> {
    fn discover(&mut self, id: PageId, page: &Page, now: f64, last_access: Option<f64>) {
        self.inner.discover(id, page, now, last_access);
    }

    fn close_host(&mut self, host: HostId, until: f64) {
        self.inner.close_host(host, until);
    }

    fn next_opening(&self) -> Option<f64> {
        self.inner.next_opening()
    }
}

fn on_hosts(pages: Vec<Page>, hosts: u32) -> Vec<Page> {
    pages.into_iter().enumerate().map(|(i, page)| page.on(HostId(i as u32 % hosts))).collect()
}

fn polite(pages: &[Page], delay: f64, policy: impl Scheduler) -> (f64, usize, f64) {
    let law = AccessTime::exponential(0.1).unwrap();
    let config = Config { robots: 3, host_delay: Some(delay), ..Config::new(law, 5_000.0) };
    let mut watched = Watched::new(policy, pages);
    let report = Simulation::new(pages, config).unwrap().run(&mut watched);
    (watched.closest, watched.overlaps, report.accesses_per_day)
}

/// Never two accesses to a host at once or closer than the delay; and with four hosts, a delay of 1 day and accesses of a
/// tenth of one, each host is used 1/1.1 times a day: robots do not wait longer than they must.
#[test]
fn politeness_is_kept_and_not_overdone() {
    let pages = on_hosts(spread_pages(40, 1.0, 1.0), 4);
    let sequenced = polite(&pages, 1.0, Sequenced::new(|pages| round_robin(pages.len())));
    let queued = polite(&pages, 1.0, DueQueue::new(Nutch::default()));
    let known = polite(&pages, 1.0, Known::new());
    let learned = polite(&pages, 1.0, Learned::new(Prior::unknown(1.0).unwrap(), 0.05));
    for (closest, overlaps, per_day) in [sequenced, queued, known, learned] {
        assert!(closest >= 1.0 - 1e-9, "{closest}");
        assert_eq!(overlaps, 0);
        assert!((per_day / (4.0 / 1.1) - 1.0).abs() < 0.02, "{per_day}");
    }
    let (closest, _, per_day) = polite(&pages, 0.0, DueQueue::new(Nutch::default()));
    assert!(closest < 0.01 && per_day > 25.0, "without a delay the test would see it: {closest} {per_day}");
}

/// A host that all must wait for does not spoil the frequencies of a sequence: a page that has every other turn keeps it.
#[test]
fn waiting_for_a_host_keeps_the_sequence() {
    struct Counted(Sequenced, [u32; 20]);
    impl Policy for Counted {
        fn draw(&mut self, now: f64) -> Option<PageId> {
            self.0.draw(now)
        }
        fn record(&mut self, visit: Visit) {
            self.1[visit.page.0 as usize] += 1;
            self.0.record(visit);
        }
    }
    impl Scheduler for Counted {
        fn discover(&mut self, id: PageId, page: &Page, now: f64, last_access: Option<f64>) {
            self.0.discover(id, page, now, last_access);
        }
        fn close_host(&mut self, host: HostId, until: f64) {
            self.0.close_host(host, until);
        }
        fn next_opening(&self) -> Option<f64> {
            self.0.next_opening()
        }
    }
    let turns = || Box::new((1..20).cycle().flat_map(|page| [PageId(0), PageId(page)]));
    let config = Config { host_delay: Some(1.0), ..Config::new(AccessTime::constant(0.5).unwrap(), 3_000.0) };
    let mut policy = Counted(Sequenced::new(move |_| turns()), [0; 20]);
    Simulation::new(&[Page::new(1.0, 1.0); 20], config).unwrap().run(&mut policy);
    let all: u32 = policy.1.iter().sum();
    assert!((f64::from(policy.1[0]) / f64::from(all) - 0.5).abs() < 0.01, "{:?}", policy.1);
    assert!(policy.1[1..].iter().all(|count| count.abs_diff(all / 38) <= 2), "{:?}", policy.1);
}

/// A drop is like a change at rate `delta` that the next access finds: with period `T` a held page is stale as under even
/// spacing at rate `mu + delta`. A new page, first in the queue, waits half an access time for a robot and one more for
/// the access itself.
#[test]
fn dropped_pages_are_stale_until_found_gone() {
    let (n, mu, delta) = (40, 0.02, 0.005);
    let law = AccessTime::constant(1.0).unwrap();
    let pages = vec![Page::new(mu, 1.0); n];
    let arrivals = n as f64 * delta;
    let turnover = Turnover { arrivals, drop_rate: delta, population: Vec::new() };
    let config = Config { turnover: Some(turnover), warm_up: 5_000.0, ..Config::new(law, 100_000.0) };
    let simulation = Simulation::new(&pages, config).unwrap();
    let report = simulation.run(&mut DueQueue::new(FixedInterval { interval: 1e6 }));
    // Each page is found gone once: 0.2 a day, 20,000 in all, standard deviation 141.
    let expected = arrivals * 100_000.0;
    assert!((report.gone as f64 / expected - 1.0).abs() < 0.03, "{}", report.gone);
    // All but those dropped within a day and a half of their arrival.
    let first = report.first_accesses as f64;
    assert!((first / (expected * (1.0 - 1.5 * delta)) - 1.0).abs() < 0.03, "{first}");
    // One access in five goes to new pages; the others take the pages held in turn. Held are 40 and those gone but not
    // yet found out, 0.2 a day for about half a period each.
    let held = report.total_weight;
    let period = held / (1.0 - arrivals);
    assert!((held / (40.0 + arrivals * period / 2.0) - 1.0).abs() < 0.04, "{held}");
    let stale = even_spacing_stale((-(mu + delta)).exp(), mu + delta, 1.0 / period);
    let cost = held * stale + 1.5 * arrivals;
    assert!((report.stale_cost.mean / cost - 1.0).abs() < 0.03, "{} {cost}", report.stale_cost.mean);
}

/// By hand: one page appears on day 3.5 and is stale until the access that ends on day 5; it is dropped on day 7.2 and found
/// gone on day 8. The other never changes. Robots take a day; the queue is in order of due dates.
#[test]
fn a_page_that_comes_and_goes_by_hand() {
    let pages = [Page::new(0.0, 1.0), Page { from: 3.5, until: 7.2, ..Page::new(0.0, 2.0) }];
    let law = AccessTime::constant(1.0).unwrap();
    let config = Config { warm_up: 0.0, batches: 10, ..Config::new(law, 10.0) };
    let report = Simulation::new(&pages, config).unwrap().run(&mut DueQueue::new(FixedInterval { interval: 1.0 }));
    // Accesses end on days 1, 2, ...; the newcomer is drawn at 4 and found on day 5, then alternates: 7, and gone on 9.
    let expected = [0.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 1.6, 2.0, 0.0];
    for (batch, wanted) in report.batch_costs.iter().zip(expected) {
        assert!((batch - wanted).abs() < 1e-9, "{:?}", report.batch_costs);
    }
    assert_eq!((report.first_accesses, report.gone, report.pages_at_end, report.accesses), (1, 1, 1, 10));
    // Page one for 10 days, the other from 3.5 to 9 with weight 2.
    assert!((report.total_weight - (10.0 + 2.0 * 5.5) / 10.0).abs() < 1e-9, "{}", report.total_weight);
}

/// Replayed changes, by hand: access ends at 1, 2, 3, ...; stale from 0.25 to 1, from 2.5 to 3 and from 9.5 to the end.
#[test]
fn replayed_changes_by_hand() {
    let law = AccessTime::constant(1.0).unwrap();
    let times = vec![vec![0.25, 0.75, 2.5, 9.5]];
    let changes = Changes::Replayed(times);
    let config = Config { warm_up: 0.0, batches: 10, changes, last_modified: true, ..Config::new(law, 9.75) };
    let report = simulate(&[Page::new(0.4, 3.0)], config, || round_robin(1));
    let total: f64 = report.batch_costs.iter().sum::<f64>() * 0.975;
    assert!((total - 3.0 * (0.75 + 0.5 + 0.25)).abs() < 1e-9, "{total}");
    assert_eq!((report.changes_detected, report.changes_missed), (2, 1.0));
}

/// Renewal changes with cv = 1 are Poisson changes: the cost is that of Theorem 3.3. Bursty ones are cheaper, because the
/// changes of a burst fall together, and regular ones dearer.
#[test]
fn bursty_changes_are_cheaper_than_their_rate_says() {
    let law = AccessTime::constant(1.0).unwrap();
    let (n, mu) = (10, 0.1);
    let pages = vec![Page::new(mu, 1.0); n];
    let cost = |gaps| {
        let config = Config { changes: Changes::Renewal(gaps), ..Config::new(law.clone(), 1e5) };
        simulate(&pages, config, move || round_robin(n)).stale_cost
    };
    let poisson = n as f64 * even_spacing_stale((-mu).exp(), mu, 1.0 / n as f64);
    assert!(agrees(cost(Gaps::Gamma { cv: 1.0 }), poisson));
    assert!(agrees(cost(Gaps::HyperExponential { cv: 1.0 }), poisson));
    let (bursty, regular) = (cost(Gaps::HyperExponential { cv: 2.0 }), cost(Gaps::Gamma { cv: 0.3 }));
    assert!(bursty.mean + bursty.half_width < poisson, "{bursty:?} {poisson}");
    assert!(regular.mean - regular.half_width > poisson, "{regular:?} {poisson}");
}

/// Signals split the changes without altering them: a policy that does not listen has the same cost, and hears
/// `r mu + nu` signals per page and day.
#[test]
fn signals_come_at_their_rate_and_leave_the_changes_alone() {
    struct Deaf(Sequenced, u64);
    impl Policy for Deaf {
        fn draw(&mut self, now: f64) -> Option<PageId> {
            self.0.draw(now)
        }
        fn record(&mut self, visit: Visit) {
            self.0.record(visit);
        }
    }
    impl Scheduler for Deaf {
        fn discover(&mut self, id: PageId, page: &Page, now: f64, last_access: Option<f64>) {
            self.0.discover(id, page, now, last_access);
        }
        fn signal(&mut self, _page: PageId, _now: f64) {
            self.1 += 1;
        }
        fn close_host(&mut self, _host: HostId, _until: f64) {}
        fn next_opening(&self) -> Option<f64> {
            None
        }
    }
    let (n, mu) = (20, 0.05);
    let law = AccessTime::constant(1.0).unwrap();
    let pages = vec![Page::new(mu, 1.0); n];
    let signals = Some(SignalModel::new(0.7, 0.02).unwrap());
    let config = Config { signals, last_modified: true, warm_up: 0.0, ..Config::new(law, 50_000.0) };
    let mut policy = Deaf(Sequenced::new(|pages| round_robin(pages.len())), 0);
    let report = Simulation::new(&pages, config).unwrap().run(&mut policy);
    let formula = n as f64 * even_spacing_stale((-mu).exp(), mu, 1.0 / n as f64);
    assert!(agrees(report.stale_cost, formula), "{:?} {formula}", report.stale_cost);
    // A signal for the one page of 20 that a robot is at is not delivered.
    let expected = 19.0 * (0.7 * mu + 0.02) * 50_000.0;
    assert!((policy.1 as f64 / expected - 1.0).abs() < 0.02, "{} {expected}", policy.1);
}

#[test]
fn the_same_seed_gives_the_same_report() {
    let pages = on_hosts(spread_pages(50, 0.5, 1.0), 5);
    let run = |seed| {
        let law = AccessTime::lognormal(0.1, 1.0).unwrap();
        let turnover = Some(Turnover { arrivals: 0.5, drop_rate: 0.01, population: Vec::new() });
        let config = Config { seed, robots: 3, host_delay: Some(0.1), turnover, ..Config::new(law, 500.0) };
        let signals = Some(SignalModel::new(0.5, 0.1).unwrap());
        let config = Config { signals, last_modified: true, ..config };
        Simulation::new(&pages, config).unwrap().run(&mut DueQueue::new(Nutch::default()))
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1).batch_costs, run(2).batch_costs);
}

#[test]
fn progress_is_told_and_cancelling_works() {
    let pages = vec![Page::new(1.0, 1.0); 3];
    let law = AccessTime::constant(1.0).unwrap();
    let simulation = Simulation::new(&pages, Config::new(law, 200_000.0)).unwrap();
    let mut told = Vec::new();
    let watched = simulation.run_watched(&mut Sequenced::new(|_| round_robin(3)), |fraction| {
        told.push(fraction);
        ControlFlow::Continue(())
    });
    assert_eq!(watched.unwrap(), simulation.run(&mut Sequenced::new(|_| round_robin(3))));
    assert!(told.len() > 10 && told.is_sorted() && told.ends_with(&[1.0]));
    let mut calls = 0;
    let cancelled = simulation.run_watched(&mut Sequenced::new(|_| round_robin(3)), |fraction| {
        calls += 1;
        if fraction > 0.5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(cancelled, Err(Cancelled));
    assert!(calls < told.len());
}

#[test]
fn impossible_simulations_are_refused_by_name() {
    let law = AccessTime::constant(1.0).unwrap();
    let fine = || Config::new(law.clone(), 10.0);
    let page = [Page::new(1.0, 1.0)];
    let refused = |pages: &[Page], config: Config| Simulation::new(pages, config).map(|_| ()).unwrap_err();
    assert_eq!(refused(&[], fine()), ConfigError::NoPages);
    let bad_weight = refused(&[page[0], Page::new(1.0, -2.0)], fine());
    assert_eq!(bad_weight, ConfigError::Page { page: 1, name: "weight", value: -2.0 });
    assert!(matches!(refused(&[Page::new(f64::NAN, 1.0)], fine()), ConfigError::Page { name: "change rate", .. }));
    let vanished = Page { from: 2.0, until: 1.0, ..page[0] };
    assert!(matches!(refused(&[vanished], fine()), ConfigError::Page { name: "time of disappearance", .. }));
    let range = |config| match refused(&page, config) {
        ConfigError::Range { name, .. } => name,
        other => panic!("{other}"),
    };
    assert_eq!(range(Config { robots: 0, ..fine() }), "robots");
    assert_eq!(range(Config { duration: 0.0, ..fine() }), "duration");
    assert_eq!(range(Config { warm_up: f64::INFINITY, ..fine() }), "warm-up");
    assert_eq!(range(Config { batches: 2, ..fine() }), "batches");
    assert_eq!(range(Config { host_delay: Some(-1.0), ..fine() }), "host delay");
    let signals = Some(SignalModel::USELESS);
    let hyper = Changes::Renewal(Gaps::HyperExponential { cv: 0.5 });
    assert_eq!(range(Config { changes: hyper, ..fine() }), "coefficient of variation");
    let bursty = Changes::Renewal(Gaps::Gamma { cv: 2.0 });
    assert_eq!(refused(&page, Config { changes: bursty, signals, ..fine() }), ConfigError::SignalsNeedPoisson);
    let replay = |times| Config { changes: Changes::Replayed(times), ..fine() };
    assert_eq!(refused(&page, replay(vec![])), ConfigError::ReplayLength { expected: 1, got: 0 });
    assert_eq!(refused(&page, replay(vec![vec![2.0, 1.0]])), ConfigError::ReplayOrder { page: 0 });
    let turnover = Some(Turnover { arrivals: 1.0, ..Turnover::default() });
    assert_eq!(refused(&page, Config { turnover, ..replay(vec![vec![]]) }), ConfigError::ReplayArrivals);
}

/// A page that no robot may reach, a policy with nothing to do: the clock still runs to the end.
#[test]
fn an_idle_policy_does_not_hang() {
    struct Idle;
    impl Policy for Idle {
        fn draw(&mut self, _now: f64) -> Option<PageId> {
            None
        }
        fn record(&mut self, visit: Visit) {
            assert_eq!(visit.outcome, Outcome::Failed, "nothing was drawn");
        }
    }
    impl Scheduler for Idle {
        fn discover(&mut self, _id: PageId, _page: &Page, _now: f64, _last_access: Option<f64>) {}
        fn close_host(&mut self, _host: HostId, _until: f64) {}
        fn next_opening(&self) -> Option<f64> {
            Some(0.0)
        }
    }
    let config = Config { warm_up: 0.0, ..Config::new(AccessTime::constant(1.0).unwrap(), 100.0) };
    let report = Simulation::new(&[Page::new(1e3, 5.0)], config).unwrap().run(&mut Idle);
    // Stale from the first change, about a thousandth of a day after the start.
    assert!((report.stale_cost.mean / 5.0 - 1.0).abs() < 1e-3 && report.accesses == 0);
}
