//! The optimum in one pass: pages of nearly the same value are taken together.

use super::multiplier::{Demand, Level, Multiplier, find_interval};
use crate::access_time::{AccessTime, Transform};
use crate::instance::Instance;
use crate::pages::Pages;
use crate::parallel::map_ranges;
use crate::special::{g_inverse, phi};

/// Bits of the mantissa that tell bins apart.
const MANTISSA_BITS: u32 = 9;

/// Bins per octave of the value.
const BINS: usize = 1 << MANTISSA_BITS;

/// Octaves of the positive numbers; the first holds zero and the numbers too small to have one of their own.
const OCTAVES: usize = 1 << 11;

/// Pieces in which pages are collected; fixed, so that the result does not depend on the number of cores.
const COLLECTORS: usize = 8;

/// What one page adds to the [`PartialSums`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageTerm {
    value: f64,
    decay: f64,
    weight: f64,
    unavoidable: f64,
}

impl PageTerm {
    /// The term of a page with the given change rate and weight.
    #[must_use]
    pub fn new(change_rate: f64, weight: f64, law: &AccessTime) -> Self {
        Self::with(change_rate, weight, &Transform::of(law, &[]), law.mean())
    }

    fn with(change_rate: f64, weight: f64, transform: &Transform<'_>, mean: f64) -> Self {
        let value = crate::instance::value_of(weight, change_rate * mean);
        let (decay, deficit) = transform.decay_and_deficit(change_rate);
        Self { value, decay, weight, unavoidable: value * deficit }
    }
}

/// Law F-27: all that the optimum depends on, in a fixed amount of memory.
///
/// Per bin of the value `a`, 1/512 octave wide, the sums of `b` and of `a b` are kept; the pages of a bin are treated as if
/// all had the bin's mean value. The multiplier comes out to better than 1e-4 and exactly when all values are equal.
/// Pages can be added and removed one by one, and the sums of several machines merged; only they travel.
#[derive(Clone, Debug)]
pub struct PartialSums {
    /// The bins of each octave that has pages.
    octaves: Vec<Option<Box<[Bin; BINS]>>>,
    pages: u64,
    total_weight: f64,
    unavoidable: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    pages: i64,
    decay: f64,
    value_times_decay: f64,
}

impl Bin {
    fn add(&mut self, sign: i64, decay: f64, value_times_decay: f64) {
        self.pages += sign;
        if self.pages == 0 {
            // What is left is rounding.
            *self = Self::default();
            return;
        }
        self.decay += sign.signum() as f64 * decay;
        self.value_times_decay += sign.signum() as f64 * value_times_decay;
    }
}

impl Default for PartialSums {
    fn default() -> Self {
        Self::new()
    }
}

impl PartialSums {
    /// The sums of no pages.
    #[must_use]
    pub fn new() -> Self {
        Self { octaves: vec![None; OCTAVES], pages: 0, total_weight: 0.0, unavoidable: 0.0 }
    }

    /// The sums of many pages, on all cores, without any memory per page.
    #[must_use]
    pub fn of(pages: &Pages<'_>, law: &AccessTime) -> Self {
        let (rates, weights) = (pages.change_rates(), pages.weights());
        let (transform, mean) = (Transform::of(law, rates), law.mean());
        Self::collect(rates.len(), |i| PageTerm::with(rates[i], weights[i], &transform, mean))
    }

    /// The sums of an instance; weights and unavoidable cost are taken over as they are.
    pub(super) fn of_instance(instance: &Instance) -> Self {
        let (values, decays) = (instance.values(), instance.decays());
        let term = |i: usize| PageTerm { value: values[i], decay: decays[i], weight: 0.0, unavoidable: 0.0 };
        let sums = Self::collect(instance.len(), term);
        Self { total_weight: instance.total_weight(), unavoidable: instance.unavoidable_cost(), ..sums }
    }

