//! Policies that follow a sequence made in advance.

use std::collections::VecDeque;

use freshness::{HostId, Outcome, PageId, Policy, Visit};

use crate::hosts::Hosts;
use crate::page::Page;
use crate::scheduler::Scheduler;

/// An endless sequence of positions in the list of pages it was made for.
pub type Sequence = Box<dyn Iterator<Item = PageId>>;

/// Makes a sequence for a list of pages.
type Plan = Box<dyn FnMut(&[Page]) -> Sequence>;

/// Turns of the sequence tried in one draw before the robot is told to wait.
const LOOK_AHEAD: usize = 1_000;

/// No more pages than this wait for their hosts at once, and no more than a tenth of all.
const MOST_WAITING: usize = 256;

/// Follows an access sequence, such as the golden-ratio sequence, on a web that the sequence knows nothing of.
///
/// A new page is accessed at once and joins the sequence when that is next made: when a tenth of the pages have come or
/// gone. A page whose host is closed waits in line for it while the sequence goes on, up to a tenth of the pages: beyond
/// that the sequence waits, for otherwise its frequencies would be lost. A page that is gone, that waits already or that a
/// robot is accessing loses its turn.
pub struct Sequenced {
    plan: Plan,
    sequence: Option<Sequence>,
    /// Position in the sequence to page.
    members: Vec<PageId>,
    pages: Vec<Known>,
    newcomers: VecDeque<PageId>,
    hosts: Hosts,
    /// Pages waiting for each host.
    lines: Vec<VecDeque<PageId>>,
    waiting: usize,
    turnover: usize,
}

#[derive(Clone, Copy)]
struct Known {
    page: Page,
    state: State,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Free,
    /// Waiting in line or handed out.
    Taken,
    Gone,
}

impl Sequenced {
    /// Follows the sequences that `plan` makes for the pages it is given.
    #[must_use]
    pub fn new(plan: impl FnMut(&[Page]) -> Sequence + 'static) -> Self {
        Self {
            plan: Box::new(plan),
            sequence: None,
            members: Vec::new(),
            pages: Vec::new(),
            newcomers: VecDeque::new(),
            hosts: Hosts::default(),
            lines: Vec::new(),
            waiting: 0,
            turnover: 0,
        }
    }

    fn make_sequence(&mut self) {
        let present = self.pages.iter().enumerate().filter(|(_, known)| known.state != State::Gone);
        let (members, pages): (Vec<_>, Vec<_>) = present.map(|(i, known)| (PageId(i as u32), known.page)).unzip();
        self.sequence = Some((self.plan)(&pages));
        self.members = members;
        self.turnover = 0;
    }

    /// A page that has waited for its host, which is now open.
    fn first_in_line(&mut self, now: f64) -> Option<PageId> {
        while let Some(host) = self.hosts.take_opened(now) {
            let line = self.lines.get_mut(host.0 as usize);
            if let Some(page) = line.and_then(VecDeque::pop_front) {
                self.waiting -= 1;
                return Some(page);
            }
        }
        None
    }

    /// Hands the page out, or puts it in line for its host, or lets its turn pass.
    fn take_turn(&mut self, id: PageId, now: f64) -> Option<PageId> {
        let known = &mut self.pages[id.0 as usize];
        if known.state != State::Free {
            return None;
        }
        let host = known.page.host;
        if self.hosts.is_open(host, now) {
            known.state = State::Taken;
            return Some(id);
        }
        let number = host.0 as usize;
        if number >= self.lines.len() {
            self.lines.resize_with(number + 1, VecDeque::new);
        }
        known.state = State::Taken;
        self.lines[number].push_back(id);
        self.waiting += 1;
        None
    }

    fn may_wait(&self) -> bool {
        self.waiting < (self.members.len() / 10).clamp(1, MOST_WAITING)
    }
}

impl Policy for Sequenced {
    fn draw(&mut self, now: f64) -> Option<PageId> {
        if let Some(page) = self.first_in_line(now) {
            return Some(page);
        }
        while let Some(page) = self.newcomers.pop_front() {
            if let Some(page) = self.take_turn(page, now) {
                return Some(page);
            }
        }
        if self.sequence.is_none() || self.turnover > self.members.len() / 10 {
            self.make_sequence();
        }
        for _ in 0..LOOK_AHEAD {
            if !self.may_wait() {
                return None;
            }
            let PageId(position) = self.sequence.as_mut()?.next()?;
            if let Some(page) = self.take_turn(self.members[position as usize], now) {
                return Some(page);
            }
        }
        None
    }

    fn record(&mut self, visit: Visit) {
        let gone = visit.outcome == Outcome::Gone;
        self.pages[visit.page.0 as usize].state = if gone { State::Gone } else { State::Free };
        self.turnover += usize::from(gone);
    }
}

impl Scheduler for Sequenced {
    fn discover(&mut self, id: PageId, page: &Page, _now: f64, last_access: Option<f64>) {
        let number = id.0 as usize;
        if number >= self.pages.len() {
            self.pages.resize(number + 1, Known { page: *page, state: State::Gone });
        }
        self.pages[number] = Known { page: *page, state: State::Free };
        if last_access.is_none() {
            self.newcomers.push_back(id);
            self.turnover += 1;
        }
    }

    fn close_host(&mut self, host: HostId, until: f64) {
        self.hosts.close(host, until);
    }

    fn next_opening(&self) -> Option<f64> {
        self.hosts.next_opening()
    }
}
