//! Law C-18: one measure as small as possible within limits on others.

use thiserror::Error;

use super::search::{Found, Score, Search, less};
use super::sets::best_and_proof;
use super::simplex::{Column, Mixture, cheapest_mixture};
use super::staircase::{Staircase, count, enumerate};
use super::within::Priced;
use super::{OptimiseError, large, named, positions};
use crate::decision::large::can_help;
use crate::decision::process::Process;
use crate::decision::{Averages, DecisionError};
use crate::model::{Costs, Model};

/// A measure to be minimised or limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Probability that a page is lost, `P_loss`.
    Loss,
    /// Probability that a page becomes obsolete, `P_obs`.
    Obsolete,
    /// Fraction of time in which the indexer has nothing to do, `P_star`.
    Starvation,
    /// Mean number of active robots, `N_act`.
    Robots,
    /// Mean time in the system of a page that is indexed, `V1`.
    Sojourn,
    /// The cost (2).
    Cost,
}

/// A measure must not be larger than this.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// Which measure.
    pub measure: Measure,
    /// Its largest value.
    pub at_most: f64,
}

/// A threshold policy and what it does.
#[derive(Clone, Debug, PartialEq)]
pub struct ThresholdPolicy {
    /// Numbers of robots, descending, all of them used.
    pub modes: Vec<u32>,
    /// Thresholds between them.
    pub thresholds: Vec<usize>,
    /// Long-run averages.
    pub averages: Averages,
}

/// The solution under limits.
#[derive(Clone, Debug, PartialEq)]
pub struct Constrained {
    /// The best threshold policy within the limits.
    pub best: ThresholdPolicy,
    /// What was minimised, of that policy.
    pub value: f64,
    /// No threshold policy within the limits has less: the value itself if that is proven, as it always is when all policies
    /// were tried. `None` if nothing is known.
    pub lower: Option<f64>,
    /// If it is only bounded, its bounds; then `value` is their middle, and the averages are middles as well.
    pub interval: Option<[f64; 2]>,
    /// For each limit, by how much the dual value falls per unit of slack: its price, a Lagrange multiplier.
    pub multipliers: Vec<f64>,
    /// The dual value: no policy drawn at random from those tried and kept has less within the limits on average.
    pub dual: f64,
    /// The random draw that reaches the dual value: probabilities and policies.
    pub mixture: Vec<(f64, ThresholdPolicy)>,
    /// Whether the best is proven: all threshold policies were tried, and bounds could tell them apart.
    pub exact: bool,
}

impl Constrained {
    /// Whether the best is proven to be the best.
    #[must_use]
    pub fn is_proven(&self) -> bool {
        self.lower.is_some_and(|lower| self.value - lower <= PROVEN * self.value.abs())
    }

    /// What drawing at random gains over the best single policy.
    #[must_use]
    pub fn gap(&self) -> f64 {
        self.value - self.dual
    }
}

/// Why there is no solution.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ConstrainedError {
    /// The task itself is wrong.
    #[error(transparent)]
    Optimise(#[from] OptimiseError),
    /// A limit is no number.
    #[error("the limit on {measure:?} is {at_most}; it must be a number of at least 0")]
    Limit {
        /// Which measure.
        measure: Measure,
        /// The limit.
        at_most: f64,
    },
    /// There are more policies than bounds can be had for.
    #[error("there are too many threshold policies to compare them within limits by bounds; give two or three modes")]
    TooMany,
    /// Bounds are not narrow enough.
    #[error(
        "bounds cannot tell whether any threshold policy keeps the limits; raise the limits a little, or lower the buffer"
    )]
    Undecided,
    /// No policy keeps the limits.
    #[error(
        "no threshold policy keeps the limits; the closest has {measure:?} {reached}, allowed are {at_most}: raise that limit"
    )]
    Infeasible {
        /// The limit that is exceeded most by the policy that exceeds the limits least.
        measure: Measure,
        /// What it reaches.
        reached: f64,
        /// The limit.
        at_most: f64,
    },
}

impl Measure {
    /// Its value.
    #[must_use]
    pub fn of(self, averages: &Averages, costs: &Costs) -> f64 {
        match self {
            Self::Loss => averages.p_loss(),
            Self::Obsolete => averages.p_obsolete(),
            Self::Starvation => averages.empty,
            Self::Robots => averages.robots,
            Self::Sojourn => averages.sojourn_served(),
            Self::Cost => averages.cost(costs),
        }
    }
}

