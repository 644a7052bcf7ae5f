//! Where pages are between two visits, and what brings them on.

use std::cmp::Reverse;

use freshness::{HostId, PageId};

use super::calendar::Moment;
use super::signals::seems_visited;
use super::{Frontier, Place};

impl Frontier {
    /// A page just visited: it may be visited again when the shortest time has passed.
    pub(super) fn rest(&mut self, page: u32) {
        let visited = self.pages[page as usize].visited;
        if !self.settings.revisit {
            self.pages[page as usize].place = Place::Resting;
            return;
        }
        self.oldest.visited(page, visited, &self.pages);
        if self.settings.least_revisit > 0.0 {
            self.pages[page as usize].place = Place::Resting;
            self.waiting.push(Reverse((self.rested(page), page)));
        } else {
            self.put_in_index(page);
        }
    }

    /// When a page that was visited has rested for the shortest time.
    pub(super) fn rested(&self, page: u32) -> Moment {
        Moment(self.pages[page as usize].visited + self.settings.least_revisit)
    }

    pub(super) fn wait(&mut self, page: u32, until: f64) {
        let record = &mut self.pages[page as usize];
        record.place = Place::Waiting;
        self.postponed += 1;
        self.waiting.push(Reverse((Moment(until), page)));
    }

    /// Errands whose time has come.
    pub(super) fn keep_appointments(&mut self, now: f64) {
        while self.appointments.peek().is_some_and(|Reverse((at, ..))| at.0 <= now) {
            let Some(Reverse((_, host, errand))) = self.appointments.pop() else { return };
            self.send(host, errand);
        }
    }

    /// Pages whose time has come: those fetched before go to the index, the others to the queue of their host.
    pub(super) fn wake(&mut self, now: f64) {
        while self.waiting.peek().is_some_and(|Reverse((at, _))| at.0 <= now) {
            let Some(Reverse((_, page))) = self.waiting.pop() else { return };
            let rested = self.rested(page);
            match self.pages[page as usize].place {
                // It has been visited since this entry was made, or may now rest for longer.
                Place::Resting if rested.0 > now => self.waiting.push(Reverse((rested, page))),
                Place::Resting => self.put_in_index(page),
                Place::Waiting => {
                    self.postponed -= 1;
                    self.enqueue(page, true);
                }
                Place::Queue | Place::Out | Place::Index | Place::Nowhere => {}
            }
        }
    }

    pub(super) fn put_in_index(&mut self, page: u32) {
        let record = &mut self.pages[page as usize];
        record.place = Place::Index;
        let rate = self.rates.estimate(record.group(), record.evidence).mean();
        let visited = Some(record.visited).filter(|at| at.is_finite());
        self.refresh.insert(PageId(page), rate, f64::from(record.weight), HostId(record.host), visited);
        // Signals may have come while it was not there.
        if visited.is_some() && record.signals != [0; 3] {
            self.refresh.look_accessed(PageId(page), seems_visited(record, &self.rates, &self.lists));
        }
    }

    pub(super) fn enqueue(&mut self, page: u32, at_front: bool) {
        let record = &mut self.pages[page as usize];
        record.place = Place::Queue;
        self.queued += 1;
        let queue = &mut self.hosts[record.host as usize].queue;
        if at_front {
            queue.push_front(page);
        } else {
            queue.push_back(page);
        }
        self.schedule(self.pages[page as usize].host);
    }
}
