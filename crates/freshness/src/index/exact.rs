//! The index policy by comparing all pages.

use crate::policy::{HostId, Outcome, PageId, Policy, Visit};

use super::page::{NEVER, stored, stored_time};
use super::value::continuous_index;

/// A page, in double precision.
#[derive(Clone, Copy, Debug)]
struct Entry {
    page: PageId,
    rate: f64,
    weight: f64,
    host: HostId,
    last: f64,
    handed_out: bool,
}

impl Entry {
    fn index(&self, now: f64) -> f64 {
        continuous_index(self.rate, self.weight, now - self.last)
    }
}

/// The index policy as defined: every draw compares all pages.
///
/// Exact, and fast enough for a few hundred pages; what [`IndexPolicy`](super::IndexPolicy) is measured against. Both
/// treat odd input and outcomes alike. Ties go to the page not accessed for longest, then to the one inserted first.
#[derive(Clone, Debug, Default)]
pub struct ExactIndex {
    pages: Vec<Entry>,
    closed: Vec<(HostId, f64)>,
}

impl ExactIndex {
    /// No pages.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces a page, as [`IndexPolicy::insert`](super::IndexPolicy::insert).
    pub fn insert(&mut self, page: PageId, rate: f64, weight: f64, host: HostId, last_access: Option<f64>) {
        let (rate, weight, last) = (clean(rate), clean(weight), stored_time(last_access));
        let new = Entry { page, rate, weight, host, last, handed_out: false };
        match self.entry(page) {
            Some(entry) => *entry = Entry { handed_out: entry.handed_out, ..new },
            None => self.pages.push(new),
        }
    }

    /// Removes a page. Whether there was one.
    pub fn remove(&mut self, page: PageId) -> bool {
        let before = self.pages.len();
        self.pages.retain(|entry| entry.page != page);
        self.pages.len() < before
    }

    /// Sets the change rate of a page.
    pub fn set_rate(&mut self, page: PageId, rate: f64) {
        if let Some(entry) = self.entry(page) {
            entry.rate = clean(rate);
        }
    }

    /// Sets the weight of a page.
    pub fn set_weight(&mut self, page: PageId, weight: f64) {
        if let Some(entry) = self.entry(page) {
            entry.weight = clean(weight);
        }
    }

    /// Law F-24: makes a page look older by `by`.
    pub fn look_older(&mut self, page: PageId, by: f64) {
        if let Some(entry) = self.entry(page)
            && by > 0.0
        {
            entry.last -= by;
        }
    }

    /// Lets no page of the host be drawn before `until`.
    pub fn close_host(&mut self, host: HostId, until: f64) {
        if until.is_nan() {
            return;
        }
        self.open_host(host);
        if until > NEVER {
            self.closed.push((host, until));
        }
    }

    /// Lets pages of the host be drawn again.
    pub fn open_host(&mut self, host: HostId) {
        self.closed.retain(|&(closed, _)| closed != host);
    }

    /// The earliest time at which a closed host opens by itself.
    #[must_use]
    pub fn next_opening(&self) -> Option<f64> {
        self.closed.iter().map(|&(_, until)| until).filter(|until| until.is_finite()).min_by(f64::total_cmp)
    }

    /// Takes back a page that was handed out but not accessed.
    pub fn release(&mut self, page: PageId) {
        if let Some(entry) = self.entry(page) {
            entry.handed_out = false;
        }
    }

    /// Law F-17: the index of a page, `None` if there is no such page.
    #[must_use]
    pub fn index(&self, page: PageId, now: f64) -> Option<f64> {
        self.pages.iter().find(|entry| entry.page == page).map(|entry| entry.index(now))
    }

    /// Number of pages, those handed out included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// Whether there are no pages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    fn entry(&mut self, page: PageId) -> Option<&mut Entry> {
        self.pages.iter_mut().find(|entry| entry.page == page)
    }
}

fn clean(x: f64) -> f64 {
    f64::from(stored(x))
}

impl Policy for ExactIndex {
    fn draw(&mut self, now: f64) -> Option<PageId> {
        self.closed.retain(|&(_, until)| until > now);
        let closed = &self.closed;
        let open = |entry: &&mut Entry| !entry.handed_out && !closed.iter().any(|&(host, _)| host == entry.host);
        // `min_by` keeps the first of equals.
        let best = self.pages.iter_mut().filter(open).min_by(|a, b| {
            let by_index = b.index(now).total_cmp(&a.index(now));
            by_index.then(a.last.total_cmp(&b.last))
        })?;
        best.handed_out = true;
        Some(best.page)
    }

    fn record(&mut self, visit: Visit) {
        if visit.outcome == Outcome::Gone {
            self.remove(visit.page);
        } else if let Some(entry) = self.entry(visit.page) {
            entry.handed_out = false;
            if visit.at.is_finite() {
                entry.last = visit.at;
            }
        }
    }
}
