//! Policies that give every page a date for its next access.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use freshness::{HostId, Outcome, PageId, Policy, Visit};

use crate::hosts::Hosts;
use crate::page::Page;
use crate::scheduler::Scheduler;
use crate::time::Time;

/// A rule that says, after each access, when the page is due again.
pub trait RevisitRule {
    /// What is remembered of a page.
    type State: Copy;

    /// The state of a page never accessed.
    fn unvisited(&self) -> Self::State;

    /// When the page is due again, in days, after an access at `now` with this outcome.
    fn next_due(&self, state: &mut Self::State, now: f64, outcome: Outcome) -> f64;
}

/// Accesses pages by due date, the earliest first.
///
/// The rules of other crawlers know no budget. To compare at equal budget the queue is work-conserving: what is overdue
/// waits its turn, and robots that find nothing due take the page that will be due first. Then the clock of the queue runs
/// ahead: such a page is due again its interval after its due date, not after the early access, or a page with a shorter
/// interval would be taken over and over while others wait. The rule itself is told the true time. [`DueQueue::on_time`] leaves robots idle
/// instead, as those crawlers do when they have capacity to spare. A page found gone is forgotten.
///
/// `O(log N)` per access: a heap of pages per host and a heap of the hosts' earliest dates.
#[derive(Clone, Debug)]
pub struct DueQueue<R: RevisitRule> {
    rule: R,
    waits_until_due: bool,
    pages: Vec<Option<(R::State, HostId)>>,
    /// The latest due date of any page drawn: ahead of the true time if pages are accessed early.
    clock: f64,
    lines: Vec<BinaryHeap<Reverse<(Time, u32)>>>,
    /// Earliest date of each open host; entries that no longer hold are skipped.
    fronts: BinaryHeap<Reverse<(Time, u32)>>,
    hosts: Hosts,
}

impl<R: RevisitRule> DueQueue<R> {
    /// Work-conserving: pages are accessed early if none is due.
    #[must_use]
    pub fn new(rule: R) -> Self {
        Self {
            rule,
            waits_until_due: false,
            pages: Vec::new(),
            clock: 0.0,
            lines: Vec::new(),
            fronts: BinaryHeap::new(),
            hosts: Hosts::default(),
        }
    }

    /// Pages are never accessed before they are due.
    #[must_use]
    pub fn on_time(rule: R) -> Self {
        Self { waits_until_due: true, ..Self::new(rule) }
    }

    fn push(&mut self, page: PageId, host: HostId, due: f64) {
        let number = host.0 as usize;
        if number >= self.lines.len() {
            self.lines.resize_with(number + 1, BinaryHeap::new);
        }
        let line = &mut self.lines[number];
        let entry = (Time(due), page.0);
        let leads = line.peek().is_none_or(|Reverse(first)| entry < *first);
        line.push(Reverse(entry));
        if leads {
            self.fronts.push(Reverse((Time(due), host.0)));
        }
    }

    /// Puts the earliest date of the host before the others again.
    fn bring_forward(&mut self, host: HostId) {
        if let Some(Reverse((due, _))) = self.lines.get(host.0 as usize).and_then(BinaryHeap::peek) {
            self.fronts.push(Reverse((*due, host.0)));
        }
    }

    /// The open host whose page is due first, with its date.
    fn first_open(&mut self, now: f64) -> Option<(f64, HostId)> {
        while let Some(Reverse((due, number))) = self.fronts.peek().copied() {
            let holds = self.lines[number as usize].peek().is_some_and(|Reverse((first, _))| *first == due);
            if holds && self.hosts.is_open(HostId(number), now) {
                return Some((due.0, HostId(number)));
            }
            self.fronts.pop();
        }
        None
    }
}

impl<R: RevisitRule> Policy for DueQueue<R> {
    fn draw(&mut self, now: f64) -> Option<PageId> {
        while let Some(host) = self.hosts.take_opened(now) {
            self.bring_forward(host);
        }
        let (due, host) = self.first_open(now)?;
        if self.waits_until_due && due > now {
            return None;
        }
        self.fronts.pop();
        let Reverse((_, page)) = self.lines[host.0 as usize].pop()?;
        self.bring_forward(host);
        self.clock = self.clock.max(due);
        Some(PageId(page))
    }

    fn record(&mut self, visit: Visit) {
        let entry = &mut self.pages[visit.page.0 as usize];
        if visit.outcome == Outcome::Gone {
            *entry = None;
        }
        let Some((state, host)) = entry else { return };
        let wait = self.rule.next_due(state, visit.at, visit.outcome) - visit.at;
        let (host, due) = (*host, visit.at.max(self.clock) + wait);
        self.push(visit.page, host, due);
    }
}

impl<R: RevisitRule> Scheduler for DueQueue<R> {
    fn discover(&mut self, id: PageId, page: &Page, now: f64, last_access: Option<f64>) {
        let number = id.0 as usize;
        if number >= self.pages.len() {
            self.pages.resize(number + 1, None);
        }
        let mut state = self.rule.unvisited();
        let due = last_access.map_or(now, |at| self.rule.next_due(&mut state, at, Outcome::First));
        self.pages[number] = Some((state, page.host));
        self.push(id, page.host, due);
    }

    fn close_host(&mut self, host: HostId, until: f64) {
        self.hosts.close(host, until);
    }

    fn next_opening(&self) -> Option<f64> {
        let opening = self.hosts.next_opening();
        let due = self.fronts.peek().filter(|_| self.waits_until_due).map(|Reverse((Time(due), _))| *due);
        match (opening, due) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (one, None) | (None, one) => one,
        }
    }
}
