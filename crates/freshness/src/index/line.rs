//! Pages in order of last access, any of which can leave at once.

use super::late::Late;
use super::page::{NONE, Page};

/// How far from the end of the list a place is looked for. Robots that work side by side finish a little out of order.
const STEPS: usize = 8;

/// Which part of the list counts as its end, by time. Where many pages come out of order, most are not near it.
const END: f64 = 0.125;

/// Pages in order of last access: a list through the page records, and a heap for those that come out of order.
///
/// A page just accessed goes to the end of the list, so both ends of the common path take constant time and no memory
/// beside the record. A page that is neither nearly the newest nor the oldest (its rate or weight has changed, or it was
/// signalled) goes to the heap.
#[derive(Debug)]
pub(super) struct Line {
    head: u32,
    tail: u32,
    /// Boxed since it is nearly always absent, and a line should be small.
    late: Option<Box<Late>>,
}

impl Line {
    pub(super) const EMPTY: Self = Self { head: NONE, tail: NONE, late: None };

    /// The page with the oldest access.
    pub(super) fn first(&self, pages: &[Page]) -> Option<u32> {
        let late = self.late.as_ref().and_then(|late| late.first());
        match late {
            None => (self.head != NONE).then_some(self.head),
            Some((last, page)) => {
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
        let steps = if self.late.is_none() || self.is_near_end(pages, last) { STEPS } else { 0 };
        for _ in 0..steps {
            if before == NONE || pages[before as usize].last <= last {
                return self.link(pages, before, page);
            }
            before = pages[before as usize].prev;
        }
        pages[page as usize].late = true;
        self.late.get_or_insert_default().push(pages, page);
    }

    pub(super) fn unlink(&mut self, pages: &mut [Page], page: u32) {
        let Page { prev, next, late, .. } = pages[page as usize];
        if late {
            pages[page as usize].late = false;
            if let Some(late) = &mut self.late {
                late.remove(pages, page);
            }
            self.late.take_if(|late| late.is_empty());
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

    fn is_near_end(&self, pages: &[Page], last: f64) -> bool {
        let (oldest, newest) = (pages[self.head as usize].last, pages[self.tail as usize].last);
        last >= newest - END * (newest - oldest)
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
