//! The estimator with two numbers per page.

use thiserror::Error;

use super::incomplete_gamma::{Tail, quantile};
use crate::special::phi;

/// What a visit found, compared with the visit before.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Observation {
    /// The page is as it was.
    Unchanged,
    /// The page has changed at least once, nobody knows when.
    Changed,
    /// The page has changed, and the server is believed about when it did so last.
    ChangedAt {
        /// Time of the visit less Last-Modified. Below zero or beyond the visit before it is moved to that end; if it
        /// is not a number nothing is known of it.
        age: f64,
    },
    /// The same of a date that is not exact, as Last-Modified has whole seconds only: the age of the last change is between
    /// these. What lies outside the time since the visit before is moved to its ends; nothing is known if one is not a number.
    ChangedBetween {
        /// For so long it has not changed.
        least: f64,
        /// And in the time from this age to that it has.
        most: f64,
    },
}

impl Observation {
    /// With ages that lie within the time since the visit before, or the plain change if they say nothing.
    pub(super) fn within(self, tau: f64) -> Self {
        match self {
            Self::ChangedAt { age } if !age.is_nan() => Self::ChangedAt { age: age.clamp(0.0, tau) },
            Self::ChangedBetween { least, most } if least <= most => {
                Self::ChangedBetween { least: least.clamp(0.0, tau), most: most.clamp(0.0, tau) }
            }
            Self::ChangedAt { .. } | Self::ChangedBetween { .. } => Self::Changed,
            plain => plain,
        }
    }
}

/// What one visit is worth: as many `changes` seen in as much time of `exposure`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Worth {
    pub(super) changes: f64,
    pub(super) exposure: f64,
}

impl Worth {
    /// Worth of a visit `tau` after the one before, if pages like this change at rate `m` (laws F-21 and F-23).
    ///
    /// The likelihood of the visit, as a function of the rate, is replaced by the one of `changes` in `exposure`,
    /// namely `mu^changes e^(-mu exposure)`, that has the same first and second derivative of its logarithm at
    /// `mu = m`.
    pub(super) fn of(observation: Observation, tau: f64, m: f64) -> Self {
        if !(0.0..f64::INFINITY).contains(&tau) {
            return Self::default();
        }
        match observation.within(tau) {
            Observation::Unchanged => Self { changes: 0.0, exposure: tau },
            Observation::Changed => Self::of_change(tau, m),
            Observation::ChangedAt { age } => Self { changes: 1.0, exposure: age },
            Observation::ChangedBetween { least, most } => {
                let Self { changes, exposure } = Self::of_change(most - least, m);
                Self { changes, exposure: least + exposure }
            }
        }
    }

    /// With `u = m tau` and likelihood `1 - e^-u`: `changes = (u/2)^2 / sinh^2(u/2)`,
    /// `exposure = tau changes phi(u)/u^2`.
    fn of_change(tau: f64, m: f64) -> Self {
        let u = m * tau;
        if u < 1e-6 {
            return Self { changes: 1.0, exposure: tau * (0.5 - u / 6.0) };
        }
        if u > 1400.0 || u.is_nan() {
            return Self::default();
        }
        let half = 0.5 * u;
        let changes = (half / half.sinh()).powi(2);
        Self { changes, exposure: tau * changes * (phi(u) / u) / u }
    }
}

