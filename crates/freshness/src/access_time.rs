//! Laws of the access time `X`.
//!
//! All that the theory asks of a law is its mean, its Laplace transform `h(mu) = E exp(-mu X)` and, for stability, the two
//! numbers [`AccessTime::decay`] `b = -ln h(mu)` and [`AccessTime::deficit`] `mu E[X] - b >= 0` (zero only when `X` is
//! constant), each without cancellation for `mu` from 1e-15 to 1e15 (law F-1).

mod empirical;
mod lognormal;
mod phase_type;
mod transform;

use rand::Rng;
use rand_distr::Distribution;
use thiserror::Error;

pub use empirical::Empirical;
pub use lognormal::LogNormal;
pub use phase_type::PhaseType;
pub use transform::Transform;

use crate::pages::{LEAST, MOST};
use crate::special::x_minus_ln1p;

/// The law of the time an access takes.
#[derive(Clone, Debug, PartialEq)]
pub enum AccessTime {
    /// Always the same.
    Constant {
        /// The time.
        mean: f64,
    },
    /// Gamma, with Erlang as the case of a whole `shape` and the exponential law as that of shape one.
    Gamma {
        /// Shape `k`; the squared coefficient of variation is `1/k`.
        shape: f64,
        /// Mean.
        mean: f64,
    },
    /// Time to absorption of a Markov chain; hyper-exponential laws among them.
    PhaseType(PhaseType),
    /// Logarithm normally distributed.
    LogNormal(LogNormal),
    /// As measured: each value of a sample equally likely.
    Empirical(Empirical),
}

/// What is wrong with the parameters of a law.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum LawError {
    /// A parameter must be positive, and not beyond all measure.
    #[error("{name} must be a number from 1e-60 to 1e60, got {value}")]
    NotPositive {
        /// Which parameter.
        name: &'static str,
        /// Its value.
        value: f64,
    },
    /// With a smaller shape nearly all times would be zero.
    #[error("shape must be a number from 0.001 to 1e60, got {value}")]
    Shape {
        /// The shape.
        value: f64,
    },
    /// The logarithm must not vary too much.
    #[error("sigma must be a number from 1e-60 to 10, got {value}")]
    Sigma {
        /// The standard deviation of the logarithm.
        value: f64,
    },
    /// Probabilities must be non-negative and sum to one.
    #[error("{name} must be probabilities that sum to 1, but sum to {sum}")]
    NotProbabilities {
        /// Which parameter.
        name: &'static str,
        /// Their sum.
        sum: f64,
    },
    /// Lists that belong together differ in length.
    #[error("{name}: expected {expected} values, got {got}")]
    Length {
        /// Which parameter.
        name: &'static str,
        /// The length it should have.
        expected: usize,
        /// The length it has.
        got: usize,
    },
    /// A matrix is not the generator of an absorbing chain.
    #[error("generator row {row}: {problem}")]
    Generator {
        /// Row, from 0.
        row: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A sample has no values, a value that is negative or not finite, or only zeros.
    #[error("sample: {0}")]
    Sample(String),
}

/// The least shape of a gamma law.
const LEAST_SHAPE: f64 = 1e-3;

fn positive(name: &'static str, value: f64) -> Result<f64, LawError> {
    if (LEAST..=MOST).contains(&value) { Ok(value) } else { Err(LawError::NotPositive { name, value }) }
}

impl AccessTime {
    /// Every access takes `mean`.
    ///
    /// # Errors
    /// If `mean` is not from 1e-60 to 1e60.
    pub fn constant(mean: f64) -> Result<Self, LawError> {
        Ok(Self::Constant { mean: positive("mean", mean)? })
    }

    /// Exponential law with the given mean.
    ///
    /// # Errors
    /// If `mean` is not from 1e-60 to 1e60.
    pub fn exponential(mean: f64) -> Result<Self, LawError> {
        Self::gamma(1.0, mean)
    }

    /// Gamma law with the given shape and mean; Erlang if `shape` is whole.
    ///
    /// # Errors
    /// If the shape is below 0.001 or a parameter is beyond 1e60.
    pub fn gamma(shape: f64, mean: f64) -> Result<Self, LawError> {
        if !(LEAST_SHAPE..=MOST).contains(&shape) {
            return Err(LawError::Shape { value: shape });
        }
        Ok(Self::Gamma { shape, mean: positive("mean", mean)? })
    }

    /// With probability `probabilities[k]` exponential with mean `means[k]`.
    ///
    /// # Errors
    /// If the probabilities do not sum to one or a mean is not from 1e-60 to 1e60.
    pub fn hyper_exponential(probabilities: &[f64], means: &[f64]) -> Result<Self, LawError> {
        Ok(Self::PhaseType(PhaseType::hyper_exponential(probabilities, means)?))
    }

    /// Phase-type law with initial probabilities `start` and sub-generator `generator` (row by row).
    ///
    /// # Errors
    /// If `start` is not a probability vector or `generator` not the generator of a chain that ends.
    pub fn phase_type(start: &[f64], generator: &[f64]) -> Result<Self, LawError> {
        Ok(Self::PhaseType(PhaseType::new(start, generator)?))
    }

