//! What the fleet knows of all pages and hosts.

use std::collections::HashMap;
use std::sync::Arc;

use rapidhash::{RapidHashMap, RapidHashSet};
use store::{Catalogue, Host, HostId, NewPage, PageId, SqliteCatalogue, Standing, State as Known};
use store::{Timestamp, Values, Wish};

use super::demand::{DemandSettings, Demands};
use super::hidden::Hidden;
use super::listings::Listings;
use super::robot::{Lease, Order, What};
use super::sites::Sites;
use super::{Delivery, Hub, Record, freshness_host, freshness_page};
use crate::address::{HostKey, PageUrl};
use crate::examine::{Examiner, FoundLink, remembered};
use crate::fingerprint::NearDuplicates;
use crate::frontier::{Finding, Frontier, Settings, Task, section};
use crate::robots_txt::RobotsTxt;
use crate::scope::Weights;
use crate::trap::TrapGuard;
use crate::verdict::Verdict;

/// How pages are visited and what is done with what is found. Times are in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetSettings {
    /// How pages are chosen.
    pub frontier: Settings,
    /// The name by which `robots.txt` may address us.
    pub product_token: String,
    /// A document that waits for longer than this to be indexed is fetched again.
    pub obsolete_after: f64,
    /// Whether a waiting document becomes obsolete before that at the rate at which its page changes.
    pub learned_obsolescence: bool,
    /// The first wait after a failure; it doubles with each.
    pub retry: f64,
    /// Failures in a row after which a page is given up in a crawl that visits every page once.
    pub tries: u32,
    /// When pages that lead elsewhere, do not exist or cannot be read are looked at again.
    pub look_again: f64,
    /// Whether what servers answer is archived.
    pub archive: bool,
    /// Whether documents are indexed.
    pub index: bool,
    /// Whether every page is visited once.
    pub once: bool,
    /// What pages matter, where the user says so.
    pub weights: Weights,
    /// How it is learned what the others matter.
    pub demand: DemandSettings,
}

/// What is known of a host beside what the frontier knows.
#[derive(Debug)]
pub(super) struct HostState {
    pub(super) key: HostKey,
    pub(super) rules: Option<RobotsTxt>,
    pub(super) failures: u32,
    pub(super) listings: Listings,
    /// Whether a sitemap is to be looked for at the usual place once a page has been read.
    pub(super) guess_sitemap: bool,
    /// Since when its `robots.txt` cannot be had.
    pub(super) unreachable_since: Option<f64>,
    /// When the user was last told that it is in trouble.
    pub(super) warned_at: f64,
    /// Its sections, by number: 0 stands for all that are too many.
    pub(super) sections: Vec<String>,
    /// Why its pages could not be read the last time, in words, until they can be.
    pub(super) trouble: Option<String>,
    /// The last hour in which hubs told of pages of it that were not known, and how many.
    pub(super) announced: (i64, u32),
}

/// New pages that are kept in mind until their first visit.
const MOST_FRESH: usize = 16_384;

/// Sections of a host that are told apart.
const MOST_SECTIONS: usize = 64;

impl HostState {
    /// The number of the section of a page.
    pub(super) fn section_of(&mut self, url: &PageUrl) -> u16 {
        let section = section(url.path_and_query());
        let number = match self.sections.iter().position(|known| *known == section) {
            Some(known) => known + 1,
            None if self.sections.len() >= MOST_SECTIONS => 0,
            None => {
                self.sections.push(section);
                self.sections.len()
            }
        };
        number as u16
    }
}

/// All that the fleet knows.
pub struct State {
    /// The order of visits.
    pub frontier: Frontier,
    pub(super) settings: FleetSettings,
    pub(super) examiner: Arc<Examiner>,
    pub(super) hosts: Vec<HostState>,
    pub(super) host_ids: HashMap<HostKey, HostId>,
    pub(super) catalogue: SqliteCatalogue,
    /// Addresses and depths of new pages: of all that the catalogue does not have yet, and of some that have not been visited.
    pub(super) fresh: RapidHashMap<u32, (PageUrl, u16)>,
    /// How many pages the catalogue has.
    pub(super) catalogued: u32,
    pub(super) links_in: Vec<u32>,
    /// Pages with more links or asks than the catalogue knows of.
    pub(super) linked: RapidHashSet<u32>,
    pub(super) demands: Demands,
    /// What pages matter, where the user says so by command or configuration.
    pub(super) weights: Weights,
    pub(super) sites: Sites,
    pub(super) duplicates: NearDuplicates,
    pub(super) traps: TrapGuard,
    /// Pages that are to be forgotten as soon as their robot is back.
    pub(super) unwanted: RapidHashSet<u32>,
    /// Pages that are to be visited again as soon as their visit is over.
    pub(super) again: RapidHashSet<u32>,
    /// Known pages that someone asked for.
    pub(super) asked_for: RapidHashSet<u32>,
    /// What has been decided about pages since the catalogue last heard of them.
    pub(super) decided: RapidHashMap<u32, Known>,
    /// When pages were read of which the frontier has not heard yet, because what was found is not kept yet.
    pub(super) read_at: RapidHashMap<u32, f64>,
    pub(super) hidden: Hidden,
    /// When this process took up what was remembered.
    pub(super) began: f64,
    /// The latest change of which each kind of list has told for a page since its last visit, or in the second of it.
    pub(super) told: RapidHashMap<(u32, u8), i64>,
    /// Redirects in a row that led to these pages.
    pub(super) hops: RapidHashMap<u32, u8>,
    /// Hubs that were found and nobody has been told of.
    pub(super) hubs: Vec<Hub>,
}

