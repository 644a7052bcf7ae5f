//! Law C-26: arrival processes of two phases.
//!
//! Three moments of the gaps and one number `g` fix such a process, for the correlations of its gaps are
//! `rho_k = g^k (c^2 - 1)/(2 c^2)`: a sample whose correlations decay slowly asks for a `g` near one (J. E. Diamond and
//! A. S. Alfa, 2000, the method of ADKNS section 7). For `c^2 > 1` and `g >= 0` the process is
//! `D_0 = -diag(mu)`, `D_1 = diag(mu) [(1-g) 1 (p, 1-p) + g I]`; otherwise it has one of the canonical forms of L. Bodrog,
//! A. Heindl, G. Horvath and M. Telek (2008).

use thiserror::Error;

use super::FitError;
use super::moments::{MomentError, OrderTwo};
use crate::arrivals::{Bmap, BmapError};
use crate::matrix::Matrix;

/// The slowest decay that is fitted: a memory of a thousand batches.
pub const SLOWEST: f64 = 0.999;

/// Why no process of two phases has the correlation.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[error("a correlation of {wanted} at lag 1 is out of reach: with these moments two phases allow {low} to {high}")]
pub struct CorrelationError {
    /// At lag one.
    pub wanted: f64,
    /// The least possible.
    pub low: f64,
    /// The most possible.
    pub high: f64,
}

/// `(c^2 - 1)/(2 c^2)`: what `g^k` is multiplied by in `rho_k`.
#[must_use]
pub fn amplitude(squared_variation: f64) -> f64 {
    (squared_variation - 1.0) / (2.0 * squared_variation)
}

fn squared_variation(moments: &[f64; 3]) -> f64 {
    moments[1] / (moments[0] * moments[0]) - 1.0
}

/// The range of `g`.
///
/// With `p` the probability of the slow phase and `a` the ratio of the slow rate to the fast one, `g` is at least
/// `-(1-p)/(p+a)` and, if `p + a < 1`, `-p/(1-p-a)`, so that the second canonical form has no negative rate; it is at most
/// one if `p + a <= 1` (that is, `c^2 >= 1`), else the square of `(sqrt a - sqrt(p(p+a-1)))/(p+a)`, where the first
/// canonical form turns complex. Exponential gaps (`p = 0`) of two phases are independent.
fn range(two: &OrderTwo) -> (f64, f64) {
    let (p, a) = (two.onward, two.fast / two.slow);
    if p == 0.0 {
        return (0.0, 0.0);
    }
    let rest = 1.0 - p - a;
    let low = -(1.0 - p) / (p + a);
    if rest > 0.0 { (low.max(-p / rest), 1.0) } else { (low, ((a.sqrt() - (-p * rest).sqrt()) / (p + a)).powi(2)) }
}

/// The range of `g`, the decay of correlation per batch, for three moments of the gaps. The upper end 1 is not reached.
///
/// # Errors
/// If no law of two phases has the moments.
pub fn decay_bounds(moments: &[f64; 3]) -> Result<(f64, f64), MomentError> {
    OrderTwo::new(moments).map(|two| range(&two))
}

/// The least and the largest correlation at lag one for three moments of the gaps.
///
/// # Errors
/// If no law of two phases has the moments.
pub fn correlation_bounds(moments: &[f64; 3]) -> Result<(f64, f64), MomentError> {
    let (low, high) = decay_bounds(moments)?;
    let ends = [low, high].map(|g| g * amplitude(squared_variation(moments)));
    Ok((ends[0].min(ends[1]), ends[0].max(ends[1])))
}

/// The process with the three moments and the decay `g`.
///
/// # Errors
/// If no law of two phases has the moments, or `g` is out of [`decay_bounds`].
pub fn from_decay(moments: &[f64; 3], g: f64) -> Result<Bmap, FitError> {
    let two = OrderTwo::new(moments)?;
    let (low, high) = range(&two);
    let inside = (low..=high).contains(&g) && g < 1.0;
    if !inside {
        let a = amplitude(squared_variation(moments));
        let (low, high) = correlation_bounds(moments)?;
        return Err(CorrelationError { wanted: g * a, low, high }.into());
    }
    let process = if two.onward == 0.0 {
        Bmap::poisson(1.0)?
    } else if g <= 0.0 {
        alternating(&two, g)?
    } else if two.is_hyper_exponential() {
        persistent(&two, g)?
    } else {
        sticky(&two, g)?
    };
    Ok(process.sped_up(1.0 / moments[0]))
}

