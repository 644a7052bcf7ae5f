//! The inverse of `G`, the inner loop of every optimisation.
//!
//! In terms of the lower branch of Lambert's function `G^-1(p) = -1 - W_{-1}((p - 1)/e)`, a form that loses all digits for
//! small `p`. Here the start comes from a table of two short Taylor expansions, or for small `p` from the series about the
//! branch point, and one step of Halley's method takes it to the last digits: at most one exponential and no logarithm.

use std::sync::LazyLock;

use super::{g, horner};

/// Below this `p` the series about the branch point is exact to rounding.
const SERIES_BELOW: f64 = 1.0 / 256.0;

/// Complements below this are too rare for a table.
const TABLE_FROM: f64 = 1.0 / (1u64 << 60) as f64;

/// Nodes per octave, as a power of two.
const NODE_BITS: u32 = 5;

/// Bits of a number below those that choose its node.
const REST_BITS: u32 = 52 - NODE_BITS;

/// The `u` with `G(u) = p`, where `complement` is `1 - p`.
///
/// Both are asked for because a `p` near one cannot hold what its complement can: `u` is finite for every positive
/// complement.
#[must_use]
pub fn g_inverse(p: f64, complement: f64) -> f64 {
    GInverse::get().of(p, complement)
}

/// [`g_inverse`] with its table at hand, for loops over many pages.
#[derive(Clone, Copy, Debug)]
pub struct GInverse {
    table: &'static Table,
}

#[derive(Debug)]
struct Table {
    /// `u` at the middle of each node of `p` from [`SERIES_BELOW`] to 1/2.
    small: Vec<f64>,
    /// `u` at the middle of each node of `1 - p` from [`TABLE_FROM`] to 1/2.
    large: Vec<f64>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| Table {
    small: nodes(SERIES_BELOW).map(|p| from_logarithm(-(-p).ln_1p())).collect(),
    large: nodes(TABLE_FROM).map(|complement| from_logarithm(-complement.ln())).collect(),
});

impl GInverse {
    /// The table, made at first use.
    #[must_use]
    pub fn get() -> Self {
        Self { table: &TABLE }
    }

    /// [`g_inverse`].
    #[must_use]
    pub fn of(self, p: f64, complement: f64) -> f64 {
        if complement <= 0.0 {
            return f64::INFINITY;
        }
        if p < SERIES_BELOW {
            let r = (2.0 * p.max(0.0)).sqrt();
            return r * horner(&BRANCH_SERIES, r);
        }
        if p < 0.5 {
            return self.middle(p);
        }
        if complement < TABLE_FROM {
            return from_logarithm(-complement.ln());
        }
        self.large(complement)
    }

    /// Halley on `G(u) = p`.
    fn middle(self, p: f64) -> f64 {
        let (node, index) = node_of(p, SERIES_BELOW);
        let u0 = self.table.small[index];
        // du/dp = e^u/u = (1 + u)/(u (1 - p)) =: s, and d2u/dp2 = s^2 (1 - 1/u).
        let s = (1.0 + u0) / (u0 * (1.0 - node));
        let step = s * (p - node);
        let u = u0 + step * (1.0 + 0.5 * step * (1.0 - 1.0 / u0));
        let gain = g(u);
        // G' = u e^-u = u (1 - G)/(1 + u) and G''/G' = (1 - u)/u.
        let newton = (gain - p) * (1.0 + u) / (u * (1.0 - gain));
        u - newton / (1.0 - 0.5 * newton * (1.0 - u) / u)
    }

    /// Halley on `F(u) = u - ln(1 + u) + ln(1 - p)`, whose value is `-ln(1 + rho)` with `rho = (1 + u) e^-u/(1 - p) - 1`.
    fn large(self, complement: f64) -> f64 {
        let (node, index) = node_of(complement, TABLE_FROM);
        let u0 = self.table.large[index];
        let d = (complement - node) / node;
        let l = -d * (1.0 - d * (0.5 - d * (1.0 / 3.0)));
        // With L = -ln(1 - p): du/dL = (1 + u)/u, d2u/dL2 = -(1 + u)/u^3.
        let inverse = 1.0 / u0;
        let u = u0 + l * (1.0 + u0) * inverse * (1.0 - 0.5 * l * inverse * inverse);
        let rho = (1.0 + u) * (-u).exp() / complement - 1.0;
        let newton = -rho * (1.0 - 0.5 * rho) * (1.0 + u) / u;
        // F''/F' = 1/(u (1 + u)).
        u - newton / (1.0 - 0.5 * newton / (u * (1.0 + u)))
    }
}

