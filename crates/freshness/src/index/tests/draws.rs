//! Which page is drawn.

use proptest::prelude::*;

use super::support::{LAWS, Meter, Population, run, visit};
use crate::index::page::{Page, State};
use crate::index::{ExactIndex, IndexPolicy, continuous_index, discrete_index};
use crate::policy::{HostId, Outcome, PageId, Policy, Visit};
use crate::special::g_inverse;

const HOST: HostId = HostId(0);

/// F-17 against condition (8): at the optimal spacing every page has the same index, the multiplier.
#[test]
fn f17_index_is_the_multiplier_at_the_optimal_spacing() {
    for law in LAWS {
        let population = Population::new(law, 500, 1.0, true, 2);
        let lambda = population.multiplier(1.0);
        for i in 0..population.len() {
            let x = population.frequency(i, lambda);
            if x > 0.0 {
                let index = continuous_index(population.rates[i], population.weights[i], 1.0 / x);
                // Rounding of Ginv and back, amplified by at most mu/x = 40 where G is flat.
                assert!((index / lambda - 1.0).abs() < 1e-12, "{i}: {index} {lambda}");
            }
        }
    }
}

/// F-17 by its definition: accesses cost `lambda`; the best gap is the first at which the discrete index reaches it.
#[test]
fn f17_discrete_index_finds_the_best_gap() {
    let phi = |u: f64| u - 1.0 + (-u).exp();
    for (a, b, lambda) in [(1.0, 0.1, 0.2), (3.0, 0.02, 0.1), (2.0, 1.0, 0.9), (1.0, 0.3, 0.01)] {
        let cost = |d: f64| (a * phi(b * d) + lambda) / d;
        let best = (1..2000).map(f64::from).min_by(|x, y| cost(*x).total_cmp(&cost(*y))).unwrap();
        let first = (1..2000).map(f64::from).find(|d| discrete_index(a, b, *d) >= lambda).unwrap();
        assert_eq!(best, first);
    }
}

#[test]
fn f17_both_forms_agree_when_changes_are_rare() {
    for d in [1e3, 1e5, 1e7] {
        let (discrete, continuous) = (discrete_index(2.0, 1e-6, d), continuous_index(1e-6, 2e-6, d));
        // They differ by d e^(-bd) phi(b) of G(bd), which is 1/d or less.
        assert!((discrete / continuous - 1.0).abs() < 1.01 / d, "{d}");
    }
}

/// Index of the pages drawn over the largest there is, on average and at worst, while the bandwidth changes by a
/// factor of four every 5,000 accesses.
fn closeness(population: &Population, k: u32) -> (f64, f64) {
    let n = population.len();
    let mut policy = IndexPolicy::with_resolution(k);
    for i in 0..n {
        policy.insert(PageId(i as u32), population.rates[i], population.weights[i], HOST, None);
    }
    let mut last = vec![f64::NEG_INFINITY; n];
    let (mut now, mut sum, mut worst) = (0.0, 0.0, 1.0f64);
    for access in 0..30_000 {
        now += if access % 10_000 < 5_000 { 1.0 } else { 4.0 };
        let page = policy.draw(now).unwrap();
        if access % 5 == 0 {
            let index = |i: usize| continuous_index(population.rates[i], population.weights[i], now - last[i]);
            let ratio = index(page.0 as usize) / (0..n).map(index).fold(0.0, f64::max);
            (sum, worst) = (sum + ratio, worst.min(ratio));
        }
        last[page.0 as usize] = now;
        policy.record(visit(page, now));
    }
    (sum / 6_000.0, worst)
}

