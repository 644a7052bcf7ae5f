//! What errands bring: what a host allows, and which pages it knows of.

use std::borrow::Cow;
use std::sync::Arc;

use store::{Catalogue, HostId, RobotsTxt as Stored, Timestamp};

use super::robot::{Listing, Order, What};
use super::state::State;
use super::told::Told;
use super::{Hub, Record, freshness_host};
use crate::address::PageUrl;
use crate::examine::{self, FoundLink};
use crate::fetch::{Answer, FetchError};
use crate::frontier::{Errand, SignalKind};
use crate::robots_txt::{CACHE_TIME, MAX_BYTES, MAX_REDIRECTS, RobotsTxt, UNREACHABLE_LIMIT};

/// Unknown pages of a host that hubs may tell of in an hour.
const MOST_ANNOUNCED: u32 = 200;

/// An errand that is done.
pub(super) struct Done {
    pub(super) host: HostId,
    pub(super) url: PageUrl,
    pub(super) errand: Errand,
    pub(super) answer: Result<Answer, FetchError>,
    pub(super) listing: Listing,
}

impl State {
    /// Makes an errand ready for a robot, unless it is not needed.
    pub(super) fn errand(&mut self, host: HostId, errand: Errand, now: Timestamp) -> Result<Order, Vec<Record>> {
        if errand == Errand::RobotsTxt && self.rules_are_stored(host, now) {
            self.frontier.undo(freshness_host(host));
            return Err(Vec::new());
        }
        let address = match &errand {
            Errand::RobotsTxt => self.hosts[host.0 as usize].key.robots_txt(),
            Errand::Sitemap(url) | Errand::Feed(url) | Errand::Moved { url, .. } => PageUrl::parse(url),
        };
        let Some(validators) = self.reading(host, &errand, now.seconds()) else {
            self.frontier.undo(freshness_host(host));
            return Err(Vec::new());
        };
        let Ok(url) = address else {
            self.frontier.left(freshness_host(host), now.seconds());
            return Err(Vec::new());
        };
        Ok(Order { host, url, examiner: Arc::clone(&self.examiner), what: What::Errand(errand, validators) })
    }

    /// Goes by the `robots.txt` in the catalogue while that is not too old. Its sitemaps have been asked for.
    fn rules_are_stored(&mut self, host: HostId, now: Timestamp) -> bool {
        let Some((status, stored)) = self.stored_rules(host) else { return false };
        let age = now.seconds() - stored.fetched_at.seconds();
        if !(0.0..CACHE_TIME.as_secs_f64()).contains(&age) {
            return false;
        }
        let rules = RobotsTxt::from_answer(status, stored.body.as_bytes(), &self.settings.product_token);
        self.rules_hold(host, rules, stored.fetched_at);
        true
    }

    fn stored_rules(&self, host: HostId) -> Option<(u16, Stored)> {
        let stored = self.catalogue.robots_txt(host).ok().flatten()?;
        Some((stored.status?, stored))
    }

    pub(super) fn errand_done(&mut self, done: Done, now: Timestamp) -> Vec<Record> {
        let Done { host, url, errand, answer, listing } = done;
        let (errand, of, hops) = match errand {
            Errand::Moved { errand, of, hops, .. } => (*errand, HostId(of.0), hops),
            errand => (errand, host, 0),
        };
        let followed = moved(&url, &answer).filter(|_| usize::from(hops) < MAX_REDIRECTS);
        if let Some(to) = followed.filter(|to| self.may_follow(&errand, of, to)) {
            return self.send_on(errand, of, &to, hops + 1);
        }
        if errand == Errand::RobotsTxt {
            return self.rules_read(of, answer, now);
        }
        let mut records = match examine::wait_asked(&answer, now) {
            Some(_) => self.leave_alone(host, &examine::failure_of(&answer, now), now),
            None => Vec::new(),
        };
        let (mut met, mut told) = (Vec::new(), Told::default());
        match listing {
            Listing::None => {}
            Listing::Sitemaps(urls) => urls.iter().for_each(|url| self.take_listing(of, url, false)),
            Listing::Pages(pages) => (met, told) = self.told_of((of, &errand), pages, now),
            Listing::Feed(pages, hub) => {
                self.hubs.extend(hub);
                (met, told) = self.told_of((of, &errand), pages, now);
            }
        }
        records.extend(met);
        records.extend(self.listing_read(of, &errand, &answer, (told, now)));
        records
    }

