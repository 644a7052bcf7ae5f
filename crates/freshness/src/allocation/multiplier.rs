//! The Lagrange multiplier of the budget, held so that no instance exhausts its digits.

use crate::special::{GInverse, complement_of_g, g};

/// Values, and intervals, that differ by no more than this are taken as equal: a value is the result of a few roundings.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// `lambda`, the multiplier of `sum x_i = 1`.
///
/// Law F-6. With `u_i = b_i/x_i`, condition (8) of CLW reads `a_i G(u_i) = lambda` where `x_i > 0`, and `a_i <= lambda`
/// where `x_i = 0`: such a page changes too fast for what it is worth. When accesses are scarce `lambda` comes so close to
/// the largest value that a number cannot tell them apart, though the frequencies still can. So the multiplier is held as
/// the interval `w` of the pages of largest value: `lambda = a_max G(w)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Multiplier {
    top: f64,
    interval: f64,
    /// Where even `w` cannot be told finely enough: the next smaller `w`, and its share in the allocation.
    blend: Option<(f64, f64)>,
}

/// How closely the frequencies must add up to one.
const TOLERANCE: f64 = 1e-13;

/// What all pages together ask for at a multiplier; demands of parts of the pages add up to that of the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Demand {
    /// `sum x_i`.
    pub total: f64,
    /// Derivative of `sum x_i` with respect to `ln w`.
    pub slope: f64,
}

impl std::ops::Add for Demand {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { total: self.total + other.total, slope: self.slope + other.slope }
    }
}

impl std::iter::Sum for Demand {
    fn sum<I: Iterator<Item = Self>>(demands: I) -> Self {
        demands.fold(Self::default(), std::ops::Add::add)
    }
}

impl Multiplier {
    /// No page is worth an access.
    pub const IDLE: Self = Self { top: 0.0, interval: f64::INFINITY, blend: None };

    /// The multiplier at which pages of value `top`, the largest there is, are accessed when `b/x` reaches `interval`.
    #[must_use]
    pub fn new(top: f64, interval: f64) -> Self {
        Self { top, interval, blend: None }
    }

    /// A mixture of the allocations at `self` and at the next smaller interval, with the given share for the latter.
    pub(super) fn blended(self, smaller: f64, share: f64) -> Self {
        Self { blend: Some((smaller, share)), ..self }
    }

    /// For a blended multiplier, the blend that keeps a part of the pages, with the given demand, within its limit.
    pub(super) fn within(self, demand: impl Fn(f64) -> f64, limit: f64) -> Self {
        let Some((smaller, share)) = self.blend else { return self };
        let (at_least, at_most) = (demand(self.interval), demand(smaller));
        if at_most <= limit {
            return self;
        }
        self.blended(smaller, share * (limit - at_least) / (at_most - at_least))
    }

    /// `a_max`, the largest value of any page.
    #[must_use]
    pub fn top(&self) -> f64 {
        self.top
    }

    /// `lambda`.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.top * g(self.interval)
    }

    /// The `u` with `a G(u) = lambda`, infinite if the page is not worth an access.
    #[must_use]
    pub fn interval_of(&self, value: f64) -> f64 {
        Level::new(self.top, self.interval).interval_of(value)
    }

    /// `x = b/u`, the frequency of a page of the given value and decay.
    #[must_use]
    pub fn frequency(&self, value: f64, decay: f64) -> f64 {
        Level::of(self).frequency(value, decay)
    }

    /// The demand of the given pages, by value and decay.
    #[must_use]
    pub fn demand(&self, values: &[f64], decays: &[f64]) -> Demand {
        let level = Level::new(self.top, self.interval);
        values.iter().zip(decays).map(|(&a, &b)| level.demand(a, b)).sum()
    }
}

/// A multiplier with what is common to all pages computed once.
#[derive(Clone, Copy)]
pub(super) struct Level {
    top: f64,
    /// `G(w)`.
    gain: f64,
    /// `1 - G(w)`.
    complement: f64,
    /// `w`.
    interval: f64,
    /// `w^2 e^-w`, for the slope.
    steepness: f64,
    blend: Option<(f64, f64)>,
    inverse: GInverse,
}

