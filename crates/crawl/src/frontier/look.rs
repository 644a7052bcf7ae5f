//! What others may know.

use std::cmp::Reverse;

use freshness::learn::{Evidence, RateEstimate};
use freshness::{HostId, PageId};

use super::lists::LIST_KINDS;
use super::signals::{as_if_visited, seems_visited};
use super::{Frontier, Outlook, Page, Place, Prospect, Waits};

/// Pages of a host that are looked at where a guess is enough.
const LOOKED_AT: usize = 256;

impl Frontier {
    /// The estimate of the change rate of a page, per second.
    #[must_use]
    pub fn estimate(&self, page: PageId) -> RateEstimate {
        let record = &self.pages[page.0 as usize];
        self.rates.estimate(record.group(), record.evidence)
    }

    /// What is known of the change rate of a page apart from its host's.
    #[must_use]
    pub fn evidence(&self, page: PageId) -> Evidence {
        self.pages[page.0 as usize].evidence
    }

    /// Why a page will be visited when. Takes time if it is to be tried again: all that wait for a time are looked at.
    #[must_use]
    pub fn outlook(&self, page: PageId, now: f64) -> Outlook {
        let record = &self.pages[page.0 as usize];
        let waits = match record.place {
            Place::Queue => Waits::Queue,
            Place::Out => Waits::Robot,
            Place::Waiting => Waits::Time,
            Place::Resting | Place::Index if !self.settings.revisit => Waits::Nothing,
            Place::Resting => Waits::Time,
            Place::Index => Waits::Index,
            Place::Nowhere => Waits::Nothing,
        };
        let entries = self.waiting.iter().filter(|Reverse((_, other))| *other == page.0);
        let retry = match record.place {
            Place::Waiting => entries.map(|Reverse((at, _))| at.0).reduce(f64::min),
            _ => None,
        };
        let (rate, weight) = (self.estimate(page), f64::from(record.weight));
        let prospect =
            Prospect { rate, weight, visited: self.visited(page), seems: self.seems_visited(page), waits, retry };
        Outlook::new(&prospect, Some(self.refresh.level()), &self.settings, now)
    }

    /// What a page matters.
    #[must_use]
    pub fn weight(&self, page: PageId) -> f32 {
        self.pages[page.0 as usize].weight
    }

    /// When a page was last visited.
    #[must_use]
    pub fn visited(&self, page: PageId) -> Option<f64> {
        Some(self.pages[page.0 as usize].visited).filter(|at| at.is_finite())
    }

    /// Whether a page is with a robot, in the buffer, or being indexed.
    #[must_use]
    pub fn is_out(&self, page: PageId) -> bool {
        self.pages[page.0 as usize].place == Place::Out
    }

    /// The time between requests to a host.
    #[must_use]
    pub fn delay_of(&self, host: HostId) -> f64 {
        self.hosts[host.0 as usize].delay
    }

