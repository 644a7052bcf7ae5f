//! The index policy: always access the page whose access is worth most now.
//!
//! Law F-17 gives every page an index that depends on nothing but the page: `W(t) = (c/mu) G(mu t)`, `t` after its
//! last access. Always accessing the page with the largest one comes close to the lower bound: within a fraction of a
//! per cent for many pages, as measured. It needs no multiplier, no plan and no recomputation when pages come, go or
//! change their rate, or when the bandwidth changes.
//!
//! [`ExactIndex`] compares all pages at every draw. [`IndexPolicy`] is for up to a hundred million of them: pages of
//! nearly the same value and rate share a cell and are visited in turn, so only the oldest of each cell is compared,
//! and of those only the ones that are about due. [`IndexSequence`] is the access sequence of an
//! [`Instance`](crate::Instance).

mod cell;
mod exact;
mod hosts;
mod late;
mod line;
mod page;
mod queue;
mod race;
mod sequence;
mod value;

pub use exact::ExactIndex;
pub use sequence::IndexSequence;
pub use value::{continuous_index, discrete_index};

use crate::policy::{HostId, Outcome, PageId, Policy, Visit};
use cell::Grid;
use hosts::Hosts;
use page::{NEVER, Page, State, stored, stored_time};
use queue::Queue;

/// Cells per octave of value and of rate, unless chosen otherwise.
const CELLS_PER_OCTAVE: u32 = 8;

/// The level is an average over about this many draws.
const SMOOTHING: f64 = 256.0;

/// A page that a signal has brought up counts for at most this many times the level. So the level stays what a visit costs while
/// there are others to visit, and still rises if more is signalled than can be visited.
const MOST_OF_SIGNALLED: f64 = 1.1;

/// A signal that makes a page look older by at least this many times the mean time between its changes has brought it up.
const BROUGHT_UP: f64 = 1.0;

/// The index policy for many pages.
///
/// Page and host numbers should be dense: memory goes with the largest. A page takes 32 bytes, a host 24. Pages that
/// wait for a closed host or came out of order of their last access take some more while they do; when many pages with
/// a past are [inserted](Self::insert), do it in the order of their last access.
///
/// Rates, weights and times are sanitised: what is negative or not a number counts as zero, an infinite one as the
/// largest there is. A page of weight zero, and one of rate zero that was accessed once, has index zero and is drawn
/// only if no other page may be. A page that was never accessed has index `c/mu`, infinite if its rate is zero.
///
/// The page drawn is near the one with the largest index, not always it: measured over populations of 3,000 pages, its
/// index is 0.9 of the largest on average and 0.6 at worst, the worst just after the bandwidth has changed. It is the
/// largest if there are at most 64 cells and no two pages share one. What this costs is of second order: see
/// [`Self::with_resolution`].
#[derive(Debug)]
pub struct IndexPolicy {
    pages: Vec<Page>,
    queue: Queue,
    hosts: Hosts,
    /// Hosts opened by hand, and that of the page drawn last: a parked page of each returns at the next draw.
    pending: Vec<u32>,
    len: usize,
    /// See [`IndexPolicy::set_lead`].
    lead: f64,
    level: f64,
    /// Number of draws that made the level.
    draws: f64,
    compared: u64,
}

impl Default for IndexPolicy {
    fn default() -> Self {
        Self::new()
    }
}

impl IndexPolicy {
    /// No pages, at the usual resolution of 8 cells per octave.
    #[must_use]
    pub fn new() -> Self {
        Self::with_resolution(CELLS_PER_OCTAVE)
    }

    /// No pages, with cells `1/cells_per_octave` octaves wide (1 to 128).
    ///
    /// Measured with `k` cells per octave on 1e5 pages with lognormal rates and weights, the cost is above the lower
    /// bound by about `0.035/k^2` of itself, from pages not visited quite as often as they should be: 0.22% for 4,
    /// 0.055% for 8.
    #[must_use]
    pub fn with_resolution(cells_per_octave: u32) -> Self {
        Self {
            pages: Vec::new(),
            queue: Queue::new(Grid::new(cells_per_octave)),
            hosts: Hosts::default(),
            pending: Vec::new(),
            len: 0,
            lead: 0.0,
            level: 0.0,
            draws: 0.0,
            compared: 0,
        }
    }

    /// Compares pages as they will be this much after the draw, instead of as they are at it.
    ///
    /// An access is worth what it saves between its completion and that of the next one, so the right time to look at is
    /// halfway between the two: the time an access takes plus half the time between draws. It matters only for pages that
    /// take a good part of all accesses. Negative or infinite leads count as none.
    pub fn set_lead(&mut self, lead: f64) {
        self.lead = if lead.is_finite() { lead.max(0.0) } else { 0.0 };
    }

    /// Makes room for pages numbered below `pages`.
    pub fn reserve(&mut self, pages: usize) {
        self.pages.reserve_exact(pages.saturating_sub(self.pages.len()));
    }

