//! Sitemaps and feeds: they are read again when what they are likely to tell is worth a request (law F-29), and sooner when a page
//! has gone that they may have replaced.

use std::collections::HashMap;

use freshness::learn::{News, reading_interval};
use serde::{Deserialize, Serialize};
use store::{Catalogue, HostId, PageId, Timestamp};

use super::robot::Validators;
use super::state::State;
use super::told::Told;
use super::{Record, freshness_host, freshness_page};
use crate::address::PageUrl;
use crate::fetch::{Answer, FetchError};
use crate::frontier::{Errand, ListId, SignalKind};
use crate::robots_txt::CACHE_TIME;

/// Sitemaps and feeds that are read of a host.
const MOST_SITEMAPS: usize = 1_000;
const MOST_FEEDS: usize = 20;

/// Of these what was learned is remembered over a restart.
const MOST_REMEMBERED: usize = 32;

/// Before anything is known, so much of the worth of all changes on a host is taken for that of what its lists tell.
const NEWS_PER_CHANGE: f64 = 0.01;

/// Lists that tell of less of the changes are not read sooner after a restart.
const WORTH_READING: f64 = 0.05;

/// A list of up to this size costs no more than a page.
const PAGE_BYTES: f64 = 65_536.0;

/// Something that lists pages of a host.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Listing {
    is_feed: bool,
    /// When it was last read, in seconds.
    read_at: Option<f64>,
    /// When it was read first.
    #[serde(default)]
    since: Option<f64>,
    /// It was not there.
    #[serde(default)]
    missing: bool,
    #[serde(default)]
    bytes: u64,
    #[serde(default)]
    news: [f64; 3],
    /// Not remembered, so that all of it is read after a restart.
    #[serde(skip)]
    validators: Validators,
    /// It is not read before.
    due: f64,
    /// Under which the frontier knows what it has told of.
    #[serde(skip)]
    id: Option<ListId>,
    /// Errands for it that the frontier has, for now or for later.
    #[serde(skip)]
    errands: u32,
}

/// The lists of a host, by address.
#[derive(Debug, Default)]
pub(super) struct Listings(HashMap<Box<str>, Listing>);

impl Listings {
    fn count(&self, feeds: bool) -> usize {
        self.0.values().filter(|listing| listing.is_feed == feeds).count()
    }

    /// Sitemaps that were not there are looked for again when someone tells of them.
    pub(super) fn forget_missing_sitemaps(&mut self) {
        self.0.retain(|_, listing| listing.is_feed || !listing.was_never());
    }

    /// What is remembered of them: feeds first, of which there are few, then the sitemaps that told most.
    pub(super) fn remembered(&self) -> Vec<(String, Listing)> {
        let mut read: Vec<_> = self.0.iter().filter(|(_, listing)| listing.read_at.is_some()).collect();
        read.sort_by(|(a, one), (b, other)| {
            other.is_feed.cmp(&one.is_feed).then(other.news[0].total_cmp(&one.news[0])).then(a.cmp(b))
        });
        let stored = read.into_iter().take(MOST_REMEMBERED);
        stored.map(|(url, listing)| (url.to_string(), listing.clone())).collect()
    }
}

impl State {
    /// Takes up a list of which a host has told, unless it is known. Only lists on the host itself count.
    pub(super) fn take_listing(&mut self, host: HostId, url: &str, is_feed: bool) {
        let state = &mut self.hosts[host.0 as usize];
        let own = PageUrl::parse(url).ok().filter(|url| url.origin() == state.key.as_str());
        let most = if is_feed { MOST_FEEDS } else { MOST_SITEMAPS };
        let Some(url) = own.filter(|url| !state.listings.0.contains_key(url.as_str())) else { return };
        if state.listings.count(is_feed) >= most {
            return;
        }
        let listing = Listing { errands: 1, ..Listing::new(is_feed) };
        state.listings.0.insert(url.as_str().into(), listing);
        self.frontier.send(freshness_host(host), errand(url.as_str(), is_feed));
    }

