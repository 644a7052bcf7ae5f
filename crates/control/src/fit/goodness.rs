//! How well a law fits a sample.

use crate::matrix::{Matrix, dot};
use crate::passing::Passing;
use crate::phase_type::PhaseType;

/// A law against a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goodness {
    /// The logarithm of the density of the sample.
    pub log_likelihood: f64,
    /// The largest distance between the distribution functions; not known for arrival processes.
    pub kolmogorov_smirnov: Option<f64>,
    /// Weight of the sample: its size, if nothing was forgotten.
    pub sample: f64,
}

impl Goodness {
    /// Of `law` against ascending values with weights.
    ///
    /// The chain is carried from each value to the next, so the work is one pass.
    #[must_use]
    pub fn of(law: &PhaseType, points: &[(f64, f64)]) -> Self {
        let n = law.order();
        let pace = (0..n).map(|i| -law.rates()[(i, i)]).fold(0.0, f64::max);
        let mut passing = Passing::new(law.rates(), &Matrix::column_vector(law.exits()), pace);
        let sample: f64 = points.iter().map(|(_, weight)| weight).sum();
        let (mut row, mut at, mut below) = (law.start().to_vec(), 0.0, 0.0);
        let (mut log_likelihood, mut distance) = (0.0, 0.0f64);
        for &(x, weight) in points {
            row = passing.after(&row, x - at);
            row.truncate(n);
            at = x;
            log_likelihood += weight * dot(&row, law.exits()).ln();
            let distribution = 1.0 - row.iter().sum::<f64>();
            distance = distance.max((distribution - below / sample).abs());
            below += weight;
            distance = distance.max((distribution - below / sample).abs());
        }
        Self { log_likelihood, kolmogorov_smirnov: Some(distance), sample }
    }

    /// After all values were multiplied by `factor`.
    pub(super) fn scaled(self, factor: f64) -> Self {
        Self { log_likelihood: self.log_likelihood - self.sample * factor.ln(), ..self }
    }
}
