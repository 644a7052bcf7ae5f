//! Law C-25: phase-type laws from moments.
//!
//! With the reduced moments `r_k = E[X^k]/k!` and the mean as the unit of time, `E exp(sX) = 1 + s + r_2 s^2 + r_3 s^3 + ...`.
//! Multiplying by the denominator of one factor leaves what the other factor must have, so every structure below costs one
//! polynomial equation.

use thiserror::Error;

use super::{Departure, FittedLaw};
use crate::matrix::Matrix;
use crate::phase_type::PhaseType;

/// How far the moments of a law may be from those asked for, relatively, before it counts as having missed them.
const MISSED: f64 = 1e-7;

/// Why no law has the moments.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum MomentError {
    /// A moment is not a positive number.
    #[error("moment {k} is {value}; moments must be positive and finite")]
    NotPositive {
        /// Which.
        k: usize,
        /// Its value.
        value: f64,
    },
    /// The variance would be negative.
    #[error(
        "the second moment {second} is below the squared mean {squared}: no law has such moments, check the sample"
    )]
    NegativeVariance {
        /// Second moment.
        second: f64,
        /// Squared mean.
        squared: f64,
    },
    /// `E[X] E[X^3] >= E[X^2]^2` does not hold.
    #[error("the third moment {third} is below {least}, the least that any law with this mean and second moment has")]
    ThirdImpossible {
        /// Third moment.
        third: f64,
        /// `m_2^2/m_1`.
        least: f64,
    },
    /// The variation is below that of an Erlang law.
    #[error("a squared coefficient of variation of {variation} needs at least {needed} phases, {allowed} are allowed")]
    TooRegular {
        /// `c^2`.
        variation: f64,
        /// `1/c^2`, rounded up; infinite for a constant.
        needed: f64,
        /// Phases allowed.
        allowed: usize,
    },
    /// The third moment is out of reach for so few phases.
    #[error("the third moment {third} is too {side} for {allowed} phases with this mean and second moment")]
    ThirdOutOfReach {
        /// Third moment.
        third: f64,
        /// `small` or `large`.
        side: &'static str,
        /// Phases allowed.
        allowed: usize,
    },
}

/// The law of the fewest phases, at most `phases`, that has the three moments (law C-25); with a report. If there is none,
/// two moments are matched, or only the mean, and the report says why.
///
/// # Errors
/// If the first two moments are not those of any law.
pub fn from_moments(moments: &[f64; 3], phases: usize) -> Result<FittedLaw, MomentError> {
    let refused = match acyclic(moments, phases) {
        Ok(law) => return Ok(FittedLaw::new(law, moments, Vec::new(), None)),
        Err(error @ (MomentError::NotPositive { .. } | MomentError::NegativeVariance { .. })) => return Err(error),
        Err(error) => error,
    };
    match two_moments(moments[0], moments[1], phases) {
        Ok(law) => Ok(FittedLaw::new(law, moments, vec![Departure::TwoMoments(refused)], None)),
        Err(error) => {
            let law = erlang(phases.max(1), moments[0]).ok_or(error)?;
            Ok(FittedLaw::new(law, moments, vec![Departure::MeanOnly(error)], None))
        }
    }
}

/// The acyclic law of the fewest phases, at most `phases`, with the three moments: exponential, hyper-exponential, two
/// phases in canonical form, and beyond two the structures of A. Bobbio, A. Horvath and M. Telek, *Matching three moments
/// with minimal acyclic phase type distributions* (2005).
///
/// # Errors
/// If the moments are not those of any law, or of none with so few phases.
pub fn acyclic(moments: &[f64; 3], phases: usize) -> Result<PhaseType, MomentError> {
    let r = Reduced::new(moments)?;
    let candidates = |n: usize| -> Vec<Option<PhaseType>> {
        match n {
            1 => vec![erlang(1, 1.0)],
            2 => vec![OrderTwo::from_reduced(&r, moments[2]).ok().and_then(|two| two.law())],
            _ => r.branch_then_exponential(n).into_iter().chain(r.exponential_then_erlang(n)).collect(),
        }
    };
    let least = (1.0 / (2.0 * r.second - 1.0) - 1e-9).ceil().max(1.0);
    let found = (least as usize..=phases).flat_map(candidates).flatten().find(|law| r.missed_by(law) < MISSED);
    found.map(|law| law.scaled(moments[0])).ok_or_else(|| r.why_not(moments, phases))
}

