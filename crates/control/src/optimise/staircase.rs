//! Threshold policies as staircases, and all of them one after another.

mod by_modes;

pub(crate) use by_modes::alike_by_modes;

use crate::decision::Averages;
use crate::decision::passage::{Descent, Table, evaluate, joined, level_descent};
use crate::decision::process::{Choices, Process};
use crate::model::Model;

/// Robots that only fall as pages come in: the `p`-th of some modes, most robots first, while the number of pages is at least
/// `ends[p]` and less than `ends[p + 1]`. A mode between equal ends is skipped; the last holds above `K` too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Staircase {
    pub(crate) ends: Vec<usize>,
}

impl Staircase {
    /// The `p`-th of `modes` always.
    pub(crate) fn always(p: usize, modes: usize, buffer: usize) -> Self {
        Self { ends: (0..=modes).map(|k| if k <= p { 0 } else { buffer + 1 }).collect() }
    }

    /// The position of the mode with `i` pages.
    pub(crate) fn position(&self, i: usize) -> usize {
        let buffer = self.ends[self.ends.len() - 1] - 1;
        let i = i.min(buffer);
        self.ends[1..].iter().filter(|end| **end <= i).count()
    }

    /// Thresholds between the modes from the first used one on, and the position of that one.
    pub(crate) fn thresholds(&self) -> (usize, Vec<usize>) {
        let first = self.position(0);
        (first, self.ends[first + 1..self.ends.len() - 1].iter().map(|end| end - 1).collect())
    }

    /// The modes that are used, by position.
    pub(crate) fn used(&self) -> Vec<usize> {
        (0..self.ends.len() - 1).filter(|p| self.ends[*p] < self.ends[*p + 1]).collect()
    }

    /// The same function of the number of pages on more or fewer modes: `from` and `to` list modes, most robots first.
    pub(crate) fn among(&self, from: &[usize], to: &[usize]) -> Self {
        let buffer = self.ends[self.ends.len() - 1] - 1;
        let modes: Vec<usize> = (0..=buffer).map(|i| from[self.position(i)]).collect();
        let end = |p: usize| modes.iter().filter(|mode| **mode <= to[p]).count();
        Self { ends: std::iter::once(0).chain((0..to.len()).map(end)).collect() }
    }

    pub(crate) fn choices(&self, process: &Process<'_>, set: &[usize]) -> Choices {
        (0..=process.top()).map(|l| vec![set[self.position(l)]; process.states(l)]).collect()
    }

    pub(crate) fn evaluate(&self, process: &Process<'_>, set: &[usize]) -> Option<Averages> {
        evaluate(process, &self.choices(process, set))
    }
}

/// How many staircases there are: `C(K + n, n - 1)` for `n` modes, or more than can be counted.
pub(crate) fn count(model: &Model, modes: usize) -> usize {
    let k = model.buffer();
    (1..modes).try_fold(1usize, |sum, j| Some(sum.checked_mul(k + 1 + j)? / j)).unwrap_or(usize::MAX)
}

/// Every staircase on so many modes; only those that begin with the first mode, if it must be used.
pub(crate) fn all(modes: usize, buffer: usize, first_used: bool) -> Vec<Staircase> {
    let mut all = vec![vec![0]];
    for end in 1..modes {
        let least = usize::from(first_used && end == 1);
        let longer = |ends: Vec<usize>| {
            let from = ends[ends.len() - 1].max(least);
            (from..=buffer + 1).map(move |next| ends.iter().copied().chain([next]).collect::<Vec<usize>>())
        };
        all = all.into_iter().flat_map(longer).collect();
    }
    all.into_iter().map(|ends| Staircase { ends: ends.into_iter().chain([buffer + 1]).collect() }).collect()
}

/// Law C-17: visits every staircase with its averages, those with the same modes together if that makes them much smaller.
pub(crate) fn enumerate(process: &Process<'_>, set: &[usize], visit: &mut dyn FnMut(&Staircase, &Averages)) {
    if by_modes::helps(process, set) {
        by_modes::enumerate(process, set, visit);
    } else {
        Walk::all(process, set, false, visit);
    }
}

/// All staircases one after another, or those that use every mode. What lies above a number of pages is computed once for all
/// that agree on it.
struct Walk<'w, 'a> {
    process: &'w Process<'a>,
    set: &'w [usize],
    using_every: bool,
    tables: Vec<Descent>,
    staircase: Staircase,
    visit: &'w mut dyn FnMut(&Staircase, &Averages),
}

impl<'w, 'a> Walk<'w, 'a> {
    fn all(
        process: &'w Process<'a>,
        set: &'w [usize],
        using_every: bool,
        visit: &'w mut dyn FnMut(&Staircase, &Averages),
    ) {
        let (buffer, last) = (process.model().buffer(), set.len() - 1);
        let tables = vec![Table::empty(); process.top() + 1];
        let staircase = Staircase::always(last, set.len(), buffer);
        let mut walk = Walk { process, set, using_every, tables, staircase, visit };
        let first = if using_every { last } else { 0 };
        (first..=last).rev().for_each(|p| walk.with(buffer, p, last));
    }

    /// All ways to go on with the mode at position `p` for `i` pages, and the one at `last` above.
    fn with(&mut self, i: usize, p: usize, last: usize) {
        // Positions above `p` begin above `i`.
        self.staircase.ends[p + 1..=last].fill(i + 1);
        self.staircase.ends[1..=p].fill(0);
        let mode = self.set[p];
        for l in (i.max(1)..=if i == self.process.model().buffer() { self.process.top() } else { i }).rev() {
            let choice = vec![mode; self.process.states(l)];
            self.tables[l] = level_descent(self.process, l, &choice, &self.tables[l + 1..]);
        }
        if i > 0 {
            // To use every mode, none may be passed over, and there must be room for those left.
            let (next, most) = if self.using_every { (p.saturating_sub(1), p.min(i - 1)) } else { (0, p) };
            return (next..=most).rev().for_each(|next| self.with(i - 1, next, p));
        }
        let choice = vec![mode; self.process.states(0)];
        if let Some(averages) = joined(self.process, 0, &choice, None, &self.tables[1..]) {
            (self.visit)(&self.staircase, &averages);
        }
    }
}
