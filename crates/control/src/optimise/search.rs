//! Law C-17: the search for the best thresholds when there are too many to try them all.

use super::staircase::Staircase;
use crate::decision::Averages;
use crate::decision::passage::{Ascent, Descent, Table, joined, level_ascent, level_descent};
use crate::decision::process::Process;

/// What is to be small: first how far limits are exceeded, then a value.
pub(crate) type Score = (f64, f64);

/// Whether `a` is less than `b` by more than rounding.
pub(crate) fn less(a: Score, b: Score) -> bool {
    a.0 < b.0 - 1e-12 * b.0.abs() || (a.0 <= b.0 && a.1 < b.1 - 1e-12 * b.1.abs())
}

/// A staircase with what it scores.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) staircase: Staircase,
    pub(crate) averages: Averages,
    pub(crate) score: Score,
}

/// Search among the staircases on some modes.
pub(crate) struct Search<'s, 'a> {
    pub(crate) process: &'s Process<'a>,
    /// Modes, most robots first.
    pub(crate) set: &'s [usize],
    /// Whether the first mode must be used when there is no page, as a list of thresholds implies.
    pub(crate) first_used: bool,
    pub(crate) score: &'s dyn Fn(&Averages) -> Score,
}

impl Search<'_, '_> {
    /// A staircase with its score.
    pub(crate) fn found(&self, staircase: Staircase) -> Option<Found> {
        let averages = staircase.evaluate(self.process, self.set)?;
        Some(Found { staircase, averages, score: (self.score)(&averages) })
    }

    /// The best of the local optima reached from every mode alone, from every pair of modes, best placed, unless there are
    /// [`MANY_MODES`], and from the given staircases.
    ///
    /// A local optimum cannot be improved by moving the boundary between any two modes, however far, the modes between them
    /// skipped; of many modes, any two of which one is used. Every candidate is evaluated exactly. With two modes the result is
    /// the best of all.
    pub(crate) fn best(&self, starts: &[Staircase]) -> Option<Found> {
        let mut found: Vec<Found> = starts.iter().filter_map(|start| self.found(start.clone())).collect();
        let n = self.set.len();
        let firsts = if self.first_used { 1 } else { n };
        for p in 0..firsts {
            let fixed = self.found(Staircase::always(p, n, self.process.model().buffer()))?;
            let others = if n <= MANY_MODES { p + 1..n } else { 0..0 };
            found.extend(others.filter_map(|q| self.best_boundary(&fixed, p, q)).collect::<Vec<Found>>());
            found.push(fixed);
        }
        found.sort_by(|a, b| a.score.0.total_cmp(&b.score.0).then(a.score.1.total_cmp(&b.score.1)));
        found.dedup_by(|a, b| a.staircase == b.staircase);
        let optima = found.into_iter().take(MOST_STARTS).map(|start| self.descend(start));
        optima.reduce(|a, b| if less(b.score, a.score) { b } else { a })
    }

    /// The staircase with modes left out as long as that makes no difference but rounding: each in turn gives way to the one
    /// before or after it.
    pub(crate) fn simplest(&self, mut now: Found) -> Found {
        while let Some(simpler) = self.simpler(&now) {
            now = simpler;
        }
        now
    }

    fn simpler(&self, now: &Found) -> Option<Found> {
        let used = now.staircase.used();
        let as_good =
            |found: &Found| found.score.0 <= now.score.0 && found.score.1 - now.score.1 <= ROUNDING * now.score.1.abs();
        used.windows(2).flat_map(|pair| [(pair[0], pair[1], true), (pair[0], pair[1], false)]).find_map(
            |(p, q, keep_p)| {
                let ends = &now.staircase.ends;
                let boundary = if keep_p { ends[q + 1] } else { ends[p] };
                let allowed = !(self.first_used && p == 0 && boundary == 0);
                allowed.then(|| self.found(moved(&now.staircase, p, q, boundary))).flatten().filter(as_good)
            },
        )
    }

