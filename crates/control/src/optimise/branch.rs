//! Law C-17: branch and bound over boxes of thresholds.
//!
//! In a box some numbers of pages have their mode settled and others a range of modes. Letting the others be chosen with
//! sight of the whole state can only help, so the bound of law C-20 with those ranges holds for every staircase in the box. A
//! box whose bound is not below the best staircase known is closed; another is cut in two where the system is most of the time.

use std::borrow::Cow;

use super::search::{Found, Search, less};
use super::staircase::Staircase;
use crate::decision::bound::{Bounding, Dense};
use crate::decision::iteration::Allowed;
use crate::decision::process::Choices;

/// Ends of the modes between the first and the last one, each in a range (both ends included), and a bound.
#[derive(Clone)]
struct Bounded {
    low: Vec<usize>,
    high: Vec<usize>,
    lower: f64,
}

/// Relative difference in cost that does not count.
pub(crate) const ACCURACY: f64 = 1e-9;

impl Search<'_, '_> {
    /// Improves a staircase to the best of all, and says below what cost there is none; the two agree to [`ACCURACY`] unless
    /// `most` boxes were not enough. The score must be the cost.
    pub(crate) fn prove(&self, mut best: Found, weights: &[f64], most: usize) -> (Found, f64) {
        let n = self.set.len();
        let buffer = self.process.model().buffer();
        let least = usize::from(self.first_used);
        let mut whole = Bounded { low: vec![least; n - 1], high: vec![buffer + 1; n - 1], lower: f64::NEG_INFINITY };
        whole.lower = self.lower(&whole, &mut best);
        let mut open = vec![whole];
        let mut closed = f64::INFINITY;
        for _ in 0..most {
            let Some(next) = (0..open.len()).min_by(|i, j| open[*i].lower.total_cmp(&open[*j].lower)) else { break };
            if open[next].lower >= enough(&best) {
                break;
            }
            let node = open.swap_remove(next);
            let free: Vec<usize> = (0..n - 1).filter(|k| node.low[*k] < node.high[*k]).collect();
            if free.len() <= 1 {
                self.settle(&node, free.first().copied(), &mut best);
                continue;
            }
            for mut half in cut(&node, weights) {
                half.lower = self.lower(&half, &mut best).max(node.lower);
                if half.lower < enough(&best) {
                    open.push(half);
                } else {
                    closed = closed.min(half.lower);
                }
            }
        }
        let lower = open.iter().map(|node| node.lower).fold(closed, f64::min).min(best.score.1);
        (best, lower)
    }

    /// Tries every staircase of a box with at most one end free.
    fn settle(&self, node: &Bounded, free: Option<usize>, best: &mut Found) {
        let buffer = self.process.model().buffer();
        let mut ends = node.low.clone();
        ends.insert(0, 0);
        ends.push(buffer + 1);
        let Some(found) = self.found(Staircase { ends }) else { return };
        let placed = free.and_then(|k| self.best_boundary(&found, k, k + 1));
        for found in std::iter::once(found).chain(placed) {
            if less(found.score, best.score) {
                *best = found;
            }
        }
    }

    /// The bound of a box. The staircase nearest to the cheapest policy met on the way is tried too.
    fn lower(&self, node: &Bounded, best: &mut Found) -> f64 {
        let buffer = self.process.model().buffer();
        let range = |l: usize| {
            let i = l.min(buffer);
            let begun = |ends: &[usize]| ends.iter().filter(|end| **end <= i).count();
            (begun(&node.high), begun(&node.low))
        };
        let allowed = Allowed { set: Cow::Borrowed(self.set), ranges: (0..=self.process.top()).map(range).collect() };
        let start = best.staircase.choices(self.process, self.set);
        let mut bounding = Bounding::new(Dense::new(self.process, &allowed, &start), ACCURACY);
        let lower = bounding.lower(best.score.1, MOST_SPLITS);
        let near = bounding.best.and_then(|(_, met)| self.found(self.nearest(&met.policy.1)));
        if let Some(found) = near.filter(|found| less(found.score, best.score)) {
            *best = self.descend(found);
        }
        lower
    }

    /// A staircase that uses, level by level, what the first state of the level uses, and never more robots than below.
    fn nearest(&self, choices: &Choices) -> Staircase {
        let n = self.set.len();
        let mut ends = vec![0; n + 1];
        let mut last = 0;
        for choice in &choices[..=self.process.model().buffer()] {
            last = self.set.iter().position(|mode| *mode == choice[0]).unwrap_or(0).max(last);
            ends[last + 1..].iter_mut().for_each(|end| *end += 1);
        }
        Staircase { ends }
    }
}

/// Splits of the range of mean sojourn times for one box.
const MOST_SPLITS: usize = 4;

/// What a bound must reach to close a box.
fn enough(best: &Found) -> f64 {
    best.score.1 - ACCURACY * best.score.1.abs()
}

/// Two halves: the end with most weight in its range, cut where half of that is on either side.
fn cut(node: &Bounded, weights: &[f64]) -> [Bounded; 2] {
    let weight = |k: usize| -> f64 { weights[node.low[k]..node.high[k]].iter().sum() };
    let widest = (0..node.low.len()).max_by(|a, b| weight(*a).total_cmp(&weight(*b))).unwrap_or(0);
    let half = weight(widest) / 2.0;
    let mut sum = 0.0;
    let mut at = node.low[widest];
    while at + 1 < node.high[widest] && sum + weights[at] <= half {
        sum += weights[at];
        at += 1;
    }
    let (mut lower, mut upper) = (node.clone(), node.clone());
    // Ends do not fall: those before are no higher, those after no lower.
    lower.high[..=widest].iter_mut().for_each(|end| *end = at.min(*end));
    upper.low[widest..].iter_mut().for_each(|end| *end = (at + 1).max(*end));
    [lower, upper]
}