/// The hyper-exponential law of two phases with the three moments, the slow phase first: how ADKNS describe the service.
///
/// # Errors
/// If there is none: it needs `c^2 > 1` and `2 m_1 m_3 > 3 m_2^2`.
pub fn hyper_exponential(moments: &[f64; 3]) -> Result<PhaseType, MomentError> {
    let r = Reduced::new(moments)?;
    if r.second <= 1.0 {
        return Err(MomentError::TooRegular { variation: 2.0 * r.second - 1.0, needed: 2.0, allowed: 2 });
    }
    let law = OrderTwo::from_reduced(&r, moments[2])?.law().filter(|law| r.missed_by(law) < MISSED);
    law.map(|law| law.scaled(moments[0])).ok_or_else(|| r.why_not(moments, 2))
}

/// A law with the two moments: hyper-exponential with balanced means for `c^2 >= 1`, else a mixture of `k - 1` and `k`
/// phases of one rate (Tijms) with `1/k <= c^2 <= 1/(k-1)`.
///
/// # Errors
/// If the moments are not those of any law, or `c^2 < 1/phases`.
pub fn two_moments(first: f64, second: f64, phases: usize) -> Result<PhaseType, MomentError> {
    let r = Reduced::new(&[first, second, f64::INFINITY])?;
    let variation = 2.0 * r.second - 1.0;
    let needed = (1.0 / variation - 1e-9).ceil().max(1.0);
    let refused = MomentError::TooRegular { variation, needed, allowed: phases };
    let law = if (variation - 1.0).abs() < 1e-9 {
        erlang(1, 1.0)
    } else if variation > 1.0 {
        balanced(variation).filter(|_| phases >= 2)
    } else if needed <= phases as f64 {
        erlang_mixture(variation, needed as usize)
    } else {
        None
    };
    law.map(|law| law.scaled(first)).ok_or(refused)
}

/// With probability `p` of mean `1/(2p)`, else of mean `1/(2(1-p))`, `p = (1 + sqrt((c^2-1)/(c^2+1)))/2`.
fn balanced(variation: f64) -> Option<PhaseType> {
    let p = 0.5 * (1.0 + ((variation - 1.0) / (variation + 1.0)).sqrt());
    PhaseType::hyper_exponential(&[1.0 - p, p], &[2.0 * (1.0 - p), 2.0 * p]).ok()
}

/// With probability `p` the sum of `k - 1` phases, else of `k`, all of rate `k - p`.
fn erlang_mixture(variation: f64, k: usize) -> Option<PhaseType> {
    let (c, n) = (variation, k as f64);
    let p = ((n * c - (n * (1.0 + c) - n * n * c).max(0.0).sqrt()) / (1.0 + c)).clamp(0.0, 1.0);
    let start: Vec<f64> = (0..k).map(|i| [1.0 - p, p].get(i).copied().unwrap_or(0.0)).collect();
    chain(&start, &vec![n - p; k])
}

/// `k` equal phases with the given mean.
fn erlang(k: usize, mean: f64) -> Option<PhaseType> {
    PhaseType::erlang(k, k as f64 / mean).ok()
}

/// Phases passed one after another, entered anywhere. Phases before the first that is entered are left out.
fn chain(start: &[f64], rates: &[f64]) -> Option<PhaseType> {
    let first = start.iter().position(|p| *p > 0.0)?;
    let (start, rates) = (&start[first..], &rates[first..]);
    let entry = |i: usize, j: usize| match j.checked_sub(i) {
        Some(0) => -rates[i],
        Some(1) => rates[i],
        _ => 0.0,
    };
    PhaseType::new(start, &Matrix::from_fn(rates.len(), rates.len(), entry)).ok()
}

/// `r_2` and `r_3` with the mean as the unit of time.
struct Reduced {
    second: f64,
    third: f64,
}

impl Reduced {
    fn new(moments: &[f64; 3]) -> Result<Self, MomentError> {
        let [m1, m2, m3] = *moments;
        for (k, value) in (1..).zip([m1, m2]) {
            if !(value > 0.0 && value.is_finite()) {
                return Err(MomentError::NotPositive { k, value });
            }
        }
        if m3.is_nan() || m3 <= 0.0 {
            return Err(MomentError::NotPositive { k: 3, value: m3 });
        }
        // The moments of a constant, from a sample, may be off by rounding.
        if m2 < m1 * m1 * (1.0 - 1e-12) {
            return Err(MomentError::NegativeVariance { second: m2, squared: m1 * m1 });
        }
        Ok(Self { second: (m2 / (2.0 * m1 * m1)).max(0.5), third: m3 / (6.0 * m1 * m1 * m1) })
    }

