//! Visits in continuous time, none too soon after the one before, within what hosts allow: what a running crawler can reach.

use crate::special::{g_inverse, phi};

/// What keeps visits back.
#[derive(Clone, Copy, Debug)]
pub struct Restraints<'a> {
    /// Visits per unit of time to all pages; infinite for no limit.
    pub budget: f64,
    /// The shortest time between two visits to a page.
    pub least: f64,
    /// The host of each page.
    pub host_of: &'a [u32],
    /// Most visits per unit of time to each host; infinite for no limit.
    pub host_limits: &'a [f64],
}

/// How often pages are visited, and what that costs.
#[derive(Clone, Debug, PartialEq)]
pub struct Visits {
    /// The cost `sum c_i r_i`.
    pub cost: f64,
    /// Visits per unit of time to all pages.
    pub rate: f64,
    /// Visits per unit of time to each page.
    pub rates: Vec<f64>,
}

/// Pages whose visits are restrained.
#[derive(Clone, Copy, Debug)]
struct Restrained<'a> {
    rates: &'a [f64],
    weights: &'a [f64],
    restraints: &'a Restraints<'a>,
}

/// Bisections of the logarithm of a multiplier: enough to go from the widest interval to the last bit that matters.
const STEPS: usize = 60;

/// The smallest multiplier looked at, as a part of the largest `c/mu`.
const SMALLEST: f64 = 1e-12;

/// Law F-28: the least cost of visits at even distances.
///
/// With multiplier `lambda` a page is visited every `max(t, least)`, where `(c/mu) G(mu t) = lambda`, or never if `lambda` is
/// at least `c/mu`. The visits to a host are cut to its limit by a multiplier of its own; the budget's multiplier makes the sum
/// over hosts what may be spent.
///
/// # Panics
/// If the slices differ in length or a host has no limit.
#[must_use]
pub fn restrained_optimum(rates: &[f64], weights: &[f64], restraints: &Restraints<'_>) -> Visits {
    let pages = Restrained { rates, weights, restraints };
    let all: Vec<u32> = (0..rates.len() as u32).collect();
    let hosts = by_host(restraints);
    let spent = |lambda: f64| -> f64 {
        let of_host =
            |(host, pages_of): (usize, &Vec<u32>)| pages.demand(pages_of, lambda).min(restraints.host_limits[host]);
        hosts.iter().enumerate().map(of_host).sum()
    };
    let within_hosts = |lambda: f64| {
        let mut visits = vec![0.0; rates.len()];
        for (host, pages_of) in hosts.iter().enumerate() {
            let limit = restraints.host_limits[host];
            let shares: Vec<f64> = match pages.demand(pages_of, lambda) > limit {
                true => pages.visits_within(pages_of, limit),
                false => pages_of.iter().map(|page| pages.visits(*page, lambda)).collect(),
            };
            pages_of.iter().zip(shares).for_each(|(page, share)| visits[*page as usize] = share);
        }
        visits
    };
    let (low, high) = pages.multiplier(&all, restraints.budget, spent);
    pages.cost_of(between(within_hosts(low), within_hosts(high), restraints.budget))
}

/// The cost of visiting pages in these proportions, as often as budget, hosts and the shortest time let each be visited. What one
/// page cannot use is not given to others.
///
/// # Panics
/// If the slices differ in length or a host has no limit.
#[must_use]
pub fn restrained_cost(rates: &[f64], weights: &[f64], proportions: &[f64], restraints: &Restraints<'_>) -> Visits {
    let pages = Restrained { rates, weights, restraints };
    let total: f64 = proportions.iter().sum();
    let soonest = 1.0 / restraints.least;
    let wanted = |part: &f64| if total > 0.0 { (restraints.budget * part / total).min(soonest) } else { 0.0 };
    let mut visits: Vec<f64> = proportions.iter().map(wanted).collect();
    for (host, pages_of) in by_host(restraints).iter().enumerate() {
        let sum: f64 = pages_of.iter().map(|page| visits[*page as usize]).sum();
        let share = (restraints.host_limits[host] / sum).min(1.0);
        pages_of.iter().for_each(|page| visits[*page as usize] *= share);
    }
    pages.cost_of(visits)
}

