//! The exact cost of long golden-ratio sequences, and what they guarantee.

use super::cost_of;
use crate::instance::Instance;
use crate::special::phi;

/// Law F-14: the largest that the cost of the golden-ratio sequence over the bound becomes for a page, `phi^5/10 = 1.1090`,
/// as its frequency and its change rate go to zero.
///
/// CLW Corollary 5.1 prints `2 phi^2/5` here. That is the least, [`GOLDEN_BEST`]; Theorem 5.1 with its bound (18) has the
/// same fault. For a page that gets half of all accesses or more the ratio reaches `9/8`, at `f = 3/4`, where no other
/// sequence can do better.
pub const GOLDEN_WORST: f64 = PHI_2 * PHI_2 * GOLDEN_RATIO / 10.0;

/// Law F-14: the least that this ratio becomes for rare changes, `2 phi^2/5 = 1.0472`, where the frequency is a power of
/// `1/phi`.
pub const GOLDEN_BEST: f64 = 2.0 * PHI_2 / 5.0;

/// The golden ratio `phi = (1 + sqrt 5)/2`.
const GOLDEN_RATIO: f64 = 1.618_033_988_749_895;

/// `phi^2 = phi + 1`.
const PHI_2: f64 = GOLDEN_RATIO + 1.0;

/// Fibonacci numbers `F_0 = 0, F_1 = 1, ...`; frequencies below `1/F_255 = 1e-53` are taken for zero.
const FIBONACCI: [f64; 258] = fibonacci();

const fn fibonacci() -> [f64; 258] {
    let mut f = [0.0; 258];
    f[1] = 1.0;
    let mut n = 2;
    while n < f.len() {
        f[n] = f[n - 1] + f[n - 2];
        n += 1;
    }
    f
}

/// `phi^-n = 1/(phi F_n + F_{n-1})` for `n >= 1`, consistent with [`FIBONACCI`] to the last digits.
fn power(n: usize) -> f64 {
    (GOLDEN_RATIO * FIBONACCI[n] + FIBONACCI[n - 1]).recip()
}

/// Law F-13: the exact limit, for cycles `F_k` of growing length, of the cost of the golden-ratio sequence `gamma(k, N)`
/// with the given frequencies. Valid for any weights.
///
/// Accesses to a page of frequency `f` are `F_j`, `F_{j+1}` or `F_{j+2}` apart, `phi^-j <= f <= phi^-(j-1)`, and
///
/// ```text
/// psi = (f - phi^-j) phi(b F_j) + (f - phi^-(j+1)) phi(b F_{j+1}) + (phi^-(j-1) - f) phi(b F_{j+2})
/// ```
///
/// This is the formula of CLW section 5 with `j = ceil(-log_phi f)`. The `j` printed there, `floor(log_phi f)`, is
/// negative, and with its sign mended it would make the first weight negative.
///
/// # Panics
/// If there is not one frequency per page.
#[must_use]
pub fn golden_ratio_limit_cost(instance: &Instance, frequencies: &[f64]) -> f64 {
    cost_of(instance, frequencies, golden_psi)
}

/// The position `t = f phi^j` of a frequency between two powers of `1/phi`, from 1 to `phi`.
#[must_use]
pub fn golden_ratio_position(frequency: f64) -> f64 {
    match octave(frequency) {
        Some(j) => (frequency.min(1.0) / power(j)).clamp(1.0, GOLDEN_RATIO),
        None => 1.0,
    }
}

/// Law F-14: the cost of the golden-ratio sequence over the bound for a page at the given
/// [position](golden_ratio_position), as frequency and change rate go to zero: `(2 phi/5) t (phi^2 - t)`.
///
/// It is [`GOLDEN_BEST`] at both ends and [`GOLDEN_WORST`] at `t = phi^2/2`; its mean over positions uniform in `ln t` is
/// `phi^2/(5 ln phi) = 1.0881`.
#[must_use]
pub fn golden_ratio_small_rate_ratio(position: f64) -> f64 {
    0.4 * GOLDEN_RATIO * position * (PHI_2 - position)
}

fn golden_psi(b: f64, f: f64) -> f64 {
    match gaps(f) {
        Some(gaps) => gaps.iter().map(|&(gap, weight)| weight * phi(b * gap)).sum(),
        None => b,
    }
}

/// The three gaps of a page of frequency `f`, each with the number of times it occurs per access to any page.
/// The weights add up to `f`, and weights times gaps to one.
fn gaps(f: f64) -> Option<[(f64, f64); 3]> {
    let j = octave(f)?;
    let f = f.min(1.0);
    let weights = [f - power(j), f - power(j + 1), power(j) + power(j + 1) - f];
    Some(std::array::from_fn(|n| (FIBONACCI[j + n], weights[n].max(0.0))))
}

/// The `j >= 1` with `phi^-j <= f <= phi^-(j-1)`.
fn octave(f: f64) -> Option<usize> {
    if f <= 1.0 / FIBONACCI[255] {
        return None;
    }
    // Next to a power of phi rounding may give the neighbour, which has the same gaps but one of weight zero.
    Some((-f.ln() / GOLDEN_RATIO.ln()).ceil().max(1.0) as usize)
}

#[cfg(test)]
mod tests;