impl Level {
    pub(super) fn new(top: f64, interval: f64) -> Self {
        let steepness = interval * interval * (-interval).exp();
        let (gain, complement, inverse) = (g(interval), complement_of_g(interval), GInverse::get());
        Self { top, gain, complement, interval, steepness, blend: None, inverse }
    }

    pub(super) fn of(multiplier: &Multiplier) -> Self {
        Self { blend: multiplier.blend, ..Self::new(multiplier.top, multiplier.interval) }
    }

    fn interval_of(&self, value: f64) -> f64 {
        self.interval_and_complement(value).0
    }

    /// `u` from `p = lambda/a = rho G(w)` and `1 - p = (1 - G(w)) - (rho - 1) G(w)` with `rho = a_max/a`; and `1 - p`.
    fn interval_and_complement(&self, value: f64) -> (f64, f64) {
        if value <= 0.0 {
            return (f64::INFINITY, 0.0);
        }
        let behind = (self.top - value) / value;
        if behind <= ROUNDING {
            return (self.interval, self.complement);
        }
        let complement = self.complement - behind * self.gain;
        (self.inverse.of((1.0 + behind) * self.gain, complement), complement)
    }

    pub(super) fn frequency(&self, value: f64, decay: f64) -> f64 {
        let frequency = self.unblended(value, decay);
        match self.blend {
            None => frequency,
            Some((smaller, share)) => {
                let other = Self::new(self.top, smaller).unblended(value, decay);
                frequency + share * (other - frequency)
            }
        }
    }

    fn unblended(&self, value: f64, decay: f64) -> f64 {
        if value > 0.0 { decay / self.interval_of(value) } else { 0.0 }
    }

    /// `x` and `dx/d ln w = -(b/u^3) (a_max/a) w^2 e^(u - w)`, where `e^u = (1 + u)/(1 - p)`.
    pub(super) fn demand(&self, value: f64, decay: f64) -> Demand {
        let (u, complement) = self.interval_and_complement(value);
        if u == f64::INFINITY {
            return Demand::default();
        }
        let x = decay / u;
        if u == self.interval {
            return Demand { total: x, slope: -x };
        }
        let slope = -x * (self.top * self.steepness * (1.0 + u)) / (value * complement * u * u);
        Demand { total: x, slope: if slope.is_finite() { slope } else { 0.0 } }
    }
}

/// Solves `demand(w) = target` for the interval `w` of the top pages, `demand` decreasing in `w`.
///
/// Newton on logarithms, kept inside a bracket that is halved (geometrically) whenever Newton leaves it or dawdles. Where
/// demand jumps over the target between two neighbouring numbers, the allocations just below and just above are blended so that the target is met.
///
/// A demand within a relative `TOLERANCE` of the target will do: sums of many terms are no better than that.
pub(super) fn find_interval(top: f64, target: f64, start: f64, mut demand: impl FnMut(f64) -> Demand) -> Multiplier {
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut w = start;
    let mut previous_miss = f64::INFINITY;
    for iteration in 0..400 {
        let now = demand(w);
        let miss = (now.total / target).ln();
        if miss.abs() <= TOLERANCE {
            return Multiplier::new(top, w);
        }
        if miss > 0.0 {
            low = w;
        } else {
            high = w;
        }
        let dawdles = iteration > 4 && miss.abs() > 0.5 * previous_miss;
        previous_miss = miss.abs();
        let newton = w * (-miss * now.total / now.slope).exp();
        let next = match (low > 0.0, high < f64::INFINITY) {
            _ if newton > low && newton < high && newton.is_normal() && !dawdles => newton,
            (true, true) => low.sqrt() * high.sqrt(),
            (true, false) => 8.0 * w,
            _ => w / 8.0,
        };
        if next <= low || next >= high || next == w {
            break;
        }
        w = next;
    }
    if high == f64::INFINITY || low == 0.0 {
        return Multiplier::new(top, w);
    }
    let (small, large) = (low * (1.0 - ROUNDING), high * (1.0 + ROUNDING));
    let (most, least) = (demand(small).total, demand(large).total);
    Multiplier::new(top, large).blended(small, ((target - least) / (most - least)).clamp(0.0, 1.0))
}