    fn collect(pages: usize, term: impl Fn(usize) -> PageTerm + Sync) -> Self {
        let parts = map_ranges(pages, pages.div_ceil(COLLECTORS).max(1 << 15), |range| {
            let mut sums = Self::new();
            for i in range {
                sums.add(&term(i));
            }
            sums
        });
        let mut whole = Self::new();
        for part in &parts {
            whole.merge(part);
        }
        whole
    }

    /// Adds a page.
    pub fn add(&mut self, page: &PageTerm) {
        self.pages += 1;
        self.total_weight += page.weight;
        self.unavoidable += page.unavoidable;
        self.bin_of(page.value).add(1, page.decay, page.value * page.decay);
    }

    /// Removes a page that was added with the same term.
    pub fn remove(&mut self, page: &PageTerm) {
        self.pages -= 1;
        self.total_weight -= page.weight;
        self.unavoidable -= page.unavoidable;
        self.bin_of(page.value).add(-1, page.decay, page.value * page.decay);
    }

    /// Adds the pages of another part.
    pub fn merge(&mut self, other: &Self) {
        self.pages += other.pages;
        self.total_weight += other.total_weight;
        self.unavoidable += other.unavoidable;
        for (octave, theirs) in self.octaves.iter_mut().zip(&other.octaves) {
            let Some(theirs) = theirs else { continue };
            let bins = octave.get_or_insert_with(empty_octave);
            for (bin, theirs) in bins.iter_mut().zip(theirs.iter()) {
                bin.pages += theirs.pages;
                bin.decay += theirs.decay;
                bin.value_times_decay += theirs.value_times_decay;
            }
        }
    }

    /// Number of pages.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.pages
    }

    /// `sum c_i`.
    #[must_use]
    pub fn total_weight(&self) -> f64 {
        self.total_weight
    }

    /// By exponent and leading bits of the mantissa: no logarithm is needed.
    fn bin_of(&mut self, value: f64) -> &mut Bin {
        let place = (value.to_bits() >> (52 - MANTISSA_BITS)) as usize;
        &mut self.octaves[place / BINS].get_or_insert_with(empty_octave)[place % BINS]
    }

    /// Mean value and sum of decays of each bin that has pages worth something.
    fn groups(&self) -> impl Iterator<Item = (f64, f64)> {
        let bins = self.octaves[1..].iter().flatten().flat_map(|bins| bins.iter());
        bins.filter(|bin| bin.pages > 0 && bin.decay > 0.0).map(|bin| (bin.value_times_decay / bin.decay, bin.decay))
    }

    /// The multiplier of the optimum.
    #[must_use]
    pub fn multiplier(&self) -> Multiplier {
        let groups: Vec<(f64, f64)> = self.groups().collect();
        let Some(&(top, _)) = groups.last() else { return Multiplier::IDLE };
        let start = groups.iter().map(|(_, b)| b).sum();
        find_interval(top, 1.0, start, |w| {
            let level = Level::new(top, w);
            groups.iter().map(|&(a, b)| level.demand(a, b)).sum::<Demand>()
        })
    }

    /// The same as a start for [`super::solve_demand`], which must know the largest value itself, not that of a bin's mean.
    #[must_use]
    pub fn multiplier_with_top(&self, top: f64) -> Multiplier {
        let binned = self.multiplier();
        if binned == Multiplier::IDLE {
            return binned;
        }
        let share = binned.value() / top;
        Multiplier::new(top, g_inverse(share, 1.0 - share).min(1e3))
    }

    /// The lower bound on the cost of any policy, as [`super::optimum()`] gives it exactly.
    #[must_use]
    pub fn lower_bound(&self, multiplier: &Multiplier) -> f64 {
        let avoidable = self.groups().map(|(a, b)| {
            let u = multiplier.interval_of(a);
            a * b * if u == f64::INFINITY { 1.0 } else { phi(u) / u }
        });
        self.unavoidable + avoidable.sum::<f64>()
    }
}

fn empty_octave() -> Box<[Bin; BINS]> {
    Box::new([Bin::default(); BINS])
}
