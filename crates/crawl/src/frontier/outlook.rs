//! When a page will be visited, and why: the same whether the frontier is asked or whoever reads the catalogue.

#[cfg(test)]
mod tests;

use freshness::learn::RateEstimate;
use store::{State, Timestamp, Values};

use super::{Remaining, Settings, Why, rates};

/// What a page waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// Its turn in the queue of its host.
    Queue,
    /// A robot is fetching it or its document waits to be indexed.
    Robot,
    /// Its index to grow.
    Index,
    /// The time at which it is to be tried again, or may be visited again.
    Time,
    /// Nothing: it is not visited any more.
    Nothing,
}

/// What decides about the next visit to a page. Times are in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prospect {
    /// Estimated change rate per second.
    pub rate: RateEstimate,
    /// What the page matters.
    pub weight: f64,
    /// When its copy was last found to be current, if there is one.
    pub visited: Option<f64>,
    /// When that seems to have been, by what others have said since.
    pub seems: Option<f64>,
    /// What it waits for.
    pub waits: Waits,
    /// When it is to be tried again, if it waits for that.
    pub retry: Option<f64>,
}

/// Why a page will be visited when.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlook {
    /// Estimated change rate per second.
    pub rate: RateEstimate,
    /// What the page matters.
    pub weight: f64,
    /// Its index now: what a visit is worth.
    pub index: f64,
    /// The index at which pages are visited now, if it is known.
    pub level: Option<f64>,
    /// When it will be visited if nothing changes and the budget lasts. None if that is at once, never, or not known.
    pub due: Option<f64>,
    /// Before when it will not be visited, if it rests after its last visit.
    pub earliest: Option<f64>,
    /// When it will be visited at the latest, budget permitting, if there is such a time.
    pub latest: Option<f64>,
    /// What will decide then; none if it is not visited any more.
    pub why: Option<Why>,
    /// What it waits for.
    pub waits: Waits,
}

impl Remaining {
    /// Where the catalogue says that a page is.
    #[must_use]
    pub fn of(values: &Values) -> Self {
        let fetched = values.checked_at.filter(|_| !values.sketch.is_empty()).map(Timestamp::seconds);
        match (values.state, values.retry_at) {
            (_, Some(retry)) => Self::Later(retry.seconds(), Self::compared(values)),
            (State::Known, None) => Self::Queued,
            (State::Fetched | State::Duplicate, None) => fetched.map_or(Self::Queued, Self::Fetched),
            (State::Excluded | State::Gone | State::Redirect | State::Skipped | State::Failed, None) => Self::Never,
        }
    }
}

impl Remaining {
    /// When the page was last compared with its copy, if that was at its last visit: what the next comparison finds has
    /// happened since then.
    #[must_use]
    pub fn compared(values: &Values) -> Option<f64> {
        let is_copied = matches!(values.state, State::Fetched | State::Duplicate) && !values.sketch.is_empty();
        // It was not there, which has to be confirmed.
        let is_missing = matches!(values.status, Some(404 | 410));
        values.checked_at.filter(|_| is_copied && !is_missing).map(Timestamp::seconds)
    }
}

impl Prospect {
    /// Of a page that the catalogue remembers.
    #[must_use]
    pub fn new(rate: RateEstimate, weight: f64, place: Remaining, settings: &Settings, now: f64) -> Self {
        let (visited, waits, retry) = match place {
            Remaining::Queued => (None, Waits::Queue, None),
            Remaining::Fetched(at) if !settings.revisit => (Some(at), Waits::Nothing, None),
            Remaining::Fetched(at) if at + settings.least_revisit > now => (Some(at), Waits::Time, None),
            Remaining::Fetched(at) => (Some(at), Waits::Index, None),
            Remaining::Later(at, before) if at > now => (before, Waits::Time, Some(at)),
            Remaining::Later(_, before) => (before, Waits::Queue, None),
            Remaining::Never => (None, Waits::Nothing, None),
        };
        Self { rate, weight, visited, seems: visited, waits, retry }
    }
}

impl Outlook {
    /// Why the page will be visited when, if pages are visited at this index now.
    #[must_use]
    pub fn new(prospect: &Prospect, level: Option<f64>, settings: &Settings, now: f64) -> Self {
        let Prospect { rate, weight, visited, seems, waits, retry } = *prospect;
        let age = seems.map_or(f64::INFINITY, |at| now - at);
        let index = freshness::index::continuous_index(rate.mean(), weight, age);
        let (due, latest, why) = match (waits, retry, visited.zip(seems)) {
            (Waits::Nothing, ..) => (None, None, None),
            (Waits::Queue | Waits::Robot, ..) => (None, None, Some(Why::Queued)),
            (_, Some(at), _) => (Some(at), Some(at), Some(Why::Queued)),
            (_, None, Some(visits)) => refreshed((rate.mean(), weight), visits, level, settings),
            (_, None, None) => (None, None, None),
        };
        let rests = waits == Waits::Time && retry.is_none();
        let earliest = visited.filter(|_| rests).map(|visited| visited + settings.least_revisit);
        Self { rate, weight, index, level, due, earliest, latest, why, waits }
    }
}

/// When the index of a page reaches the level, but not before the shortest time nor after the longest.
fn refreshed(
    (mu, weight): (f64, f64),
    (visited, seems): (f64, f64),
    level: Option<f64>,
    settings: &Settings,
) -> (Option<f64>, Option<f64>, Option<Why>) {
    let latest = Some(visited + settings.most_revisit).filter(|at| at.is_finite());
    let Some(level) = level else { return (None, latest, Some(Why::Index)) };
    let reached = rates::due(mu, weight, level).map(|age| (seems + age).max(visited + settings.least_revisit));
    match (reached.filter(|at| at.is_finite()), latest) {
        (Some(at), Some(latest)) if at > latest => (Some(latest), Some(latest), Some(Why::Overdue)),
        (Some(at), latest) => (Some(at), latest, Some(Why::Index)),
        (None, Some(latest)) => (Some(latest), Some(latest), Some(Why::Overdue)),
        (None, None) => (None, None, Some(Why::Reserve)),
    }
}