/// The part of the time in which a copy is out of date that is renewed every `u` mean times between changes.
fn stale_part(u: f64) -> f64 {
    phi(u) / u
}

/// The visits between two sets of them that add up to what is allowed. A page that is hardly worth a visit gets none at one
/// multiplier and a good part of all at the next smaller number, so it does not suffice to find the multiplier.
fn between(more: Vec<f64>, fewer: Vec<f64>, allowed: f64) -> Vec<f64> {
    let (most, least): (f64, f64) = (more.iter().sum(), fewer.iter().sum());
    if most <= allowed {
        return more;
    }
    let part = ((allowed - least) / (most - least)).clamp(0.0, 1.0);
    more.iter().zip(fewer).map(|(more, fewer)| fewer + part * (more - fewer)).collect()
}

fn by_host(restraints: &Restraints<'_>) -> Vec<Vec<u32>> {
    let mut hosts = vec![Vec::new(); restraints.host_limits.len()];
    restraints.host_of.iter().zip(0..).for_each(|(host, page)| hosts[*host as usize].push(page));
    hosts
}

impl Restrained<'_> {
    /// Visits to a page per unit of time at a multiplier.
    fn visits(&self, page: u32, lambda: f64) -> f64 {
        let (mu, weight) = (self.rates[page as usize], self.weights[page as usize]);
        let share = lambda * mu / weight;
        if !(mu > 0.0 && weight > 0.0 && share < 1.0) {
            return 0.0;
        }
        1.0 / (g_inverse(share, 1.0 - share) / mu).max(self.restraints.least)
    }

    fn demand(&self, pages: &[u32], lambda: f64) -> f64 {
        pages.iter().map(|page| self.visits(*page, lambda)).sum()
    }

    /// Visits to the pages of a host that allows so many.
    fn visits_within(&self, pages: &[u32], limit: f64) -> Vec<f64> {
        let (low, high) = self.multiplier(pages, limit, |lambda| self.demand(pages, lambda));
        let visits = |lambda: f64| pages.iter().map(|page| self.visits(*page, lambda)).collect();
        between(visits(low), visits(high), limit)
    }

    /// Multipliers next to each other between which these pages are visited as often as they may be; twice almost none if they
    /// may be visited more often than they can.
    fn multiplier(&self, pages: &[u32], may: f64, spent: impl Fn(f64) -> f64) -> (f64, f64) {
        let value = |page: &u32| self.weights[*page as usize] / self.rates[*page as usize];
        let top = pages.iter().map(value).filter(|value| value.is_finite()).fold(0.0, f64::max);
        // No page is visited at the upper end: not even by rounding, which could leave lambda mu / c just below one.
        let (mut low, mut high) = (top * SMALLEST, top * (1.0 + 4.0 * f64::EPSILON));
        if top == 0.0 || spent(low) <= may {
            return (low, low);
        }
        for _ in 0..STEPS {
            let middle = (low * high).sqrt();
            if spent(middle) > may {
                low = middle;
            } else {
                high = middle;
            }
        }
        (low, high)
    }

    fn cost_of(&self, visits: Vec<f64>) -> Visits {
        let stale = |((mu, weight), visits): ((&f64, &f64), &f64)| match (*mu > 0.0, *visits > 0.0) {
            (false, _) => 0.0,
            (true, false) => *weight,
            (true, true) => weight * stale_part(mu / visits),
        };
        let cost = self.rates.iter().zip(self.weights).zip(&visits).map(stale).sum();
        Visits { cost, rate: visits.iter().sum(), rates: visits }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocation::optimum;
    use crate::{AccessTime, Instance, Pages};
    use proptest::prelude::*;

    fn free(budget: f64, pages: usize) -> (Vec<u32>, Vec<f64>, f64) {
        (vec![0; pages], vec![f64::INFINITY], budget)
    }

    fn solve(rates: &[f64], weights: &[f64], budget: f64, least: f64) -> Visits {
        let (host_of, host_limits, budget) = free(budget, rates.len());
        restrained_optimum(rates, weights, &Restraints { budget, least, host_of: &host_of, host_limits: &host_limits })
    }

    #[test]
    fn equal_pages_are_visited_equally() {
        let visits = solve(&[2.0; 10], &[3.0; 10], 5.0, 0.0);
        // Each every 2 units of time: u = 4.
        let closed_form = 30.0 * (1.0 - (1.0 - (-4f64).exp()) / 4.0);
        assert!((visits.cost / closed_form - 1.0).abs() < 1e-12, "{}", visits.cost);
        assert!((visits.rate - 5.0).abs() < 1e-9);
    }

    /// F-28 is F-4 in the limit of many accesses in the time in which a page changes.
    #[test]
    fn many_pages_cost_what_the_paper_says() {
        let rates: Vec<f64> = (1..=2000).map(|i| f64::from(i) / 1000.0).collect();
        let weights: Vec<f64> = (1..=2000).map(|i| f64::from(1 + i * 7919 % 13)).collect();
        let law = AccessTime::constant(1.0 / 1500.0).unwrap();
        let paper = optimum(&Instance::new(&Pages::new(&rates, &weights).unwrap(), &law)).cost;
        let here = solve(&rates, &weights, 1500.0, 0.0).cost;
        // An access takes 1/1500, so copies are older by that: mu/1500 of the cost at most.
        assert!((here / paper - 1.0).abs() < 2e-3, "{here} {paper}");
    }

    #[test]
    fn a_page_is_not_visited_too_soon_and_others_gain() {
        let visits = solve(&[1.0, 1.0], &[100.0, 1.0], 2.0, 1.0);
        assert!((visits.rates[0] - 1.0).abs() < 1e-9 && (visits.rates[1] - 1.0).abs() < 1e-6, "{visits:?}");
        let plenty = solve(&[1.0, 1.0], &[100.0, 1.0], 50.0, 1.0);
        assert!((plenty.rate - 2.0).abs() < 1e-9);
    }

    #[test]
    fn nothing_is_worth_a_visit() {
        assert_eq!(solve(&[0.0, 1.0], &[1.0, 0.0], 2.0, 0.0), Visits { cost: 0.0, rate: 0.0, rates: vec![0.0; 2] });
        assert_eq!(solve(&[], &[], 2.0, 0.0).cost, 0.0);
    }

    proptest! {
        /// F-28: restraints hold, and no exchange of visits between two pages of one host costs less.
        #[test]
        fn no_exchange_is_better(
            pages in prop::collection::vec((0.01f64..10.0, 0.1f64..10.0, 0u32..3), 2..12),
            budget in 0.5f64..20.0,
            limits in prop::array::uniform3(prop_oneof![Just(f64::INFINITY), 0.1f64..5.0]),
            least in prop_oneof![Just(0.0), 0.05f64..2.0],
        ) {
            let rates: Vec<f64> = pages.iter().map(|page| page.0).collect();
            let weights: Vec<f64> = pages.iter().map(|page| page.1).collect();
            let host_of: Vec<u32> = pages.iter().map(|page| page.2).collect();
            let restraints = Restraints { budget, least, host_of: &host_of, host_limits: &limits };
            let best = restrained_optimum(&rates, &weights, &restraints);
            prop_assert!(best.rate <= budget * (1.0 + 1e-9));
            for host in 0..3 {
                let sum: f64 = (0..pages.len()).filter(|i| host_of[*i] == host).map(|i| best.rates[i]).sum();
                prop_assert!(sum <= limits[host as usize] * (1.0 + 1e-9));
            }
            let soonest = 1.0 / least;
            prop_assert!(best.rates.iter().all(|rate| *rate <= soonest * (1.0 + 1e-12)));
            let cost = |i: usize, rate: f64| weights[i] * if rate > 0.0 { stale_part(rates[i] / rate) } else { 1.0 };
            for i in 0..pages.len() {
                for j in (0..pages.len()).filter(|j| host_of[i] == host_of[*j]) {
                    let step = (1e-3 * best.rates[i]).min(soonest - best.rates[j]);
                    let before = cost(i, best.rates[i]) + cost(j, best.rates[j]);
                    let after = cost(i, best.rates[i] - step) + cost(j, best.rates[j] + step);
                    prop_assert!(i == j || after >= before - 1e-9 * best.cost, "{} {}", i, j);
                }
            }
            for proportions in [&rates, &vec![1.0; pages.len()]] {
                prop_assert!(restrained_cost(&rates, &weights, proportions, &restraints).cost >= best.cost * (1.0 - 1e-9));
            }
        }
    }
}