    /// Rules are followed to wherever they are (RFC 9309, 2.3.1.2). Lists only within the crawl, and only if the host to which they
    /// lead is known to allow it: else they could send robots anywhere.
    fn may_follow(&self, errand: &Errand, of: HostId, to: &PageUrl) -> bool {
        if *errand == Errand::RobotsTxt {
            return true;
        }
        let is_own = to.origin() == self.hosts[of.0 as usize].key.as_str();
        let host = self.host_ids.get(to.origin()).map(|host| &self.hosts[host.0 as usize]);
        let rules = host.and_then(|host| host.rules.as_ref());
        (is_own || self.examiner.scope.reaches(to)) && rules.is_some_and(|rules| rules.allows(to.path_and_query()))
    }

    /// What has moved is looked for where it is said to be, when that host allows.
    fn send_on(&mut self, errand: Errand, of: HostId, to: &PageUrl, hops: u8) -> Vec<Record> {
        let mut records = Vec::new();
        let host = self.host_of(to, &mut records);
        let (errand, of, url) = (Box::new(errand), freshness_host(of), to.as_str().into());
        self.frontier.send(freshness_host(host), Errand::Moved { errand, of, url, hops });
        records
    }

    /// RFC 9309, 2.3.1: what is there counts, what is not there allows all, and if the server cannot say, nothing is allowed:
    /// the rules known before hold for some time, and without any the host is left alone.
    fn rules_read(&mut self, host: HostId, answer: Result<Answer, FetchError>, now: Timestamp) -> Vec<Record> {
        let told = answer.as_ref().ok().filter(|answer| answer.status < 500 && answer.status != 429);
        let text = told.and_then(|answer| match answer.status {
            200..=299 => answer.decoded(MAX_BYTES).ok(),
            _ => Some(Cow::Borrowed(&[][..])),
        });
        let Some((answer, text)) = told.zip(text) else {
            return self.rules_unreachable(host, &answer, now);
        };
        let rules = RobotsTxt::from_answer(answer.status, &text, &self.settings.product_token);
        let (status, body) = (Some(answer.status), String::from_utf8_lossy(&text).into_owned());
        self.hosts[host.0 as usize].unreachable_since = None;
        self.hosts[host.0 as usize].failures = 0;
        self.send_for_sitemaps(host, &rules);
        self.rules_hold(host, rules, now);
        vec![Record::RobotsTxt(Stored { host, status, fetched_at: now, body })]
    }

    fn rules_hold(&mut self, host: HostId, rules: RobotsTxt, since: Timestamp) {
        let delay = rules.delay().map(|delay| delay.as_secs_f64());
        let until = since.seconds() + CACHE_TIME.as_secs_f64();
        self.frontier.rules(freshness_host(host), until, delay);
        self.hosts[host.0 as usize].rules = Some(rules);
    }

