//! A histogram of logarithms: bounded memory whatever the range, and the valley between short gaps and long ones.

use std::collections::BTreeMap;

/// Bins per doubling.
const PER_OCTAVE: i32 = 8;

/// Bins lighter than this are forgotten.
const NEGLIGIBLE: f64 = 1e-6;

/// Weights of values by their logarithm, eight bins to the octave; zeros are counted apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogHistogram {
    zeros: f64,
    bins: BTreeMap<i32, Bin>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Bin {
    weight: f64,
    sum: f64,
}

fn bin_of(x: f64) -> i32 {
    (x.log2() * f64::from(PER_OCTAVE)).floor() as i32
}

/// The lower edge of a bin.
fn edge(bin: f64) -> f64 {
    (bin / f64::from(PER_OCTAVE)).exp2()
}

impl LogHistogram {
    /// One more value; what is negative or not finite is left out.
    pub fn add(&mut self, x: f64) {
        self.add_weighted(x, 1.0);
    }

    /// One more value that counts as `weight`.
    pub fn add_weighted(&mut self, x: f64, weight: f64) {
        if x == 0.0 {
            self.zeros += weight;
        } else if x > 0.0 && x.is_finite() {
            let bin = self.bins.entry(bin_of(x)).or_default();
            bin.weight += weight;
            bin.sum += weight * x;
        }
    }

    /// All values so far weigh `factor` of what they did.
    pub fn forget(&mut self, factor: f64) {
        self.zeros *= factor;
        self.bins.retain(|_, bin| {
            bin.weight *= factor;
            bin.sum *= factor;
            bin.weight > NEGLIGIBLE
        });
    }

    /// The values of `other` too.
    pub fn merge(&mut self, other: &Self) {
        self.zeros += other.zeros;
        for (at, more) in &other.bins {
            let bin = self.bins.entry(*at).or_default();
            bin.weight += more.weight;
            bin.sum += more.sum;
        }
    }

