//! The answer on the terminal and in JSON.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use freshness::cost::freshness_ratio;
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use super::costs::PolicyCost;
use super::solution::{HostAnswer, Solution};
use crate::output::number::{grouped, percent, short};
use crate::output::table::{Align, Table, list};
use crate::units::SECONDS_PER_DAY;

/// The answer as text.
pub(super) fn text(solution: &Solution<'_>, costs: &[PolicyCost]) -> String {
    let mut text = list(&facts(solution));
    text.push('\n');
    text.push_str(&table(solution, costs).render());
    let idle = solution.not_worth_a_visit();
    if idle > 0 {
        let all = grouped(solution.pages.len());
        let pages = grouped(idle);
        text.push_str(&format!("\n{pages} of {all} pages change too fast for what they are worth: at this budget they are not worth a visit.\n"));
    }
    text
}

fn facts(solution: &Solution<'_>) -> Vec<(&'static str, String)> {
    let bound = solution.allocation.cost;
    let per_day = solution.budget_per_day;
    let budget = format!("{} a day, {} a second", short(per_day), short(per_day / SECONDS_PER_DAY));
    let mut facts = vec![("pages", grouped(solution.pages.len()))];
    if let Some(target) = solution.target {
        facts.push(("target", format!("{} stale", percent(target.value()))));
        facts.push((
            "least budget",
            if per_day > 0.0 { budget } else { "none: copies are fresh enough as they are".into() },
        ));
    } else {
        facts.push(("budget", budget));
    }
    if let Some(robots) = solution.robots {
        facts.push(("robots", short(robots)));
    }
    if let Some(hosts) = &solution.hosts {
        facts.push(("hosts", host_fact(hosts)));
    }
    facts.push(("multiplier", short(solution.allocation.multiplier)));
    facts
        .push(("lower bound", format!("{} of total weight {}", short(bound), short(solution.instance.total_weight()))));
    facts.push(("stale at the bound", percent(solution.stale_fraction(bound))));
    facts
}

fn host_fact(hosts: &HostAnswer) -> String {
    let per_day = hosts.limit.per_day();
    let bound = hosts.bound.iter().filter(|bound| **bound).count();
    format!("{}, at most {} a day each; {} at that limit", grouped(hosts.bound.len()), short(per_day), grouped(bound))
}

fn table(solution: &Solution<'_>, costs: &[PolicyCost]) -> Table {
    use Align::{Left, Right};
    let (bound, total) = (solution.allocation.cost, solution.instance.total_weight());
    let mut table = Table::new(&[
        ("policy", Left),
        ("cost", Right),
        ("stale", Right),
        ("of bound", Right),
        ("of freshness", Right),
        ("method", Left),
    ]);
    for policy in costs {
        table.row([
            policy.name.to_string(),
            short(policy.cost),
            percent(solution.stale_fraction(policy.cost)),
            policy.over(bound).map_or("-".into(), |ratio| format!("{ratio:.4}")),
            policy.freshness(total, bound).map_or("-".into(), |ratio| format!("{ratio:.4}")),
            policy.method.clone(),
        ]);
    }
    table
}

impl PolicyCost {
    /// Cost over bound; one if there is nothing to lose, `None` if the bound is none for this policy.
    fn over(&self, bound: f64) -> Option<f64> {
        self.comparable.then_some(if bound > 0.0 { self.cost / bound } else { 1.0 })
    }

    fn freshness(&self, total: f64, bound: f64) -> Option<f64> {
        self.comparable.then(|| freshness_ratio(total, self.cost, bound))
    }
}

/// The answer as one JSON object, written as it is formed.
pub(super) fn json(out: impl Write, solution: &Solution<'_>, costs: &[PolicyCost], frequencies: bool) -> Result<()> {
    let mut out = out;
    serde_json::to_writer(&mut out, &Answer { solution, costs, frequencies })?;
    out.write_all(b"\n")?;
    Ok(())
}

struct Answer<'a> {
    solution: &'a Solution<'a>,
    costs: &'a [PolicyCost],
    frequencies: bool,
}

impl Serialize for Answer<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { solution, costs, .. } = self;
        let (bound, total) = (solution.allocation.cost, solution.instance.total_weight());
        let by_key = |value: &dyn Fn(&PolicyCost) -> Option<f64>| -> BTreeMap<&str, Option<f64>> {
            costs.iter().map(|policy| (policy.key, value(policy))).collect()
        };
        let methods: BTreeMap<&str, &str> = costs.iter().map(|policy| (policy.key, policy.method.as_str())).collect();
        let mean_access_time = (solution.budget_per_day > 0.0).then(|| solution.law.mean());
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("pages", &solution.pages.len())?;
        map.serialize_entry("multiplier", &solution.allocation.multiplier)?;
        map.serialize_entry("lower_bound", &bound)?;
        map.serialize_entry("total_weight", &total)?;
        map.serialize_entry("stale_at_bound", &solution.stale_fraction(bound))?;
        map.serialize_entry("budget_per_day", &solution.budget_per_day)?;
        map.serialize_entry("budget_per_second", &(solution.budget_per_day / SECONDS_PER_DAY))?;
        map.serialize_entry("mean_access_time_days", &mean_access_time)?;
        map.serialize_entry("robots", &solution.robots)?;
        map.serialize_entry("target_stale", &solution.target.map(crate::units::Fraction::value))?;
        map.serialize_entry("pages_not_worth_a_visit", &solution.not_worth_a_visit())?;
        map.serialize_entry("costs", &by_key(&|policy| Some(policy.cost)))?;
        map.serialize_entry("ratios_to_bound", &by_key(&|policy| policy.over(bound)))?;
        map.serialize_entry("freshness_ratios", &by_key(&|policy| policy.freshness(total, bound)))?;
        map.serialize_entry("methods", &methods)?;
        if let Some(hosts) = &solution.hosts {
            map.serialize_entry("hosts", &HostReport { solution, hosts })?;
        }
        if self.frequencies {
            map.serialize_entry("frequencies", &Frequencies(solution))?;
        }
        map.end()
    }
}

/// The hosts whose limit binds, with the multiplier of each.
struct HostReport<'a> {
    solution: &'a Solution<'a>,
    hosts: &'a HostAnswer,
}

impl Serialize for HostReport<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let hosts = self.hosts;
        let at_limit = hosts.bound.iter().enumerate().filter(|(_, bound)| **bound).map(|(host, _)| host);
        let names = self.solution.table.hosts.as_ref().map(|hosts| &hosts.names);
        let multipliers: BTreeMap<&str, f64> =
            at_limit.filter_map(|host| Some((names?.get(host), hosts.multipliers[host]))).collect();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("hosts", &hosts.bound.len())?;
        map.serialize_entry("limit_per_day", &hosts.limit.per_day())?;
        map.serialize_entry("at_limit", &multipliers.len())?;
        map.serialize_entry("multipliers_at_limit", &multipliers)?;
        map.end()
    }
}

struct Frequencies<'a>(&'a Solution<'a>);

#[derive(Serialize)]
struct Frequency<'a> {
    page: &'a str,
    frequency: f64,
    visits_per_day: f64,
    stale: f64,
}

impl Serialize for Frequencies<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.pages.len()))?;
        for row in self.0.rows() {
            let (page, frequency, visits_per_day, stale) = (row.page, row.frequency, row.visits_per_day, row.stale);
            list.serialize_element(&Frequency { page, frequency, visits_per_day, stale })?;
        }
        list.end()
    }
}
