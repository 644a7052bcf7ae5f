//! The rules of other crawlers settle where they should.

use freshness::AccessTime;
use sim::rules::{Heritrix, Nutch, StormCrawler};
use sim::{Config, DueQueue, Page, RevisitRule, Simulation};

/// What a rule settles at for a single page that changes at `rate`, with budget to spare.
struct Equilibrium {
    accesses_per_change: f64,
    fresh: f64,
    found_changed: f64,
}

fn equilibrium<R: RevisitRule>(rule: R, rate: f64) -> Equilibrium {
    let pages = [Page::new(rate, 1.0)];
    let instant = AccessTime::constant(1e-7 / rate).unwrap();
    let config = Config { warm_up: 2_000.0 / rate, ..Config::new(instant, 60_000.0 / rate) };
    let report = Simulation::new(&pages, config).unwrap().run(&mut DueQueue::on_time(rule));
    Equilibrium {
        accesses_per_change: report.accesses_per_day / rate,
        fresh: 1.0 - report.stale_cost.mean,
        found_changed: report.changes_detected as f64 / report.accesses as f64,
    }
}

/// `p* = ln(up)/(ln(up) - ln(down))`.
fn settled(up: f64, down: f64) -> f64 {
    up.ln() / (up.ln() - down.ln())
}

fn close(value: f64, wanted: f64, relative: f64) -> bool {
    (value / wanted - 1.0).abs() < relative
}

/// Without clamp or pull the logarithm of the interval has no drift in the long run, so that the fraction of accesses that
/// find a change is `p*` whatever the rate: to 1%, three standard deviations of 60,000 accesses.
#[test]
fn multiplicative_rules_settle_at_p_star() {
    let unsynchronised = Nutch { sync_rate: None, ..Nutch::default() };
    for rate in [4.0, 1.0, 0.2] {
        let found = equilibrium(unsynchronised, rate).found_changed;
        assert!(close(found, settled(1.4, 0.8), 0.01), "nutch at {rate}: {found}");
        let found = equilibrium(Heritrix::default(), rate).found_changed;
        assert!(close(found, settled(1.5, 1.0 / 1.5), 0.01), "heritrix at {rate}: {found}");
    }
    let fallback = Nutch { increase: 0.2, sync_rate: None, ..Nutch::default() };
    let found = equilibrium(fallback, 1.0).found_changed;
    assert!(close(found, settled(1.2, 0.8), 0.01), "nutch in code: {found}");
}

/// Accesses per change and freshness at one change a day, as simulated by others from the projects' code, to 3%.
#[test]
fn rules_access_in_proportion_to_the_change_rate() {
    let check = |name: &str, at: Equilibrium, ratio: f64, fresh: f64| {
        assert!(close(at.accesses_per_change, ratio, 0.03), "{name}: {} {ratio}", at.accesses_per_change);
        assert!(close(at.fresh, fresh, 0.03), "{name}: {} {fresh}", at.fresh);
    };
    check("nutch, sync off", equilibrium(Nutch { sync_rate: None, ..Nutch::default() }, 1.0), 0.99, 0.59);
    check("nutch", equilibrium(Nutch::default(), 1.0), 0.89, 0.56);
    check("stormcrawler", equilibrium(StormCrawler::default(), 1.0), 1.76, 0.70);
    check("heritrix", equilibrium(Heritrix::default(), 1.0), 1.30, 0.64);
}
