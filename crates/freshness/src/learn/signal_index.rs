//! The index of a page whose changes are signalled, more or less.

use super::incomplete_gamma::lower_and_upper;
use super::root::increasing_root;
use super::signal::SignalledPage;
use crate::special::{g, g_inverse, phi};

/// Signals per cycle beyond which the limit of many small steps is used. It is then right to 1e-7 for a recall up to
/// 0.8, to 3e-5 at 0.9 and to 6e-4 at 1.
const MOST_TERMS: f64 = 16.0;

/// Hazard per signal below which signals are worth nothing and the page is as one without them.
const LEAST_STEP: f64 = 1e-7;

/// Law F-25: the priority of a page with weight `w` whose hazard is `x` ([`SignalledPage::hazard`]).
///
/// Under the policy "access as soon as the hazard reaches `x`" let `T(x)` be the expected time between accesses and
/// `psi(x)` the expected part of it during which the copy is fresh. Accesses at price `V` are just worth it at `x` when
///
/// ```text
/// V(x) = w [psi(x) - e^-x T(x)],      V'(x) = w e^-x T(x),
/// T(x)   = 1/gamma           sum_k R_k(gamma s_k),                    s_k = (x - k delta)/alpha > 0,
/// psi(x) = 1/(alpha + gamma) sum_k (nu/(alpha + gamma))^k R_k((alpha + gamma) s_k),
/// R_k(z) = 1 - e^-z sum_{j<=k} z^j/j!.
/// ```
///
/// It rises from zero to `w/mu`. Without signals it is the index `(w/mu) G(mu tau)` of F-17. For signals so many and
/// weak that more than 16 of them make up `x`, the sums have reached their limit: the overshoot of the hazard over `x`
/// at the access has its stationary law, and with `D = alpha + gamma delta`
///
/// ```text
/// T(x) = (x + gamma delta^2/(2 D))/D,     psi(x) = 1/mu - e^-x/D.
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignalIndex {
    weight: f64,
    page: SignalledPage,
}

impl SignalIndex {
    /// The index of a page of this weight.
    #[must_use]
    pub fn new(weight: f64, page: SignalledPage) -> Self {
        Self { weight, page }
    }

    /// `w/mu`, which no hazard exceeds; zero for a page that never changes.
    #[must_use]
    pub fn supremum(&self) -> f64 {
        let mu = self.page.change_rate();
        if mu > 0.0 { self.weight / mu } else { 0.0 }
    }

    /// `V(x)`.
    #[must_use]
    pub fn value(&self, hazard: f64) -> f64 {
        if hazard == f64::INFINITY { self.supremum() } else { self.value_and_slope(hazard).0 }
    }

    /// `V` of the page `tau` after its last access, with `signals` since.
    #[must_use]
    pub fn value_at(&self, tau: f64, signals: u32) -> f64 {
        self.value(self.page.hazard(tau, signals))
    }

    /// The hazard at which the index reaches `level`: infinite if it never does.
    #[must_use]
    pub fn inverse(&self, level: f64) -> f64 {
        if level <= 0.0 {
            return 0.0;
        }
        let share = level / self.supremum();
        if share.is_nan() || share >= 1.0 {
            return f64::INFINITY;
        }
        // Exact without signals.
        let start = g_inverse(share, 1.0 - share);
        let mut high = start.max(f64::MIN_POSITIVE);
        while self.value(high) < level && high < 1e3 {
            high *= 2.0;
        }
        increasing_root(0.0, high, start, |x| {
            let (value, slope) = self.value_and_slope(x);
            (value - level, slope)
        })
    }

    /// How long after its last access the index of the page reaches `level`, if no signals come but the given number.
    #[must_use]
    pub fn time_until(&self, level: f64, signals: u32) -> f64 {
        let missing = self.inverse(level) - self.page.hazard(0.0, signals);
        if missing > 0.0 { missing / self.page.unsignalled_rate() } else { 0.0 }
    }

