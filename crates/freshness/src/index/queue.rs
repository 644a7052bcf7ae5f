//! Pages in order of their index.

use std::collections::BTreeMap;

use super::cell::{Cell, Grid, Key};
use super::line::Line;
use super::page::{NEVER, NONE, Page};
use super::race::Race;

/// Bins per octave of the value of pages never accessed.
const NEWCOMER_BINS: f64 = 32.0;

/// Where in a [`Queue`] a page belongs.
enum Place {
    /// Never accessed: its index is `c/mu` and stays so. Sorted by a bin of that.
    Newcomer(i32),
    /// Its index grows with its age.
    Cell(Key),
    /// Its index is zero.
    Idle,
}

/// Pages that may be taken in order of their index (law F-17).
///
/// The pages of a [`Cell`] are visited in turn, and a [`Race`] finds the cell whose turn it is.
#[derive(Debug)]
pub(super) struct Queue {
    grid: Grid,
    slots: BTreeMap<Key, u32>,
    cells: Vec<Cell>,
    race: Race,
    newcomers: BTreeMap<i32, Line>,
    idle: Line,
    in_cells: usize,
}

impl Queue {
    pub(super) fn new(grid: Grid) -> Self {
        Self {
            grid,
            slots: BTreeMap::new(),
            cells: Vec::new(),
            race: Race::new(),
            newcomers: BTreeMap::new(),
            idle: Line::EMPTY,
            in_cells: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.in_cells == 0 && self.newcomers.is_empty() && self.idle.is_empty()
    }

    pub(super) fn grid(&self) -> Grid {
        self.grid
    }

    /// Work done so far: see [`Race::compared`].
    pub(super) fn compared(&self) -> u64 {
        self.race.compared
    }

    pub(super) fn push(&mut self, pages: &mut [Page], page: u32) {
        match self.place(&pages[page as usize]) {
            Place::Newcomer(bin) => self.newcomers.entry(bin).or_insert(Line::EMPTY).push(pages, page),
            Place::Idle => self.idle.push(pages, page),
            Place::Cell(key) => {
                let slot = self.slot(key);
                self.push_to_cell(pages, slot, page);
            }
        }
    }

    /// Changes a page that is in a cell, if it is in one afterwards. Whether it was changed.
    pub(super) fn replace(&mut self, pages: &mut [Page], page: u32, changed: Page) -> bool {
        let before = &pages[page as usize];
        let (Place::Cell(from), Place::Cell(to)) = (self.place(before), self.place(&changed)) else { return false };
        if from == to && before.last == changed.last {
            // Most changes of a rate are smaller than a cell. A page alone in its cell counts by its own rate.
            pages[page as usize] = changed;
            if (changed.prev, changed.next) == (NONE, NONE) {
                let slot = self.slot(to);
                self.refresh(pages, slot);
            }
            return true;
        }
        let (from, to) = (self.slot(from), self.slot(to));
        self.unlink_from_cell(pages, from, page);
        let record = &mut pages[page as usize];
        (record.rate, record.weight, record.last) = (changed.rate, changed.weight, changed.last);
        record.signalled = changed.signalled;
        self.push_to_cell(pages, to, page);
        true
    }

    pub(super) fn unlink(&mut self, pages: &mut [Page], page: u32) {
        match self.place(&pages[page as usize]) {
            Place::Newcomer(bin) => self.unlink_newcomer(pages, bin, page),
            Place::Idle => self.idle.unlink(pages, page),
            Place::Cell(key) => {
                let slot = self.slot(key);
                self.unlink_from_cell(pages, slot, page);
            }
        }
    }

    /// Takes out the page with the largest index. Idle pages come last, those not accessed for longest first.
    pub(super) fn take(&mut self, pages: &mut [Page], now: f64) -> Option<u32> {
        let newcomer = self.newcomers.last_key_value().and_then(|(&bin, line)| Some((bin, line.first(pages)?)));
        let floor = newcomer.map_or(NEVER, |(_, page)| pages[page as usize].index(now));
        if let Some((slot, index)) = self.best_cell(now)
            && index > floor
            && let Some(page) = self.cells[slot as usize].line.first(pages)
        {
            self.unlink_from_cell(pages, slot, page);
            return Some(page);
        }
        if let Some((bin, page)) = newcomer {
            self.unlink_newcomer(pages, bin, page);
            return Some(page);
        }
        let page = self.idle.first(pages)?;
        self.idle.unlink(pages, page);
        Some(page)
    }

    fn best_cell(&mut self, now: f64) -> Option<(u32, f64)> {
        if self.in_cells == 0 {
            return None;
        }
        self.race.best(&mut self.cells, now)
    }

    fn push_to_cell(&mut self, pages: &mut [Page], slot: u32, page: u32) {
        self.cells[slot as usize].line.push(pages, page);
        self.refresh(pages, slot);
        self.in_cells += 1;
    }

    fn unlink_from_cell(&mut self, pages: &mut [Page], slot: u32, page: u32) {
        self.cells[slot as usize].line.unlink(pages, page);
        self.refresh(pages, slot);
        self.in_cells -= 1;
    }

    /// To be called when a cell has changed.
    fn refresh(&mut self, pages: &[Page], slot: u32) {
        self.cells[slot as usize].refresh(pages);
        self.race.touch(&mut self.cells, slot);
    }

    fn unlink_newcomer(&mut self, pages: &mut [Page], bin: i32, page: u32) {
        if let Some(line) = self.newcomers.get_mut(&bin) {
            line.unlink(pages, page);
            if line.is_empty() {
                self.newcomers.remove(&bin);
            }
        }
    }

    fn place(&self, page: &Page) -> Place {
        if page.weight == 0.0 {
            return Place::Idle;
        }
        if page.last == NEVER {
            return Place::Newcomer((page.value().log2() * NEWCOMER_BINS).floor() as i32);
        }
        if page.rate == 0.0 {
            return Place::Idle;
        }
        Place::Cell(self.grid.key(page))
    }

    fn slot(&mut self, key: Key) -> u32 {
        if let Some(&slot) = self.slots.get(&key) {
            return slot;
        }
        let slot = self.cells.len() as u32;
        self.slots.insert(key, slot);
        self.cells.push(self.grid.cell(key));
        slot
    }
}
