//! Limits per host: the "rapid fire" that CLW section 6 leaves open.

use super::multiplier::{Demand, Level, Multiplier, find_interval};
use super::optimum::solve_exact;
use super::{Allocation, AllocationError};
use crate::cost::even_spacing_cost;
use crate::instance::Instance;

/// Which host each page is on, and which fraction of all accesses each host allows at most.
#[derive(Clone, Debug)]
pub struct HostLimits {
    /// Pages, host after host.
    pages: Vec<u32>,
    /// Where each host's pages begin in `pages`; one more at the end.
    starts: Vec<usize>,
    limits: Vec<f64>,
}

/// An optimum under host limits.
#[derive(Clone, Debug, PartialEq)]
pub struct LimitedAllocation {
    /// Frequencies, the multiplier of the budget, and the lower bound on the cost.
    pub allocation: Allocation,
    /// `lambda_H` per host: that of the budget, or more where the host's limit binds.
    pub host_multipliers: Vec<f64>,
    /// Whether each host's limit binds.
    pub bound: Vec<bool>,
}

impl HostLimits {
    /// `host_of[i]` is the host of page `i`, `limits[h]` the largest fraction of accesses that may go to host `h`
    /// (infinite for no limit).
    ///
    /// # Errors
    /// If a limit is negative or not a number.
    ///
    /// # Panics
    /// If a page's host has no limit, or there are more than `u32::MAX` pages.
    pub fn new(host_of: &[u32], limits: Vec<f64>) -> Result<Self, AllocationError> {
        if let Some(host) = limits.iter().position(|limit| limit.is_nan() || *limit < 0.0) {
            return Err(AllocationError::Limit { host, value: limits[host] });
        }
        let mut starts = vec![0; limits.len() + 1];
        for &host in host_of {
            starts[host as usize + 1] += 1;
        }
        for host in 0..limits.len() {
            starts[host + 1] += starts[host];
        }
        let mut pages = vec![0; host_of.len()];
        let mut next = starts.clone();
        for (page, &host) in (0..).zip(host_of) {
            pages[next[host as usize]] = page;
            next[host as usize] += 1;
        }
        Ok(Self { pages, starts, limits })
    }

    /// The same hosts with other limits.
    ///
    /// # Errors
    /// If a limit is negative or not a number.
    ///
    /// # Panics
    /// If the number of hosts differs.
    pub fn with_limits(&self, limits: Vec<f64>) -> Result<Self, AllocationError> {
        assert_eq!(limits.len(), self.limits.len(), "one limit per host");
        if let Some(host) = limits.iter().position(|limit| limit.is_nan() || *limit < 0.0) {
            return Err(AllocationError::Limit { host, value: limits[host] });
        }
        Ok(Self { limits, ..self.clone() })
    }

    /// Largest fraction of accesses for each host.
    #[must_use]
    pub fn limits(&self) -> &[f64] {
        &self.limits
    }

    fn hosts(&self) -> usize {
        self.limits.len()
    }

    fn pages_of(&self, host: usize) -> impl Iterator<Item = usize> {
        self.pages[self.starts[host]..self.starts[host + 1]].iter().map(|&page| page as usize)
    }

    fn demand_of(&self, host: usize, instance: &Instance, level: &Level) -> Demand {
        self.pages_of(host).map(|i| level.demand(instance.values()[i], instance.decays()[i])).sum()
    }

    /// The largest value on a host and the sum of decays of its pages of positive value.
    fn top_and_decay(&self, host: usize, instance: &Instance) -> (f64, f64) {
        self.pages_of(host).fold((0.0, 0.0), |(top, sum), i| {
            let a = instance.values()[i];
            (f64::max(top, a), if a > 0.0 { sum + instance.decays()[i] } else { sum })
        })
    }
}

