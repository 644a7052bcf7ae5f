//! What the page of sites looks like.

use crawl::fleet::Presence;
use maud::{Markup, html};

use super::list::{Found, PER_PAGE, Site};
use super::{Action, Wanted};
use crate::output::age::length;
use crate::output::foreign::{printable, shortened};
use crate::output::number::{grouped, percent, short};
use crate::server::layout::csrf;
use crate::server::{Frame, Tab, Visitor, page as framed};

/// The word for an action.
pub(super) fn name(action: Action) -> &'static str {
    match action {
        Action::Add => "add",
        Action::Pause => "pause",
        Action::Resume => "resume",
        Action::Remove => "remove",
        Action::Limit => "limit",
        Action::Weigh => "weigh",
    }
}

/// What was wanted, in words.
fn told(did: &str) -> Option<&'static str> {
    match did {
        "add" => Some("is taken up"),
        "pause" => Some("is paused"),
        "resume" => Some("is gone on with"),
        "remove" => Some("is removed"),
        "limit" => Some("has other limits"),
        "weigh" => Some("has another weight"),
        _ => None,
    }
}

/// The whole page.
pub(super) fn page(visitor: &Visitor, wanted: &Wanted, found: &Found) -> Markup {
    let contents = html! {
        h1 { "Sites" }
        @if let Some(words) = told(&wanted.did) {
            p role="status" {
                (shortened(&printable(&wanted.site), 200)) " " (words)
                @match (found.running, found.waiting) {
                    (true, 0) => ".",
                    (true, _) => " within a second or two; this page shows it then.",
                    (false, _) => " when the engine runs.",
                }
                @if wanted.did == name(Action::Limit) {
                    " No more pages are taken up than its limit says; those that are known stay, and are kept fresh."
                }
            }
        }
        @if !found.running { p .aside { "No engine is running here. What you change is done when it runs." } }
        @if found.waiting == 1 { p .aside { "One command waits for the engine." } }
        @if found.waiting > 1 { p .aside { (grouped(found.waiting as usize)) " commands wait for the engine." } }
        (add(visitor))
        (search(wanted))
        p .aside { @if found.total == 1 { "One site." } @else { (grouped(found.total)) " sites." } }
        (table(visitor, found))
        (pages(wanted, found))
        (weights(visitor, found))
    };
    framed(&Frame { visitor, tab: Tab::Sites, title: "Sites", scripts: &[] }, contents)
}

fn add(visitor: &Visitor) -> Markup {
    html! {
        h2 { "Add a site" }
        form .search method="post" action="/sites" {
            (csrf(visitor))
            input type="hidden" name="action" value="add";
            label .hidden for="new-site" { "Address of the site" }
            input #new-site type="text" name="site" placeholder="https://docs.example.org/" required maxlength="2000" inputmode="url";
            button { "Add" }
        }
        p .aside { "It is crawled from this page on, as far as the configuration lets the crawl go." }
    }
}

fn search(wanted: &Wanted) -> Markup {
    html! {
        h2 { "All sites" }
        form .search role="search" action="/sites" {
            label .hidden for="q" { "Sites with this in their name" }
            input #q type="search" name="q" value=(wanted.q) maxlength="200" placeholder="Part of a name";
            button { "Find" }
        }
    }
}

fn table(visitor: &Visitor, found: &Found) -> Markup {
    html! {
        div .scroll {
            table .cards {
                thead { tr {
                    th scope="col" { "Site" } th .number scope="col" { "Pages" } th scope="col" { "State" }
                    th scope="col" { "A page changes" } th .number scope="col" { "Stale" } th .number scope="col" { "Delay" }
                    th scope="col" { "Change" }
                } }
                tbody { @for site in &found.sites { (row(visitor, site)) } }
            }
        }
    }
}

fn row(visitor: &Visitor, site: &Site) -> Markup {
    let line = &site.line;
    let every =
        line.changes_per_day.filter(|rate| *rate > 0.0).map(|rate| format!("every {}", length(86_400.0 / rate)));
    html! {
        tr {
            th scope="row" { (printable(&line.host)) }
            td .number data-label="Pages" { span { (grouped(line.pages as usize))
                @if line.queued > 0 { br; span .aside { (grouped(line.queued as usize)) " waiting" } }
                @if let Some(most) = site.rule.most_pages { br; span .aside { "at most " (grouped(most as usize)) } }
            } }
            td data-label="State" {
                span { (site.awaited.unwrap_or(&line.state)) @if let Some(trouble) = &line.trouble { br; span .problem { (printable(trouble)) } } }
            }
            td data-label="A page changes" { (every.unwrap_or_else(|| "unknown".to_owned())) }
            td .number data-label="Stale" { (line.stale.map_or_else(|| "unknown".to_owned(), percent)) }
            td .number data-label="Delay" { (short(line.delay)) " s" }
            td { div .actions { (buttons(visitor, site)) } }
        }
    }
}