impl State {
    pub(super) fn push_host(&mut self, key: HostKey) -> HostId {
        let id = HostId(self.frontier.add_host().0);
        self.host_ids.insert(key.clone(), id);
        self.hosts.push(HostState {
            key,
            rules: None,
            failures: 0,
            listings: Listings::default(),
            guess_sitemap: false,
            announced: (0, 0),
            unreachable_since: None,
            warned_at: f64::NEG_INFINITY,
            sections: Vec::new(),
            trouble: None,
        });
        self.obey_rules_of(id);
        id
    }

    pub(super) fn host_id(&self, url: &PageUrl) -> Option<HostId> {
        self.host_ids.get(url.origin()).copied()
    }

    /// The host of a page, which may be new.
    pub(super) fn host_of(&mut self, url: &PageUrl, records: &mut Vec<Record>) -> HostId {
        if let Some(id) = self.host_ids.get(url.origin()) {
            return *id;
        }
        let id = self.push_host(url.host_key());
        records.push(Record::Host(self.host_record(id)));
        id
    }

    pub(super) fn host_record(&self, id: HostId) -> Host {
        let blocked_until = Some(self.frontier.blocked_until(freshness_host(id))).filter(|until| until.is_finite());
        let host = &self.hosts[id.0 as usize];
        Host {
            id,
            name: host.key.as_str().to_owned(),
            delay: self.frontier.delay_of(freshness_host(id)),
            failures: host.failures,
            blocked_until: blocked_until.map(Timestamp::from_seconds),
            pages: self.frontier.pages_of(freshness_host(id)) as u32,
            learned: Some(self.learned(id)),
        }
    }

    /// The page of that address, if it is known.
    #[must_use]
    pub fn page_at(&self, url: &PageUrl) -> Option<PageId> {
        self.frontier.find(url.key(self.examiner.seed)).map(|page| PageId(page.0))
    }

    /// Takes up seeds.
    pub fn seed(&mut self, seeds: &[PageUrl], now: Timestamp) -> Vec<Record> {
        let links: Vec<FoundLink> =
            seeds.iter().map(|url| FoundLink { key: url.key(self.examiner.seed), url: url.clone() }).collect();
        self.meet(&links, None, 0, now)
    }

    /// Takes in links. New pages are queued unless they look like a trap or their site has enough. Links to known pages are
    /// counted.
    pub(super) fn meet(
        &mut self,
        links: &[FoundLink],
        referrer: Option<PageId>,
        depth: u16,
        now: Timestamp,
    ) -> Vec<Record> {
        let known: Vec<u32> = links.iter().filter_map(|link| self.frontier.find(link.key)).map(|page| page.0).collect();
        for page in known.into_iter().filter(|_| referrer.is_some()) {
            self.links_in[page as usize] += 1;
            self.linked.insert(page);
        }
        self.meet_new(links, referrer, depth, now)
    }

    /// Takes in the links of a page whose links have been counted before.
    pub(super) fn meet_new(
        &mut self,
        links: &[FoundLink],
        referrer: Option<PageId>,
        depth: u16,
        now: Timestamp,
    ) -> Vec<Record> {
        let (mut records, mut new) = (Vec::new(), Vec::new());
        for link in links {
            match self.frontier.find(link.key) {
                Some(_) => {}
                None if referrer.is_some() && self.traps.judge(&link.url) != Verdict::Take => {}
                None => new.extend(self.add(link, referrer, depth, now, &mut records)),
            }
        }
        if !new.is_empty() {
            records.push(Record::New(new));
        }
        records
    }

