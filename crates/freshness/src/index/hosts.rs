//! Which hosts may be accessed, and the pages kept back for those that may not.

use std::collections::{BTreeSet, VecDeque};

use super::cell::Grid;
use super::page::{NEVER, Page, Time};
use super::queue::Queue;

/// A host.
#[derive(Debug)]
struct Host {
    /// Closed until then; [`NEVER`] if it is open.
    until: f64,
    /// Pages whose turn came while it was closed.
    parked: Option<Box<Queue>>,
    /// Whether it is in the list of that name.
    returning: bool,
}

/// The hosts.
///
/// A page is parked with its host only when its turn comes and the host is closed, so a host that is open, or whose
/// pages are not due, costs nothing. When the host opens its pages go back to the common queue, best first: one at
/// once, one after each draw of a page of that host, and one of some open host at every draw. So none is forgotten,
/// and no opening has to move a million pages.
#[derive(Debug, Default)]
pub(super) struct Hosts {
    hosts: Vec<Host>,
    openings: BTreeSet<(Time, u32)>,
    /// Hosts that may be open and have pages parked.
    returning: VecDeque<u32>,
}

impl Hosts {
    pub(super) fn is_closed(&self, host: u32) -> bool {
        self.hosts.get(host as usize).is_some_and(|host| host.until != NEVER)
    }

    /// Earliest time at which a closed host opens.
    pub(super) fn next_opening(&self) -> Option<f64> {
        self.openings.first().map(|&(Time(until), _)| until)
    }

    pub(super) fn close(&mut self, host: u32, until: f64) {
        if until.is_nan() {
            return;
        }
        self.open(host);
        self.host(host).until = until;
        if until.is_finite() {
            self.openings.insert((Time(until), host));
        }
    }

    pub(super) fn open(&mut self, host: u32) {
        let Some(state) = self.hosts.get_mut(host as usize) else { return };
        self.openings.remove(&(Time(state.until), host));
        state.until = NEVER;
        if state.parked.is_some() && !state.returning {
            state.returning = true;
            self.returning.push_back(host);
        }
    }

    /// Opens a host whose time has come.
    pub(super) fn open_next(&mut self, now: f64) -> Option<u32> {
        let &(Time(until), host) = self.openings.first()?;
        if until > now {
            return None;
        }
        self.open(host);
        Some(host)
    }

    /// The next open host that has pages parked; each has its turn.
    pub(super) fn next_returning(&mut self) -> Option<u32> {
        while let Some(host) = self.returning.pop_front() {
            let state = &mut self.hosts[host as usize];
            if state.until == NEVER && state.parked.is_some() {
                self.returning.push_back(host);
                return Some(host);
            }
            state.returning = false;
        }
        None
    }

    pub(super) fn park(&mut self, pages: &mut [Page], page: u32, grid: Grid) {
        let host = self.host(pages[page as usize].host);
        host.parked.get_or_insert_with(|| Box::new(Queue::new(grid))).push(pages, page);
    }

    pub(super) fn unlink(&mut self, pages: &mut [Page], page: u32) {
        let host = self.host(pages[page as usize].host);
        if let Some(parked) = &mut host.parked {
            parked.unlink(pages, page);
            if parked.is_empty() {
                host.parked = None;
            }
        }
    }

    /// Takes the best page out of those parked with a host; also says how much work it was.
    pub(super) fn take(&mut self, pages: &mut [Page], host: u32, now: f64) -> Option<(u32, u64)> {
        let parked = &mut self.hosts.get_mut(host as usize)?.parked;
        let queue = parked.as_mut()?;
        let before = queue.compared();
        let page = queue.take(pages, now)?;
        let work = queue.compared() - before;
        if queue.is_empty() {
            *parked = None;
        }
        Some((page, work))
    }

    fn host(&mut self, host: u32) -> &mut Host {
        let index = host as usize;
        if index >= self.hosts.len() {
            self.hosts.resize_with(index + 1, || Host { until: NEVER, parked: None, returning: false });
        }
        &mut self.hosts[index]
    }
}