    /// Adds a page that changes at `rate` and matters by `weight`, or replaces it. `last_access` is `None` for a page
    /// that was never accessed.
    ///
    /// A page that is handed out stays so.
    pub fn insert(&mut self, page: PageId, rate: f64, weight: f64, host: HostId, last_access: Option<f64>) {
        let PageId(id) = page;
        self.make_room(id as usize + 1);
        let handed_out = self.state(id) == State::HandedOut;
        if self.state(id) == State::Absent {
            self.len += 1;
        } else {
            self.unlink(id);
        }
        self.pages[id as usize] = Page {
            rate: stored(rate),
            weight: stored(weight),
            host: host.0,
            last: stored_time(last_access),
            state: State::HandedOut,
            ..Page::ABSENT
        };
        if !handed_out {
            self.push(id);
        }
    }

    /// Removes a page, also while it is handed out. Whether there was one.
    pub fn remove(&mut self, page: PageId) -> bool {
        if !self.contains(page) {
            return false;
        }
        self.unlink(page.0);
        self.pages[page.0 as usize] = Page::ABSENT;
        self.len -= 1;
        true
    }

    /// Sets the change rate of a page, also while it is handed out.
    pub fn set_rate(&mut self, page: PageId, rate: f64) {
        self.change(page, |record| record.rate = stored(rate));
    }

    /// Sets the weight of a page, also while it is handed out.
    pub fn set_weight(&mut self, page: PageId, weight: f64) {
        self.change(page, |record| record.weight = stored(weight));
    }

    /// Law F-24: a change signal makes a page look older by `by`; if that is infinite, as if never accessed.
    ///
    /// A signal that comes while the page is handed out counts only if the page is [released](Self::release).
    pub fn look_older(&mut self, page: PageId, by: f64) {
        if by > 0.0
            && let Some(record) = self.pages.get(page.0 as usize)
        {
            self.look_accessed(page, record.last - by);
        }
    }

    /// Law F-30: makes a page look as if it had been accessed last at that time, which may be never (minus infinity). What is no
    /// time changes nothing.
    pub fn look_accessed(&mut self, page: PageId, at: f64) {
        if at.is_nan() || at == f64::INFINITY {
            return;
        }
        self.change(page, |record| {
            record.signalled |= f64::from(record.rate) * (record.last - at) >= BROUGHT_UP;
            record.last = at;
        });
    }

    /// Draws a page, as [`Policy::draw`] does, where pages may look younger than they did when they were put in: `accessed` says of
    /// each page whose turn comes when it seems to have been accessed last. If that is later than was known, it is not its turn.
    ///
    /// So nobody has to be told when many pages look younger at once, as after a list was read that says nothing of them.
    pub fn draw_younger(&mut self, now: f64, accessed: impl Fn(PageId) -> f64) -> Option<PageId> {
        self.return_parked(now);
        let ahead = now + self.lead;
        while let Some(page) = self.queue.take(&mut self.pages, ahead) {
            let at = accessed(PageId(page));
            let record = &mut self.pages[page as usize];
            if at > record.last {
                record.last = at;
                self.compared += 1;
                self.push(page);
            } else if self.hosts.is_closed(record.host) {
                self.park(page);
            } else {
                return Some(self.hand_out(page, ahead));
            }
        }
        None
    }

    /// Whether a signal has brought up a page since its last access, not time.
    #[must_use]
    pub fn is_signalled(&self, page: PageId) -> bool {
        self.contains(page) && self.pages[page.0 as usize].signalled
    }

    /// What a page drawn at this index counts for where the smoothed index is `level`, if a signal has brought it up.
    #[must_use]
    pub fn counted(index: f64, level: f64) -> f64 {
        index.min(MOST_OF_SIGNALLED * level)
    }

    /// Lets no page of the host be drawn before `until`; with infinity, until it is [opened](Self::open_host).
    pub fn close_host(&mut self, host: HostId, until: f64) {
        self.hosts.close(host.0, until);
    }

    /// Lets pages of the host be drawn again.
    pub fn open_host(&mut self, host: HostId) {
        self.hosts.open(host.0);
        self.pending.push(host.0);
    }

    /// The earliest time at which a closed host opens by itself. Before the next draw it may lie in the past.
    #[must_use]
    pub fn next_opening(&self) -> Option<f64> {
        self.hosts.next_opening()
    }

    /// Takes back a page that was handed out but not accessed, as it was.
    pub fn release(&mut self, page: PageId) {
        if self.contains(page) && self.state(page.0) == State::HandedOut {
            self.push(page.0);
        }
    }

    /// Law F-17: the index of a page, `None` if there is no such page.
    #[must_use]
    pub fn index(&self, page: PageId, now: f64) -> Option<f64> {
        self.contains(page).then(|| self.pages[page.0 as usize].index(now))
    }

    /// The index of the pages drawn, smoothed: an estimate of the multiplier `lambda` of condition (8).
    ///
    /// Only pages drawn when their index had grown to be the largest count, not those that came in above it: pages
    /// never accessed before, and pages that had to wait for their host. Pages that a signal has brought up count for a tenth more
    /// than the level at most. Zero before the first draw that counts.
    #[must_use]
    pub fn level(&self) -> f64 {
        self.level
    }