    /// The largest relative error of the first three moments of a law with mean about one.
    fn missed_by(&self, law: &PhaseType) -> f64 {
        let wanted = [1.0, 2.0 * self.second, 6.0 * self.third];
        (1..).zip(wanted).map(|(k, wanted)| (law.moment(k) / wanted - 1.0).abs()).fold(0.0, f64::max)
    }

    fn why_not(&self, moments: &[f64; 3], allowed: usize) -> MomentError {
        let [m1, m2, third] = *moments;
        let variation = 2.0 * self.second - 1.0;
        if third < m2 * m2 / m1 {
            return MomentError::ThirdImpossible { third, least: m2 * m2 / m1 };
        }
        match two_moments(m1, m2, allowed) {
            Ok(law) => {
                let side = if third < law.moment(3) { "small" } else { "large" };
                MomentError::ThirdOutOfReach { third, side, allowed }
            }
            Err(_) => MomentError::TooRegular { variation, needed: (1.0 / variation).ceil().max(2.0), allowed },
        }
    }

    /// With probability `p` an Erlang time of `k = n - 1` phases and mean `theta`, then always an exponential one of mean
    /// `eta`. With `q_1 = 1 - eta`, `q_2 = r_2 - eta`, `q_3 = r_3 - eta r_2` what is left for the first part is
    /// `p theta = q_1`, `theta = 2k/(k+1) q_2/q_1` and `q_1 q_3 = kappa q_2^2`, `kappa = 2(k+2)/(3(k+1))`.
    fn branch_then_exponential(&self, n: usize) -> Vec<Option<PhaseType>> {
        let (r2, r3, k) = (self.second, self.third, n as f64 - 1.0);
        let kappa = 2.0 * (k + 2.0) / (3.0 * (k + 1.0));
        let equation = [r3 - kappa * r2 * r2, 2.0 * kappa * r2 - r2 - r3, r2 - kappa];
        let law = |eta: f64| {
            let theta = 2.0 * k / (k + 1.0) * (r2 - eta) / (1.0 - eta);
            let p = probability((1.0 - eta) / theta)?;
            let mut start = vec![0.0; n];
            start[0] = p;
            start[n - 1] += 1.0 - p;
            let mut rates = vec![k / theta; n];
            rates[n - 1] = 1.0 / eta;
            chain(&start, &rates)
        };
        roots(&equation, 0.0, 1.0).into_iter().map(law).collect()
    }

    /// With probability `p` an exponential time of mean `eta`, then always an Erlang one of `k = n - 1` phases and mean
    /// `theta`. Multiplying by `(1 - s theta/k)^k` leaves `N_1 = 1 - theta`, `N_2 = r_2 - theta + a theta^2`,
    /// `N_3 = r_3 - theta r_2 + a theta^2 - b theta^3`, `a = (k-1)/2k`, `b = (k-1)(k-2)/6k^2`, with `eta = N_2/N_1`,
    /// `p eta = N_1` and `N_1 N_3 = N_2^2`.
    fn exponential_then_erlang(&self, n: usize) -> Vec<Option<PhaseType>> {
        let (r2, r3, k) = (self.second, self.third, n as f64 - 1.0);
        let (a, b) = ((k - 1.0) / (2.0 * k), (k - 1.0) * (k - 2.0) / (6.0 * k * k));
        let (n1, n2, n3) = ([1.0, -1.0], [r2, -1.0, a], [r3, -r2, a, -b]);
        let left = product(&n1, &n3);
        let right = product(&n2, &n2);
        let equation: Vec<f64> = left.iter().zip(&right).map(|(l, r)| l - r).collect();
        let law = |theta: f64| {
            let eta = value(&n2, theta) / value(&n1, theta);
            let p = probability(value(&n1, theta) / eta)?;
            let mut start = vec![0.0; n];
            start[0] = p;
            start[1] = 1.0 - p;
            let mut rates = vec![k / theta; n];
            rates[0] = 1.0 / eta;
            chain(&start, &rates)
        };
        roots(&equation, 0.0, 1.0).into_iter().map(law).collect()
    }
}

/// `p`, with rounding taken off; `None` if it is no probability.
fn probability(p: f64) -> Option<f64> {
    (-1e-6..=1.0 + 1e-6).contains(&p).then(|| p.clamp(0.0, 1.0))
}

