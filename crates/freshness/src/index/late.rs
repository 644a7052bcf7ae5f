//! Pages that came out of order of their last access.

use super::page::{Page, Time};

/// Children per node: four entries are a line of a processor's cache.
const ARITY: usize = 4;

/// Pages in a heap, that with the oldest access first. Each keeps its place in `prev`, so that any can leave.
///
/// Both take `O(log n)` steps at worst. A page of any age is likely to belong near the leaves, as most places are there, and so
/// takes a few steps only.
#[derive(Debug, Default)]
pub(super) struct Late {
    entries: Vec<(Time, u32)>,
}

impl Late {
    pub(super) fn first(&self) -> Option<(f64, u32)> {
        self.entries.first().map(|&(Time(last), page)| (last, page))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.entries.capacity()
    }

    pub(super) fn push(&mut self, pages: &mut [Page], page: u32) {
        self.entries.push((Time(pages[page as usize].last), page));
        self.rise(pages, self.entries.len() - 1);
    }

    pub(super) fn remove(&mut self, pages: &mut [Page], page: u32) {
        let at = pages[page as usize].prev as usize;
        self.entries.swap_remove(at);
        if at < self.entries.len() {
            let at = self.rise(pages, at);
            self.sink(pages, at);
        }
        if self.entries.len() < self.entries.capacity() / 4 {
            self.entries.shrink_to(2 * self.entries.len());
        }
    }

    /// Moves the entry at this place up to where it belongs. Returns where that is.
    fn rise(&mut self, pages: &mut [Page], mut at: usize) -> usize {
        let entry = self.entries[at];
        while at > 0 {
            let parent = (at - 1) / ARITY;
            if self.entries[parent] <= entry {
                break;
            }
            self.set(pages, at, self.entries[parent]);
            at = parent;
        }
        self.set(pages, at, entry);
        at
    }

    /// Moves the entry at this place down to where it belongs.
    fn sink(&mut self, pages: &mut [Page], mut at: usize) {
        let entry = self.entries[at];
        loop {
            let first = ARITY * at + 1;
            let children = first..self.entries.len().min(first + ARITY);
            let Some(least) = children.min_by_key(|child| self.entries[*child]) else { break };
            if entry <= self.entries[least] {
                break;
            }
            self.set(pages, at, self.entries[least]);
            at = least;
        }
        self.set(pages, at, entry);
    }

    fn set(&mut self, pages: &mut [Page], at: usize, entry: (Time, u32)) {
        self.entries[at] = entry;
        pages[entry.1 as usize].prev = at as u32;
    }
}
