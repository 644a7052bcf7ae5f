//! Phase-type laws: the time until a Markov chain with a few phases ends.

mod reduction;

use rand::{Rng, RngExt};
use thiserror::Error;

use crate::matrix::{Absorbing, Matrix, dot};
use crate::number::plain;
use crate::passing::Passing;

/// Times of more jumps than this are doubled from short ones,
const LONG: f64 = 1e3;

/// as long as there are no more states than this.
const MOST_DOUBLED: usize = 100;

/// A phase-type law with initial probabilities `start` and sub-generator `rates`; `(beta, S)` or `(gamma, Gamma)` in ADKNS.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseType {
    start: Vec<f64>,
    /// The sub-generator, diagonal included.
    rates: Matrix,
    /// `-S e`, the rate at which the chain ends from each phase.
    exits: Vec<f64>,
}

/// What is wrong with a phase-type law.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum PhaseTypeError {
    /// There are no phases.
    #[error("there are no phases; give at least one")]
    Empty,
    /// Matrix and start differ in size.
    #[error("start has {start} phases, but rates is {rows} x {columns}; they must agree")]
    Size {
        /// Length of `start`.
        start: usize,
        /// Rows of `rates`.
        rows: usize,
        /// Columns of `rates`.
        columns: usize,
    },
    /// The start is not a probability vector.
    #[error("start must be probabilities that sum to 1, but sums to {}", plain(.sum))]
    Start {
        /// Their sum.
        sum: f64,
    },
    /// An entry of the sub-generator is impossible.
    #[error("rates, row {row}, column {column}: {} {problem}", plain(.value))]
    Entry {
        /// Row, from 1.
        row: usize,
        /// Column, from 1.
        column: usize,
        /// The entry.
        value: f64,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A row of the sub-generator sums to more than zero.
    #[error("rates, row {row} sums to {}, which must not exceed 0; lower its diagonal entry by that much", plain(.sum))]
    RowSum {
        /// Row, from 1.
        row: usize,
        /// Its sum.
        sum: f64,
    },
    /// The chain need not end.
    #[error("phase {phase} can be reached and never left for good: the time would be infinite")]
    Absorbing {
        /// Phase, from 1.
        phase: usize,
    },
}

impl PhaseType {
    /// From initial probabilities and sub-generator.
    ///
    /// # Errors
    /// Says which entry or row is wrong, and how.
    pub fn new(start: &[f64], rates: &Matrix) -> Result<Self, PhaseTypeError> {
        let n = start.len();
        if n == 0 {
            return Err(PhaseTypeError::Empty);
        }
        if (rates.rows(), rates.columns()) != (n, n) {
            return Err(PhaseTypeError::Size { start: n, rows: rates.rows(), columns: rates.columns() });
        }
        let sum: f64 = start.iter().sum();
        if start.iter().any(|p| !(0.0..=1.0 + 1e-9).contains(p)) || (sum - 1.0).abs() > 1e-9 {
            return Err(PhaseTypeError::Start { sum });
        }
        let exits = (0..n).map(|row| exit_of(rates, row)).collect::<Result<Vec<f64>, _>>()?;
        let rounded = (sum - 1.0).abs() <= f64::EPSILON * n as f64;
        let start = start.iter().map(|p| if rounded { *p } else { p / sum }).collect();
        let law = Self { start, rates: rates.clone(), exits };
        match law.first_endless_phase() {
            Some(phase) => Err(PhaseTypeError::Absorbing { phase: phase + 1 }),
            None => Ok(law),
        }
    }

    /// Exponential with the given rate.
    ///
    /// # Errors
    /// If `rate` is not positive and finite.
    pub fn exponential(rate: f64) -> Result<Self, PhaseTypeError> {
        Self::new(&[1.0], &Matrix::from_fn(1, 1, |_, _| -rate))
    }

    /// The sum of `phases` exponential times of the given rate each.
    ///
    /// # Errors
    /// If `phases` is zero or `rate` is not positive and finite.
    pub fn erlang(phases: usize, rate: f64) -> Result<Self, PhaseTypeError> {
        Self::coxian(&vec![rate; phases], &vec![1.0; phases.saturating_sub(1)])
    }

    /// With probability `probabilities[k]` exponential of rate `rates[k]`.
    ///
    /// # Errors
    /// If the probabilities do not sum to one or a rate is not positive and finite.
    pub fn hyper_exponential(probabilities: &[f64], rates: &[f64]) -> Result<Self, PhaseTypeError> {
        let n = rates.len();
        Self::new(probabilities, &Matrix::from_fn(n, n, |i, j| if i == j { -rates[i] } else { 0.0 }))
    }