    /// Goes on with the lists that are remembered of a host.
    pub(super) fn restore_listings(&mut self, host: HostId, remembered: Vec<(String, Listing)>, now: Timestamp) {
        for (url, mut listing) in remembered.into_iter().take(MOST_REMEMBERED) {
            // Which pages it tells of is not remembered: if it is trusted it is read at once, so that they are left alone.
            let learner = self.frontier.signal_learner(freshness_host(host), kind(listing.is_feed));
            if self.reads_again() && learner.is_some_and(|learner| learner.model().recall() >= WORTH_READING) {
                listing.due = listing.due.min(now.seconds());
            }
            if self.reads_again() || listing.due <= now.seconds() {
                self.frontier.send_at(listing.due, freshness_host(host), errand(&url, listing.is_feed));
                listing.errands = 1;
            }
            self.hosts[host.0 as usize].listings.0.insert(url.into(), listing);
        }
    }

    /// What to ask for, if it is time to read a list. If it is not, because it was read for another reason or the clock was put
    /// back, it is read when it is: no list is forgotten.
    pub(super) fn reading(&mut self, host: HostId, errand: &Errand, now: f64) -> Option<Validators> {
        let listings = &mut self.hosts[host.0 as usize].listings.0;
        let Some(listing) = address(errand).and_then(|url| listings.get_mut(url)) else {
            return Some(Validators::default());
        };
        listing.errands = listing.errands.saturating_sub(1);
        if listing.due <= now {
            return Some(listing.validators.clone());
        }
        if listing.errands == 0 {
            listing.errands = 1;
            self.frontier.send_at(listing.due, freshness_host(host), errand.clone());
        }
        None
    }

    /// A list has been asked for, and this is what it told. It is read again when that is worth while.
    pub(super) fn listing_read(
        &mut self,
        host: HostId,
        errand: &Errand,
        answer: &Result<Answer, FetchError>,
        (told, now): (Told, Timestamp),
    ) -> Option<Record> {
        let listings = &mut self.hosts[host.0 as usize].listings.0;
        let url = address(errand)?;
        let listing = listings.get_mut(url)?;
        let now = now.seconds();
        listing.since.get_or_insert(now);
        listing.missing = matches!(answer, Ok(Answer { status: 404 | 410, .. }));
        if let Ok(answer) = answer {
            listing.told(answer, told, now);
        }
        self.appoint(host, errand, now);
        answer.is_ok().then(|| Record::Host(self.host_record(host)))
    }

    /// Settles when a list is read next: at the latest after a day.
    fn appoint(&mut self, host: HostId, errand: &Errand, now: f64) {
        let (frontier_host, reads_again) = (freshness_host(host), self.reads_again());
        let frontier = &self.frontier;
        let (price, changes) = (frontier.price_of(frontier_host), frontier.change_value(frontier_host));
        let (piece, least) = (frontier.mean_weight(frontier_host), frontier.least_revisit());
        let Some(listing) = address(errand).and_then(|url| self.hosts[host.0 as usize].listings.0.get_mut(url)) else {
            return;
        };
        let news = News::from_parts(listing.news).unwrap_or_default();
        let rate = news.rate(NEWS_PER_CHANGE * changes, piece);
        let price = price * (listing.bytes as f64 / PAGE_BYTES).max(1.0);
        let most = CACHE_TIME.as_secs_f64();
        if !reads_again || listing.was_never() {
            listing.due = now + most;
        } else {
            // What is known early on is little: at first the time doubles at most.
            let watched = now - listing.since.unwrap_or(now);
            let interval = reading_interval(price, rate).min(watched).max(least).clamp(1.0, most);
            // In whole milliseconds, as moments are: not due before the frontier says so, nor after.
            listing.due = ((now + interval) * 1e3).ceil() / 1e3;
        }
        let due = listing.due;
        // Sitemaps that were never there are taken up anew when someone tells of them, as robots.txt may every day.
        if reads_again && (listing.is_feed || !listing.was_never()) {
            listing.errands += 1;
            self.frontier.send_at(due, frontier_host, errand.clone());
        }
    }

    fn reads_again(&self) -> bool {
        !self.settings.once && self.settings.frontier.revisit
    }

