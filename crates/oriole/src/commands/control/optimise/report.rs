//! The answer on the terminal and in JSON.

use control::Model;
use control::optimise::{Constrained, Measure};
use serde::Serialize;

use super::Answer;
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
    markov_bound: Option<f64>,
    /// Only with limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    limited: Option<Limited<'a>>,
}

#[derive(Serialize)]
struct Best<'a> {
    modes: &'a [u32],
    thresholds: &'a [usize],
    cost: f64,
}

#[derive(Serialize)]
struct Fixed {
    robots: u32,
    cost: f64,
}

#[derive(Serialize)]
struct Limited<'a> {
    /// The best without the limits.
    unlimited: Best<'a>,
    limits: Vec<Kept>,
    /// What policies drawn at random reach within the limits on average.
    dual: f64,
    /// Whether all threshold policies were tried.
    exact: bool,
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
    let unlimited = || Best { modes: &free.modes, thresholds: &free.thresholds, cost: free.measures.cost };
    let limited = answer.constrained.as_ref();
    Report {
        best: limited.map_or_else(unlimited, |constrained| Best {
            modes: &constrained.best.modes,
            thresholds: &constrained.best.thresholds,
            cost: constrained.value,
        }),
        fixed: answer.optimum.fixed.iter().map(|(robots, cost)| Fixed { robots: *robots, cost: *cost }).collect(),
        by_modes: answer
            .optimum
            .by_modes
            .iter()
            .map(|set| Best { modes: &set.modes, thresholds: &set.thresholds, cost: set.cost })
            .collect(),
        markov_bound: answer.bound.as_ref().map(|bound| bound.lower),
        limited: limited.map(|constrained| Limited {
            unlimited: unlimited(),
            limits: kept(model, answer, constrained),
            dual: constrained.dual,
            exact: constrained.exact,
        }),
    }
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
    if let Some(limited) = &report.limited {
        text.push('\n');
        text.push_str(&limits(limited).render());
    }
    text.push('\n');
    text.push_str(&sets(&report).render());
    text
}

fn facts(model: &Model, answer: &Answer<'_>, report: &Report<'_>) -> Vec<(&'static str, String)> {
    let best = &report.best;
    let mut facts = vec![("best", words(best.modes, best.thresholds, model.buffer())), ("cost", short(best.cost))];
    let least = report.fixed.iter().min_by(|a, b| a.cost.total_cmp(&b.cost));
    if let Some(fixed) = least.filter(|fixed| fixed.cost > best.cost) {
        let (saved, always) = (percent(1.0 - best.cost / fixed.cost), words(&[fixed.robots], &[], model.buffer()));
        facts.push(("saved", format!("{saved} against always {always}, which costs {}", short(fixed.cost))));
    }
    if let Some(limited) = &report.limited {
        facts.push(("without limits", short(limited.unlimited.cost)));
    } else if answer.optimum.best.lower < best.cost * (1.0 - 1e-9) {
        facts.push(("proven", format!("no threshold policy costs less than {}", short(answer.optimum.best.lower))));
    }
    if let Some(bound) = report.markov_bound {
        let gap = percent(best.cost / bound - 1.0);
        facts.push(("bound", format!("{}: no policy of any kind costs less; the best costs {gap} more", short(bound))));
    }
    facts
}

/// "3 robots up to 2 pages, then 1".
fn words(modes: &[u32], thresholds: &[usize], buffer: usize) -> String {
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
    let mut table = Table::new(&[("robots", Left), ("thresholds", Left), (cost, Right)]);
    for fixed in &report.fixed {
        table.row([fixed.robots.to_string(), "-".to_string(), short(fixed.cost)]);
    }
    for set in &report.by_modes {
        let or = set.modes.iter().map(u32::to_string).collect::<Vec<_>>().join(" or ");
        let thresholds = set.thresholds.iter().map(usize::to_string).collect::<Vec<_>>().join(",");
        table.row([or, thresholds, short(set.cost)]);
    }
    table
}