    /// Log-normal law: `median * exp(sigma Z)` with `Z` standard normal.
    ///
    /// # Errors
    /// If a parameter is not from 1e-60 to 1e60, or `sigma` exceeds 10 (the mean would exceed the median 5e21 times).
    pub fn lognormal(median: f64, sigma: f64) -> Result<Self, LawError> {
        Ok(Self::LogNormal(LogNormal::new(median, sigma)?))
    }

    /// The law of a sample of measured times.
    ///
    /// # Errors
    /// If the sample is empty, all zero, or has a value that is negative or not finite.
    pub fn empirical(sample: &[f64]) -> Result<Self, LawError> {
        Ok(Self::Empirical(Empirical::new(sample)?))
    }

    /// `E[X]`.
    #[must_use]
    pub fn mean(&self) -> f64 {
        match self {
            Self::Constant { mean } | Self::Gamma { mean, .. } => *mean,
            Self::PhaseType(law) => law.mean(),
            Self::LogNormal(law) => law.mean(),
            Self::Empirical(law) => law.mean(),
        }
    }

    /// The Laplace transform `h(mu) = E exp(-mu X)`.
    #[must_use]
    pub fn transform(&self, mu: f64) -> f64 {
        (-self.decay(mu)).exp()
    }

    /// Law F-1: `b = -ln h(mu)`, the decay of a copy's chance to be current per access.
    #[must_use]
    pub fn decay(&self, mu: f64) -> f64 {
        match self {
            Self::Constant { mean } => mu * mean,
            Self::Gamma { shape, mean } => shape * (mu * mean / shape).ln_1p(),
            Self::PhaseType(law) => law.decay(mu),
            Self::LogNormal(law) => law.decay(mu),
            Self::Empirical(law) => law.decay(mu),
        }
    }

    /// Law F-1: `mu E[X] - b >= 0`, what the variance of `X` costs; zero if `X` is constant.
    #[must_use]
    pub fn deficit(&self, mu: f64) -> f64 {
        match self {
            Self::Constant { .. } => 0.0,
            Self::Gamma { shape, mean } => shape * x_minus_ln1p(mu * mean / shape),
            Self::PhaseType(law) => law.deficit(mu),
            Self::LogNormal(law) => law.deficit(mu),
            Self::Empirical(law) => law.deficit(mu),
        }
    }

    /// [`Self::decay`] and [`Self::deficit`], at the price of one where that can be.
    #[must_use]
    pub fn decay_and_deficit(&self, mu: f64) -> (f64, f64) {
        if let Self::Gamma { shape, mean } = self {
            let x = mu * mean / shape;
            let logarithm = x.ln_1p();
            let rest = if x > 0.1 { x - logarithm } else { x_minus_ln1p(x) };
            return (shape * logarithm, shape * rest);
        }
        (self.decay(mu), self.deficit(mu))
    }

    /// The law of `factor * X`.
    ///
    /// With `n` robots side by side, accesses complete as with one robot whose access time is `X/n`: exactly so for the
    /// exponential law, and with the same mean and the same long-run variance for every other.
    ///
    /// # Errors
    /// If `factor` is not from 1e-60 to 1e60.
    pub fn scaled(&self, factor: f64) -> Result<Self, LawError> {
        positive("factor", factor)?;
        Ok(match self {
            Self::Constant { mean } => Self::Constant { mean: mean * factor },
            Self::Gamma { shape, mean } => Self::Gamma { shape: *shape, mean: mean * factor },
            Self::PhaseType(law) => Self::PhaseType(law.scaled(factor)),
            Self::LogNormal(law) => Self::LogNormal(law.scaled(factor)),
            Self::Empirical(law) => Self::Empirical(law.scaled(factor)),
        })
    }

    /// A random access time.
    pub fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        match self {
            Self::Constant { mean } => *mean,
            Self::Gamma { shape, mean } => {
                // The parameters were checked when the law was made; `Gamma::new` can only refuse an overflow.
                rand_distr::Gamma::new(*shape, mean / shape).map_or(*mean, |law| law.sample(rng))
            }
            Self::PhaseType(law) => law.sample(rng),
            Self::LogNormal(law) => law.sample(rng),
            Self::Empirical(law) => law.sample(rng),
        }
    }
}

/// What a law computes for one `mu` before its logarithm is taken, so that neither end of the range cancels.
struct Parts {
    /// `1 - h(mu)`.
    missed: f64,
    /// `mu E[X] - (1 - h(mu)) >= 0`.
    excess: f64,
}

impl Parts {
    /// `-ln h = -ln(1 - missed)`; use only while `h` is not small.
    fn decay(&self) -> f64 {
        -(-self.missed).ln_1p()
    }

    /// `mu E[X] + ln h = excess - (-ln(1 - missed) - missed)`.
    fn deficit(&self) -> f64 {
        (self.excess - x_minus_ln1p(-self.missed)).max(0.0)
    }
}

#[cfg(test)]
mod tests;
