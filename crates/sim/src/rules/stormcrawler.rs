//! StormCrawler, `AdaptiveScheduler`.

use freshness::Outcome;

use super::MINUTES;
use crate::due_queue::RevisitRule;

/// First fetch: the default interval. Then, in whole minutes,
/// changed: `interval = (1 - DEC) interval + DEC MIN`, a pull to the floor;
/// unchanged: `interval = min(interval (1 + INC), MAX)`.
///
/// A failed fetch is tried again after 120 minutes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StormCrawler {
    /// Interval after the first fetch, in minutes.
    pub initial: f64,
    /// `MIN`, in minutes.
    pub min: f64,
    /// `MAX`, in minutes.
    pub max: f64,
    /// `INC`.
    pub increase: f64,
    /// `DEC`.
    pub decrease: f64,
}

/// Minutes to the next try after a failed fetch.
const RETRY: f64 = 120.0;

impl Default for StormCrawler {
    /// The values of `crawler-default.yaml`: 1 hour to 14 days, up by a half, half the way down.
    fn default() -> Self {
        Self { initial: 1_440.0, min: 60.0, max: 20_160.0, increase: 0.5, decrease: 0.5 }
    }
}

impl StormCrawler {
    /// As Common Crawl's news-crawl sets it for feeds: starts at 12 hours, 90 minutes to 90 days, up by a half, a fifth
    /// of the way down.
    #[must_use]
    pub fn news_crawl() -> Self {
        Self { initial: 720.0, min: 90.0, max: 129_600.0, increase: 0.5, decrease: 0.2 }
    }
}

impl RevisitRule for StormCrawler {
    /// The interval, in minutes.
    type State = f64;

    fn unvisited(&self) -> f64 {
        self.initial
    }

    fn next_due(&self, interval: &mut f64, now: f64, outcome: Outcome) -> f64 {
        match outcome {
            Outcome::Changed { .. } => {
                *interval = ((1.0 - self.decrease) * *interval + self.decrease * self.min).trunc();
            }
            Outcome::Unchanged => *interval = (*interval * (1.0 + self.increase)).trunc().min(self.max),
            Outcome::Failed => return now + RETRY / MINUTES,
            Outcome::First | Outcome::Gone => *interval = self.initial,
        }
        now + *interval / MINUTES
    }
}
