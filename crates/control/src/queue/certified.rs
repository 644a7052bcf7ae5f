//! Bounds that hold when the exact solution is too large (law C-15).

mod appraisal;
mod bracket;
mod correction;
mod rates;

use thiserror::Error;

use super::Measures;
use super::ageing::Ageing;
use super::coarse::Classes;
use super::frame::Frame;
use super::oldest::{Nature, Oldest, Prospects};
use crate::model::{Model, RobotPolicy};
use crate::number::many;
use crate::parallel;
pub use appraisal::cost_to;
pub(crate) use appraisal::{Appraisal, appraise};
use bracket::Bracket;
pub(super) use correction::{Correction, Places};
use rates::{Guess, Payments, Rate};

/// States beyond which no more pages are made exact for all measures.
pub(crate) const MOST_STATES: f64 = 200_000.0;

/// The same for the cost alone: some 20 seconds and 400 MB.
const MOST_COST_STATES: f64 = 3_000_000.0;

/// Means that are bounded in one go.
const AT_ONCE: usize = 16;

/// No solver can deal with the problem.
#[derive(Clone, Debug, PartialEq, Error)]
#[error(
    "{phases} phases of obsolescence and {places} places need {} states at least, more than can be solved; \
     describe obsolescence with fewer phases",
    many(*.states)
)]
pub struct TooLarge {
    /// Phases of obsolescence, once reduced.
    pub phases: usize,
    /// `K`.
    pub places: usize,
    /// States of the smallest chain that gives bounds.
    pub states: f64,
}

/// Lower and upper bounds on each measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// No measure is less.
    pub low: Measures,
    /// No measure is more.
    pub high: Measures,
}

impl Bounds {
    /// The width of the cost's bounds relative to its middle.
    #[must_use]
    pub fn relative_width(&self) -> f64 {
        relative_width([self.low.cost, self.high.cost])
    }

    /// The same with bounds on the cost that may be narrower.
    fn with_cost(mut self, [low, high]: [f64; 2]) -> Self {
        self.low.cost = self.low.cost.max(low);
        self.high.cost = self.high.cost.min(high);
        let width = self.relative_width();
        (self.low.residual, self.high.residual) = (width, width);
        self
    }

    /// The middle of the bounds, for each measure.
    #[must_use]
    pub fn middle(&self) -> Measures {
        let (low, high) = (&self.low, &self.high);
        Measures {
            cost: f64::midpoint(low.cost, high.cost),
            arrival_rate: f64::midpoint(low.arrival_rate, high.arrival_rate),
            p_loss: f64::midpoint(low.p_loss, high.p_loss),
            p_obsolete: f64::midpoint(low.p_obsolete, high.p_obsolete),
            p_success: f64::midpoint(low.p_success, high.p_success),
            p_starvation: f64::midpoint(low.p_starvation, high.p_starvation),
            active_robots: f64::midpoint(low.active_robots, high.active_robots),
            robots: low.robots.iter().zip(&high.robots).map(|(a, b)| (a.0, f64::midpoint(a.1, b.1))).collect(),
            sojourn_served: f64::midpoint(low.sojourn_served, high.sojourn_served),
            sojourn_obsolete: f64::midpoint(low.sojourn_obsolete, high.sojourn_obsolete),
            sojourn: f64::midpoint(low.sojourn, high.sojourn),
            levels: low.levels.iter().zip(&high.levels).map(|(a, b)| f64::midpoint(*a, *b)).collect(),
            residual: f64::midpoint(low.residual, high.residual),
        }
    }
}

/// Law C-15: bounds on all measures with as few exact pages as make those of the cost no wider than `accuracy`, relative to
/// the cost; wider if that takes too many states. Also the number of exact pages behind the cost. Other measures, which are many,
/// make do with fewer if there are very many states.
///
/// The phases of the `L` oldest waiting pages are exact, the others are counted by phase. Which phase the next page has when it
/// becomes one of the oldest is not known: let an adversary choose it, and the least and the largest mean he can reach bracket
/// the true one.
///
/// The narrower his choice, the better. Given when pages came and which have gone, the phases of those that wait are
/// independent, and often (with two phases always) the older a page, the likelier its phase is a late one, in the sense of
/// likelihood ratios. Of two pages in different phases the older is then more likely to have the later, whatever the counts are,
/// as letting them change places shows; so the phase of the oldest of the others is no earlier than that of one at random.
///
/// # Errors
/// If there are too many states even with one exact page.
pub(super) fn solve(model: &Model, policy: &RobotPolicy, accuracy: f64) -> Result<(Bounds, usize), TooLarge> {
    let (frame, ageing) = (Frame::new(model, policy), Ageing::new(model));
    let size = |oldest: usize| Oldest::size(frame.top(), frame.states(1), ageing.phases(), oldest);
    let mut oldest = 1;
    if size(oldest) > MOST_STATES {
        return Err(TooLarge { phases: ageing.phases(), places: model.buffer(), states: size(oldest) });
    }
    let system = System::new(model, policy, &frame, &ageing, Classes::ByPhase);
    let mut guess = guess(&system.means(oldest, &[Rate::Served, Rate::PagesIndexed], accuracy));
    loop {
        let means = system.means(oldest, &[Rate::Served, Rate::PagesIndexed, Rate::Cost(guess)], accuracy);
        let cost = system.cost(guess, &means);
        guess = self::guess(&means);
        // With at most one page that is not exact, counting it is exact.
        let exact = oldest + 2 >= frame.top();
        if relative_width(cost) <= accuracy || exact || size(oldest + 1) > MOST_COST_STATES {
            let others = (1..=oldest).rev().find(|oldest| size(*oldest) <= MOST_STATES).unwrap_or(1);
            return Ok((system.bounds(others, guess, accuracy).with_cost(cost), oldest));
        }
        oldest += 1;
    }
}

