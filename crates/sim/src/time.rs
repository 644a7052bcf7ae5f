//! Points in virtual time that can be ordered.

use std::cmp::Ordering;

/// A time in days, ordered as numbers are; the simulator makes no NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Time(pub f64);

impl Eq for Time {}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Time {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}
