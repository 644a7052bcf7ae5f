//! Running sums: moments, lag products, batch sizes. They add up across machines and can forget.

use std::collections::VecDeque;

/// Power sums of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moments {
    weight: f64,
    squared_weights: f64,
    sums: [f64; 3],
}

impl Moments {
    /// One more value.
    pub fn add(&mut self, x: f64) {
        self.weight += 1.0;
        self.squared_weights += 1.0;
        self.sums[0] += x;
        self.sums[1] += x * x;
        self.sums[2] += x * x * x;
    }

    /// All values so far weigh `factor` of what they did.
    pub fn forget(&mut self, factor: f64) {
        self.weight *= factor;
        self.squared_weights *= factor * factor;
        self.sums.iter_mut().for_each(|sum| *sum *= factor);
    }

    /// The values of `other` too.
    pub fn merge(&mut self, other: &Self) {
        self.weight += other.weight;
        self.squared_weights += other.squared_weights;
        self.sums.iter_mut().zip(other.sums).for_each(|(sum, more)| *sum += more);
    }

    /// The weight of all values: their number, if none was forgotten.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// How many equally weighted values would tell as much, `(sum w)^2 / sum w^2`.
    #[must_use]
    pub fn effective_size(&self) -> f64 {
        if self.weight > 0.0 { self.weight * self.weight / self.squared_weights } else { 0.0 }
    }

    /// `E[X], E[X^2], E[X^3]`; not numbers if there are no values.
    #[must_use]
    pub fn raw(&self) -> [f64; 3] {
        self.sums.map(|sum| sum / self.weight)
    }

    /// The mean.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.raw()[0]
    }

    /// The variance, of the sample itself (divided by its size).
    #[must_use]
    pub fn variance(&self) -> f64 {
        let [m1, m2, _] = self.raw();
        m2 - m1 * m1
    }

    /// The squared coefficient of variation.
    #[must_use]
    pub fn squared_variation(&self) -> f64 {
        self.variance() / (self.mean() * self.mean())
    }
}

impl FromIterator<f64> for Moments {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        let mut moments = Self::default();
        values.into_iter().for_each(|x| moments.add(x));
        moments
    }
}

/// Sums over pairs of values a fixed number of steps apart.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Pairs {
    weight: f64,
    product: f64,
    sum: f64,
}

/// Lag products of a sequence that may be interrupted.
#[derive(Clone, Debug, PartialEq)]
pub struct Lags {
    /// Latest first.
    recent: VecDeque<f64>,
    /// Lag one first.
    pairs: Vec<Pairs>,
}

impl Lags {
    /// For lags up to `longest`.
    #[must_use]
    pub fn new(longest: usize) -> Self {
        Self { recent: VecDeque::new(), pairs: vec![Pairs::default(); longest] }
    }

    /// The next value of the sequence.
    pub fn add(&mut self, x: f64) {
        for (pairs, y) in self.pairs.iter_mut().zip(&self.recent) {
            pairs.weight += 1.0;
            pairs.product += x * y;
            pairs.sum += x + y;
        }
        self.recent.push_front(x);
        self.recent.truncate(self.pairs.len());
    }

    /// What comes next has nothing to do with what came before.
    pub fn interrupt(&mut self) {
        self.recent.clear();
    }

    /// All pairs so far weigh `factor` of what they did.
    pub fn forget(&mut self, factor: f64) {
        for pairs in &mut self.pairs {
            pairs.weight *= factor;
            pairs.product *= factor;
            pairs.sum *= factor;
        }
    }

    /// The pairs of `other` too, as far as lags are kept here.
    pub fn merge(&mut self, other: &Self) {
        for (pairs, more) in self.pairs.iter_mut().zip(&other.pairs) {
            pairs.weight += more.weight;
            pairs.product += more.product;
            pairs.sum += more.sum;
        }
    }

