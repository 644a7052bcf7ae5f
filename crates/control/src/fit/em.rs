//! Law C-27: laws of any number of phases from a sample, by expectation maximisation.
//!
//! The laws are mixtures of Erlang laws (A. Thuemmler, P. Buchholz and M. Telek, 2006): with probability `w_i` the sum of
//! `r_i` phases of rate `lambda_i`. They can come as close to any law on the positive numbers as one likes. Compared with
//! the general algorithm of Asmussen, Nerman and Olsson both steps are in closed form, without a matrix exponential, and the
//! likelihood stays bounded. The numbers of phases `r_i` are tried in all ways.

use super::accumulate::Moments;
use super::goodness::Goodness;
use super::histogram::LogHistogram;
use super::{Departure, FitError, FittedLaw, SIZES};
use crate::matrix::Matrix;
use crate::phase_type::PhaseType;

/// Values that expectation maximisation looks at in each iteration, at most.
const MOST_POINTS: usize = 20_000;

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EmOptions {
    /// At most so many iterations.
    pub iterations: usize,
    /// Stop when an iteration raises the log-likelihood by less than this per value of the sample.
    pub tolerance: f64,
}

impl Default for EmOptions {
    fn default() -> Self {
        Self { iterations: 1000, tolerance: 1e-8 }
    }
}

/// An Erlang law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Branch {
    /// Number of phases.
    pub phases: usize,
    /// Rate of each.
    pub rate: f64,
}

/// The densities of some Erlang laws, with what does not depend on the place computed once.
pub(super) struct Densities {
    branches: Vec<Branch>,
    /// `r ln lambda - ln (r-1)!`.
    constants: Vec<f64>,
}

impl Densities {
    pub fn new(branches: &[Branch]) -> Self {
        let constant = |branch: &Branch| {
            let factorial: f64 = (1..branch.phases).map(|k| (k as f64).ln()).sum();
            branch.phases as f64 * branch.rate.ln() - factorial
        };
        Self { branches: branches.to_vec(), constants: branches.iter().map(constant).collect() }
    }

    /// Puts the densities at `x`, divided by the largest, into `into`, and returns the logarithm of the largest: no
    /// underflow, however far out `x` is.
    pub fn at(&self, x: f64, into: &mut [f64]) -> f64 {
        let ln_x = x.ln();
        let mut largest = f64::NEG_INFINITY;
        for ((log, branch), constant) in into.iter_mut().zip(&self.branches).zip(&self.constants) {
            *log = constant + (branch.phases as f64 - 1.0) * ln_x - branch.rate * x;
            largest = largest.max(*log);
        }
        into.iter_mut().for_each(|log| *log = (*log - largest).exp());
        largest
    }
}

/// What expectation maximisation arrived at.
#[derive(Clone, Debug, PartialEq)]
pub struct Climb<P> {
    /// The parameters.
    pub parameters: P,
    /// The log-likelihood at the start and after each iteration; it never falls.
    pub log_likelihoods: Vec<f64>,
    /// The last iteration gained less than the tolerance.
    pub converged: bool,
}

impl<P> Climb<P> {
    /// Repeats `step`, which returns the log-likelihood of what it is given and something at least as likely.
    pub(super) fn new(start: P, sample: f64, options: &EmOptions, step: impl Fn(&P) -> (f64, P)) -> Self {
        let mut climb = Self { parameters: start, log_likelihoods: Vec::new(), converged: false };
        loop {
            let before = climb.log_likelihood();
            let (now, next) = step(&climb.parameters);
            climb.log_likelihoods.push(now);
            climb.converged = now - before < options.tolerance * sample;
            if climb.converged || climb.log_likelihoods.len() > options.iterations {
                return climb;
            }
            climb.parameters = next;
        }
    }

    /// The log-likelihood of the parameters.
    #[must_use]
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihoods.last().copied().unwrap_or(f64::NEG_INFINITY)
    }

    /// What to report if it was cut short.
    pub(super) fn departures(&self) -> Vec<Departure> {
        let iterations = self.log_likelihoods.len() - 1;
        if self.converged { Vec::new() } else { vec![Departure::NotConverged { iterations }] }
    }

    /// The likelier of two.
    pub(super) fn likelier(self, other: Self) -> Self {
        if other.log_likelihood() > self.log_likelihood() { other } else { self }
    }
}

