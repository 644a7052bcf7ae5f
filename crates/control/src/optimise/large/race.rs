//! Threshold policies whose costs are only bounded, and their bounds narrowed as far as it takes to tell them apart.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{Costs, Model, RobotPolicy};
use crate::optimise::constrained::{Limit, Measure};
use crate::optimise::numbers;
use crate::optimise::staircase::Staircase;
use crate::parallel;
use crate::queue::by_size::{EXACT, fits_arrays, states};
use crate::queue::certified::{Appraisal, MOST_STATES, appraise};
use crate::queue::guided::size;
use crate::queue::{Method, solve_to};

/// States summed over all appraisals after the first, at most.
const MOST_WORK: f64 = 6e6;

/// Bounds are sought with a chain of this many times fewer states than the exact solution has, or it is solved exactly.
const FEWER: f64 = 4.0;

/// A policy in the race.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) staircase: Staircase,
    pub(super) appraisal: Appraisal,
    /// How many of the oldest pages are exact; none if all are.
    oldest: Option<usize>,
}

impl Entry {
    /// Whether a list of thresholds between the modes of a subset stands for it: it uses no others and begins with the first.
    pub(super) fn is_on(&self, set: &[usize], subset: &[usize]) -> bool {
        let used = self.staircase.used();
        set[used[0]] == subset[0] && used.iter().all(|p| subset.contains(&set[*p]))
    }
}

/// Some of the policies.
pub(super) type Group<'g> = &'g dyn Fn(&Entry) -> bool;

/// How a group stands.
pub(super) struct Standing {
    /// The policy that keeps all limits for certain and has the least worst value.
    pub(super) leader: Option<usize>,
    /// Others that may be better.
    pub(super) rivals: Vec<usize>,
    /// None of the group that keeps the limits has less.
    pub(super) lower: f64,
}

pub(super) struct Race<'a> {
    pub(super) model: &'a Model,
    pub(super) set: &'a [usize],
    pub(super) entries: Vec<Entry>,
    /// Whether all policies are in the race, and all of each pair of modes.
    pub(super) complete: bool,
    pub(super) pairs_complete: bool,
    /// Entries by the ends of their staircases.
    known: BTreeMap<Vec<usize>, usize>,
    limits: &'a [Limit],
    minimise: Measure,
    /// What is left of [`MOST_WORK`].
    work: f64,
}

impl<'a> Race<'a> {
    /// For the least of a measure within limits.
    pub(super) fn new(model: &'a Model, set: &'a [usize], minimise: Measure, limits: &'a [Limit]) -> Self {
        let (entries, known, work) = (Vec::new(), BTreeMap::new(), MOST_WORK);
        Self { model, set, entries, complete: false, pairs_complete: false, known, limits, minimise, work }
    }

    /// Enters policies, each appraised with one exact page, and says where they are.
    pub(super) fn enter(&mut self, staircases: Vec<Staircase>) -> Vec<usize> {
        let mut fresh: Vec<&Staircase> = staircases.iter().filter(|s| !self.known.contains_key(&s.ends)).collect();
        fresh.sort_by(|a, b| a.ends.cmp(&b.ends));
        fresh.dedup();
        let earlier = self.entries.last().map(|entry| entry.appraisal.clone());
        // One first, so that the others can begin where it ends.
        let first = fresh.first().filter(|_| earlier.is_none()).map(|s| self.appraise(&self.policy(s), 1, None));
        let near = earlier.or(first);
        let appraisals = parallel::map(&fresh, |s| self.appraise(&self.policy(s), 1, near.as_ref()));
        for (staircase, appraisal) in fresh.into_iter().zip(appraisals) {
            self.known.insert(staircase.ends.clone(), self.entries.len());
            self.entries.push(Entry { staircase: staircase.clone(), appraisal, oldest: Some(1) });
        }
        staircases.iter().filter_map(|s| self.known.get(&s.ends).copied()).collect()
    }

    fn policy(&self, staircase: &Staircase) -> RobotPolicy {
        let numbers = numbers(self.model);
        let robots = (0..=self.model.buffer()).map(|i| numbers[self.set[staircase.position(i)]]).collect();
        RobotPolicy::new(self.model, robots).unwrap_or_else(|_| self.model.fixed(numbers[0]))
    }

    /// With more exact pages bounds are narrower, and values must be settled better.
    fn appraise(&self, policy: &RobotPolicy, oldest: usize, earlier: Option<&Appraisal>) -> Appraisal {
        let accuracy = 1e-3 * 0.5f64.powi(oldest as i32);
        appraise(self.model, policy, (oldest, accuracy), earlier, !self.limits.is_empty())
    }

    /// Bounds on a measure.
    pub(super) fn bounds(&self, measure: Measure, appraisal: &Appraisal) -> [f64; 2] {
        let costs: &Costs = self.model.costs();
        match (measure, &appraisal.averages) {
            (Measure::Cost, _) => appraisal.cost,
            (_, Some(averages)) => averages.each_ref().map(|averages| measure.of(averages, costs)),
            (_, None) => [f64::NEG_INFINITY, f64::INFINITY],
        }
    }

    /// Bounds on what is to be small.
    pub(super) fn value(&self, entry: &Entry) -> [f64; 2] {
        self.bounds(self.minimise, &entry.appraisal)
    }

