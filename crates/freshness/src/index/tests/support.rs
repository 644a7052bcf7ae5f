//! Populations, the lower bound and the cost of what a policy does, written from the definitions and apart from the
//! code under test.

use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, LogNormal, Pareto};
use rand_pcg::Pcg64Mcg;

use crate::index::IndexPolicy;
use crate::policy::{HostId, Outcome, PageId, Policy, Visit};
use crate::special::{g_inverse, phi};

/// Change rates and weights.
#[derive(Clone)]
pub struct Population {
    pub rates: Vec<f64>,
    pub weights: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
pub enum Law {
    Uniform,
    LogNormal,
    Pareto,
}

impl Law {
    fn sample(self, n: usize, rng: &mut Pcg64Mcg) -> Vec<f64> {
        let lognormal = LogNormal::new(0.0, 1.0).unwrap();
        let pareto = Pareto::new(1.0, 1.5).unwrap();
        let one = |_| match self {
            Self::Uniform => rng.random::<f64>(),
            Self::LogNormal => lognormal.sample(rng),
            Self::Pareto => pareto.sample(rng),
        };
        (0..n).map(one).collect()
    }
}

pub const LAWS: [Law; 3] = [Law::Uniform, Law::LogNormal, Law::Pareto];

impl Population {
    /// `n` pages with rates that sum to `q`, and weights equal to the rates or independent of them.
    ///
    /// A sample in which one page has a large part of all changes (a tenth, or half if there are only few pages) is
    /// drawn again: the bound asks to access it every two and a half accesses, say, which no sequence does.
    pub fn new(law: Law, n: usize, q: f64, independent: bool, seed: u64) -> Self {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let mut rates = law.sample(n, &mut rng);
        let part = if n < 100 { 0.5 } else { 0.1 };
        while rates.iter().copied().fold(0.0, f64::max) > part * rates.iter().sum::<f64>() {
            rates = law.sample(n, &mut rng);
        }
        let total: f64 = rates.iter().sum();
        rates.iter_mut().for_each(|rate| *rate *= q / total);
        let weights = if independent { Law::LogNormal.sample(n, &mut rng) } else { rates.clone() };
        Self { rates, weights }
    }

    pub fn len(&self) -> usize {
        self.rates.len()
    }

    /// The multiplier of condition (8) at `budget` accesses per unit of time: `sum mu/Ginv(lambda mu/c) = budget`.
    pub fn multiplier(&self, budget: f64) -> f64 {
        let (mut low, mut high) = (-700.0f64, 700.0f64);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            let used: f64 = (0..self.len()).map(|i| self.frequency(i, middle.exp())).sum();
            if used > budget { low = middle } else { high = middle }
        }
        (0.5 * (low + high)).exp()
    }

    /// Accesses to page `i` per unit of time at multiplier `lambda`.
    pub fn frequency(&self, i: usize, lambda: f64) -> f64 {
        let p = lambda * self.rates[i] / self.weights[i];
        self.rates[i] / g_inverse(p, 1.0 - p)
    }

    /// F-3 and F-6 in continuous time: `sum (c/mu) x phi(mu/x)`, and `c` for a page not accessed.
    pub fn bound(&self, budget: f64) -> f64 {
        let lambda = self.multiplier(budget);
        (0..self.len()).map(|i| self.even_cost(i, self.frequency(i, lambda))).sum()
    }

    pub fn even_cost(&self, i: usize, x: f64) -> f64 {
        let (mu, c) = (self.rates[i], self.weights[i]);
        if x <= 0.0 { c } else { c / mu * x * phi(mu / x) }
    }

    /// All pages, on one host, never accessed.
    pub fn policy(&self) -> IndexPolicy {
        let mut policy = IndexPolicy::new();
        for i in 0..self.len() {
            policy.insert(PageId(i as u32), self.rates[i], self.weights[i], HostId(0), None);
        }
        policy
    }
}

/// F-11: the exact expected cost of what was accessed when, per unit of time since the meter was set.
pub struct Meter<'a> {
    population: &'a Population,
    last: Vec<f64>,
    since: f64,
    stale: f64,
}

impl<'a> Meter<'a> {
    pub fn new(population: &'a Population) -> Self {
        Self { population, last: vec![f64::NEG_INFINITY; population.len()], since: 0.0, stale: 0.0 }
    }

    pub fn access(&mut self, page: PageId, now: f64) {
        let i = page.0 as usize;
        self.stale += self.expected_stale(i, now);
        self.last[i] = now;
    }

    /// Starts measuring now.
    pub fn set(&mut self, now: f64) {
        (self.since, self.stale) = (now, 0.0);
    }

    pub fn cost(&self, now: f64) -> f64 {
        let open: f64 = (0..self.population.len()).map(|i| self.expected_stale(i, now)).sum();
        (self.stale + open) / (now - self.since)
    }

    /// Weighted time that page `i` is stale between the start of measuring (or its last access) and now:
    /// `(c/mu) (phi(mu d1) - phi(mu d0))` for ages `d0` and `d1`.
    fn expected_stale(&self, i: usize, now: f64) -> f64 {
        let (mu, c) = (self.population.rates[i], self.population.weights[i]);
        if self.last[i] == f64::NEG_INFINITY {
            return c * (now - self.since);
        }
        let from = self.since.max(self.last[i]);
        c / mu * (phi(mu * (now - self.last[i])) - phi(mu * (from - self.last[i])))
    }
}

/// Lets the policy make `accesses` accesses, `step` apart, from time `now` on; returns the time after them.
pub fn run(policy: &mut impl Policy, meter: &mut Meter<'_>, mut now: f64, step: f64, accesses: usize) -> f64 {
    for _ in 0..accesses {
        now += step;
        let page = policy.draw(now).unwrap();
        meter.access(page, now);
        policy.record(Visit { page, at: now, outcome: Outcome::Unchanged });
    }
    now
}

/// A visit that found nothing new.
pub fn visit(page: PageId, at: f64) -> Visit {
    Visit { page, at, outcome: Outcome::Unchanged }
}
