//! Which cell has the largest index, without asking them all.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::cell::Cell;
use super::page::Time;

/// Up to this many cells are simply compared.
const FEW: usize = 64;

/// The level is kept so close to the index of the cells taken, up or down.
const CLOSE: f64 = 0.02;

/// Setting the level may take so many comparisons per draw.
const CREDIT: usize = 8;

/// One cell in so many is above a level newly set.
///
/// A page that changes fast reaches its largest index only slowly, so a level at the very top would leave out many
/// cells that are just below it for good.
const PART: usize = 16;

/// Cells whose time to reach the level is within one octave, ordered by when they do.
#[derive(Debug)]
struct Group {
    octave: i32,
    heap: BinaryHeap<Reverse<(Time, u32)>>,
}

/// Finds the cell with the largest index.
///
/// Cells wait in heaps under the time at which their index reaches a *level* near the index of the cells taken lately.
/// Cells that need about the same time to reach the level approach it about equally fast, so in each [`Group`] the one
/// due first has nearly the largest index; the best of those is taken. If the index of that is further than [`CLOSE`]
/// from the level, the level is moved, so in balance it comes to rest at the multiplier `lambda` and a draw costs one
/// step of a heap and one comparison per octave.
///
/// A time in a heap may be too early (the level was raised, the oldest page has left) and is then put right when its
/// turn comes; it is never too late, since all times are set anew when the level is lowered.
#[derive(Debug)]
pub(super) struct Race {
    /// Zero as long as there are few cells, or none with a positive index was seen.
    level: f64,
    groups: Vec<Group>,
    /// Entries in all heaps together.
    entries: usize,
    /// How many draws in a row were above the level, and the least of them.
    above: (usize, f64),
    credit: usize,
    /// Number of times the index or due time of a cell was looked at.
    pub compared: u64,
}

impl Race {
    pub(super) const fn new() -> Self {
        Self { level: 0.0, groups: Vec::new(), entries: 0, above: (0, f64::INFINITY), credit: 0, compared: 0 }
    }

    /// The cell with the largest index, and that index.
    pub(super) fn best(&mut self, cells: &mut [Cell], now: f64) -> Option<(u32, f64)> {
        if cells.len() <= FEW {
            return self.compare_all(cells, |cell| cell.index(now));
        }
        self.credit = (self.credit + CREDIT).min(2 * cells.len());
        let first =
            self.best_due(cells, |cell| cell.lead(now)).map(|(slot, _)| (slot, cells[slot as usize].index(now)));
        if first.is_some_and(|(_, index)| (index / self.level - 1.0).abs() <= CLOSE) {
            self.above = (0, f64::INFINITY);
            return first;
        }
        // Far from the level the lead misleads.
        let best = self.best_due(cells, |cell| cell.index(now));
        match best {
            Some((_, index)) if index > self.level => self.raise_level(index, cells.len()),
            Some(_) if self.credit < cells.len() => {}
            _ => return self.lower_level(cells, now),
        }
        best
    }

    /// To be called when the line of a cell has changed.
    pub(super) fn touch(&mut self, cells: &mut [Cell], slot: u32) {
        if self.level == 0.0 {
            return;
        }
        let cell = &mut cells[slot as usize];
        let due = cell.due(self.level);
        if cell.entry.is_none_or(|time| due < time) {
            self.wait(cells, slot);
        }
    }

    fn compare_all(&mut self, cells: &[Cell], index: impl Fn(&Cell) -> f64) -> Option<(u32, f64)> {
        self.compared += cells.len() as u64;
        let filled = (0..).zip(cells).filter(|(_, cell)| !cell.is_empty());
        filled.map(|(slot, cell)| (slot, index(cell))).max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Of the cells that are due first in their group, the one with the largest score, and that score.
    fn best_due(&mut self, cells: &mut [Cell], score: impl Fn(&Cell) -> f64) -> Option<(u32, f64)> {
        let mut best: Option<(u32, f64)> = None;
        for group in 0..self.groups.len() {
            let Some(slot) = self.first_due(cells, group) else { continue };
            let score = score(&cells[slot as usize]);
            if best.is_none_or(|(_, most)| score > most) {
                best = Some((slot, score));
            }
        }
        best
    }

    /// The cell of a group that is due first. Entries that are out of date are put right on the way.
    fn first_due(&mut self, cells: &mut [Cell], group: usize) -> Option<u32> {
        loop {
            let &Reverse((Time(time), slot)) = self.groups[group].heap.peek()?;
            self.compared += 1;
            let cell = &mut cells[slot as usize];
            let valid = cell.entry == Some(time);
            if valid && cell.due(self.level) <= time {
                return Some(slot);
            }
            self.groups[group].heap.pop();
            self.entries -= 1;
            if valid {
                self.wait(cells, slot);
            }
        }
    }

    /// Raises the level to the least index taken, if that has been above it for a while (one cell with a large index
    /// does not mean that all have) and the level can be lowered again. Times in the heaps are too early then.
    fn raise_level(&mut self, index: f64, cells: usize) {
        self.above = (self.above.0 + 1, self.above.1.min(index));
        if self.above.0 >= PART && self.credit >= cells {
            self.level = self.above.1;
            self.above = (0, f64::INFINITY);
        }
    }

    /// Lowers the level to one that a [`PART`] of the cells have reached; returns the largest index.
    fn lower_level(&mut self, cells: &mut [Cell], now: f64) -> Option<(u32, f64)> {
        self.credit = self.credit.saturating_sub(cells.len());
        let best = self.compare_all(cells, |cell| cell.index(now))?;
        let mut indices: Vec<f64> = cells.iter().filter(|cell| !cell.is_empty()).map(|cell| cell.index(now)).collect();
        let rank = indices.len() / PART;
        let (_, &mut level, _) = indices.select_nth_unstable_by(rank, |a, b| b.total_cmp(a));
        if level > 0.0 {
            self.level = level;
            self.above = (0, f64::INFINITY);
            self.set_times(cells);
        }
        Some(best)
    }

    fn set_times(&mut self, cells: &mut [Cell]) {
        self.groups.iter_mut().for_each(|group| group.heap.clear());
        self.entries = 0;
        for slot in 0..cells.len() as u32 {
            self.wait(cells, slot);
        }
    }

    /// Puts a cell into the heap of its group under the time it is due. One that is empty or never reaches the level
    /// is left out.
    fn wait(&mut self, cells: &mut [Cell], slot: u32) {
        let count = cells.len();
        let cell = &mut cells[slot as usize];
        let due = cell.due(self.level);
        if due == f64::INFINITY {
            cell.entry = None;
            return;
        }
        if self.entries > 2 * count {
            return self.set_times(cells);
        }
        cell.entry = Some(due);
        let octave = cell.octave();
        let entry = Reverse((Time(due), slot));
        self.entries += 1;
        match self.groups.iter_mut().find(|group| group.octave == octave) {
            Some(group) => group.heap.push(entry),
            None => self.groups.push(Group { octave, heap: BinaryHeap::from([entry]) }),
        }
    }
}
