//! What to do now.

use std::cmp::Reverse;

use freshness::{HostId, PageId};

use super::signals::seems_visited;
use super::{Draw, Errand, Frontier, Place, Task, Why};

impl Frontier {
    /// What to do now.
    pub fn draw(&mut self, now: f64) -> Draw {
        self.wake(now);
        self.keep_appointments(now);
        if !self.budget.has(now) {
            return Draw::Wait(self.budget.next());
        }
        let first = self.discovery_turn();
        let queued = if first { self.draw_queued(now) } else { None };
        let task =
            queued.or_else(|| self.draw_refresh(now)).or_else(|| if first { None } else { self.draw_queued(now) });
        match task {
            Some(task) => {
                self.budget.spend();
                Draw::Task(task)
            }
            None => self.next_chance().map_or(Draw::Idle, Draw::Wait),
        }
    }

    fn discovery_turn(&mut self) -> bool {
        self.discovery_credit += self.settings.discovery;
        if self.discovery_credit < 1.0 {
            return false;
        }
        self.discovery_credit -= 1.0;
        true
    }

    /// The earliest time at which something may change without anything being finished or found.
    fn next_chance(&self) -> Option<f64> {
        let waiting = self.waiting.peek().map(|Reverse((at, _))| at.0);
        let appointed = self.appointments.peek().map(|Reverse((at, ..))| at.0);
        let refreshing = self.settings.revisit && !self.refresh.is_empty();
        let opening = if refreshing { self.refresh.next_opening() } else { None };
        [waiting, appointed, opening, self.calendar.next()]
            .into_iter()
            .flatten()
            .filter(|at| at.is_finite())
            .reduce(f64::min)
    }

    /// An errand, or the next page in the queue of a host that may be visited now.
    fn draw_queued(&mut self, now: f64) -> Option<Task> {
        while let Some(host) = self.calendar.take(now, &mut self.hosts) {
            self.check_rules(host, now);
            if !self.hosts[host as usize].is_open(now, self.settings.connections) {
                self.schedule(host);
                continue;
            }
            if let Some(errand) = self.hosts[host as usize].next_errand() {
                return Some(self.hand_out_errand(host, errand, now));
            }
            if let Some(page) = self.next_queued(host) {
                self.queued -= 1;
                self.hosts[host as usize].errand_turn = true;
                self.enter(host, now);
                return Some(self.hand_out(page, Why::Queued));
            }
            if let Some(errand) = self.hosts[host as usize].errands.pop_front() {
                return Some(self.hand_out_errand(host, errand, now));
            }
        }
        None
    }

    fn hand_out_errand(&mut self, host: u32, errand: Errand, now: f64) -> Task {
        self.errands -= 1;
        self.hosts[host as usize].errand_turn = false;
        self.enter(host, now);
        Task::Errand { host: HostId(host), errand }
    }

    /// Takes the next page from the queue of a host whose rules are known.
    fn next_queued(&mut self, host: u32) -> Option<u32> {
        let (state, pages) = (&mut self.hosts[host as usize], &self.pages);
        if !state.has_rules {
            return None;
        }
        std::iter::from_fn(|| state.queue.pop_front()).find(|page| pages[*page as usize].place == Place::Queue)
    }

    fn draw_refresh(&mut self, now: f64) -> Option<Task> {
        if !self.settings.revisit {
            return None;
        }
        loop {
            let (page, why) = self.overdue(now).or_else(|| self.reserved(now)).or_else(|| self.most_worth(now))?;
            let host = self.pages[page as usize].host;
            let index = self.refresh.index(PageId(page), now).filter(|_| why == Why::Index);
            let is_signalled = self.refresh.is_signalled(PageId(page));
            self.refresh.remove(PageId(page));
            self.check_rules(host, now);
            if self.hosts[host as usize].has_rules {
                index.into_iter().for_each(|index| self.hosts[host as usize].drawn_at(index, is_signalled));
                self.enter(host, now);
                return Some(self.hand_out(page, why));
            }
            // The rules of its host have to be read again first.
            self.put_in_index(page);
        }
    }

    fn overdue(&mut self, now: f64) -> Option<(u32, Why)> {
        let before = now - self.settings.most_revisit;
        let page = self.oldest.first(before, &self.pages, &self.hosts, (now, self.settings.connections))?;
        Some((page, Why::Overdue))
    }

    fn reserved(&mut self, now: f64) -> Option<(u32, Why)> {
        self.reserve_credit += self.settings.reserve;
        if self.reserve_credit < 1.0 {
            return None;
        }
        self.reserve_credit -= 1.0;
        let page = self.oldest.first(now, &self.pages, &self.hosts, (now, self.settings.connections))?;
        Some((page, Why::Reserve))
    }

    fn most_worth(&mut self, now: f64) -> Option<(u32, Why)> {
        let (pages, rates, lists) = (&self.pages, &self.rates, &self.lists);
        let seems = |page: PageId| seems_visited(&pages[page.0 as usize], rates, lists);
        self.refresh.draw_younger(now, seems).map(|page| (page.0, Why::Index))
    }

    /// Hands out a page that is visited by other means. [`Frontier::finish`] takes it back.
    pub fn lend(&mut self, page: PageId) {
        if !self.is_out(page) {
            self.withdraw(page);
            _ = self.hand_out(page.0, Why::Queued);
        }
    }

    fn hand_out(&mut self, page: u32, why: Why) -> Task {
        let record = &mut self.pages[page as usize];
        record.place = Place::Out;
        self.out += 1;
        Task::Page { page: PageId(page), host: HostId(record.host), why }
    }

    /// A request to the host begins.
    fn enter(&mut self, host: u32, now: f64) {
        let state = &mut self.hosts[host as usize];
        state.in_flight += 1;
        self.in_flight += 1;
        state.next_at = now + state.delay;
        self.settle(host);
    }
}
