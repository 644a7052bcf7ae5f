//! Law C-21: the best policy among those that see only a part of the state.

use super::averages::Averages;
use super::passage::{Ascent, Descent, Table, evaluate, joined, level_ascent, level_descent};
use super::process::{Choices, Process};
use crate::model::Costs;

/// What a policy sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sees {
    /// The number of pages in the system.
    Pages,
    /// The number of pages, and the service phase of the one being indexed: with a hyper-exponential law its size class.
    PagesAndService,
}

/// A policy on what it sees, and what it costs.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedPolicy {
    /// Active robots by number of pages, then by service phase if that is seen (one entry if it is not, or with no page).
    pub robots: Vec<Vec<u32>>,
    /// The cost (2).
    pub cost: f64,
    /// Its averages.
    pub averages: Averages,
    /// Whether all policies of the class were compared; else no change for one number of pages improves it.
    pub exact: bool,
}

/// Policies compared one by one, at most.
const ENUMERATED: usize = 20_000;

/// Choices for one level tried together, at most.
const TOGETHER: usize = 64;

/// A search among policies that see only a part of the state.
pub(crate) struct Observing<'p, 'a> {
    process: &'p Process<'a>,
    sees: Sees,
    costs: Costs,
}

impl<'p, 'a> Observing<'p, 'a> {
    pub(crate) fn new(process: &'p Process<'a>, sees: Sees) -> Self {
        Self { process, sees, costs: *process.model().costs() }
    }

    /// What can be told apart with `l` pages.
    fn classes(&self, l: usize) -> usize {
        match self.sees {
            Sees::Pages => 1,
            Sees::PagesAndService => self.process.service_phases(l),
        }
    }

    fn class(&self, l: usize, state: usize) -> usize {
        match self.sees {
            Sees::Pages => 0,
            Sees::PagesAndService => self.process.service_phase(l, state),
        }
    }

    /// Modes by class made modes by state.
    fn by_state(&self, l: usize, by_class: &[usize]) -> Vec<usize> {
        (0..self.process.states(l)).map(|state| by_class[self.class(l, state)]).collect()
    }

    /// The best policy: of all if they are few, else of those that descent by level finds from the given ones.
    pub(crate) fn best(&self, starts: &[Choices]) -> Option<ObservedPolicy> {
        let modes = self.process.modes().len();
        let classes: usize = (0..=self.process.top()).map(|l| self.classes(l)).sum();
        let all = u32::try_from(classes).ok().and_then(|classes| modes.checked_pow(classes));
        if all.is_some_and(|all| all <= ENUMERATED) {
            let mut best = None;
            let mut tables = vec![Table::empty(); self.process.top() + 1];
            let mut choices = self.process.always(0);
            self.enumerate(self.process.top(), &mut tables, &mut choices, &mut best);
            return best.map(|(choices, averages)| self.policy(&choices, averages, true));
        }
        let found = starts.iter().filter_map(|start| self.descend(start));
        let best = found.min_by(|a, b| a.1.cost(&self.costs).total_cmp(&b.1.cost(&self.costs)));
        best.map(|(choices, averages)| self.policy(&choices, averages, false))
    }

    /// All policies, level by level from the top: what lies above is computed once for all that agree on it.
    fn enumerate(
        &self,
        l: usize,
        tables: &mut Vec<Descent>,
        choices: &mut Choices,
        best: &mut Option<(Choices, Averages)>,
    ) {
        for by_class in tuples(self.process.modes().len(), self.classes(l)) {
            choices[l] = self.by_state(l, &by_class);
            if l > 0 {
                tables[l] = level_descent(self.process, l, &choices[l], &tables[l + 1..]);
                self.enumerate(l - 1, tables, choices, best);
            } else if let Some(averages) = joined(self.process, 0, &choices[0], None, &tables[1..]) {
                let cost = averages.cost(&self.costs);
                if best.as_ref().is_none_or(|(_, least)| cost < least.cost(&self.costs)) {
                    *best = Some((choices.clone(), averages));
                }
            }
        }
    }

