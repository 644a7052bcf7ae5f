use std::collections::VecDeque;

use super::host::Host;
use super::{Page, Place};

/// Pages looked at before the search for one that may be visited is given up.
const LOOK_AHEAD: usize = 64;

/// All visits, oldest first, of which only the last of each page counts.
#[derive(Debug, Default)]
pub(super) struct Oldest(VecDeque<(u32, f64)>);

impl Oldest {
    pub(super) fn visited(&mut self, page: u32, at: f64, pages: &[Page]) {
        self.0.push_back((page, at));
        if self.0.len() > 2 * pages.len() + 64 {
            self.0.retain(|(page, at)| pages[*page as usize].visited == *at);
        }
    }

    /// The page not visited for longest, and not since `before`, that is in the index and whose host is open.
    pub(super) fn first(
        &mut self,
        before: f64,
        pages: &[Page],
        hosts: &[Host],
        (now, connections): (f64, u32),
    ) -> Option<u32> {
        while self.0.front().is_some_and(|(page, at)| pages[*page as usize].visited != *at) {
            self.0.pop_front();
        }
        let old = self.0.iter().take(LOOK_AHEAD).take_while(|(_, at)| *at <= before);
        let mut candidates = old.filter(|(page, at)| {
            let record = &pages[*page as usize];
            let host = &hosts[record.host as usize];
            record.visited == *at && record.place == Place::Index && host.has_rules && host.is_open(now, connections)
        });
        candidates.next().map(|(page, _)| *page)
    }
}
