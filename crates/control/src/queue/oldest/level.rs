//! Where the rows of one level lie, and how pages come, move and leave.

use std::borrow::Cow;

use super::{Oldest, add};
use crate::matrix::Matrix;

/// Level `i >= 1`: row `code * ways + number`, with a code of the oldest pages and the number of a way to spread the others.
pub(super) struct Level {
    phases: usize,
    /// Oldest pages.
    pub(super) digits: usize,
    /// Other pages, and the ways to spread them on this level, the next below and the next above.
    others: usize,
    ways: usize,
    ways_below: usize,
    ways_above: usize,
    /// The number of the way in which all waiting pages are spread, by row.
    pub(super) totals: Vec<usize>,
    /// By that number: the rate at which waiting pages change, and `(pace I - Q_{i,i})^-1`.
    pub(super) paces: Vec<f64>,
    pub(super) inverses: Vec<Matrix>,
    /// By number: numbers after the others change by one page, with the rate.
    moves: Vec<Vec<(usize, f64)>>,
    exits: Vec<Vec<(usize, f64)>>,
    /// By number and phase: the number with one more of the others in it, and with one fewer.
    plus: Vec<Vec<usize>>,
    minus: Vec<Vec<Option<usize>>>,
}

impl Level {
    pub(super) fn new(space: &Oldest<'_>, i: usize) -> Self {
        let (counts, waiting) = (&space.counts, i - 1);
        let digits = waiting.min(space.oldest);
        let others = waiting - digits;
        let ways = counts.ways(others);
        let phases = space.ageing.phases();
        let top = i == space.frame.top();
        let paces: Vec<f64> =
            (0..counts.ways(waiting)).map(|total| space.ageing.pace_of(counts.counts(waiting, total))).collect();
        let plus = |number: usize| (0..phases).map(|phase| counts.plus(others, number, phase)).collect();
        let minus = |number: usize| (0..phases).map(|phase| counts.minus(others, number, phase)).collect();
        let mut level = Self {
            phases,
            digits,
            others,
            ways,
            ways_below: if others > 0 { counts.ways(others - 1) } else { 1 },
            ways_above: if top || digits < space.oldest { 1 } else { counts.ways(others + 1) },
            totals: Vec::new(),
            inverses: paces.iter().map(|pace| space.frame.inverse(i, *pace)).collect(),
            paces,
            moves: (0..ways).map(|number| moves(space, others, number)).collect(),
            exits: (0..ways).map(|number| exits(space, others, number)).collect(),
            plus: if top { Vec::new() } else { (0..ways).map(plus).collect() },
            minus: (0..ways).map(minus).collect(),
        };
        level.totals = (0..level.rows()).map(|row| level.total(space, row)).collect();
        level
    }

    pub(super) fn rows(&self) -> usize {
        self.phases.pow(self.digits as u32) * self.ways
    }

    fn total(&self, space: &Oldest<'_>, row: usize) -> usize {
        let mut counts = space.counts.counts(self.others, row % self.ways).to_vec();
        for place in 0..self.digits {
            counts[self.without(row, place).0] += 1;
        }
        space.counts.number(&counts)
    }

    /// The row of the next level with one more page, the last.
    pub(super) fn with_page(&self, oldest: usize, row: usize, phase: usize) -> usize {
        if self.digits < oldest {
            return row * self.phases + phase;
        }
        row / self.ways * self.ways_above + self.plus[row % self.ways][phase]
    }

    /// The phase of the oldest page at `place`, counted from the youngest of them, and the row without it, of one digit less.
    pub(super) fn without(&self, row: usize, place: usize) -> (usize, usize) {
        let (code, number) = (row / self.ways, row % self.ways);
        let low = self.phases.pow(place as u32);
        let (phase, short) = (code / low % self.phases, code / (low * self.phases) * low + code % low);
        (phase, short * self.ways + number)
    }