    fn add(
        &mut self,
        link: &FoundLink,
        referrer: Option<PageId>,
        depth: u16,
        now: Timestamp,
        records: &mut Vec<Record>,
    ) -> Option<NewPage> {
        let host = self.host_of(&link.url, records);
        if !self.has_room(host) {
            return None;
        }
        let links_in = u32::from(referrer.is_some());
        let (weight, is_fixed) = self.first_weight(&link.url, (links_in, depth));
        let section = self.hosts[host.0 as usize].section_of(&link.url);
        let id = PageId(self.frontier.add(link.key, (freshness_host(host), section), weight).0);
        self.links_in.push(links_in);
        self.demands.push(depth, is_fixed);
        self.fresh.insert(id.0, (link.url.clone(), depth));
        let url = link.url.as_str().to_owned();
        Some(NewPage { id, url, host, depth, found_at: now, referrer, weight, links_in })
    }

    /// Makes a task ready for a robot; or, if the page may not be visited, what must be remembered instead.
    pub(super) fn prepare(&mut self, task: Task, now: Timestamp) -> Result<Order, Vec<Record>> {
        match task {
            Task::Errand { host, errand } => self.errand(HostId(host.0), errand, now),
            Task::Page { page, host, .. } => self.lease(PageId(page.0), HostId(host.0), now),
        }
    }

    fn lease(&mut self, page: PageId, host: HostId, now: Timestamp) -> Result<Order, Vec<Record>> {
        let Some((url, standing, values)) = self.known_of(page) else {
            self.frontier.left(freshness_host(host), now.seconds());
            self.frontier.finish(freshness_page(page), now.seconds(), Finding::Never);
            return Err(Vec::new());
        };
        let rules = self.hosts[host.0 as usize].rules.as_ref();
        let is_allowed = rules.is_none_or(|rules| rules.allows(url.path_and_query()));
        if !is_allowed || !self.is_wanted(page, &url, standing.depth) {
            self.frontier.undo(freshness_host(host));
            return Err(vec![self.excluded(page, values, now)]);
        }
        let examiner = Arc::clone(&self.examiner);
        let (depth, links_in, archive) = (standing.depth, standing.links_in, self.settings.archive);
        // Only of a page that is shown is it enough to know that it is as before.
        let conditional = values.state == Known::Fetched && (values.indexed || !self.settings.index);
        let lease = Box::new(Lease { page, depth, links_in, values, archive, conditional });
        Ok(Order { host, url, examiner, what: What::Page(lease) })
    }

    /// Whether a page still belongs to the crawl: the configuration may have changed since it was found. Seeds and pages that
    /// someone asked for do.
    fn is_wanted(&self, page: PageId, url: &PageUrl, depth: u16) -> bool {
        if self.examiner.scope.judge(url, u32::from(depth)).is_take() || self.asked_for.contains(&page.0) {
            return true;
        }
        let is_given = |known: store::Page| known.referrer.is_none();
        depth == 0 && self.catalogue.page(page).ok().flatten().is_none_or(is_given)
    }

    /// What is known of a page: from memory if it is new, else from the catalogue. Every change of its values is part of a visit,
    /// also one that was not made, so that a page without one has none.
    pub(super) fn known_of(&self, page: PageId) -> Option<(PageUrl, Standing, Values)> {
        let links_in = self.links_in[page.0 as usize];
        if let Some((url, depth)) = self.fresh.get(&page.0) {
            let standing = Standing { depth: *depth, weight: self.frontier.weight(freshness_page(page)), links_in };
            return Some((url.clone(), standing, Values::default()));
        }
        let known = self.catalogue.page(page).ok().flatten()?;
        let url = PageUrl::parse(&known.url).ok()?;
        let weight = self.frontier.weight(freshness_page(page));
        Some((url, Standing { links_in, weight, ..known.standing }, known.values))
    }

    /// Visits that are remembered are over.
    pub fn kept(&mut self, visits: &[(PageId, Timestamp, Finding)], pages: u32) -> Vec<Record> {
        self.catalogued = self.catalogued.max(pages);
        if self.fresh.len() > MOST_FRESH {
            self.fresh.retain(|page, _| *page >= self.catalogued);
        }
        let mut records = Vec::new();
        for (page, at, finding) in visits {
            self.fresh.remove(&page.0);
            self.decided.remove(&page.0);
            self.read_at.remove(&page.0);
            self.weigh(*page, *at);
            if self.unwanted.remove(&page.0) {
                self.frontier.finish(freshness_page(*page), at.seconds(), Finding::Never);
                // Visits of a page are told apart by their time.
                records.extend(self.remove(*page, Timestamp(at.0 + 1)));
                self.visit_told(*page, at.seconds(), Finding::Never);
                continue;
            }
            self.frontier.finish(freshness_page(*page), at.seconds(), *finding);
            self.visit_told(*page, at.seconds(), *finding);
            if self.again.remove(&page.0) {
                self.frontier.ask_for(freshness_page(*page));
            }
        }
        let learned = self.frontier.take_refitted();
        records.extend(learned.into_iter().map(|host| Record::Host(self.host_record(HostId(host.0)))));
        records
    }

