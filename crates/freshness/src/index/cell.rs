//! Pages so alike that they are visited alike.

use crate::special::{g, g_inverse};

use super::line::Line;
use super::page::{Page, Time};

/// Bins of equal width on the logarithms of value `c/mu` and rate `mu`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    per_octave: f64,
}

/// Position of a cell on the grid.
pub(super) type Key = (i16, i16);

impl Grid {
    /// `c/mu` of numbers in single precision is within 254 octaves of one, so up to 128 cells per octave fit the key.
    pub(super) fn new(cells_per_octave: u32) -> Self {
        Self { per_octave: f64::from(cells_per_octave.clamp(1, 128)) }
    }

    fn bin(self, x: f64) -> i16 {
        (x.log2() * self.per_octave).floor() as i16
    }

    fn centre(self, bin: i16) -> f64 {
        ((f64::from(bin) + 0.5) / self.per_octave).exp2()
    }

    pub(super) fn key(self, page: &Page) -> Key {
        (self.bin(page.value()), self.bin(f64::from(page.rate)))
    }

    pub(super) fn cell(self, (value, rate): Key) -> Cell {
        Cell::new(self.centre(value), self.centre(rate))
    }
}

/// Whether and where a cell is known to the [`Race`](super::race::Race).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Entry {
    /// Not at all.
    Out,
    /// In the heap, under this time.
    Due(f64),
    /// Among those that have reached the level.
    Active,
}

impl Entry {
    pub(super) fn due(self) -> Option<Time> {
        if let Self::Due(time) = self { Some(Time(time)) } else { None }
    }
}

/// The pages of one bin, visited in turn: at even spacing, and all equally often.
///
/// The index is that of the bin's centre at the age of the oldest page. With the page's own rate and weight the one in the
/// cell that can wait longest would hold up the line, and the whole cell be visited at its pace.
#[derive(Debug)]
pub(super) struct Cell {
    pub line: Line,
    pub entry: Entry,
    /// Last access of its oldest page; infinite if it is empty.
    oldest: f64,
    value: f64,
    rate: f64,
    /// Age at which the index reaches `level`.
    reach: f64,
    level: f64,
}

impl Cell {
    fn new(value: f64, rate: f64) -> Self {
        Self { line: Line::EMPTY, entry: Entry::Out, oldest: f64::INFINITY, value, rate, reach: 0.0, level: 0.0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.oldest == f64::INFINITY
    }

    /// To be called when its line has changed.
    pub(super) fn refresh(&mut self, pages: &[Page]) {
        self.oldest = self.line.first(pages).map_or(f64::INFINITY, |page| pages[page as usize].last);
    }

    /// Law F-17 for its oldest page; zero if it is empty.
    pub(super) fn index(&self, now: f64) -> f64 {
        self.value * g(self.rate * (now - self.oldest).max(0.0))
    }

    /// When its index reaches the level: `last + Ginv(L/a)/mu`; infinite if it never does or the cell is empty.
    pub(super) fn due(&mut self, level: f64) -> f64 {
        if self.level != level {
            let (p, complement) = (level / self.value, (self.value - level) / self.value);
            (self.level, self.reach) = (level, g_inverse(p, complement) / self.rate);
        }
        self.oldest + self.reach
    }
}
