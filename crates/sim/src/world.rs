//! The simulated web: pages that change, come and go, and the copies held of them.

mod signals;
mod turnover;

use freshness::{Outcome, PageId};

use crate::changes::{ChangeProcess, Changed};
use crate::config::Config;
use crate::page::Page;
use signals::SignalSource;
use turnover::Births;

/// A page and the copy held of it.
struct Held {
    page: Page,
    copy: Stored,
    /// Whether a robot is accessing it.
    in_access: bool,
}

#[derive(Clone, Copy)]
enum Stored {
    /// There is none yet.
    None,
    /// As the page was at this time.
    Of(f64),
    /// The page was found to be gone at this time.
    Gone(f64),
}

/// What an access finds.
pub(crate) struct Finding {
    pub outcome: Outcome,
    /// Since when the copy was out of date, if it was.
    pub stale_since: Option<f64>,
    /// Changes since the access before, expected for Poisson changes.
    pub changes: f64,
}

pub(crate) struct World {
    held: Vec<Held>,
    changes: ChangeProcess,
    signals: Option<SignalSource>,
    births: Births,
    last_modified: bool,
    alive: usize,
}

impl World {
    /// The web at time 0.
    pub fn new(pages: &[Page], config: &Config) -> Self {
        let needs_last = config.last_modified;
        let mut world = Self {
            held: Vec::with_capacity(pages.len()),
            changes: ChangeProcess::new(&config.changes, config.seed, needs_last),
            signals: config.signals.map(|signals| SignalSource::new(signals, config.seed)),
            births: Births::new(pages, config),
            last_modified: config.last_modified,
            alive: 0,
        };
        for &page in pages {
            let page = Page { until: world.births.end_of_life(&page), ..page };
            world.add(page);
        }
        world
    }

    fn add(&mut self, page: Page) -> PageId {
        let id = PageId(self.held.len() as u32);
        let copy = if page.from > 0.0 { Stored::None } else { Stored::Of(0.0) };
        self.changes.add(&page);
        if let Some(signals) = &mut self.signals {
            signals.add(id, &page);
        }
        self.held.push(Held { page, copy, in_access: false });
        self.alive += usize::from(page.from <= 0.0);
        id
    }

    pub fn page(&self, id: PageId) -> &Page {
        &self.held[id.0 as usize].page
    }

    /// The pages that are there from the start.
    pub fn at_start(&self) -> impl Iterator<Item = (PageId, &Page)> {
        let numbered = self.held.iter().enumerate();
        numbered.filter(|(_, held)| held.page.from <= 0.0).map(|(i, held)| (PageId(i as u32), &held.page))
    }

    /// Pages that are held and not known to be gone.
    pub fn alive(&self) -> usize {
        self.alive
    }

    /// A robot sets out for the page.
    pub fn begin_access(&mut self, id: PageId) {
        self.held[id.0 as usize].in_access = true;
    }

    /// The access is completed: from now on the copy is of this time.
    pub fn access(&mut self, id: PageId, now: f64) -> Finding {
        let Held { page, copy, .. } = self.held[id.0 as usize];
        let found = match copy {
            Stored::Of(since) => self.changes_of(id, &page, since, now.min(page.until)),
            Stored::None | Stored::Gone(_) => None,
        };
        let held = &mut self.held[id.0 as usize];
        held.in_access = false;
        let stale_since = stale_since(&page, copy, found, now);
        let changes = found.map_or(0.0, |changed| changed.count);
        if page.until <= now {
            held.copy = Stored::Gone(now);
            self.alive -= usize::from(!matches!(copy, Stored::Gone(_)));
            return Finding { outcome: Outcome::Gone, stale_since, changes };
        }
        held.copy = Stored::Of(now);
        let outcome = match (copy, found) {
            (Stored::Of(_), None) => Outcome::Unchanged,
            (Stored::Of(_), Some(changed)) => {
                Outcome::Changed { last_modified: self.last_modified.then_some(changed.last) }
            }
            (Stored::None | Stored::Gone(_), _) => Outcome::First,
        };
        Finding { outcome, stale_since, changes }
    }

    /// Since when the copy is out of date at the end, and the time over which the page was held or should have been.
    pub fn at_end(&mut self, id: PageId, end: f64) -> (Option<f64>, std::ops::Range<f64>) {
        let Held { page, copy, .. } = self.held[id.0 as usize];
        let counted = |until: f64| page.from..until.max(page.from);
        match copy {
            Stored::Gone(at) => (None, counted(at)),
            Stored::None => ((page.from < end).then_some(page.from), counted(end)),
            Stored::Of(since) => {
                let found = self.changes_of(id, &page, since, end.min(page.until));
                (stale_since(&page, copy, found, end), counted(end))
            }
        }
    }

    /// Changes with and without a signal, in one.
    fn changes_of(&mut self, id: PageId, page: &Page, since: f64, until: f64) -> Option<Changed> {
        let number = id.0 as usize;
        let Some(signals) = &mut self.signals else {
            return self.changes.between(number, page.change_rate, since, until);
        };
        let signalled = signals.take(number);
        let silent = self.changes.between(number, signals.silent_rate(page), since, until);
        match (signalled, silent) {
            (Some(a), Some(b)) => {
                Some(Changed { first: a.first.min(b.first), last: a.last.max(b.last), count: a.count + b.count })
            }
            (found, None) | (None, found) => found,
        }
    }

    pub fn ids(&self) -> impl Iterator<Item = PageId> + use<> {
        (0..self.held.len() as u32).map(PageId)
    }

    /// When the next page appears; infinite if none does.
    pub fn next_birth(&self) -> f64 {
        self.births.next()
    }

    /// The page that appears now.
    pub fn give_birth(&mut self) -> PageId {
        if let Some(id) = self.births.take_planned() {
            self.alive += 1;
            return id;
        }
        let page = self.births.draw();
        self.alive += 1;
        self.add(page)
    }

    /// When the next signal comes; infinite if none does.
    pub fn next_signal(&self) -> f64 {
        self.signals.as_ref().map_or(f64::INFINITY, SignalSource::next)
    }

    /// The page signalled now, if there is a copy for which it can matter.
    pub fn signal(&mut self) -> Option<PageId> {
        let held = &self.held;
        let id = self.signals.as_mut()?.draw(|id| &held[id.0 as usize].page)?;
        let held = &held[id.0 as usize];
        (matches!(held.copy, Stored::Of(_)) && !held.in_access).then_some(id)
    }
}

/// From the first change, or from the drop of the page if that came first; without a copy, from the page's beginning.
fn stale_since(page: &Page, copy: Stored, found: Option<Changed>, now: f64) -> Option<f64> {
    match copy {
        Stored::None => Some(page.from),
        Stored::Gone(_) => None,
        Stored::Of(_) => {
            let since = found.map_or(f64::INFINITY, |changed| changed.first).min(page.until);
            (since < now).then_some(since)
        }
    }
}
