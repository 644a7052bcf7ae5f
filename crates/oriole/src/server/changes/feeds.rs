//! Changes as feeds: RSS 2.0, Atom 1.0 and JSON Feed 1.1.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use maud::{PreEscaped, html};
use serde_json::json;
use store::Timestamp;

use super::{Change, Changes, PER_PAGE, Wanted, find, title, with_filters};
use crate::commands::reading::now;
use crate::output::foreign::printable;
use crate::server::front::root;
use crate::server::{Asked, Desk, Problem};

const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// What every feed is made from.
struct Feed {
    found: Changes,
    /// Address of the server.
    root: String,
    /// Its filters.
    wanted: Wanted,
    now: Timestamp,
}

impl Feed {
    async fn read(desk: &Desk, headers: &HeaderMap, wanted: Wanted) -> Result<Self, Problem> {
        let (root, now, filters) = (root(headers), now(), wanted.clone());
        let found = desk.read(move |shelf| find(shelf, &filters, PER_PAGE, now)).await?;
        Ok(Self { found, root, wanted, now })
    }

    fn address(&self, path: &str) -> String {
        format!("{}{}", self.root, with_filters(path, &self.wanted, ""))
    }

    /// When it last changed.
    fn updated(&self) -> Timestamp {
        self.found.changes.first().map_or(self.now, |change| change.moment)
    }
}

impl Change {
    fn id(&self) -> String {
        format!("urn:oriole:{}:{}", self.page, self.moment.0)
    }

    fn in_words(&self, root: &str) -> String {
        let what = match self.kind {
            "new" => "was found",
            "gone" => "is gone",
            _ => "has changed",
        };
        format!("{} {what}: {root}{}", printable(&self.url), self.details())
    }
}

/// RSS 2.0.
pub(in crate::server) async fn rss(
    State(desk): State<Desk>,
    headers: HeaderMap,
    Asked(wanted): Asked<Wanted>,
) -> Result<Response, Problem> {
    let feed = Feed::read(&desk, &headers, wanted).await?;
    let text = html! {
        (PreEscaped(XML))
        rss version="2.0" {
            channel {
                title { (title(&feed.wanted)) }
                link { (feed.address("/changes")) }
                description { "Pages that were found, have changed or are gone" }
                lastBuildDate { (rfc_822(feed.updated())) }
                @for change in &feed.found.changes {
                    item {
                        title { (change.headline()) }
                        link { (printable(&change.url)) }
                        guid isPermaLink="false" { (change.id()) }
                        pubDate { (rfc_822(change.moment)) }
                        category { (change.kind) }
                        description { (change.in_words(&feed.root)) }
                    }
                }
            }
        }
    };
    Ok(([(CONTENT_TYPE, "application/rss+xml; charset=utf-8")], text.into_string()).into_response())
}

/// Atom 1.0.
pub(in crate::server) async fn atom(
    State(desk): State<Desk>,
    headers: HeaderMap,
    Asked(wanted): Asked<Wanted>,
) -> Result<Response, Problem> {
    let feed = Feed::read(&desk, &headers, wanted).await?;
    let text = html! {
        (PreEscaped(XML))
        feed xmlns="http://www.w3.org/2005/Atom" {
            title { (title(&feed.wanted)) }
            id { (feed.address("/changes.atom")) }
            updated { (feed.updated()) }
            author { name { "Oriole" } }
            link rel="self" type="application/atom+xml" href=(feed.address("/changes.atom")) {}
            link rel="alternate" type="text/html" href=(feed.address("/changes")) {}
            @for change in &feed.found.changes {
                entry {
                    title { (change.headline()) }
                    id { (change.id()) }
                    updated { (change.at) }
                    link rel="alternate" href=(printable(&change.url)) {}
                    category term=(change.kind) {}
                    content type="text" { (change.in_words(&feed.root)) }
                }
            }
        }
    };
    Ok(([(CONTENT_TYPE, "application/atom+xml; charset=utf-8")], text.into_string()).into_response())
}

/// JSON Feed 1.1.
pub(in crate::server) async fn json(
    State(desk): State<Desk>,
    headers: HeaderMap,
    Asked(wanted): Asked<Wanted>,
) -> Result<Response, Problem> {
    let feed = Feed::read(&desk, &headers, wanted).await?;
    let item = |change: &Change| {
        json!({
            "id": change.id(),
            "url": change.url,
            "title": change.headline(),
            "content_text": change.in_words(&feed.root),
            "date_published": change.at,
            "tags": [change.kind],
        })
    };
    let items: Vec<_> = feed.found.changes.iter().map(item).collect();
    let text = json!({
        "version": "https://jsonfeed.org/version/1.1",
        "title": title(&feed.wanted),
        "home_page_url": feed.address("/changes"),
        "feed_url": feed.address("/changes.json"),
        "items": items,
    });
    Ok(([(CONTENT_TYPE, "application/feed+json")], text.to_string()).into_response())
}

/// As in RFC 822: `Sun, 15 Nov 2026 22:59:19 GMT`.
fn rfc_822(at: Timestamp) -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let day = DAYS[at.0.div_euclid(86_400_000).rem_euclid(7) as usize];
    let text = at.to_string();
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let month = part(5, 7).parse().ok().and_then(|month: usize| MONTHS.get(month.wrapping_sub(1))).unwrap_or(&"Jan");
    format!("{day}, {} {month} {} {} GMT", part(8, 10), part(0, 4), part(11, 19))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_as_in_mail() {
        let of = |text: &str| rfc_822(Timestamp::parse(text).unwrap());
        assert_eq!(of("2026-11-15T22:59:19.123Z"), "Sun, 15 Nov 2026 22:59:19 GMT");
        assert_eq!(of("1970-01-01T00:00:00Z"), "Thu, 01 Jan 1970 00:00:00 GMT");
        assert_eq!(of("2024-02-29T12:00:00Z"), "Thu, 29 Feb 2024 12:00:00 GMT");
    }
}
