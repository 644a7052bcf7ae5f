//! What all pages have in common.

use maud::{DOCTYPE, Markup, html};

use super::access::Visitor;
use super::assets;

/// Where a page belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    /// Searching.
    Search,
    /// How the engine is doing.
    Dashboard,
    /// What has changed.
    Changes,
    /// What other budgets and numbers of robots would do.
    WhatIf,
    /// Which sites are crawled.
    Sites,
    /// None of them.
    Other,
}

/// The parts of the site: tab, address, name, and whether it is only for the owner.
const TABS: &[(Tab, &str, &str, bool)] = &[
    (Tab::Search, "/", "Search", false),
    (Tab::Dashboard, "/dashboard", "Dashboard", true),
    (Tab::Changes, "/changes", "Changes", true),
    (Tab::WhatIf, "/what-if", "What if", true),
    (Tab::Sites, "/sites", "Sites", true),
];

/// What is around the contents of a page.
pub struct Frame<'a> {
    /// Who looks at it.
    pub visitor: &'a Visitor,
    /// Where it belongs.
    pub tab: Tab,
    /// Its title.
    pub title: &'a str,
    /// Scripts among the assets; the page must work without them.
    pub scripts: &'a [&'a str],
}

/// Other forms of a page, for its head: kind, title and address.
#[derive(Clone, Debug, Default)]
pub struct Alternates(pub Vec<(&'static str, String, String)>);

/// A whole page.
#[must_use]
pub fn page(frame: &Frame<'_>, contents: Markup) -> Markup {
    page_with(frame, &Alternates::default(), contents)
}

/// A whole page that there is in other forms, too.
#[must_use]
pub fn page_with(frame: &Frame<'_>, alternates: &Alternates, contents: Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (frame.title) " · Oriole" }
                link rel="icon" type="image/svg+xml" href=(assets::address("icon.svg"));
                link rel="search" type="application/opensearchdescription+xml" title="Oriole" href="/opensearch.xml";
                @for (kind, title, address) in &alternates.0 { link rel="alternate" type=(kind) title=(title) href=(address); }
                link rel="stylesheet" href=(assets::address("style.css"));
                @for script in frame.scripts { script src=(assets::address(script)) defer {} }
            }
            body {
                a .skip href="#contents" { "Skip to the contents" }
                (header(frame))
                main #contents tabindex="-1" { (contents) }
                @if frame.visitor.is_owner { (footer()) }
            }
        }
    }
}

fn header(frame: &Frame<'_>) -> Markup {
    let shown = TABS.iter().filter(|(.., for_owner)| frame.visitor.is_owner || !for_owner);
    html! {
        header .top {
            a .name href="/" { img src=(assets::address("icon.svg")) alt="" width="24" height="24"; "Oriole" }
            nav aria-label="Main" {
                @for (tab, address, name, _) in shown {
                    a href=(address) aria-current=[(*tab == frame.tab).then_some("page")] { (name) }
                }
            }
            @if frame.visitor.has_session {
                form .logout method="post" action="/logout" {
                    (csrf(frame.visitor))
                    button { "Log out" }
                }
            }
        }
    }
}

/// What is not for every day.
fn footer() -> Markup {
    html! {
        footer .bottom {
            nav aria-label="For programs" {
                a href="/webhooks" { "Webhooks" }
                a href="/api/openapi.json" { "API (OpenAPI)" }
                a href="/metrics" { "Metrics" }
            }
        }
    }
}

/// What every form that changes something must have in it.
#[must_use]
pub fn csrf(visitor: &Visitor) -> Markup {
    html! { input type="hidden" name="csrf" value=(visitor.csrf); }
}
