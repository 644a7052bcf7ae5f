//! Changes with independent gaps that are not exponential.

use rand::RngExt;
use rand_distr::{Distribution, Gamma};
use rand_pcg::Pcg64Mcg;

use super::Changed;
use crate::page::Page;
use crate::random::{Stream, exponential, keyed};

/// The law of the gaps between the changes of a page, given by its coefficient of variation (1 for exponential gaps).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gaps {
    /// Two exponential phases with balanced means: bursts and pauses. `cv >= 1`.
    HyperExponential {
        /// Coefficient of variation.
        cv: f64,
    },
    /// Gamma: nearly periodic for small `cv`, bursty for large.
    Gamma {
        /// Coefficient of variation.
        cv: f64,
    },
}

impl Gaps {
    /// A gap with mean 1.
    pub fn gap(self, rng: &mut Pcg64Mcg) -> f64 {
        match self {
            Self::HyperExponential { cv } => {
                let p = balanced(cv);
                let chosen = if rng.random_bool(p) { p } else { 1.0 - p };
                exponential(rng, 2.0 * chosen)
            }
            Self::Gamma { cv } => gamma(rng, 1.0 / (cv * cv), cv * cv),
        }
    }

    /// What is left of the gap that is under way at a random moment: the process has been running for long.
    ///
    /// The gap met is length-biased: for balanced means either phase with probability 1/2, for the gamma law one more in
    /// shape; the moment is uniform in it.
    pub fn residual(self, rng: &mut Pcg64Mcg) -> f64 {
        match self {
            Self::HyperExponential { cv } => {
                let p = balanced(cv);
                let chosen = if rng.random_bool(0.5) { p } else { 1.0 - p };
                exponential(rng, 2.0 * chosen)
            }
            Self::Gamma { cv } => rng.random::<f64>() * gamma(rng, 1.0 / (cv * cv) + 1.0, cv * cv),
        }
    }
}

/// Probability of the first phase when both contribute half the mean: `p = (1 + sqrt((c2 - 1)/(c2 + 1)))/2`, `c2 = cv^2`;
/// the phases have rates `2p` and `2(1 - p)`.
fn balanced(cv: f64) -> f64 {
    let c2 = cv * cv;
    // 1 - p must stay positive, or the long phase would be lost.
    (0.5 * (1.0 + ((c2 - 1.0).max(0.0) / (c2 + 1.0)).sqrt())).min(1.0 - f64::EPSILON)
}

fn gamma(rng: &mut Pcg64Mcg, shape: f64, scale: f64) -> f64 {
    // The parameters were checked with the configuration.
    Gamma::new(shape, scale).map_or(shape * scale, |law| law.sample(rng))
}

/// Gap number `k` of a page depends on the seed, the page and `k` alone: every policy meets the same changes.
pub(crate) struct Renewal {
    gaps: Gaps,
    seed: u64,
    pages: Vec<Next>,
}

/// The first change not yet passed, and how many were drawn before it.
#[derive(Clone, Copy)]
struct Next {
    at: f64,
    drawn: u64,
}

impl Renewal {
    pub fn new(gaps: Gaps, seed: u64) -> Self {
        Self { gaps, seed, pages: Vec::new() }
    }

    pub fn add(&mut self, page: &Page) {
        let number = self.pages.len();
        let residual = self.gaps.residual(&mut self.rng(number, 0));
        let at = if page.change_rate > 0.0 { page.from + residual / page.change_rate } else { f64::INFINITY };
        self.pages.push(Next { at, drawn: 1 });
    }

    pub fn between(&mut self, page: usize, rate: f64, since: f64, until: f64) -> Option<Changed> {
        while self.pages[page].at <= since {
            self.advance(page, rate);
        }
        let first = self.pages[page].at;
        if first > until {
            return None;
        }
        let (mut last, mut count) = (first, 0.0);
        while self.pages[page].at <= until {
            last = self.pages[page].at;
            count += 1.0;
            self.advance(page, rate);
        }
        Some(Changed { first, last, count })
    }

    fn advance(&mut self, page: usize, rate: f64) {
        let gap = self.gaps.gap(&mut self.rng(page, self.pages[page].drawn)) / rate;
        let next = &mut self.pages[page];
        // A gap too small to be seen beside the clock must still move it.
        next.at = (next.at + gap).max(next.at.next_up());
        next.drawn += 1;
    }

    fn rng(&self, page: usize, drawn: u64) -> Pcg64Mcg {
        keyed(self.seed ^ ((Stream::Changes as u64) << 56), page as u64, drawn)
    }
}
