//! The prior of a site, learned from its pages.

use super::evidence::Evidence;
use super::prior::Prior;

/// Pages kept of each pool. The logarithm of the median is then known to about an eighth of the spread.
const SAMPLE: usize = 64;

/// Pages that the fallback counts for in the median.
const FALLBACK_PAGES_IN_MEDIAN: f64 = 1.0;

/// Pages that the fallback counts for in the spread.
const FALLBACK_PAGES_IN_SPREAD: f64 = 2.0;

/// Rates of the pages of a site spread over no more than this: nine tenths of them within seven decades. Without a limit a page
/// of which only changes have been seen, in no time, would drag the prior along.
const MOST_SPREAD: f64 = 5.0;

/// Rounds after which the fit has converged, or has come as close as a sample that says so little allows.
const MOST_ROUNDS: usize = 100;

/// Law F-26: the prior of a group of pages (a site, or a path pattern of it: the caller decides), fitted to what is
/// known of all of them.
///
/// Keeps the evidence of the 64 pages whose keys hash lowest: a uniform sample of the pages, whatever the order and
/// number of their visits, always up to date, of bounded size, and mergeable: the pool of two sets of pages is the same
/// whether they were observed together or apart.
///
/// [`PooledPrior::fit`] maximises the marginal likelihood of the sample under a lognormal law by
/// expectation-maximisation. Given the law, `ln mu_i` of page `i` is about normal with mean `ln m_i` and variance
/// `1/s_i` ([`Prior::given`], `m` the mean and `s` the shape); given those, the median of the law is the geometric mean
/// of the `m_i` and its variance the mean of `(ln m_i - ln median)^2 + 1/s_i`. The fallback takes part as one page in
/// the first and as two in the second: without pages it stays, and ten pages outvote it.
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

    /// The prior of this group of pages, where `fallback` is what one would believe without it: the prior of a larger
    /// group, or [`Prior::unknown`].
    ///
    /// A fraction of a millisecond for a full sample: to be called now and then, not at every visit.
    #[must_use]
    pub fn fit(&self, fallback: &Prior) -> Prior {
        let mut prior = *fallback;
        for _ in 0..MOST_ROUNDS {
            let next = self.round(&prior, fallback);
            let step = (next.ln_median() - prior.ln_median()).abs() + (next.variance() / prior.variance()).ln().abs();
            prior = next;
            if step < 1e-6 {
                break;
            }
        }
        prior
    }

    /// One round of expectation and maximisation.
    fn round(&self, prior: &Prior, fallback: &Prior) -> Prior {
        // Changes without any time in which to see them do not say how often they come.
        let telling = self.sample.iter().filter(|(_, page)| page.exposure() > 0.0);
        let estimates = telling.map(|(_, page)| page.estimate(prior)).map(|e| (e.mean().ln(), 1.0 / e.shape()));
        let estimates: Vec<(f64, f64)> = estimates.collect();
        let n = estimates.len() as f64;
        let sum_of_logs: f64 = estimates.iter().map(|(ln_mean, _)| ln_mean).sum();
        let ln_median =
            (sum_of_logs + FALLBACK_PAGES_IN_MEDIAN * fallback.ln_median()) / (n + FALLBACK_PAGES_IN_MEDIAN);
        let sum_of_squares: f64 =
            estimates.iter().map(|(ln_mean, variance)| (ln_mean - ln_median).powi(2) + variance).sum();
        let variance =
            (sum_of_squares + FALLBACK_PAGES_IN_SPREAD * fallback.variance()) / (n + FALLBACK_PAGES_IN_SPREAD);
        Prior::from_logs(ln_median, variance.min(MOST_SPREAD * MOST_SPREAD))
    }
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
