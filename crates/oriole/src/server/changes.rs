//! What has changed, newest first.

mod feeds;
#[cfg(test)]
mod tests;

use axum::extract::State;
use maud::{Markup, html};
use serde::{Deserialize, Serialize};
use store::{Catalogue, HostId, Outcome, Page, PageId, Timestamp};

use super::layout::{Alternates, Frame, Tab, page_with};
use super::versions::address;
use super::{Asked, Desk, Problem, Shelf, Visitor};
use crate::commands::reading::{hosts, now};
use crate::output::age::relative;
use crate::output::foreign::{printable, shortened};

pub(super) use feeds::{atom, json, rss};

/// Changes on a page and in a feed.
pub(super) const PER_PAGE: usize = 50;

/// Changes looked at for one answer: whoever filters for something rare goes on from there.
const MOST_LOOKED_AT: usize = 20_000;

/// Changes read at a time.
const CHUNK: u32 = 500;

/// Times to choose from: what is sent, what is shown, and how many hours it is.
const TIMES: [(&str, &str, i64); 4] =
    [("hour", "Past hour", 1), ("day", "Past day", 24), ("week", "Past week", 168), ("month", "Past month", 744)];

/// Which changes.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Wanted {
    /// Of this host.
    pub(super) site: String,
    /// With this text in title or address.
    pub(super) q: String,
    /// In the past hour, day, week or month.
    pub(super) when: String,
    /// After these, as an answer said.
    pub(super) before: String,
}

/// A change.
#[derive(Serialize)]
pub(super) struct Change {
    pub(super) at: String,
    pub(super) kind: &'static str,
    pub(super) page: u32,
    pub(super) url: String,
    pub(super) title: Option<String>,
    /// Whether the archive has this version.
    pub(super) archived: bool,
    #[serde(skip)]
    moment: Timestamp,
}

/// Some changes, and where to go on.
#[derive(Serialize)]
pub(super) struct Changes {
    pub(super) changes: Vec<Change>,
    /// Where older ones begin; none if there are none.
    pub(super) next: Option<String>,
}

/// What a change must be like.
struct Sieve {
    hosts: Option<Vec<HostId>>,
    text: String,
    since: Timestamp,
}

impl Sieve {
    fn passes(&self, page: &Page) -> bool {
        let has = |text: &str| text.to_lowercase().contains(&self.text);
        let is_there = self.hosts.as_ref().is_none_or(|hosts| hosts.contains(&page.host));
        is_there
            && !page.values.is_removed()
            && (self.text.is_empty() || has(&page.url) || page.values.title.as_deref().is_some_and(has))
    }
}

/// The changes that are wanted, newest first.
pub(super) fn find(shelf: &Shelf, wanted: &Wanted, most: usize, now: Timestamp) -> Result<Changes, Problem> {
    let catalogue = &shelf.folder.catalogue;
    let sieve = sieve(shelf, wanted, now)?;
    let mut from = place(&wanted.before)?;
    let (mut changes, mut looked_at) = (Vec::new(), 0);
    while looked_at < MOST_LOOKED_AT {
        let chunk = catalogue.changes(from, CHUNK)?;
        for (id, visit) in &chunk {
            if visit.at < sieve.since {
                return Ok(Changes { changes, next: None });
            }
            looked_at += 1;
            from = (visit.at, *id);
            let Some(page) = catalogue.page(*id)?.filter(|page| sieve.passes(page)) else { continue };
            changes.push(change(page, visit));
            if changes.len() == most {
                return Ok(Changes { changes, next: Some(format!("{}.{}", from.0.0, from.1.0)) });
            }
        }
        if chunk.len() < CHUNK as usize {
            return Ok(Changes { changes, next: None });
        }
    }
    Ok(Changes { changes, next: Some(format!("{}.{}", from.0.0, from.1.0)) })
}

fn sieve(shelf: &Shelf, wanted: &Wanted, now: Timestamp) -> Result<Sieve, Problem> {
    let site = wanted.site.trim();
    // A host that is not known has no changes.
    let hosts = (!site.is_empty()).then(|| hosts(&shelf.folder.catalogue, &[site.to_owned()]).unwrap_or_default());
    let time = TIMES.iter().find(|(name, ..)| *name == wanted.when);
    let since = match (time, wanted.when.as_str()) {
        (Some((.., hours)), _) => Timestamp(now.0 - hours * 3_600_000),
        (None, "") => Timestamp(i64::MIN),
        _ => return Err(Problem::wrong("`when` is none of hour, day, week and month")),
    };
    Ok(Sieve { hosts, text: wanted.q.trim().to_lowercase(), since })
}

/// Where to go on: a moment and the number of a page.
fn place(text: &str) -> Result<(Timestamp, PageId), Problem> {
    if text.is_empty() {
        return Ok((Timestamp(i64::MAX), PageId(u32::MAX)));
    }
    let number = |text: &str, most: usize| {
        let is_number = (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| text.parse::<u64>().ok()).flatten()
    };
    let parts = text.split_once('.').and_then(|(at, page)| Some((number(at, 15)?, number(page, 9)?)));
    let (at, page) = parts.ok_or_else(|| Problem::wrong("`before` is not what an answer said as `next`"))?;
    Ok((Timestamp(at as i64), PageId(page as u32)))
}