    /// `V(x)` and `V'(x) = w e^-x T(x)` for finite `x`.
    fn value_and_slope(&self, x: f64) -> (f64, f64) {
        if self.page.change_rate() == 0.0 || x <= 0.0 {
            return (0.0, 0.0);
        }
        let slope = |time: f64| self.weight * (-x).exp() * time;
        if self.steps_are_small(x) {
            return (self.supremum() * self.limit_value(x), slope(self.limit_time(x)));
        }
        if x <= self.page.hazard_per_signal() && self.page.unsignalled_rate() > 0.0 {
            let SignalRates { alpha, gamma, .. } = self.rates();
            return (self.weight * self.first_term(x), slope(-(-gamma * x / alpha).exp_m1() / gamma));
        }
        let (time, fresh_time) = self.cycle(x);
        (self.weight * (fresh_time - (-x).exp() * time), slope(time))
    }

    fn steps_are_small(&self, x: f64) -> bool {
        let delta = self.page.hazard_per_signal();
        delta < LEAST_STEP || x > MOST_TERMS * delta
    }

    /// `(T, psi)` by their sums, for `x > 0`.
    fn cycle(&self, x: f64) -> (f64, f64) {
        let SignalRates { alpha, gamma, nu, delta, .. } = self.rates();
        let (mut time, mut fresh_time, mut weight) = (0.0, 0.0, 1.0);
        let (mut k, mut left) = (0.0, x);
        while left > 0.0 {
            let s = left / alpha;
            let not_yet = lower_and_upper(k + 1.0, gamma * s).0;
            time += not_yet / gamma;
            fresh_time += weight * lower_and_upper(k + 1.0, (alpha + gamma) * s).0 / (alpha + gamma);
            if not_yet < 1e-18 {
                break;
            }
            weight *= nu / (alpha + gamma);
            k += 1.0;
            left = x - k * delta;
        }
        (time, fresh_time)
    }

    /// `psi - e^-x T` while no signal has counted, without cancellation.
    ///
    /// With `f(p) = phi(p s)/p` it is `(alpha/gamma) [f(alpha + gamma) - f(alpha)]`, and `f'(p) = G(p s)/p^2`.
    fn first_term(&self, x: f64) -> f64 {
        let SignalRates { alpha, gamma, .. } = self.rates();
        let s = x / alpha;
        if gamma > 0.1 * alpha {
            return (alpha / (alpha + gamma) * phi((alpha + gamma) * s) - phi(x)) / gamma;
        }
        // Gauss-Legendre with five points on f' over [alpha, alpha + gamma]: exact to rounding on so short an interval.
        const NODES: [(f64, f64); 5] = [
            (-0.906_179_845_938_664, 0.236_926_885_056_189_08),
            (-0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
            (0.0, 0.568_888_888_888_888_9),
            (0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
            (0.906_179_845_938_664, 0.236_926_885_056_189_08),
        ];
        let sum: f64 = NODES
            .iter()
            .map(|(node, weight)| {
                let p = alpha + 0.5 * gamma * (1.0 + node);
                weight * g(p * s) / (p * p)
            })
            .sum();
        0.5 * alpha * sum
    }

    /// `mu V/w` in the limit of small steps.
    ///
    /// `1 - e^-x (mu/D)(1 + x + kappa)` with `kappa = gamma delta^2/(2D)`; as `mu/D = 1 - eta`,
    /// `eta = gamma phi(delta)/D`, this is `G(x) + e^-x [eta (x + kappa) + eta - kappa]`.
    fn limit_value(&self, x: f64) -> f64 {
        let SignalRates { gamma, delta, drift, .. } = self.rates();
        if delta < LEAST_STEP {
            return g(x);
        }
        let eta = gamma * phi(delta) / drift;
        let kappa = 0.5 * gamma * delta * delta / drift;
        g(x) + (-x).exp() * (eta * (x + kappa) + (eta - kappa))
    }

    fn limit_time(&self, x: f64) -> f64 {
        let SignalRates { gamma, delta, drift, .. } = self.rates();
        (x + 0.5 * gamma * delta * delta / drift) / drift
    }

    fn rates(&self) -> SignalRates {
        let (alpha, gamma) = (self.page.unsignalled_rate(), self.page.signal_rate());
        let delta = self.page.hazard_per_signal();
        SignalRates { alpha, gamma, nu: self.page.false_rate(), delta, drift: alpha + gamma * delta }
    }
}

/// The rates under the names they have in the formulas.
struct SignalRates {
    alpha: f64,
    gamma: f64,
    nu: f64,
    delta: f64,
    /// `D = alpha + gamma delta`, at which the hazard grows on average.
    drift: f64,
}

#[cfg(test)]
mod tests;
