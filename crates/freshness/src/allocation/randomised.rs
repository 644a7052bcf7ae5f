//! The optimum among policies that draw each access at random.

use super::Allocation;
use crate::cost::randomised_cost;
use crate::instance::Instance;
use crate::parallel::{fill_pieces, map_pieces};

/// Law F-10, CLW Theorem 4.1: the best frequencies for accesses drawn independently at random, any weights.
///
/// (15) reads `x_i = (sqrt(a_i/lambda) - 1) (1/h_i - 1)`. The paper stops where that would be negative; such a page gets
/// zero, and the multiplier is that of the pages that remain. With `c_i = c0 mu_i` this is (16). `cost` is exact.
#[must_use]
pub fn randomised_optimum(instance: &Instance) -> Allocation {
    let odds = Odds::new(instance);
    if odds.top == 0.0 {
        let frequencies = vec![0.0; instance.len()];
        return Allocation { multiplier: 0.0, frequencies, cost: instance.unavoidable_cost() };
    }
    let surplus = odds.surplus();
    let frequencies = odds.frequencies(surplus);
    let multiplier = odds.top / ((1.0 + surplus) * (1.0 + surplus));
    let cost = randomised_cost(instance, &frequencies);
    Allocation { multiplier, frequencies, cost }
}

/// The pages as (15) sees them.
struct Odds<'a> {
    values: &'a [f64],
    decays: &'a [f64],
    /// `a_max`, zero if no page is worth an access.
    top: f64,
}

/// Larger decays are taken for this: beyond it `1/h - 1` exceeds every frequency by more than the digits there are, long
/// before it overflows.
const LARGEST_DECAY: f64 = 600.0;

/// One page: `rho = sqrt(a/a_max)`, `behind = 1 - rho`, `odds = e = 1/h - 1`.
struct Page {
    rho: f64,
    behind: f64,
    odds: f64,
}

impl Page {
    /// `v rho - (1 - rho)`, zero if it cannot be told from zero, `None` if it is negative.
    fn above_the_margin(&self, surplus: f64) -> Option<f64> {
        let (gain, rounding) = (surplus * self.rho, 8.0 * f64::EPSILON * self.behind);
        if gain - self.behind > rounding {
            Some(gain - self.behind)
        } else if gain - self.behind >= -rounding {
            Some(0.0)
        } else {
            None
        }
    }
}

impl<'a> Odds<'a> {
    fn new(instance: &'a Instance) -> Self {
        let (values, decays) = (instance.values(), instance.decays());
        let top = values.iter().zip(decays).filter(|(_, b)| **b > 0.0).map(|(a, _)| *a).fold(0.0, f64::max);
        Self { values, decays, top }
    }

    /// Whether an access to the page can be worth something.
    fn counts(&self, i: usize) -> bool {
        self.values[i] > 0.0 && self.decays[i] > 0.0
    }

    fn page(&self, i: usize) -> Page {
        let ratio = self.values[i] / self.top;
        let rho = ratio.sqrt();
        // 1 - sqrt(r) = (1 - r)/(1 + sqrt(r)) keeps its digits for r near one.
        let behind = (self.top - self.values[i]) / self.top / (1.0 + rho);
        let odds = self.decays[i].min(LARGEST_DECAY).exp_m1();
        Page { rho, behind, odds }
    }

    /// `v = sqrt(a_max/lambda) - 1`. With the pages in use known, `sum (v rho_i - (1 - rho_i)) e_i = 1` is linear in `v`;
    /// pages whose term is negative are dropped until none is. `v` only falls on the way, so none comes back.
    ///
    /// A page of enormous `e` may sit so close to the margin that rounding hides on which side. If the others already take
    /// more than there is, it was on the wrong one.
    fn surplus(&self) -> f64 {
        let surplus = self.without_negative(f64::MAX, |term| term.is_some());
        if self.beyond_the_margin(surplus) <= 1.0 + 1e-12 {
            return surplus;
        }
        self.without_negative(surplus, |term| term > Some(0.0))
    }

    /// `v` from the pages that are `in_use` by their term at the `v` before, from a first one on, until it falls no more.
    fn without_negative(&self, first: f64, in_use: impl Fn(Option<f64>) -> bool + Sync) -> f64 {
        let mut surplus = first;
        loop {
            let sums = map_pieces(self.values.len(), |range| {
                let (mut used, mut short) = (0.0, 0.0);
                for page in range.filter(|&i| self.counts(i)).map(|i| self.page(i)) {
                    if in_use(page.above_the_margin(surplus)) {
                        used += page.rho * page.odds;
                        short += page.behind * page.odds;
                    }
                }
                (used, short)
            });
            let (used, short) = sums.iter().fold((0.0, 0.0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
            let next = (1.0 + short) / used;
            if next < surplus {
                surplus = next;
            } else {
                return surplus;
            }
        }
    }

    /// The sum of the frequencies of all pages that are clearly above the margin.
    fn beyond_the_margin(&self, surplus: f64) -> f64 {
        let sums = map_pieces(self.values.len(), |range| {
            let pages = range.filter(|&i| self.counts(i)).map(|i| self.page(i));
            pages.map(|page| page.above_the_margin(surplus).unwrap_or(0.0) * page.odds).sum::<f64>()
        });
        sums.iter().sum()
    }

    /// `x = (v rho - (1 - rho)) e`. Pages of enormous `e` may sit on the margin, where the bracket is lost in rounding:
    /// they share what the others leave, as the linear system for `v` would have it.
    fn frequencies(&self, surplus: f64) -> Vec<f64> {
        let mut frequencies = vec![0.0; self.values.len()];
        fill_pieces(&mut frequencies, |first, piece| {
            for (offset, x) in piece.iter_mut().enumerate() {
                let i = first + offset;
                if self.counts(i) {
                    let page = self.page(i);
                    *x = page.above_the_margin(surplus).unwrap_or(0.0) * page.odds;
                }
            }
        });
        let left = 1.0 - frequencies.iter().sum::<f64>();
        let claim = |i: usize| {
            let page = self.page(i);
            let used = self.counts(i) && page.above_the_margin(surplus).is_some();
            if used { page.rho * page.odds } else { 0.0 }
        };
        let claims: f64 = (0..self.values.len()).map(claim).sum();
        for (i, x) in frequencies.iter_mut().enumerate() {
            *x = (*x + left * claim(i) / claims).max(0.0);
        }
        frequencies
    }
}
