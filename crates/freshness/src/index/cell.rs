//! Pages so alike that they are visited alike.

use crate::special::{g, g_inverse};

use super::line::Line;
use super::page::Page;

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

/// The pages of one bin, visited in turn: at even spacing, and all equally often.
///
/// The index is that of the bin's centre at the age of the oldest page. With the page's own rate and weight the one in
/// the cell that can wait longest would hold up the line, and the whole cell be visited at its pace. A page alone in its cell
/// is taken at its own.
#[derive(Debug)]
pub(super) struct Cell {
    pub line: Line,
    /// The time under which the [`Race`](super::race::Race) has it, if it has.
    pub entry: Option<f64>,
    /// Last access of its oldest page; infinite if it is empty.
    oldest: f64,
    /// Value and rate at the middle of the bin.
    centre: (f64, f64),
    /// Value and rate that count.
    value: f64,
    rate: f64,
    level: f64,
    /// Age at which its index reaches `level`.
    reach: f64,
    /// How fast it does: `d ln W/dt` at that age.
    pace: f64,
}

impl Cell {
    fn new(value: f64, rate: f64) -> Self {
        Self {
            line: Line::EMPTY,
            entry: None,
            oldest: f64::INFINITY,
            centre: (value, rate),
            value,
            rate,
            level: 0.0,
            reach: 0.0,
            pace: 0.0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.oldest == f64::INFINITY
    }

    /// To be called when its line has changed.
    pub(super) fn refresh(&mut self, pages: &[Page]) {
        self.oldest = self.line.first(pages).map_or(f64::INFINITY, |page| pages[page as usize].last);
        let (value, rate) = match self.line.only() {
            Some(page) => (pages[page as usize].value(), f64::from(pages[page as usize].rate)),
            None => self.centre,
        };
        if (value, rate) != (self.value, self.rate) {
            (self.value, self.rate, self.level) = (value, rate, 0.0);
        }
    }

    /// Law F-17 for its oldest page; zero if it is empty.
    pub(super) fn index(&self, now: f64) -> f64 {
        self.value * g(self.rate * (now - self.oldest).max(0.0))
    }

    /// When its index reaches the level: `last + Ginv(L/a)/mu`; infinite if it never does or the cell is empty.
    pub(super) fn due(&mut self, level: f64) -> f64 {
        if self.level != level {
            self.set_level(level);
        }
        self.oldest + self.reach
    }

    /// `ln(W/L)` to first order at the level for which [`Self::due`] was asked last.
    pub(super) fn lead(&self, now: f64) -> f64 {
        self.pace * (now - self.oldest - self.reach)
    }

    /// The octave of the time it takes to reach the level.
    pub(super) fn octave(&self) -> i32 {
        (self.reach.to_bits() >> 52) as i32
    }

    /// With `u = mu t`: `G'(u) = u e^-u`, so `d ln W/dt = mu u e^-u/G(u)`.
    fn set_level(&mut self, level: f64) {
        let p = level / self.value;
        let u = g_inverse(p, (self.value - level) / self.value);
        (self.level, self.reach, self.pace) = (level, u / self.rate, self.rate * u * (-u).exp() / p);
    }
}
