//! Values on states that know the phases of the oldest waiting pages and only count the others (law C-15).
//!
//! A state of level `i >= 1` is (phases of the `L` oldest waiting pages as digits of a code, oldest first; how many of the
//! others are in each phase; arrival phase, service phase). With `L = K - 1` nothing is only counted and it is exact.
//! Values come in pairs of columns: in the first of each pair what is not known is chosen so that the value is least, in the
//! second so that it is largest.

mod level;
mod prospects;

use super::ageing::Ageing;
use super::counts::Counts;
use super::frame::Frame;
use crate::matrix::Matrix;
use level::Level;
pub(super) use prospects::Prospects;

/// What may be chosen when a page whose phase is not known becomes one of the oldest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nature {
    /// Any phase that one of the others has.
    Free,
    /// If phases can be ordered by age, none earlier than that of one of the others at random.
    BoundByAge,
}

/// The space for a number of oldest pages.
pub(super) struct Oldest<'a> {
    pub(super) frame: &'a Frame,
    pub(super) ageing: &'a Ageing,
    /// `L >= 1`.
    pub(super) oldest: usize,
    pub(super) counts: Counts,
    /// Whether choices are bound by age, and phases in that order if so, from the last.
    by_age: bool,
    latest_first: Vec<usize>,
    /// Columns of which the first is made least and the others follow its choices; if none, columns come in pairs.
    led: Option<usize>,
    /// For `i = 1, 2, ...`.
    levels: Vec<Level>,
}

impl<'a> Oldest<'a> {
    pub(super) fn new(frame: &'a Frame, ageing: &'a Ageing, oldest: usize, nature: Nature) -> Self {
        let counts = Counts::new(ageing.phases(), frame.top() - 1);
        let order = ageing.by_age().filter(|_| nature == Nature::BoundByAge);
        let by_age = order.is_some();
        let latest_first = order.unwrap_or_else(|| (0..ageing.phases()).collect()).into_iter().rev().collect();
        let mut space = Self { frame, ageing, oldest, counts, by_age, latest_first, led: None, levels: Vec::new() };
        space.levels = (1..=frame.top()).map(|i| Level::new(&space, i)).collect();
        space
    }

    /// The same for groups of columns that follow the first.
    pub(super) fn led(self, columns: usize) -> Self {
        Self { led: Some(columns), ..self }
    }

    /// How many states there are, by a frame with `top` levels of `states` each.
    pub(super) fn size(top: usize, states: usize, phases: usize, oldest: usize) -> f64 {
        let others = |rest: usize| (1..phases).map(|r| (rest + r) as f64 / r as f64).product::<f64>();
        let level =
            |waiting: usize| (phases as f64).powi(waiting.min(oldest) as i32) * others(waiting.saturating_sub(oldest));
        (0..top).map(level).sum::<f64>() * states as f64
    }

    /// Rows of level `i`: codes times ways to spread the others.
    pub(super) fn rows(&self, i: usize) -> usize {
        if i == 0 { 1 } else { self.levels[i - 1].rows() }
    }

    /// Pages by phase in a row of level `i >= 1`.
    pub(super) fn pages(&self, i: usize, row: usize) -> &[usize] {
        self.counts.counts(i - 1, self.levels[i - 1].totals[row])
    }

    /// The number of the way in which all pages are spread in a row of level `i >= 1`, and the rate at which they change together.
    pub(super) fn total(&self, i: usize, row: usize) -> usize {
        self.levels[i - 1].totals[row]
    }

    pub(super) fn pace(&self, i: usize, row: usize) -> f64 {
        self.levels[i - 1].paces[self.levels[i - 1].totals[row]]
    }

    /// The rate at which pages become obsolete in a row of level `i >= 1`.
    pub(super) fn exit(&self, i: usize, row: usize) -> f64 {
        self.pages(i, row).iter().zip(&self.ageing.exits).map(|(count, exit)| *count as f64 * exit).sum()
    }

    /// The chance of each row, by level from one on, if phases were independent with the given shares.
    pub(super) fn chances(&self, shares: &[f64]) -> Vec<Vec<f64>> {
        let mut chances = vec![vec![1.0]];
        for level in &self.levels[..self.levels.len() - 1] {
            let here = &chances[chances.len() - 1];
            let mut next = vec![0.0; self.rows(chances.len() + 1)];
            for (row, chance) in here.iter().enumerate() {
                for (phase, share) in shares.iter().enumerate() {
                    next[level.with_page(self.oldest, row, phase)] += chance * share;
                }
            }
            chances.push(next);
        }
        chances
    }

    /// A value for each state of level `i` and column.
    pub(super) fn filled(&self, i: usize, columns: usize, value: impl Fn(usize, usize, usize) -> f64) -> Vec<f64> {
        let n = self.frame.states(i);
        let states = (0..self.rows(i)).flat_map(|row| (0..n).map(move |s| (row, s)));
        states.flat_map(|(row, s)| (0..columns).map(move |c| (row, s, c))).map(|(row, s, c)| value(row, s, c)).collect()
    }