/// No law says how close a single draw is: the limits were set from what was seen, to notice a change for the worse. On 36
/// populations the mean was 0.90 or more and the worst draw 0.58 (8 cells per octave) and 0.39 (32, nearly as many cells as
/// pages); since lone pages are taken at their own rate the worst seen on the populations below is 0.26 at 32.
#[test]
fn draws_are_close_to_the_largest_index() {
    for (k, limit) in [(8, 0.5), (32, 0.2)] {
        for law in LAWS {
            for seed in 0..2 {
                let (mean, worst) = closeness(&Population::new(law, 3000, 1.0, true, seed), k);
                assert!(mean >= 0.88 && worst >= limit, "{k} {law:?} {seed}: {mean} {worst}");
            }
        }
    }
}

/// With few pages, each in a cell of its own, the scalable structure and the definition draw the same pages.
#[test]
fn few_pages_are_drawn_exactly() {
    let population = Population::new(LAWS[1], 12, 1.0, true, 9);
    let (mut scalable, mut exact) = (IndexPolicy::with_resolution(128), ExactIndex::new());
    for i in 0..12 {
        let (rate, weight) = (population.rates[i], population.weights[i]);
        scalable.insert(PageId(i as u32), rate, weight, HOST, Some(0.0));
        exact.insert(PageId(i as u32), rate, weight, HOST, Some(0.0));
    }
    for access in 1..5000 {
        let now = f64::from(access);
        let page = scalable.draw(now).unwrap();
        assert_eq!(exact.draw(now), Some(page));
        scalable.record(visit(page, now));
        exact.record(visit(page, now));
    }
}

/// Newcomers come by value; rate zero first of all; weight zero, and rate zero once accessed, only when nothing else
/// is left.
#[test]
fn order_of_pages_never_accessed() {
    let mut scalable = IndexPolicy::new();
    let mut exact = ExactIndex::new();
    let pages = [(1.0, 1.0), (1.0, 5.0), (0.0, 1.0), (1.0, 0.0), (2.0, 5.0), (0.0, 0.0)];
    for (id, (rate, weight)) in (0..).zip(pages) {
        scalable.insert(PageId(id), rate, weight, HOST, None);
        exact.insert(PageId(id), rate, weight, HOST, None);
    }
    for id in [2, 1, 4, 0, 3, 5] {
        let index = exact.index(PageId(id), 1.0);
        assert_eq!(scalable.index(PageId(id), 1.0), index);
        let (a, b) = (scalable.draw(1.0), exact.draw(1.0));
        assert_eq!(a.and_then(|page| scalable.index(page, 1.0)), index);
        assert_eq!(b.and_then(|page| exact.index(page, 1.0)), index);
    }
    assert_eq!(scalable.draw(1.0), None);
    assert_eq!(scalable.index(PageId(2), 1.0), Some(f64::INFINITY));
    scalable.record(visit(PageId(2), 1.0));
    assert_eq!(scalable.index(PageId(2), 9.0), Some(0.0));
    scalable.record(visit(PageId(0), 9.0));
    assert_eq!(scalable.draw(9.0), Some(PageId(0)), "an idle page is last even behind one just accessed");
}

#[test]
fn outcomes() {
    let mut policy = IndexPolicy::new();
    for id in 0..3 {
        policy.insert(PageId(id), 1.0, 1.0, HOST, Some(0.0));
    }
    let failed = policy.draw(1.0).unwrap();
    policy.record(Visit { page: failed, at: 1.0, outcome: Outcome::Failed });
    let gone = policy.draw(1.0).unwrap();
    assert_ne!(gone, failed, "a page that failed waits for its next turn");
    policy.record(Visit { page: gone, at: 1.0, outcome: Outcome::Gone });
    assert!(!policy.contains(gone));
    let released = policy.draw(1.0).unwrap();
    policy.release(released);
    assert_eq!(policy.draw(1.0), Some(released), "a page released is as it was");
    assert!(policy.remove(released));
    policy.record(visit(released, 2.0));
    assert!(!policy.contains(released), "a visit does not bring back a page removed meanwhile");
    assert_eq!(policy.len(), 1);
    assert_eq!(policy.draw(2.0), Some(failed));
    policy.insert(failed, 2.0, 2.0, HOST, None);
    assert_eq!(policy.draw(2.0), None, "a page replaced while handed out stays handed out");
}

