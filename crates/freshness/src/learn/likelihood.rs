//! The exact likelihood of a page's visits, however irregular.

use super::estimate::{Observation, RateEstimate, Worth};
use super::incomplete_gamma::chi_square_1_quantile;

/// The maximum-likelihood estimate of a change rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateMle {
    /// The rate: zero if no visit found a change, infinite if every visit found one and none said when.
    pub rate: f64,
    /// Observed Fisher information, minus the second derivative of the log-likelihood at its maximum; its inverse is
    /// the variance of the estimate when there are many visits. Zero where the rate is zero or infinite: there the
    /// log-likelihood has no curvature, and [`RateLikelihood::interval`] is the answer.
    pub information: f64,
}

/// Law F-22: the maximum-likelihood rate of visits `(tau, what was found)`, each `tau` after the one before.
///
/// The root of `sum_changed tau/(e^(r tau) - 1) + n/r = sum_unchanged tau + sum age`, where `n` changes were dated by
/// their `age` (F-23). `None` if nothing was learned: no visit, or all at once.
#[must_use]
pub fn maximum_likelihood(visits: &[(f64, Observation)]) -> Option<RateMle> {
    RateLikelihood::new(visits).maximum()
}

/// The likelihood of a page's visits as a function of its change rate, alone or times a prior.
#[derive(Clone, Copy, Debug)]
pub struct RateLikelihood<'a> {
    visits: &'a [(f64, Observation)],
    prior: Worth,
}

impl<'a> RateLikelihood<'a> {
    /// The likelihood of these visits. Visits with a `tau` that is not positive and finite say nothing and are left
    /// out.
    #[must_use]
    pub fn new(visits: &'a [(f64, Observation)]) -> Self {
        Self { visits, prior: Worth::default() }
    }

    /// The same times `r^shape e^(-rate r)`, the density of the prior on the scale of `ln r`.
    ///
    /// Its maximum is finite and positive whatever the visits found. Never changed in a time `t` gives
    /// `shape/(rate + t)`; always changed gives a rate that grows with the visits but does not run to infinity.
    #[must_use]
    pub fn with_prior(self, prior: &RateEstimate) -> Self {
        Self { prior: Worth { changes: prior.shape(), exposure: prior.rate() }, ..self }
    }

    fn usable(&self) -> impl Iterator<Item = (f64, Observation)> + 'a {
        self.visits.iter().copied().filter(|&(tau, _)| tau > 0.0 && tau < f64::INFINITY)
    }

    /// What all visits and the prior are worth at rate `r` (F-21).
    fn worth(&self, r: f64) -> Worth {
        self.usable().fold(self.prior, |sum, (tau, seen)| {
            let one = Worth::of(seen, tau, r);
            Worth { changes: sum.changes + one.changes, exposure: sum.exposure + one.exposure }
        })
    }

    /// `ln L(r) = sum_changed ln(1 - e^(-r tau)) + n ln r - r (sum_unchanged tau + sum age)`, up to a constant.
    #[must_use]
    pub fn ln(&self, r: f64) -> f64 {
        let prior = times_ln(self.prior.changes, r) - times(self.prior.exposure, r);
        self.usable().fold(prior, |sum, (tau, seen)| {
            let of_change = |gap: f64| (-(-r * gap).exp_m1()).ln();
            sum + match seen.within(tau) {
                Observation::Unchanged => -r * tau,
                Observation::Changed => of_change(tau),
                Observation::ChangedAt { age } => r.ln() - times(age, r),
                // A time of no length is an exact date.
                Observation::ChangedBetween { least, most } if least == most => r.ln() - times(least, r),
                Observation::ChangedBetween { least, most } => of_change(most - least) - times(least, r),
            }
        })
    }

    /// Where the likelihood is largest; `None` if it is flat.
    ///
    /// `r <- changes(r)/exposure(r)`, the estimator of F-21 run over the same visits again and again. Each round is a
    /// Newton step on `r d ln L/dr = changes - r exposure`, which is convex and decreasing in `r`: it converges from
    /// every start.
    #[must_use]
    pub fn maximum(&self) -> Option<RateMle> {
        let (at_zero, at_infinity) = (self.worth(0.0), self.worth(f64::MAX));
        if at_zero == Worth::default() {
            return None;
        }
        if at_zero.changes == 0.0 {
            return Some(RateMle { rate: 0.0, information: 0.0 });
        }
        if at_infinity.exposure == 0.0 {
            return Some(RateMle { rate: f64::INFINITY, information: 0.0 });
        }
        let mut rate = at_zero.changes / at_zero.exposure;
        for _ in 0..100 {
            let Worth { changes, exposure } = self.worth(rate);
            let next = changes / exposure;
            let step = (next - rate).abs();
            rate = next;
            if step <= 1e-15 * rate {
                break;
            }
        }
        Some(RateMle { rate, information: self.worth(rate).changes / (rate * rate) })
    }

    /// The rates that a likelihood-ratio test at this confidence level does not reject,
    /// `2 (ln L(max) - ln L(r)) <= chi^2_1`.
    ///
    /// Unlike `rate +- z/sqrt(information)` it is never negative, is right for few visits, and tells what is known when
    /// no visit or every visit found a change: then one end is zero or infinity.
    #[must_use]
    pub fn interval(&self, level: f64) -> Option<(f64, f64)> {
        let rate = self.maximum()?.rate;
        let least = self.ln(rate) - 0.5 * chi_square_1_quantile(level.clamp(0.0, 1.0));
        let inside = |r: f64| self.ln(r) >= least;
        let start = if rate > 0.0 && rate < f64::INFINITY { rate } else { self.scale() };
        let low = if rate == 0.0 { 0.0 } else { boundary(start, 0.5, inside) };
        let high = if rate == f64::INFINITY { rate } else { boundary(start, 2.0, inside) };
        Some((low, high))
    }

    /// A rate of the order of one change per visit, to start from where the estimate itself is no number.
    fn scale(&self) -> f64 {
        let (time, visits) = self.usable().fold((0.0, 0.0), |(time, n), (tau, _)| (time + tau, n + 1.0));
        visits / time
    }
}

/// `a r`, zero for a factor of zero even if the other is infinite.
fn times(a: f64, r: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a * r }
}

/// `a ln r`, with the same exception.
fn times_ln(a: f64, r: f64) -> f64 {
    if a == 0.0 { 0.0 } else { a * r.ln() }
}

/// Where `inside` ends, going up (`factor` 2) or down (1/2) from `start`.
///
/// If `start` itself is outside, the set lies beyond it on the other side and is approached from there.
fn boundary(start: f64, factor: f64, inside: impl Fn(f64) -> bool) -> f64 {
    let (mut within, mut without) = (start, start);
    while inside(without) && without > 1e-300 && without < 1e300 {
        within = without;
        without *= factor;
    }
    while !inside(within) && within > 1e-300 && within < 1e300 {
        without = within;
        within /= factor;
    }
    for _ in 0..60 {
        let middle = (within * without).sqrt();
        if inside(middle) { within = middle } else { without = middle }
    }
    within
}

#[cfg(test)]
mod tests;