    /// Whether limits are kept at the good end (0) or even the bad end (1) of what is certain.
    fn keeps(&self, entry: &Entry, end: usize) -> bool {
        let kept = |limit: &Limit| self.bounds(limit.measure, &entry.appraisal)[end] <= limit.at_most * (1.0 + 1e-12);
        self.limits.iter().all(kept)
    }

    pub(super) fn standing(&self, group: Group<'_>) -> Standing {
        let entries = || self.entries.iter().enumerate().filter(|(_, entry)| group(entry) && self.keeps(entry, 0));
        // A policy under which nothing is indexed has no cost.
        let certain = entries().filter(|(_, entry)| self.keeps(entry, 1) && self.value(entry)[1].is_finite());
        let leader = certain.map(|(n, entry)| (n, self.value(entry)[1])).reduce(|a, b| if b.1 < a.1 { b } else { a });
        let least = leader.map_or(f64::INFINITY, |(_, high)| high);
        // Exact values that differ by rounding are the same.
        let rivals = entries().filter(|(_, entry)| self.value(entry)[0] < least - 1e-9 * least.abs());
        let rivals = rivals.map(|(n, _)| n).filter(|n| leader.is_none_or(|(leader, _)| *n != leader)).collect();
        let lower = entries().map(|(_, entry)| self.value(entry)[0]).fold(f64::INFINITY, f64::min);
        Standing { leader: leader.map(|(n, _)| n), rivals, lower }
    }

    /// Narrows bounds until each group has a leader without rivals, or no more can be done. If there is too much to do for all
    /// groups, only the first counts.
    pub(super) fn narrow(&mut self, groups: &[Group<'_>]) {
        let mut counted = groups.len();
        while counted > 0 {
            let open = self.open(&groups[..counted]);
            let work: f64 = open.iter().map(|(_, oldest)| self.size(*oldest)).sum();
            if open.is_empty() || work > self.work {
                counted = if counted > 1 { 1 } else { 0 };
                continue;
            }
            self.work -= work;
            self.reappraise(&open);
        }
    }

    /// The policies whose bounds should be narrowed next, those known least first, and to how many exact pages.
    fn open(&self, groups: &[Group<'_>]) -> Vec<(usize, Option<usize>)> {
        let mut open = BTreeSet::new();
        for standing in groups.iter().map(|group| self.standing(group)).filter(|standing| !standing.rivals.is_empty()) {
            open.extend(standing.rivals.iter().chain(&standing.leader));
        }
        let next: Vec<(usize, Option<usize>)> = open.into_iter().filter_map(|n| Some((n, self.deeper(n)?))).collect();
        // Exact ones come last.
        let least = next.iter().map(|(_, oldest)| oldest.unwrap_or(usize::MAX)).min();
        next.into_iter().filter(|(_, oldest)| Some(oldest.unwrap_or(usize::MAX)) == least).collect()
    }

    /// How many exact pages an entry should have next, if there can be more; none for all.
    fn deeper(&self, n: usize) -> Option<Option<usize>> {
        let oldest = self.entries[n].oldest? + 1;
        if fits_arrays(self.model, self.phases()) && self.size(None) <= FEWER * self.size(Some(oldest)) {
            return Some(None);
        }
        (self.size(Some(oldest)) <= MOST_STATES && oldest < self.model.most_pages()).then_some(Some(oldest))
    }

    /// States with so many exact pages, or with all.
    fn size(&self, oldest: Option<usize>) -> f64 {
        oldest.map_or_else(|| states(self.model, self.phases()), |oldest| size(self.model, oldest))
    }

    /// Phases of obsolescence.
    fn phases(&self) -> usize {
        self.model.reduced_obsolescence().map_or(1, |law| law.order())
    }

    fn reappraise(&mut self, open: &[(usize, Option<usize>)]) {
        let appraisals = parallel::map(open, |(n, oldest)| {
            let entry = &self.entries[*n];
            self.again(&self.policy(&entry.staircase), *oldest, &entry.appraisal)
        });
        for ((n, oldest), appraisal) in open.iter().zip(appraisals) {
            self.entries[*n].appraisal = appraisal;
            self.entries[*n].oldest = *oldest;
        }
    }

    /// With more exact pages, or exactly; if the exact solution does not settle the bounds stay.
    fn again(&self, policy: &RobotPolicy, oldest: Option<usize>, earlier: &Appraisal) -> Appraisal {
        let Some(oldest) = oldest else {
            let solved = solve_to(self.model, policy, EXACT);
            let exact = solved.ok().filter(|solved| !matches!(solved.method, Method::Certified { .. }));
            return exact.map_or_else(|| earlier.clone(), |solved| Appraisal::of(&solved));
        };
        let mut appraisal = self.appraise(policy, oldest, Some(earlier));
        let [low, high] = earlier.cost;
        appraisal.cost = [appraisal.cost[0].max(low), appraisal.cost[1].min(high)];
        appraisal
    }

    /// Narrows the bounds of one entry's cost to a part of it, if that can be done.
    pub(super) fn refine(&mut self, n: usize, accuracy: f64) {
        while self.entries[n].is_wider(accuracy)
            && let Some(oldest) = self.deeper(n)
        {
            self.reappraise(&[(n, oldest)]);
        }
    }
}

impl Entry {
    fn is_wider(&self, accuracy: f64) -> bool {
        let [low, high] = self.appraisal.cost;
        high - low > accuracy * high.abs()
    }
}
