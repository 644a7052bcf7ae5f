//! The law of a measured sample.

use std::sync::Arc;

use rand::{Rng, RngExt};

use super::{LawError, Parts};
use crate::special::phi;

/// Each value of a sample equally likely.
#[derive(Clone, Debug, PartialEq)]
pub struct Empirical {
    sample: Arc<[f64]>,
    mean: f64,
    least: f64,
}

impl Empirical {
    /// From measured times; zeros are allowed if not all are zero.
    ///
    /// # Errors
    /// If the sample is empty, all zero, or has a value that is negative or not finite.
    pub fn new(sample: &[f64]) -> Result<Self, LawError> {
        if let Some(position) = sample.iter().position(|x| !(*x >= 0.0 && x.is_finite())) {
            let (number, value) = (position + 1, sample[position]);
            return Err(LawError::Sample(format!("value {number} is {value}, not a finite time of at least 0")));
        }
        // Divide before adding: the sum of a large sample of large values may overflow.
        let mean: f64 = sample.iter().map(|x| x / sample.len() as f64).sum();
        if sample.is_empty() || mean == 0.0 {
            let what = if sample.is_empty() { "there are no values" } else { "all values are 0" };
            return Err(LawError::Sample(what.to_string()));
        }
        let least = sample.iter().copied().fold(f64::INFINITY, f64::min);
        Ok(Self { sample: sample.into(), mean, least })
    }

    pub(super) fn mean(&self) -> f64 {
        self.mean
    }

    pub(super) fn scaled(&self, factor: f64) -> Self {
        Self {
            sample: self.sample.iter().map(|x| x * factor).collect(),
            mean: self.mean * factor,
            least: self.least * factor,
        }
    }

    pub(super) fn decay(&self, mu: f64) -> f64 {
        let parts = self.parts(mu);
        if parts.missed < 0.5 { parts.decay() } else { self.decay_of_the_least(mu) }
    }

    pub(super) fn deficit(&self, mu: f64) -> f64 {
        let parts = self.parts(mu);
        if parts.missed < 0.5 { parts.deficit() } else { (mu * self.mean - self.decay_of_the_least(mu)).max(0.0) }
    }

    fn average(&self, f: impl Fn(f64) -> f64) -> f64 {
        self.sample.iter().map(|&x| f(x)).sum::<f64>() / self.sample.len() as f64
    }

    fn parts(&self, mu: f64) -> Parts {
        Parts { missed: self.average(|x| -(-mu * x).exp_m1()), excess: self.average(|x| phi(mu * x)) }
    }

    /// `-ln h` with the least value taken out, so that nothing underflows however large `mu` is.
    fn decay_of_the_least(&self, mu: f64) -> f64 {
        mu * self.least - self.average(|x| (-mu * (x - self.least)).exp()).ln()
    }

    pub(super) fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        self.sample[rng.random_range(0..self.sample.len())]
    }
}
