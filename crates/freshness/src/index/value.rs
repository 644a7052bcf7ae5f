//! Law F-17: what an access to a page is worth now.

use crate::special::{g, phi};

/// Law F-17, the index in continuous time: `W(t) = (c/mu) G(mu t)`, where `G(u) = 1 - (1 + u) e^-u`, `rate` is `mu`,
/// `weight` is `c` and `age` the time `t` since the last access.
///
/// It is the saving of an access now, net of what waiting a little longer would still save; `W = lambda` gives back
/// condition (8) of CLW. A page never accessed has infinite age and `W = c/mu`, the largest it can get. The two ends:
/// - weight zero gives 0: the copy does not matter;
/// - rate zero gives 0 after the first access, for the copy stays current, and infinity before it: a copy that stays
///   current for ever is worth more than any that does not.
#[must_use]
pub fn continuous_index(rate: f64, weight: f64, age: f64) -> f64 {
    if weight <= 0.0 {
        return 0.0;
    }
    if rate <= 0.0 {
        return if age == f64::INFINITY { f64::INFINITY } else { 0.0 };
    }
    weight / rate * g(rate * age.max(0.0))
}

/// Law F-17, the index in access counts: `W(d) = a [1 - h^d (1 + d (1 - h))]` with `h = e^-b`, where `value` is `a`,
/// `decay` is `b` and `gap` is `d`, the distance to the last access if the page is accessed now.
///
/// `W(d) = lambda` is where a gap of `d` accesses and one of `d + 1` cost the same when an access costs `lambda`.
/// Written as `a [G(b d) + d e^(-b d) phi(b)]`, which does not cancel.
#[must_use]
pub fn discrete_index(value: f64, decay: f64, gap: f64) -> f64 {
    let u = decay * gap;
    if value <= 0.0 || gap == f64::INFINITY || u > 700.0 {
        return value.max(0.0);
    }
    value * (g(u) + gap * (-u).exp() * phi(decay))
}