/// Law F-21: what is known of a page's change rate, as a gamma law with density proportional to
/// `mu^(shape-1) e^(-rate mu)`.
///
/// It starts as [`Prior::estimate`](super::Prior::estimate) or as any gamma law that holds what is believed beforehand.
/// A visit `tau` after the one before moves it, with `m = shape/rate`, `u = m tau` and `phi(u) = u - 1 + e^-u`:
///
/// | found | likelihood | `shape +=` | `rate +=` |
/// |---|---|---|---|
/// | unchanged | `e^(-mu tau)` | 0 | `tau` |
/// | changed | `1 - e^(-mu tau)` | `A = (u/2)^2/sinh^2(u/2)` | `tau A phi(u)/u^2` |
/// | changed, last at age `a` (F-23) | `mu e^(-mu a)` | 1 | `a` |
/// | changed, last at an age from `a` to `b` | `e^(-mu a) (1 - e^(-mu (b-a)))` | that of changed in `b - a` | that plus `a` |
///
/// The first and third line are Bayes' rule itself. In the second the likelihood is matched to second order at `m`: for
/// frequent visits (`u -> 0`) a change counts as one in `tau/2`; when changes are certain anyway (`u -> oo`) it counts
/// for nothing. Summed over the visits, `shape/rate = m` says `sum_changed tau/(e^(m tau) - 1) = sum_unchanged tau`:
/// the fixed point is the maximum-likelihood estimate (F-22).
///
/// Law F-23: seen backwards from the visit, the time to the last change is exponential, so its age `a` is worth one
/// change in an exposure of `a`; what happened between the visit before and that change cannot be known and adds
/// nothing. (Filling it in by its expectation, `m (tau - a)` changes in `tau - a`, has the same fixed point but
/// pretends to know more. The same holds for `u/(1 - e^-u)` changes in `tau` on the second line.) An unchanged page
/// whose Last-Modified confirms it tells nothing beyond "unchanged". On a first visit Last-Modified at age `a` is worth
/// the same: update with `tau = a`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateEstimate {
    shape: f64,
    rate: f64,
}

/// What is wrong with the parameters of an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum EstimateError {
    /// Both parameters must be positive and finite.
    #[error("{name} of a gamma law must be a positive finite number, got {value}")]
    NotPositive {
        /// Which parameter.
        name: &'static str,
        /// Its value.
        value: f64,
    },
}

impl RateEstimate {
    /// The gamma law with this shape and rate; its mean is `shape/rate`.
    ///
    /// # Errors
    /// Names the parameter that is not a positive finite number.
    pub fn new(shape: f64, rate: f64) -> Result<Self, EstimateError> {
        for (name, value) in [("shape", shape), ("rate", rate)] {
            if !(value > 0.0 && value.is_finite()) {
                return Err(EstimateError::NotPositive { name, value });
            }
        }
        Ok(Self { shape, rate })
    }

    /// For parameters known to be valid up to overflow.
    pub(super) fn clamped(shape: f64, rate: f64) -> Self {
        let clamp = |v: f64| v.clamp(f64::MIN_POSITIVE, f64::MAX);
        Self { shape: clamp(shape), rate: clamp(rate) }
    }

    /// Shape of the gamma law: the number of changes it is worth.
    #[must_use]
    pub fn shape(&self) -> f64 {
        self.shape
    }

    /// Rate of the gamma law: the time of watching it is worth.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// `m = shape/rate`, the estimate of the change rate.
    #[must_use]
    pub fn mean(&self) -> f64 {
        (self.shape / self.rate).min(f64::MAX)
    }

    /// `shape/rate^2`.
    #[must_use]
    pub fn variance(&self) -> f64 {
        self.mean() / self.rate
    }

    /// The interval that holds the rate with probability `level`, equal tails outside.
    #[must_use]
    pub fn interval(&self, level: f64) -> (f64, f64) {
        let tail = 0.5 * (1.0 - level.clamp(0.0, 1.0));
        let at = |side| quantile(self.shape, tail, side) / self.rate;
        (at(Tail::Lower), at(Tail::Upper))
    }

    /// Takes in a visit `tau` after the one before. A `tau` that is negative, infinite or not a number teaches nothing.
    pub fn update(&mut self, tau: f64, observation: Observation) {
        self.add(Worth::of(observation, tau, self.mean()));
    }

    pub(super) fn add(&mut self, worth: Worth) {
        *self = Self::clamped(self.shape + worth.changes, self.rate + worth.exposure);
    }
}

#[cfg(test)]
mod tests;
