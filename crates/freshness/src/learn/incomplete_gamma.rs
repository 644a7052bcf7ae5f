//! The regularised incomplete gamma functions and their inverses: the tails of the law that every estimate follows.

use super::root::increasing_root;
use crate::special::x_minus_ln1p;

/// From this shape on a quantile is taken from Wilson and Hilferty's formula, whose relative error is then below 1e-10.
const HUGE_SHAPE: f64 = 1e7;

/// Terms or levels after which series and fraction have converged for every shape below [`HUGE_SHAPE`].
const MOST_TERMS: usize = 100_000;

/// `ln Gamma(a) - [(a - 1/2) ln a - a + ln(2 pi)/2]`, the error of Stirling's formula, for `a >= 10`.
fn stirling_error(a: f64) -> f64 {
    const C: [f64; 6] = [1.0 / 12.0, -1.0 / 360.0, 1.0 / 1260.0, -1.0 / 1680.0, 1.0 / 1188.0, -691.0 / 360_360.0];
    let z = 1.0 / (a * a);
    C.iter().rev().fold(0.0, |sum, c| sum * z + c) / a
}

/// `ln Gamma(a)` for `a > 0`, by Stirling's series after shifting the argument above 10.
pub(super) fn ln_gamma(a: f64) -> f64 {
    let (mut a, mut product) = (a, 1.0);
    while a < 10.0 {
        product *= a;
        a += 1.0;
    }
    let half_ln_tau = 0.918_938_533_204_672_8;
    (a - 0.5) * a.ln() - a + half_ln_tau + stirling_error(a) - product.ln()
}

/// `x^a e^-x / Gamma(a + 1)`, without the cancellation of its three large logarithms when `a` is large.
fn density_factor(a: f64, x: f64) -> f64 {
    if a < 10.0 {
        return (a * x.ln() - x - ln_gamma(a + 1.0)).exp();
    }
    // a ln x - x = a ln a - a - a [t - ln(1 + t)] with t = x/a - 1.
    let t = (x - a) / a;
    (-a * x_minus_ln1p(t) - stirling_error(a)).exp() / (std::f64::consts::TAU * a).sqrt()
}

/// `P(a, x) = (1/Gamma(a)) int_0^x s^(a-1) e^-s ds` and its complement `Q(a, x)`, for `a > 0`, `x >= 0`; the smaller of
/// the two keeps its digits.
pub(super) fn lower_and_upper(a: f64, x: f64) -> (f64, f64) {
    if x <= 0.0 {
        return (0.0, 1.0);
    }
    if x == f64::INFINITY {
        return (1.0, 0.0);
    }
    if a == 1.0 {
        return (-(-x).exp_m1(), (-x).exp());
    }
    let factor = density_factor(a, x);
    if x < a + 1.0 {
        let p = factor * lower_series(a, x);
        return (p, 1.0 - p);
    }
    let q = factor * a * upper_fraction(a, x);
    (1.0 - q, q)
}

/// `1 + x/(a+1) + x^2/((a+1)(a+2)) + ...`
fn lower_series(a: f64, x: f64) -> f64 {
    let (mut sum, mut term) = (1.0, 1.0);
    for n in 1..MOST_TERMS {
        term *= x / (a + n as f64);
        sum += term;
        if term < 1e-17 * sum {
            break;
        }
    }
    sum
}

/// Legendre's continued fraction `1/(x+1-a - 1(1-a)/(x+3-a - 2(2-a)/(x+5-a - ...)))`, by Lentz's method.
fn upper_fraction(a: f64, x: f64) -> f64 {
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (f64::MAX, 1.0 / b);
    let mut fraction = d;
    for n in 1..MOST_TERMS {
        let n = n as f64;
        let numerator = n * (a - n);
        b += 2.0;
        d = 1.0 / (b + numerator * d);
        c = b + numerator / c;
        let factor = c * d;
        fraction *= factor;
        if (factor - 1.0).abs() < 1e-16 {
            break;
        }
    }
    fraction
}

/// Which tail of a law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Tail {
    Lower,
    Upper,
}

/// The `x` that leaves probability `p` in the given tail of the gamma law of this shape and rate one.
pub(super) fn quantile(shape: f64, p: f64, tail: Tail) -> f64 {
    if p <= 0.0 || p >= 1.0 {
        return if (p <= 0.0) == (tail == Tail::Lower) { 0.0 } else { f64::INFINITY };
    }
    let start = quantile_start(shape, p, tail);
    if shape >= HUGE_SHAPE || start < 1e-280 {
        return start;
    }
    // Newton on the logarithm of the tail as a function of ln x, which is concave and nearly straight far out.
    let log_tail = |ln_x: f64| {
        let x = ln_x.exp();
        let (lower, upper) = lower_and_upper(shape, x);
        let density = shape * density_factor(shape, x);
        match tail {
            Tail::Lower => ((lower / p).ln(), density / lower),
            Tail::Upper => ((p / upper).ln(), density / upper),
        }
    };
    let centre = start.ln();
    increasing_root(centre - 700.0, centre.max(shape.ln()) + 12.0, centre, log_tail).exp()
}

/// Wilson and Hilferty's cube of a normal, or the leading term `(p Gamma(a+1))^(1/a)` where that fails.
fn quantile_start(shape: f64, p: f64, tail: Tail) -> f64 {
    let lower = if tail == Tail::Lower { p } else { 1.0 - p };
    let leading = ((lower.ln() + ln_gamma(shape + 1.0)) / shape).exp();
    if shape < 1.0 && lower < 0.5 {
        return leading;
    }
    let z = if tail == Tail::Lower { -normal_upper_quantile(p) } else { normal_upper_quantile(p) };
    let v = 1.0 / (9.0 * shape);
    let root = 1.0 - v + z * v.sqrt();
    if root < 0.1 { leading.min(shape) } else { shape * root.powi(3) }
}

/// The `z` with `P(Z > z) = p` for a standard normal `Z`, by Newton on the complementary error function from a rough
/// start.
fn normal_upper_quantile(p: f64) -> f64 {
    if p > 0.5 {
        return -normal_upper_quantile(1.0 - p);
    }
    // Abramowitz and Stegun 26.2.22, error below 3e-3.
    let t = (-2.0 * p.ln()).sqrt();
    let mut z = t - (2.30753 + 0.27061 * t) / (1.0 + t * (0.99229 + 0.04481 * t));
    for _ in 0..4 {
        // P(Z > z) = Q(1/2, z^2/2)/2 for z >= 0.
        let tail = if z > 0.0 { 0.5 * lower_and_upper(0.5, 0.5 * z * z).1 } else { 0.5 };
        let density = (-0.5 * z * z).exp() / std::f64::consts::TAU.sqrt();
        z += (tail - p) / density;
    }
    z
}

/// The `x` that a chi-square variable with one degree of freedom stays below with probability `level`.
pub(super) fn chi_square_1_quantile(level: f64) -> f64 {
    2.0 * quantile(0.5, 1.0 - level, Tail::Upper)
}

#[cfg(test)]
mod tests;
