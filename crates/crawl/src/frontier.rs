//! Which page may be fetched now, and which is worth most.
//!
//! A state machine without clock and network: the caller tells the time, in seconds, and what each visit found. All that is kept
//! in memory of a page is what decides about its next visit, some 100 bytes; its address and the rest stay in the catalogue.
//!
//! New pages, pages to be tried again and errands (`robots.txt`, sitemaps, feeds) wait in queues, one per host. Pages that have
//! been fetched are in the index policy of crate [`freshness`], which always hands out the one whose visit is worth most. A host
//! takes part only while it may be visited, so a slow or blocked one holds up nobody else.

mod budget;
mod calendar;
mod draw;
mod host;
mod known;
mod lists;
mod look;
mod oldest;
mod outlook;
mod places;
mod rates;
mod remembered;
mod section;
mod settings;
mod signals;
mod task;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use freshness::index::IndexPolicy;
use freshness::learn::{Evidence, Prior};
use freshness::{HostId, PageId};

use budget::Budget;
use calendar::{Calendar, Moment};
pub use host::Errand;
use host::Host;
use known::Known;
pub use lists::ListId;
use lists::{LIST_KINDS, Lists};
pub use look::KeptFresh;
use oldest::Oldest;
pub use outlook::{Outlook, Prospect, Waits};
use rates::{Fitted, Rates};
pub use remembered::{Remaining, Remembered};
pub use section::section;
pub use settings::Settings;
use signals::Heard;
pub use signals::SignalKind;
pub use task::{Draw, Finding, Task, Why};

/// Where a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Queue,
    Out,
    Index,
    /// Visited so lately that it may not be visited again.
    Resting,
    /// To be tried again at a time.
    Waiting,
    Nowhere,
}

#[derive(Clone, Copy, Debug)]
struct Page {
    key: u64,
    visited: f64,
    host: u32,
    weight: f32,
    evidence: Evidence,
    signals: signals::Counts,
    place: Place,
    section: u16,
    /// The reading of its sitemap that named it last.
    reading: u16,
    /// The sitemap and the feed that tell of it.
    lists: [Option<ListId>; LIST_KINDS],
}

impl Page {
    /// Whether there is a copy of it and it is visited again.
    fn is_kept_fresh(&self) -> bool {
        self.visited > f64::NEG_INFINITY && self.place != Place::Nowhere
    }

    /// The pages that tell most about its change rate.
    fn group(&self) -> rates::Group {
        (self.host, self.section)
    }
}

/// All known pages, and the order in which they are visited.
#[derive(Debug)]
pub struct Frontier {
    settings: Settings,
    pages: Vec<Page>,
    known: Known,
    hosts: Vec<Host>,
    calendar: Calendar,
    refresh: IndexPolicy,
    oldest: Oldest,
    waiting: BinaryHeap<Reverse<(Moment, u32)>>,
    /// Errands for a time to come.
    appointments: BinaryHeap<Reverse<(Moment, HostId, Errand)>>,
    budget: Budget,
    rates: Rates,
    lists: Lists,
    discovery_credit: f64,
    reserve_credit: f64,
    queued: usize,
    out: usize,
    /// Pages that are to be tried again later.
    postponed: usize,
    /// Errands queued, and requests under way.
    errands: usize,
    in_flight: usize,
    /// Hosts whose prior was fitted anew, and those of them that have pages with rates from an older one, in turn.
    refitted: Vec<HostId>,
    outdated: VecDeque<u32>,
}

impl Frontier {
    /// An empty frontier. `prior` is what is believed of the change rate of a page of which nothing is known.
    #[must_use]
    pub fn new(settings: Settings, prior: Prior) -> Self {
        let mut refresh = IndexPolicy::new();
        refresh.set_lead(settings.budget.map_or(0.0, |rate| 0.5 / rate));
        Self {
            budget: Budget::new(settings.budget),
            settings,
            pages: Vec::new(),
            known: Known::default(),
            hosts: Vec::new(),
            calendar: Calendar::default(),
            refresh,
            oldest: Oldest::default(),
            waiting: BinaryHeap::new(),
            appointments: BinaryHeap::new(),
            rates: Rates::new(prior),
            lists: Lists::default(),
            discovery_credit: 0.0,
            reserve_credit: 0.0,
            queued: 0,
            out: 0,
            postponed: 0,
            errands: 0,
            in_flight: 0,
            refitted: Vec::new(),
            outdated: VecDeque::new(),
        }
    }

    /// What is believed of the change rate of a page of this host of which nothing else is known.
    #[must_use]
    pub fn prior_of(&self, host: HostId) -> Prior {
        self.rates.prior_of_host(host.0)
    }

    /// What is believed of such a page of a section of this host.
    #[must_use]
    pub fn prior_of_section(&self, host: HostId, section: u16) -> Prior {
        *self.rates.prior_of((host.0, section))
    }

    /// Hosts of whose pages more has been learned since this was last asked.
    pub fn take_refitted(&mut self) -> Vec<HostId> {
        std::mem::take(&mut self.refitted)
    }

