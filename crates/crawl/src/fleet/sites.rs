//! What the user has said about sites beside the configuration: by commands, while the engine ran or between two runs.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use store::{HostId, PageId, Timestamp, Wish};

use super::state::State;
use super::{Record, freshness_host, freshness_page};
use crate::address::PageUrl;
use crate::examine::FoundLink;

/// The catalogue's name for what is remembered of it.
pub const SITES_NOTE: &str = "sites";

/// Pages looked at before other things have their turn again.
const HANDFUL: usize = 256;

/// Seeds, sites and patterns that are remembered.
const MOST_RULES: usize = 100_000;

/// Whether a site is crawled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Presence {
    /// It is.
    #[default]
    Crawled,
    /// Nothing is asked of it for now.
    Paused,
    /// Its pages are being forgotten.
    Leaving,
    /// Its pages are forgotten, and no others are taken up.
    Removed,
}

/// What the user has said about a site.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SiteRule {
    /// Whether it is crawled.
    pub presence: Presence,
    /// Seconds between requests, if not as for all sites.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<f64>,
    /// Most pages, if not as for all sites.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_pages: Option<u32>,
}

/// What the user has said about sites.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SiteRules {
    /// Where sites begin that were added.
    pub seeds: Vec<String>,
    /// By name: `scheme://host[:port]`.
    pub sites: BTreeMap<String, SiteRule>,
    /// Patterns of addresses, and what pages matter that match; the longest pattern first.
    pub weights: Vec<(String, f32)>,
}

impl SiteRules {
    /// Reads what the catalogue remembers. What makes no sense counts as nothing.
    #[must_use]
    pub fn read(note: Option<&str>) -> Self {
        note.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }

    /// What was said about a site.
    #[must_use]
    pub fn of(&self, site: &str) -> SiteRule {
        self.sites.get(site).copied().unwrap_or_default()
    }

    fn set(&mut self, site: &str, rule: SiteRule) {
        if rule == SiteRule::default() {
            self.sites.remove(site);
        } else if self.sites.len() < MOST_RULES || self.sites.contains_key(site) {
            self.sites.insert(site.to_owned(), rule);
        }
    }

    fn weigh(&mut self, pattern: &str, weight: Option<f32>) {
        self.weights.retain(|(known, _)| known != pattern);
        if let Some(weight) = weight.filter(|_| self.weights.len() < MOST_RULES) {
            self.weights.push((pattern.to_owned(), weight));
            self.weights.sort_by_key(|(known, _)| std::cmp::Reverse(known.len()));
        }
    }
}

/// Something to be done with many pages, a handful at a time.
#[derive(Clone, Copy, Debug)]
struct Chore {
    what: What,
    /// The pages of this host; all if there is none.
    host: Option<HostId>,
    /// How many have been looked at.
    done: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Weigh,
    Forget,
    Revive,
}

/// What the user has said about sites, and what is still to be done about it.
#[derive(Debug, Default)]
pub(super) struct Sites {
    pub(super) rules: SiteRules,
    chores: VecDeque<Chore>,
}

impl State {
    /// Goes on with what was said before. Comes before hosts and pages are restored.
    pub(super) fn restore_sites(&mut self, note: Option<&str>) {
        self.sites.rules = SiteRules::read(note);
        let seeds: Vec<PageUrl> = self.sites.rules.seeds.iter().filter_map(|seed| PageUrl::parse(seed).ok()).collect();
        self.widen_scope(&seeds);
        self.take_weights();
    }

    /// A host that has been taken up is treated as was said.
    pub(super) fn obey_rules_of(&mut self, id: HostId) {
        let rule = self.sites.rules.of(self.hosts[id.0 as usize].key.as_str());
        if rule == SiteRule::default() {
            return;
        }
        self.frontier.hold(freshness_host(id), rule.presence != Presence::Crawled);
        self.frontier.set_delay_of(freshness_host(id), rule.delay);
        if rule.presence == Presence::Leaving {
            self.begin(What::Forget, Some(id));
        }
    }

    /// Whether the site of a page was removed.
    pub(super) fn is_left(&self, url: &PageUrl) -> bool {
        matches!(self.sites.rules.of(url.origin()).presence, Presence::Leaving | Presence::Removed)
    }

    /// Whether a host may have one more page.
    pub(super) fn has_room(&self, id: HostId) -> bool {
        let rule = self.sites.rules.of(self.hosts[id.0 as usize].key.as_str());
        let pages = self.frontier.pages_of(freshness_host(id)) as u64;
        let is_there = matches!(rule.presence, Presence::Crawled | Presence::Paused);
        match rule.most_pages {
            Some(most) => is_there && pages < u64::from(most),
            None => is_there && self.examiner.scope.judge_site(pages).is_take(),
        }
    }

