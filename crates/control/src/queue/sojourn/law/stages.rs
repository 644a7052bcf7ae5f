//! The chain of stages with dense blocks, step by step.

use crate::matrix::{Matrix, dot};
use crate::passing::Passing;
use crate::queue::sojourn::{Stage, add};

/// Chains with more states are not doubled.
const MOST_DOUBLED: usize = 500;

/// Pages that begin in higher stages less often than this, relative to all, are left out.
const NEGLIGIBLE: f64 = 1e-30;

#[derive(Debug)]
pub(super) struct StageWalk<'a> {
    stages: &'a [Stage],
    /// Rate of the clock.
    pub(super) clock: f64,
    /// Masses below this do not count.
    least: f64,
    /// Probability that a step of the clock changes nothing, by stage and state.
    stays: Vec<Vec<f64>>,
    /// Where pages are after the steps made, by stage.
    state: Vec<Vec<f64>>,
    /// Stages from this one on are empty.
    begun: usize,
    /// The masses of one stage, times the length of a step.
    here: Vec<f64>,
}

impl<'a> StageWalk<'a> {
    pub(super) fn new(stages: &'a [Stage], arrival_rate: f64) -> Self {
        let least = NEGLIGIBLE * arrival_rate;
        let begun = stages.iter().rposition(|stage| stage.begin.iter().sum::<f64>() > least).map_or(1, |j| j + 1);
        let out = |stage: &Stage| -> Vec<f64> {
            stage.leaving(0.0).iter().zip(off_diagonal_sums(&stage.within)).map(|(a, b)| a + b).collect()
        };
        let mut stays: Vec<Vec<f64>> = stages[..begun].iter().map(out).collect();
        let clock = stays.iter().flatten().copied().fold(0.0, f64::max);
        stays.iter_mut().flatten().for_each(|out| *out = 1.0 - *out / clock);
        let state = stages[..begun].iter().map(|stage| stage.begin.clone()).collect();
        Self { stages, clock, least, stays, state, begun, here: Vec::new() }
    }

    /// States of all stages.
    pub(super) fn states(&self) -> usize {
        self.stays.iter().map(Vec::len).sum()
    }

    /// Numbers looked at in so many steps.
    fn work_of_steps(&self, steps: f64) -> f64 {
        let stages = self.stages[..self.stays.len()].iter();
        steps * stages.map(|stage| stage.within.entries().len() + stage.onward.entries().len()).sum::<usize>() as f64
    }

    fn work_of_doubling(&self, steps: f64) -> f64 {
        (self.states() as f64).powi(3) * steps.max(2.0).log2()
    }

    pub(super) fn doubling_is_less_work(&self, steps: f64) -> bool {
        self.states() <= MOST_DOUBLED && self.work_of_doubling(steps) < self.work_of_steps(steps)
    }

    /// Numbers looked at for so many steps, by the better way.
    pub(super) fn work(&self, steps: f64) -> f64 {
        if self.doubling_is_less_work(steps) { self.work_of_doubling(steps) } else { self.work_of_steps(steps) }
    }

    /// The rates at which pages begin, stage after stage.
    pub(super) fn begin(&self) -> Vec<f64> {
        self.stages[..self.stays.len()].iter().flat_map(|stage| stage.begin.iter().copied()).collect()
    }

    /// The chain of all stages, which ends in being served or obsolete.
    pub(super) fn passing(&self) -> Passing {
        let size = self.states();
        let (mut rates, mut ends) = (Matrix::zeros(size, size), Matrix::zeros(size, 2));
        let (mut below, mut here) = (0, 0);
        for (j, stage) in self.stages[..self.stays.len()].iter().enumerate() {
            for i in 0..stage.begin.len() {
                stage.within.row(i).iter().enumerate().for_each(|(k, rate)| rates[(here + i, here + k)] = *rate);
                match j {
                    0 => ends[(i, 0)] = stage.onward[(i, 0)],
                    _ => stage.onward.row(i).iter().enumerate().for_each(|(k, on)| rates[(here + i, below + k)] = *on),
                }
                ends[(here + i, 1)] = stage.obsolete[i];
            }
            (below, here) = (here, here + stage.begin.len());
        }
        Passing::new(&rates, &ends, self.clock)
    }

    /// Whether any pages to speak of have not ended.
    pub(super) fn some_are_left(&mut self) -> bool {
        let some = |stage: &Vec<f64>| stage.iter().any(|mass| *mass > self.least);
        self.begun = self.state[..self.begun].iter().rposition(some).map_or(0, |j| j + 1);
        self.begun > 0
    }

    /// One step: the rates of pages that were served and became obsolete in it.
    pub(super) fn step(&mut self) -> [f64; 2] {
        let mut ended = [0.0; 2];
        for j in 0..self.begun {
            let stage = &self.stages[j];
            self.here.clear();
            self.here.extend(self.state[j].iter().map(|mass| mass / self.clock));
            let (below, here) = self.state.split_at_mut(j);
            let after = &mut here[0];
            after.iter_mut().zip(&self.stays[j]).for_each(|(mass, stays)| *mass *= stays);
            for (i, &mass) in self.here.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
                for (k, rate) in stage.within.row(i).iter().enumerate().filter(|(k, _)| *k != i) {
                    after[k] += mass * rate;
                }
                match below.last_mut() {
                    Some(next) => add(next, mass, stage.onward.row(i)),
                    None => ended[0] += mass * stage.onward[(i, 0)],
                }
            }
            ended[1] += dot(&self.here, &stage.obsolete);
        }
        ended
    }
}

fn off_diagonal_sums(m: &Matrix) -> Vec<f64> {
    (0..m.rows()).map(|i| m.row(i).iter().sum::<f64>() - m[(i, i)]).collect()
}