/// Law F-7: the optimum when the accesses to host `H` are at most a fraction `cap_H` of all.
///
/// The problem stays separable. Within a host whose limit binds the multiplier is `lambda_H > lambda`, elsewhere `lambda`;
/// the budget's multiplier solves `sum_H min(cap_H, S_H(lambda)) = 1`, where `S_H` is what the pages of `H` would get
/// without a limit. That sum falls with `lambda`, so one outer root decides which limits bind, and one inner root per such
/// host gives `lambda_H`.
///
/// # Errors
/// If the hosts that have a page worth an access allow less than all accesses.
pub fn optimum_with_limits(instance: &Instance, hosts: &HostLimits) -> Result<LimitedAllocation, AllocationError> {
    let tops: Vec<(f64, f64)> = (0..hosts.hosts()).map(|host| hosts.top_and_decay(host, instance)).collect();
    let top = tops.iter().map(|(top, _)| *top).fold(0.0, f64::max);
    let worth = |host: &usize| tops[*host].0 > 0.0;
    let usable: f64 = (0..hosts.hosts()).filter(worth).map(|host| hosts.limits[host]).sum();
    if top > 0.0 && usable < 1.0 - 1e-12 {
        return Err(AllocationError::LimitsTooLow { usable });
    }
    let multipliers = if top == 0.0 {
        vec![(Multiplier::IDLE, false); hosts.hosts()]
    } else {
        host_multipliers(instance, hosts, &tops, top)
    };
    let mut frequencies = vec![0.0; instance.len()];
    for (host, (multiplier, _)) in multipliers.iter().enumerate() {
        let level = Level::of(multiplier);
        for i in hosts.pages_of(host) {
            frequencies[i] = level.frequency(instance.values()[i], instance.decays()[i]);
        }
    }
    let bound: Vec<bool> = multipliers.iter().map(|(_, bound)| *bound).collect();
    let host_multipliers: Vec<f64> = multipliers.iter().map(|(multiplier, _)| multiplier.value()).collect();
    // The budget's multiplier is that of any host that is free; if none is, more budget would buy nothing.
    let free = (0..hosts.hosts()).filter(|host| !bound[*host]).map(|host| host_multipliers[host]);
    let multiplier = free.fold(0.0, f64::max);
    let cost = even_spacing_cost(instance, &frequencies);
    Ok(LimitedAllocation { allocation: Allocation { multiplier, frequencies, cost }, host_multipliers, bound })
}

/// For every host its multiplier and whether its limit binds.
fn host_multipliers(instance: &Instance, hosts: &HostLimits, tops: &[(f64, f64)], top: f64) -> Vec<(Multiplier, bool)> {
    let start = solve_exact(instance);
    let usable: f64 = hosts.limits.iter().zip(tops).filter(|(_, (top, _))| *top > 0.0).map(|(limit, _)| limit).sum();
    let budget = if usable <= 1.0 + 1e-12 {
        // Every limit binds.
        Multiplier::new(top, f64::MIN_POSITIVE)
    } else {
        find_interval(top, 1.0, start.interval_of(top), |w| {
            let level = Level::new(top, w);
            (0..hosts.hosts()).map(|host| limited(hosts.demand_of(host, instance, &level), hosts.limits[host])).sum()
        })
    };
    let level = Level::new(top, budget.interval_of(top));
    (0..hosts.hosts())
        .map(|host| {
            let (host_top, decay) = tops[host];
            let limit = hosts.limits[host];
            if host_top == 0.0 || hosts.demand_of(host, instance, &level).total < limit {
                return (budget.within(|w| hosts.demand_of(host, instance, &Level::new(top, w)).total, limit), false);
            }
            if limit == 0.0 {
                return (Multiplier::new(host_top, f64::INFINITY), true);
            }
            let own = find_interval(host_top, limit, decay / limit, |w| {
                hosts.demand_of(host, instance, &Level::new(host_top, w))
            });
            (own, true)
        })
        .collect()
}

/// A host asks for no more than its limit, and then does not react to the multiplier.
fn limited(demand: Demand, limit: f64) -> Demand {
    if demand.total < limit { demand } else { Demand { total: limit, slope: 0.0 } }
}
