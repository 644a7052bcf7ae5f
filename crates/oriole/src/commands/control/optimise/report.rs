//! The answer on the terminal and in JSON.

use control::Model;
use control::optimise::{Constrained, Measure};
use serde::Serialize;

use super::{Answer, observed};
use crate::cli::MEASURES;
use crate::output::number::{percent, short};
use crate::output::table::{Align, Table, list};

/// The name of a measure in JSON and in `--limit`.
pub(super) fn name(measure: Measure) -> &'static str {
    MEASURES.iter().find(|(_, known)| *known == measure).map_or("", |(name, _)| name)
}

#[derive(Serialize)]
pub(super) struct Report<'a> {
    best: Best<'a>,
    fixed: Vec<Fixed>,
    by_modes: Vec<Best<'a>>,
    /// No threshold policy costs less.
    threshold_bound: f64,
    markov_bound: Option<f64>,
    /// Only with limits, or if something else than the cost is minimised.
    #[serde(skip_serializing_if = "Option::is_none")]
    limited: Option<Limited<'a>>,
    /// Only with `--sees`.
    #[serde(skip_serializing_if = "Option::is_none")]
    observed: Option<observed::Observed<'a>>,
}

#[derive(Serialize)]
struct Best<'a> {
    modes: &'a [u32],
    thresholds: &'a [usize],
    cost: f64,
    /// Only if the cost is bounded, not exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<[f64; 2]>,
}

#[derive(Serialize)]
struct Fixed {
    robots: u32,
    cost: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<[f64; 2]>,
}

#[derive(Serialize)]
struct Limited<'a> {
    /// What is minimised, and how much of it the best has.
    minimise: &'static str,
    value: f64,
    /// Only if the value is bounded, not exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<[f64; 2]>,
    /// The best without the limits.
    unlimited: Best<'a>,
    limits: Vec<Kept>,
    /// What policies drawn at random reach within the limits on average.
    dual: f64,
    /// Whether the best is proven.
    exact: bool,
    /// Whether no threshold policy within the limits can be better, and what none undercuts.
    proven: bool,
    lower: Option<f64>,
    /// What no policy of any kind within the limits undercuts.
    markov_bound: Option<f64>,
}

/// A limit, what the best policy has, and what a unit of it costs.
#[derive(Serialize)]
struct Kept {
    measure: &'static str,
    at_most: f64,
    reached: f64,
    multiplier: f64,
}

pub(super) fn json<'a>(model: &Model, answer: &'a Answer<'_>) -> Report<'a> {
    let free = &answer.optimum.best;
    let unlimited =
        || Best { modes: &free.modes, thresholds: &free.thresholds, cost: free.measures.cost, interval: free.interval };
    let limited = answer.constrained.as_ref();
    Report {
        best: limited.map_or_else(unlimited, |constrained| Best {
            modes: &constrained.best.modes,
            thresholds: &constrained.best.thresholds,
            cost: if answer.minimise.measure == Measure::Cost {
                constrained.value
            } else {
                constrained.best.averages.cost(model.costs())
            },
            interval: constrained.interval.filter(|_| answer.minimise.measure == Measure::Cost),
        }),
        fixed: answer.optimum.fixed.iter().map(fixed).collect(),
        by_modes: answer
            .optimum
            .by_modes
            .iter()
            .map(|set| Best { modes: &set.modes, thresholds: &set.thresholds, cost: set.cost, interval: set.interval })
            .collect(),
        threshold_bound: free.lower,
        markov_bound: answer.bound.as_ref().map(|bound| bound.lower),
        limited: limited.map(|constrained| Limited {
            minimise: answer.minimise.name,
            value: constrained.value,
            interval: constrained.interval,
            unlimited: unlimited(),
            limits: kept(model, answer, constrained),
            dual: constrained.dual,
            exact: constrained.exact,
            proven: constrained.is_proven(),
            lower: constrained.lower,
            markov_bound: answer.within,
        }),
        observed: answer.observed.as_ref().map(observed::json),
    }
}

fn fixed(fixed: &control::optimise::Fixed) -> Fixed {
    Fixed { robots: fixed.robots, cost: fixed.cost, interval: fixed.interval }
}