    /// Adds a host. As soon as it has a page, its first errand is to fetch `robots.txt`.
    pub fn add_host(&mut self) -> HostId {
        let id = HostId(self.hosts.len() as u32);
        self.hosts.push(Host::new(self.settings.delay));
        self.refresh.close_host(id, f64::INFINITY);
        id
    }

    /// The page with this key, if it is known.
    #[must_use]
    pub fn find(&self, key: u64) -> Option<PageId> {
        self.known.find(key, |page| self.pages[page as usize].key).map(PageId)
    }

    /// Adds a page that is not known yet, to be visited when its turn comes.
    pub fn add(&mut self, key: u64, (host, section): (HostId, u16), weight: f32) -> PageId {
        let (evidence, place) = (Evidence::default(), Remaining::Queued);
        let page = self.push(Remembered { key, host, section, weight, evidence, place });
        self.enqueue(page.0, false);
        page
    }

    /// Takes in everything the catalogue remembers, in the order of page numbers.
    pub fn restore(&mut self, remembered: impl IntoIterator<Item = Remembered>) {
        let mut fetched: Vec<(f64, u32)> = Vec::new();
        for page in remembered {
            let PageId(id) = self.push(page);
            match page.place {
                Remaining::Queued => self.enqueue(id, false),
                Remaining::Fetched(at) => fetched.push((at, id)),
                Remaining::Later(at, before) => {
                    self.pages[id as usize].visited = before.unwrap_or(f64::NEG_INFINITY);
                    self.wait(id, at);
                }
                Remaining::Never => {}
            }
            self.rates.restore((page.host.0, page.section), id, page.evidence);
        }
        self.rates.fit_all();
        fetched.sort_by(|a, b| a.0.total_cmp(&b.0));
        self.refresh.reserve(self.pages.len());
        for (at, id) in fetched {
            self.pages[id as usize].visited = at;
            self.rest(id);
        }
    }

    fn push(&mut self, page: Remembered) -> PageId {
        let id = self.pages.len() as u32;
        self.pages.push(Page {
            key: page.key,
            visited: f64::NEG_INFINITY,
            host: page.host.0,
            weight: page.weight,
            evidence: page.evidence,
            signals: [0; 3],
            place: Place::Nowhere,
            section: page.section,
            reading: 0,
            lists: [None; LIST_KINDS],
        });
        self.known.insert(page.key, id, |other| self.pages[other as usize].key);
        if self.hosts[page.host.0 as usize].pages.is_empty() {
            self.send(page.host, Errand::RobotsTxt);
        }
        self.hosts[page.host.0 as usize].pages.push(id);
        PageId(id)
    }

    /// Visits a page as soon as its host allows, before those queued so far.
    pub fn ask_for(&mut self, page: PageId) {
        if !matches!(self.pages[page.0 as usize].place, Place::Out | Place::Queue) {
            self.withdraw(page);
            self.enqueue(page.0, true);
        }
    }

    /// Never visits a page again, unless it is asked for. If it is with a robot, that visit will be the last: the caller answers
    /// it with [`Finding::Never`].
    pub fn forget(&mut self, page: PageId) {
        if !self.is_out(page) {
            self.withdraw(page);
            self.rates.forget(self.pages[page.0 as usize].group(), page.0);
        }
    }

    /// Takes a page that is not with a robot from where it is.
    fn withdraw(&mut self, page: PageId) {
        let before = std::mem::replace(&mut self.pages[page.0 as usize].place, Place::Nowhere);
        match before {
            Place::Index => _ = self.refresh.remove(page),
            // What is left of it in the queue is passed over when its turn comes.
            Place::Queue => self.queued -= 1,
            Place::Waiting => self.postponed -= 1,
            Place::Out | Place::Resting | Place::Nowhere => {}
        }
    }

    /// Sets what a page matters.
    pub fn set_weight(&mut self, page: PageId, weight: f32) {
        self.pages[page.0 as usize].weight = weight;
        self.refresh.set_weight(page, f64::from(weight));
    }

    /// A request to a host has ended; the next may begin after the delay.
    pub fn left(&mut self, host: HostId, now: f64) {
        let state = &mut self.hosts[host.0 as usize];
        if state.in_flight == 0 {
            return;
        }
        state.in_flight -= 1;
        self.in_flight -= 1;
        state.next_at = state.next_at.max(now + state.delay);
        self.settle(host.0);
    }

    /// Lets the queues and the index know when the host may be visited.
    fn settle(&mut self, host: u32) {
        let state = &self.hosts[host as usize];
        let at = if state.has_rules { state.opens(self.settings.connections) } else { f64::INFINITY };
        if at > f64::NEG_INFINITY {
            self.refresh.close_host(HostId(host), at);
        } else {
            self.refresh.open_host(HostId(host));
        }
        self.schedule(host);
    }

