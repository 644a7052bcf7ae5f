//! What errands bring: what a host allows, and which pages it knows of.

use store::{HostId, PageId, RobotsTxt as Stored, Timestamp};

use super::state::State;
use super::{Record, freshness_host};
use crate::address::PageUrl;
use crate::examine::FoundLink;
use crate::fetch::{Answer, FetchError};
use crate::frontier::Errand;
use crate::robots_txt::{CACHE_TIME, RobotsTxt, UNREACHABLE_LIMIT};
use crate::{feed, sitemap};

/// Sitemaps read of a host each time its `robots.txt` is.
const MOST_SITEMAPS: usize = 1_000;

impl State {
    pub(super) fn errand_done(
        &mut self,
        host: HostId,
        errand: &Errand,
        answer: Result<Answer, FetchError>,
        now: Timestamp,
    ) -> Vec<Record> {
        match errand {
            Errand::RobotsTxt => self.rules_read(host, answer, now),
            Errand::Sitemap(_) => answer.map_or_else(|_| Vec::new(), |answer| self.sitemap_read(host, &answer, now)),
            Errand::Feed(_) => answer.map_or_else(|_| Vec::new(), |answer| self.feed_read(host, &answer, now)),
        }
    }

    /// RFC 9309, 2.3.1: what is there counts, what is not there allows all, and if the server cannot say, nothing is allowed:
    /// the rules known before hold for some time, and without any the host is left alone.
    fn rules_read(&mut self, host: HostId, answer: Result<Answer, FetchError>, now: Timestamp) -> Vec<Record> {
        let body = answer.as_ref().ok().filter(|answer| answer.status < 500 && answer.status != 429);
        let Some(answer) = body else { return self.rules_unreachable(host, now) };
        let text = answer.decoded(self.examiner.most_bytes).unwrap_or_default();
        let rules = RobotsTxt::from_answer(answer.status, &text, &self.settings.product_token);
        let (status, body) = (Some(answer.status), String::from_utf8_lossy(&text).into_owned());
        self.hosts[host.0 as usize].unreachable_since = None;
        self.hosts[host.0 as usize].failures = 0;
        self.rules_hold(host, rules, now);
        vec![Record::RobotsTxt(Stored { host, status, fetched_at: now, body })]
    }

    fn rules_hold(&mut self, host: HostId, rules: RobotsTxt, now: Timestamp) {
        let delay = rules.delay().map(|delay| delay.as_secs_f64());
        let until = now.seconds() + CACHE_TIME.as_secs_f64();
        self.frontier.rules(freshness_host(host), until, delay);
        self.send_for_sitemaps(host, &rules);
        self.hosts[host.0 as usize].rules = Some(rules);
    }

    fn rules_unreachable(&mut self, host: HostId, now: Timestamp) -> Vec<Record> {
        let state = &mut self.hosts[host.0 as usize];
        let since = *state.unreachable_since.get_or_insert(now.seconds());
        let limit = UNREACHABLE_LIMIT.as_secs_f64();
        if now.seconds() - since > limit {
            self.rules_hold(host, RobotsTxt::allow_all(), now);
            return Vec::new();
        }
        if let Some(rules) = state.rules.take() {
            self.rules_hold(host, rules, now);
            return Vec::new();
        }
        state.failures = state.failures.saturating_add(1);
        let wait = super::change::backoff(self.settings.retry, state.failures, host.0);
        let until = Timestamp::from_seconds(now.seconds() + wait);
        self.frontier.block(freshness_host(host), until.seconds());
        self.frontier.send(freshness_host(host), Errand::RobotsTxt);
        vec![Record::Host(self.host_record(host))]
    }

    /// Sitemaps are where `robots.txt` says, or at the usual place.
    fn send_for_sitemaps(&mut self, host: HostId, rules: &RobotsTxt) {
        let origin = self.hosts[host.0 as usize].key.as_str().to_owned();
        let mut listed: Vec<String> = rules.sitemaps().to_vec();
        if listed.is_empty() {
            listed.push(format!("{origin}/sitemap.xml"));
        }
        self.hosts[host.0 as usize].sitemaps = 0;
        for url in listed {
            self.send_for_sitemap(host, &url);
        }
        for feed in self.hosts[host.0 as usize].feeds.clone() {
            self.frontier.send(freshness_host(host), Errand::Feed(feed.as_str().into()));
        }
    }

    fn send_for_sitemap(&mut self, host: HostId, url: &str) {
        let state = &mut self.hosts[host.0 as usize];
        let own = PageUrl::parse(url).ok().filter(|url| url.origin() == state.key.as_str());
        let Some(url) = own.filter(|_| state.sitemaps < MOST_SITEMAPS) else { return };
        state.sitemaps += 1;
        self.frontier.send(freshness_host(host), Errand::Sitemap(url.as_str().into()));
    }

    fn sitemap_read(&mut self, host: HostId, answer: &Answer, now: Timestamp) -> Vec<Record> {
        let Some(body) = good(answer, self.examiner.most_bytes) else { return Vec::new() };
        let mut entries = Vec::new();
        let report =
            sitemap::read(&body, &sitemap::Limits::default(), |entry| entries.push((entry.loc, entry.lastmod)));
        match report {
            Ok(report) if report.is_index => {
                entries.iter().for_each(|(url, _)| self.send_for_sitemap(host, url));
                Vec::new()
            }
            Ok(_) => self.told_of(&entries, now),
            Err(_) => Vec::new(),
        }
    }

    fn feed_read(&mut self, _host: HostId, answer: &Answer, now: Timestamp) -> Vec<Record> {
        let Some(body) = good(answer, self.examiner.most_bytes) else { return Vec::new() };
        let Ok(feed) = feed::read(&body, &feed::Limits::default()) else { return Vec::new() };
        let entries: Vec<(String, Option<i64>)> =
            feed.entries.into_iter().map(|entry| (entry.link, entry.updated.or(entry.published))).collect();
        self.told_of(&entries, now)
    }

    /// Pages that a sitemap or feed names: unknown ones are taken up, and a date after the last visit is a signal.
    fn told_of(&mut self, entries: &[(String, Option<i64>)], now: Timestamp) -> Vec<Record> {
        let mut links = Vec::new();
        for (url, changed) in entries {
            let Ok(url) = PageUrl::parse(url) else { continue };
            if !self.examiner.scope.judge(&url, 1).is_take() {
                continue;
            }
            let key = url.key(self.examiner.seed);
            match (self.frontier.find(key), changed) {
                (None, _) => links.push(FoundLink { url, key }),
                (Some(page), Some(changed)) => {
                    let changed = *changed as f64;
                    if changed <= now.seconds() && self.frontier.visited(page).is_some_and(|at| at < changed) {
                        self.frontier.signal(page, now.seconds());
                    }
                }
                (Some(_), None) => {}
            }
        }
        self.meet(&links, None, 1, now)
    }

    /// Whether a page is shown, or may be once it has been visited.
    pub(super) fn is_shown_or_unknown(&self, page: PageId) -> bool {
        use store::State as Known;
        self.known_of(page).is_some_and(|(_, _, values)| matches!(values.state, Known::Known | Known::Fetched))
    }
}

fn good(answer: &Answer, most: usize) -> Option<Vec<u8>> {
    (answer.status == 200).then(|| answer.decoded(most).ok()).flatten()
}
