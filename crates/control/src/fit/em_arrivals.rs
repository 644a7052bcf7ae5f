//! Law C-27: arrival processes of any number of phases from a sequence of gaps and batches, by expectation maximisation.
//!
//! A hidden chain chooses the Erlang law of each gap (G. Horvath and H. Okamura, *A fast EM algorithm for fitting marked
//! Markovian arrival processes with a new special structure*, 2013): the gap of branch `i` is the sum of `r_i` phases of
//! rate `lambda_i`; at its end a batch of `b` pages comes and branch `j` follows, with probability `P_ij(b)`. Forward and
//! backward passes are scaled at each step, so sequences of any length neither underflow nor overflow, and no matrix
//! exponential is needed. With branches of one phase each and one batch size these are the processes of law C-26 for
//! `c^2 > 1` and `g >= 0`.

use super::FitError;
use super::em::{Branch, Climb, Densities, EmOptions, partitions, silent_rates, starting_branches};
use crate::arrivals::Bmap;
use crate::matrix::{Matrix, dot};

/// Moves less likely than this are taken to be this likely, so that the chain stays irreducible.
const LEAST_MOVE: f64 = 1e-9;

/// Iterations after which arrangements of phases are compared.
const TRIAL: usize = 40;

/// A gap and the size of the batch at its end.
pub type Observation = (f64, usize);

/// The hidden chain.
#[derive(Clone, Debug, PartialEq)]
pub struct HiddenChain {
    /// The law of the gap in each state.
    pub branches: Vec<Branch>,
    /// The probability of each state at the beginning of a sequence.
    pub start: Vec<f64>,
    /// `P(b)` for `b = 1, 2, ...`.
    pub moves: Vec<Matrix>,
}

/// What the expectation step counts.
struct Counts {
    /// By state: expected visits, and the sum of the gaps spent there.
    visits: Vec<(f64, f64)>,
    start: Vec<f64>,
    moves: Vec<Matrix>,
    log_likelihood: f64,
}

impl HiddenChain {
    fn counts(&self, runs: &[Vec<Observation>]) -> Counts {
        let n = self.branches.len();
        let mut counts = Counts {
            visits: vec![(0.0, 0.0); n],
            start: vec![0.0; n],
            moves: vec![Matrix::zeros(n, n); self.moves.len()],
            log_likelihood: 0.0,
        };
        let densities = Densities::new(&self.branches);
        for run in runs {
            let ahead = self.forward(run, &densities, &mut counts.log_likelihood);
            self.backward(run, &densities, &ahead, &mut counts);
        }
        counts
    }

    /// For each gap the law of its state given all gaps up to and including it, up to a factor.
    fn forward(&self, run: &[Observation], densities: &Densities, log_likelihood: &mut f64) -> Vec<Vec<f64>> {
        let mut state = self.start.clone();
        let mut density = vec![0.0; state.len()];
        let mut all = Vec::with_capacity(run.len());
        for &(gap, batch) in run {
            *log_likelihood += densities.at(gap, &mut density);
            state.iter_mut().zip(&density).for_each(|(mass, density)| *mass *= density);
            let mut next = self.moves[batch - 1].after(&state);
            let total: f64 = next.iter().sum();
            *log_likelihood += total.ln();
            next.iter_mut().for_each(|mass| *mass /= total);
            all.push(std::mem::replace(&mut state, next));
        }
        all
    }

    /// Goes back through the run and counts moves: the move from `i` to `j` at the end of a gap has probability proportional
    /// to `ahead_i P_ij(b) behind_j`.
    fn backward(&self, run: &[Observation], densities: &Densities, ahead: &[Vec<f64>], counts: &mut Counts) {
        let n = self.branches.len();
        let mut density = vec![0.0; n];
        let mut behind = vec![1.0; n];
        for (t, &(gap, batch)) in run.iter().enumerate().rev() {
            let moves = &self.moves[batch - 1];
            let onward = moves.before(&behind);
            let total = dot(&ahead[t], &onward);
            for i in 0..n {
                let visited = ahead[t][i] * onward[i] / total;
                counts.visits[i].0 += visited;
                counts.visits[i].1 += visited * gap;
                counts.start[i] += if t == 0 { visited } else { 0.0 };
                for j in 0..n {
                    counts.moves[batch - 1][(i, j)] += ahead[t][i] * moves[(i, j)] * behind[j] / total;
                }
            }
            densities.at(gap, &mut density);
            behind = onward.iter().zip(&density).map(|(onward, density)| onward * density).collect();
            let largest = behind.iter().copied().fold(0.0, f64::max);
            behind.iter_mut().for_each(|mass| *mass /= largest);
        }
    }

