//! Law C-22: where the hidden arrival phase probably is, and a policy that uses it.

mod points;

use thiserror::Error;

use super::averages::{Averages, COUNTS, prices};
use super::iteration::{Allowed, drift, minimise, relative_values};
use super::passage::{Ascent, Table, evaluate, level_ascent, level_descent, level_law};
use super::process::{Choices, Process};
use super::{DecisionError, LARGEST_LEVEL};
use crate::arrivals::Bmap;
use crate::matrix::{Matrix, dot};
use crate::model::Model;
use crate::phase_type::exponential_row;
use points::{belief_process, place};

/// The probabilities of the arrival phases, given all that was seen.
///
/// While `r` robots deliver nothing for a time `t` the row `pi` of probabilities becomes `pi exp(D_0 t)`, and at a batch of `k`
/// pages `pi D_k`, each divided by its sum. What the indexer does tells nothing about the phase.
#[derive(Clone, Debug)]
pub struct BeliefFilter {
    modes: Vec<Mode>,
    active: usize,
    probabilities: Vec<f64>,
}

/// The arrivals with one number of robots.
#[derive(Clone, Debug)]
struct Mode {
    robots: u32,
    bmap: Bmap,
    /// `D_0 = pace (jump - I)`.
    pace: f64,
    jump: Matrix,
}

/// A number of robots the filter knows nothing about.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the model has no arrivals for {robots} robots; use a number it describes")]
pub struct UnknownRobots {
    /// The number.
    pub robots: u32,
}

impl Mode {
    fn new(robots: u32, bmap: &Bmap) -> Self {
        let silent = &bmap.matrices()[0];
        let pace = (0..silent.rows()).map(|nu| -silent[(nu, nu)]).fold(0.0, f64::max);
        let mut jump = Matrix::identity(silent.rows());
        jump.add(1.0 / pace, silent);
        Self { robots, bmap: bmap.clone(), pace, jump }
    }
}

impl BeliefFilter {
    /// Before anything was seen, with so many robots active for a long time.
    ///
    /// # Errors
    /// If the model has no arrivals for that number.
    pub fn new(model: &Model, robots: u32) -> Result<Self, UnknownRobots> {
        let modes: Vec<Mode> = model.arrivals().iter().map(|(robots, bmap)| Mode::new(*robots, bmap)).collect();
        let active = modes.iter().position(|mode| mode.robots == robots).ok_or(UnknownRobots { robots })?;
        let probabilities = modes[active].bmap.phase_law();
        Ok(Self { modes, active, probabilities })
    }

    /// A time `dt` has passed with so many robots active, and nothing was delivered.
    ///
    /// # Errors
    /// If the model has no arrivals for that number.
    pub fn update(&mut self, dt: f64, robots: u32) -> Result<(), UnknownRobots> {
        let known = self.modes.iter().position(|mode| mode.robots == robots);
        self.active = known.ok_or(UnknownRobots { robots })?;
        // In pieces in which no probability vanishes.
        let pieces = (dt * self.modes[self.active].pace / 100.0).ceil().max(1.0);
        for _ in 0..pieces as u64 {
            let Mode { pace, jump, .. } = &self.modes[self.active];
            self.probabilities = exponential_row(&self.probabilities, jump, dt * pace / pieces);
            self.normalise();
        }
        Ok(())
    }

    /// A batch was delivered, all of it counted, whether or not it found a place. One that the model holds impossible sends the
    /// belief back to the long-run law.
    pub fn observe(&mut self, batch: usize) {
        let bmap = &self.modes[self.active].bmap;
        self.probabilities = match bmap.matrices().get(batch) {
            Some(d) if batch > 0 => d.after(&self.probabilities),
            _ => vec![0.0; self.probabilities.len()],
        };
        self.normalise();
    }

    /// The probability of each phase.
    #[must_use]
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    fn normalise(&mut self) {
        let sum: f64 = self.probabilities.iter().sum();
        if sum > 0.0 {
            self.probabilities.iter_mut().for_each(|p| *p /= sum);
        } else {
            self.probabilities = self.modes[self.active].bmap.phase_law();
        }
    }
}

/// A policy on the number of pages and the belief about the arrival phase. It should be asked at every event and, as the belief
/// drifts while nothing happens, every now and then.
///
/// With two arrival phases it is the best one, to the width of the points on which beliefs are compared and but for the service
/// phase, over which it averages. With more phases, or levels too large, it is the mode that is best on average over what is
/// hidden, as if everything would be seen from then on (known as QMDP): what finding out is worth is left out.
#[derive(Clone, Debug)]
pub struct BeliefPolicy {
    modes: Vec<u32>,
    /// By pages, mode and arrival phase, or point of the belief: the drift of cost and values.
    drifts: Vec<Vec<Vec<f64>>>,
    seen: Seen,
}

/// What the phases of the process that was solved stand for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Seen {
    /// Arrival phases.
    Phases,
    /// So many points of the belief.
    Points(usize),
}

/// Points on which beliefs are compared, at most,
const MOST_POINTS: usize = 51;

/// and at least.
const LEAST_POINTS: usize = 11;

/// Work of one policy evaluation, levels times the cube of their states, that limits the points.
const WORK: f64 = 1e7;

/// How many points a model allows.
fn points(model: &Model) -> usize {
    let phases = model.reduced_obsolescence().map_or(1, |law| law.order()) as f64;
    let inner = model.service().order() as f64 * phases.powi(model.most_pages() as i32 - 1);
    let states = (WORK / model.most_pages() as f64).cbrt().min(LARGEST_LEVEL as f64);
    ((states / inner) as usize).min(MOST_POINTS)
}

