//! All that is known of one page: visits, changes, how often it changes, and when it is visited next.

use axum::extract::State;
use maud::{Markup, html};
use serde::Deserialize;
use store::{Outcome, Timestamp, Visit};

use super::layout::{Frame, Tab, page};
use super::search::badge;
use super::versions::{self, Version, address, versions};
use super::{Asked, Desk, Problem, Visitor};
use crate::commands::page::{Known, known, report};
use crate::commands::reading::now;
use crate::output::age::relative;
use crate::output::foreign::{printable, shortened};
use crate::output::number::grouped;

/// Width and height of the timeline, and the place of its line.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 64.0;
const LINE: f64 = 30.0;
const MARGIN: f64 = 10.0;

/// Which page.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Wanted {
    id: Option<u32>,
    url: String,
}

/// The page about a page.
pub(super) async fn show(
    State(desk): State<Desk>,
    visitor: Visitor,
    Asked(wanted): Asked<Wanted>,
) -> Result<Markup, Problem> {
    let settings = desk.config().fleet.clone();
    desk.read(move |shelf| {
        let page = versions::page(shelf, wanted.id, &wanted.url)?;
        let versions = versions(shelf, &page)?;
        let known = known(&shelf.folder, page, &settings, now())?;
        Ok(view(&visitor, &known, &versions))
    })
    .await
}

fn view(visitor: &Visitor, known: &Known, versions: &[Version]) -> Markup {
    let (about, now) = (&known.page, known.now);
    let title = about.values.title.as_deref().filter(|title| !title.trim().is_empty()).unwrap_or(&about.url);
    let contents = html! {
        h1 { (shortened(title, 150)) }
        p .address { a href={ "/go?id=" (about.id.0) } { (printable(&about.url)) } }
        @if let Some(checked) = about.values.checked_at { p { (badge(checked, known.belief.current, now)) } }
        (timeline(&known.visits, now))
        h2 { "What is known" }
        table .facts {
            tbody { @for (name, words) in report::facts(known) { tr { th scope="row" { (name) } td { (words) } } } }
        }
        h2 { "Versions" }
        (version_list(known, versions))
        h2 { "Visits" }
        (visit_table(&known.visits, now))
    };
    page(&Frame { visitor, tab: Tab::Other, title: &shortened(title, 80), scripts: &[] }, contents)
}

fn version_list(known: &Known, versions: &[Version]) -> Markup {
    let (id, now) = (known.page.id, known.now);
    let older = versions.iter().skip(1).map(Some).chain([None]);
    html! {
        @if versions.is_empty() { p { "There is no copy." } }
        ul .versions {
            @for (version, older) in versions.iter().zip(older) {
                li {
                    (moment(version.at, now)) " · "
                    a href=(address("/cached", id, &[("at", version.at)])) { "Copy" }
                    @if let Some(older) = older {
                        " · " a href=(address("/diff", id, &[("from", older.at), ("to", version.at)])) { "What changed" }
                    }
                }
            }
        }
    }
}

/// How long ago, and when to the second.
fn moment(at: Timestamp, now: Timestamp) -> Markup {
    let exact = at.to_string();
    let second = exact.split('.').next().unwrap_or_default().trim_end_matches('Z').replace('T', " ");
    html! { time datetime=(exact) { (relative(at, now)) ", " span .aside { (second) " UTC" } } }
}

fn visit_table(visits: &[Visit], now: Timestamp) -> Markup {
    html! {
        @if visits.is_empty() { p { "It has not been visited yet." } }
        @else {
            div .scroll tabindex="0" role="region" aria-label="Visits" {
                table {
                    thead {
                        tr { th scope="col" { "When" } th scope="col" { "Found" } th .number scope="col" { "Status" } th .number scope="col" { "Bytes" } th .number scope="col" { "Milliseconds" } }
                    }
                    tbody {
                        @for visit in visits {
                            tr {
                                td { (moment(visit.at, now)) }
                                td { (visit.outcome.name()) }
                                td .number { @if let Some(status) = visit.status { (status) } }
                                td .number { (grouped(visit.bytes as usize)) }
                                td .number { (grouped(visit.milliseconds as usize)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// What a visit is drawn as.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Change,
    Same,
    Trouble,
}

impl Sign {
    fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::New | Outcome::Changed => Self::Change,
            Outcome::Unchanged | Outcome::NotModified | Outcome::Duplicate | Outcome::Redirect => Self::Same,
            _ => Self::Trouble,
        }
    }
}

/// Visits on a line of time, with those that found a change above it.
fn timeline(visits: &[Visit], now: Timestamp) -> Markup {
    let Some(first) = visits.iter().map(|visit| visit.at).min() else { return html! {} };
    let span = (now.seconds() - first.seconds()).max(1.0);
    let x = |at: Timestamp| {
        let share = ((at.seconds() - first.seconds()) / span).clamp(0.0, 1.0);
        format!("{:.1}", MARGIN + share * (WIDTH - 2.0 * MARGIN))
    };
    let changes = visits.iter().filter(|visit| Sign::of(visit.outcome) == Sign::Change).count();
    let said = format!("{} visits since {}, of which {changes} found a change", visits.len(), relative(first, now));
    let bottom = HEIGHT - 4.0;
    html! {
        figure {
            svg .timeline viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label=(said) {
                line .axis x1=(MARGIN) x2=(WIDTH - MARGIN) y1=(LINE) y2=(LINE) {}
                @for visit in visits { (mark(visit, &x(visit.at), now)) }
                text x=(MARGIN) y=(bottom) { (relative(first, now)) }
                text x=(WIDTH - MARGIN) y=(bottom) text-anchor="end" { "now" }
            }
            figcaption .aside { "Filled circles are visits that found a change, short lines those that found none, crosses those that failed." }
        }
    }
}

fn mark(visit: &Visit, x: &str, now: Timestamp) -> Markup {
    let said = format!("{}, {}", visit.outcome.name(), relative(visit.at, now));
    let at = format!("translate({x} {LINE})");
    html! {
        @match Sign::of(visit.outcome) {
            Sign::Change => circle .change cx=(x) cy=(LINE - 12.0) r="5" { title { (said) } },
            Sign::Same => line .same x1=(x) x2=(x) y1=(LINE - 6.0) y2=(LINE + 6.0) { title { (said) } },
            Sign::Trouble => path .trouble transform=(at) d="M-4 -4L4 4M-4 4L4 -4" { title { (said) } },
        }
    }
}
