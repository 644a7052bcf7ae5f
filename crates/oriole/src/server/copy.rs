//! Copies of pages, without anything that does something.

use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use crawl::sanitise::sanitise;
use maud::{Markup, PreEscaped, html};
use serde::Deserialize;
use store::{Page, Timestamp};

use super::front::Foreign;
use super::layout::{Frame, Tab, page};
use super::versions::{self, Version, address, version_at, versions};
use super::{Asked, Desk, Problem, Visitor};
use crate::commands::reading::now;
use crate::output::age::relative;
use crate::output::foreign::{printable, shortened};

/// Most bytes of a copy that are shown.
const MOST_BYTES: usize = 2 << 20;

/// Which copy.
#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
pub(super) struct Wanted {
    id: Option<u32>,
    url: String,
    at: String,
}

/// A copy that is shown.
struct Shown {
    page: Page,
    version: Version,
    /// Whether there is an older version.
    has_older: bool,
    /// Clean.
    html: String,
}

/// A copy of a page.
pub(super) async fn cached(
    State(desk): State<Desk>,
    visitor: Visitor,
    Asked(wanted): Asked<Wanted>,
) -> Result<Response, Problem> {
    let limits = desk.config().limits.clone();
    desk.read(move |shelf| {
        let page = versions::readable(shelf, &visitor, wanted.id, &wanted.url)?;
        let all = versions(shelf, &page)?;
        let version = match wanted.at.as_str() {
            "" => all.first().copied().ok_or_else(|| Problem::unknown("there is no copy of this page"))?,
            at => version_at(&all, at)?,
        };
        let copy = versions::copy(shelf, version)?;
        let html = sanitise(&copy.body, copy.content_type.as_deref(), &page.url, &limits, MOST_BYTES);
        let html = html.map_err(|error| Problem::unknown(format!("this copy cannot be shown: {error}")))?;
        let has_older = all.last().is_some_and(|oldest| oldest.at < version.at);
        let shown = view(&visitor, &Shown { page, version, has_older, html }, now());
        Ok((Extension(Foreign), shown).into_response())
    })
    .await
}

fn view(visitor: &Visitor, shown: &Shown, now: Timestamp) -> Markup {
    let Shown { page: about, version, has_older, html } = shown;
    let title = about.values.title.as_deref().filter(|title| !title.trim().is_empty()).unwrap_or(&about.url);
    // No form works in here, not even ours.
    let visitor = &visitor.without_forms();
    let frame = Frame { visitor, tab: Tab::Search, title: &format!("Copy of {}", shortened(title, 80)), scripts: &[] };
    let contents = html! {
        div .banner {
            h1 .hidden { "Copy of " (shortened(title, 150)) }
            p {
                "Copy of " a href={ "/go?id=" (about.id.0) } { (printable(&about.url)) } " as it was fetched "
                (relative(version.at, now)) ", on " time datetime=(version.at) { (version.at) }
                ". Only what it says is kept: no pictures, scripts or styles. The page may have changed since."
            }
            @if visitor.is_owner {
                p {
                    a href=(address("/page", about.id, &[])) { "History" }
                    @if *has_older { " · " a href=(address("/diff", about.id, &[("to", version.at)])) { "What changed" } }
                }
            }
        }
        article .copy dir="auto" lang=[about.values.language.as_deref()] { (PreEscaped(html)) }
    };
    page(&frame, contents)
}
