//! What is true: which version of every page the crawler was given last, and for how long that has been out of date.
//!
//! Nothing happens when a page changes. What has gone by is added up when a page is asked for, and for all pages when
//! somebody wants to know.

mod expected;
mod report;

use std::sync::Arc;

use crate::world::{Cursor, PageNumber, World};

pub use expected::{Expected, Fractions};
pub use report::{CopyReport, HostTruth, PageTruth, Period, Share, Stale, Truth};

/// The copy of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Held {
    /// There is none.
    Nothing,
    /// This version, which is out of date from then on.
    Version { version: u64, stale_from: f64 },
    /// It is known that the page has gone.
    KnownGone,
}

/// Seconds of a page's time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Times {
    /// In which a current copy could have been there, or an old one should not.
    counted: f64,
    /// Of these, without a copy.
    missing: f64,
    /// Of these, with one that was out of date.
    stale: f64,
}

impl Times {
    fn since(self, base: Self) -> Self {
        Self {
            counted: self.counted - base.counted,
            missing: self.missing - base.missing,
            stale: self.stale - base.stale,
        }
    }
}

/// What is known of a page and its copy.
#[derive(Clone, Copy, Debug)]
struct Record {
    cursor: Cursor,
    held: Held,
    /// Whether the crawler says itself what it holds.
    says_itself: bool,
    /// Up to when its times are added up.
    settled: f64,
    times: Times,
    /// Its times when the window began.
    base: Times,
    /// How often it was asked for.
    asked: u64,
}

/// Requests counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// All, also for lists, sitemaps and the like.
    pub requests: u64,
    /// Pages given, or said to be as before.
    pub fetches: u64,
    /// Of these, said to be as before.
    pub not_modified: u64,
    /// Requests for pages that have gone.
    pub gone: u64,
    /// Requests for pages that were spoilt.
    pub spoilt: u64,
}

impl Counts {
    fn since(self, base: Self) -> Self {
        Self {
            requests: self.requests - base.requests,
            fetches: self.fetches - base.fetches,
            not_modified: self.not_modified - base.not_modified,
            gone: self.gone - base.gone,
            spoilt: self.spoilt - base.spoilt,
        }
    }
}

/// The books of the living web. Times never go back; one that does is taken for the latest before.
#[derive(Debug)]
pub(crate) struct Ledger {
    world: Arc<World>,
    records: Vec<Record>,
    now: f64,
    window_began: f64,
    counts: Vec<Counts>,
    base_counts: Vec<Counts>,
    /// Fastest visits to each host, per second; infinite where there is no limit.
    limits: Vec<f64>,
}

impl Ledger {
    pub(crate) fn new(world: Arc<World>, limits: Vec<f64>) -> Self {
        let record = |number| Record {
            cursor: world.begin(number),
            held: Held::Nothing,
            says_itself: false,
            settled: 0.0,
            times: Times::default(),
            base: Times::default(),
            asked: 0,
        };
        let records = world.numbers().map(record).collect();
        let counts = vec![Counts::default(); world.hosts()];
        let base_counts = counts.clone();
        Self { world, records, now: 0.0, window_began: 0.0, counts, base_counts, limits }
    }

    /// The time, which never goes back.
    pub(crate) fn advance(&mut self, now: f64) -> f64 {
        self.now = self.now.max(now);
        self.now
    }

    pub(crate) fn counts(&mut self, host: usize) -> &mut Counts {
        &mut self.counts[host]
    }

    /// Pages given so far, or said to be as before.
    pub(crate) fn fetches(&self) -> u64 {
        self.counts.iter().map(|counts| counts.fetches).sum()
    }

    /// How often a page was asked for before.
    pub(crate) fn ask(&mut self, number: PageNumber) -> u64 {
        let asked = &mut self.records[number.0 as usize].asked;
        *asked += 1;
        *asked - 1
    }

    /// The page as it is at the present time.
    pub(crate) fn look(&mut self, number: PageNumber) -> Cursor {
        self.settle(number);
        self.records[number.0 as usize].cursor
    }

    /// The crawler is given the page as it is, or told that what it has is that.
    pub(crate) fn give(&mut self, number: PageNumber, not_modified: bool) {
        self.settle(number);
        let host = self.world.page(number).host as usize;
        self.counts[host].fetches += 1;
        self.counts[host].not_modified += u64::from(not_modified);
        let record = &mut self.records[number.0 as usize];
        if !record.says_itself {
            record.held = Held::Version { version: record.cursor.version, stale_from: record.cursor.next };
        }
    }

    /// The crawler is told that there is no such page.
    pub(crate) fn deny(&mut self, number: PageNumber) {
        self.settle(number);
        let page = self.world.page(number);
        self.counts[page.host as usize].gone += 1;
        let (has_gone, record) = (page.until <= self.now, &mut self.records[number.0 as usize]);
        if has_gone && !record.says_itself {
            record.held = Held::KnownGone;
        }
    }

    /// The crawler says what it holds, none for nothing; from now on only what it says counts for this page. False if
    /// there is no such version yet.
    pub(crate) fn hold(&mut self, number: PageNumber, version: Option<u64>) -> bool {
        self.settle(number);
        let has_gone = self.world.page(number).until <= self.now;
        let record = &mut self.records[number.0 as usize];
        record.held = match version {
            None if has_gone => Held::KnownGone,
            None => Held::Nothing,
            Some(version) if version > record.cursor.version => return false,
            Some(version) if version == record.cursor.version => {
                Held::Version { version, stale_from: record.cursor.next }
            }
            Some(version) => Held::Version { version, stale_from: self.world.end_of_version(number, version) },
        };
        record.says_itself = true;
        true
    }

    /// Begins a new window.
    pub(crate) fn reset(&mut self) {
        self.settle_all();
        for record in &mut self.records {
            record.base = record.times;
        }
        self.window_began = self.now;
        self.base_counts.clone_from(&self.counts);
    }

    /// Pages of a host that are there, each with the time of its last change.
    pub(crate) fn lives(&mut self, host: usize) -> Vec<(PageNumber, f64)> {
        let world = Arc::clone(&self.world);
        let pages = world.lists(host).iter().flatten().copied();
        let now = self.now;
        let alive = pages.filter(|number| world.page(*number).is_alive(now));
        alive.map(|number| (number, self.look(number).last)).collect()
    }

    fn settle_all(&mut self) {
        for number in self.world.numbers() {
            self.settle(number);
        }
    }

    /// Follows the page up to the present time, and adds up how long its copy was missing or out of date.
    fn settle(&mut self, number: PageNumber) {
        let (page, record) = (self.world.page(number), &mut self.records[number.0 as usize]);
        self.world.follow(number, &mut record.cursor, self.now);
        let (from, to) = (record.settled.max(page.from), self.now);
        record.settled = self.now;
        match record.held {
            Held::Nothing => {
                let missing = (to.min(page.until) - from).max(0.0);
                record.times.counted += missing;
                record.times.missing += missing;
            }
            Held::Version { stale_from, .. } => {
                record.times.counted += (to - from).max(0.0);
                record.times.stale += (to - from.max(stale_from.min(page.until))).max(0.0);
            }
            Held::KnownGone => {}
        }
    }
}

#[cfg(test)]
mod tests;