impl BeliefPolicy {
    /// From the best policy that sees the belief or, with more than two arrival phases, everything.
    ///
    /// # Errors
    /// If levels have too many states.
    pub fn new(model: &Model) -> Result<Self, DecisionError> {
        let points = points(model);
        let believed = if points >= LEAST_POINTS { believed(model, points) } else { None };
        match believed {
            Some(believed) => Self::solved(&believed, Seen::Points(points)),
            None => Self::solved(model, Seen::Phases),
        }
    }

    fn solved(model: &Model, seen: Seen) -> Result<Self, DecisionError> {
        let process = Process::new(model)?;
        let best =
            cheapest(&process).and_then(|(choices, averages)| Self::following(&process, &choices, &averages, seen));
        best.ok_or(DecisionError::NothingIndexed)
    }

    fn following(process: &Process<'_>, choices: &Choices, averages: &Averages, seen: Seen) -> Option<Self> {
        let prices = prices_near(process, averages);
        let values = relative_values(process, &prices, choices, process.balance(choices))?;
        let laws = laws(process, choices);
        let modes = 0..process.modes().len();
        let level = |l: usize| modes.clone().map(|mode| drifts(process, &prices, &values, &laws[l], l, mode)).collect();
        Some(Self { drifts: (0..=process.top()).map(level).collect(), modes: process.modes().to_vec(), seen })
    }

    /// Active robots with so many pages in the system and such probabilities of the arrival phases.
    #[must_use]
    pub fn robots(&self, pages: usize, probabilities: &[f64]) -> u32 {
        let level = &self.drifts[pages.min(self.drifts.len() - 1)];
        let drift = |mode: usize| match self.seen {
            Seen::Phases => dot(&level[mode], probabilities),
            Seen::Points(points) => {
                let (below, share) = place(probabilities[0], points);
                (1.0 - share) * level[mode][below] + share * level[mode][below + 1]
            }
        };
        let best = (0..level.len()).min_by(|a, b| drift(*a).total_cmp(&drift(*b)));
        self.modes[best.unwrap_or(0)]
    }
}

/// The model in which the belief about two arrival phases is seen.
fn believed(model: &Model, points: usize) -> Option<Model> {
    let process = |(robots, bmap): &(u32, Bmap)| Some((*robots, belief_process(bmap, points).ok()?));
    let two = model.arrivals().iter().all(|(_, bmap)| bmap.phases() == 2);
    let arrivals = two.then(|| model.arrivals().iter().map(process).collect::<Option<Vec<_>>>())??;
    let (service, obsolescence) = (model.service().clone(), model.obsolescence().cloned());
    let seen = Model::new(model.buffer(), service, obsolescence, arrivals, *model.costs()).ok()?;
    Some(seen.with_admission(model.admission()))
}

/// The prices whose average changes as the cost does near these averages.
fn prices_near(process: &Process<'_>, averages: &Averages) -> [f64; COUNTS] {
    let costs = process.model().costs();
    prices(costs, costs.sojourn / averages.served, averages.sojourn_served())
}

/// Rounds in which the ratio of the cost is made linear anew; two or three are enough.
const ROUNDS: usize = 10;

/// The cheapest policy met by minimising with the prices of the one before, from always the same number of robots.
fn cheapest(process: &Process<'_>) -> Option<(Choices, Averages)> {
    let (costs, all) = (process.model().costs(), Allowed::everything(process));
    let fixed = (0..process.modes().len()).filter_map(|mode| {
        let choices = process.always(mode);
        evaluate(process, &choices).map(|averages| (choices, averages))
    });
    let mut best = fixed.min_by(|a, b| a.1.cost(costs).total_cmp(&b.1.cost(costs)))?;
    for _ in 0..ROUNDS {
        let choices = minimise(process, &prices_near(process, &best.1), &all, &best.0).choices;
        match evaluate(process, &choices) {
            Some(averages) if averages.cost(costs) < best.1.cost(costs) * (1.0 - 1e-9) => best = (choices, averages),
            _ => break,
        }
    }
    Some(best)
}

/// The law of the states within every level.
fn laws(process: &Process<'_>, choices: &Choices) -> Vec<Vec<f64>> {
    let mut below: Vec<Ascent> = Vec::new();
    for (l, choice) in choices.iter().enumerate() {
        below.push(level_ascent(process, l, choice, below.last()));
    }
    let mut above = vec![Table::empty(); choices.len()];
    let mut laws = vec![Vec::new(); choices.len()];
    for l in (0..choices.len()).rev() {
        let lower = l.checked_sub(1).map(|under| &below[under]);
        laws[l] = level_law(process, l, &choices[l], lower, &above[l + 1..]);
        if l > 0 {
            above[l] = level_descent(process, l, &choices[l], &above[l + 1..]);
        }
    }
    laws
}

/// The drift in a mode by arrival phase, averaged over what else is in the state.
fn drifts(
    process: &Process<'_>,
    prices: &[f64; COUNTS],
    values: &[Vec<f64>],
    law: &[f64],
    l: usize,
    mode: usize,
) -> Vec<f64> {
    let inner = process.states(l) / process.states(0);
    let of = |nu: usize| {
        let states = nu * inner..(nu + 1) * inner;
        let mass: f64 = law[states.clone()].iter().sum();
        // A phase that never occurs with so many pages counts all states alike.
        let share = |state: usize| if mass > 0.0 { law[state] / mass } else { 1.0 / inner as f64 };
        states.map(|state| share(state) * drift(process, prices, values, (l, state), mode).0).sum()
    };
    (0..process.states(0)).map(of).collect()
}