    /// Known pages.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether no page is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Pages in queues.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.queued
    }

    /// Pages with a robot, in the buffer, or being indexed.
    #[must_use]
    pub fn out(&self) -> usize {
        self.out
    }

    /// Pages known of a host.
    #[must_use]
    pub fn pages_of(&self, host: HostId) -> usize {
        self.hosts[host.0 as usize].pages.len()
    }

    /// Whether a page is one of this host.
    #[must_use]
    pub fn is_of(&self, page: PageId, host: HostId) -> bool {
        self.pages[page.0 as usize].host == host.0
    }

    /// Whether nothing is asked of a host because the user wants it so.
    #[must_use]
    pub fn is_held(&self, host: HostId) -> bool {
        self.hosts[host.0 as usize].is_held
    }

    /// The pages of a host: the one at this place, if there are so many.
    #[must_use]
    pub fn page_of(&self, host: HostId, place: usize) -> Option<PageId> {
        self.hosts[host.0 as usize].pages.get(place).copied().map(PageId)
    }

    /// Whether a page is not visited any more unless it is asked for.
    #[must_use]
    pub fn is_forgotten(&self, page: PageId) -> bool {
        self.pages[page.0 as usize].place == Place::Nowhere
    }

    /// Whether there is nothing left to do for a crawl that visits every page once.
    #[must_use]
    pub fn is_exhausted(&self) -> bool {
        self.queued + self.out + self.postponed + self.errands + self.in_flight == 0
    }

    /// Pages waiting in the queue of a host.
    #[must_use]
    pub fn queued_of(&self, host: HostId) -> usize {
        self.hosts[host.0 as usize].queue.len()
    }

    /// Requests to a host under way.
    #[must_use]
    pub fn requests_to(&self, host: HostId) -> usize {
        self.hosts[host.0 as usize].in_flight as usize
    }

    /// Until when a host is left alone because it is in trouble or asked for it.
    #[must_use]
    pub fn blocked_until(&self, host: HostId) -> f64 {
        self.hosts[host.0 as usize].blocked_until
    }

    /// The index at which pages are visited now.
    #[must_use]
    pub fn index_level(&self) -> f64 {
        self.refresh.level()
    }

    /// Takes this for the index at which pages are visited until some are: as it was before a restart.
    pub fn expect_level(&mut self, level: f64) {
        self.refresh.expect_level(level);
    }

    /// What a request to a host costs: the index of the page that could be visited instead. A host that does not let all be
    /// visited that others would has a higher one of its own.
    #[must_use]
    pub fn price_of(&self, host: HostId) -> f64 {
        self.hosts[host.0 as usize].level().max(self.index_level())
    }

    /// What the changes of the pages of a host are worth per second, `sum c mu`, told from some of its pages.
    #[must_use]
    pub fn change_value(&self, host: HostId) -> f64 {
        let pages = &self.hosts[host.0 as usize].pages;
        let stride = pages.len().div_ceil(LOOKED_AT).max(1);
        let looked_at = pages.iter().step_by(stride).map(|page| &self.pages[*page as usize]);
        let worth = |page: &Page| f64::from(page.weight) * self.rates.estimate(page.group(), page.evidence).mean();
        stride as f64 * looked_at.filter(|page| page.place != Place::Nowhere).map(worth).sum::<f64>()
    }

    /// What a page of a host matters on average, told from some of its pages.
    #[must_use]
    pub fn mean_weight(&self, host: HostId) -> f64 {
        let pages = &self.hosts[host.0 as usize].pages;
        let stride = pages.len().div_ceil(LOOKED_AT).max(1);
        let weights = pages.iter().step_by(stride).map(|page| f64::from(self.pages[*page as usize].weight));
        let (sum, count) = weights.fold((0.0, 0.0), |(sum, count), weight| (sum + weight, count + 1.0));
        if count > 0.0 { sum / count } else { 1.0 }
    }

    /// The pages that are kept fresh, of every `stride`-th page known.
    pub fn kept_fresh(&self, stride: usize) -> impl Iterator<Item = KeptFresh> + '_ {
        let looked_at = (0..self.pages.len() as u32).step_by(stride);
        looked_at.filter_map(|page| self.fresh(page))
    }

    /// Some of the pages of a host that are kept fresh, told from at most so many of its pages.
    pub fn kept_fresh_of(&self, host: HostId, most: usize) -> impl Iterator<Item = KeptFresh> + '_ {
        let pages = &self.hosts[host.0 as usize].pages;
        pages.iter().step_by(pages.len().div_ceil(most).max(1)).filter_map(|page| self.fresh(*page))
    }

    /// The pages that wait for their index to grow, of every `stride`-th page known, and their indices. Those of hosts that are
    /// left alone are not among them.
    pub fn worth(&self, stride: usize, now: f64) -> impl Iterator<Item = (f64, PageId)> + '_ {
        let looked_at = self.pages.iter().enumerate().step_by(stride);
        let is_open = move |page: &Page| {
            let host = &self.hosts[page.host as usize];
            !host.is_held && host.blocked_until <= now
        };
        let waiting = looked_at.filter(move |(_, page)| page.place == Place::Index && is_open(page));
        waiting.filter_map(move |(id, page)| {
            let id = PageId(id as u32);
            let index = self.refresh.index(id, now)?;
            // The queue hears of silence only when it is the turn of a page.
            let is_told_of = page.lists != [None; LIST_KINDS];
            let silent = || now - seems_visited(page, &self.rates, &self.lists);
            let of_age =
                |age: f64| freshness::index::continuous_index(self.estimate(id).mean(), f64::from(page.weight), age);
            Some((if is_told_of { of_age(silent()) } else { index }, id))
        })
    }

    fn fresh(&self, id: u32) -> Option<KeptFresh> {
        let page = Some(&self.pages[id as usize]).filter(|page| page.is_kept_fresh())?;
        Some(KeptFresh {
            page: PageId(id),
            rate: self.rates.estimate(page.group(), page.evidence).mean(),
            weight: f64::from(page.weight),
            visited: page.visited,
            // As far as it is known, without care.
            seems: as_if_visited(page, (&self.rates, &self.lists), 1.0),
            host: HostId(page.host),
        })
    }

    /// The shortest time between two visits to a page.
    #[must_use]
    pub fn least_revisit(&self) -> f64 {
        self.settings.least_revisit
    }
}

/// A page that is kept fresh.
#[derive(Clone, Copy, Debug)]
pub struct KeptFresh {
    /// Its number.
    pub page: PageId,
    /// Its change rate, per second.
    pub rate: f64,
    /// What it matters.
    pub weight: f64,
    /// When it was last visited.
    pub visited: f64,
    /// When it seems to have been, by what others have said since.
    pub seems: f64,
    /// Its host.
    pub host: HostId,
}
