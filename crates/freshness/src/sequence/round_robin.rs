//! Every page in turn.

use super::SequenceError;
use crate::policy::PageId;

/// Pages `0, 1, ..., N-1, 0, 1, ...`: even spacing, and so the bound of law F-3, for equal frequencies.
#[derive(Clone, Debug)]
pub struct RoundRobin {
    pages: u32,
    next: u32,
}

impl RoundRobin {
    /// All of `pages` pages in turn.
    ///
    /// # Errors
    /// If there are no pages, or more than can be numbered.
    pub fn new(pages: usize) -> Result<Self, SequenceError> {
        match u32::try_from(pages) {
            Ok(0) => Err(SequenceError::NoPages),
            Ok(pages) => Ok(Self { pages, next: 0 }),
            Err(_) => Err(SequenceError::TooManyPages { pages }),
        }
    }
}

impl Iterator for RoundRobin {
    type Item = PageId;

    fn next(&mut self) -> Option<PageId> {
        let page = self.next;
        self.next = if page + 1 == self.pages { 0 } else { page + 1 };
        Some(PageId(page))
    }
}
