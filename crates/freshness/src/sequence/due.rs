//! A page and when it is due.

use std::cmp::Ordering;

/// A page in a [`BinaryHeap`](std::collections::BinaryHeap), whose top is the page due first; of pages due at once, the
/// one with the lowest number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    pub(super) at: f64,
    pub(super) page: u32,
}

impl Ord for Due {
    fn cmp(&self, other: &Self) -> Ordering {
        other.at.total_cmp(&self.at).then(other.page.cmp(&self.page))
    }
}

impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Due {}
