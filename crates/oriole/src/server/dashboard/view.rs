//! What the dashboard looks like.

use maud::{Markup, html};
use serde_json::Value;

use super::next::Line;
use super::{Figures, LastCrawl, Seen};
use crate::commands::reading;
use crate::engine::{Point, Range};
use crate::output::age::{length, relative};
use crate::output::foreign::{printable, shortened};
use crate::output::number::{grouped, percent, short};
use crate::server::chart::{Across, Chart, Curve, PER_CENT, draw};
use crate::server::{Frame, Tab, Visitor, page};

/// A figure of a point.
type Figure = fn(&Point) -> Option<f64>;

/// The whole page.
pub(super) fn whole(visitor: &Visitor, seen: &Seen) -> Markup {
    let contents = html! {
        div .head { h1 { "Dashboard" } (ranges(seen.range)) }
        // Read aloud now and then by the script, not at every change.
        p #said .hidden role="status" aria-live="polite" {}
        div #live data-range=(name(seen.range)) { (part(seen)) }
    };
    page(&Frame { visitor, tab: Tab::Dashboard, title: "Dashboard", scripts: &["dashboard.js"] }, contents)
}

/// What changes all the time.
pub(super) fn part(seen: &Seen) -> Markup {
    let figures = &seen.figures;
    html! {
        p .aside { (standing(figures)) }
        @if figures.is_running() { (tiles(figures)) } @else { (remembered(figures, seen.last.as_ref())) }
        div .first { (staleness(seen)) }
        div .charts { (requests(seen)) (buffer(seen)) (robots(figures)) (model(figures)) }
        (sites(&seen.sites, figures.is_running()))
        (next(figures, &seen.next))
    }
}

/// Whether an engine runs, in a sentence.
fn standing(figures: &Figures) -> String {
    let since = figures.text("started_at").and_then(store::Timestamp::parse);
    let since = since.map_or_else(String::new, |at| format!(", started {}", relative(at, reading::now())));
    match (figures.here, figures.is_running()) {
        (true, _) => format!("The engine is running{since}."),
        (false, true) => format!("The engine is running in another process{since}; this is what it says of itself."),
        (false, false) => "No engine is running: nothing is visited. This is what the data folder tells.".to_owned(),
    }
}

fn name(range: Range) -> &'static str {
    match range {
        Range::Recent => "recent",
        Range::Day => "day",
        Range::Month => "month",
    }
}

fn ranges(shown: Range) -> Markup {
    let all = [(Range::Recent, "Last 15 minutes"), (Range::Day, "Last day"), (Range::Month, "Last month")];
    html! {
        nav .pages aria-label="Time shown" {
            @for (range, words) in all {
                a href=(format!("/dashboard?range={}", name(range))) aria-current=[(range == shown).then_some("true")] { (words) }
            }
        }
    }
}

/// The figures that matter most.
fn tiles(figures: &Figures) -> Markup {
    let budget =
        figures.budget().map_or_else(|| "unlimited".to_owned(), |budget| format!("{}/s", short(rounded(budget))));
    shown(&[
        (
            "Stale now",
            figures.share("stale_estimate"),
            format!("at best {} without hints", figures.share("stale_bound")),
        ),
        ("Requests", format!("{}/s", figures.digits("requests_per_second")), format!("allowed {budget}")),
        ("Robots at work", mean(figures), format!("mean, of {}", figures.whole("robots_max"))),
        ("Buffer", figures.whole("buffer_occupancy"), format!("of {} places", figures.whole("buffer_capacity"))),
        ("Pages", figures.whole("pages_known"), format!("{} with a copy", figures.whole("pages_fetched"))),
        ("Found changed", figures.whole("visits_changed"), "since the start".to_owned()),
    ])
}

/// Robots at work in the last seconds.
fn mean(figures: &Figures) -> String {
    figures.number("robots_mean").map_or_else(|| figures.whole("robots_active"), |mean| short(rounded(mean)))
}

/// What is known while nothing is visited.
fn remembered(figures: &Figures, last: Option<&LastCrawl>) -> Markup {
    let when = last.map_or_else(|| "unknown".to_owned(), |last| relative(last.at, reading::now()));
    let with = last.map_or_else(String::new, |last| match last.budget {
        Some(budget) => format!("with up to {} requests/s", short(rounded(budget))),
        None => "without a limit of requests".to_owned(),
    });
    shown(&[
        ("Last crawled", when, with),
        ("Pages", figures.whole("pages_known"), format!("{} with a copy", figures.whole("pages_fetched"))),
        ("Searchable", figures.whole("pages_indexed"), "pages".to_owned()),
        ("Failed", figures.whole("pages_failed"), "pages".to_owned()),
    ])
}

/// Figures in large letters: name, figure, and what belongs to it.
fn shown(tiles: &[(&str, String, String)]) -> Markup {
    html! {
        dl .tiles {
            @for (name, value, aside) in tiles {
                div { dt { (name) } dd { strong { (value) } " " span .aside { (aside) } } }
            }
        }
    }
}

