//! What the page looks like.

use maud::{Markup, html};

use super::budgets::{Stale, Staleness};
use super::thresholds::Thresholds;
use super::{Answer, Settings};
use crate::output::number::{grouped, percent, short};
use crate::server::chart::{Across, Chart, Curve, draw};
use crate::server::layout::csrf;
use crate::server::{Frame, Tab, Visitor, page};

/// A part of a point of the curve.
type Part = fn(&Stale) -> Option<f64>;

/// The whole page.
pub(super) fn whole(visitor: &Visitor, answer: &Answer, did: &str) -> Markup {
    let told = match did {
        "applied" => Some("The settings were applied, and will be at the next start."),
        "forgot" => Some("The settings are those of file, environment and flags again."),
        _ => None,
    };
    let contents = html! {
        h1 { "What if" }
        p { "What other settings would do with the pages and the indexer there are." }
        @if let Some(told) = told { p role="status" { (told) } }
        (form(&answer.wanted))
        div #answer { (part(visitor, answer)) }
    };
    page(&Frame { visitor, tab: Tab::WhatIf, title: "What if", scripts: &["what-if.js"] }, contents)
}

/// The settings to be asked about. The script puts sliders beside the numbers.
fn form(wanted: &Settings) -> Markup {
    html! {
        form #what-if .stack action="/what-if" {
            label for="budget" { "Requests per second" }
            input #budget type="number" name="budget" min="0.000001" max="1000000" step="any" value=[wanted.budget] data-scale="log";
            label for="robots" { "Robots" }
            input #robots type="number" name="robots" min="1" max="10000" value=(wanted.robots) data-most="64";
            label for="decide" { "This number of robots" }
            select #decide name="decide" {
                option value="auto" selected[!wanted.fixed] { "is the most; the buffer decides" }
                option value="fixed" selected[wanted.fixed] { "is always at work" }
            }
            label for="buffer" { "Places of the buffer" }
            input #buffer type="number" name="buffer" min="1" max="100000" value=(wanted.buffer) data-most="512";
            button { "Show" }
        }
    }
}

/// What changes with the settings.
pub(super) fn part(visitor: &Visitor, answer: &Answer) -> Markup {
    html! {
        @match &answer.staleness {
            Some(staleness) => (budgets(answer, staleness)),
            None => { p .aside { "No page is kept fresh yet, so nothing can be said about budgets." } }
        }
        @match &answer.thresholds {
            Some(thresholds) => (robots(thresholds)),
            None => {
                p .aside {
                    "Nothing can be said about robots and buffer: the model has not been fitted yet (that takes 200 documents), or there are too many of both; "
                    code { "oriole control optimise" } " takes its time."
                }
            }
        }
        (apply(visitor, answer))
    }
}

fn per_second(budget: Option<f64>) -> String {
    budget.map_or_else(
        || "no limit of requests".to_owned(),
        |budget| format!("{} requests per second", short((budget * 1e4).round() / 1e4)),
    )
}

fn share(part: Option<f64>) -> String {
    part.map_or_else(|| "unknown".to_owned(), percent)
}

fn budgets(answer: &Answer, staleness: &Staleness) -> Markup {
    let curve = |name, class, part: Part| {
        let points =
            staleness.curve.iter().filter_map(|point| Some((point.budget?, part(point).map(|part| 100.0 * part))));
        Curve { name, class, points: points.collect(), steps: false }
    };
    let curves = vec![
        curve("at best", "s1", |point| point.best),
        curve("uniform visits", "s2", |point| point.uniform),
        curve("visits in proportion to changes", "s3", |point| point.proportional),
    ];
    let mut uprights: Vec<(f64, String)> =
        answer.wanted.budget.map(|budget| (budget, "asked about".to_owned())).into_iter().collect();
    if answer.current.budget != answer.wanted.budget {
        uprights.extend(answer.current.budget.map(|budget| (budget, "now".to_owned())));
    }
    let (now, then) = (&staleness.current, &staleness.wanted);
    let summary = format!(
        "With {} the copies are stale {} at best, {} if all pages are visited equally often. Now ({}) it is {} at best. From {} of {} pages that are kept fresh.",
        per_second(then.budget),
        share(then.best),
        share(then.uniform),
        per_second(now.budget),
        share(now.best),
        grouped(staleness.sampled),
        grouped(staleness.pages),
    );
    let (title, y_label) = ("How stale at which budget", "stale, by weight (%)");
    let x = Across::Logarithmic("requests per second");
    draw(&Chart { title, summary, x, y_label, curves, uprights, levels: Vec::new() })
}

fn robots(thresholds: &Thresholds) -> Markup {
    let Thresholds { robots, buffer, curve, best, fixed, always } = thresholds;
    let points = curve.iter().map(|(documents, cost)| (*documents as f64, Some(*cost))).collect();
    let curves = vec![Curve { name: "cost with a threshold", class: "s0", points, steps: false }];
    let cheapest = fixed.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    let levels = cheapest.map(|(robots, cost)| (*cost, format!("always {robots}")));
    let summary = format!(
        "{robots} robots while there are at most so many documents in a buffer of {buffer} places, one robot above that. Least cost: {} with a threshold of {}; never fewer robots: {}. \
         The cost weighs losses, waiting, robots and an idle indexer as the configuration says; robots finish what they have begun.",
        short((best.1 * 100.0).round() / 100.0),
        best.0,
        short((always * 100.0).round() / 100.0),
    );
    let x = Across::Linear("documents up to which all robots are wanted");
    let title = "What a threshold costs";
    draw(&Chart {
        title,
        summary,
        x,
        y_label: "cost",
        curves,
        uprights: Vec::new(),
        levels: levels.into_iter().collect(),
    })
}

fn apply(visitor: &Visitor, answer: &Answer) -> Markup {
    let Settings { budget, robots, fixed, buffer } = answer.wanted;
    let is_applied = answer.applied != crate::engine::Applied::default();
    let decided = if fixed { format!("always {robots} robots") } else { format!("up to {robots} robots") };
    html! {
        h2 { "Apply" }
        @if !answer.running {
            p .aside { "No engine runs here to which this could be applied. " code { "oriole run" } " serves these pages, too." }
        } @else {
            form method="post" action="/what-if" {
                (csrf(visitor))
                input type="hidden" name="budget" value=(budget.map_or_else(String::new, |budget| budget.to_string()));
                input type="hidden" name="robots" value=(robots);
                input type="hidden" name="decide" value=(if fixed { "fixed" } else { "auto" });
                input type="hidden" name="buffer" value=(buffer);
                p { (per_second(budget)) ", " (decided) ", " (grouped(buffer)) " places." }
                button { "Apply to the running engine" }
            }
            p .aside {
                "Budget and robots are obeyed at once, the places of the buffer from the next start on. All are remembered and go before file and environment; flags go before them."
            }
            @if let Some(places) = answer.places.filter(|places| *places != answer.current.buffer) {
                p { "The buffer has " (grouped(places)) " places now and " (grouped(answer.current.buffer)) " from the next start on." }
            }
            @if is_applied {
                form method="post" action="/what-if" {
                    (csrf(visitor))
                    button name="did" value="forget" { "Back to file, environment and flags" }
                }
            }
        }
    }
}
