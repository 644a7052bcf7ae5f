//! What a choice of frequencies or a sequence of accesses costs: bounds and exact values.
//!
//! Every cost here has the form of law F-2, `C = sum a (q - b) + sum a psi`: the first sum is
//! [`Instance::unavoidable_cost`], and the policies differ only in `psi`, the expected stale time per access in units of
//! the mean time between changes, less what the variance of `X` causes anyway. Each `psi` is written so that it keeps its
//! digits for pages that hardly change and for frequencies next to nothing.
//!
//! | policy | `psi` | law |
//! |---|---|---|
//! | evenly spaced accesses (a bound) | `x phi(b/x)` | F-3 |
//! | randomised | `((1-x) b (1-h) + x phi(b)) / (1 - h + x h)` | F-9 |
//! | golden ratio, long cycles | `sum w_n phi(b F_n)` over three gaps | F-13 |
//! | any cyclic schedule of length `n` | `sum phi(b d) / n` over its gaps | F-11 |
//! | never accessed | `b` | |

mod exact;
mod golden_ratio;
mod sum;

pub use exact::{SequenceCost, cyclic_cost, sequence_cost};
pub use golden_ratio::{
    GOLDEN_BEST, GOLDEN_WORST, golden_ratio_limit_cost, golden_ratio_position, golden_ratio_small_rate_ratio,
};

use crate::instance::Instance;
use crate::parallel::map_pieces;
use crate::special::phi;
use sum::Sum;

/// Law F-3 (CLW Theorem 3.3): the least cost of any policy that accesses page `i` with frequency `frequencies[i]`.
///
/// `C = sum a (q - b) + sum a x phi(b/x)`, where a page with `x = 0` contributes `a b`. It is reached if the accesses to
/// every page are evenly spaced, which is possible only for special frequencies (law F-18).
///
/// # Panics
/// If there is not one frequency per page.
#[must_use]
pub fn even_spacing_cost(instance: &Instance, frequencies: &[f64]) -> f64 {
    cost_of(instance, frequencies, even_spacing_psi)
}

/// Law F-9 (CLW Lemma 4.1): the exact cost if every access goes to page `i` with probability `frequencies[i]`.
///
/// # Panics
/// If there is not one frequency per page.
#[must_use]
pub fn randomised_cost(instance: &Instance, frequencies: &[f64]) -> f64 {
    cost_of(instance, frequencies, randomised_psi)
}

/// Law F-3 for one page: the least fraction of time its copy can be out of date.
///
/// `q = mu E[X]`, `decay = -ln h(mu)`, `deficit = q - decay` without cancellation
/// ([`AccessTime::deficit`](crate::AccessTime::deficit)).
#[must_use]
pub fn even_spacing_stale(q: f64, decay: f64, deficit: f64, frequency: f64) -> f64 {
    stale(q, deficit, frequency, even_spacing_psi(decay, frequency))
}

/// Law F-9 for one page: the fraction of time its copy is out of date if every access goes to it with probability
/// `frequency`. The other arguments are those of [`even_spacing_stale`].
#[must_use]
pub fn randomised_stale(q: f64, decay: f64, deficit: f64, frequency: f64) -> f64 {
    stale(q, deficit, frequency, randomised_psi(decay, frequency))
}

/// CLW (17): what the lower bound of Theorem 3.4 tends to when ever more pages share the total change rate `mu`.
///
/// With `c_i = c0 mu_i`, `total_weight = c0 mu` and `q = mu E[X]` it is
/// `c0 (mu - 1/E[X] + e^-q/E[X]) = total_weight phi(q)/q`: only the mean of the access time is left.
#[must_use]
pub fn many_pages_limit(total_weight: f64, q: f64) -> f64 {
    if q > 0.0 { total_weight * phi(q) / q } else { 0.0 }
}

/// `(sum c - C)/(sum c - C*)`: the share of the freshness within reach that a policy of cost `C` attains, where `C*` is
/// the bound.
///
/// It says more than `C/C*` when pages change so fast that every cost is near `sum c`. If nothing is within reach,
/// nothing is missed, and it is one.
#[must_use]
pub fn freshness_ratio(total_weight: f64, cost: f64, bound: f64) -> f64 {
    let within_reach = total_weight - bound;
    if within_reach > 0.0 { (total_weight - cost) / within_reach } else { 1.0 }
}

/// `sum a (q - b) + sum a psi(b, x)`, on all cores.
fn cost_of(instance: &Instance, frequencies: &[f64], psi: impl Fn(f64, f64) -> f64 + Sync) -> f64 {
    assert_eq!(frequencies.len(), instance.len(), "there must be one frequency per page");
    let (values, decays) = (instance.values(), instance.decays());
    let pieces = map_pieces(instance.len(), |range| {
        range.map(|i| values[i] * psi(decays[i], frequencies[i])).collect::<Sum>().total()
    });
    instance.unavoidable_cost() + pieces.into_iter().collect::<Sum>().total()
}

/// `x phi(b/x)`; for large `b/x` as `b - x (1 - e^(-b/x))`, which does not overflow when `x` is next to nothing.
fn even_spacing_psi(b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return b;
    }
    let u = b / x;
    if u < 1.0 { x * phi(u) } else { b + x * (-u).exp_m1() }
}

/// `b - x (1-h)/(1 - h + x h)` with `h = e^-b`, written as a quotient of sums of terms that are not negative.
fn randomised_psi(b: f64, x: f64) -> f64 {
    if x <= 0.0 || b <= 0.0 {
        return b;
    }
    let missed = -(-b).exp_m1();
    ((1.0 - x) * b * missed + x * phi(b)) / (missed + x * (-b).exp())
}

/// `r = (q - b + psi)/q`: never stale if the page never changes, always if it changes and is never accessed.
fn stale(q: f64, deficit: f64, frequency: f64, psi: f64) -> f64 {
    if q <= 0.0 {
        return 0.0;
    }
    if frequency <= 0.0 {
        return 1.0;
    }
    ((deficit + psi) / q).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests;
