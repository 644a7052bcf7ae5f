//! The few functions everything else is made of, each accurate to a few units in the last place over its whole range.

mod g_inverse;

pub use g_inverse::{GInverse, g_inverse};

/// Below this the defining formula of [`g`] and [`phi`] loses digits and their series is used.
const SERIES_BELOW: f64 = 0.5;

/// Terms of those series; the first one left out is below 1e-17 of the sum at [`SERIES_BELOW`].
const TERMS: usize = 15;

/// `(-1)^n (n-1)/n!` from `n = 2`, the coefficients of `G`.
const G_SERIES: [f64; TERMS] = alternating_series(true);

/// `(-1)^n/n!` from `n = 2`, the coefficients of `phi`.
const PHI_SERIES: [f64; TERMS] = alternating_series(false);

const fn alternating_series(times_n_minus_1: bool) -> [f64; TERMS] {
    let mut series = [0.0; TERMS];
    let (mut k, mut term) = (0, 1.0);
    while k < TERMS {
        let n = k as f64 + 2.0;
        term /= -n;
        series[k] = if times_n_minus_1 { -term * (n - 1.0) } else { -term };
        k += 1;
    }
    series
}

/// Law F-5, the gain function `G(u) = 1 - (1 + u) e^-u`.
///
/// `(c/mu) G(mu t)` is the index of a page `t` after its last access. For small `u` the series
/// `sum_{n>=2} (-1)^n (n-1)/n! u^n` is used: the formula would cancel.
#[must_use]
pub fn g(u: f64) -> f64 {
    if u < SERIES_BELOW {
        return u * u * horner(&G_SERIES, u);
    }
    1.0 - complement_of_g(u)
}

/// `1 - G(u) = (1 + u) e^-u`, which keeps its digits where `G(u)` rounds to one.
#[must_use]
pub fn complement_of_g(u: f64) -> f64 {
    if u == f64::INFINITY {
        return 0.0;
    }
    (1.0 + u) * (-u).exp()
}

/// `phi(u) = u - 1 + e^-u`, the expected stale time of an interval of length `u` in units of the mean time between changes.
#[must_use]
pub fn phi(u: f64) -> f64 {
    if u < SERIES_BELOW {
        return u * u * horner(&PHI_SERIES, u);
    }
    u - 1.0 + (-u).exp()
}

/// `x - ln(1 + x)` for `x > -1`, without cancellation near zero.
#[must_use]
pub fn x_minus_ln1p(x: f64) -> f64 {
    if x.abs() > 0.1 {
        return x - x.ln_1p();
    }
    // With r = x/(2+x): ln(1+x) = 2 atanh r, and x - 2 atanh r = x r - 2 (r^3/3 + r^5/5 + ...).
    let r = x / (2.0 + x);
    let r2 = r * r;
    const C: [f64; 7] = [1.0 / 3.0, 1.0 / 5.0, 1.0 / 7.0, 1.0 / 9.0, 1.0 / 11.0, 1.0 / 13.0, 1.0 / 15.0];
    x * r - 2.0 * r * r2 * horner(&C, r2)
}

/// `c[0] + c[1] x + c[2] x^2 + ...`
fn horner(c: &[f64], x: f64) -> f64 {
    c.iter().rev().fold(0.0, |sum, &coefficient| sum * x + coefficient)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn g_and_phi_have_no_seam_where_the_series_ends() {
        for f in [g, phi] {
            let (below, above) = (f(SERIES_BELOW * (1.0 - 1e-15)), f(SERIES_BELOW));
            assert!((below / above - 1.0).abs() < 2e-14, "{below} {above}");
        }
    }

    #[test]
    fn x_minus_ln1p_has_no_seam() {
        for x in [0.1, -0.1] {
            let (small, large) = (x_minus_ln1p(x), x - f64::ln_1p(x));
            assert!((small / large - 1.0).abs() < 1e-14);
        }
    }

    #[test]
    fn g_inverse_at_its_ends() {
        assert_eq!(g_inverse(0.0, 1.0), 0.0);
        assert_eq!(g_inverse(1.0, 0.0), f64::INFINITY);
        let u = g_inverse(1.0, complement_of_g(700.0));
        assert!((u / 700.0 - 1.0).abs() < 1e-14, "{u}");
    }

    proptest! {
        /// F-5: the inverse returns what was put in, from 1e-150 to 700, to the conditioning of G.
        #[test]
        fn g_inverse_undoes_g(exponent in -150.0f64..2.84) {
            let u = 10f64.powf(exponent);
            let back = g_inverse(g(u), complement_of_g(u));
            prop_assert!((back / u - 1.0).abs() < 4e-15, "{} {}", u, back);
        }

        #[test]
        fn x_minus_ln1p_is_its_integral(x in -0.09f64..0.09) {
            // d/dx = x/(1+x): Simpson's rule on the derivative, independent of the series.
            let n = 64;
            let step = x / f64::from(n);
            let f = |t: f64| t / (1.0 + t);
            let sum: f64 = (0..n)
                .map(|i| {
                    let t = f64::from(i) * step;
                    (f(t) + 4.0 * f(t + step / 2.0) + f(t + step)) * step / 6.0
                })
                .sum();
            prop_assert!((x_minus_ln1p(x) - sum).abs() <= 1e-11 * sum.abs());
        }
    }
}