    fn rules_unreachable(&mut self, host: HostId, answer: &Result<Answer, FetchError>, now: Timestamp) -> Vec<Record> {
        let mut failure = examine::failure_of(answer, now);
        failure.reason.insert_str(0, "robots.txt cannot be had: ");
        let state = &mut self.hosts[host.0 as usize];
        let since = *state.unreachable_since.get_or_insert(now.seconds());
        let limit = UNREACHABLE_LIMIT.as_secs_f64();
        if now.seconds() - since > limit {
            let rules = RobotsTxt::allow_all();
            self.send_for_sitemaps(host, &rules);
            self.rules_hold(host, rules, now);
            return Vec::new();
        }
        if let Some(rules) = state.rules.take() {
            self.send_for_sitemaps(host, &rules);
            self.rules_hold(host, rules, now);
            let is_overloaded = examine::wait_asked(answer, now).is_some();
            return if is_overloaded { self.leave_alone(host, &failure, now) } else { Vec::new() };
        }
        let records = self.leave_alone(host, &failure, now);
        // A crawl that visits every page once does not wait for ever, and not at all for what will not change.
        let is_hopeless = matches!(answer, Err(FetchError::Private(_)));
        let is_given_up = is_hopeless || self.hosts[host.0 as usize].failures >= self.settings.tries;
        if !(self.settings.once && is_given_up) {
            self.frontier.send(freshness_host(host), Errand::RobotsTxt);
        }
        records
    }

    /// Sitemaps are where `robots.txt` says, or perhaps at the usual place.
    fn send_for_sitemaps(&mut self, host: HostId, rules: &RobotsTxt) {
        self.hosts[host.0 as usize].listings.forget_missing_sitemaps();
        self.hosts[host.0 as usize].guess_sitemap = rules.sitemaps().is_empty();
        for url in rules.sitemaps() {
            self.take_listing(host, url, false);
        }
    }

    /// A page of the host has been read, so it is worth while to look for a sitemap of which `robots.txt` says nothing.
    pub(super) fn guess_sitemap(&mut self, host: HostId) {
        let state = &mut self.hosts[host.0 as usize];
        if std::mem::take(&mut state.guess_sitemap) {
            let usual = format!("{}/sitemap.xml", state.key.as_str());
            self.take_listing(host, &usual, false);
        }
    }

    /// Hubs that were found since this was last asked.
    pub(super) fn take_hubs(&mut self) -> Vec<Hub> {
        std::mem::take(&mut self.hubs)
    }

    /// Pages of which someone with a key says that they have changed just now, as far as they belong to the crawl.
    pub(super) fn pinged(&mut self, urls: &[String], now: Timestamp) -> Vec<Record> {
        let new = self.signal(urls);
        self.meet(&new, None, 1, now)
    }

    /// The same if a hub says so. It cannot fill the catalogue with pages that are not there.
    pub(super) fn announced(&mut self, urls: &[String], now: Timestamp) -> Vec<Record> {
        let mut new = self.signal(urls);
        new.retain(|link| self.may_announce(&link.url, now));
        self.meet(&new, None, 1, now)
    }

    /// Whether there may be one more unknown page of a host in this hour.
    fn may_announce(&mut self, url: &PageUrl, now: Timestamp) -> bool {
        let Some(host) = self.host_ids.get(url.origin()) else { return false };
        let (hour, count) = &mut self.hosts[host.0 as usize].announced;
        let this = now.0.div_euclid(3_600_000);
        if *hour != this {
            (*hour, *count) = (this, 0);
        }
        *count = count.saturating_add(1);
        *count <= MOST_ANNOUNCED
    }

    /// Notes that pages are said to have changed. Which of them are not known.
    fn signal(&mut self, urls: &[String]) -> Vec<FoundLink> {
        let mut new = Vec::new();
        for link in urls.iter().filter_map(|url| self.examiner.link(url)).collect::<Vec<_>>() {
            match self.frontier.find(link.key) {
                Some(page) => self.frontier.signal(page, SignalKind::Ping),
                None => new.push(link),
            }
        }
        new
    }
}

/// Where something has moved to.
fn moved(url: &PageUrl, answer: &Result<Answer, FetchError>) -> Option<PageUrl> {
    let answer = answer.as_ref().ok()?;
    match answer.status {
        301 | 302 | 303 | 307 | 308 => url.join(answer.header("location")?).ok(),
        _ => None,
    }
}
