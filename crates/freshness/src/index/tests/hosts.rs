//! Hosts that may not be accessed for a while.

use super::support::{LAWS, Meter, Population, visit};
use crate::index::IndexPolicy;
use crate::policy::{HostId, PageId, Policy};

/// Pages `i` of the population on host `host(i)`.
fn policy_on_hosts(population: &Population, host: impl Fn(usize) -> u32) -> IndexPolicy {
    let mut policy = IndexPolicy::new();
    for i in 0..population.len() {
        policy.insert(PageId(i as u32), population.rates[i], population.weights[i], HostId(host(i)), None);
    }
    policy
}

/// A host closed for ever costs each of its pages one step aside, and the others share the accesses as if it were not
/// there.
#[test]
fn a_host_closed_for_ever_does_not_slow_or_starve_the_others() {
    let n = 2000;
    let all = Population::new(LAWS[1], n, 1.0, true, 8);
    let open = Population { rates: all.rates[..1000].to_vec(), weights: all.weights[..1000].to_vec() };
    let mut policy = policy_on_hosts(&all, |i| u32::from(i >= 1000));
    policy.close_host(HostId(1), f64::INFINITY);
    let mut meter = Meter::new(&open);
    let mut before = 0;
    for access in 1..=60_000 {
        let now = f64::from(access);
        if access == 30_000 {
            meter.set(now - 1.0);
            before = policy.comparisons();
        }
        let page = policy.draw(now).unwrap();
        assert!(page.0 < 1000);
        meter.access(page, now);
        policy.record(visit(page, now));
    }
    let ratio = meter.cost(60_000.0) / open.bound(1.0);
    assert!(ratio <= 1.003, "{ratio}");
    let work = (policy.comparisons() - before) as f64 / 30_000.0;
    assert!(work < 40.0, "{work} comparisons a draw");
    policy.open_host(HostId(1));
    assert!(policy.draw(60_001.0).unwrap().0 >= 1000, "the pages that waited come first");
}

/// F-7: a host that may be accessed at most every fourth access, but would get half of them, is accessed at its cap
/// and at its own multiplier; the others share the rest at theirs.
#[test]
fn f7_a_capped_host_saturates_and_the_others_share_the_rest() {
    let n = 2000;
    let all = Population::new(LAWS[1], n, 1.0, true, 8);
    let part = |range: std::ops::Range<usize>| Population {
        rates: all.rates[range.clone()].to_vec(),
        weights: all.weights[range].to_vec(),
    };
    let (capped, free) = (part(0..1000), part(1000..2000));
    let mut policy = policy_on_hosts(&all, |i| u32::from(i >= 1000));
    let mut meter = Meter::new(&all);
    let accesses = 80_000;
    let mut to_capped = 0;
    for access in 1..=accesses {
        let now = f64::from(access);
        if access == accesses / 2 {
            meter.set(now - 1.0);
            to_capped = 0;
        }
        let page = policy.draw(now).unwrap();
        if page.0 < 1000 {
            to_capped += 1;
            policy.close_host(HostId(0), now + 4.0);
        }
        meter.access(page, now);
        policy.record(visit(page, now));
    }
    let share = f64::from(to_capped) / f64::from(accesses / 2);
    assert!((share - 0.25).abs() < 1e-3, "{share}");
    let bound = capped.bound(0.25) + free.bound(0.75);
    let ratio = meter.cost(f64::from(accesses)) / bound;
    assert!(ratio <= 1.003, "{ratio}");
    let level = policy.level() / free.multiplier(0.75);
    assert!((level - 1.0).abs() < 0.02, "{level}");
}

/// A hundred thousand pages on ten thousand hosts, each of which may be accessed once per unit of time. The robots
/// could make five times, once and a fifth as many accesses as the hosts allow. Every draw is legal, and its work does
/// not grow with the number of pages or hosts.
#[test]
fn many_polite_hosts() {
    let (n, hosts) = (100_000, 10_000u32);
    let population = Population::new(LAWS[1], n, 1.0, true, 6);
    // Some hosts have a thousand pages, most have a few.
    let host = |i: usize| ((i as f64 / n as f64).powi(2) * f64::from(hosts)) as u32;
    let mut policy = policy_on_hosts(&population, host);
    let mut open_at = vec![0.0; hosts as usize];
    let (mut draws, mut idle, mut most) = (0u64, 0u64, 0);
    let mut now = 0.0;
    for phase in [2e-5, 1e-4, 5e-4] {
        let before = policy.comparisons();
        for _ in 0..150_000 {
            now += phase;
            draws += 1;
            let Some(page) = policy.draw(now) else {
                idle += 1;
                assert!(policy.next_opening().is_some_and(|opening| opening > now));
                continue;
            };
            let at = &mut open_at[host(page.0 as usize) as usize];
            assert!(*at <= now, "host drawn before it opened");
            *at = now + 1.0;
            policy.close_host(HostId(host(page.0 as usize)), now + 1.0);
            policy.record(visit(page, now));
        }
        most = most.max((policy.comparisons() - before) / 150_000);
    }
    assert!(most < 64, "{most} comparisons a draw");
    assert!(idle > 0 && idle < draws, "{idle} of {draws}");
}

/// A slow host with very many overdue pages: opening and closing it moves a few pages, not all of them.
#[test]
fn a_slow_host_with_many_overdue_pages() {
    let n = 50_000;
    let population = Population::new(LAWS[2], n, 1.0, true, 10);
    let mut policy = policy_on_hosts(&population, |i| u32::from(i % 10 == 0));
    let (mut from_slow, mut before) = (0, 0);
    for access in 1..=400_000 {
        let now = f64::from(access);
        if access == 300_000 {
            (from_slow, before) = (0, policy.comparisons());
        }
        let page = policy.draw(now).unwrap();
        if page.0 % 10 != 0 {
            from_slow += 1;
            policy.close_host(HostId(0), now + 10.0);
        }
        policy.record(visit(page, now));
    }
    assert!((from_slow as f64 / 1e5 - 0.1).abs() < 2e-3, "{from_slow}");
    let work = (policy.comparisons() - before) / 100_000;
    assert!(work < 64, "{work} comparisons a draw");
}
