//! The distribution of the time in the system.

use super::{Fate, Sojourn, add, off_diagonal_sums};
use crate::matrix::dot;

/// Pages that begin in higher stages less often than this, relative to all, are left out.
const NEGLIGIBLE: f64 = 1e-30;

/// Law C-12: the law of the time of pages of a fate.
///
/// By uniformisation: the chain of stages, looked at after `n` steps of a Poisson clock, has ended in the fate with a
/// probability that only grows; all terms are positive. The probabilities by step do not depend on the time asked for, so they
/// are computed once, as far as they are needed.
#[derive(Clone, Debug)]
pub struct SojournLaw<'a> {
    sojourn: &'a Sojourn,
    fate: Fate,
    /// Of the fate; one for any.
    probability: f64,
    /// Pages lost on arrival, if they count.
    lost: f64,
    /// Rate of the clock.
    pace: f64,
    /// Probability that a step of the clock changes nothing, by stage and state.
    stays: Vec<Vec<f64>>,
    /// Where pages are after the steps made, by stage.
    state: Vec<Vec<f64>>,
    /// Rate of pages that have ended in the fate within 0, 1, ... steps.
    ended: Vec<f64>,
}

impl<'a> SojournLaw<'a> {
    pub(super) fn new(sojourn: &'a Sojourn, fate: Fate) -> Self {
        let stages = sojourn.stages_begun();
        let out = |j: usize| -> Vec<f64> {
            let stage = &sojourn.stages[j];
            stage.leaving(0.0).iter().zip(off_diagonal_sums(&stage.within)).map(|(a, b)| a + b).collect()
        };
        let mut stays: Vec<Vec<f64>> = (0..stages).map(out).collect();
        let pace = stays.iter().flatten().copied().fold(0.0, f64::max);
        stays.iter_mut().flatten().for_each(|out| *out = 1.0 - *out / pace);
        let lost = 1.0 - sojourn.probability(Fate::Served) - sojourn.probability(Fate::Obsolete);
        Self {
            sojourn,
            fate,
            probability: sojourn.probability(fate),
            lost: if fate == Fate::Any { lost.max(0.0) } else { 0.0 },
            pace,
            stays,
            state: sojourn.stages[..stages].iter().map(|stage| stage.begin.clone()).collect(),
            ended: vec![0.0],
        }
    }

    /// `P(T <= t)`; one if there are no pages of the fate.
    #[must_use]
    pub fn distribution(&mut self, t: f64) -> f64 {
        if t < 0.0 {
            return 0.0;
        }
        if self.probability == 0.0 {
            return 1.0;
        }
        // The Poisson law beyond nine deviations and forty steps of its mean is below rounding.
        let mean = self.pace * t;
        let spread = 9.0 * mean.sqrt() + 40.0;
        let (first, last) = ((mean - spread).max(0.0) as usize, (mean + spread) as usize);
        while self.ended.len() <= last && self.some_are_left() {
            self.step();
        }
        let known = self.ended.len() - 1;
        let (mut total, mut seen) = (0.0, 0.0);
        for n in first..=last.min(known) {
            let weight = poisson(mean, n as f64);
            total += weight * self.ended[n];
            seen += weight;
        }
        total += (1.0 - seen).max(0.0) * self.ended[known];
        ((total / self.sojourn.arrival_rate + self.lost) / self.probability).min(1.0)
    }

    /// The time that pages of the fate exceed with probability `1 - p`, to a relative 1e-10.
    #[must_use]
    pub fn quantile(&mut self, p: f64) -> f64 {
        if p <= self.distribution(0.0) {
            return 0.0;
        }
        if p >= 1.0 {
            return f64::INFINITY;
        }
        let (mut low, mut high) = (0.0, self.sojourn.mean(self.fate));
        while self.distribution(high) < p {
            (low, high) = (high, 2.0 * high);
        }
        while high - low > 1e-10 * high {
            let middle = 0.5 * (low + high);
            if self.distribution(middle) < p {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    }

    /// Whether any pages to speak of have not ended.
    fn some_are_left(&self) -> bool {
        self.state.iter().flatten().any(|mass| *mass > NEGLIGIBLE * self.sojourn.arrival_rate)
    }

    /// One step of the chain of stages.
    fn step(&mut self) {
        let mut ended = 0.0;
        for j in 0..self.stays.len() {
            let stage = &self.sojourn.stages[j];
            let here: Vec<f64> = self.state[j].iter().map(|mass| mass / self.pace).collect();
            let after = &mut self.state[j];
            after.iter_mut().zip(&self.stays[j]).for_each(|(mass, stays)| *mass *= stays);
            for (i, &mass) in here.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
                for (k, rate) in stage.within.row(i).iter().enumerate().filter(|(k, _)| *k != i) {
                    after[k] += mass * rate;
                }
            }
            let onward = stage.onward.after(&here);
            match j {
                0 if self.fate != Fate::Obsolete => ended += onward[0],
                0 => {}
                _ => add(&mut self.state[j - 1], 1.0, &onward),
            }
            if self.fate != Fate::Served {
                ended += dot(&here, &stage.obsolete);
            }
        }
        self.ended.push(self.ended[self.ended.len() - 1] + ended);
    }
}

impl Sojourn {
    /// Stages in which pages begin, or which they pass through.
    fn stages_begun(&self) -> usize {
        let least = NEGLIGIBLE * self.arrival_rate;
        self.stages.iter().rposition(|stage| stage.begin.iter().sum::<f64>() > least).map_or(1, |j| j + 1)
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