/// Two phases, the slow one of mean `slow` entered with probability `onward` before the fast one of mean `fast`; in units
/// of the mean.
#[derive(Clone, Copy, Debug)]
pub(super) struct OrderTwo {
    pub slow: f64,
    pub fast: f64,
    pub onward: f64,
}

impl OrderTwo {
    /// From the three moments, and the mean they were divided by.
    pub fn new(moments: &[f64; 3]) -> Result<Self, MomentError> {
        let r = Reduced::new(moments)?;
        let two = Self::from_reduced(&r, moments[2])?;
        let fits = two.law().is_some_and(|law| r.missed_by(&law) < MISSED);
        fits.then_some(two).ok_or_else(|| r.why_not(moments, 2))
    }

    /// `slow` and `fast` are the roots of `z^2 - e_1 z + e_2`, `e_1 = (r_3 - r_2)/h`, `e_2 = (r_3 - r_2^2)/h`,
    /// `h = r_2 - 1`, since `r_{k+2} = e_1 r_{k+1} - e_2 r_k`; then `onward slow + fast = 1`.
    fn from_reduced(r: &Reduced, third: f64) -> Result<Self, MomentError> {
        let h = r.second - 1.0;
        let refused = |side| Err(MomentError::ThirdOutOfReach { third, side, allowed: 2 });
        if h.abs() < 1e-9 {
            return Ok(Self { slow: 1.0, fast: 1.0, onward: 0.0 });
        }
        let (e1, e2) = ((r.third - r.second) / h, (r.third - r.second * r.second) / h);
        let discriminant = e1 * e1 - 4.0 * e2;
        if discriminant < -1e-12 * e1 * e1 {
            return refused("large");
        }
        let slow = 0.5 * (e1 + discriminant.max(0.0).sqrt());
        let fast = e2 / slow;
        match probability((1.0 - fast) / slow) {
            Some(onward) if fast > 1e-9 => Ok(Self { slow, fast, onward }),
            _ => refused("small"),
        }
    }

    /// The squared coefficient of variation is above one: the law is hyper-exponential.
    pub fn is_hyper_exponential(&self) -> bool {
        self.onward > 0.0 && self.onward < 1.0 - self.fast / self.slow
    }

    /// As a mixture: the probability of the slow phase alone.
    pub fn mixed(&self) -> f64 {
        (1.0 - self.fast) / (self.slow - self.fast)
    }

    pub fn law(&self) -> Option<PhaseType> {
        let rates = [1.0 / self.slow, 1.0 / self.fast];
        if self.is_hyper_exponential() {
            let p = self.mixed();
            return PhaseType::hyper_exponential(&[p, 1.0 - p], &rates).ok();
        }
        chain(&[self.onward, 1.0 - self.onward], &rates)
    }
}

/// The value of a polynomial, lowest power first.
fn value(polynomial: &[f64], x: f64) -> f64 {
    polynomial.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

fn product(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut product = vec![0.0; a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            product[i + j] += x * y;
        }
    }
    product
}

/// The zeros of a polynomial in `(low, high)`, ascending: between the zeros of its derivative it is monotone. A derivative's
/// zero at which the polynomial all but vanishes counts as a double one.
fn roots(polynomial: &[f64], low: f64, high: f64) -> Vec<f64> {
    if polynomial.len() < 2 {
        return Vec::new();
    }
    let slope: Vec<f64> = (1..).zip(&polynomial[1..]).map(|(k, c)| f64::from(k) * c).collect();
    let turns = roots(&slope, low, high);
    let size: f64 = polynomial.iter().map(|c| c.abs()).sum();
    let mut found: Vec<f64> = turns.iter().copied().filter(|x| value(polynomial, *x).abs() < 1e-14 * size).collect();
    let ends: Vec<f64> = std::iter::once(low).chain(turns).chain([high]).collect();
    found.extend(ends.windows(2).filter_map(|pair| crossing(polynomial, pair[0], pair[1])));
    found.sort_by(f64::total_cmp);
    found
}

/// The zero of a polynomial that is monotone between `low` and `high`, by halving.
fn crossing(polynomial: &[f64], mut low: f64, mut high: f64) -> Option<f64> {
    let rising = value(polynomial, high) > 0.0;
    if rising == (value(polynomial, low) > 0.0) {
        return None;
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if (value(polynomial, middle) > 0.0) == rising {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(0.5 * (low + high))
}

#[cfg(test)]
mod tests;