    /// The weight of all positive values.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.bins.values().map(|bin| bin.weight).sum()
    }

    /// The weight of the zeros.
    #[must_use]
    pub fn zeros(&self) -> f64 {
        self.zeros
    }

    /// The weight of the values up to `x`, zeros included, to a bin's width.
    #[must_use]
    pub fn weight_up_to(&self, x: f64) -> f64 {
        let bins = self.bins.values().take_while(|bin| bin.sum <= x * bin.weight);
        self.zeros + bins.map(|bin| bin.weight).sum::<f64>()
    }

    /// The positive values as (mean of a bin, weight), ascending.
    #[must_use]
    pub fn points(&self) -> Vec<(f64, f64)> {
        self.bins.values().map(|bin| (bin.sum / bin.weight, bin.weight)).collect()
    }

    /// The value below which a share `p` of the positive ones lies, to a bin's width; `None` if there are none.
    #[must_use]
    pub fn quantile(&self, p: f64) -> Option<f64> {
        let mut left = p * self.weight();
        for (at, bin) in &self.bins {
            if left <= bin.weight {
                return Some(edge(f64::from(*at) + left / bin.weight));
            }
            left -= bin.weight;
        }
        self.bins.last_key_value().map(|(at, _)| edge(f64::from(*at + 1)))
    }

    /// Law C-24: the antimode of the logarithms, where short values end and long ones begin; `None` if there is no clear
    /// valley.
    ///
    /// The histogram is smoothed over one octave (so that gaps of one and two ticks of a coarse clock do not look like two
    /// modes). The valley is the place with the largest drop from the lower of the highest peaks on its two sides. It
    /// counts if it is at most half as high as that peak, if the drop is more than five standard errors of the counts, and
    /// if at least 1% of the values lie on each side. The middle of the valley's floor is taken: of all that is within 1% of
    /// the drop.
    #[must_use]
    pub fn antimode(&self) -> Option<f64> {
        let (first, smooth) = self.smoothed()?;
        let valley = deepest_valley(&smooth)?;
        let Valley { left, right, floor, peak } = valley;
        let clear = floor <= 0.5 * peak && peak - floor > 5.0 * (peak + floor).sqrt();
        let at = f64::from(first) + 0.5 * (left + right) as f64 + 0.5;
        let below: f64 = self.bins.range(..at.floor() as i32).map(|(_, bin)| bin.weight).sum();
        let share = below / self.weight();
        (clear && (0.01..=0.99).contains(&share)).then(|| edge(at))
    }

    /// Law C-24: where values end that belong together: the middle, on the scale of logarithms, of the first empty decade above
    /// which no more than 1% of the values lie, or one; `None` if there is no such decade.
    #[must_use]
    pub fn end_of_bulk(&self) -> Option<f64> {
        let few = (0.01 * self.weight()).max(1.0) * (1.0 + 1e-9);
        self.empty_decades().into_iter().find(|decade| decade.above <= few).map(|decade| decade.middle)
    }

    /// Law C-24: an empty decade between short values and at least twenty long ones that are nine tenths of the sum of all: where
    /// batches are so large that few gaps lie between them, this is the antimode.
    #[must_use]
    pub fn valley_below_most_of_the_sum(&self) -> Option<f64> {
        let sum: f64 = self.bins.values().map(|bin| bin.sum).sum();
        let between = |decade: &EmptyDecade| decade.above >= 20.0 && decade.sum_above >= 0.9 * sum;
        self.empty_decades().into_iter().find(between).map(|decade| decade.middle)
    }

    /// The decades without a value that have values on both sides, from below.
    fn empty_decades(&self) -> Vec<EmptyDecade> {
        let bins: Vec<&Bin> = self.bins.values().collect();
        let (mut above, mut sum_above) = (self.weight(), bins.iter().map(|bin| bin.sum).sum::<f64>());
        let mut found = Vec::new();
        for pair in bins.windows(2) {
            let (lower, upper) = (pair[0].sum / pair[0].weight, pair[1].sum / pair[1].weight);
            above -= pair[0].weight;
            sum_above -= pair[0].sum;
            if upper >= 10.0 * lower {
                found.push(EmptyDecade { middle: (lower * upper).sqrt(), above, sum_above });
            }
        }
        found
    }

    /// The weight within half an octave of each bin, and the first bin.
    fn smoothed(&self) -> Option<(i32, Vec<f64>)> {
        let half = PER_OCTAVE / 2;
        let first = *self.bins.first_key_value()?.0 - half;
        let last = *self.bins.last_key_value()?.0 + half;
        let weight = |bin: i32| self.bins.get(&bin).map_or(0.0, |bin| bin.weight);
        let around = |bin: i32| {
            let inner: f64 = (bin - half + 1..bin + half).map(weight).sum();
            inner + 0.5 * (weight(bin - half) + weight(bin + half))
        };
        Some((first, (first..=last).map(around).collect()))
    }
}

/// A decade without values: its middle on the scale of logarithms, and the weight and sum of the values above it.
struct EmptyDecade {
    middle: f64,
    above: f64,
    sum_above: f64,
}

/// The floor of a valley from `left` to `right`, and the lower of the peaks on its sides.
struct Valley {
    left: usize,
    right: usize,
    floor: f64,
    peak: f64,
}

fn deepest_valley(heights: &[f64]) -> Option<Valley> {
    let highest = |h: &mut f64, &x: &f64| {
        *h = h.max(x);
        Some(*h)
    };
    let before: Vec<f64> = heights.iter().scan(0.0, highest).collect();
    let mut after: Vec<f64> = heights.iter().rev().scan(0.0, highest).collect();
    after.reverse();
    let drop = |i: usize| before[i].min(after[i]) - heights[i];
    let lowest = (0..heights.len()).reduce(|best, i| if drop(i) > drop(best) { i } else { best })?;
    let peak = before[lowest].min(after[lowest]);
    let floor = heights[lowest];
    let on_floor = |height: &&f64| **height <= floor + 0.01 * (peak - floor);
    let left = lowest - heights[..lowest].iter().rev().take_while(on_floor).count();
    let right = lowest + heights[lowest + 1..].iter().take_while(on_floor).count();
    Some(Valley { left, right, floor, peak })
}