fn rounded(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

fn curve<'a>(name: &'a str, class: &'a str, points: &[Point], factor: f64, figure: Figure) -> Curve<'a> {
    let points = points.iter().map(|point| (point.at, figure(point).map(|value| value * factor))).collect();
    Curve { name, class, points, steps: false }
}

fn now() -> Across<'static> {
    Across::Time { now: reading::now().seconds() }
}

fn staleness(seen: &Seen) -> Markup {
    let (figures, points) = (&seen.figures, &seen.points);
    let curves = vec![
        curve("visited as often as they change", "s3", points, 100.0, |point| point.proportional),
        curve("all visited equally often", "s2", points, 100.0, |point| point.uniform),
        curve("now, estimated", "s0", points, 100.0, |point| point.stale),
        curve("least possible without hints", "s1", points, 100.0, |point| point.bound),
    ];
    let (title, y_label) = ("How stale the copies are", "Pages whose copy is out of date, by weight");
    let (uprights, levels) = (Vec::new(), Vec::new());
    draw(&Chart { title, summary: verdict(figures), x: now(), y_label, unit: PER_CENT, curves, uprights, levels })
}

/// How near to the least possible it is.
fn verdict(figures: &Figures) -> String {
    let bound = figures.number("stale_bound").filter(|bound| *bound > 0.0);
    let times = |name: &str| Some(format!("{:.2}", figures.number(name)? / bound?));
    let words = times("stale_estimate").zip(times("stale_uniform")).map(|(now, uniform)| {
        format!(
            "Now {now} times the least that is possible with this budget and these pages if nobody tells what has changed; if all were visited equally often it would be {uniform} times. \
             Sitemaps, feeds and other hints can take it below that. "
        )
    });
    words.unwrap_or_default() + "Estimated from what visits have found."
}

fn requests(seen: &Seen) -> Markup {
    let curves = vec![
        curve("requests", "s0", &seen.points, 1.0, |point| point.requests),
        curve("budget", "s1", &seen.points, 1.0, |point| point.budget),
    ];
    let budget = seen.figures.budget();
    let used = seen
        .figures
        .number("requests_per_second")
        .zip(budget)
        .map(|(made, allowed)| format!("{:.0} %", 100.0 * made / allowed));
    let summary = used.map_or_else(String::new, |used| format!("{used} of the budget is used."));
    let (title, y_label, unit) = ("Requests", "Per second", "");
    draw(&Chart { title, summary, x: now(), y_label, unit, curves, uprights: Vec::new(), levels: Vec::new() })
}

/// Where the number of robots changes: documents in the buffer from which on there are so many.
fn thresholds(figures: &Figures) -> Vec<(f64, u64)> {
    let robots: Vec<u64> = figures.list("control/robots").iter().filter_map(Value::as_u64).collect();
    let changes = robots.windows(2).enumerate().filter(|(_, pair)| pair[0] != pair[1]);
    changes.map(|(documents, pair)| (documents as f64 + 1.0, pair[1])).collect()
}

fn buffer(seen: &Seen) -> Markup {
    let curves = vec![
        curve("documents in the buffer", "s0", &seen.points, 1.0, |point| point.buffer),
        curve("robots at work", "s2", &seen.points, 1.0, |point| point.robots),
    ];
    // Far above all that was seen they would leave no room for it.
    let seen_most = seen.points.iter().flat_map(|point| [point.buffer, point.robots]).flatten().fold(1.0, f64::max);
    let levels = thresholds(&seen.figures).into_iter().filter(|(documents, _)| *documents <= 2.0 * seen_most);
    let words = |robots: u64| if robots == 1 { "1 robot".to_owned() } else { format!("{robots} robots") };
    let levels = levels.map(|(documents, robots)| (documents, format!("from here on {}", words(robots))));
    let summary = match seen.figures.text("control/policy") {
        Some(_) => format!("Robots wanted: {}.", policy(&seen.figures)),
        None => "How many robots are best is not known yet: there are as many as may be.".to_owned(),
    };
    let (title, y_label, unit) = ("Buffer and robots", "Documents that wait to be indexed, robots at work", "");
    draw(&Chart { title, summary, x: now(), y_label, unit, curves, uprights: Vec::new(), levels: levels.collect() })
}

/// How many robots are wanted, in words.
fn policy(figures: &Figures) -> String {
    let robots: Vec<u64> = figures.list("control/robots").iter().filter_map(Value::as_u64).collect();
    let mut parts: Vec<String> = Vec::new();
    for (documents, pair) in robots.windows(2).enumerate().filter(|(_, pair)| pair[0] != pair[1]) {
        let waiting = match documents {
            0 => "no document waits".to_owned(),
            1 => "at most 1 document waits".to_owned(),
            _ => format!("at most {documents} documents wait"),
        };
        parts.push(format!("{} while {waiting}", pair[0]));
    }
    let last =
        robots.last().map(|last| if parts.is_empty() { format!("always {last}") } else { format!("else {last}") });
    parts.extend(last);
    parts.join(", ")
}

