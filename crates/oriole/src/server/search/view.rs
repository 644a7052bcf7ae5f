//! What searching looks like.

use std::ops::Range;

use index::{Answer, Count};
use maud::{Markup, PreEscaped, html};
use store::{PageId, Timestamp};

use super::{PER_PAGE, TIMES, Wanted};
use crate::commands::reading::per_cent;
use crate::commands::search::{Found, report::in_words};
use crate::output::age::relative;
use crate::output::foreign::{printable, shortened};
use crate::output::number::grouped;
use crate::server::layout::{Frame, Tab, page};
use crate::server::{Visitor, assets};

/// Pages of hits that are offered around the present one.
const AROUND: usize = 3;

/// What is shown.
pub(super) struct Results<'a> {
    pub(super) wanted: &'a Wanted,
    pub(super) answer: &'a Answer,
    pub(super) found: &'a [Found<'a>],
    pub(super) now: Timestamp,
}

/// The page before anything was asked.
pub(super) fn start(visitor: &Visitor) -> Markup {
    let contents = html! {
        div .start {
            img src=(assets::address("icon.svg")) alt="" width="72" height="72";
            h1 { "Search" }
            (form(&Wanted::default(), None, true))
            p .aside {
                "Also: " code { "\"exact words\"" } ", " code { "site:example.org" } ", " code { "lang:de" } ", "
                code { "intitle:word" } ", " code { "after:2026-01" } ", " code { "-without" } "."
            }
        }
    };
    framed(visitor, "Search", contents)
}

/// What was found.
pub(super) fn results(visitor: &Visitor, results: &Results<'_>, link: &dyn Fn(PageId) -> String) -> Markup {
    let (wanted, answer) = (results.wanted, results.answer);
    let title = if wanted.q.trim().is_empty() { "Search".to_owned() } else { shortened(&wanted.q, 60) };
    let contents = html! {
        h1 .hidden { "Search" }
        (form(wanted, Some(answer), false))
        section aria-label="Results" {
            p .aside role="status" { (heading(results)) }
            @for note in &answer.notes { p .aside { "(" (in_words(note)) ")" } }
            @if let Some(better) = &answer.did_you_mean {
                p { "Did you mean " a href=(address(&Wanted { q: better.clone(), ..Wanted::default() }, 1)) { (printable(better)) } "?" }
            }
            ol .results start=(answer.offset + 1) {
                @for found in results.found { li { (hit(visitor, found, results.now, link)) } }
            }
            (pages(wanted, answer))
        }
    };
    framed(visitor, &title, contents)
}

fn framed(visitor: &Visitor, title: &str, contents: Markup) -> Markup {
    page(&Frame { visitor, tab: Tab::Search, title, scripts: &["suggest.js"] }, contents)
}

fn heading(results: &Results<'_>) -> String {
    let (total, first) = (results.answer.total as usize, results.answer.offset + 1);
    match (total, results.found.len()) {
        (0, _) => "Nothing found.".to_owned(),
        (1, 1) => "One page.".to_owned(),
        (_, 0) => format!("{} pages, but none from {} on.", grouped(total), grouped(first)),
        (_, shown) => format!("{} pages; {} to {}.", grouped(total), grouped(first), grouped(first + shown - 1)),
    }
}

fn form(wanted: &Wanted, answer: Option<&Answer>, focus: bool) -> Markup {
    html! {
        form .search role="search" action="/" {
            label .hidden for="q" { "Search for" }
            input #q type="search" name="q" value=(wanted.q) autocomplete="off" autocapitalize="off" spellcheck="false"
                maxlength="1000" list="suggestions" autofocus[focus];
            datalist #suggestions {}
            button { "Search" }
            @if let Some(answer) = answer { (filters(wanted, answer)) }
        }
    }
}

fn filters(wanted: &Wanted, answer: &Answer) -> Markup {
    html! {
        div .filters {
            (choice("site", "Site", &wanted.site, &answer.hosts))
            (choice("lang", "Language", &wanted.lang, &answer.languages))
            span {
                label for="when" { "Published or changed" }
                select #when name="when" {
                    option value="" { "Any" }
                    @for (name, words, _) in TIMES { option value=(name) selected[wanted.when == name] { (words) } }
                }
            }
        }
    }
}