fn kept(model: &Model, answer: &Answer<'_>, constrained: &Constrained) -> Vec<Kept> {
    let limits = answer.limits.iter().zip(&constrained.multipliers);
    let kept = limits.map(|(text, multiplier)| Kept {
        measure: text.name,
        at_most: text.limit.at_most,
        reached: text.limit.measure.of(&constrained.best.averages, model.costs()),
        multiplier: *multiplier,
    });
    kept.collect()
}

pub(super) fn text(model: &Model, answer: &Answer<'_>) -> String {
    let report = json(model, answer);
    let mut text = list(&facts(model, answer, &report));
    if let Some(limited) = report.limited.as_ref().filter(|limited| !limited.limits.is_empty()) {
        text.push_str(&format!("\n{}{}", limits(limited).render(), price(limited.minimise)));
    }
    if let Some(found) = &answer.observed {
        text.push_str(&format!("\n{}", observed::table(found).render()));
    }
    text.push_str(&format!("\n{}", sets(&report).render()));
    text
}

fn facts(model: &Model, answer: &Answer<'_>, report: &Report<'_>) -> Vec<(&'static str, String)> {
    let best = &report.best;
    let mut facts = vec![("best", words(best.modes, best.thresholds, model.buffer()))];
    match &report.limited {
        Some(limited) => facts.extend(limited_facts(model, best, limited)),
        None => facts.extend(free_facts(model, answer, report)),
    }
    if let Some(found) = &answer.observed {
        let seen = observed::fact(found, answer.optimum.best.measures.cost);
        facts.push(("seeing more", seen));
    }
    facts
}

fn free_facts(model: &Model, answer: &Answer<'_>, report: &Report<'_>) -> Vec<(&'static str, String)> {
    let best = &report.best;
    let mut facts = vec![("cost", between(best.cost, best.interval))];
    facts.extend(saved(model, answer, report).map(|saved| ("saved", saved)));
    if !answer.optimum.best.is_proven() {
        facts.push(("proven", not_proven(best, answer.optimum.best.lower)));
    }
    if let Some(bound) = report.markov_bound {
        let with = if answer.modes.is_some() { ", with any of the model's numbers of robots" } else { "" };
        let certain = if best.interval.is_some() { "at most " } else { "" };
        let gap = percent(best.interval.map_or(best.cost, |[_, high]| high) / bound - 1.0);
        let words = format!("no policy of any kind costs less{with}; the best costs {certain}{gap} more");
        facts.push(("bound", format!("{}: {words}", short(bound))));
    }
    facts
}

/// How near to the best the one that was found is known to be.
fn not_proven(best: &Best<'_>, lower: f64) -> String {
    let highest = best.interval.map_or(best.cost, |[_, high]| high);
    let gap = if lower > 0.0 {
        format!("; the best found costs at most {} more", percent(highest / lower - 1.0))
    } else {
        String::new()
    };
    format!("no threshold policy costs less than {}{gap}", short(lower))
}

/// What is saved against the best fixed number of robots that could have been chosen.
fn saved(model: &Model, answer: &Answer<'_>, report: &Report<'_>) -> Option<String> {
    let best = &report.best;
    let allowed = |fixed: &&Fixed| answer.modes.is_none_or(|modes| modes.contains(&fixed.robots));
    let least = report.fixed.iter().filter(allowed).min_by(|a, b| a.cost.total_cmp(&b.cost));
    let fixed = least.filter(|fixed| fixed.cost > best.cost)?;
    let worst = best.interval.map_or(best.cost, |[_, high]| high);
    let least = fixed.interval.map_or(fixed.cost, |[low, _]| low);
    let certain = if fixed.interval.or(best.interval).is_some() { "at least " } else { "" };
    let (saved, always) = (percent(1.0 - worst / least), words(&[fixed.robots], &[], model.buffer()));
    Some(format!("{certain}{saved} against always {always}, which costs {certain}{}", short(least)))
}

/// A value, or what it lies between.
fn between(value: f64, interval: Option<[f64; 2]>) -> String {
    interval.map_or_else(|| short(value), |[low, high]| format!("between {} and {}", short(low), short(high)))
}