/// A mixture of Erlang laws.
#[derive(Clone, Debug, PartialEq)]
pub struct HyperErlang {
    /// The laws mixed.
    pub branches: Vec<Branch>,
    /// The probability of each.
    pub weights: Vec<f64>,
}

impl HyperErlang {
    /// As a phase-type law; branches that are all but never taken are left out.
    ///
    /// # Errors
    /// If the rates are out of range.
    pub fn law(&self) -> Result<PhaseType, FitError> {
        let live = self.branches.iter().zip(&self.weights).filter(|(_, weight)| **weight > 1e-12);
        let total: f64 = live.clone().map(|(_, weight)| weight).sum();
        let branches: Vec<Branch> = live.clone().map(|(branch, _)| *branch).collect();
        let mut start = Vec::new();
        for (branch, weight) in live {
            start.push(weight / total);
            start.extend(vec![0.0; branch.phases - 1]);
        }
        Ok(PhaseType::new(&start, &silent_rates(&branches))?)
    }

    /// Both steps at once: `w_i = E[share of i]`, `lambda_i = r_i E[share]/E[share x]`; with the log-likelihood before.
    fn step(&self, points: &[(f64, f64)]) -> (f64, Self) {
        let densities = Densities::new(&self.branches);
        let mut joint = vec![0.0; self.branches.len()];
        let mut shares = vec![(0.0, 0.0); self.branches.len()];
        let mut log_likelihood = 0.0;
        for &(x, weight) in points {
            let largest = densities.at(x, &mut joint);
            joint.iter_mut().zip(&self.weights).for_each(|(density, w)| *density *= w);
            let total: f64 = joint.iter().sum();
            log_likelihood += weight * (largest + total.ln());
            for (share, density) in shares.iter_mut().zip(&joint) {
                share.0 += weight * density / total;
                share.1 += weight * density / total * x;
            }
        }
        let total: f64 = shares.iter().map(|(share, _)| share).sum();
        let branches = self.branches.iter().zip(&shares).map(|(branch, share)| branch.refitted(*share)).collect();
        (log_likelihood, Self { branches, weights: shares.iter().map(|(share, _)| share / total).collect() })
    }
}

impl Branch {
    /// The rate that suits values of total weight and sum `(share, sum)`; as before if there are none.
    pub(super) fn refitted(self, (share, sum): (f64, f64)) -> Self {
        if share > 0.0 { Self { rate: self.phases as f64 * share / sum, ..self } } else { self }
    }
}

/// `D_0` of branches side by side: each phase leads to the next of its branch.
pub(super) fn silent_rates(branches: &[Branch]) -> Matrix {
    let phases: Vec<(f64, bool)> =
        branches.iter().flat_map(|b| (1..=b.phases).map(|phase| (b.rate, phase < b.phases))).collect();
    Matrix::from_fn(phases.len(), phases.len(), |i, j| match j.checked_sub(i) {
        Some(0) => -phases[i].0,
        Some(1) if phases[i].1 => phases[i].0,
        _ => 0.0,
    })
}

/// The mixture with branches of the given numbers of phases that is most likely, from a deterministic start: the sample in
/// ascending order is cut into as many parts of equal weight as there are branches.
#[must_use]
pub fn hyper_erlang(points: &[(f64, f64)], orders: &[usize], options: &EmOptions) -> Climb<HyperErlang> {
    let branches = starting_branches(points, orders);
    let weights = vec![1.0 / orders.len() as f64; orders.len()];
    let sample = points.iter().map(|(_, weight)| weight).sum();
    Climb::new(HyperErlang { branches, weights }, sample, options, |mixture| mixture.step(points))
}

/// Rates from the means of parts of equal weight; the branches with most phases take the smallest values.
pub(super) fn starting_branches(points: &[(f64, f64)], orders: &[usize]) -> Vec<Branch> {
    let sample: f64 = points.iter().map(|(_, weight)| weight).sum();
    let mut parts = vec![(0.0, 0.0); orders.len()];
    let mut below = 0.0;
    for &(x, weight) in points {
        let part = ((below + 0.5 * weight) / sample * orders.len() as f64) as usize;
        let part = &mut parts[part.min(orders.len() - 1)];
        part.0 += weight;
        part.1 += weight * x;
        below += weight;
    }
    let overall = points.iter().map(|(x, weight)| x * weight).sum::<f64>() / sample;
    let branch = |phases: usize| Branch { phases, rate: phases as f64 / overall };
    parts.into_iter().zip(orders).map(|(part, &phases)| branch(phases).refitted(part)).collect()
}