/// Law C-18: the least of one measure within limits on others, among threshold policies on the given modes or on all.
///
/// Up to 200,000 policies are all tried, and the result is exact. Beyond that a search that first keeps the limits and then
/// lowers the measure is repeated with the prices found and from the neighbours of what was found; then branch and bound with
/// those prices tries to prove the result, and [`Constrained::lower`] says how far it came. The first of the given modes need not be
/// used. Models too large for dense blocks are compared by certified bounds, and the limits are kept for certain.
///
/// # Errors
/// If no threshold policy keeps the limits, or the task is wrong.
pub fn constrained(
    model: &Model,
    modes: Option<&[u32]>,
    minimise: Measure,
    limits: &[Limit],
) -> Result<Constrained, ConstrainedError> {
    if let Some(Limit { measure, at_most }) = limits.iter().find(|limit| limit.at_most.is_nan() || limit.at_most < 0.0)
    {
        return Err(ConstrainedError::Limit { measure: *measure, at_most: *at_most });
    }
    let set = positions(model, modes)?;
    let process = match Process::new(model) {
        Ok(process) => process,
        Err(DecisionError::TooLarge { .. }) if can_help(model) => {
            return large::constrained(model, &set, minimise, limits);
        }
        Err(error) => return Err(OptimiseError::from(error).into()),
    };
    let task = Task { process: &process, set, minimise, limits };
    if count(model, task.set.len()) <= TRIED { task.by_trying_all() } else { task.by_search() }
}

/// The threshold policies that are best in one of two measures for what they have of the other, by the first ascending.
///
/// Exact if there are at most 200,000 policies; else the policies that some weighting of the two makes best.
///
/// # Errors
/// If modes are unknown or out of order, or the model is too large.
pub fn pareto(
    model: &Model,
    modes: Option<&[u32]>,
    first: Measure,
    second: Measure,
) -> Result<Vec<ThresholdPolicy>, OptimiseError> {
    let process = Process::new(model)?;
    let set = positions(model, modes)?;
    let task = Task { process: &process, set, minimise: first, limits: &[] };
    let mut tried = if count(model, task.set.len()) <= TRIED { task.all() } else { task.weighted(second) };
    let value = |found: &Found| [first, second].map(|measure| measure.of(&found.averages, model.costs()));
    tried.sort_by(|a, b| {
        let ([a1, a2], [b1, b2]) = (value(a), value(b));
        a1.total_cmp(&b1).then(a2.total_cmp(&b2))
    });
    let mut least = f64::INFINITY;
    tried.retain(|found| {
        // By more than rounding.
        let better = least == f64::INFINITY || value(found)[1] < least - 1e-9 * least.abs();
        least = least.min(value(found)[1]);
        better
    });
    Ok(tried.iter().map(|found| task.named(found)).collect())
}

pub(super) struct Task<'t, 'a> {
    pub(super) process: &'t Process<'a>,
    pub(super) set: Vec<usize>,
    pub(super) minimise: Measure,
    pub(super) limits: &'t [Limit],
}

impl Task<'_, '_> {
    pub(super) fn by_trying_all(&self) -> Result<Constrained, ConstrainedError> {
        let tried = self.all();
        let best = self.least(&tried)?.clone();
        let lower = Some(best.score.1);
        Ok(self.solution(&best, lower, &tried, true))
    }

    pub(super) fn by_search(&self) -> Result<Constrained, ConstrainedError> {
        let mut tried = self.some();
        let best = self.polished(self.least(&tried)?.clone(), &tried);
        tried.push(best.clone());
        let (best, lower) = self.proof(best, &self.mixture(&tried).multipliers);
        tried.push(best.clone());
        Ok(self.solution(&best, lower, &tried, false))
    }