    fn schedule(&mut self, host: u32) {
        self.calendar.enter(host, &mut self.hosts, self.settings.connections);
    }

    /// If what the host allows has been known for too long, it must be asked again first.
    fn check_rules(&mut self, host: u32, now: f64) {
        let state = &mut self.hosts[host as usize];
        if state.has_rules && now >= state.rules_until {
            state.has_rules = false;
            state.send(Errand::RobotsTxt);
            self.errands += 1;
            self.settle(host);
        }
    }

    /// Adds an errand to a host.
    pub fn send(&mut self, host: HostId, errand: Errand) {
        self.hosts[host.0 as usize].send(errand);
        self.errands += 1;
        self.schedule(host.0);
    }

    /// Adds an errand to a host when the time has come.
    pub fn send_at(&mut self, at: f64, host: HostId, errand: Errand) {
        self.appointments.push(Reverse((Moment(at), host, errand)));
    }

    /// Asks nothing of a host before this time.
    pub fn block(&mut self, host: HostId, until: f64) {
        let state = &mut self.hosts[host.0 as usize];
        state.blocked_until = state.blocked_until.max(until);
        self.settle(host.0);
    }

    /// A visit has been made and what it found is recorded.
    pub fn finish(&mut self, page: PageId, now: f64, finding: Finding) {
        let id = page.0;
        if self.pages[id as usize].place != Place::Out {
            return;
        }
        self.out -= 1;
        match finding {
            Finding::Later(at) => return self.wait(id, at),
            Finding::Never => {
                self.pages[id as usize].place = Place::Nowhere;
                self.rates.forget(self.pages[id as usize].group(), id);
                return;
            }
            Finding::First => {}
            Finding::Unchanged => self.learn(id, now, (false, None)),
            Finding::Changed { last_modified } => self.learn(id, now, (true, last_modified)),
        }
        let record = &mut self.pages[id as usize];
        (record.visited, record.signals) = (now, [0; 3]);
        self.rest(id);
    }

    /// A page comes back unvisited, or with a document that was not taken: it is visited again as soon as its host allows.
    pub fn release(&mut self, page: PageId) {
        if self.pages[page.0 as usize].place == Place::Out {
            self.out -= 1;
            self.enqueue(page.0, true);
        }
    }

    fn learn(&mut self, page: u32, now: f64, found: (bool, Option<f64>)) {
        let record = &mut self.pages[page as usize];
        if record.visited == f64::NEG_INFINITY {
            return;
        }
        let heard = Heard { counts: record.signals, told: self.lists.told_of(record, now) };
        let visit = rates::Interval { from: record.visited, to: now, heard };
        let host = record.host;
        let fitted = match self.rates.learn(record.group(), page, &mut record.evidence, visit, found) {
            Fitted::Nobody => 0..0,
            Fitted::Host => host..host + 1,
            Fitted::Everybody => 0..self.hosts.len() as u32,
        };
        for host in fitted {
            self.refitted.push(HostId(host));
            let has_place = self.hosts[host as usize].is_outdated();
            self.refit(host, true);
            if !has_place && self.hosts[host as usize].is_outdated() {
                self.outdated.push_back(host);
            }
        }
        if let Some(host) = self.outdated.pop_front() {
            self.refit(host, false);
            if self.hosts[host as usize].is_outdated() {
                self.outdated.push_back(host);
            }
        }
    }

    /// Every page of the host profits from what has been learned of all of them, when its turn comes.
    fn refit(&mut self, host: u32, fitted: bool) {
        let state = &mut self.hosts[host as usize];
        let turn = state.next_to_refit(fitted);
        for page in &state.pages[turn] {
            let record = &self.pages[*page as usize];
            if record.place == Place::Index {
                self.refresh.set_rate(PageId(*page), self.rates.estimate(record.group(), record.evidence).mean());
            }
        }
    }

    /// What will be known of the change rate of a page after a visit with this finding, apart from its host's.
    #[must_use]
    pub fn evidence_after(&self, page: PageId, now: f64, finding: Finding) -> Evidence {
        let record = &self.pages[page.0 as usize];
        let found = match finding {
            Finding::Unchanged => (false, None),
            Finding::Changed { last_modified } => (true, last_modified),
            Finding::First | Finding::Later(_) | Finding::Never => return record.evidence,
        };
        if record.visited == f64::NEG_INFINITY {
            return record.evidence;
        }
        let heard = Heard { counts: record.signals, told: self.lists.told_of(record, now) };
        let visit = rates::Interval { from: record.visited, to: now, heard };
        self.rates.evidence_after(record.group(), record.evidence, visit, found)
    }

    /// A request that was to begin was not made after all.
    pub fn undo(&mut self, host: HostId) {
        let state = &mut self.hosts[host.0 as usize];
        if state.in_flight > 0 {
            state.in_flight -= 1;
            self.in_flight -= 1;
            state.next_at = f64::NEG_INFINITY;
            self.budget.unspend();
            self.settle(host.0);
        }
    }
}

#[cfg(test)]
mod tests;
