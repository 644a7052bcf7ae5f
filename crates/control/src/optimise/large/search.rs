//! Moving boundaries between modes until no move helps, by the middles of bounds.

use super::race::Race;
use crate::optimise::staircase::Staircase;

impl Race<'_> {
    /// From a staircase on the modes of a subset to one that no shift of a boundary by one or two pages makes better.
    pub(super) fn descend(&mut self, start: Staircase, subset: &[usize]) {
        let Some(mut now) = self.enter(vec![start]).first().copied() else { return };
        loop {
            let neighbours = self.neighbours(&self.entries[now].staircase, subset);
            let middle = |race: &Self, n: usize| race.entries[n].appraisal.cost.iter().sum::<f64>();
            let places = self.enter(neighbours);
            let better = places.into_iter().min_by(|a, b| middle(self, *a).total_cmp(&middle(self, *b)));
            match better.filter(|n| middle(self, *n) < middle(self, now) * (1.0 - 1e-9)) {
                Some(next) => now = next,
                None => return,
            }
        }
    }

    /// The boundary between any two modes of the subset shifted, those between them skipped.
    fn neighbours(&self, staircase: &Staircase, subset: &[usize]) -> Vec<Staircase> {
        let own = staircase.among(self.set, subset);
        let n = subset.len();
        let mut shifted = Vec::new();
        for (p, q) in (0..n).flat_map(|p| (p + 1..n).map(move |q| (p, q))) {
            let (low, high) = (own.ends[p], own.ends[q + 1]);
            let least = if p == 0 { low.max(1) } else { low };
            for at in own.ends[p + 1..=q]
                .iter()
                .flat_map(|end| [end.saturating_sub(2), end.saturating_sub(1), *end, end + 1, end + 2])
            {
                if at >= least && at <= high {
                    let mut moved = own.clone();
                    moved.ends[p + 1..=q].fill(at);
                    shifted.push(moved.among(subset, self.set));
                }
            }
        }
        shifted
    }
}
