//! Which hosts may be accessed, and when the others open.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use freshness::HostId;

use crate::time::Time;

/// Opening times of hosts. A host never heard of is open.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hosts {
    closed_until: Vec<f64>,
    openings: BinaryHeap<Reverse<(Time, u32)>>,
}

impl Hosts {
    pub fn close(&mut self, host: HostId, until: f64) {
        let number = host.0 as usize;
        if number >= self.closed_until.len() {
            self.closed_until.resize(number + 1, f64::NEG_INFINITY);
        }
        self.closed_until[number] = until;
        if until.is_finite() {
            self.openings.push(Reverse((Time(until), host.0)));
        }
    }

    pub fn is_open(&self, host: HostId, now: f64) -> bool {
        self.closed_until.get(host.0 as usize).is_none_or(|until| *until <= now)
    }

    /// A host that has opened since it was asked last.
    pub fn take_opened(&mut self, now: f64) -> Option<HostId> {
        while let Some(Reverse((Time(at), host))) = self.openings.peek().copied() {
            if at > now {
                return None;
            }
            self.openings.pop();
            if self.closed_until[host as usize] <= now {
                return Some(HostId(host));
            }
        }
        None
    }

    pub fn next_opening(&self) -> Option<f64> {
        self.openings.peek().map(|Reverse((Time(at), _))| *at)
    }
}
