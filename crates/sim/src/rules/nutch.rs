//! Apache Nutch, `AdaptiveFetchSchedule`.

use freshness::Outcome;

use super::SECONDS;
use crate::due_queue::RevisitRule;

/// Changed: `interval *= 1 - DEC` and `modified = fetch`. Unchanged: `interval *= 1 + INC`. Then, if `sync_delta`, with
/// `delta = fetch - modified`: `interval = max(interval, delta)` and the next fetch counts from
/// `fetch - SYNC_RATE delta` instead of `fetch`. The interval is clamped to [min, max] and kept in whole seconds.
///
/// Nutch means to cut an offset `SYNC_RATE delta` above the maximum to `SYNC_RATE max`, but writes
/// `(offset / delta) * max` in whole numbers, which is always 0: then there is no offset at all. The same here.
///
/// A failed fetch is tried again after a day. Nutch itself sorts what is due by score; here the earliest date comes first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nutch {
    /// Interval before anything is known, in seconds.
    pub initial: f64,
    /// `INC`.
    pub increase: f64,
    /// `DEC`.
    pub decrease: f64,
    /// Shortest interval, in seconds.
    pub min: f64,
    /// Longest interval, in seconds.
    pub max: f64,
    /// `SYNC_RATE`, or `None` for `sync_delta` off.
    pub sync_rate: Option<f64>,
}

/// What Nutch remembers of a page, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NutchState {
    interval: f64,
    modified: Option<f64>,
}

impl Default for Nutch {
    /// The values of `nutch-default.xml`, which differ from those in the code.
    fn default() -> Self {
        Self { initial: 2_592_000.0, increase: 0.4, decrease: 0.2, min: 60.0, max: 31_536_000.0, sync_rate: Some(0.3) }
    }
}

impl RevisitRule for Nutch {
    type State = NutchState;

    fn unvisited(&self) -> NutchState {
        NutchState { interval: self.initial, modified: None }
    }

    fn next_due(&self, state: &mut NutchState, now: f64, outcome: Outcome) -> f64 {
        let fetch = now * SECONDS;
        match outcome {
            Outcome::Changed { .. } => {
                state.interval *= 1.0 - self.decrease;
                state.modified = Some(fetch);
            }
            Outcome::Unchanged => state.interval *= 1.0 + self.increase,
            Outcome::Failed => return now + 1.0,
            Outcome::First | Outcome::Gone => {}
        }
        let delta = fetch - *state.modified.get_or_insert(fetch);
        let offset = self.synchronise(state, delta);
        state.interval = state.interval.clamp(self.min, self.max).round();
        (fetch - offset + state.interval) / SECONDS
    }
}

impl Nutch {
    /// Lengthens the interval to the time since the last change, and says by how much the next fetch comes forward.
    fn synchronise(&self, state: &mut NutchState, delta: f64) -> f64 {
        let Some(rate) = self.sync_rate else { return 0.0 };
        state.interval = state.interval.max(delta);
        let offset = rate * delta;
        if offset > self.max { 0.0 } else { offset }
    }
}
