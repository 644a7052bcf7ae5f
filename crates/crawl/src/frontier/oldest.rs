use std::collections::VecDeque;

use super::host::Host;
use super::{Page, Place};

/// Pages looked at before the search for one that may be visited is given up.
const LOOK_AHEAD: usize = 64;

/// All visits, oldest first, of which only the last of each page counts.
#[derive(Debug, Default)]
pub(super) struct Oldest {
    visits: VecDeque<(u32, f64)>,
    /// So many of them were looked at in vain: their hosts are closed.
    passed: usize,
}

impl Oldest {
    pub(super) fn visited(&mut self, page: u32, at: f64, pages: &[Page]) {
        self.visits.push_back((page, at));
        if self.visits.len() > 2 * pages.len() + 64 {
            self.visits.retain(|(page, at)| pages[*page as usize].visited == *at);
            self.passed = 0;
        }
    }

    /// The page not visited for longest, and not since `before`, that is in the index and whose host is open. If there is none among
    /// those looked at, the next call looks at the next ones, so that no host stands in the way of the others.
    pub(super) fn first(
        &mut self,
        before: f64,
        pages: &[Page],
        hosts: &[Host],
        (now, connections): (f64, u32),
    ) -> Option<u32> {
        // A page that is in neither place any more comes back after a visit.
        let is_over = |(page, at): &(u32, f64)| {
            let record = &pages[*page as usize];
            record.visited != *at || !matches!(record.place, Place::Index | Place::Resting)
        };
        while self.visits.front().is_some_and(is_over) {
            self.visits.pop_front();
            self.passed = self.passed.saturating_sub(1);
        }
        let old = self.visits.iter().skip(self.passed).take(LOOK_AHEAD).take_while(|(_, at)| *at <= before);
        let mut looked_at = 0;
        let found = old.inspect(|_| looked_at += 1).find(|visit| {
            let record = &pages[visit.0 as usize];
            let host = &hosts[record.host as usize];
            !is_over(visit) && record.place == Place::Index && host.has_rules && host.is_open(now, connections)
        });
        let found = found.map(|(page, _)| *page);
        self.passed = if found.is_none() && looked_at == LOOK_AHEAD { self.passed + LOOK_AHEAD } else { 0 };
        found
    }
}
