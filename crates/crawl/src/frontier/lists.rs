//! Sitemaps and feeds: of what time they have told.

use std::num::NonZeroU32;

use freshness::PageId;

use super::signals::SignalKind;
use super::{Frontier, Page};

/// Kinds of lists: sitemaps and feeds. They are the first of all kinds of signals.
pub(super) const LIST_KINDS: usize = 2;

/// The number of a list, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListId(NonZeroU32);

/// What a list has told of.
#[derive(Clone, Copy, Debug)]
struct Told {
    kind: SignalKind,
    /// All changes from then on ...
    from: f64,
    /// ... until then, as far as it tells of changes.
    until: f64,
    /// How often it was read, from 0 again after 65,535.
    readings: u16,
    /// Its dates are multiples of so many seconds.
    step: f64,
}

/// All lists.
#[derive(Debug, Default)]
pub(super) struct Lists(Vec<Told>);

impl Lists {
    /// The time since the last visit to a page, up to a time, of which lists have told. Who pings tells of all of it.
    pub(super) fn told_of(&self, page: &Page, to: f64) -> [f64; 3] {
        let of = |list: Option<ListId>| {
            let Some(ListId(list)) = list else { return 0.0 };
            let Told { kind, from, until, readings, step } = self.0[list.get() as usize - 1];
            // A sitemap that no longer names a page says nothing of it, a feed that it has not changed.
            let is_meant = kind == SignalKind::Feed || page.reading == readings;
            // What happened after the visit, but has a date before it, is not told.
            let visited = (page.visited / step).ceil() * step;
            if is_meant { (until.min(to) - visited.max(from)).max(0.0) } else { 0.0 }
        };
        let [sitemap, feed] = page.lists.map(of);
        [sitemap, feed, if to.is_finite() { to - page.visited } else { 0.0 }]
    }
}

impl Frontier {
    /// Adds a list that has told nothing yet.
    pub fn add_list(&mut self, kind: SignalKind) -> ListId {
        self.lists.0.push(Told { kind, from: f64::NEG_INFINITY, until: f64::NEG_INFINITY, readings: 0, step: 1.0 });
        ListId(NonZeroU32::MIN.saturating_add(self.lists.0.len() as u32 - 1))
    }

    /// Whether a list of this kind tells of a page.
    #[must_use]
    pub fn is_told_of(&self, page: PageId, kind: SignalKind) -> bool {
        self.pages[page.0 as usize].lists.get(kind as usize).is_some_and(Option::is_some)
    }

    /// The newest change of which a list has told.
    #[must_use]
    pub fn told_until(&self, ListId(list): ListId) -> Option<f64> {
        Some(self.lists.0[list.get() as usize - 1].until).filter(|until| until.is_finite())
    }

    /// A list is read anew: [`tells_of`](Self::tells_of) each page that it names, then [`list_told`](Self::list_told).
    pub fn list_tells(&mut self, ListId(list): ListId) {
        let told = &mut self.lists.0[list.get() as usize - 1];
        told.readings = told.readings.wrapping_add(1);
    }

    /// A list names a page: what it says nothing of has not changed, as far as it has proved right (law F-30).
    pub fn tells_of(&mut self, ListId(list): ListId, page: PageId) {
        let told = self.lists.0[list.get() as usize - 1];
        let record = &mut self.pages[page.0 as usize];
        record.lists[told.kind as usize] = Some(ListId(list));
        if told.kind == SignalKind::Sitemap {
            record.reading = told.readings;
        }
    }

    /// A list was read that tells of changes from a time on until another, by dates that are multiples of a `step`, seconds or days.
    /// If it goes back to what it told before, there is no gap.
    pub fn list_told(&mut self, ListId(list): ListId, (from, until): (f64, f64), step: f64) {
        let told = &mut self.lists.0[list.get() as usize - 1];
        told.step = step;
        if from > told.until {
            told.from = from;
        }
        told.until = told.until.max(until);
    }
}
