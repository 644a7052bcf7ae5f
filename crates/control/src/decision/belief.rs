//! Law C-22: where the hidden arrival phase probably is, and a policy that uses it.

use thiserror::Error;

use super::DecisionError;
use super::averages::{Averages, COUNTS, prices};
use super::bound::Bounding;
use super::iteration::{Allowed, drift, relative_values};
use super::passage::{Ascent, Table, level_ascent, level_descent, level_law};
use super::process::{Choices, Process};
use crate::arrivals::Bmap;
use crate::matrix::{Matrix, dot};
use crate::model::Model;
use crate::phase_type::exponential_row;

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

/// A policy on the number of pages and the belief about the arrival phase: the mode that is best on average over what is hidden,
/// as if everything would be seen from then on (known as QMDP). It should be asked at every event and, as the belief drifts while
/// nothing happens, every now and then.
#[derive(Clone, Debug)]
pub struct BeliefPolicy {
    modes: Vec<u32>,
    /// By pages, mode and arrival phase: the drift of cost and values.
    drifts: Vec<Vec<Vec<f64>>>,
}

impl BeliefPolicy {
    /// From the best policy that sees everything.
    ///
    /// # Errors
    /// If levels have too many states.
    pub fn new(model: &Model) -> Result<Self, DecisionError> {
        let process = Process::new(model)?;
        let all = Allowed::everything(&process);
        let mut bounding = Bounding::new(&process, &all, &process.always(0), 1e-6);
        bounding.lower(f64::INFINITY, 100);
        let best = bounding.best.and_then(|(_, averages, choices)| Self::following(&process, &choices, &averages));
        best.ok_or(DecisionError::NothingIndexed)
    }

    fn following(process: &Process<'_>, choices: &Choices, averages: &Averages) -> Option<Self> {
        let costs = process.model().costs();
        // The prices whose average changes as the cost does near these averages.
        let prices = prices(costs, costs.sojourn / averages.served, averages.sojourn_served());
        let values = relative_values(process, &prices, choices, process.balance(choices))?;
        let laws = laws(process, choices);
        let modes = 0..process.modes().len();
        let level = |l: usize| modes.clone().map(|mode| drifts(process, &prices, &values, &laws[l], l, mode)).collect();
        Some(Self { drifts: (0..=process.top()).map(level).collect(), modes: process.modes().to_vec() })
    }

    /// Active robots with so many pages in the system and such probabilities of the arrival phases.
    #[must_use]
    pub fn robots(&self, pages: usize, probabilities: &[f64]) -> u32 {
        let level = &self.drifts[pages.min(self.drifts.len() - 1)];
        let best =
            (0..level.len()).min_by(|a, b| dot(&level[*a], probabilities).total_cmp(&dot(&level[*b], probabilities)));
        self.modes[best.unwrap_or(0)]
    }
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