fn change(page: Page, visit: &store::Visit) -> Change {
    let archived = visit.archive.is_some() && visit.outcome != Outcome::Gone;
    Change {
        at: visit.at.to_string(),
        kind: visit.outcome.name(),
        page: page.id.0,
        url: page.url,
        title: page.values.title,
        archived,
        moment: visit.at,
    }
}

impl Change {
    /// What it is about, for people.
    fn headline(&self) -> String {
        let title = self.title.as_deref().filter(|title| !title.trim().is_empty());
        shortened(title.unwrap_or(&self.url), 150)
    }

    /// Where it is shown what changed.
    fn details(&self) -> String {
        let (path, moment) = if self.kind == Outcome::Changed.name() { ("/diff", "to") } else { ("/cached", "at") };
        if self.archived {
            address(path, PageId(self.page), &[(moment, self.moment)])
        } else {
            address("/page", PageId(self.page), &[])
        }
    }
}

/// The page.
pub(super) async fn show(
    State(desk): State<Desk>,
    visitor: Visitor,
    Asked(wanted): Asked<Wanted>,
) -> Result<Markup, Problem> {
    desk.read(move |shelf| {
        let now = now();
        let found = find(shelf, &wanted, PER_PAGE, now)?;
        Ok(view(&visitor, &wanted, &found, now))
    })
    .await
}

fn view(visitor: &Visitor, wanted: &Wanted, found: &Changes, now: Timestamp) -> Markup {
    let contents = html! {
        h1 { "Changes" }
        (form(wanted))
        @if found.changes.is_empty() { p role="status" { "Nothing of this kind has changed." } }
        ol .results {
            @for change in &found.changes {
                li {
                    h2 { a href=(change.details()) { (change.headline()) } }
                    p .address { (shortened(&change.url, 150)) }
                    p .aside {
                        span class={ "kind " (change.kind) } { (change.kind) } " "
                        time datetime=(change.at) { (relative(change.moment, now)) }
                        " · " a href={ "/page?id=" (change.page) } { "History" }
                        " · " a href={ "/go?id=" (change.page) } { "Page" }
                    }
                }
            }
        }
        nav .pages aria-label="More" {
            @if !wanted.before.is_empty() { a href=(with_filters("/changes", wanted, "")) { "Newest" } }
            @if let Some(next) = &found.next { a rel="next" href=(with_filters("/changes", wanted, next)) { "Older" } }
        }
        p .aside {
            "As a feed: "
            @for (name, path, _) in FEEDS {
                a href=(with_filters(path, wanted, "")) { (name) } " "
            }
        }
    };
    let title = title(wanted);
    let feeds = FEEDS.map(|(name, path, kind)| (kind, format!("{title} ({name})"), with_filters(path, wanted, "")));
    let frame = Frame { visitor, tab: Tab::Changes, title: &title, scripts: &[] };
    page_with(&frame, &Alternates(feeds.into()), contents)
}

/// The same as feeds: name, address and kind.
const FEEDS: [(&str, &str, &str); 3] = [
    ("RSS", "/changes.rss", "application/rss+xml"),
    ("Atom", "/changes.atom", "application/atom+xml"),
    ("JSON", "/changes.json", "application/feed+json"),
];

/// What is listed, so that feeds with other filters have other titles.
fn title(wanted: &Wanted) -> String {
    let part = |words: &str, value: &str| match value.trim() {
        "" => String::new(),
        value => format!(" {words} {}", shortened(&printable(value), 80)),
    };
    format!("Changes{}{}{}", part("at", &wanted.site), part("with", &wanted.q), part("of the past", &wanted.when))
}

fn form(wanted: &Wanted) -> Markup {
    html! {
        form .search role="search" action="/changes" {
            div .filters {
                span { label for="q" { "Title or address has" } input #q name="q" value=(wanted.q) maxlength="200"; }
                span {
                    label for="site" { "Site" }
                    input #site name="site" value=(printable(&wanted.site)) maxlength="255" placeholder="docs.example.org";
                }
                span {
                    label for="when" { "Seen" }
                    select #when name="when" {
                        option value="" { "Any" }
                        @for (name, words, _) in TIMES { option value=(name) selected[wanted.when == name] { (words) } }
                    }
                }
                button { "Show" }
            }
        }
    }
}

/// An address with the same filters.
fn with_filters(path: &str, wanted: &Wanted, before: &str) -> String {
    let all = [("q", wanted.q.as_str()), ("site", &wanted.site), ("when", &wanted.when), ("before", before)];
    let given: Vec<(&str, &str)> = all.into_iter().filter(|(_, value)| !value.is_empty()).collect();
    let query = serde_urlencoded::to_string(given).unwrap_or_default();
    if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
}