    /// Carries out a command that someone left.
    pub(super) fn command(&mut self, wish: Wish, url: &str, now: Timestamp) -> Vec<Record> {
        if let Wish::Weight(weight) = wish {
            return self.pattern_command(url, weight);
        }
        let Ok(url) = PageUrl::parse(url) else { return Vec::new() };
        let link = FoundLink { key: url.key(self.examiner.seed), url };
        match wish {
            Wish::Add if self.is_left(&link.url) => {
                let mut records = self.site_command(wish, &link.url, now);
                records.extend(self.take_up(link, now));
                records
            }
            Wish::Add => self.take_up(link, now),
            Wish::Remove => {
                let Some(page) = self.frontier.find(link.key) else { return Vec::new() };
                self.asked_for.remove(&page.0);
                self.remove(PageId(page.0), now)
            }
            _ => self.site_command(wish, &link.url, now),
        }
    }

    /// Takes a page up that someone asks for, or visits it soon.
    pub(super) fn take_up(&mut self, link: FoundLink, now: Timestamp) -> Vec<Record> {
        let Some(page) = self.frontier.find(link.key) else { return self.meet(&[link], None, 0, now) };
        self.asked_for.insert(page.0);
        self.want(page);
        Vec::new()
    }

    /// Visits a page soon, also one that was removed just before: the last word holds.
    pub(super) fn want(&mut self, page: freshness::PageId) {
        self.unwanted.remove(&page.0);
        if !self.frontier.is_out(page) {
            self.frontier.ask_for(page);
        } else if self.decided.get(&page.0) == Some(&Known::Excluded) {
            // That it was removed is not kept yet.
            self.again.insert(page.0);
        }
    }

    /// Forgets a page of a site that the user does not want, unless it is forgotten.
    pub(super) fn leave(&mut self, page: PageId, now: Timestamp) -> Vec<Record> {
        self.asked_for.remove(&page.0);
        let is_removed = self.known_of(page).is_some_and(|(_, _, values)| values.is_removed());
        if is_removed { Vec::new() } else { self.remove(page, now) }
    }

    fn remove(&mut self, page: PageId, now: Timestamp) -> Vec<Record> {
        self.again.remove(&page.0);
        if self.frontier.is_out(freshness_page(page)) {
            // What its visit finds is on its way: it is taken out after that.
            self.unwanted.insert(page.0);
            return Vec::new();
        }
        let Some((_, _, values)) = self.known_of(page) else {
            self.frontier.forget(freshness_page(page));
            return Vec::new();
        };
        // Until that is kept, what the catalogue says of it is no longer so, and it is not visited.
        self.frontier.lend(freshness_page(page));
        vec![self.excluded_for_good(page, values, now)]
    }

    pub(super) fn forget_text(&mut self, page: PageId, values: &Values) {
        if let Some(text) = remembered(values) {
            _ = self.duplicates.remove(page.0, &text);
        }
    }

    /// A document that was not indexed: the page is visited again, and its text was never seen.
    pub(super) fn returned(&mut self, delivery: &Delivery) -> Vec<Record> {
        let (page, at) = (delivery.document.page, delivery.document.fetched_at);
        self.forget_text(page, &delivery.visit.change.values);
        self.decided.remove(&page.0);
        self.read_at.remove(&page.0);
        if self.unwanted.remove(&page.0) {
            self.frontier.finish(freshness_page(page), at.seconds(), Finding::Never);
            return self.remove(page, at);
        }
        self.frontier.release(freshness_page(page));
        Vec::new()
    }

    /// Pages with more links or asks than the catalogue knows of, some of them: how many links, and what they matter.
    pub fn links(&mut self, most: usize) -> Vec<(PageId, u32, f32)> {
        let known = self.linked.iter().filter(|page| **page < self.catalogued);
        let pages: Vec<u32> = known.take(most).copied().collect();
        pages.iter().for_each(|page| _ = self.linked.remove(page));
        let weight = |page: u32| self.frontier.weight(freshness_page(PageId(page)));
        pages.into_iter().map(|page| (PageId(page), self.links_in[page as usize], weight(page))).collect()
    }
}