    /// Phases one after another with the given rates; after phase `k` the next follows with probability `onward[k]`.
    ///
    /// # Errors
    /// If a rate is not positive and finite or `onward` is not made of probabilities, one fewer than there are rates.
    pub fn coxian(rates: &[f64], onward: &[f64]) -> Result<Self, PhaseTypeError> {
        let n = rates.len();
        if onward.len() + 1 != n {
            return Err(PhaseTypeError::Size { start: n, rows: onward.len() + 1, columns: onward.len() + 1 });
        }
        let mut start = vec![0.0; n];
        if let Some(first) = start.first_mut() {
            *first = 1.0;
        }
        let entry = |i: usize, j: usize| match j.checked_sub(i) {
            Some(0) => -rates[i],
            Some(1) => rates[i] * onward[i],
            _ => 0.0,
        };
        Self::new(&start, &Matrix::from_fn(n, n, entry))
    }

    /// Number of phases.
    #[must_use]
    pub fn order(&self) -> usize {
        self.start.len()
    }

    /// Initial probabilities.
    #[must_use]
    pub fn start(&self) -> &[f64] {
        &self.start
    }

    /// The sub-generator.
    #[must_use]
    pub fn rates(&self) -> &Matrix {
        &self.rates
    }

    /// The rate at which the time ends in each phase.
    #[must_use]
    pub fn exits(&self) -> &[f64] {
        &self.exits
    }

    /// The law of `factor` times this time.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Self {
            start: self.start.clone(),
            rates: self.rates.scaled(1.0 / factor),
            exits: self.exits.iter().map(|exit| exit / factor).collect(),
        }
    }

    /// `u I - S` for `u >= 0`, factored.
    fn absorbing(&self, u: f64) -> Absorbing {
        let leaving: Vec<f64> = self.exits.iter().map(|exit| exit + u).collect();
        Absorbing::new(&self.rates, &leaving)
    }

    /// Law C-2: `E[X^k] = k! beta (-S)^-k e`.
    #[must_use]
    pub fn moment(&self, k: u32) -> f64 {
        let absorbing = self.absorbing(0.0);
        let mut vector = vec![1.0; self.order()];
        for factor in 1..=k {
            vector = absorbing.solve_column(&vector).iter().map(|v| f64::from(factor) * v).collect();
        }
        dot(&self.start, &vector)
    }

    /// The mean number of phases passed through.
    #[must_use]
    pub fn mean_jumps(&self) -> f64 {
        let times = self.absorbing(0.0).solve_row(&self.start);
        times.iter().enumerate().map(|(i, time)| -self.rates[(i, i)] * time).sum()
    }

    /// The mean.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.moment(1)
    }

    /// The squared coefficient of variation.
    #[must_use]
    pub fn squared_variation(&self) -> f64 {
        let mean = self.mean();
        self.moment(2) / (mean * mean) - 1.0
    }

    /// Law C-2: the Laplace transform `E exp(-u X) = beta (u I - S)^-1 S_0`, `u >= 0`.
    #[must_use]
    pub fn transform(&self, u: f64) -> f64 {
        dot(&self.start, &self.absorbing(u).solve_column(&self.exits))
    }

    /// Law C-2: `P(X > x) = beta exp(S x) e`, by uniformisation, for long times by doubling short ones: every term is positive.
    #[must_use]
    pub fn survival(&self, x: f64) -> f64 {
        self.after(x).iter().sum::<f64>().min(1.0)
    }

    /// `P(X <= x)`.
    #[must_use]
    pub fn distribution(&self, x: f64) -> f64 {
        1.0 - self.survival(x)
    }

    /// The density at `x`.
    #[must_use]
    pub fn density(&self, x: f64) -> f64 {
        if x < 0.0 { 0.0 } else { dot(&self.after(x), &self.exits) }
    }

    /// `beta exp(S x)`: where the chain is after `x`, if it has not ended.
    fn after(&self, x: f64) -> Vec<f64> {
        if x <= 0.0 {
            return self.start.clone();
        }
        let (n, pace) = (self.order(), self.pace());
        if pace * x > LONG && n <= MOST_DOUBLED {
            let mut after = self.passing(pace).after(&self.start, x);
            after.truncate(n);
            return after;
        }
        let jump = Matrix::from_fn(n, n, |i, j| self.rates[(i, j)] / pace + f64::from(u8::from(i == j)));
        exponential_row(&self.start, &jump, pace * x)
    }

    /// The rate of the phase that is left soonest.
    fn pace(&self) -> f64 {
        (0..self.order()).map(|i| -self.rates[(i, i)]).fold(0.0, f64::max)
    }

    /// The chain at a pace no slower than its own.
    fn passing(&self, pace: f64) -> Passing {
        Passing::new(&self.rates, &Matrix::column_vector(&self.exits), pace)
    }

    /// The `x` with `P(X <= x) = p`, to a relative 1e-12 where the density allows; infinite for `p >= 1`.
    #[must_use]
    pub fn quantile(&self, p: f64) -> f64 {
        if p <= 0.0 {
            return 0.0;
        }
        if p >= 1.0 {
            return f64::INFINITY;
        }
        let (mut low, mut high) = (0.0, self.mean());
        while self.survival(high) > 1.0 - p {
            low = high;
            high *= 2.0;
        }
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if high - low <= 1e-13 * high || middle <= low || middle >= high {
                break;
            }
            if self.survival(middle) > 1.0 - p {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }

    /// A random time.
    pub fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        let mut phase = self.begin(rng);
        let mut time = 0.0;
        loop {
            let (wait, next) = self.step(phase, rng);
            time += wait;
            match next {
                Some(next) => phase = next,
                None => return time,
            }
        }
    }

    /// A random first phase.
    pub fn begin<R: Rng + ?Sized>(&self, rng: &mut R) -> usize {
        choose(&self.start, rng.random::<f64>())
    }

    /// From a phase: how long until it is left, and the phase after it; `None` if the time ends.
    pub fn step<R: Rng + ?Sized>(&self, phase: usize, rng: &mut R) -> (f64, Option<usize>) {
        let pace = -self.rates[(phase, phase)];
        let wait: f64 = rng.sample(rand_distr::Exp1);
        let mark = rng.random::<f64>() * pace - self.exits[phase];
        if mark < 0.0 {
            return (wait / pace, None);
        }
        let row: Vec<f64> = self.rates.row(phase).iter().map(|rate| rate.max(0.0)).collect();
        (wait / pace, Some(choose(&row, mark)))
    }

    /// A phase that can be reached from the start but not left for good.
    fn first_endless_phase(&self) -> Option<usize> {
        let n = self.order();
        let moves = |i: usize, j: usize| i != j && self.rates[(i, j)] > 0.0;
        let reached = closure(n, |i| self.start[i] > 0.0, moves);
        let ends = closure(n, |i| self.exits[i] > 0.0, |i, j| moves(j, i));
        (0..n).find(|&i| reached[i] && !ends[i])
    }
}