    /// Both steps: shares of what was counted. With the log-likelihood before.
    fn step(&self, runs: &[Vec<Observation>]) -> (f64, Self) {
        let counts = self.counts(runs);
        let begun: f64 = counts.start.iter().sum();
        let n = self.branches.len();
        let share = |b: usize, i: usize, j: usize| match counts.visits[i].0 {
            visits if visits > 0.0 => counts.moves[b][(i, j)] / visits,
            _ => self.moves[b][(i, j)],
        };
        let next = Self {
            branches: self.branches.iter().zip(&counts.visits).map(|(b, visits)| b.refitted(*visits)).collect(),
            start: counts.start.iter().map(|count| count / begun).collect(),
            moves: (0..self.moves.len()).map(|b| Matrix::from_fn(n, n, |i, j| share(b, i, j))).collect(),
        };
        (counts.log_likelihood, next)
    }

    /// States side by side, each staying with probability one half more than chance, batches independent of them.
    fn starting(points: &[(f64, f64)], orders: &[usize], sizes: &[f64]) -> Self {
        let n = orders.len();
        let chance = 1.0 / n as f64;
        let stay = |i: usize, j: usize| if i == j { 0.5 + 0.5 * chance } else { 0.5 * chance };
        Self {
            branches: starting_branches(points, orders),
            start: vec![chance; n],
            moves: sizes.iter().map(|p| Matrix::from_fn(n, n, |i, j| p * stay(i, j))).collect(),
        }
    }

    /// As an arrival process: `D_0` passes through the phases of a branch, `D_b` from its last phase to the first of the
    /// next.
    ///
    /// # Errors
    /// If the rates are out of range.
    pub fn process(&self) -> Result<Bmap, FitError> {
        let d0 = silent_rates(&self.branches);
        let (n, phases) = (self.branches.len(), d0.rows());
        let seen: Vec<bool> = self.moves.iter().map(|p| p.entries().iter().any(|p| *p > 0.0)).collect();
        let total = 1.0 + LEAST_MOVE * (n * seen.iter().filter(|seen| **seen).count()) as f64;
        let mut d = vec![d0];
        for (p, seen) in self.moves.iter().zip(seen) {
            let mut batches = Matrix::zeros(phases, phases);
            for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))).filter(|_| seen) {
                let (last, first) = (self.first_phase(i) + self.branches[i].phases - 1, self.first_phase(j));
                batches[(last, first)] = self.branches[i].rate * (p[(i, j)] + LEAST_MOVE) / total;
            }
            d.push(batches);
        }
        Ok(Bmap::new(d)?)
    }

    fn first_phase(&self, branch: usize) -> usize {
        self.branches[..branch].iter().map(|branch| branch.phases).sum()
    }
}

/// The most likely chain with branches of the given numbers of phases, from a deterministic start.
///
/// # Errors
/// If there are fewer than ten gaps, one that is not positive and finite, or no branches.
pub fn hidden_chain(
    runs: &[Vec<Observation>],
    orders: &[usize],
    options: &EmOptions,
) -> Result<Climb<HiddenChain>, FitError> {
    let points = sorted_gaps(runs)?;
    if orders.is_empty() || orders.contains(&0) {
        return Err(FitError::NoPhases);
    }
    let start = HiddenChain::starting(&points, orders, &batch_law(runs));
    Ok(Climb::new(start, points.len() as f64, options, |chain| chain.step(runs)))
}

/// The most likely chain of `phases` phases in all: of their arrangements the one that is likeliest after a few iterations.
///
/// # Errors
/// If there are fewer than ten gaps, one that is not positive and finite, or no phases.
pub fn best_hidden_chain(
    runs: &[Vec<Observation>],
    phases: usize,
    options: &EmOptions,
) -> Result<Climb<HiddenChain>, FitError> {
    let trial = EmOptions { iterations: TRIAL.min(options.iterations), ..*options };
    let trials = partitions(phases).into_iter().map(|orders| hidden_chain(runs, &orders, &trial));
    let trials = trials.collect::<Result<Vec<_>, _>>()?;
    let best = trials.into_iter().reduce(Climb::likelier).ok_or(FitError::NoPhases)?;
    let gaps = runs.iter().map(Vec::len).sum::<usize>();
    Ok(Climb::new(best.parameters, gaps as f64, options, |chain| chain.step(runs)))
}

fn sorted_gaps(runs: &[Vec<Observation>]) -> Result<Vec<(f64, f64)>, FitError> {
    let mut points: Vec<(f64, f64)> = runs.iter().flatten().map(|(gap, _)| (*gap, 1.0)).collect();
    if points.len() < 10 {
        return Err(FitError::TooFew { what: "gaps", got: points.len(), needed: 10 });
    }
    if let Some(at) = points.iter().position(|(gap, _)| !(*gap > 0.0 && gap.is_finite())) {
        return Err(FitError::Sample { position: at + 1, value: points[at].0 });
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(points)
}

/// The share of each batch size.
fn batch_law(runs: &[Vec<Observation>]) -> Vec<f64> {
    let mut sizes = super::accumulate::BatchSizes::new(usize::MAX);
    runs.iter().flatten().for_each(|(_, batch)| sizes.add(*batch));
    sizes.law()
}

#[cfg(test)]
pub(super) mod tests;
