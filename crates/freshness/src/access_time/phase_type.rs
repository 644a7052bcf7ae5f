//! Phase-type laws.

use rand::{Rng, RngExt};

use super::{LawError, Parts, positive};

/// Time to absorption of a Markov chain with a few transient phases.
#[derive(Clone, Debug, PartialEq)]
pub struct PhaseType {
    /// Probability of starting in each phase.
    start: Vec<f64>,
    /// Rates from phase to phase, row by row, with a zero diagonal.
    moves: Vec<f64>,
    /// Rate from each phase to absorption.
    exits: Vec<f64>,
    mean: f64,
}

impl PhaseType {
    /// From initial probabilities and a sub-generator (row by row).
    ///
    /// # Errors
    /// If `start` is not a probability vector, or `generator` has a negative rate, a row that sums to more than zero, or
    /// phases from which the chain never ends.
    pub fn new(start: &[f64], generator: &[f64]) -> Result<Self, LawError> {
        let n = start.len();
        probabilities("start", start)?;
        if generator.len() != n * n {
            return Err(LawError::Length { name: "generator", expected: n * n, got: generator.len() });
        }
        let mut moves = generator.to_vec();
        let mut exits = vec![0.0; n];
        for row in 0..n {
            let rates = &mut moves[row * n..(row + 1) * n];
            if rates.iter().any(|rate| !rate.is_finite()) {
                return Err(LawError::Generator { row, problem: "a rate is not finite" });
            }
            if rates.iter().enumerate().any(|(column, &rate)| column != row && rate < 0.0) {
                return Err(LawError::Generator { row, problem: "a rate off the diagonal is negative" });
            }
            let out = -rates[row];
            rates[row] = 0.0;
            let within: f64 = rates.iter().sum();
            if within > out * (1.0 + 1e-12) {
                return Err(LawError::Generator { row, problem: "the row sums to more than zero" });
            }
            // A difference at rounding level is a row that sums to zero.
            exits[row] = if out - within > 1e-14 * out { out - within } else { 0.0 };
        }
        let mut law = Self { start: start.to_vec(), moves, exits, mean: 0.0 };
        law.mean = law.start_times(&law.solve(0.0, &vec![1.0; n]));
        if !(law.mean > 0.0 && law.mean.is_finite()) {
            return Err(LawError::Generator { row: 0, problem: "the chain may never end" });
        }
        Ok(law)
    }

    /// A mixture of exponential laws.
    ///
    /// # Errors
    /// If the probabilities do not sum to one or a mean is not positive and finite.
    pub fn hyper_exponential(probabilities_of: &[f64], means: &[f64]) -> Result<Self, LawError> {
        let n = probabilities_of.len();
        if means.len() != n {
            return Err(LawError::Length { name: "means", expected: n, got: means.len() });
        }
        let mut generator = vec![0.0; n * n];
        for (phase, &mean) in means.iter().enumerate() {
            generator[phase * n + phase] = -1.0 / positive("mean", mean)?;
        }
        Self::new(probabilities_of, &generator)
    }

    pub(super) fn mean(&self) -> f64 {
        self.mean
    }

    pub(super) fn scaled(&self, factor: f64) -> Self {
        let slower = |rates: &[f64]| rates.iter().map(|rate| rate / factor).collect();
        Self {
            start: self.start.clone(),
            moves: slower(&self.moves),
            exits: slower(&self.exits),
            mean: self.mean * factor,
        }
    }

    pub(super) fn decay(&self, mu: f64) -> f64 {
        let parts = self.parts(mu);
        if parts.missed < 0.5 { parts.decay() } else { -self.start_times(&self.solve(mu, &self.exits)).ln() }
    }

    pub(super) fn deficit(&self, mu: f64) -> f64 {
        let parts = self.parts(mu);
        if parts.missed < 0.5 { parts.deficit() } else { mu * self.mean - self.decay(mu) }
    }

    /// `1 - h = mu a (mu I - T)^-1 1` and `mu E[X] - (1 - h) = mu^2 a (-T)^-1 (mu I - T)^-1 1`.
    fn parts(&self, mu: f64) -> Parts {
        let times = self.solve(mu, &vec![1.0; self.start.len()]);
        let excess = mu * mu * self.start_times(&self.solve(0.0, &times));
        Parts { missed: mu * self.start_times(&times), excess }
    }

    fn start_times(&self, vector: &[f64]) -> f64 {
        self.start.iter().zip(vector).map(|(a, v)| a * v).sum()
    }

    /// Solves `(mu I - T) y = right` for a non-negative right side by eliminating phases, without a single subtraction
    /// (Grassmann, Taksar and Heyman), so that every component keeps its relative accuracy.
    fn solve(&self, mu: f64, right: &[f64]) -> Vec<f64> {
        let n = right.len();
        if self.moves.iter().all(|rate| *rate == 0.0) {
            return right.iter().zip(&self.exits).map(|(y, exit)| y / (exit + mu)).collect();
        }
        let mut rates = self.moves.clone();
        let mut leaving: Vec<f64> = self.exits.iter().map(|exit| exit + mu).collect();
        let mut y = right.to_vec();
        for k in (0..n).rev() {
            let total: f64 = leaving[k] + rates[k * n..k * n + k].iter().sum::<f64>();
            y[k] /= total;
            leaving[k] /= total;
            for j in 0..k {
                rates[k * n + j] /= total;
            }
            for i in 0..k {
                let via = rates[i * n + k];
                y[i] += via * y[k];
                leaving[i] += via * leaving[k];
                for j in (0..k).filter(|&j| j != i) {
                    rates[i * n + j] += via * rates[k * n + j];
                }
            }
        }
        for k in 1..n {
            y[k] += (0..k).map(|j| rates[k * n + j] * y[j]).sum::<f64>();
        }
        y
    }

    pub(super) fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        let n = self.start.len();
        let mut phase = choose(&self.start, rng.random::<f64>());
        let mut time = 0.0;
        loop {
            let rates = &self.moves[phase * n..(phase + 1) * n];
            let total = self.exits[phase] + rates.iter().sum::<f64>();
            let wait: f64 = rng.sample(rand_distr::Exp1);
            time += wait / total;
            let mark = rng.random::<f64>() * total - self.exits[phase];
            if mark < 0.0 {
                return time;
            }
            phase = choose(rates, mark);
        }
    }
}

/// The first position at which the running sum exceeds `mark`; the last positive one if rounding lets none do.
fn choose(masses: &[f64], mut mark: f64) -> usize {
    for (position, &mass) in masses.iter().enumerate() {
        mark -= mass;
        if mark < 0.0 {
            return position;
        }
    }
    masses.iter().rposition(|&mass| mass > 0.0).unwrap_or(0)
}

fn probabilities(name: &'static str, values: &[f64]) -> Result<(), LawError> {
    let sum: f64 = values.iter().sum();
    if values.iter().all(|&p| p >= 0.0) && (sum - 1.0).abs() < 1e-9 {
        Ok(())
    } else {
        Err(LawError::NotProbabilities { name, sum })
    }
}
