//! One robot: it fetches what it was told to, examines it, and reports.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use store::{
    Digest, Encoded, HostId, HttpHead, Outcome, PageId, Record as Archived, RefersTo, Timestamp, Truncated, Values,
};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::UnboundedSender;
use url::Url;

use super::{Hub, Message, now};
use crate::address::PageUrl;
use crate::examine::{Examiner, FoundLink, Meaning};
use crate::fetch::{Answer, FetchError, Fetcher, Request};
use crate::frontier::Errand;
use crate::{feed, sitemap};

/// Bytes of a page that is examined where it arrives: some tenths of a millisecond. Others would hold up the network.
const SHORT: usize = 64 << 10;

/// Longer pages that may be examined at a time.
static EXAMINING: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(std::thread::available_parallelism().map_or(1, usize::from)));

/// What a robot is told to do.
#[derive(Debug)]
pub(super) struct Order {
    pub(super) host: HostId,
    pub(super) url: PageUrl,
    pub(super) examiner: Arc<Examiner>,
    pub(super) what: What,
}

/// What is fetched.
#[derive(Debug)]
pub(super) enum What {
    Page(Box<Lease>),
    Errand(Errand, Validators),
}

/// What a server said that identifies its last answer, so that it need not give it again.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Validators {
    pub(super) etag: Option<String>,
    pub(super) last_modified: Option<String>,
}

/// A page that is visited, with all that is known of it.
#[derive(Debug)]
pub(super) struct Lease {
    pub(super) page: PageId,
    pub(super) depth: u16,
    pub(super) links_in: u32,
    pub(super) values: Values,
    /// Whether the archive keeps a record of the visit.
    pub(super) archive: bool,
    /// Whether it is enough to be told that the page is as before.
    pub(super) conditional: bool,
}

/// What a robot brings back.
#[derive(Debug)]
pub struct Report {
    pub(super) host: HostId,
    pub(super) url: PageUrl,
    pub(super) at: Timestamp,
    pub(super) milliseconds: u32,
    pub(super) bytes: u64,
    pub(super) found: Found,
}

#[derive(Debug)]
pub(super) enum Found {
    Page {
        lease: Box<Lease>,
        meaning: Meaning,
        kept: Box<Kept>,
    },
    Errand {
        errand: Errand,
        answer: Result<Answer, FetchError>,
        listing: Listing,
    },
    /// The examination of this page broke down.
    Broken(PageId),
}

/// What a sitemap or feed lists.
#[derive(Debug)]
pub(super) enum Listing {
    /// Nothing, or it is none.
    None,
    /// Other sitemaps.
    Sitemaps(Vec<String>),
    /// Pages that belong to the crawl, with the time of their last change.
    Pages(Vec<(FoundLink, Option<i64>)>),
    /// The same, and who announces changes.
    Feed(Vec<(FoundLink, Option<i64>)>, Option<Hub>),
}

/// What of an answer is kept.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) record: Option<Encoded>,
    pub(super) is_copy: bool,
    pub(super) digest: Option<Digest>,
    pub(super) status: Option<u16>,
    pub(super) etag: Option<String>,
    pub(super) last_modified: Option<String>,
    pub(super) mime: Option<String>,
}

impl Report {
    /// What was found, if a page was visited.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        match &self.found {
            Found::Page { meaning, .. } => Some(outcome(meaning)),
            Found::Broken(_) => Some(Outcome::Failed),
            Found::Errand { .. } => None,
        }
    }
}

impl Report {
    /// Why nothing was learned, if that is so.
    pub(super) fn reason(&self) -> Option<String> {
        match &self.found {
            Found::Page { meaning: Meaning::Failed(failure), .. } => Some(failure.reason.clone()),
            Found::Page { meaning: Meaning::Skipped(error), .. } => Some(error.to_string()),
            Found::Errand { answer: Err(error), .. } => Some(error.to_string()),
            Found::Broken(_) => Some("its examination broke down".to_owned()),
            Found::Page { .. } | Found::Errand { .. } => None,
        }
    }
}

/// What an answer means, in one word.
pub(super) fn outcome(meaning: &Meaning) -> Outcome {
    match meaning {
        Meaning::NotModified => Outcome::NotModified,
        Meaning::Read { outcome, .. } => *outcome,
        Meaning::Redirect(_) => Outcome::Redirect,
        Meaning::Gone => Outcome::Gone,
        Meaning::Skipped(_) => Outcome::Skipped,
        Meaning::Failed(_) => Outcome::Failed,
    }
}

