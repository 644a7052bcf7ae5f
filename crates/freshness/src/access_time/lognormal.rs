//! The log-normal law, by quadrature.
//!
//! The integrands are analytic and fall off doubly exponentially or like a Gaussian, so the trapezoidal rule on the whole
//! line converges geometrically in the number of nodes; the steps here leave an error below 1e-13.

use rand::{Rng, RngExt};

use super::{LawError, Parts, positive};
use crate::pages::LEAST;
use crate::special::phi;

/// `median * exp(sigma Z)`, `Z` standard normal.
#[derive(Clone, Debug, PartialEq)]
pub struct LogNormal {
    median: f64,
    sigma: f64,
}

/// How far out, in standard deviations, an integrand is followed: exp(-9.5^2/2) is 3e-20.
const REACH: f64 = 9.5;

impl LogNormal {
    /// From median and the standard deviation of the logarithm.
    ///
    /// # Errors
    /// If a parameter is not positive and finite, or `sigma` exceeds 10.
    pub fn new(median: f64, sigma: f64) -> Result<Self, LawError> {
        if !(LEAST..=10.0).contains(&sigma) {
            return Err(LawError::Sigma { value: sigma });
        }
        Ok(Self { median: positive("median", median)?, sigma })
    }

    pub(super) fn mean(&self) -> f64 {
        self.median * (0.5 * self.sigma * self.sigma).exp()
    }

    pub(super) fn scaled(&self, factor: f64) -> Self {
        Self { median: self.median * factor, sigma: self.sigma }
    }

    pub(super) fn decay(&self, mu: f64) -> f64 {
        if mu == 0.0 {
            return 0.0;
        }
        let parts = self.parts(mu);
        if parts.missed < 0.5 { parts.decay() } else { self.decay_about_the_peak(mu) }
    }

    pub(super) fn deficit(&self, mu: f64) -> f64 {
        if mu == 0.0 {
            return 0.0;
        }
        let parts = self.parts(mu);
        if parts.missed < 0.5 { parts.deficit() } else { mu * self.mean() - self.decay_about_the_peak(mu) }
    }

    /// `E f(mu X)` over all of the line that matters for an `f` that grows at most like its square.
    fn expectation(&self, mu: f64, f: impl Fn(f64) -> f64) -> f64 {
        // The mass of y^k f(z) sits about z = k sigma; the functions in use behave like y or y^2 for small y.
        let (low, high) = (-REACH, REACH + 2.0 * self.sigma);
        let step = (0.35 / self.sigma).min(0.125);
        let nodes = ((high - low) / step).ceil() as usize;
        let weight = step / (2.0 * std::f64::consts::PI).sqrt();
        (0..=nodes)
            .map(|node| {
                let z = low + node as f64 * step;
                f(mu * self.median * (self.sigma * z).exp()) * (-0.5 * z * z).exp() * weight
            })
            .sum()
    }

    fn parts(&self, mu: f64) -> Parts {
        Parts { missed: self.expectation(mu, |y| -(-y).exp_m1()), excess: self.expectation(mu, phi) }
    }

    /// `-ln h` for large `mu`: the integrand's logarithm `-y e^(sigma z) - z^2/2` has its peak at `z0 < 0`, is followed
    /// around it, and the peak's height is taken out.
    fn decay_about_the_peak(&self, mu: f64) -> f64 {
        let s = self.sigma;
        let ln_y = (mu * self.median).ln();
        let depth = |z: f64| (ln_y + s * z).exp() + 0.5 * z * z;
        let z0 = self.peak(ln_y);
        let width = (1.0 + s * s * (ln_y + s * z0).exp()).sqrt().recip();
        let step = 0.125 * width.min(1.0 / s);
        let least = depth(z0);
        let sum = |direction: f64| {
            let mut total = 0.0;
            for node in 1.. {
                let term = (least - depth(z0 + direction * f64::from(node) * step)).exp();
                total += term;
                if term < 1e-19 {
                    break;
                }
            }
            total
        };
        least - ((1.0 + sum(1.0) + sum(-1.0)) * step / (2.0 * std::f64::consts::PI).sqrt()).ln()
    }

    /// The root of `s e^(ln_y + s z) + z = 0`, by Newton on its logarithm `ln s + ln_y + s z = ln(-z)`.
    fn peak(&self, ln_y: f64) -> f64 {
        let s = self.sigma;
        let constant = 2.0 * s.ln() + ln_y;
        // With v = -s z: v + ln v = constant, increasing in v.
        let mut v = if constant > 1.0 { constant - constant.ln() } else { constant.exp().min(1.0) };
        for _ in 0..50 {
            let step = (v + v.ln() - constant) * v / (1.0 + v);
            v = (v - step).max(0.1 * v);
            if step.abs() < 1e-14 * v {
                break;
            }
        }
        -v / s
    }

    pub(super) fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        let z: f64 = rng.sample(rand_distr::StandardNormal);
        self.median * (self.sigma * z).exp()
    }
}