/// All that can be reached from the chosen ones.
pub(crate) fn closure(n: usize, chosen: impl Fn(usize) -> bool, moves: impl Fn(usize, usize) -> bool) -> Vec<bool> {
    let mut reached: Vec<bool> = (0..n).map(chosen).collect();
    let mut open: Vec<usize> = (0..n).filter(|&i| reached[i]).collect();
    while let Some(i) = open.pop() {
        for (j, seen) in reached.iter_mut().enumerate().filter(|(j, _)| moves(i, *j)) {
            if !std::mem::replace(seen, true) {
                open.push(j);
            }
        }
    }
    reached
}

/// The first position at which the running sum exceeds `mark`; the last positive one if rounding lets none do.
pub(crate) fn choose(masses: &[f64], mut mark: f64) -> usize {
    for (position, &mass) in masses.iter().enumerate() {
        mark -= mass;
        if mark < 0.0 {
            return position;
        }
    }
    masses.iter().rposition(|&mass| mass > 0.0).unwrap_or(0)
}

/// `row exp(t (jump - I))` for a sub-stochastic `jump`, as a Poisson mixture of powers; the tail left out is below 1e-17.
pub(crate) fn exponential_row(row: &[f64], jump: &Matrix, t: f64) -> Vec<f64> {
    if t > LONG && row.len() <= MOST_DOUBLED {
        let ends: Vec<f64> = jump.row_sums().iter().map(|sum| (1.0 - sum).max(0.0)).collect();
        let mut after = Passing::new(jump, &Matrix::column_vector(&ends), 1.0).after(row, t);
        after.truncate(row.len());
        return after;
    }
    // In steps of at most 200 the Poisson weights neither underflow nor need logarithms.
    let steps = (t / 200.0).ceil().max(1.0);
    let mean = t / steps;
    let mut row = row.to_vec();
    for _ in 0..steps as u64 {
        let mut weight = (-mean).exp();
        let mut power = row.clone();
        let mut sum: Vec<f64> = power.iter().map(|p| weight * p).collect();
        let mut k = 0.0;
        while weight > 1e-18 || k < mean {
            k += 1.0;
            weight *= mean / k;
            power = jump.after(&power);
            sum.iter_mut().zip(&power).for_each(|(s, p)| *s += weight * p);
        }
        row = sum;
    }
    row
}

/// `-S e` in one row; differences at rounding level are zero.
fn exit_of(rates: &Matrix, row: usize) -> Result<f64, PhaseTypeError> {
    let entry = |column: usize, problem| {
        Err(PhaseTypeError::Entry { row: row + 1, column: column + 1, value: rates[(row, column)], problem })
    };
    let mut within = 0.0;
    for (column, &rate) in rates.row(row).iter().enumerate() {
        if !rate.is_finite() {
            return entry(column, "is not a finite number");
        }
        if column == row && rate >= 0.0 {
            return entry(column, "must be negative: it is minus the rate of leaving the phase");
        }
        if column != row && rate < 0.0 {
            return entry(column, "must not be negative off the diagonal");
        }
        within += if column == row { 0.0 } else { rate };
    }
    let out = -rates[(row, row)];
    if within > out * (1.0 + 1e-9) {
        return Err(PhaseTypeError::RowSum { row: row + 1, sum: within - out });
    }
    let rounding = f64::EPSILON * rates.columns() as f64;
    Ok(if out - within > rounding * out { out - within } else { 0.0 })
}

#[cfg(test)]
mod tests;