/// What is said of the best within limits, or of the least of another measure.
fn limited_facts(model: &Model, best: &Best<'_>, limited: &Limited<'_>) -> Vec<(&'static str, String)> {
    let mut facts = vec![(limited.minimise, between(limited.value, limited.interval))];
    if limited.minimise != "cost" {
        facts.push(("cost", short(best.cost)));
    }
    let within = if limited.limits.is_empty() { "" } else { " within the limits" };
    facts.push(("proven", proof(limited, within)));
    if let Some(bound) = limited.markov_bound {
        let more = percent(limited.value / bound - 1.0);
        let gap = if bound > 0.0 { format!("; the best has {more} more") } else { String::new() };
        facts.push(("bound", format!("{}: no policy of any kind{within} has less{gap}", short(bound))));
    }
    if limited.dual < limited.value * (1.0 - 1e-9) {
        let words = "what policies drawn at random reach within the limits on average";
        facts.push(("mixed", format!("{}: {words}", short(limited.dual))));
    }
    let free = &limited.unlimited;
    let policy = words(free.modes, free.thresholds, model.buffer());
    facts.push(("least cost of all", format!("{}: {policy}", short(free.cost))));
    facts
}

/// Whether the best is the best, and how that is known.
fn proof(limited: &Limited<'_>, within: &str) -> String {
    match limited.lower {
        _ if limited.exact => "yes, all threshold policies were tried".to_string(),
        Some(_) if limited.proven => "yes, by branch and bound".to_string(),
        Some(lower) => format!("no; no threshold policy{within} has less than {}", short(lower)),
        None => "no; the search found no better".to_string(),
    }
}

/// What the last column means.
fn price(minimise: &str) -> String {
    format!(
        "The price is by how much {minimise} would fall per unit by which the limit is raised, for a little and if policies may be\n\
         drawn at random; 0 if the limit does not bind.\n"
    )
}

/// "3 robots up to 2 pages, then 1".
pub(super) fn words(modes: &[u32], thresholds: &[usize], buffer: usize) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (mode, threshold) in modes.iter().zip(thresholds.iter().chain([&buffer])) {
        let then = if parts.is_empty() { "" } else { "then " };
        let pages = if *threshold == 1 { "page" } else { "pages" };
        let until = if *threshold < buffer { format!(" up to {threshold} {pages}") } else { String::new() };
        let robots = match (parts.is_empty(), mode) {
            (true, 1) => " robot",
            (true, _) => " robots",
            _ => "",
        };
        parts.push(format!("{then}{mode}{robots}{until}"));
    }
    parts.join(", ")
}

fn limits(limited: &Limited<'_>) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new(&[("limit", Left), ("at most", Right), ("reached", Right), ("price", Right)]);
    for kept in &limited.limits {
        table.row([kept.measure.to_string(), short(kept.at_most), short(kept.reached), short(kept.multiplier)]);
    }
    table
}

fn sets(report: &Report<'_>) -> Table {
    use Align::{Left, Right};
    let cost = if report.limited.is_some() { "cost without limits" } else { "cost" };
    let bounded = report.fixed.iter().any(|fixed| fixed.interval.is_some())
        || report.by_modes.iter().any(|set| set.interval.is_some());
    let columns = [("robots", Left), ("thresholds", Left), (cost, Right), ("+-", Right)];
    let mut table = Table::new(&columns[..if bounded { 4 } else { 3 }]);
    let mut row = |robots: String, thresholds: String, cost: f64, interval: Option<[f64; 2]>| {
        let within = interval.map_or("0".to_string(), |[low, high]| short((high - low) / 2.0));
        if bounded {
            table.row([robots, thresholds, short(cost), within]);
        } else {
            table.row([robots, thresholds, short(cost)]);
        }
    };
    for fixed in &report.fixed {
        row(fixed.robots.to_string(), "-".to_string(), fixed.cost, fixed.interval);
    }
    for set in &report.by_modes {
        let or = set.modes.iter().map(u32::to_string).collect::<Vec<_>>().join(" or ");
        let thresholds = set.thresholds.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        row(or, thresholds, set.cost, set.interval);
    }
    table
}
