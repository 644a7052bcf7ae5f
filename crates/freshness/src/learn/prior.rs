//! What is believed of a page before it has been visited often.

use thiserror::Error;

use super::estimate::RateEstimate;

/// The law of the change rates of pages like this one: lognormal, with a median and with a spread, the standard
/// deviation of `ln mu`.
///
/// Rates of pages range over decades, and the fastest matter most. A gamma prior falls off exponentially above its mean
/// and holds fast pages down for dozens of visits; a lognormal one holds every page by the same number of decades.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    ln_median: f64,
    variance: f64,
}

/// What is wrong with the parameters of a prior.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum PriorError {
    /// The median is a rate.
    #[error("median change rate must be a positive finite number, got {0}")]
    Median(f64),
    /// The spread is a standard deviation.
    #[error("spread of ln(change rate) must be between 0.01 and 100, got {0}")]
    Spread(f64),
}

impl Prior {
    /// The prior with this median rate and this standard deviation of `ln mu`.
    ///
    /// # Errors
    /// The median must be positive and finite, the spread between 0.01 and 100.
    pub fn new(median: f64, spread: f64) -> Result<Self, PriorError> {
        if !(median > 0.0 && median < f64::INFINITY) {
            return Err(PriorError::Median(median));
        }
        if !(0.01..=100.0).contains(&spread) {
            return Err(PriorError::Spread(spread));
        }
        Ok(Self { ln_median: median.ln(), variance: spread * spread })
    }

    /// The prior for a page of which nothing is known: a median of one change in thirty days and a spread of two, so
    /// that nine tenths of all pages change between once in two years and about once a day. `day` is the length of a
    /// day in the caller's unit of time.
    ///
    /// # Errors
    /// The length of a day must be a positive finite number.
    pub fn unknown(day: f64) -> Result<Self, PriorError> {
        Self::new(1.0 / (30.0 * day), 2.0)
    }

    pub(super) fn from_logs(ln_median: f64, variance: f64) -> Self {
        Self { ln_median, variance }
    }

    pub(super) fn ln_median(&self) -> f64 {
        self.ln_median
    }

    pub(super) fn variance(&self) -> f64 {
        self.variance
    }

    /// Half of the pages change more often than this.
    #[must_use]
    pub fn median(&self) -> f64 {
        self.ln_median.exp()
    }

    /// Standard deviation of `ln mu`.
    #[must_use]
    pub fn spread(&self) -> f64 {
        self.variance.sqrt()
    }

    /// The prior itself as an estimate: the gamma law of shape `1/spread^2` whose mean is the median.
    #[must_use]
    pub fn estimate(&self) -> RateEstimate {
        self.given(0.0, 0.0)
    }

    /// The estimate after as much as `changes` have been seen in a time of `exposure`.
    ///
    /// With prior variance `v` and median `e^theta` of the rate, the density of `ln mu` is largest at the `m` with
    /// `changes - m exposure = (ln m - theta)/v`. With `w = m exposure v` that is
    /// `w + ln w = theta + v changes + ln(v exposure)`, Lambert's function. Its curvature there is
    /// `m exposure + 1/v = (1 + w)/v`, and the estimate is the gamma law with mean `m` and this curvature as its shape.
    #[must_use]
    pub fn given(&self, changes: f64, exposure: f64) -> RateEstimate {
        let v = self.variance;
        let c = self.ln_median + v * changes;
        let w = if exposure > 0.0 { lambert_of_exp(c + (v * exposure).ln()) } else { 0.0 };
        // ln m = c - w, and m = w/(v exposure): the first loses digits when c is large, the second when w is small.
        let m = if w < 1.0 { (c - w).exp() } else { w / (v * exposure) };
        let shape = (1.0 + w) / v;
        RateEstimate::clamped(shape, shape / m)
    }
}

/// The `w` with `w + ln w = c`, that is `W(e^c)`, by Newton's method. A relative error of `e` becomes one below `e^2/2`, so a step
/// of 1e-8 is the last that is needed.
fn lambert_of_exp(c: f64) -> f64 {
    let mut w = if c > 1.0 { c - c.ln() } else { c.min(0.0).exp() };
    if w == 0.0 {
        return 0.0;
    }
    for _ in 0..20 {
        let next = w * (1.0 + c - w.ln()) / (1.0 + w);
        let step = (next - w).abs();
        w = next;
        if step <= 1e-8 * w {
            break;
        }
    }
    w
}

#[cfg(test)]
mod tests;