fn buttons(visitor: &Visitor, site: &Site) -> Markup {
    let host = &site.line.host;
    let is_gone = matches!(site.rule.presence, Presence::Leaving | Presence::Removed);
    let form = |action: &str, words: &str| {
        html! {
            form method="post" action="/sites" {
                (csrf(visitor))
                input type="hidden" name="site" value=(host);
                button name="action" value=(action) aria-label=(format!("{words} {host}")) { (words) }
            }
        }
    };
    html! {
        @if is_gone { (form("add", "Take up again")) }
        @else if site.rule.presence == Presence::Paused { (form("resume", "Resume")) }
        @else { (form("pause", "Pause")) }
        details { summary aria-label=(format!("More for {host}")) { "More" } (limits(visitor, site)) @if !is_gone { (removal(visitor, host)) } }
    }
}

fn limits(visitor: &Visitor, site: &Site) -> Markup {
    let (host, rule) = (&site.line.host, &site.rule);
    html! {
        form .stack method="post" action="/sites" {
            (csrf(visitor))
            input type="hidden" name="site" value=(host);
            label { "Seconds between requests (not less than its robots.txt asks for) "
                input type="number" name="delay" min="0" max="86400" step="any" value=[rule.delay]; }
            label { "Most pages (no more are taken up; those that are known stay) " input type="number" name="most_pages" min="0" max="4294967295" value=[rule.most_pages]; }
            p .aside { "Empty: as for all sites." }
            button name="action" value="limit" { "Set limits" }
        }
        form .stack method="post" action="/sites" {
            (csrf(visitor))
            input type="hidden" name="site" value=(format!("{host}/"));
            label { "What its pages matter " input type="number" name="weight" min="0" max="1000000" step="any"; }
            p .aside { "Empty: as is learned." }
            button name="action" value="weigh" { "Set weight" }
        }
    }
}

fn removal(visitor: &Visitor, host: &str) -> Markup {
    html! {
        form .stack method="post" action="/sites" {
            (csrf(visitor))
            input type="hidden" name="site" value=(host);
            label { input type="checkbox" required; " Forget all its pages" }
            button name="action" value="remove" { "Remove" }
        }
    }
}

fn pages(wanted: &Wanted, found: &Found) -> Markup {
    let link = |offset: usize| {
        let query = serde_urlencoded::to_string([("q", wanted.q.as_str()), ("offset", &offset.to_string())]);
        format!("/sites?{}", query.unwrap_or_default())
    };
    html! {
        nav .pages aria-label="Pages" {
            @if wanted.offset > 0 { a rel="prev" href=(link(wanted.offset.saturating_sub(PER_PAGE))) { "Previous" } }
            @if wanted.offset.saturating_add(found.sites.len()) < found.total && !found.sites.is_empty() {
                a rel="next" href=(link(wanted.offset + PER_PAGE)) { "Next" }
            }
        }
    }
}

/// Patterns and weights.
fn weights(visitor: &Visitor, found: &Found) -> Markup {
    html! {
        h2 { "What pages matter" }
        p .aside {
            "The longest pattern that matches decides, before those of the configuration; what no pattern matches is learned from links and readers. "
            "Patterns are as in " code { "[[weight]]" } ": " code { "/news/" } ", " code { "https://example.org/blog/*.html$" } ", " code { "re:[0-9]{4}" } "."
        }
        @if !found.weights.is_empty() {
            table {
                thead { tr { th scope="col" { "Pattern" } th .number scope="col" { "Weight" } th scope="col" { "Change" } } }
                tbody {
                    @for (pattern, weight) in &found.weights {
                        tr {
                            th scope="row" { code { (printable(pattern)) } }
                            td .number { (short(f64::from(*weight))) }
                            td {
                                form method="post" action="/sites" {
                                    (csrf(visitor))
                                    input type="hidden" name="site" value=(pattern);
                                    button name="action" value="weigh" aria-label=(format!("Forget {pattern}")) { "Forget" }
                                }
                            }
                        }
                    }
                }
            }
        }
        form .search method="post" action="/sites" {
            (csrf(visitor))
            input type="hidden" name="action" value="weigh";
            label for="pattern" { "Pattern" }
            input #pattern name="site" required maxlength="2000";
            label for="weight" { "Weight" }
            input #weight type="number" name="weight" min="0" max="1000000" step="any" required;
            button { "Set weight" }
        }
    }
}
