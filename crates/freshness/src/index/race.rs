//! Which cell has the largest index, without asking them all.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::cell::{Cell, Entry};
use super::page::{Page, Time};

/// Up to this many cells are simply compared.
const FEW: usize = 64;

/// With more active cells than this, the level is raised until only [`KEPT`] have reached it.
const CROWD: usize = 16;
const KEPT: usize = 2;

/// A cell this close to the level is as good as one that has reached it.
const CLOSE: f64 = 0.98;

/// Looking at all cells must wait until this many comparisons per draw pay for it.
const CREDIT: usize = 16;

/// Finds the cell with the largest index.
///
/// Cells wait in a heap under the time at which their index reaches a *level*. Those that have reached it are *active*
/// and compared at every draw; if there is none, the next to reach it is taken early, as long as its index is [`CLOSE`]
/// to the level. So the cell taken never has less than [`CLOSE`] times the largest index. When too many are active the
/// level is raised; when the next one is too far below it is lowered and all cells are looked at once. In balance the
/// level comes to rest just above the multiplier `lambda`, and a draw costs one step of the heap. Only where the
/// largest index falls from draw to draw, as when nearly all hosts are closed, the level lags behind so that the work stays
/// bounded; until it has come down, the next to reach it is taken whatever its index.
///
/// A time in the heap may be too early (the level was raised, the oldest page has left) and is then put right when its
/// turn comes; it is never too late.
#[derive(Debug)]
pub(super) struct Race {
    level: f64,
    heap: BinaryHeap<Reverse<(Time, u32)>>,
    active: Vec<u32>,
    credit: usize,
    /// Number of times the index or due time of a cell was looked at.
    pub compared: u64,
}

impl Race {
    pub(super) const fn new() -> Self {
        Self { level: 0.0, heap: BinaryHeap::new(), active: Vec::new(), credit: 0, compared: 0 }
    }

    /// The cell with the largest index and that index; `None` if there is none or it is certainly below `floor`.
    pub(super) fn best(&mut self, cells: &mut [Cell], pages: &[Page], now: f64, floor: f64) -> Option<(u32, f64)> {
        if cells.len() <= FEW {
            return self.compare_all(cells, pages, now);
        }
        self.credit = (self.credit + CREDIT).min(2 * cells.len());
        self.admit(cells, now);
        let best = self.compare_active(cells, now);
        if self.active.len() > CROWD {
            let active = std::mem::take(&mut self.active);
            self.set_level(cells, active, now);
        }
        if best.is_some() || floor >= self.level {
            return best;
        }
        let next = self.next_due(cells, now);
        if next.is_some_and(|(_, index)| index >= CLOSE * self.level || self.credit < cells.len()) {
            return next;
        }
        self.credit = self.credit.saturating_sub(cells.len());
        self.heap.clear();
        let all = (0..cells.len() as u32).filter(|&slot| !cells[slot as usize].is_empty()).collect();
        self.set_level(cells, all, now);
        self.compare_active(cells, now)
    }

    /// To be called when the line of a cell has changed.
    pub(super) fn touch(&mut self, cells: &mut [Cell], slot: u32) {
        if cells.len() <= FEW {
            return;
        }
        let cell = &mut cells[slot as usize];
        let due = cell.due(self.level);
        match cell.entry {
            Entry::Active => {}
            Entry::Due(time) if time <= due => {}
            Entry::Due(_) | Entry::Out => self.wait(cells, slot),
        }
    }

    /// To be called when a cell was added: with more than a few the heap comes into use.
    pub(super) fn added(&mut self, cells: &mut [Cell]) {
        if cells.len() == FEW + 1 {
            for slot in 0..cells.len() as u32 {
                self.wait(cells, slot);
            }
        }
    }

    /// A page that is alone in its cell is taken at its own rate and weight, so that few pages are ordered exactly.
    fn compare_all(&mut self, cells: &[Cell], pages: &[Page], now: f64) -> Option<(u32, f64)> {
        let index = |cell: &Cell| match cell.line.only() {
            Some(page) => pages[page as usize].index(now),
            None => cell.index(now),
        };
        self.compared += cells.len() as u64;
        let filled = (0..).zip(cells).filter(|(_, cell)| !cell.is_empty());
        filled.map(|(slot, cell)| (slot, index(cell))).max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Makes those active that have reached the level.
    fn admit(&mut self, cells: &mut [Cell], now: f64) {
        while let Some(&Reverse((Time(due), slot))) = self.heap.peek()
            && due <= now
        {
            self.heap.pop();
            self.compared += 1;
            let cell = &mut cells[slot as usize];
            if cell.entry != Entry::Due(due) {
                continue;
            }
            if cell.due(self.level) <= now {
                cell.entry = Entry::Active;
                self.active.push(slot);
            } else {
                self.wait(cells, slot);
            }
        }
    }

    /// The active cell with the largest index. Those that have fallen below the level go back to the heap.
    fn compare_active(&mut self, cells: &mut [Cell], now: f64) -> Option<(u32, f64)> {
        let mut best: Option<(u32, f64)> = None;
        let mut k = 0;
        while k < self.active.len() {
            let slot = self.active[k];
            let cell = &mut cells[slot as usize];
            self.compared += 1;
            let index = cell.index(now);
            if index < self.level || cell.is_empty() {
                self.active.swap_remove(k);
                self.wait(cells, slot);
                continue;
            }
            if best.is_none_or(|(_, largest)| index > largest) {
                best = Some((slot, index));
            }
            k += 1;
        }
        best
    }

    /// The next cell to reach the level.
    fn next_due(&mut self, cells: &mut [Cell], now: f64) -> Option<(u32, f64)> {
        while let Some(&Reverse((Time(due), slot))) = self.heap.peek() {
            self.compared += 1;
            let cell = &mut cells[slot as usize];
            if cell.entry != Entry::Due(due) {
                self.heap.pop();
                continue;
            }
            if cell.is_empty() || due < cell.due(self.level) {
                self.heap.pop();
                self.wait(cells, slot);
                continue;
            }
            return Some((slot, cell.index(now)));
        }
        None
    }

    /// Sets the level to what [`KEPT`] of the cells have reached, which become the active ones. All cells not among
    /// `slots` must be below.
    fn set_level(&mut self, cells: &mut [Cell], slots: Vec<u32>, now: f64) {
        self.compared += slots.len() as u64;
        let mut ranked: Vec<_> = slots.into_iter().map(|slot| (cells[slot as usize].index(now), slot)).collect();
        let kept = KEPT.min(ranked.len());
        if kept == 0 {
            self.level = 0.0;
            return;
        }
        let (_, &mut (level, _), _) = ranked.select_nth_unstable_by(kept - 1, |a, b| b.0.total_cmp(&a.0));
        self.level = level;
        for (_, slot) in ranked.split_off(kept) {
            self.wait(cells, slot);
        }
        for &(_, slot) in &ranked {
            cells[slot as usize].entry = Entry::Active;
            self.active.push(slot);
        }
    }

    /// Puts a cell into the heap under the time it is due; an empty one is forgotten.
    fn wait(&mut self, cells: &mut [Cell], slot: u32) {
        let cell = &mut cells[slot as usize];
        if cell.is_empty() {
            cell.entry = Entry::Out;
            return;
        }
        let due = cell.due(self.level);
        cell.entry = Entry::Due(due);
        self.heap.push(Reverse((Time(due), slot)));
        if self.heap.len() > 2 * cells.len() + CROWD {
            self.heap =
                (0..).zip(cells).filter_map(|(slot, cell)| cell.entry.due().map(|due| Reverse((due, slot)))).collect();
        }
    }
}
