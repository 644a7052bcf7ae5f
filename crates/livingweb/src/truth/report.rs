//! What is told of the truth.

use serde::Serialize;

use super::expected::Expected;
use super::{Counts, Held, Ledger, Record, Times};
use crate::world::PageNumber;

/// A part of the pages, by weight and by number. None where there is nothing of which it could be a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Share {
    /// By weight.
    pub weighted: Option<f64>,
    /// By number.
    pub unweighted: Option<f64>,
}

/// How much is out of date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Stale {
    /// Of all pages; one that is not held counts as out of date.
    pub all: Share,
    /// Of the pages that are held.
    pub held: Share,
}

/// What was measured over some time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Period {
    /// Its length.
    pub seconds: f64,
    /// Requests of any kind.
    pub requests: u64,
    /// Pages given, or said to be as before.
    pub fetches: u64,
    /// Of these, said to be as before.
    pub fetches_304: u64,
    /// Requests for pages that have gone.
    pub fetches_gone: u64,
    /// Requests for pages that were spoilt on purpose.
    pub fetches_spoilt: u64,
    /// Fetches per second.
    pub fetch_rate: f64,
    /// The average of what was out of date.
    pub stale: Stale,
    /// What could have been, at the same fetch rate; none without fetches, and for single hosts.
    pub expected: Option<Expected>,
}

/// The truth about one host.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HostTruth {
    /// Where it is.
    pub url: String,
    /// Pages there now.
    pub pages: usize,
    /// Of these, held.
    pub pages_held: usize,
    /// How much is out of date now.
    pub stale_now: Stale,
    /// Since the start.
    pub since_start: Period,
    /// Since the last reset.
    pub window: Period,
}

/// The truth about a crawler's copy of the living web.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Truth {
    /// Where all random numbers come from.
    pub seed: u64,
    /// Seconds since the start.
    pub seconds: f64,
    /// Pages there now.
    pub pages: usize,
    /// Of these, held.
    pub pages_held: usize,
    /// Changes so far.
    pub changes: u64,
    /// How much is out of date now.
    pub stale_now: Stale,
    /// Since the start.
    pub since_start: Period,
    /// Since the last reset.
    pub window: Period,
    /// Host by host.
    pub hosts: Vec<HostTruth>,
}

/// The truth about one page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageTruth {
    /// Its address.
    pub url: String,
    /// Its true change rate, per second.
    pub rate: f64,
    /// Its weight.
    pub weight: f64,
    /// Whether it is there.
    pub alive: bool,
    /// Its version now.
    pub version: u64,
    /// When it last changed, in seconds since the start.
    pub last_change: f64,
    /// The version that is held.
    pub copy_version: Option<u64>,
}

/// How much of a copy is out of date, as its owner describes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct CopyReport {
    /// Pages there now.
    pub pages: usize,
    /// Of these, held.
    pub pages_held: usize,
    /// Of these, out of date.
    pub pages_stale: usize,
    /// As parts.
    pub stale: Stale,
}

/// Sums from which shares are made.
#[derive(Clone, Copy, Default)]
struct Sums {
    weight: [f64; 2],
    missing: [f64; 2],
    stale: [f64; 2],
}

impl Sums {
    fn add(&mut self, weight: f64, times: Times) {
        for (kind, weight) in [weight, 1.0].into_iter().enumerate() {
            self.weight[kind] += weight * times.counted;
            self.missing[kind] += weight * times.missing;
            self.stale[kind] += weight * times.stale;
        }
    }

    fn stale(&self) -> Stale {
        let part = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
        let all = |kind: usize| part(self.missing[kind] + self.stale[kind], self.weight[kind]);
        let held = |kind: usize| part(self.stale[kind], self.weight[kind] - self.missing[kind]);
        Stale {
            all: Share { weighted: all(0), unweighted: all(1) },
            held: Share { weighted: held(0), unweighted: held(1) },
        }
    }
}

/// What is added up over pages.
#[derive(Clone, Copy, Default)]
struct Totals {
    pages: usize,
    held: usize,
    changes: u64,
    now: Sums,
    start: Sums,
    window: Sums,
}

impl Record {
    /// What one second would add, as things stand.
    fn at(&self, now: f64, page: &crate::world::Page) -> Times {
        let one = |holds: bool| f64::from(u8::from(holds));
        match self.held {
            Held::Nothing => Times { counted: one(page.is_alive(now)), missing: one(page.is_alive(now)), stale: 0.0 },
            Held::Version { stale_from, .. } => {
                Times { counted: 1.0, missing: 0.0, stale: one(stale_from.min(page.until) <= now) }
            }
            Held::KnownGone => Times::default(),
        }
    }
}

/// What was added up, for all pages and for those of each host.
pub(crate) struct Reading {
    now: f64,
    window_began: f64,
    limits: Vec<f64>,
    hosts: Vec<(Totals, Counts, Counts)>,
}

