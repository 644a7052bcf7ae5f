//! The index policy when change rates are known.

use freshness::index::IndexPolicy;
use freshness::{HostId, PageId, Policy, Visit};

use crate::config::Signals;
use crate::page::Page;
use crate::scheduler::Scheduler;

/// No signals are trusted to leave out less than this fraction of the changes: a page without silent changes would never
/// be accessed without a signal and at once with one, true or false.
const LEAST_SILENT: f64 = 0.01;

/// [`IndexPolicy`] told the true change rate of every page.
///
/// If it listens to signals (law F-24) a page ages at the rate of its silent changes, `alpha = (1 - r) mu`, and each signal
/// makes it look `ln((r mu + nu)/nu)/alpha` older.
#[derive(Debug, Default)]
pub struct Known {
    index: IndexPolicy,
    signals: Option<Signals>,
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
    pub fn listening(signals: Signals) -> Self {
        Self { signals: Some(signals), ..Self::default() }
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
        let Some(Signals { recall, false_rate }) = self.signals else {
            self.index.insert(id, page.change_rate, page.weight, page.host, last_access);
            return;
        };
        let alpha = (1.0 - recall).max(LEAST_SILENT) * page.change_rate;
        self.index.insert(id, alpha, page.weight, page.host, last_access);
        let number = id.0 as usize;
        if number >= self.older.len() {
            self.older.resize(number + 1, 0.0);
        }
        self.older[number] = older_by(alpha, recall * page.change_rate, false_rate);
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

/// `ln((r mu + nu)/nu)/alpha`: nothing if signals are never true, infinite if they always are.
fn older_by(alpha: f64, true_rate: f64, false_rate: f64) -> f64 {
    if true_rate <= 0.0 { 0.0 } else { (true_rate / false_rate).ln_1p() / alpha }
}