    /// Carries out a command about a site.
    pub(super) fn site_command(&mut self, wish: Wish, url: &PageUrl, now: Timestamp) -> Vec<Record> {
        let name = url.origin();
        let mut rule = self.sites.rules.of(name);
        let before = rule.presence;
        let was_gone = matches!(before, Presence::Leaving | Presence::Removed);
        match wish {
            Wish::Pause if !was_gone => rule.presence = Presence::Paused,
            Wish::Resume | Wish::AddSite | Wish::Add => rule.presence = Presence::Crawled,
            Wish::RemoveSite if before != Presence::Removed => rule.presence = Presence::Leaving,
            Wish::Delay(delay) => rule.delay = delay,
            Wish::MostPages(most) => rule.most_pages = most,
            _ => {}
        }
        self.sites.rules.set(name, rule);
        let is_gone = matches!(rule.presence, Presence::Leaving | Presence::Removed);
        if is_gone {
            self.sites.rules.seeds.retain(|seed| PageUrl::parse(seed).is_ok_and(|seed| seed.origin() != name));
        }
        let mut records = Vec::new();
        if let Some(id) = self.host_id(url) {
            self.sites.chores.retain(|chore| chore.host != Some(id) || chore.what == What::Weigh);
            self.frontier.hold(freshness_host(id), rule.presence != Presence::Crawled);
            self.frontier.set_delay_of(freshness_host(id), rule.delay);
            match (wish, is_gone) {
                (Wish::Resume | Wish::AddSite, _) if was_gone => self.begin(What::Revive, Some(id)),
                (_, true) if rule.presence == Presence::Leaving => self.begin(What::Forget, Some(id)),
                _ => {}
            }
        } else if rule.presence == Presence::Leaving {
            self.sites.rules.set(name, SiteRule { presence: Presence::Removed, ..rule });
        }
        if wish == Wish::AddSite {
            records.extend(self.begin_site(url, now));
        }
        records.push(self.site_note());
        records
    }

    /// Pages that match the pattern matter this much from now on.
    pub(super) fn pattern_command(&mut self, pattern: &str, weight: Option<f32>) -> Vec<Record> {
        self.sites.rules.weigh(pattern, weight);
        if !self.take_weights() {
            self.sites.rules.weigh(pattern, None);
            self.take_weights();
            return Vec::new();
        }
        let site = PageUrl::parse(pattern).ok().filter(|url| url.as_str() == pattern);
        let host = site.and_then(|url| self.host_id(&url));
        let is_elsewhere = host.is_none() && pattern.starts_with("http") && !pattern.contains('*');
        if !is_elsewhere {
            self.begin(What::Weigh, host);
        }
        vec![self.site_note()]
    }

    /// Does some of what is to be done with many pages. Whether there is more to do.
    pub(super) fn work_off(&mut self, now: Timestamp, records: &mut Vec<Record>) -> bool {
        let Some(mut chore) = self.sites.chores.pop_front() else { return false };
        for _ in 0..HANDFUL {
            let page = match chore.host {
                Some(host) => self.frontier.page_of(freshness_host(host), chore.done).map(|page| PageId(page.0)),
                None => Some(PageId(chore.done as u32)).filter(|page| (page.0 as usize) < self.frontier.len()),
            };
            let Some(page) = page else {
                records.extend(self.ended(chore));
                return !self.sites.chores.is_empty();
            };
            chore.done += 1;
            match chore.what {
                What::Weigh => self.weigh_anew(page, now),
                What::Forget => records.extend(self.leave(page, now)),
                What::Revive if self.is_out_or_forgotten(page) => self.want(freshness_page(page)),
                What::Revive => {}
            }
        }
        self.sites.chores.push_back(chore);
        true
    }

    fn is_out_or_forgotten(&self, page: PageId) -> bool {
        self.frontier.is_out(freshness_page(page)) || self.frontier.is_forgotten(freshness_page(page))
    }

    /// Whether something is still to be done with many pages.
    pub(super) fn has_chores(&self) -> bool {
        !self.sites.chores.is_empty()
    }

    fn begin(&mut self, what: What, host: Option<HostId>) {
        self.sites.chores.push_back(Chore { what, host, done: 0 });
    }

    fn ended(&mut self, chore: Chore) -> Option<Record> {
        let id = chore.host.filter(|_| chore.what == What::Forget)?;
        let name = self.hosts[id.0 as usize].key.as_str().to_owned();
        let rule = SiteRule { presence: Presence::Removed, ..self.sites.rules.of(&name) };
        self.sites.rules.set(&name, rule);
        Some(self.site_note())
    }

    /// Crawls the site of a page, beginning there.
    fn begin_site(&mut self, url: &PageUrl, now: Timestamp) -> Vec<Record> {
        let text = url.as_str().to_owned();
        if self.sites.rules.seeds.len() < MOST_RULES && !self.sites.rules.seeds.contains(&text) {
            self.sites.rules.seeds.push(text);
            self.widen_scope(std::slice::from_ref(url));
        }
        self.take_up(FoundLink { key: url.key(self.examiner.seed), url: url.clone() }, now)
    }

    fn widen_scope(&mut self, seeds: &[PageUrl]) {
        if !seeds.is_empty() {
            let mut examiner = (*self.examiner).clone();
            examiner.scope.add_seeds(seeds);
            self.examiner = Arc::new(examiner);
        }
    }

    /// What was said by commands goes before the configuration. Whether all of it is understood.
    fn take_weights(&mut self) -> bool {
        let weights = self.settings.weights.after(&self.sites.rules.weights);
        weights.map(|weights| self.weights = weights).is_ok()
    }

    fn weigh_anew(&mut self, page: PageId, now: Timestamp) {
        let Some((url, standing, _)) = self.known_of(page) else { return };
        let fixed = self.weights.fixed(&url);
        self.demands.fix(page.0, standing.depth, fixed.is_some());
        match fixed {
            Some(weight) => self.frontier.set_weight(freshness_page(page), weight),
            None => self.weigh(page, now),
        }
        self.linked.insert(page.0);
    }

    fn site_note(&self) -> Record {
        // It has no keys that are not text, so this does not fail.
        Record::Note(SITES_NOTE.to_owned(), serde_json::to_string(&self.sites.rules).unwrap_or_default())
    }
}
