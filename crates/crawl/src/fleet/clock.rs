//! The time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use store::Timestamp;

/// The time.
#[must_use]
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(since.as_millis() as i64)
}

/// The time, in seconds since 1970, as finely as it is known: indexing a document takes less than a millisecond.
#[must_use]
pub fn seconds() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

/// At least a millisecond, so that rounding never makes a busy loop, and at most a minute.
pub(super) fn duration(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds.clamp(1e-3, 60.0))
}