    /// Rows after a page changes its phase, with the rate.
    pub(super) fn each_move(&self, space: &Oldest<'_>, row: usize, mut visit: impl FnMut(usize, f64)) {
        let rates = &space.ageing.moves;
        let mut step = self.ways;
        for place in 0..self.digits {
            let from = self.without(row, place).0;
            for to in (0..self.phases).filter(|&to| rates[(from, to)] > 0.0) {
                visit(row + to * step - from * step, rates[(from, to)]);
            }
            step *= self.phases;
        }
        let number = row % self.ways;
        self.moves[number].iter().for_each(|(target, rate)| visit(row - number + target, *rate));
    }

    /// Rows of the level below after one of the others becomes obsolete, with the rate.
    pub(super) fn each_exit_of_others(&self, row: usize, mut visit: impl FnMut(usize, f64)) {
        let (code, number) = (row / self.ways, row % self.ways);
        self.exits[number].iter().for_each(|(target, rate)| visit(code * self.ways_below + target, *rate));
    }

    /// Values after one of the oldest pages has left, by what is left of the code and by number of the others: the next page
    /// becomes one of the oldest, and its phase is chosen.
    ///
    /// It may be that of any of the others. But if phases can be ordered by age, it is no earlier than that of one of them
    /// taken at random, for the next page is the oldest (law C-15): so for each phase, with its share among the others, a later
    /// one may be chosen.
    pub(super) fn promoted<'v>(&self, space: &Oldest<'_>, below: &'v [f64], width: usize) -> Cow<'v, [f64]> {
        if self.others == 0 {
            return Cow::Borrowed(below);
        }
        let rows = self.phases.pow(self.digits as u32 - 1) * self.ways;
        let mut promoted = vec![0.0; rows * width];
        let mut chosen = vec![0.0; width];
        for (row, into) in promoted.chunks_exact_mut(width).enumerate() {
            let (short, number) = (row / self.ways, row % self.ways);
            let mut first = true;
            // Latest first, so that the choice grows.
            for phase in &space.latest_first {
                let Some(fewer) = self.minus[number][*phase] else { continue };
                let from = (short * self.phases + phase) * self.ways_below + fewer;
                let other = &below[from * width..][..width];
                match (first, space.led) {
                    (true, _) => chosen.copy_from_slice(other),
                    (_, Some(columns)) => follow(&mut chosen, other, columns),
                    (_, None) => choose(&mut chosen, other),
                }
                first = false;
                if space.by_age {
                    let share = space.counts.counts(self.others, number)[*phase] as f64 / self.others as f64;
                    add(into, share, &chosen);
                }
            }
            if !space.by_age {
                into.copy_from_slice(&chosen);
            }
        }
        Cow::Owned(promoted)
    }
}

/// The lower of each first value of a pair, the higher of each second.
fn choose(into: &mut [f64], other: &[f64]) {
    for (into, other) in into.chunks_exact_mut(2).zip(other.chunks_exact(2)) {
        into[0] = into[0].min(other[0]);
        into[1] = into[1].max(other[1]);
    }
}

/// The columns of the lower first value.
fn follow(into: &mut [f64], other: &[f64], columns: usize) {
    for (into, other) in into.chunks_exact_mut(columns).zip(other.chunks_exact(columns)) {
        if other[0] < into[0] {
            into.copy_from_slice(other);
        }
    }
}

fn moves(space: &Oldest<'_>, others: usize, number: usize) -> Vec<(usize, f64)> {
    let counts = space.counts.counts(others, number);
    let rates = &space.ageing.moves;
    let pairs = (0..counts.len()).flat_map(|from| (0..counts.len()).map(move |to| (from, to)));
    pairs
        .filter(|&pair| rates[pair] > 0.0)
        .filter_map(|(from, to)| {
            let target = space.counts.moved(others, number, from, to)?;
            Some((target, counts[from] as f64 * rates[(from, to)]))
        })
        .collect()
}

fn exits(space: &Oldest<'_>, others: usize, number: usize) -> Vec<(usize, f64)> {
    let counts = space.counts.counts(others, number);
    let exit = |phase: usize| {
        let target = space.counts.minus(others, number, phase)?;
        Some((target, counts[phase] as f64 * space.ageing.exits[phase]))
    };
    (0..counts.len()).filter_map(exit).collect()
}