/// Sends a robot out. Its report comes as a message.
pub(super) fn start(order: Order, fetcher: Fetcher, sender: UnboundedSender<Message>) {
    let sent = Instant::now();
    tokio::spawn(async move {
        let began = Instant::now();
        let answer = ask(&order, &fetcher).await;
        let milliseconds = began.elapsed().as_millis().min(u128::from(u32::MAX)) as u32;
        // A host that is overloaded is not free before it is known for how long it wants to be left alone.
        let is_overloaded = matches!(&answer, Ok(Answer { status: 429 | 503, .. }));
        // If nobody listens any more the program is ending, and the visit has not been.
        let leave = |sender: &UnboundedSender<Message>, host| _ = sender.send(Message::Left(host));
        if !is_overloaded {
            leave(&sender, order.host);
        }
        let (host, url, broken) = (order.host, order.url.clone(), broken(&order));
        let is_short = is_short(&answer);
        let examine = move || examined(order, answer, milliseconds, now());
        // A page on which the examination itself breaks must not take the robot with it.
        let report = match is_short {
            true => std::panic::catch_unwind(AssertUnwindSafe(examine)).ok(),
            false => {
                // More at a time than there are processors would only take memory. It is never closed.
                let _turn = EXAMINING.acquire().await;
                tokio::task::spawn_blocking(examine).await.ok()
            }
        };
        let report = report.unwrap_or(Report { host, url, at: now(), milliseconds, bytes: 0, found: broken });
        _ = sender.send(Message::Back(Box::new(report), sent));
        if is_overloaded {
            leave(&sender, host);
        }
    });
}

/// Whether an answer is examined in less time than it takes to hand it to another thread and be woken again, or little more.
fn is_short(answer: &Result<Answer, FetchError>) -> bool {
    answer.as_ref().is_ok_and(|answer| {
        let is_html = answer.content_type().is_some_and(|kind| kind.starts_with("text/html"));
        is_html && answer.body.len() <= SHORT && answer.header("content-encoding").is_none()
    })
}

fn broken(order: &Order) -> Found {
    match &order.what {
        What::Page(lease) => Found::Broken(lease.page),
        What::Errand(errand, _) => {
            let answer = Err(FetchError::Answer("it could not be read".to_owned()));
            Found::Errand { errand: errand.clone(), answer, listing: Listing::None }
        }
    }
}

async fn ask(order: &Order, fetcher: &Fetcher) -> Result<Answer, FetchError> {
    let url = Url::parse(order.url.as_str()).map_err(|error| FetchError::Request(error.to_string()))?;
    match &order.what {
        What::Page(lease) => {
            let (etag, last_modified) = (lease.values.etag.as_deref(), lease.values.last_modified.as_deref());
            let (etag, last_modified) = if lease.conditional { (etag, last_modified) } else { (None, None) };
            fetcher.fetch(Request { url: &url, etag, last_modified }).await
        }
        What::Errand(_, known) => {
            let (etag, last_modified) = (known.etag.as_deref(), known.last_modified.as_deref());
            fetcher.fetch(Request { url: &url, etag, last_modified }).await
        }
    }
}

/// What an answer that came at this time brings.
pub(super) fn examined(order: Order, answer: Result<Answer, FetchError>, milliseconds: u32, at: Timestamp) -> Report {
    let bytes = answer.as_ref().map_or(0, |answer| answer.body.len() as u64);
    let found = match order.what {
        What::Errand(errand, _) => {
            let listing = answer.as_ref().map_or(Listing::None, |answer| listed(&errand, answer, &order.examiner));
            Found::Errand { errand, answer, listing }
        }
        What::Page(lease) => {
            let meaning = order.examiner.examine((&order.url, lease.depth), &lease.values, &answer, at);
            let kept = answer.map(|answer| keep(&order.url, &lease, &meaning, answer, at)).unwrap_or_default();
            Found::Page { lease, meaning, kept: Box::new(kept) }
        }
    };
    Report { host: order.host, url: order.url, at, milliseconds, bytes, found }
}

/// Reads a sitemap or feed.
fn listed(errand: &Errand, answer: &Answer, examiner: &Examiner) -> Listing {
    let Some(body) = (answer.status == 200).then(|| answer.decoded(examiner.most_bytes).ok()).flatten() else {
        return Listing::None;
    };
    match errand {
        Errand::RobotsTxt => Listing::None,
        Errand::Moved { errand, .. } => listed(errand, answer, examiner),
        Errand::Sitemap(_) => sitemap_listed(&body, examiner),
        Errand::Feed(url) => feed_listed(&body, url, examiner),
    }
}

fn feed_listed(body: &[u8], url: &str, examiner: &Examiner) -> Listing {
    let Ok(feed) = feed::read(body, &feed::Limits::default()) else { return Listing::None };
    let dated = feed.entries.iter().map(|entry| (entry.link.as_str(), entry.updated.or(entry.published)));
    let pages = dated.filter_map(|(url, at)| Some((examiner.link(url)?, at))).collect();
    let topic = feed.self_link.and_then(|own| topic(&own, url)).unwrap_or_else(|| url.to_owned());
    Listing::Feed(pages, feed.hub.map(|hub| Hub { hub, topic }))
}

