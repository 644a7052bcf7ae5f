//! What each policy costs.

mod sample;

use std::panic::resume_unwind;
use std::thread;

use anyhow::Result;
use freshness::allocation::{proportional, randomised_optimum, uniform};
use freshness::cost::{even_spacing_cost, golden_ratio_limit_cost};

use super::solution::Solution;
use crate::progress::while_doing;

pub(crate) use sample::{index_and_stride_over_bound, sampled};

/// The cost of one policy and how it was found.
#[derive(Clone, Debug)]
pub(crate) struct PolicyCost {
    /// Its key in JSON.
    pub(crate) key: &'static str,
    /// Its name for people.
    pub(crate) name: &'static str,
    pub(crate) cost: f64,
    /// Exact, or on what sequence.
    pub(crate) method: String,
    /// Whether the bound is a bound for it: not if it ignores a host limit that the bound respects.
    pub(crate) comparable: bool,
}

const NAMES: [(&str, &str); 6] = [
    ("index", "index"),
    ("stride", "stride"),
    ("golden_ratio", "golden ratio"),
    ("randomised", "randomised"),
    ("uniform", "uniform"),
    ("proportional", "proportional"),
];

/// All policies, the best first as a rule.
pub(crate) fn of_all_policies(solution: &Solution<'_>) -> Result<Vec<PolicyCost>> {
    if solution.is_idle() {
        let method = || "exact: nothing is worth an access".to_string();
        let cost = solution.allocation.cost;
        let comparable = true;
        return Ok(NAMES.map(|(key, name)| PolicyCost { key, name, cost, method: method(), comparable }).into());
    }
    // The sequences are drawn on one core while the formulas are evaluated on the others.
    let (drawn, [golden_ratio, randomised, uniform, proportional]) = thread::scope(|scope| {
        let drawn = scope.spawn(|| sample::index_and_stride(solution));
        let formulas = while_doing("evaluating policies", || {
            [golden_ratio(solution), randomised(solution), round_robin(solution), as_often_as_it_changes(solution)]
        });
        (drawn.join().unwrap_or_else(|panic| resume_unwind(panic)), formulas)
    });
    let [index, stride] = drawn?;
    let found = [index, stride, golden_ratio, randomised, uniform, proportional];
    let named = NAMES.into_iter().zip(found);
    let respects = |method: &str| limit_ignored(solution).is_empty() || !method.ends_with(limit_ignored(solution));
    let with_name = |((key, name), (cost, method)): ((_, _), (f64, String))| {
        let comparable = respects(&method);
        PolicyCost { key, name, cost, method, comparable }
    };
    Ok(named.map(with_name).collect())
}

/// Laws F-12, F-13 at the optimal frequencies.
fn golden_ratio(solution: &Solution<'_>) -> (f64, String) {
    let cost = golden_ratio_limit_cost(&solution.instance, &solution.allocation.frequencies);
    (cost, format!("exact limit of long cycles{}", at_limited_frequencies(solution)))
}

/// Laws F-9, F-10.
fn randomised(solution: &Solution<'_>) -> (f64, String) {
    (randomised_optimum(&solution.instance).cost, format!("exact{}", limit_ignored(solution)))
}

/// Law F-3, which round robin attains.
fn round_robin(solution: &Solution<'_>) -> (f64, String) {
    let cost = even_spacing_cost(&solution.instance, &uniform(solution.pages.len()));
    (cost, format!("exact{}", limit_ignored(solution)))
}

/// Law F-3, a bound for these frequencies.
fn as_often_as_it_changes(solution: &Solution<'_>) -> (f64, String) {
    let cost = even_spacing_cost(&solution.instance, &proportional(&solution.pages));
    (cost, format!("exact for even spacing{}", limit_ignored(solution)))
}

fn limit_ignored(solution: &Solution<'_>) -> &'static str {
    if solution.hosts.is_some() { ", ignoring the host limit" } else { "" }
}

fn at_limited_frequencies(solution: &Solution<'_>) -> &'static str {
    if solution.hosts.is_some() { ", within the host limit on average" } else { "" }
}
