//! What is kept per page: 32 bytes.

use std::cmp::Ordering;

use super::value::continuous_index;

/// No page.
pub(super) const NONE: u32 = u32::MAX;

/// Last access of a page that was never accessed, so that its age is infinite.
pub(super) const NEVER: f64 = f64::NEG_INFINITY;

/// Where a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// There is no such page.
    Absent,
    /// In the queue that [`draw`](crate::Policy::draw) takes from.
    Queued,
    /// Kept with its host, which was closed when the page's turn came.
    Parked,
    /// Drawn, and neither recorded nor released yet.
    HandedOut,
}

/// A page. Rate and weight are kept in single precision: seven digits of an estimate are enough.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page {
    /// Time of the last access, earlier or later by what is heard of the page.
    pub last: f64,
    /// Neighbours in its [`Line`](super::line::Line); the first is its place in the heap if it is [late](Self::late).
    pub prev: u32,
    pub next: u32,
    pub host: u32,
    pub rate: f32,
    pub weight: f32,
    pub state: State,
    /// Whether it is in the [heap](super::late::Late) of its line, not in the list.
    pub late: bool,
    /// Whether it had to wait for its host since its last access.
    pub waited: bool,
    /// Whether a signal has brought it up since then, not time.
    pub signalled: bool,
}

impl Page {
    pub(super) const ABSENT: Self = Self {
        last: NEVER,
        prev: NONE,
        next: NONE,
        host: 0,
        rate: 0.0,
        weight: 0.0,
        state: State::Absent,
        late: false,
        waited: false,
        signalled: false,
    };

    /// Law F-17.
    pub(super) fn index(&self, now: f64) -> f64 {
        continuous_index(f64::from(self.rate), f64::from(self.weight), now - self.last)
    }

    /// `c/mu`, infinite for a page that never changes.
    pub(super) fn value(&self) -> f64 {
        f64::from(self.weight) / f64::from(self.rate)
    }
}

/// A rate or weight as stored. What is negative or not a number counts as zero; what is positive stays positive and
/// finite.
pub(super) fn stored(x: f64) -> f32 {
    if x.is_nan() || x <= 0.0 {
        return 0.0;
    }
    (x as f32).clamp(f32::MIN_POSITIVE, f32::MAX)
}

/// A time of last access as stored: `None` and what is not a finite number count as never.
pub(super) fn stored_time(last_access: Option<f64>) -> f64 {
    last_access.filter(|at| at.is_finite()).unwrap_or(NEVER)
}

/// A time that can be sorted by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Time(pub f64);

impl Ord for Time {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Time {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Time {}