    pub(crate) fn descend(&self, mut now: Found) -> Found {
        loop {
            let mut better = false;
            for p in 0..self.set.len() {
                for q in p + 1..self.set.len() {
                    if !self.worth_trying(&now, p, q) {
                        continue;
                    }
                    if let Some(found) = self.best_boundary(&now, p, q).filter(|found| less(found.score, now.score)) {
                        (now, better) = (found, true);
                    }
                }
            }
            if !better {
                return now;
            }
        }
    }

    fn worth_trying(&self, now: &Found, p: usize, q: usize) -> bool {
        let is_used = |p: usize| now.staircase.ends[p] < now.staircase.ends[p + 1];
        self.set.len() <= MANY_MODES || is_used(p) || is_used(q)
    }

    /// The best place for the boundary between the modes at positions `p < q`, those between them skipped and the others where
    /// they are. All places are tried: from below mode `p` is extended upwards step by step, from above mode `q` downwards,
    /// and each pair of halves is joined in O(batch) block operations.
    pub(crate) fn best_boundary(&self, now: &Found, p: usize, q: usize) -> Option<Found> {
        let ends = &now.staircase.ends;
        let (low, high) = (ends[p], ends[q + 1]);
        let least = if p == 0 && self.first_used { low.max(1) } else { low };
        if least > high || low == high {
            return None;
        }
        let halves = self.halves(&now.staircase, (p, low), (q, high));
        let mut best: Option<(usize, Averages, Score)> = None;
        for boundary in least..=high {
            let Some(averages) = self.place(&now.staircase, &halves, (p, q), boundary) else { continue };
            let score = (self.score)(&averages);
            if best.as_ref().is_none_or(|(_, _, known)| less(score, *known)) {
                best = Some((boundary, averages, score));
            }
        }
        let (boundary, averages, score) = best?;
        Some(Found { staircase: moved(&now.staircase, p, q, boundary), averages, score })
    }

    fn choice(&self, l: usize, position: usize) -> Vec<usize> {
        vec![self.set[position]; self.process.states(l)]
    }

    /// Ascents with mode `p` from `low` on, and descents with mode `q` below `high`; elsewhere as it is.
    fn halves(
        &self,
        now: &Staircase,
        (p, low): (usize, usize),
        (q, high): (usize, usize),
    ) -> (Vec<Ascent>, Vec<Descent>) {
        let (process, buffer) = (self.process, self.process.model().buffer());
        let mut below: Vec<Ascent> = Vec::new();
        for l in 0..high.min(buffer) {
            let position = if l < low { now.position(l) } else { p };
            below.push(level_ascent(process, l, &self.choice(l, position), below.last()));
        }
        let mut above = vec![Table::empty(); process.top() + 1];
        for l in (low + 1..=process.top()).rev() {
            let position = if l.min(buffer) >= high { now.position(l) } else { q };
            above[l] = level_descent(process, l, &self.choice(l, position), &above[l + 1..]);
        }
        (below, above)
    }

    /// The averages with mode `p` below the boundary and mode `q` from it on.
    fn place(
        &self,
        now: &Staircase,
        (below, above): &(Vec<Ascent>, Vec<Descent>),
        (p, q): (usize, usize),
        boundary: usize,
    ) -> Option<Averages> {
        let buffer = self.process.model().buffer();
        let changed = moved(now, p, q, boundary);
        let l = boundary.min(buffer);
        // Above K the last mode holds: if that is p now, nothing above was prepared with it.
        let prepared = boundary <= buffer || self.process.top() == buffer;
        let lower = l.checked_sub(1).map(|under| &below[under]);
        let choice = self.choice(l, changed.position(l));
        let joined = prepared.then(|| joined(self.process, l, &choice, lower, &above[l + 1..])).flatten();
        joined.or_else(|| changed.evaluate(self.process, self.set))
    }
}

/// Relative difference that counts as rounding when a simpler staircase can be had.
const ROUNDING: f64 = 1e-9;

/// With more modes their pairs are too many to try each.
pub const MANY_MODES: usize = 40;

/// Starting points from which the search descends.
const MOST_STARTS: usize = 12;

fn moved(staircase: &Staircase, p: usize, q: usize, boundary: usize) -> Staircase {
    let mut moved = staircase.clone();
    moved.ends[p + 1..=q].fill(boundary);
    moved
}
