//! The distribution of the time in the system.

mod stages;

use super::{Fate, Form, Sojourn, of_fate};
use crate::passing::Passing;
use crate::queue::matrix_free;
use stages::StageWalk;

/// Law C-12: the laws of the times of pages, by their fate.
///
/// By uniformisation (or, where rates lie so far apart that it takes too many steps, by doubling short times): the chain of stages, looked at after `n` steps of a Poisson clock, has ended in a fate with a probability
/// that only grows; all terms are positive. The probabilities by step do not depend on the time asked for, so they are computed
/// once, as far as they are needed.
#[derive(Debug)]
pub struct SojournLaw<'a> {
    sojourn: &'a Sojourn,
    walk: Walk<'a>,
    /// For times of very many steps.
    long: Option<Passing>,
    /// Rates of pages that have been served and become obsolete within 0, 1, ... steps.
    ended: Vec<[f64; 2]>,
}

/// The chain of stages, step by step.
#[derive(Debug)]
enum Walk<'a> {
    Stages(StageWalk<'a>),
    Arrays(matrix_free::Walk<'a>),
}

impl<'a> SojournLaw<'a> {
    pub(super) fn new(sojourn: &'a Sojourn) -> Self {
        let walk = match &sojourn.form {
            Form::Stages(stages) => Walk::Stages(StageWalk::new(stages, sojourn.arrival_rate)),
            Form::Arrays(watched) => Walk::Arrays(watched.walk()),
        };
        Self { sojourn, walk, long: None, ended: vec![[0.0; 2]] }
    }

    /// `P(T <= t)` for pages of a fate; one if there are none.
    #[must_use]
    pub fn distribution(&mut self, fate: Fate, t: f64) -> f64 {
        if t < 0.0 {
            return 0.0;
        }
        let [served, obsolete] = [Fate::Served, Fate::Obsolete].map(|fate| self.sojourn.probability(fate));
        let (probability, lost) = match fate {
            Fate::Served => (served, 0.0),
            Fate::Obsolete => (obsolete, 0.0),
            Fate::Any => (1.0, (1.0 - served - obsolete).max(0.0)),
        };
        if probability == 0.0 {
            return 1.0;
        }
        ((self.ended_by(fate, t) / self.sojourn.arrival_rate + lost) / probability).min(1.0)
    }

    /// The rate of pages that end in the fate within a time.
    pub(super) fn ended_by(&mut self, fate: Fate, t: f64) -> f64 {
        let mean = self.clock() * t;
        if let Walk::Stages(walk) = &self.walk
            && walk.doubling_is_less_work(mean)
            && let Some(ended) = self.by_doubling(t)
        {
            return of_fate(ended, fate);
        }
        // The Poisson law beyond nine deviations and forty steps of its mean is below rounding.
        let spread = 9.0 * mean.sqrt() + 40.0;
        let (first, last) = ((mean - spread).max(0.0) as usize, (mean + spread) as usize);
        while self.ended.len() <= last && self.some_are_left() {
            self.step();
        }
        let ended = |n: usize| of_fate(self.ended[n], fate);
        let known = self.ended.len() - 1;
        let (mut total, mut seen) = (0.0, 0.0);
        for n in first..=last.min(known) {
            let weight = poisson(mean, n as f64);
            total += weight * ended(n);
            seen += weight;
        }
        total + (1.0 - seen).max(0.0) * ended(known)
    }

    /// The rates of pages that end in being served and obsolete within a time, without steps; `None` on arrays.
    pub(super) fn by_doubling(&mut self, t: f64) -> Option<[f64; 2]> {
        let Walk::Stages(walk) = &self.walk else { return None };
        let states = walk.states();
        let after = self.long.get_or_insert_with(|| walk.passing()).after(&walk.begin(), t);
        Some([after[states], after[states + 1]])
    }

    /// The time that pages of a fate exceed with probability `1 - p`, to a relative 1e-10.
    #[must_use]
    pub fn quantile(&mut self, fate: Fate, p: f64) -> f64 {
        if p <= self.distribution(fate, 0.0) {
            return 0.0;
        }
        if p >= 1.0 {
            return f64::INFINITY;
        }
        let (mut low, mut high) = (0.0, self.sojourn.mean(fate));
        while high.is_finite() && self.distribution(fate, high) < p {
            (low, high) = (high, 2.0 * high);
        }
        while high - low > 1e-10 * high {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if self.distribution(fate, middle) < p {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }

    /// How many numbers are looked at to know the distribution at time `t`.
    pub(super) fn work(&self, t: f64) -> f64 {
        let steps = self.clock() * t;
        match &self.walk {
            Walk::Stages(walk) => walk.work(steps),
            Walk::Arrays(walk) => steps * walk.states() as f64,
        }
    }

    fn clock(&self) -> f64 {
        match &self.walk {
            Walk::Stages(walk) => walk.clock,
            Walk::Arrays(walk) => walk.clock,
        }
    }

    fn some_are_left(&mut self) -> bool {
        match &mut self.walk {
            Walk::Stages(walk) => walk.some_are_left(),
            Walk::Arrays(walk) => walk.some_are_left(),
        }
    }

    fn step(&mut self) {
        let [served, obsolete] = match &mut self.walk {
            Walk::Stages(walk) => walk.step(),
            Walk::Arrays(walk) => walk.step(),
        };
        let before = self.ended[self.ended.len() - 1];
        self.ended.push([before[0] + served, before[1] + obsolete]);
    }
}

fn poisson(mean: f64, n: f64) -> f64 {
    if mean == 0.0 {
        return if n == 0.0 { 1.0 } else { 0.0 };
    }
    (n * mean.ln() - mean - ln_factorial(n)).exp()
}

/// `ln n!` by Stirling's series, exact to rounding from 10 on; below by multiplication.
fn ln_factorial(n: f64) -> f64 {
    if n < 10.0 {
        return (2..=n as u32).map(f64::from).product::<f64>().ln();
    }
    let x = n + 1.0;
    let series = 1.0 / (12.0 * x) - 1.0 / (360.0 * x.powi(3)) + 1.0 / (1260.0 * x.powi(5)) - 1.0 / (1680.0 * x.powi(7));
    (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + series
}