    /// A page has gone that was last seen at that time: another may have taken its place. The page that led to it and the lists
    /// of its host are read, unless they have been since.
    pub(super) fn look_for_successors(&mut self, page: PageId, host: HostId, (seen, now): (f64, f64)) {
        let least = self.frontier.least_revisit();
        let is_old = |at: f64| at < seen && at + least <= now;
        let known = self.catalogue.page(page).ok().flatten();
        let referrer = known.and_then(|known| known.referrer).map(freshness_page);
        if let Some(page) = referrer.filter(|page| self.frontier.visited(*page).is_some_and(is_old)) {
            self.frontier.ask_for(page);
        }
        let mut hurried = Vec::new();
        for (url, listing) in &mut self.hosts[host.0 as usize].listings.0 {
            if listing.due > now && listing.read_at.is_some_and(is_old) {
                listing.due = now;
                listing.errands += 1;
                hurried.push(errand(url, listing.is_feed));
            }
        }
        hurried.sort();
        for errand in hurried {
            self.frontier.send(freshness_host(host), errand);
        }
    }

    /// Until when a list is known to have told before.
    pub(super) fn told_until(&self, host: HostId, errand: &Errand) -> Option<f64> {
        let listing = self.hosts[host.0 as usize].listings.0.get(address(errand)?)?;
        listing.id.and_then(|list| self.frontier.told_until(list)).or(listing.read_at)
    }

    /// The list of an errand as the frontier knows it.
    pub(super) fn list_of(&mut self, host: HostId, errand: &Errand) -> Option<ListId> {
        let listing = self.hosts[host.0 as usize].listings.0.get_mut(address(errand)?)?;
        Some(*listing.id.get_or_insert_with(|| self.frontier.add_list(kind(listing.is_feed))))
    }
}

impl Listing {
    /// A list that has not been read.
    fn new(is_feed: bool) -> Self {
        Self {
            is_feed,
            read_at: None,
            since: None,
            missing: false,
            bytes: 0,
            news: [0.0; 3],
            validators: Validators::default(),
            due: 0.0,
            id: None,
            errands: 0,
        }
    }

    /// Whether it is not there and never was, as far as is known: it is not looked for often. One that was there may come back.
    fn was_never(&self) -> bool {
        self.missing && self.bytes == 0
    }

    /// What the first reading tells is not news. A feed of so many changes that it has not told of all since the last reading says
    /// how much news there is in the time of which it tells.
    fn told(&mut self, answer: &Answer, told: Told, now: f64) {
        if let Some(before) = self.read_at {
            let mut learned = News::from_parts(self.news).unwrap_or_default();
            let from = if told.from < now { told.from.max(before) } else { before };
            learned.record(now - from, told.news);
            self.news = learned.to_parts();
        }
        self.read_at = Some(now);
        if answer.status == 200 {
            self.bytes = answer.body.len() as u64;
            let text = |name: &str| answer.header(name).map(str::to_owned);
            self.validators = Validators { etag: text("etag"), last_modified: text("last-modified") };
        }
    }
}

fn errand(url: &str, is_feed: bool) -> Errand {
    if is_feed { Errand::Feed(url.into()) } else { Errand::Sitemap(url.into()) }
}

pub(super) fn kind(is_feed: bool) -> SignalKind {
    if is_feed { SignalKind::Feed } else { SignalKind::Sitemap }
}

fn address(errand: &Errand) -> Option<&str> {
    match errand {
        Errand::Sitemap(url) | Errand::Feed(url) => Some(url),
        Errand::RobotsTxt | Errand::Moved { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a feed that is read every 100 s and reaches back 10 s, with a piece of news a second; and of one that reaches back far
    /// enough, one that says nothing new, and the first reading, which tells of what was before.
    #[test]
    fn news_is_counted_for_the_time_told_of() {
        for (from, news, rate) in [(10.0, 10.0, 1.0), (1_000.0, 100.0, 1.0), (f64::NEG_INFINITY, 0.0, 0.0)] {
            let mut listing = Listing::new(true);
            let answer = Answer { status: 304, headers: Vec::new(), body: Vec::new(), truncated: false, address: None };
            for reading in 0..5 {
                let now = 1e9 + 100.0 * f64::from(reading);
                listing.told(&answer, Told { news, from: now - from }, now);
            }
            let learned = News::from_parts(listing.news).unwrap();
            assert_eq!(learned.rate(0.0, 0.0), rate, "{from}");
            assert_eq!(listing.read_at, Some(1e9 + 400.0));
        }
    }
}
