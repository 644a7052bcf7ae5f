//! Pages with rates and weights, and the cost of visiting them evenly.

use crate::special::g_inverse;
use rand::RngExt;
use rand_distr::{Distribution, Exp1, LogNormal, Pareto};
use rand_pcg::Pcg64;

#[derive(Clone, Copy, Debug)]
pub(super) enum Rates {
    Uniform,
    LogNormal,
    Pareto,
    TwoPoint,
}

pub(super) fn rates(law: Rates, n: usize, rng: &mut Pcg64) -> Vec<f64> {
    let one = |rng: &mut Pcg64| match law {
        Rates::Uniform => rng.random_range(0.0..2.0),
        Rates::LogNormal => LogNormal::new(-0.5, 1.0).unwrap().sample(rng),
        Rates::Pareto => Pareto::new(1.0 / 3.0, 1.5).unwrap().sample(rng),
        Rates::TwoPoint => {
            if rng.random::<f64>() < 0.8 {
                0.1
            } else {
                4.6
            }
        }
    };
    (0..n).map(|_| one(rng)).collect()
}

pub(super) fn weights(n: usize, rng: &mut Pcg64) -> Vec<f64> {
    (0..n).map(|_| Exp1.sample(rng)).collect()
}

/// F-6 with constant access times: visits per unit of time with `(c/mu) G(mu/x) = lambda`, the multiplier by bisection
/// so that they add up to the budget.
pub(super) fn frequencies(rates: &[f64], weights: &[f64], budget: f64) -> Vec<f64> {
    let at = |ln_lambda: f64| -> Vec<f64> {
        let lambda = f64::exp(ln_lambda);
        let frequency = |(&mu, &c): (&f64, &f64)| {
            let t = lambda * mu / c;
            if mu > 0.0 && c > 0.0 && t < 1.0 { mu / g_inverse(t, 1.0 - t) } else { 0.0 }
        };
        rates.iter().zip(weights).map(frequency).collect()
    };
    let (mut low, mut high) = (-60.0, 60.0);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if at(middle).iter().sum::<f64>() > budget { low = middle } else { high = middle }
    }
    at(high)
}

/// `sum c (1 - (1 - e^-u)/u)` with `u = mu/x`: the cost of evenly spaced visits (F-3).
pub(super) fn cost(rates: &[f64], weights: &[f64], frequencies: &[f64]) -> f64 {
    let stale = |((&mu, &c), &x): ((&f64, &f64), &f64)| {
        if mu == 0.0 {
            return 0.0;
        }
        let u = mu / x;
        if x > 0.0 { c * (1.0 + (-u).exp_m1() / u) } else { c }
    };
    rates.iter().zip(weights).zip(frequencies).map(stale).sum()
}
