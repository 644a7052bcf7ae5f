//! Notices of change, right and wrong.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use freshness::PageId;
use freshness::learn::SignalModel;
use rand::RngExt;
use rand_pcg::Pcg64Mcg;

use crate::changes::Changed;
use crate::page::Page;
use crate::random::{Stream, exponential, stream};
use crate::time::Time;

/// Poisson changes split in two independent Poisson processes: those that are signalled, at rate `r mu`, and silent
/// ones, at rate `(1 - r) mu`. False signals come at rate `nu` besides (law F-24).
pub(super) struct SignalSource {
    model: SignalModel,
    rng: Pcg64Mcg,
    due: BinaryHeap<Reverse<(Time, u32)>>,
    /// Signalled changes of each page since its last access.
    pending: Vec<Option<Changed>>,
}

impl SignalSource {
    pub fn new(model: SignalModel, seed: u64) -> Self {
        Self { model, rng: stream(seed, Stream::Signals), due: BinaryHeap::new(), pending: Vec::new() }
    }

    pub fn add(&mut self, id: PageId, page: &Page) {
        self.pending.push(None);
        self.schedule(id, page, page.from);
    }

    /// `(1 - r) mu`.
    pub fn silent_rate(&self, page: &Page) -> f64 {
        self.model.page(page.change_rate).unsignalled_rate()
    }

    pub fn next(&self) -> f64 {
        self.due.peek().map_or(f64::INFINITY, |Reverse((Time(at), _))| *at)
    }

    /// The page of the next signal; its change is noted if it is a true one.
    pub fn draw<'a>(&mut self, page_of: impl Fn(PageId) -> &'a Page) -> Option<PageId> {
        let Reverse((Time(at), number)) = self.due.pop()?;
        let id = PageId(number);
        let page = page_of(id);
        if self.rng.random_bool(self.model.precision(page.change_rate)) {
            let pending = &mut self.pending[number as usize];
            let before = pending.unwrap_or(Changed { first: at, last: at, count: 0.0 });
            *pending = Some(Changed { last: at, count: before.count + 1.0, ..before });
        }
        self.schedule(id, page, at);
        Some(id)
    }

    /// Signalled changes of the page since its last access.
    pub fn take(&mut self, number: usize) -> Option<Changed> {
        self.pending[number].take()
    }

    fn schedule(&mut self, id: PageId, page: &Page, now: f64) {
        let at = now + exponential(&mut self.rng, self.model.page(page.change_rate).signal_rate());
        if at < page.until {
            self.due.push(Reverse((Time(at), id.0)));
        }
    }
}