/// The process with the three moments and the correlation `rho_1` of neighbouring gaps.
///
/// # Errors
/// If no law of two phases has the moments, or the correlation is out of [`correlation_bounds`].
pub fn from_correlation(moments: &[f64; 3], correlation: f64) -> Result<Bmap, FitError> {
    let (low, high) = correlation_bounds(moments)?;
    let a = amplitude(squared_variation(moments));
    if correlation == 0.0 {
        from_decay(moments, 0.0)
    } else if (low..=high).contains(&correlation) && a != 0.0 {
        from_decay(moments, correlation / a)
    } else {
        Err(CorrelationError { wanted: correlation, low, high }.into())
    }
}

/// `c^2 > 1`, `g > 0`: after each batch the phase stays with probability `g` or is drawn anew.
fn persistent(two: &OrderTwo, g: f64) -> Result<Bmap, BmapError> {
    let (p, mu) = (two.mixed(), [1.0 / two.slow, 1.0 / two.fast]);
    let anew = [p, 1.0 - p];
    let stay = |i: usize, j: usize| if i == j { g } else { 0.0 };
    let d0 = Matrix::from_fn(2, 2, |i, j| if i == j { -mu[i] } else { 0.0 });
    let d1 = Matrix::from_fn(2, 2, |i, j| mu[i] * ((1.0 - g) * anew[j] + stay(i, j)));
    Bmap::new(vec![d0, d1])
}

/// First canonical form, `c^2 < 1`, `g > 0`: `a b = g`, `alpha a + b = 1 + alpha g - p (1-g)`.
fn sticky(two: &OrderTwo, g: f64) -> Result<Bmap, BmapError> {
    let (p, alpha) = (two.onward, two.fast / two.slow);
    let sum = 1.0 + alpha * g - p * (1.0 - g);
    let b = (0.5 * (sum + (sum * sum - 4.0 * alpha * g).max(0.0).sqrt())).min(1.0);
    let a = (g / b).min(1.0);
    canonical(two, a, [[a, 0.0], [1.0 - b, b]])
}

/// Second canonical form, `g <= 0`: `b = p (1-g) - alpha g`, `a b = -g`.
fn alternating(two: &OrderTwo, g: f64) -> Result<Bmap, BmapError> {
    let (p, alpha) = (two.onward, two.fast / two.slow);
    let b = (p * (1.0 - g) - alpha * g).min(1.0);
    let a = (-g / b).min(1.0);
    canonical(two, a, [[0.0, a], [b, 1.0 - b]])
}

/// `D_0` leads from the slow phase to the fast one with probability `1 - a`; `arrivals` are the probabilities of `D_1`.
fn canonical(two: &OrderTwo, a: f64, arrivals: [[f64; 2]; 2]) -> Result<Bmap, BmapError> {
    let mu = [1.0 / two.slow, 1.0 / two.fast];
    let silent = [[-1.0, 1.0 - a], [0.0, -1.0]];
    Bmap::new(vec![
        Matrix::from_fn(2, 2, |i, j| mu[i] * silent[i][j]),
        Matrix::from_fn(2, 2, |i, j| mu[i] * arrivals[i][j]),
    ])
}

/// The `g` in `[low, high]` that minimises `sum_k (rho_k - amplitude g^k)^2` over the lags given.
///
/// All lags count alike: a slow decay shows in the far ones.
#[must_use]
pub fn decay(correlations: &[f64], amplitude: f64, low: f64, high: f64) -> f64 {
    let miss = |g: f64| {
        let mut model = amplitude;
        let square = |rho: &f64| {
            model *= g;
            (rho - model).powi(2)
        };
        correlations.iter().map(square).sum::<f64>()
    };
    let steps = 400;
    let at = |step: i32| low + (high - low) * f64::from(step) / f64::from(steps);
    let best = (0..=steps).reduce(|best, step| if miss(at(step)) < miss(at(best)) { step } else { best }).unwrap_or(0);
    golden_section(miss, at((best - 1).max(0)), at((best + 1).min(steps)))
}

/// The minimum of a function with one minimum between `low` and `high`.
fn golden_section(f: impl Fn(f64) -> f64, mut low: f64, mut high: f64) -> f64 {
    let ratio = 0.5 * (5f64.sqrt() - 1.0);
    while high - low > 1e-10 {
        let (left, right) = (high - ratio * (high - low), low + ratio * (high - low));
        if f(left) < f(right) {
            high = right;
        } else {
            low = left;
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests;