/// Robots by documents in the buffer, and where the buffer is now.
fn robots(figures: &Figures) -> Markup {
    let wanted = figures.list("control/robots").iter().map(Value::as_f64).enumerate();
    let points: Vec<(f64, Option<f64>)> = wanted.map(|(documents, robots)| (documents as f64, robots)).collect();
    if points.is_empty() {
        return html! {};
    }
    let here = figures.number("buffer_occupancy").map(|documents| (documents, "now".to_owned()));
    let curves = vec![Curve { name: "robots wanted", class: "s2", points, steps: true }];
    let rule = figures.text("control/rule").unwrap_or("unknown");
    let (title, summary) = ("Robots by documents in the buffer", format!("Decided by the rule \"{rule}\"."));
    let x = Across::Linear("documents in the buffer");
    draw(&Chart {
        title,
        summary,
        x,
        y_label: "Robots wanted",
        unit: "",
        curves,
        uprights: here.into_iter().collect(),
        levels: Vec::new(),
    })
}

/// What the model says beside what was measured.
fn model(figures: &Figures) -> Markup {
    type Form = fn(f64) -> String;
    let two: Form = |value| short((value * 100.0).round() / 100.0);
    let rows: [(&str, &str, Form); 7] = [
        ("Documents lost: no place", "p_loss", percent),
        ("Documents obsolete", "p_obsolete", percent),
        ("Time the indexer is idle", "p_starvation", percent),
        ("Seconds until indexed", "sojourn_served", two),
        ("Robots at work", "active_robots", two),
        ("Documents per second", "arrivals_per_second", two),
        ("Cost", "cost", two),
    ];
    let cell = |kind: &str, key: &str, form: Form| {
        figures.number(&format!("control/{kind}/{key}")).map_or_else(|| "unknown".to_owned(), form)
    };
    let time = figures.number("control/measured/seconds").map(length);
    html! {
        section .chart {
            h2 { "The model and what was measured" }
            div .scroll {
                table {
                    thead { tr { th scope="col" { "Robots and buffer" } th .number scope="col" { "Predicted" } th .number scope="col" { "Measured" } } }
                    tbody {
                        @for (words, key, form) in rows {
                            tr { th scope="row" { (words) } td .number { (cell("predicted", key, form)) } td .number { (cell("measured", key, form)) } }
                        }
                    }
                }
            }
            p .aside {
                "Obsolete: left unread, as its page is likely to have changed while it waited. "
                "Cost: what lost and obsolete documents, waiting, robots and an idle indexer cost together, each counted as " code { "[control]" }
                " in the configuration says; it has no unit, and less is better."
            }
            @if let Some(time) = time { p .aside { "Measured over " (time) "; the model is of a steady state." } }
        }
    }
}

fn sites(sites: &[Value], is_running: bool) -> Markup {
    let number = |site: &Value, name: &str| site.get(name).and_then(Value::as_f64);
    let whole = |site: &Value, name: &str| number(site, name).map_or_else(String::new, |value| grouped(value as usize));
    html! {
        h2 { (if is_running { "Sites with most to do" } else { "Sites with most pages" }) }
        @if sites.is_empty() { p .aside { "None is known." } }
        @else {
            div .scroll {
                table .cards {
                    thead { tr {
                        th scope="col" { "Site" } th .number scope="col" { "Pages" } th .number scope="col" { "Waiting" }
                        th .number scope="col" { "Stale" } th .number scope="col" { "Delay" } th scope="col" { "State" }
                    } }
                    tbody {
                        @for site in sites {
                            tr {
                                th scope="row" { (printable(site.get("host").and_then(Value::as_str).unwrap_or_default())) }
                                td .number data-label="Pages" { (whole(site, "pages")) }
                                td .number data-label="Waiting" { (whole(site, "queued")) }
                                td .number data-label="Stale" { (number(site, "stale").map_or_else(String::new, percent)) }
                                td .number data-label="Delay" { (number(site, "delay").map_or_else(String::new, |delay| format!("{} s", short(delay)))) }
                                td data-label="State" { (printable(site.get("state").and_then(Value::as_str).unwrap_or_default())) }
                            }
                        }
                    }
                }
            }
        }
        p { a href="/sites" { "All sites" } }
    }
}

fn next(figures: &Figures, next: &[Line]) -> Markup {
    html! {
        h2 { "What is next, and why" }
        p .aside { (grouped(figures.number("pages_queued").unwrap_or(0.0) as usize)) " pages wait for their first visit or to be tried again." }
        @if next.is_empty() { p .aside { "No page waits to be visited again, or no engine runs here." } }
        @else {
            p .aside {
                "A visit is worth the more the more the page matters and the likelier it has changed since the last one; the page whose visit is worth most is visited."
            }
            ol .next {
                @for line in next {
                    li {
                        a href=(format!("/page?id={}", line.page)) { (shortened(&printable(&line.url), 100)) } " " (due(line))
                        p .aside { (line.why) }
                    }
                }
            }
        }
    }
}

fn due(line: &Line) -> String {
    let due = line.due.as_deref().and_then(store::Timestamp::parse);
    due.map_or_else(|| "as soon as its site may be asked".to_owned(), |due| relative(due, reading::now()))
}