/// A choice between what the hits have.
fn choice(name: &str, label: &str, chosen: &str, counts: &[Count]) -> Markup {
    let is_listed = chosen.is_empty() || counts.iter().any(|count| count.value == chosen);
    html! {
        span {
            label for=(name) { (label) }
            select id=(name) name=(name) {
                option value="" { "Any" }
                @if !is_listed { option value=(chosen) selected { (printable(chosen)) } }
                @for count in counts {
                    option value=(count.value) selected[count.value == chosen] {
                        (printable(&count.value)) " (" (grouped(count.count as usize)) ")"
                    }
                }
            }
        }
    }
}

fn hit(visitor: &Visitor, found: &Found<'_>, now: Timestamp, link: &dyn Fn(PageId) -> String) -> Markup {
    let (hit, id) = (found.hit, found.hit.page.0);
    let title = if hit.title.trim().is_empty() { &hit.url } else { &hit.title };
    html! {
        h2 { a href=(link(hit.page)) { (shortened(title, 120)) } }
        p .address { (shortened(&hit.url, 150)) }
        p .snippet lang=[hit.language.as_deref()] { (highlighted(&hit.snippet.text, &hit.snippet.highlights)) }
        p .aside {
            (badge(found.checked_at, found.current, now)) " · changed " (relative(found.changed_at, now))
            " · " a href={ "/cached?id=" (id) } { "Copy" }
            @if visitor.is_owner { " · " a href={ "/page?id=" (id) } { "History" } }
        }
    }
}

/// How current a copy is, in words and colour.
pub(in crate::server) fn badge(checked_at: Timestamp, current: Option<f64>, now: Timestamp) -> Markup {
    let class = match current {
        Some(current) if current >= 0.9 => "good",
        Some(current) if current >= 0.5 => "fair",
        Some(_) => "bad",
        None => "unknown",
    };
    let words = current.map(|current| format!(", {} likely still current", per_cent(current))).unwrap_or_default();
    html! { span class={ "badge " (class) } { "checked " (relative(checked_at, now)) (words) } }
}

/// Text with the matches marked.
fn highlighted(text: &str, ranges: &[Range<usize>]) -> Markup {
    let part = |from: usize, to: usize| printable(text.get(from..to).unwrap_or_default());
    let starts = [0].into_iter().chain(ranges.iter().map(|range| range.end));
    let ends = ranges.iter().map(|range| range.start).chain([text.len()]);
    let between: Vec<String> = starts.zip(ends).map(|(start, end)| part(start, end)).collect();
    let marked = ranges.iter().map(|range| Some(part(range.start, range.end))).chain([None]);
    html! {
        @for (plain, marked) in between.iter().zip(marked) {
            (plain)
            @if let Some(marked) = marked { mark { (marked) } }
        }
    }
}

/// Links to the other pages of hits.
fn pages(wanted: &Wanted, answer: &Answer) -> Markup {
    let last = (answer.total as usize).min(index::DEEPEST).div_ceil(PER_PAGE);
    let present = answer.offset / PER_PAGE + 1;
    let near = present.saturating_sub(AROUND).max(1)..=(present + AROUND).min(last);
    html! {
        @if last > 1 {
            nav .pages aria-label="Pages of results" {
                @if present > 1 { a rel="prev" href=(address(wanted, present - 1)) { "Previous" } }
                @for number in near {
                    @if number == present { span aria-current="page" { (number) } }
                    @else { a href=(address(wanted, number)) aria-label={ "Page " (number) } { (number) } }
                }
                @if present < last { a rel="next" href=(address(wanted, present + 1)) { "Next" } }
            }
        }
    }
}

/// The address of a page of hits.
fn address(wanted: &Wanted, page: usize) -> String {
    let number = page.to_string();
    let all = [
        ("q", wanted.q.as_str()),
        ("site", &wanted.site),
        ("lang", &wanted.lang),
        ("when", &wanted.when),
        ("page", if page > 1 { &number } else { "" }),
    ];
    let given: Vec<(&str, &str)> = all.into_iter().filter(|(_, value)| !value.is_empty()).collect();
    format!("/?{}", serde_urlencoded::to_string(given).unwrap_or_default())
}

/// An OpenSearch description of the server at this root.
pub(super) fn description(root: &str) -> String {
    let url = |kind: &str, path: &str| html! { Url type=(kind) template={ (root) (path) "{searchTerms}" } {} };
    let body = html! {
        OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/" {
            ShortName { "Oriole" }
            Description { "Search with Oriole" }
            InputEncoding { "UTF-8" }
            Image width="32" height="32" type="image/svg+xml" { (root) (assets::address("icon.svg")) }
            (url("text/html", "/?q="))
            (url("application/x-suggestions+json", "/suggest?q="))
        }
    };
    html! { (PreEscaped("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")) (body) }.into_string()
}
