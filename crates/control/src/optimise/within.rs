//! Law C-18: what no policy within limits can undercut.
//!
//! A limit `g <= b` with a price `mu >= 0` can only lower what is minimised: `x >= x + mu (g - b)` for every policy that keeps it.
//! The right side is again a cost (2), because every measure is one of its parts: pages that arrive are lost, obsolete or served, and
//! `lambda P_success = (1 - P_star)/b1` (law C-19), so a limit on a share of pages is `mu (lost - b (lost + obsolete + served))`. So
//! the bounds of laws C-17 and C-20 hold for it, whatever the prices are; good prices make them tight.

use super::constrained::{Limit, Measure};
use super::simplex::{Column, cheapest_mixture};
use crate::decision::{Averages, DecisionError, markov_bound};
use crate::model::{Costs, Model};

/// A measure with priced limits as a cost, and what is to be added to it.
pub(super) struct Priced {
    costs: Costs,
    pub(super) constant: f64,
}

impl Priced {
    /// `minimise + sum_k mu_k (g_k - b_k)`; `None` if what is minimised is a share of pages, which is no such sum.
    pub(super) fn new(model: &Model, minimise: Measure, limits: &[Limit], multipliers: &[f64]) -> Option<Self> {
        let (own, none) = (*model.costs(), Costs::default());
        let costs = match minimise {
            Measure::Cost => own,
            Measure::Robots => Costs { robot: 1.0, ..none },
            Measure::Starvation => Costs { starvation: 1.0, ..none },
            Measure::Sojourn => Costs { sojourn: 1.0, ..none },
            Measure::Loss | Measure::Obsolete => return None,
        };
        let mut priced = Self { costs, constant: 0.0 };
        limits.iter().zip(multipliers).for_each(|(limit, mu)| priced.add(model, limit, *mu));
        Some(priced)
    }

    fn add(&mut self, model: &Model, Limit { measure, at_most }: &Limit, mu: f64) {
        let (costs, own) = (&mut self.costs, model.costs());
        match measure {
            Measure::Robots => costs.robot += mu,
            Measure::Starvation => costs.starvation += mu,
            Measure::Sojourn => costs.sojourn += mu,
            Measure::Cost => {
                costs.loss += mu * own.loss;
                costs.obsolete += mu * own.obsolete;
                costs.sojourn += mu * own.sojourn;
                costs.robot += mu * own.robot;
                costs.starvation += mu * own.starvation;
            }
            Measure::Loss | Measure::Obsolete => {
                let priced = if *measure == Measure::Loss { &mut costs.loss } else { &mut costs.obsolete };
                *priced += mu;
                costs.loss -= mu * at_most;
                costs.obsolete -= mu * at_most;
                costs.starvation += mu * at_most / model.service().mean();
                self.constant -= mu * at_most / model.service().mean();
                return;
            }
        }
        self.constant -= mu * at_most;
    }

    /// The model whose cost this is, but for the constant.
    pub(super) fn model(&self, model: &Model) -> Model {
        model.clone().with_any_costs(self.costs)
    }
}

/// By how much a limit is exceeded, in the unit of its price: of shares of pages the pages per unit of time.
pub(super) fn excess(model: &Model, limit: &Limit, averages: &Averages) -> f64 {
    let over = limit.measure.of(averages, model.costs()) - limit.at_most;
    match limit.measure {
        Measure::Loss | Measure::Obsolete => over * averages.arrivals,
        _ => over,
    }
}

/// Relative difference between bound and policies met at which prices are good enough.
const CLOSE: f64 = 1e-4;

/// Prices tried.
const ROUNDS: usize = 12;

/// Laws C-18 and C-20: no policy of any kind that keeps the limits has less of what is minimised. Prices are those of the cheapest
/// mixture of the policies met so far, of which the first keeps the limits. `None` for shares of pages, and if there are no policies.
///
/// # Errors
/// If levels have too many states.
pub fn markov_bound_within(
    model: &Model,
    minimise: Measure,
    limits: &[Limit],
    first: &Averages,
) -> Result<Option<f64>, DecisionError> {
    let column = |averages: &Averages| Column {
        cost: minimise.of(averages, model.costs()),
        excess: limits.iter().map(|limit| excess(model, limit, averages)).collect(),
    };
    let mut columns = vec![column(first)];
    let mut best: Option<f64> = None;
    for _ in 0..ROUNDS {
        let mixture = cheapest_mixture(&columns, 0);
        let Some(priced) = Priced::new(model, minimise, limits, &mixture.multipliers) else { return Ok(None) };
        let bound = markov_bound(&priced.model(model))?;
        best = Some(best.unwrap_or(f64::NEG_INFINITY).max(bound.lower + priced.constant));
        if best.is_some_and(|best| best >= mixture.value - CLOSE * mixture.value.abs()) {
            break;
        }
        // A model too large for dense blocks has a bound, but no policy that reaches it.
        let Some(reached) = bound.reached else { break };
        columns.push(column(&reached.averages));
    }
    Ok(best)
}