/// The middle of the node that holds `x`, and its position among those from `first` on.
fn node_of(x: f64, first: f64) -> (f64, usize) {
    let place = x.to_bits() >> REST_BITS;
    let middle = f64::from_bits((place << REST_BITS) | (1 << (REST_BITS - 1)));
    (middle, (place - (first.to_bits() >> REST_BITS)) as usize)
}

/// The middles of all nodes from `first` to 1/2.
fn nodes(first: f64) -> impl Iterator<Item = f64> {
    let places = first.to_bits() >> REST_BITS..=0.5f64.to_bits() >> REST_BITS;
    places.map(|place| f64::from_bits((place << REST_BITS) | (1 << (REST_BITS - 1))))
}

/// The root of `u - ln(1 + u) = l`, by Halley's method from an asymptotic start, as often as it takes.
fn from_logarithm(l: f64) -> f64 {
    let mut u = if l < 0.5 { (2.0 * l).sqrt() } else { l + (1.0 + l + l.ln_1p()).ln() };
    for _ in 0..50 {
        let newton = (super::x_minus_ln1p(u) - l) * (1.0 + u) / u;
        let step = newton / (1.0 - 0.5 * newton / (u * (1.0 + u)));
        u -= step;
        if step.abs() <= 1e-16 * u {
            break;
        }
    }
    u
}

/// Coefficients of `u/r` in powers of `r = sqrt(2p)`, about the branch point.
const BRANCH_SERIES: [f64; BRANCH_TERMS] = branch_series();

/// The first term left out is below 1e-18 at [`SERIES_BELOW`].
const BRANCH_TERMS: usize = 14;

/// From `r dr = u e^-u du` and `e^u = (1 + u)/(1 - r^2/2)`: `u u' (1 - r^2/2) = r (1 + u)`, solved power by power.
const fn branch_series() -> [f64; BRANCH_TERMS] {
    // c[k] is the coefficient of r^k; product[n] that of r^n in u u'.
    let mut c = [0.0; BRANCH_TERMS + 1];
    let mut product = [0.0; BRANCH_TERMS + 1];
    c[1] = 1.0;
    product[1] = 1.0;
    let mut n = 2;
    while n <= BRANCH_TERMS {
        product[n] = c[n - 1] + 0.5 * product[n - 2];
        let mut known = 0.0;
        let mut i = 2;
        while i < n {
            known += (n + 1 - i) as f64 * c[i] * c[n + 1 - i];
            i += 1;
        }
        c[n] = (product[n] - known) / (n + 1) as f64;
        n += 1;
    }
    let mut series = [0.0; BRANCH_TERMS];
    let mut k = 0;
    while k < BRANCH_TERMS {
        series[k] = c[k + 1];
        k += 1;
    }
    series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branch_series_is_that_of_lambert() {
        // Corless et al., On the Lambert W function (1996), (4.22), with all signs made positive.
        let known = [1.0, 1.0 / 3.0, 11.0 / 72.0, 43.0 / 540.0, 769.0 / 17_280.0, 221.0 / 8_505.0];
        for (ours, theirs) in BRANCH_SERIES.iter().zip(known) {
            assert!((ours / theirs - 1.0).abs() < 1e-14, "{ours} {theirs}");
        }
    }

    #[test]
    fn no_seam_between_the_ranges() {
        for p in [SERIES_BELOW, 0.5] {
            let (below, above) = (p * (1.0 - 1e-15), p);
            assert!((g_inverse(below, 1.0 - below) / g_inverse(above, 1.0 - above) - 1.0).abs() < 1e-13, "{p}");
        }
        let (above, below) = (g_inverse(1.0, TABLE_FROM), g_inverse(1.0, TABLE_FROM * (1.0 - 1e-15)));
        assert!((above / below - 1.0).abs() < 1e-14);
    }
}
