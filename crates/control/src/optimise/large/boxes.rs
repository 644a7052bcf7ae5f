//! Law C-17 by boxes where not all staircases can be listed: what none of them undercuts.
//!
//! In a box the modes for the first numbers of pages are settled, and for more pages any mode may be chosen that has no more
//! robots, with sight of the phases and of the chain's counts. So the bound of law C-20 with those modes holds for every staircase
//! in it. The box with the least bound is split by the mode for the next number of pages; if its last split helped little, it
//! gets one more exact page instead.

use crate::decision::large::lower_of_thresholds;
use crate::model::Model;
use crate::optimise::branch::ACCURACY;
use crate::parallel;
use crate::queue::guided::size;

/// States of the chains of all boxes, summed, at most.
const MOST_WORK: f64 = 3e6;

/// States of the chain of a box, at most.
const MOST_STATES: f64 = 60_000.0;

/// Boxes looked at together, so that all processors have something to do whatever their number.
const AT_ONCE: usize = 4;

/// A split helps if it closes this part of the gap.
const HELPS: f64 = 0.1;

#[derive(Clone)]
struct Settled {
    /// Positions in the set for 0, 1, ... pages, as far as they are settled.
    modes: Vec<usize>,
    /// How many of the oldest pages are exact.
    oldest: usize,
    /// No staircase in the box costs less, ...
    lower: f64,
    /// ... and what was known of that before.
    before: f64,
}

/// What no staircase on a set of modes undercuts, if one is known to cost no more than `known`.
pub(super) fn lower(model: &Model, set: &[usize], known: f64) -> f64 {
    let enough = known - ACCURACY * known.abs();
    let (mut work, mut closed) = (MOST_WORK, known);
    let mut open = vec![Settled { modes: Vec::new(), oldest: 1, lower: f64::NEG_INFINITY, before: f64::NEG_INFINITY }];
    // Once a box that can be made no better has the least bound there is no more to be gained.
    while work > 0.0 && open.iter().any(|node| node.lower < closed) {
        open.sort_by(|a, b| b.lower.total_cmp(&a.lower));
        let mut next = Vec::new();
        for node in open.split_off(open.len().saturating_sub(AT_ONCE)) {
            let others = node.next(model, set.len(), known);
            if others.is_empty() {
                closed = closed.min(node.lower);
            }
            next.extend(others);
        }
        work -= next.iter().map(|node| size(model, node.oldest)).sum::<f64>();
        for node in parallel::map(&next, |node| node.bounded(model, set, known)) {
            if node.lower < enough {
                open.push(node);
            } else {
                closed = closed.min(node.lower);
            }
        }
    }
    open.iter().map(|node| node.lower).fold(closed, f64::min)
}

impl Settled {
    fn bounded(&self, model: &Model, set: &[usize], known: f64) -> Self {
        let lower = lower_of_thresholds(model, &allowed(model, set, &self.modes), self.oldest, known);
        Self { lower: lower.max(self.before), ..self.clone() }
    }

    /// What takes the place of the box: boxes for each mode with one page more than is settled, or itself with more exact pages.
    fn next(&self, model: &Model, modes: usize, known: f64) -> Vec<Self> {
        let more = self.oldest + 1 < model.most_pages() && size(model, self.oldest + 1) <= MOST_STATES;
        let helped = self.lower - self.before >= HELPS * (known - self.lower) || self.before == f64::NEG_INFINITY;
        let all_settled = self.modes.len() > model.buffer();
        if more && (!helped || all_settled) {
            return vec![Self { oldest: self.oldest + 1, before: self.lower, ..self.clone() }];
        }
        if all_settled {
            return Vec::new();
        }
        let first = self.modes.last().copied().unwrap_or(0);
        let with = |p: usize| Self {
            modes: self.modes.iter().copied().chain([p]).collect(),
            before: self.lower,
            ..self.clone()
        };
        (first..modes).map(with).collect()
    }
}

/// Modes that may be used, by pages.
fn allowed(model: &Model, set: &[usize], settled: &[usize]) -> Vec<Vec<usize>> {
    let last = settled.last().copied().unwrap_or(0);
    let with = |pages: usize| settled.get(pages.min(model.buffer())).map_or(set[last..].to_vec(), |p| vec![set[*p]]);
    (0..=model.most_pages()).map(with).collect()
}
