//! The best thresholds for every set of modes.

use super::ALL_SETS;
use super::branch::ACCURACY;
use super::search::{Found, MANY_MODES, Search, less};
use super::staircase::{Staircase, count, enumerate};
use crate::decision::Averages;
use crate::decision::process::Process;
use crate::effort::LEVEL;
use crate::model::RobotPolicy;
use crate::queue::solve;

/// Policies tried one by one, at most.
pub(crate) const ENUMERATED: usize = 20_000;

/// Boxes of branch and bound, times levels, times modes, at most; fewer if levels are large.
pub(crate) const PROOF_LEVELS: f64 = 1e6;

/// The best staircases.
pub(super) struct Sets {
    /// The best of all, on the whole set.
    pub(super) best: Found,
    /// No staircase costs less.
    pub(super) lower: f64,
    /// By subset the best on it, and whether all were tried.
    pub(super) by_set: Vec<(Vec<usize>, Found, bool)>,
}

impl Sets {
    /// For a set of modes; if it was `given`, its first mode must be used and no other set is of interest.
    pub(super) fn of(process: &Process<'_>, set: &[usize], given: bool) -> Option<Self> {
        if count(process.model(), set.len()) <= ENUMERATED {
            Self::by_trying_all(process, set, given)
        } else {
            Self::by_search(process, set, given)
        }
    }

    pub(super) fn by_trying_all(process: &Process<'_>, set: &[usize], given: bool) -> Option<Self> {
        let mut best: Option<Found> = None;
        let mut by_set: Vec<(Vec<usize>, Option<Found>)> = subsets(set, given).into_iter().map(|s| (s, None)).collect();
        let keep = |best: &mut Option<Found>, staircase: &Staircase, averages: &Averages| {
            let score = (0.0, averages.cost(process.model().costs()));
            if best.as_ref().is_none_or(|known| less(score, known.score)) {
                *best = Some(Found { staircase: staircase.clone(), averages: *averages, score });
            }
        };
        enumerate(process, set, &mut |staircase, averages| {
            let used: Vec<usize> = staircase.used().iter().map(|p| set[*p]).collect();
            if !given || used[0] == set[0] {
                keep(&mut best, staircase, averages);
            }
            for (subset, best) in &mut by_set {
                if subset[0] == used[0] && used.iter().all(|mode| subset.contains(mode)) {
                    keep(best, &staircase.among(set, subset), averages);
                }
            }
        });
        let cost = |averages: &Averages| (0.0, averages.cost(process.model().costs()));
        let best = Search { process, set, first_used: given, score: &cost }.simplest(best?);
        let by_set =
            by_set.into_iter().filter_map(|(subset, found)| found.map(|found| (subset, found, true))).collect();
        let sets = Self { lower: best.score.1, best, by_set };
        Some(if given { sets } else { sets.with_own_set(set) })
    }

    pub(super) fn by_search(process: &Process<'_>, set: &[usize], given: bool) -> Option<Self> {
        let costs = *process.model().costs();
        let cost = |averages: &Averages| (0.0, averages.cost(&costs));
        let mut by_set: Vec<(Vec<usize>, Found, bool)> = Vec::new();
        for subset in subsets(set, given) {
            let within = |other: &[usize]| other[0] == subset[0] && other.iter().all(|mode| subset.contains(mode));
            let known = by_set.iter().filter(|(other, _, _)| within(other));
            let starts: Vec<Staircase> = known.map(|(other, found, _)| found.staircase.among(other, &subset)).collect();
            let search = Search { process, set: &subset, first_used: true, score: &cost };
            let (found, lower) = best_and_proof(&search, &starts)?;
            let exact = proven(found.score.1, lower);
            by_set.push((subset, found, exact));
        }
        let starts: Vec<Staircase> =
            by_set.iter().map(|(subset, found, _)| found.staircase.among(subset, set)).collect();
        let whole = Search { process, set, first_used: given, score: &cost };
        let (best, lower) = best_and_proof(&whole, &starts)?;
        let sets = Self { best: whole.simplest(best), lower, by_set };
        Some(if given { sets } else { sets.with_own_set(set) })
    }

    /// Adds the set of the modes that the best uses, if it was not among those looked at.
    fn with_own_set(mut self, set: &[usize]) -> Self {
        let own: Vec<usize> = self.best.staircase.used().iter().map(|p| set[*p]).collect();
        if own.len() > 1 && self.by_set.iter().all(|(subset, _, _)| *subset != own) {
            let found = Found { staircase: self.best.staircase.among(set, &own), ..self.best.clone() };
            let exact = proven(self.best.score.1, self.lower);
            self.by_set.push((own, found, exact));
        }
        self
    }
}

/// The best staircase a search finds, improved where branch and bound can, and a lower bound for all.
pub(super) fn best_and_proof(search: &Search<'_, '_>, starts: &[Staircase]) -> Option<(Found, f64)> {
    let best = search.best(starts)?;
    if search.set.len() <= 2 && search.first_used {
        // One boundary, and all its places were tried.
        return Some((best.clone(), best.score.1));
    }
    let weights = weights(search.process, search.set, &best.staircase)?;
    let work = (weights.len() * search.set.len()) as f64 * (1.0 + block(search.process).powi(3) / LEVEL);
    Some(search.prove(best, &weights, (PROOF_LEVELS / work) as usize))
}

/// States of the largest level.
fn block(process: &Process<'_>) -> f64 {
    process.states(process.top()) as f64
}

pub(super) fn proven(cost: f64, lower: f64) -> bool {
    cost - lower <= 2.0 * ACCURACY * cost.abs()
}

/// The set itself if it was given; else all subsets of two and more, or all pairs if they would be many, or none if even these
/// would be. Small ones first, then by fewest robots.
pub(super) fn subsets(set: &[usize], given: bool) -> Vec<Vec<usize>> {
    if given {
        return if set.len() > 1 { vec![set.to_vec()] } else { Vec::new() };
    }
    let pairs = || (0..set.len()).flat_map(|q| (0..q).map(move |p| vec![set[p], set[q]]));
    let mut all: Vec<Vec<usize>> = if set.len() > MANY_MODES {
        Vec::new()
    } else if set.len() > ALL_SETS {
        pairs().collect()
    } else {
        let masks = (0..1usize << set.len()).filter(|mask| mask.count_ones() > 1);
        masks.map(|mask| (0..set.len()).filter(|p| mask >> p & 1 == 1).map(|p| set[p]).collect()).collect()
    };
    all.sort_by_key(|subset| {
        (subset.len(), subset.iter().rev().map(|mode| std::cmp::Reverse(*mode)).collect::<Vec<_>>())
    });
    all
}

/// Where the system is under a staircase, and a little everywhere.
fn weights(process: &Process<'_>, set: &[usize], staircase: &Staircase) -> Option<Vec<f64>> {
    let model = process.model();
    let robots = (0..=model.buffer()).map(|i| process.modes()[set[staircase.position(i)]]).collect();
    let levels = solve(model, &RobotPolicy::new(model, robots).ok()?).levels;
    let small = 1e-9 / levels.len() as f64;
    Some(levels.iter().map(|mass| mass + small).collect())
}
