//! The prior of a site, learned from its pages.

use super::estimate::RateEstimate;
use super::evidence::Evidence;
use super::incomplete_gamma::ln_gamma;
use super::root::increasing_root;

/// Pages kept of each pool. The mean and the shape of the prior are then known to about an eighth, and an error of that size in
/// the prior is worth less than one visit to each page.
const SAMPLE: usize = 64;

/// Standard deviation of `ln mean` around that of the fallback: a factor of ten.
const SPREAD_OF_MEAN: f64 = std::f64::consts::LN_10;

/// Standard deviation of `ln shape` around that of the fallback: a factor of two.
const SPREAD_OF_SHAPE: f64 = std::f64::consts::LN_2;

/// The range in which the shape is looked for, as logarithms: from 1/20 to 20.
const LN_SHAPES: (f64, f64) = (-3.0, 3.0);

/// Law F-26: the prior of a group of pages (a site, or a path pattern of it: the caller decides), fitted to what is known of
/// all of them.
///
/// Keeps the evidence of the 64 pages whose keys hash lowest: a uniform sample of the pages, whatever the order and number of
/// their visits, always up to date, of bounded size, and mergeable: the pool of two sets of pages is the same whether
/// they were observed together or apart.
///
/// Page `i` with `k` changes in `t` has marginal likelihood
/// `Gamma(a + k)/Gamma(a) b^a/(b + t)^(a + k)` under the prior with shape `a` and rate `b`; [`PooledPrior::fit`] maximises the product
/// over the sample, times a lognormal penalty around the fallback, of a factor ten for the mean and two for the shape.
/// So no page gives back the fallback, one page moves it a little, and fifty decide.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PooledPrior {
    /// Sorted by hash, each hash once.
    sample: Vec<(u64, Evidence)>,
}

impl PooledPrior {
    /// A pool without pages.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of pages kept, at most 64.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sample.len()
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sample.is_empty()
    }

    /// Takes in all that is known now of a page. `key` names the page and must not change; any numbering will do.
    pub fn observe(&mut self, key: u64, evidence: Evidence) {
        self.insert((mix(key), evidence), |_| true);
    }

    /// Forgets a page that is no longer there.
    pub fn forget(&mut self, key: u64) {
        let hash = mix(key);
        self.sample.retain(|&(kept, _)| kept != hash);
    }

    /// Adds the pages of another pool. Of a page that is in both the longer exposure counts.
    pub fn merge(&mut self, other: &Self) {
        for &entry in &other.sample {
            self.insert(entry, |here| entry.1.exposure() > here.exposure());
        }
    }

    fn insert(&mut self, entry: (u64, Evidence), replaces: impl Fn(&Evidence) -> bool) {
        match self.sample.binary_search_by_key(&entry.0, |&(hash, _)| hash) {
            Ok(at) if replaces(&self.sample[at].1) => self.sample[at].1 = entry.1,
            Ok(_) => {}
            Err(at) if at < SAMPLE => {
                self.sample.truncate(SAMPLE - 1);
                self.sample.insert(at, entry);
            }
            Err(_) => {}
        }
    }

    /// The prior of this group of pages, where `fallback` is what one would believe without it: the prior of a larger group, or
    /// [`RateEstimate::unknown`].
    ///
    /// For each shape the best rate is the root of a monotone function; the shape is found by golden-section search. About
    /// a tenth of a millisecond for a full sample: call it now and then, not at every visit.
    #[must_use]
    pub fn fit(&self, fallback: &RateEstimate) -> RateEstimate {
        let fit = Fit { pages: &self.sample, ln_mean: fallback.mean().ln(), ln_shape: fallback.shape().ln() };
        if self.is_empty() || !fit.ln_mean.is_finite() {
            return *fallback;
        }
        let (low, high) = (LN_SHAPES.0.min(fit.ln_shape), LN_SHAPES.1.max(fit.ln_shape));
        let ln_shape = golden_section(low, high, |ln_shape| fit.value(ln_shape, fit.best_ln_rate(ln_shape)));
        RateEstimate::clamped(ln_shape.exp(), fit.best_ln_rate(ln_shape).exp())
    }
}

/// The penalised marginal likelihood of a sample.
struct Fit<'a> {
    pages: &'a [(u64, Evidence)],
    ln_mean: f64,
    ln_shape: f64,
}

impl Fit<'_> {
    fn evidence(&self) -> impl Iterator<Item = (f64, f64)> {
        self.pages.iter().map(|(_, page)| (f64::from(page.changes()), f64::from(page.exposure())))
    }

    /// `sum_i ln[Gamma(a + k)/Gamma(a) b^a/(b + t)^(a + k)]` less the penalty.
    fn value(&self, ln_shape: f64, ln_rate: f64) -> f64 {
        let (a, b) = (ln_shape.exp(), ln_rate.exp());
        let at_shape = ln_gamma(a);
        let ln_likelihood: f64 =
            self.evidence().map(|(k, t)| ln_gamma(a + k) - at_shape - k * (b + t).ln() - a * (t / b).ln_1p()).sum();
        let off_mean = (ln_shape - ln_rate - self.ln_mean) / SPREAD_OF_MEAN;
        let off_shape = (ln_shape - self.ln_shape) / SPREAD_OF_SHAPE;
        ln_likelihood - 0.5 * (off_mean * off_mean + off_shape * off_shape)
    }

    /// The root of the derivative by `ln b`, `sum_i [a - (a + k) b/(b + t)] + penalty'`, which decreases in `ln b`.
    fn best_ln_rate(&self, ln_shape: f64) -> f64 {
        let a = ln_shape.exp();
        let start = ln_shape - self.ln_mean;
        let precision = SPREAD_OF_MEAN.powi(-2);
        let minus_slope = |ln_rate: f64| {
            let b = ln_rate.exp();
            let penalty = ((ln_rate - start) * precision, precision);
            self.evidence().fold(penalty, |(value, slope), (k, t)| {
                let share = b / (b + t);
                (value + (a + k) * share - a, slope + (a + k) * share * (1.0 - share))
            })
        };
        increasing_root(start - 700.0, start + 700.0, start, minus_slope)
    }
}

/// The place of the maximum of a function with a single peak, to 1e-4.
fn golden_section(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    const SHRINK: f64 = 0.618_033_988_749_894_9;
    let (mut left, mut right) = (high - SHRINK * (high - low), low + SHRINK * (high - low));
    let (mut at_left, mut at_right) = (f(left), f(right));
    while high - low > 1e-4 {
        if at_left > at_right {
            (high, right, at_right) = (right, left, at_left);
            left = high - SHRINK * (high - low);
            at_left = f(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = low + SHRINK * (high - low);
            at_right = f(right);
        }
    }
    0.5 * (low + high)
}

/// Steele, Lea and Flood's finaliser (splitmix64): a fixed bijection that scatters neighbouring keys.
fn mix(key: u64) -> u64 {
    let mut z = key.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests;
