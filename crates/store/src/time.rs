use serde::{Deserialize, Serialize};

/// A moment: milliseconds since 1970, UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Seconds since 1970 with their fraction.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e3
    }

    /// From seconds since 1970.
    #[must_use]
    pub fn from_seconds(seconds: f64) -> Self {
        Self((seconds * 1e3).round() as i64)
    }
}