    /// Improves a policy level by level, each change evaluated exactly, until none helps.
    fn descend(&self, start: &Choices) -> Option<(Choices, Averages)> {
        let first = |l: usize, class: usize| start[l].iter().enumerate().find(|(s, _)| self.class(l, *s) == class);
        let by_class = |l: usize| -> Vec<usize> {
            (0..self.classes(l)).map(|class| first(l, class).map_or(0, |(_, mode)| *mode)).collect()
        };
        let mut choices: Choices = (0..start.len()).map(|l| self.by_state(l, &by_class(l))).collect();
        let mut best = evaluate(self.process, &choices)?;
        loop {
            let before = best.cost(&self.costs);
            self.sweep(&mut choices, &mut best);
            if best.cost(&self.costs) >= before {
                return Some((choices, best));
            }
        }
    }

    /// One pass from the top: the levels below are summed up beforehand, those above as the pass goes.
    fn sweep(&self, choices: &mut Choices, best: &mut Averages) {
        let mut below: Vec<Ascent> = Vec::new();
        for (l, choice) in choices.iter().enumerate() {
            below.push(level_ascent(self.process, l, choice, below.last()));
        }
        let mut above = vec![Table::empty(); choices.len()];
        for l in (0..choices.len()).rev() {
            let lower = l.checked_sub(1).map(|under| &below[under]);
            for by_class in self.alternatives(l, &choices[l]) {
                let candidate = self.by_state(l, &by_class);
                let averages = joined(self.process, l, &candidate, lower, &above[l + 1..]).or_else(|| {
                    let mut changed = choices.clone();
                    changed[l].clone_from(&candidate);
                    evaluate(self.process, &changed)
                });
                let Some(averages) = averages else { continue };
                // Less by more than rounding, so that the search ends.
                if averages.cost(&self.costs) < best.cost(&self.costs) * (1.0 - 1e-12) {
                    *best = averages;
                    choices[l] = candidate;
                }
            }
            if l > 0 {
                above[l] = level_descent(self.process, l, &choices[l], &above[l + 1..]);
            }
        }
    }

    /// What else could be done in a level: everything if that is little, else one class changed.
    fn alternatives(&self, l: usize, now: &[usize]) -> Vec<Vec<usize>> {
        let (modes, classes) = (self.process.modes().len(), self.classes(l));
        if modes.checked_pow(classes as u32).is_some_and(|all| all <= TOGETHER) {
            return tuples(modes, classes);
        }
        let mut by_class = vec![0; classes];
        now.iter().enumerate().for_each(|(state, mode)| by_class[self.class(l, state)] = *mode);
        let changed = |class: usize, mode: usize| {
            let mut changed = by_class.clone();
            changed[class] = mode;
            changed
        };
        (0..classes).flat_map(|class| (0..modes).map(move |mode| (class, mode))).map(|(c, m)| changed(c, m)).collect()
    }

    fn policy(&self, choices: &Choices, averages: Averages, exact: bool) -> ObservedPolicy {
        let seen = |l: usize, class: usize| {
            let state = (0..choices[l].len()).find(|state| self.class(l, *state) == class).unwrap_or(0);
            self.process.modes()[choices[l][state]]
        };
        let robots = (0..choices.len()).map(|l| (0..self.classes(l)).map(|class| seen(l, class)).collect()).collect();
        ObservedPolicy { robots, cost: averages.cost(&self.costs), averages, exact }
    }
}

/// All sequences of `length` numbers below `bound`.
fn tuples(bound: usize, length: usize) -> Vec<Vec<usize>> {
    (0..length).fold(vec![Vec::new()], |shorter, _| {
        let longer = |tuple: &Vec<usize>, last: usize| tuple.iter().copied().chain([last]).collect();
        shorter.iter().flat_map(|tuple| (0..bound).map(move |last| longer(tuple, last))).collect()
    })
}