fn relative_width([low, high]: [f64; 2]) -> f64 {
    // Where nothing costs anything both are zero.
    if high > low { (high - low) / f64::midpoint(low, high).abs() } else { 0.0 }
}

fn guess(means: &[[f64; 2]]) -> Guess {
    let served = f64::midpoint(means[0][0], means[0][1]);
    Guess { served, sojourn: f64::midpoint(means[1][0], means[1][1]) / served }
}

struct System<'a> {
    model: &'a Model,
    policy: &'a RobotPolicy,
    frame: &'a Frame,
    ageing: &'a Ageing,
    correction: Correction<'a>,
}

impl<'a> System<'a> {
    fn new(model: &'a Model, policy: &'a RobotPolicy, frame: &'a Frame, ageing: &'a Ageing, classes: Classes) -> Self {
        Self { model, policy, frame, ageing, correction: Correction::new(frame, ageing, classes) }
    }

    /// Bounds on the means of rates with as many exact pages.
    fn means(&self, oldest: usize, rates: &[Rate], accuracy: f64) -> Vec<[f64; 2]> {
        let space = Oldest::new(self.frame, self.ageing, oldest, Nature::BoundByAge);
        let prospects = Prospects::new(self.model, self.ageing, oldest, Nature::BoundByAge);
        let payments = Payments {
            model: self.model,
            policy: self.policy,
            frame: self.frame,
            space: &space,
            prospects: &prospects,
        };
        let bracket = Bracket::new(&space, &self.correction);
        let parts: Vec<&[Rate]> = rates.chunks(AT_ONCE).collect();
        let of_part = |part: &&[Rate]| -> Vec<[f64; 2]> {
            let pay = |i: usize| {
                space.filled(i, 2 * part.len(), |row, s, column| payments.of(part[column / 2], i, row, s)[column % 2])
            };
            let paid: Vec<Vec<f64>> = (0..=self.frame.top()).map(pay).collect();
            bracket.bounds(&paid, accuracy).chunks_exact(2).map(|pair| [pair[0][0], pair[1][1]]).collect()
        };
        parallel::map(&parts, of_part).concat()
    }

    /// Bounds on the cost from those on `D`, `N` and the linear `G + (a/D_0)(N - v_0 D)`.
    ///
    /// `G + a N/D` is that plus `a v_0 + a x (1/D - 1/D_0)` with `x = N - v_0 D`: a product of two small numbers.
    fn cost(&self, guess: Guess, means: &[[f64; 2]]) -> [f64; 2] {
        let (served, indexed, linear) = (means[0], means[1], means[2]);
        let a = self.model.costs().sojourn;
        let x = [indexed[0] - guess.sojourn * served[1], indexed[1] - guess.sojourn * served[0]];
        let products = x.map(|x| served.map(|d| a * x * (1.0 / d - 1.0 / guess.served)));
        let least = products.as_flattened().iter().copied().fold(f64::INFINITY, f64::min);
        let most = products.as_flattened().iter().copied().fold(f64::NEG_INFINITY, f64::max);
        [linear[0] + a * guess.sojourn + least, linear[1] + a * guess.sojourn + most]
    }

    fn bounds(&self, oldest: usize, guess: Guess, accuracy: f64) -> Bounds {
        let levels = 0..=self.frame.top();
        let mut modes: Vec<u32> = levels.clone().map(|i| self.policy.with_pages(i)).collect();
        modes.sort_unstable();
        modes.dedup();
        let fixed = [
            Rate::Served,
            Rate::PagesIndexed,
            Rate::Cost(guess),
            Rate::Arrivals,
            Rate::Lost,
            Rate::Obsolete,
            Rate::Robots,
            Rate::Pages,
            Rate::PagesObsolete,
        ];
        let active = modes.iter().map(|r| Rate::Active(*r));
        let rates: Vec<Rate> = fixed.into_iter().chain(active).chain(levels.map(Rate::Level)).collect();
        let means = self.means(oldest, &rates, accuracy);
        let cost = self.cost(guess, &means);
        Bounds { low: side(0, cost, &modes, &means), high: side(1, cost, &modes, &means) }
    }
}

/// The measures at one end, 0 or 1, of the bounds, which come in the order of [`System::bounds`].
fn side(side: usize, cost: [f64; 2], modes: &[u32], means: &[[f64; 2]]) -> Measures {
    let [served, indexed, _, arrivals, lost, obsolete, robots, pages, ageing] = std::array::from_fn(|k| means[k]);
    let (active, levels) = means[9..].split_at(modes.len());
    let ratio = |part: [f64; 2], whole: [f64; 2]| if part[side] > 0.0 { part[side] / whole[1 - side] } else { 0.0 };
    let chance = |part: f64| part.clamp(0.0, 1.0);
    Measures {
        cost: cost[side],
        arrival_rate: arrivals[side],
        p_loss: chance(ratio(lost, arrivals)),
        p_obsolete: chance(ratio(obsolete, arrivals)),
        p_success: chance(ratio(served, arrivals)),
        p_starvation: chance(levels[0][side]),
        active_robots: robots[side],
        robots: modes.iter().zip(active).map(|(r, share)| (*r, chance(share[side]))).collect(),
        sojourn_served: ratio(indexed, served),
        sojourn_obsolete: ratio(ageing, obsolete),
        sojourn: ratio(pages, arrivals),
        levels: levels.iter().map(|level| chance(level[side])).collect(),
        residual: relative_width(cost),
    }
}

#[cfg(test)]
mod tests;
