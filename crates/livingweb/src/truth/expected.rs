//! What could be, at the same number of fetches.

use freshness::allocation::{HostLimits, optimum, optimum_with_limits, proportional, uniform};
use freshness::cost::even_spacing_cost;
use freshness::{AccessTime, Instance, Pages};
use serde::Serialize;

use crate::world::{Page, World};

/// Most parts into which a period is cut at the moments at which pages come and go.
const MOST_PARTS: usize = 8;

/// Stale fractions in the long run, for Poisson changes at the true rates and visits that take no time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Fractions {
    /// The least that is possible (law F-3).
    pub bound: f64,
    /// The least that is possible if hosts are visited as seldom as they ask; the same if none asks.
    pub bound_with_limits: f64,
    /// Every page as often as every other.
    pub uniform: f64,
    /// Every page as often as it changes.
    pub proportional: f64,
}

/// What could be at a fetch rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Expected {
    /// Fetches per second.
    pub fetch_rate: f64,
    /// With the weights of the pages.
    pub weighted: Fractions,
    /// With all weights equal.
    pub unweighted: Fractions,
}

impl World {
    /// What visits at `fetch_rate` per second could be from `from` to `to`, with at most `limits[h]` a second to host `h`.
    /// None without fetches, pages or weights.
    #[must_use]
    pub fn expected(&self, from: f64, to: f64, fetch_rate: f64, limits: &[f64]) -> Option<Expected> {
        let parts = parts(self.turns(), from, to);
        let mut expected = Expected { fetch_rate, ..Expected::default() };
        for (middle, share) in parts {
            let alive: Vec<&Page> = self.pages().iter().filter(|page| page.is_alive(middle)).collect();
            let weights: Vec<f64> = alive.iter().map(|page| self.classes()[page.class as usize]).collect();
            let equal = vec![1.0; alive.len()];
            expected.weighted.add(share, of_pages(&alive, &weights, fetch_rate, limits)?);
            expected.unweighted.add(share, of_pages(&alive, &equal, fetch_rate, limits)?);
        }
        Some(expected)
    }
}

impl Fractions {
    fn add(&mut self, share: f64, other: Self) {
        self.bound += share * other.bound;
        self.bound_with_limits += share * other.bound_with_limits;
        self.uniform += share * other.uniform;
        self.proportional += share * other.proportional;
    }
}

/// Times between which no page comes or goes, or where there are too many, an even number: middle and share of each.
fn parts(turns: &[f64], from: f64, to: f64) -> Vec<(f64, f64)> {
    let (from, length) = (from, (to - from).max(0.0));
    if length == 0.0 {
        return vec![(from, 1.0)];
    }
    let mut cuts: Vec<f64> = turns.iter().copied().filter(|at| *at > from && *at < to).take(MOST_PARTS).collect();
    if cuts.len() >= MOST_PARTS {
        cuts = (1..MOST_PARTS).map(|i| from + length * i as f64 / MOST_PARTS as f64).collect();
    }
    cuts.insert(0, from);
    cuts.push(to);
    cuts.windows(2).map(|pair| (f64::midpoint(pair[0], pair[1]), (pair[1] - pair[0]) / length)).collect()
}

/// Visits without duration at rate `R` cost what accesses of constant duration `1/R` do, one after another.
fn of_pages(pages: &[&Page], weights: &[f64], fetch_rate: f64, limits: &[f64]) -> Option<Fractions> {
    let rates: Vec<f64> = pages.iter().map(|page| page.rate).collect();
    let checked = Pages::new(&rates, weights).ok()?;
    let total = checked.total_weight();
    if !(fetch_rate > 0.0 && total > 0.0) {
        return None;
    }
    let instance = Instance::new(&checked, &AccessTime::constant(1.0 / fetch_rate).ok()?);
    let bound = optimum(&instance).cost;
    let bound_with_limits = limited(&instance, pages, fetch_rate, limits).unwrap_or(bound);
    Some(Fractions {
        bound: bound / total,
        bound_with_limits: bound_with_limits / total,
        uniform: even_spacing_cost(&instance, &uniform(pages.len())) / total,
        proportional: even_spacing_cost(&instance, &proportional(&checked)) / total,
    })
}

fn limited(instance: &Instance, pages: &[&Page], fetch_rate: f64, limits: &[f64]) -> Option<f64> {
    if limits.iter().all(|limit| limit.is_infinite()) {
        return None;
    }
    let hosts: Vec<u32> = pages.iter().map(|page| page.host).collect();
    let limits = HostLimits::new(&hosts, limits.iter().map(|limit| limit / fetch_rate).collect()).ok()?;
    optimum_with_limits(instance, &limits).ok().map(|limited| limited.allocation.cost)
}