/// F-24: a signal makes a page look older, and a certain one as old as can be.
#[test]
fn f24_signals_bring_pages_forward() {
    let mut policy = IndexPolicy::new();
    for id in 0..200 {
        policy.insert(PageId(id), 0.01, 1.0 + f64::from(id) * 1e-3, HOST, Some(f64::from(id)));
    }
    policy.look_older(PageId(150), 151.0);
    assert_eq!(policy.draw(200.0), Some(PageId(150)));
    policy.look_older(PageId(99), f64::INFINITY);
    assert_eq!(policy.index(PageId(99), 200.0), policy.index(PageId(99), f64::INFINITY));
    assert_eq!(policy.draw(200.0), Some(PageId(99)));
    assert_eq!(policy.draw(200.0), Some(PageId(0)));
}

/// A rate learned to be higher, or a weight raised, shows in the next draw.
#[test]
fn new_rates_and_weights_count_at_once() {
    let population = Population::new(LAWS[0], 300, 1.0, true, 1);
    let mut policy = population.policy();
    let now = run(&mut policy, &mut Meter::new(&population), 0.0, 1.0, 3000);
    let page = PageId(17);
    policy.set_weight(page, 1e6);
    assert_eq!(policy.draw(now + 1.0), Some(page));
    policy.set_weight(page, 0.0);
    policy.record(visit(page, now + 1.0));
    assert_eq!(policy.index(page, now + 99.0), Some(0.0));
    policy.set_weight(page, 1.0);
    policy.set_rate(page, 0.25);
    let index = policy.index(page, now + 5.0).unwrap();
    assert!((index - continuous_index(0.25, 1.0, 4.0)).abs() < 1e-7);
}

/// Odd numbers neither get a page drawn out of turn nor break anything.
#[test]
fn odd_input_counts_as_zero() {
    let odd = [f64::NAN, -1.0, f64::NEG_INFINITY, 0.0, 1e-300, 1e300, f64::INFINITY];
    let mut policy = IndexPolicy::new();
    let mut id = 0;
    for rate in odd {
        for weight in odd {
            for last in [None, Some(f64::NAN), Some(f64::INFINITY), Some(0.0), Some(1e300)] {
                policy.insert(PageId(id), rate, weight, HostId(id % 3), last);
                id += 1;
            }
        }
    }
    policy.look_older(PageId(3), f64::NAN);
    policy.look_older(PageId(3), -1.0);
    policy.close_host(HostId(1), f64::NAN);
    let mut drawn: Vec<_> = std::iter::from_fn(|| policy.draw(1.0)).collect();
    for &page in &drawn {
        assert!(policy.index(page, 1.0).unwrap() >= 0.0);
        policy.record(visit(page, f64::NAN));
    }
    drawn.sort();
    assert_eq!(drawn, (0..id).map(PageId).collect::<Vec<_>>(), "each exactly once");
    assert_eq!(std::iter::from_fn(|| policy.draw(2.0)).count(), id as usize);
}

#[test]
fn a_page_takes_32_bytes() {
    assert_eq!(size_of::<Page>(), 32);
    assert_eq!(Page::ABSENT.state, State::Absent);
}

proptest! {
    /// F-17: the index grows with the age, from 0 to `c/mu`.
    #[test]
    fn f17_index_grows_with_age(rate in 1e-6f64..1e6, weight in 1e-6f64..1e6, u in 1e-9f64..30.0, factor in 1.001f64..10.0) {
        let (young, old) = (continuous_index(rate, weight, u / rate), continuous_index(rate, weight, factor * u / rate));
        prop_assert!(0.0 < young && young < old && old <= weight / rate);
        let u_back = g_inverse(young * rate / weight, 1.0 - young * rate / weight);
        prop_assert!(u > 20.0 || (u_back / u - 1.0).abs() < 1e-6);
    }
}