/// All ways to write `phases` as a sum of descending numbers.
pub(super) fn partitions(phases: usize) -> Vec<Vec<usize>> {
    fn below(left: usize, largest: usize) -> Vec<Vec<usize>> {
        if left == 0 {
            return vec![Vec::new()];
        }
        let starting =
            |first: usize| below(left - first, first).into_iter().map(move |rest| [vec![first], rest].concat());
        (1..=left.min(largest)).rev().flat_map(starting).collect()
    }
    below(phases, phases)
}

/// A law of at most `phases` phases from ascending positive values with weights: the most likely of all mixtures. Which
/// structure that is, is found on a histogram of the sample; the rates, on the sample itself.
///
/// # Errors
/// If there are fewer than two values, or one that is not positive and finite.
pub fn law_from_points(points: &[(f64, f64)], phases: usize, options: &EmOptions) -> Result<FittedLaw, FitError> {
    check(points, phases)?;
    let mut coarse = LogHistogram::default();
    points.iter().for_each(|&(x, weight)| coarse.add_weighted(x, weight));
    let coarse = coarse.points();
    let fits = partitions(phases).into_iter().map(|orders| hyper_erlang(&coarse, &orders, options));
    let start = fits.reduce(Climb::likelier).ok_or(FitError::NoPhases)?.parameters;
    let sample = points.iter().map(|(_, weight)| weight).sum();
    let groups = grouped(points, MOST_POINTS);
    let best = Climb::new(start, sample, options, |mixture| mixture.step(&groups));
    let law = best.parameters.law()?;
    let goodness = Goodness::of(&law, &groups);
    let mut departures = best.departures();
    if groups.len() < points.len() {
        departures.push(Departure::Grouped { groups: groups.len(), of: points.len() });
    }
    Ok(FittedLaw::new(law, &weighted_moments(points), departures, Some(goodness)))
}

/// Ascending values in at most `most` groups of about as many, each with its mean.
fn grouped(points: &[(f64, f64)], most: usize) -> Vec<(f64, f64)> {
    let mean = |group: &[(f64, f64)]| {
        let weight: f64 = group.iter().map(|(_, weight)| weight).sum();
        (group.iter().map(|(x, weight)| x * weight).sum::<f64>() / weight, weight)
    };
    points.chunks(points.len().div_ceil(most)).map(mean).collect()
}

/// A law of at most `phases` phases from a sample: service times, or sizes that take time in proportion.
///
/// # Errors
/// If there are fewer than two values, or one that is not positive and finite.
pub fn law_from_sample(sample: &[f64], phases: usize, options: &EmOptions) -> Result<FittedLaw, FitError> {
    let points = sorted_points(sample, phases)?;
    law_from_points(&points, phases, options)
}

/// A sample in ascending order, each value with weight one.
fn sorted_points(sample: &[f64], phases: usize) -> Result<Vec<(f64, f64)>, FitError> {
    let mut points: Vec<(f64, f64)> = sample.iter().map(|x| (*x, 1.0)).collect();
    check(&points, phases)?;
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(points)
}

fn weighted_moments(points: &[(f64, f64)]) -> [f64; 3] {
    let total: f64 = points.iter().map(|(_, weight)| weight).sum();
    [1, 2, 3].map(|k| points.iter().map(|(x, weight)| weight * x.powi(k)).sum::<f64>() / total)
}

fn check(points: &[(f64, f64)], phases: usize) -> Result<(), FitError> {
    if phases == 0 {
        return Err(FitError::NoPhases);
    }
    if points.len() < 2 {
        return Err(FitError::TooFew { what: "values", got: points.len(), needed: 2 });
    }
    match points.iter().position(|(x, _)| !SIZES.contains(x)) {
        Some(at) => Err(FitError::Sample { position: at + 1, value: points[at].0 }),
        None => Ok(()),
    }
}

/// A law from a sample by its three moments, with its goodness of fit (law C-25).
///
/// # Errors
/// If there are fewer than two values, or one that is not positive and finite.
pub fn law_from_sample_moments(sample: &[f64], phases: usize) -> Result<FittedLaw, FitError> {
    let points = sorted_points(sample, phases)?;
    let moments: Moments = sample.iter().copied().collect();
    let mut fitted = super::moments::from_moments(&moments.raw(), phases)?;
    fitted.report.goodness = Some(Goodness::of(&fitted.law, &grouped(&points, MOST_POINTS)));
    Ok(fitted)
}

#[cfg(test)]
mod tests;
