use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::host::Host;

/// A time that can be compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moment(pub(super) f64);

impl Eq for Moment {}

impl PartialOrd for Moment {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Moment {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Hosts with something in their queues, by the time at which they may be visited.
///
/// An entry is valid if the host still holds its time; others are skipped.
#[derive(Debug, Default)]
pub(super) struct Calendar {
    entries: BinaryHeap<Reverse<(Moment, u64, u32)>>,
    /// Entries so far: of hosts that open at the same time the one that came first is visited first.
    count: u64,
}

impl Calendar {
    /// Enters a host if it has work and may be visited at a known time, unless its entry is as early.
    pub(super) fn enter(&mut self, host: u32, hosts: &mut [Host], connections: u32) {
        let state = &mut hosts[host as usize];
        let at = state.opens(connections);
        if !state.has_work() || at == f64::INFINITY || state.entry == Some(at) {
            return;
        }
        state.entry = Some(at);
        self.count += 1;
        self.entries.push(Reverse((Moment(at), self.count, host)));
    }

    /// Takes out the next host whose time has come.
    pub(super) fn take(&mut self, now: f64, hosts: &mut [Host]) -> Option<u32> {
        while let Some(Reverse((at, _, host))) = self.entries.peek().copied() {
            let entry = &mut hosts[host as usize].entry;
            if *entry == Some(at.0) {
                if at.0 > now {
                    return None;
                }
                *entry = None;
                self.entries.pop();
                return Some(host);
            }
            self.entries.pop();
        }
        None
    }

    /// The earliest entry, valid or not.
    pub(super) fn next(&self) -> Option<f64> {
        self.entries.peek().map(|Reverse((at, ..))| at.0)
    }
}