    /// The best of what was tried, if it keeps the limits.
    fn least<'f>(&self, tried: &'f [Found]) -> Result<&'f Found, ConstrainedError> {
        let least = tried.iter().reduce(|a, b| if less(b.score, a.score) { b } else { a });
        let best = least.ok_or(OptimiseError::Decision(DecisionError::NothingIndexed))?;
        if best.score.0 > 0.0 { Err(self.infeasible(&best.averages)) } else { Ok(best) }
    }

    fn solution(&self, best: &Found, lower: Option<f64>, tried: &[Found], exact: bool) -> Constrained {
        let score = |averages: &Averages| self.score(averages);
        let search = Search { process: self.process, set: &self.set, first_used: false, score: &score };
        let best = search.simplest(best.clone());
        let Mixture { value: dual, multipliers, parts } = self.mixture(tried);
        let mixture = parts.iter().map(|(weight, which)| (*weight, self.named(&tried[*which]))).collect();
        Constrained {
            best: self.named(&best),
            value: best.score.1,
            lower,
            interval: None,
            multipliers,
            dual,
            mixture,
            exact,
        }
    }

    /// The best of the local optima within the limits that are near what was tried, and of those one step from the best.
    fn polished(&self, mut best: Found, tried: &[Found]) -> Found {
        let score = |averages: &Averages| self.score(averages);
        let search = Search { process: self.process, set: &self.set, first_used: false, score: &score };
        let (modes, levels) = (self.set.len(), self.process.top() + 1);
        let mut descents = (DESCENT / (modes * modes * levels)).max(tried.len());
        let mut starts = neighbours(&best.staircase);
        starts.extend(tried.iter().map(|found| found.staircase.clone()));
        while let Some(start) = starts.pop().filter(|_| descents > 0) {
            descents -= 1;
            let found = search.found(start).map(|start| search.descend(start));
            if let Some(found) = found.filter(|found| less(found.score, best.score)) {
                starts.extend(neighbours(&found.staircase));
                best = found;
            }
        }
        best
    }

    /// Branch and bound with prices on the limits (law C-18): a better policy if it meets one, and what none within the limits
    /// undercuts.
    fn proof(&self, best: Found, multipliers: &[f64]) -> (Found, Option<f64>) {
        let model = self.process.model();
        // Of shares of pages prices are per page and unit of time.
        let per_page = |limit: &Limit| match limit.measure {
            Measure::Loss | Measure::Obsolete => best.averages.arrivals,
            _ => 1.0,
        };
        let prices: Vec<f64> = self.limits.iter().zip(multipliers).map(|(limit, mu)| mu / per_page(limit)).collect();
        let Some(priced) = Priced::new(model, self.minimise, self.limits, &prices) else { return (best, None) };
        let other = priced.model(model);
        let Ok(process) = Process::new(&other) else { return (best, None) };
        let score = |averages: &Averages| {
            let (over, value) = self.score(averages);
            (over, value - priced.constant)
        };
        let search = Search { process: &process, set: &self.set, first_used: false, score: &score };
        match best_and_proof(&search, std::slice::from_ref(&best.staircase)) {
            Some((found, lower)) => {
                let found = Found { score: self.score(&found.averages), ..found };
                let lower = (lower + priced.constant).min(found.score.1);
                (if less(found.score, best.score) { found } else { best }, Some(lower))
            }
            None => (best, None),
        }
    }

    fn value(&self, measure: Measure, averages: &Averages) -> f64 {
        measure.of(averages, self.process.model().costs())
    }

    /// By how much limits are exceeded, relative to them, and what is to be minimised.
    fn score(&self, averages: &Averages) -> Score {
        let excess = |limit: &Limit| {
            let over = self.value(limit.measure, averages) - limit.at_most;
            if over > 1e-12 * limit.at_most { over / limit.at_most.max(1e-300) } else { 0.0 }
        };
        (self.limits.iter().map(excess).sum(), self.value(self.minimise, averages))
    }

    fn all(&self) -> Vec<Found> {
        let mut all = Vec::new();
        enumerate(self.process, &self.set, &mut |staircase: &Staircase, averages: &Averages| {
            all.push(Found { staircase: staircase.clone(), averages: *averages, score: self.score(averages) });
        });
        all
    }

    fn search(&self, score: &dyn Fn(&Averages) -> Score) -> Option<Found> {
        Search { process: self.process, set: &self.set, first_used: false, score }.best(&[])
    }

    /// What a search finds within the limits, and for the prices of the mixtures of what was found so far.
    fn some(&self) -> Vec<Found> {
        let mut tried: Vec<Found> = self.search(&|averages| self.score(averages)).into_iter().collect();
        for _ in 0..ROUNDS {
            if tried.first().is_none_or(|first| first.score.0 > 0.0) {
                break;
            }
            let Mixture { value, multipliers, .. } = self.mixture(&tried);
            let priced = |averages: &Averages| {
                let paid = self.limits.iter().zip(&multipliers);
                let paid = paid.map(|(limit, price)| price * (self.value(limit.measure, averages) - limit.at_most));
                self.value(self.minimise, averages) + paid.sum::<f64>()
            };
            let Some(found) = self.search(&|averages| (0.0, priced(averages))) else { break };
            if found.score.1 >= value - 1e-9 * value.abs() {
                break;
            }
            tried.push(Found { score: self.score(&found.averages), ..found });
        }
        tried
    }

    /// What a search finds for weightings of two measures.
    fn weighted(&self, second: Measure) -> Vec<Found> {
        let plain = |measure: Measure| self.search(&|averages| (0.0, self.value(measure, averages)));
        let (Some(low), Some(high)) = (plain(self.minimise), plain(second)) else { return Vec::new() };
        let span = |measure: Measure| {
            (self.value(measure, &low.averages) - self.value(measure, &high.averages)).abs().max(1e-300)
        };
        let (unit, other) = (span(self.minimise), span(second));
        let mut found = vec![low, high];
        for step in 1..WEIGHTINGS {
            // Weights from one to many, evenly in their logarithm.
            let odds = 1e3f64.powf(2.0 * f64::from(step) / f64::from(WEIGHTINGS) - 1.0);
            let weighted = |averages: &Averages| {
                self.value(self.minimise, averages) / unit + odds * self.value(second, averages) / other
            };
            found.extend(self.search(&|averages| (0.0, weighted(averages))));
        }
        found
    }

    fn mixture(&self, tried: &[Found]) -> Mixture {
        let column = |found: &Found| Column {
            cost: found.score.1,
            excess: self.limits.iter().map(|l| self.value(l.measure, &found.averages) - l.at_most).collect(),
        };
        let columns: Vec<Column> = tried.iter().map(column).collect();
        let feasible = tried.iter().position(|found| found.score.0 == 0.0).unwrap_or(0);
        cheapest_mixture(&columns, feasible)
    }

    fn named(&self, found: &Found) -> ThresholdPolicy {
        let (modes, thresholds) = named(self.process.model(), &self.set, &found.staircase, true);
        ThresholdPolicy { modes, thresholds, averages: found.averages }
    }

    fn infeasible(&self, averages: &Averages) -> ConstrainedError {
        let over = |limit: &Limit| self.value(limit.measure, averages) / limit.at_most.max(1e-300);
        let worst = self.limits.iter().max_by(|a, b| over(a).total_cmp(&over(b)));
        worst.map_or(OptimiseError::NoModes.into(), |limit| ConstrainedError::Infeasible {
            measure: limit.measure,
            reached: self.value(limit.measure, averages),
            at_most: limit.at_most,
        })
    }
}

/// Staircases with one boundary moved by one place.
fn neighbours(staircase: &Staircase) -> Vec<Staircase> {
    let last = staircase.ends.len() - 1;
    let moved = |(k, up): (usize, bool)| {
        let mut ends = staircase.ends.clone();
        let end = if up { ends[k] + 1 } else { ends[k].checked_sub(1)? };
        if end > ends[last] {
            return None;
        }
        // Ends do not fall.
        ends[1..=k].iter_mut().for_each(|other| *other = end.min(*other));
        ends[k..last].iter_mut().for_each(|other| *other = end.max(*other));
        ends[k] = end;
        Some(Staircase { ends })
    };
    (1..last).flat_map(|k| [(k, false), (k, true)]).filter_map(moved).collect()
}

/// Relative difference between value and bound that counts as none.
const PROVEN: f64 = 1e-6;

/// Policies tried one by one, at most.
const TRIED: usize = 200_000;

/// Local searches times modes, times modes, times levels, at most.
const DESCENT: usize = 2_000_000;

/// Rounds of pricing in a search.
const ROUNDS: usize = 30;

/// Weightings tried for a curve.
const WEIGHTINGS: u32 = 30;
