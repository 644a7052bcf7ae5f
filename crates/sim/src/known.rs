//! The index policy when change rates are known.

use freshness::index::IndexPolicy;
use freshness::learn::SignalModel;
use freshness::{HostId, PageId, Policy, Visit};

use crate::page::Page;
use crate::scheduler::Scheduler;

/// No signals are trusted to tell of more than this fraction of the changes: a page without silent changes would never
/// be accessed without a signal and at once with one, true or false.
const MOST_RECALL: f64 = 0.99;

/// [`IndexPolicy`] told the true change rate of every page.
///
/// If it listens to signals (law F-24) a page ages at the rate of its silent changes, `alpha = (1 - r) mu`, and each signal
/// makes it look `ln((r mu + nu)/nu)/alpha` older.
#[derive(Debug, Default)]
pub struct Known {
    index: IndexPolicy,
    signals: Option<SignalModel>,
    /// By how much a signal makes each page look older; empty without signals.
    older: Vec<f64>,
}

impl Known {
    /// Does not listen to signals.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Listens to signals of this quality.
    #[must_use]
    pub fn listening(signals: SignalModel) -> Self {
        let recall = signals.recall().min(MOST_RECALL);
        let trusted = SignalModel::new(recall, signals.false_rate()).unwrap_or(signals);
        Self { signals: Some(trusted), ..Self::default() }
    }

    /// Compares pages as they will be this much after the draw: see [`IndexPolicy::set_lead`].
    #[must_use]
    pub fn leading(mut self, lead: f64) -> Self {
        self.index.set_lead(lead);
        self
    }
}

impl Policy for Known {
    fn draw(&mut self, now: f64) -> Option<PageId> {
        self.index.draw(now)
    }

    fn record(&mut self, visit: Visit) {
        self.index.record(visit);
    }
}

impl Scheduler for Known {
    fn discover(&mut self, id: PageId, page: &Page, _now: f64, last_access: Option<f64>) {
        let Some(signals) = self.signals else {
            self.index.insert(id, page.change_rate, page.weight, page.host, last_access);
            return;
        };
        let signalled = signals.page(page.change_rate);
        self.index.insert(id, signalled.unsignalled_rate(), page.weight, page.host, last_access);
        let number = id.0 as usize;
        if number >= self.older.len() {
            self.older.resize(number + 1, 0.0);
        }
        self.older[number] = signalled.effective_age(0.0, 1);
    }

    fn signal(&mut self, page: PageId, _now: f64) {
        if let Some(&by) = self.older.get(page.0 as usize) {
            self.index.look_older(page, by);
        }
    }

    fn close_host(&mut self, host: HostId, until: f64) {
        self.index.close_host(host, until);
    }

    fn next_opening(&self) -> Option<f64> {
        self.index.next_opening()
    }
}