    /// The correlations at lags one, two, ... of a sequence with the given moments,
    /// `rho_k = E[(X_0 - m)(X_k - m)]/v`, as far as there are pairs.
    #[must_use]
    pub fn correlations(&self, moments: &Moments) -> Vec<f64> {
        let (m, v) = (moments.mean(), moments.variance());
        let seen = self.pairs.iter().take_while(|pairs| pairs.weight > 0.0);
        seen.map(|pairs| ((pairs.product - m * pairs.sum) / pairs.weight + m * m) / v).collect()
    }
}

/// How often each batch size was seen, up to a largest; of larger ones how many there were, and their pages.
#[derive(Clone, Debug, PartialEq)]
pub struct BatchSizes {
    /// Size one first.
    counts: Vec<f64>,
    largest: usize,
    /// Weight of the batches that were larger.
    larger: f64,
    /// Their pages.
    pages: f64,
}

/// No law of batch sizes goes beyond this.
const LARGEST_OF_ALL: usize = 2000;

impl BatchSizes {
    /// Batches larger than `largest` (at least one) are counted together.
    #[must_use]
    pub fn new(largest: usize) -> Self {
        Self { counts: Vec::new(), largest: largest.max(1), larger: 0.0, pages: 0.0 }
    }

    /// One more batch of `size` pages.
    pub fn add(&mut self, size: usize) {
        if size > self.largest {
            self.larger += 1.0;
            self.pages += size as f64;
            return;
        }
        let size = size.max(1);
        if self.counts.len() < size {
            self.counts.resize(size, 0.0);
        }
        self.counts[size - 1] += 1.0;
    }

    /// All batches so far weigh `factor` of what they did; sizes that have all but vanished are dropped from the end.
    pub fn forget(&mut self, factor: f64) {
        self.larger *= factor;
        self.pages *= factor;
        self.counts.iter_mut().for_each(|count| *count *= factor);
        while self.counts.len() > 1 && self.counts.last().is_some_and(|count| *count < 1e-6) {
            self.counts.pop();
        }
    }

    /// The batches of `other` too.
    pub fn merge(&mut self, other: &Self) {
        self.larger += other.larger;
        self.pages += other.pages;
        for (size, count) in (1..).zip(&other.counts) {
            if size > self.largest {
                self.larger += count;
                self.pages += size as f64 * count;
                continue;
            }
            if self.counts.len() < size {
                self.counts.resize(size, 0.0);
            }
            self.counts[size - 1] += count;
        }
    }

    fn total(&self) -> f64 {
        self.counts.iter().sum::<f64>() + self.larger
    }

    /// The probability of each size, one first; empty if there are no batches. Those counted together have the two sizes next
    /// to their mean, so that the mean is right, or 2,000 if it is more.
    #[must_use]
    pub fn law(&self) -> Vec<f64> {
        let mut weights = self.counts.clone();
        if self.larger > 0.0 {
            let mean = (self.pages / self.larger).min(LARGEST_OF_ALL as f64).max(1.0);
            let (below, part) = (mean.floor() as usize, mean.fract());
            weights.resize(weights.len().max(below + usize::from(part > 0.0)), 0.0);
            weights[below - 1] += (1.0 - part) * self.larger;
            if part > 0.0 {
                weights[below] += part * self.larger;
            }
        }
        let total: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / total).collect()
    }

    /// The mean size, of all batches as they were.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let pages: f64 = (1..).zip(&self.counts).map(|(size, count)| f64::from(size) * count).sum();
        (pages + self.pages) / self.total()
    }

    /// The size as which a batch counts in the law: its own, or the one nearest to the mean of those counted together.
    #[must_use]
    pub fn counted(&self, size: usize) -> usize {
        if size <= self.largest || self.larger == 0.0 {
            return size.max(1);
        }
        (self.pages / self.larger).round().clamp(1.0, LARGEST_OF_ALL as f64) as usize
    }

    /// The largest size that is kept apart from others.
    #[must_use]
    pub fn largest(&self) -> usize {
        self.largest
    }

    /// The share of batches that were larger still.
    #[must_use]
    pub fn larger_share(&self) -> f64 {
        if self.larger > 0.0 { self.larger / self.total() } else { 0.0 }
    }
}
