//! Pages in order of last access, any of which can leave at once.

use std::collections::BTreeSet;

use super::page::{NONE, Page, Time};

/// How far from the end of the list a place is looked for. Robots that work side by side finish a little out of order.
const STEPS: usize = 8;

/// Pages in order of last access: a list through the page records, and a set for those that come out of order.
///
/// A page just accessed goes to the end of the list, so both ends of the common path take constant time and no memory
/// beside the record. A page that is neither nearly the newest nor the oldest (re-weighted, signalled) goes to the
/// set.
#[derive(Debug)]
pub(super) struct Line {
    head: u32,
    tail: u32,
    #[expect(clippy::box_collection, reason = "nearly always absent, and a line should be small")]
    late: Option<Box<BTreeSet<(Time, u32)>>>,
}

impl Line {
    pub(super) const EMPTY: Self = Self { head: NONE, tail: NONE, late: None };

    /// The page with the oldest access.
    pub(super) fn first(&self, pages: &[Page]) -> Option<u32> {
        let late = self.late.as_ref().and_then(|late| late.first());
        match late {
            None => (self.head != NONE).then_some(self.head),
            Some(&(Time(last), page)) => {
                let listed_is_older = self.head != NONE && pages[self.head as usize].last <= last;
                Some(if listed_is_older { self.head } else { page })
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.head == NONE && self.late.is_none()
    }

    /// Its page, if there is exactly one.
    pub(super) fn only(&self) -> Option<u32> {
        (self.head != NONE && self.head == self.tail && self.late.is_none()).then_some(self.head)
    }

    pub(super) fn push(&mut self, pages: &mut [Page], page: u32) {
        let last = pages[page as usize].last;
        if self.head == NONE || last <= pages[self.head as usize].last {
            return self.link(pages, NONE, page);
        }
        let mut before = self.tail;
        for _ in 0..STEPS {
            if before == NONE || pages[before as usize].last <= last {
                return self.link(pages, before, page);
            }
            before = pages[before as usize].prev;
        }
        pages[page as usize].late = true;
        self.late.get_or_insert_default().insert((Time(last), page));
    }

    pub(super) fn unlink(&mut self, pages: &mut [Page], page: u32) {
        let Page { last, prev, next, late, .. } = pages[page as usize];
        if late {
            pages[page as usize].late = false;
            if let Some(set) = &mut self.late {
                set.remove(&(Time(last), page));
                if set.is_empty() {
                    self.late = None;
                }
            }
            return;
        }
        match prev {
            NONE => self.head = next,
            _ => pages[prev as usize].next = next,
        }
        match next {
            NONE => self.tail = prev,
            _ => pages[next as usize].prev = prev,
        }
    }

    /// Links `page` in after `before`, or at the front if that is [`NONE`].
    fn link(&mut self, pages: &mut [Page], before: u32, page: u32) {
        let after = match before {
            NONE => std::mem::replace(&mut self.head, page),
            _ => std::mem::replace(&mut pages[before as usize].next, page),
        };
        match after {
            NONE => self.tail = page,
            _ => pages[after as usize].prev = page,
        }
        let record = &mut pages[page as usize];
        (record.prev, record.next) = (before, after);
    }
}
