//! What the page looks like.

use maud::{Markup, html};

use super::budgets::{Stale, Staleness};
use super::thresholds::Thresholds;
use super::{Answer, Basis, Settings};
use crate::output::age::length;
use crate::output::number::{grouped, percent, short};
use crate::server::chart::{Across, Chart, Curve, PER_CENT, draw};
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
        (basis(answer))
        @if let Some(told) = told { p role="status" { (told) } }
        (form(&answer.wanted))
        div #answer { (part(visitor, answer)) }
    };
    page(&Frame { visitor, tab: Tab::WhatIf, title: "What if", scripts: &["what-if.js"] }, contents)
}

/// Which settings are taken for the present ones, where no engine says so.
fn basis(answer: &Answer) -> Markup {
    let Settings { budget, robots, fixed, buffer } = answer.current;
    let settings = format!(
        "{}, {} robots, {} places, a page at most every {}",
        per_second(budget),
        if fixed { format!("always {robots}") } else { format!("up to {robots}") },
        grouped(buffer),
        interval(answer.least_revisit_seconds),
    );
    match answer.basis {
        Basis::Engine => html! {},
        Basis::LastCrawl => html! {
            p .aside { "No engine runs here. The present settings are those with which this folder was last crawled: " (settings) "." }
        },
        Basis::Configuration => html! {
            p .aside {
                "No engine runs here, and it is not known with which settings this folder was crawled. Assumed are those of the configuration, or the usual ones: "
                (settings) ". If it was crawled with others, what follows does not fit."
            }
        },
    }
}

fn interval(seconds: f64) -> String {
    if seconds < 120.0 { format!("{} s", short(seconds)) } else { length(seconds) }
}

/// The settings to be asked about. The script puts sliders beside the numbers.
fn form(wanted: &Settings) -> Markup {
    html! {
        form #what-if .settings action="/what-if" {
            div {
                label for="budget" { "Requests per second" }
                input #budget type="number" name="budget" min="0.000001" max="1000000" step="any" value=[wanted.budget] data-scale="log";
            }
            div {
                label for="robots" { "Robots" }
                input #robots type="number" name="robots" min="1" max="10000" value=(wanted.robots) data-most="64";
            }
            div {
                label for="buffer" { "Places in the buffer" }
                input #buffer type="number" name="buffer" min="1" max="100000" value=(wanted.buffer) data-most="512";
            }
            div {
                label for="decide" { "This number of robots" }
                select #decide name="decide" {
                    option value="auto" selected[!wanted.fixed] { "is the most" }
                    option value="fixed" selected[wanted.fixed] { "is always at work" }
                }
                button { "Show" }
            }
        }
    }
}

/// What changes with the settings.
pub(super) fn part(visitor: &Visitor, answer: &Answer) -> Markup {
    html! {
        @if let Some(staleness) = &answer.staleness { (outcome(staleness)) }
        div .charts {
            @match &answer.staleness {
                Some(staleness) => (budgets(answer, staleness)),
                None => { p .aside { "No page is kept fresh yet, so nothing can be said about budgets." } }
            }
            @match &answer.thresholds {
                Some(thresholds) => (robots(thresholds)),
                None => (unsolved(answer.has_model)),
            }
        }
        (apply(visitor, answer))
    }
}

/// Why nothing is said about robots and buffer.
fn unsolved(has_model: bool) -> Markup {
    html! {
        p .aside {
            "Nothing can be said about robots and buffer: "
            @if has_model {
                "there are too many of both to be quick about it; " code { "oriole control optimise" } " takes its time."
            } @else {
                "the model of robots and indexer has not been fitted yet (that takes 200 documents and the time " code { "control.refit" } " or more; with the rule " code { "aimd" } " it is not done)."
            }
        }
    }
}

/// How stale copies would be, in large letters.
fn outcome(staleness: &Staleness) -> Markup {
    let (now, then) = (&staleness.current, &staleness.wanted);
    let tiles = [
        ("Stale at best, without hints", then.best, now.best),
        ("Stale if all are visited equally often", then.uniform, now.uniform),
        ("Stale if visited as often as they change", then.proportional, now.proportional),
    ];
    html! {
        dl .tiles {
            @for (name, then, now) in tiles {
                div { dt { (name) } dd { strong { (share(then)) } " " span .aside { "with the present budget " (share(now)) } } }
            }
        }
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
        curve("visited as often as they change", "s3", |point| point.proportional),
        curve("all visited equally often", "s2", |point| point.uniform),
        curve("least possible without hints", "s1", |point| point.best),
    ];
    let mark = |budget: Option<f64>, words: &str| budget.map(|budget| (budget, words.to_owned()));
    let asked = mark(answer.wanted.budget, "asked about").filter(|_| answer.wanted.budget != answer.current.budget);
    let uprights = mark(answer.current.budget, "now").into_iter().chain(asked).collect();
    let summary = format!(
        "With {} the copies are stale {} at best. From {} of {} pages that are kept fresh.",
        per_second(staleness.wanted.budget),
        share(staleness.wanted.best),
        grouped(staleness.sampled),
        grouped(staleness.pages),
    );
    let (title, y_label) = ("What a budget buys", "Pages whose copy is out of date, by weight");
    let x = Across::Logarithmic("requests per second");
    draw(&Chart { title, summary, x, y_label, unit: PER_CENT, curves, uprights, levels: Vec::new() })
}

fn robots(thresholds: &Thresholds) -> Markup {
    let Thresholds { robots, buffer, curve, best, fixed, always } = thresholds;
    let points = curve.iter().map(|(documents, cost)| (*documents as f64, Some(*cost))).collect();
    let curves = vec![Curve { name: "cost with a threshold", class: "s0", points, steps: false }];
    let cheapest = fixed.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    let levels = cheapest
        .map(|(robots, cost)| (*cost, format!("always {robots} {}", if *robots == 1 { "robot" } else { "robots" })));
    let summary = format!(
        "A threshold: {robots} robots while at most so many documents wait in a buffer of {buffer}, else one. Least cost: {} with a threshold of {}; never fewer robots: {}. \
         The cost counts losses, waiting, robots and an idle indexer as [control] in the configuration says; it has no unit, and less is better.",
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
        y_label: "Cost",
        unit: "",
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