/// The address by which a feed calls itself, if it is one of its own host: a feed cannot speak for another.
fn topic(own: &str, url: &str) -> Option<String> {
    let url = PageUrl::parse(url).ok()?;
    let is_own = |named: &PageUrl| named.bare_authority() == url.bare_authority();
    match PageUrl::parse(own) {
        Ok(named) => is_own(&named).then(|| own.to_owned()),
        Err(_) => url.join(own).ok().filter(is_own).map(|named| named.as_str().to_owned()),
    }
}

fn sitemap_listed(body: &[u8], examiner: &Examiner) -> Listing {
    let (mut pages, mut sitemaps) = (Vec::new(), Vec::new());
    let report = sitemap::read(body, &sitemap::Limits::default(), |entry| {
        pages.extend(examiner.link(&entry.loc).map(|link| (link, entry.lastmod)));
        sitemaps.push(entry.loc);
    });
    match report {
        Ok(report) if report.is_index => Listing::Sitemaps(sitemaps),
        Ok(_) => Listing::Pages(pages),
        Err(_) => Listing::None,
    }
}

/// What of the answer goes to archive and catalogue.
fn keep(url: &PageUrl, lease: &Lease, meaning: &Meaning, answer: Answer, at: Timestamp) -> Kept {
    let text = |name: &str| answer.header(name).map(str::to_owned);
    let mut kept = Kept {
        status: Some(answer.status),
        etag: text("etag"),
        last_modified: text("last-modified"),
        mime: answer.content_type().map(|kind| kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()),
        ..Kept::default()
    };
    let noarchive = matches!(meaning, Meaning::Read { reading, .. } if reading.directives.noarchive);
    if lease.archive && !noarchive && !matches!(meaning, Meaning::Failed(_)) {
        archive(url, lease, answer, at, &mut kept);
        // What is said instead of a page is no copy of it: the last one stays.
        if matches!(meaning, Meaning::Gone) {
            (kept.is_copy, kept.digest) = (false, None);
        }
    }
    kept
}

fn archive(url: &PageUrl, lease: &Lease, answer: Answer, at: Timestamp, kept: &mut Kept) {
    let mut head = HttpHead::response(answer.status, "");
    answer.headers.iter().for_each(|(name, value)| head.push(name, value));
    let earlier = lease.values.archived_at.map(|at| RefersTo { url: url.as_str().to_owned(), at });
    let digest = Digest::of(&answer.body);
    let mut record = match earlier {
        Some(earlier) if answer.status == 304 => Archived::not_modified(url.as_str(), at, head, earlier),
        Some(earlier) if lease.values.digest == Some(digest) => Archived::same(url.as_str(), at, head, digest, earlier),
        _ => {
            (kept.is_copy, kept.digest) = (true, Some(digest));
            let response = Archived::response(url.as_str(), at, head, answer.body, false);
            Archived { payload: Some(digest), ..response }
        }
    };
    record.ip = answer.address.map(|address| address.ip());
    record.truncated = answer.truncated.then_some(Truncated::Length);
    kept.record = Some(record.encode());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_kept_but_is_no_copy_of_the_page() {
        let url = PageUrl::parse("http://e.org/a").unwrap();
        let values = Values { archived_at: Some(Timestamp(1)), ..Values::default() };
        let (page, depth, links_in) = (PageId(1), 0, 0);
        let lease = Lease { page, depth, links_in, values, archive: true, conditional: true };
        let kept = |status, meaning: &Meaning| {
            let body = b"something".to_vec();
            let answer = Answer { status, headers: Vec::new(), body, truncated: false, address: None };
            keep(&url, &lease, meaning, answer, Timestamp(2))
        };
        let gone = kept(404, &Meaning::Gone);
        assert_eq!((gone.record.is_some(), gone.is_copy, gone.digest), (true, false, None));
        let there = kept(200, &Meaning::Redirect(crate::examine::Target::Nowhere));
        assert!(there.record.is_some() && there.is_copy && there.digest.is_some());
    }

    #[test]
    fn a_feed_speaks_for_its_own_host_only() {
        let url = "https://a.org/feed";
        for own in ["https://a.org/feed", "http://www.a.org/atom.xml?x", "https://a.org:443/other"] {
            assert_eq!(topic(own, url).as_deref(), Some(own));
        }
        assert_eq!(topic("/atom.xml", url).as_deref(), Some("https://a.org/atom.xml"));
        for other in
            ["https://b.org/feed", "https://a.org:8443/feed", "//b.org/feed", "https://b.a.org/feed", "mailto:x"]
        {
            assert_eq!(topic(other, url), None, "{other}");
        }
    }
}