    /// Takes this for the [level](Self::level) before the first draw that counts, and for one such draw after it.
    pub fn expect_level(&mut self, level: f64) {
        if self.draws == 0.0 && level.is_finite() && level > 0.0 {
            (self.level, self.draws) = (level, 1.0);
        }
    }

    /// Number of pages, those handed out included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no pages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether there is such a page.
    #[must_use]
    pub fn contains(&self, page: PageId) -> bool {
        self.pages.get(page.0 as usize).is_some_and(|record| record.state != State::Absent)
    }

    /// How many comparisons the draws have taken so far: the work done, whatever the machine.
    #[must_use]
    pub fn comparisons(&self) -> u64 {
        self.compared + self.queue.compared()
    }

    fn state(&self, page: u32) -> State {
        self.pages[page as usize].state
    }

    /// Grows by an eighth, not to the double: at 1e8 pages that is a gigabyte.
    fn make_room(&mut self, len: usize) {
        if len <= self.pages.len() {
            return;
        }
        if len > self.pages.capacity() {
            self.pages.reserve_exact(len - self.pages.len() + len / 8);
        }
        self.pages.resize(len, Page::ABSENT);
    }

    /// Changes a page's record, and its place accordingly.
    fn change(&mut self, page: PageId, change: impl FnOnce(&mut Page)) {
        if !self.contains(page) {
            return;
        }
        let mut changed = self.pages[page.0 as usize];
        change(&mut changed);
        if changed.state == State::Queued && self.queue.replace(&mut self.pages, page.0, changed) {
            return;
        }
        self.unlink(page.0);
        let record = &mut self.pages[page.0 as usize];
        (record.rate, record.weight, record.last) = (changed.rate, changed.weight, changed.last);
        record.signalled = changed.signalled;
        if record.state != State::HandedOut {
            self.push(page.0);
        }
    }

    /// Puts a page that is nowhere into the queue. One never accessed would soon be drawn from it: if its host is
    /// closed it is parked at once.
    fn push(&mut self, page: u32) {
        let record = &mut self.pages[page as usize];
        if record.last == NEVER && self.hosts.is_closed(record.host) {
            return self.park(page);
        }
        record.state = State::Queued;
        self.queue.push(&mut self.pages, page);
    }

    fn park(&mut self, page: u32) {
        self.compared += 1;
        let record = &mut self.pages[page as usize];
        (record.state, record.waited) = (State::Parked, true);
        self.hosts.park(&mut self.pages, page, self.queue.grid());
    }

    fn unlink(&mut self, page: u32) {
        match self.state(page) {
            State::Queued => self.queue.unlink(&mut self.pages, page),
            State::Parked => self.hosts.unlink(&mut self.pages, page),
            State::HandedOut | State::Absent => {}
        }
    }

    /// Brings parked pages of open hosts back into the queue, a few at a time.
    fn return_parked(&mut self, now: f64) {
        if let Some(host) = self.hosts.next_returning() {
            self.return_best(host, now);
        }
        while let Some(host) = self.pending.pop() {
            if !self.hosts.is_closed(host) {
                self.return_best(host, now);
            }
        }
        while let Some(host) = self.hosts.open_next(now) {
            self.return_best(host, now);
        }
    }

    fn return_best(&mut self, host: u32, now: f64) {
        if let Some((page, work)) = self.hosts.take(&mut self.pages, host, now) {
            self.compared += work;
            self.push(page);
        }
    }

    fn hand_out(&mut self, page: u32, now: f64) -> PageId {
        let record = &mut self.pages[page as usize];
        record.state = State::HandedOut;
        self.pending.push(record.host);
        let index = record.index(now);
        let index = if record.signalled { Self::counted(index, self.level) } else { index };
        if record.last != NEVER && !record.waited && !(record.signalled && self.draws == 0.0) {
            self.draws = (self.draws + 1.0).min(SMOOTHING);
            self.level += (index - self.level) / self.draws;
        }
        PageId(page)
    }
}

impl Policy for IndexPolicy {
    fn draw(&mut self, now: f64) -> Option<PageId> {
        self.draw_younger(now, |_| NEVER)
    }

    /// Also takes visits to pages that were not drawn. A visit to a page no longer there is ignored.
    ///
    /// After [`Outcome::Gone`] the page is removed. After [`Outcome::Failed`] it counts as accessed, so that it is not
    /// drawn again before its next turn; whoever wants it sooner can let it [look older](IndexPolicy::look_older).
    fn record(&mut self, visit: Visit) {
        if visit.outcome == Outcome::Gone {
            self.remove(visit.page);
            return;
        }
        if !self.contains(visit.page) {
            return;
        }
        let PageId(page) = visit.page;
        self.unlink(page);
        let record = &mut self.pages[page as usize];
        (record.waited, record.signalled) = (false, false);
        if visit.at.is_finite() {
            record.last = visit.at;
        }
        self.push(page);
    }
}

#[cfg(test)]
mod tests;