impl Ledger {
    /// Adds everything up. What needs more time than that is done with the [`Reading`], without holding up anybody.
    pub(crate) fn read(&mut self) -> Reading {
        self.settle_all();
        let mut totals = vec![Totals::default(); self.world.hosts()];
        for (number, record) in self.world.numbers().zip(&self.records) {
            let (page, weight) = (self.world.page(number), self.world.weight(number));
            let total = &mut totals[page.host as usize];
            total.changes += record.cursor.version;
            if page.is_alive(self.now) {
                total.pages += 1;
                total.held += usize::from(matches!(record.held, Held::Version { .. }));
            }
            total.now.add(weight, record.at(self.now, page));
            total.start.add(weight, record.times);
            total.window.add(weight, record.times.since(record.base));
        }
        let counts = self.counts.iter().zip(&self.base_counts);
        let hosts = totals.into_iter().zip(counts).map(|(totals, (all, base))| (totals, *all, all.since(*base)));
        Reading { now: self.now, window_began: self.window_began, limits: self.limits.clone(), hosts: hosts.collect() }
    }

    /// The truth about every page that is or was there.
    pub(crate) fn pages(&mut self, origins: &[String]) -> Vec<PageTruth> {
        self.settle_all();
        let there = self.world.numbers().filter(|number| self.world.page(*number).from <= self.now);
        there.map(|number| self.page_truth(number, origins)).collect()
    }

    fn page_truth(&self, number: PageNumber, origins: &[String]) -> PageTruth {
        let (page, record) = (self.world.page(number), &self.records[number.0 as usize]);
        let copy_version = match record.held {
            Held::Version { version, .. } => Some(version),
            Held::Nothing | Held::KnownGone => None,
        };
        PageTruth {
            url: format!("{}{}", origins[page.host as usize], self.world.path(number)),
            rate: page.rate,
            weight: self.world.weight(number),
            alive: page.is_alive(self.now),
            version: record.cursor.version,
            last_change: record.cursor.last,
            copy_version,
        }
    }

    /// How much of somebody's copy is out of date. Pages that are not named are not held.
    pub(crate) fn judge(&mut self, copies: impl Iterator<Item = (PageNumber, u64)>) -> CopyReport {
        self.settle_all();
        let mut held = vec![None; self.records.len()];
        for (number, version) in copies {
            held[number.0 as usize] = Some(version);
        }
        let (mut report, mut sums) = (CopyReport::default(), Sums::default());
        for ((number, record), version) in self.world.numbers().zip(&self.records).zip(held) {
            let is_alive = self.world.page(number).is_alive(self.now);
            let one = |holds: bool| f64::from(u8::from(holds));
            let is_stale = version.is_some_and(|version| !is_alive || version < record.cursor.version);
            report.pages += usize::from(is_alive);
            report.pages_held += usize::from(is_alive && version.is_some());
            report.pages_stale += usize::from(is_stale);
            let missing = one(is_alive && version.is_none());
            let counted = one(is_alive || version.is_some());
            sums.add(self.world.weight(number), Times { counted, missing, stale: one(is_stale) });
        }
        report.stale = sums.stale();
        report
    }
}

impl Reading {
    /// The truth, with what could be.
    pub(crate) fn truth(&self, world: &crate::World, origins: &[String]) -> Truth {
        let (mut all, mut counts, mut window_counts) = (Totals::default(), Counts::default(), Counts::default());
        for (totals, from_start, in_window) in &self.hosts {
            all.merge(totals);
            counts.merge(from_start);
            window_counts.merge(in_window);
        }
        let expected = |from: f64, period: &Period| world.expected(from, self.now, period.fetch_rate, &self.limits);
        let mut since_start = period(self.now, counts, &all.start);
        since_start.expected = expected(0.0, &since_start);
        let mut window = period(self.now - self.window_began, window_counts, &all.window);
        window.expected = expected(self.window_began, &window);
        Truth {
            seed: world.seed(),
            seconds: self.now,
            pages: all.pages,
            pages_held: all.held,
            changes: all.changes,
            stale_now: all.now.stale(),
            since_start,
            window,
            hosts: self.hosts.iter().zip(origins).map(|(host, origin)| self.host(host, origin)).collect(),
        }
    }

    fn host(&self, (totals, counts, window_counts): &(Totals, Counts, Counts), origin: &str) -> HostTruth {
        HostTruth {
            url: format!("{origin}/"),
            pages: totals.pages,
            pages_held: totals.held,
            stale_now: totals.now.stale(),
            since_start: period(self.now, *counts, &totals.start),
            window: period(self.now - self.window_began, *window_counts, &totals.window),
        }
    }
}

fn period(seconds: f64, counts: Counts, sums: &Sums) -> Period {
    Period {
        seconds,
        requests: counts.requests,
        fetches: counts.fetches,
        fetches_304: counts.not_modified,
        fetches_gone: counts.gone,
        fetches_spoilt: counts.spoilt,
        fetch_rate: if seconds > 0.0 { counts.fetches as f64 / seconds } else { 0.0 },
        stale: sums.stale(),
        expected: None,
    }
}

impl Totals {
    fn merge(&mut self, other: &Self) {
        self.pages += other.pages;
        self.held += other.held;
        self.changes += other.changes;
        for (sums, others) in
            [(&mut self.now, &other.now), (&mut self.start, &other.start), (&mut self.window, &other.window)]
        {
            for kind in 0..2 {
                sums.weight[kind] += others.weight[kind];
                sums.missing[kind] += others.missing[kind];
                sums.stale[kind] += others.stale[kind];
            }
        }
    }
}

impl Counts {
    fn merge(&mut self, other: &Self) {
        self.requests += other.requests;
        self.fetches += other.fetches;
        self.not_modified += other.not_modified;
        self.gone += other.gone;
        self.spoilt += other.spoilt;
    }
}