    /// `(-Q_{i,i})^-1 (right + Q_{i,i-1} below)`: exact in one pass over the rows from the last if ageing has no cycles; `old`
    /// serves for moves back.
    pub(super) fn solved(&self, i: usize, below: &[f64], mut right: Vec<f64>, old: &[f64]) -> Vec<f64> {
        self.add_departures(i, &mut right, below);
        let width = right.len() / self.rows(i);
        let columns = width / self.frame.states(i);
        let mut state = vec![0.0; width];
        for row in (0..self.rows(i)).rev() {
            let (before, after) = right.split_at_mut((row + 1) * width);
            let here = &mut before[row * width..];
            self.add_moves(i, row, here, |target| {
                if target > row {
                    &after[(target - row - 1) * width..][..width]
                } else {
                    &old[target * width..][..width]
                }
            });
            state.copy_from_slice(here);
            here.fill(0.0);
            add_product(here, self.inverse(i, row), &state, columns);
        }
        right
    }

    /// `right + Q values` on level `i`: what is left over if the values were to solve `Q values = -right`.
    pub(super) fn left_over(&self, i: usize, below: &[f64], mut right: Vec<f64>, values: &[f64]) -> Vec<f64> {
        if i > 0 {
            self.add_departures(i, &mut right, below);
        }
        let (within, leaving) = (&self.frame.within[i], self.frame.leaving(i));
        let width = right.len() / self.rows(i);
        let columns = width / leaving.len();
        for (row, here) in right.chunks_exact_mut(width).enumerate() {
            let mut pace = 0.0;
            if i > 0 {
                self.add_moves(i, row, here, |target| &values[target * width..][..width]);
                pace = self.pace(i, row);
            }
            let values = &values[row * width..][..width];
            for (s, here) in here.chunks_exact_mut(columns).enumerate() {
                let mut out = leaving[s] + pace;
                for t in (0..leaving.len()).filter(|&t| t != s) {
                    out += within[(s, t)];
                    add(here, within[(s, t)], &values[t * columns..][..columns]);
                }
                add(here, -out, &values[s * columns..][..columns]);
            }
        }
        right
    }

    /// `sum_l Q_{i,i+l} values_{i+l}`: arrivals from level `i`.
    pub(super) fn arrivals(&self, i: usize, values: &[Vec<f64>]) -> Vec<f64> {
        let n = self.frame.states(i);
        let columns = values[0].len() / self.frame.states(0);
        let mut sum = Vec::new();
        for (before, up) in self.frame.up[i].iter().enumerate().rev() {
            let l = before + 1;
            if !sum.is_empty() {
                sum = self.fresh_page_expected(i + l, &sum);
            }
            sum.resize(self.rows(i + l) * n * columns, 0.0);
            let rows = values[i + l].chunks_exact(up.columns() * columns);
            for (into, from) in sum.chunks_exact_mut(n * columns).zip(rows) {
                add_product(into, up, from, columns);
            }
        }
        match (i, sum.is_empty()) {
            (_, true) => vec![0.0; self.rows(i) * n * columns],
            (0, _) => sum,
            _ => self.fresh_page_expected(i, &sum),
        }
    }

    /// From values on the rows of level `i + 1` the mean over the phase of its last page, on the rows of level `i`.
    pub(super) fn fresh_page_expected(&self, i: usize, above: &[f64]) -> Vec<f64> {
        let width = above.len() / self.rows(i + 1);
        let mut mean = vec![0.0; self.rows(i) * width];
        for (row, into) in mean.chunks_exact_mut(width).enumerate() {
            for (phase, p) in self.ageing.start.iter().enumerate() {
                let from = self.levels[i - 1].with_page(self.oldest, row, phase);
                add(into, *p, &above[from * width..][..width]);
            }
        }
        mean
    }

    fn inverse(&self, i: usize, row: usize) -> &Matrix {
        let level = &self.levels[i - 1];
        &level.inverses[level.totals[row]]
    }

    /// Pages that change their phase.
    pub(super) fn add_moves<'b>(&self, i: usize, row: usize, into: &mut [f64], value: impl Fn(usize) -> &'b [f64]) {
        let level = &self.levels[i - 1];
        level.each_move(self, row, |target, rate| add(into, rate, value(target)));
    }

    /// Pages that leave: the first to the server, any by obsolescence.
    pub(super) fn add_departures(&self, i: usize, into: &mut [f64], below: &[f64]) {
        let service = &self.frame.service[i];
        let width = into.len() / self.rows(i);
        let columns = width / service.rows();
        if i == 1 {
            return add_product(into, service, below, columns);
        }
        let level = &self.levels[i - 1];
        let promoted = level.promoted(self, below, width);
        for (row, into) in into.chunks_exact_mut(width).enumerate() {
            let value = |short: usize| &promoted[short * width..][..width];
            add_product(into, service, value(level.without(row, level.digits - 1).1), columns);
            for place in 0..level.digits {
                let (phase, short) = level.without(row, place);
                add(into, self.ageing.exits[phase], value(short));
            }
            level.each_exit_of_others(row, |target, rate| add(into, rate, &below[target * width..][..width]));
        }
    }
}

pub(super) fn add(into: &mut [f64], factor: f64, from: &[f64]) {
    into.iter_mut().zip(from).for_each(|(sum, value)| *sum += factor * value);
}

/// `into += m from`, for values of states by columns.
pub(super) fn add_product(into: &mut [f64], m: &Matrix, from: &[f64], columns: usize) {
    for (row, into) in into.chunks_exact_mut(columns).enumerate() {
        for (rate, from) in m.row(row).iter().zip(from.chunks_exact(columns)).filter(|(rate, _)| **rate != 0.0) {
            add(into, *rate, from);
        }
    }
}
