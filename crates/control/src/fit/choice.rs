//! Which of several fits to keep: law C-27.
//!
//! Fits by moments and by likelihood are compared by the Bayesian information criterion `BIC = m ln n - 2 ln L`, with `m`
//! parameters, `n` values and the likelihood `L` (G. Schwarz, 1978): more parameters must earn their keep. The least is kept.

use std::fmt;

use super::arrivals::{FittedArrivals, arrivals_by_em, arrivals_from_statistics, counted, stretches};
use super::deliveries::{DeliveryOptions, Trace};
use super::em::{EmOptions, law_from_sample, law_from_sample_moments};
use super::em_arrivals::Observation;
use super::goodness::Goodness;
use super::{FitError, FitReport, FittedLaw};
use crate::arrivals::Bmap;
use crate::matrix::Matrix;
use crate::passing::Passing;

/// How something was fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By moments, and for arrivals the decay of correlation (laws C-25, C-26).
    Moments,
    /// By likelihood; batch sizes are independent of the gaps (law C-27).
    Likelihood,
    /// By likelihood of gaps and batch sizes together, a general BMAP (law C-27).
    Joint,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Moments => "moments",
            Self::Likelihood => "likelihood",
            Self::Joint => "joint likelihood",
        })
    }
}

/// Something fitted with a report.
pub trait Fitted {
    /// How well it fits.
    fn report(&self) -> &FitReport;
}

impl Fitted for FittedLaw {
    fn report(&self) -> &FitReport {
        &self.report
    }
}

impl Fitted for FittedArrivals {
    fn report(&self) -> &FitReport {
        &self.report
    }
}

/// One fit among several.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate<F> {
    /// How it was made.
    pub method: Method,
    /// Numbers that were chosen to suit the sample.
    pub parameters: usize,
    /// What came out.
    pub fitted: F,
}

impl<F: Fitted> Candidate<F> {
    /// `m ln n - 2 ln L`; infinite without a likelihood.
    #[must_use]
    pub fn information(&self) -> f64 {
        let of = |goodness: Goodness| self.parameters as f64 * goodness.sample.ln() - 2.0 * goodness.log_likelihood;
        self.fitted.report().goodness.map(of).filter(|bic| !bic.is_nan()).unwrap_or(f64::INFINITY)
    }
}

/// The fits that were made, the best first, and those that could not be.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice<F> {
    /// The one with the least [`Candidate::information`].
    pub best: Candidate<F>,
    /// The others, best first.
    pub others: Vec<Candidate<F>>,
    /// What else was tried, and why nothing came of it.
    pub refused: Vec<(Method, FitError)>,
}

impl<F: Fitted> Choice<F> {
    fn among(tried: Vec<(Method, Result<Candidate<F>, FitError>)>) -> Result<Self, FitError> {
        let (mut fits, mut refused) = (Vec::new(), Vec::new());
        for (method, result) in tried {
            match result {
                Ok(candidate) => fits.push(candidate),
                Err(error) => refused.push((method, error)),
            }
        }
        fits.sort_by(|a: &Candidate<F>, b| a.information().total_cmp(&b.information()));
        let mut fits = fits.into_iter();
        match (fits.next(), refused.first()) {
            (Some(best), _) => Ok(Self { best, others: fits.collect(), refused }),
            (None, Some((_, error))) => Err(error.clone()),
            (None, None) => Err(FitError::NoPhases),
        }
    }
}

/// Phases of laws by moments, at most.
const MOMENT_PHASES: usize = 10;

/// Phases tried for a law by likelihood if their number is not given.
const LAW_PHASES: [usize; 4] = [1, 2, 3, 4];

/// Phases tried for arrivals by likelihood if their number is not given: up to as many as moments determine.
const ARRIVAL_PHASES: [usize; 2] = [1, 2];

/// The best law of a sample by each of the methods, with so many phases or, by likelihood, with as many of up to four as suit it.
///
/// # Errors
/// If no method has a result.
pub fn choose_law(
    sample: &[f64],
    phases: Option<usize>,
    methods: &[Method],
    options: &EmOptions,
) -> Result<Choice<FittedLaw>, FitError> {
    let by_moments = || {
        let fitted = law_from_sample_moments(sample, phases.unwrap_or(MOMENT_PHASES))?;
        Ok(Candidate { method: Method::Moments, parameters: 3, fitted })
    };
    let by_likelihood = |phases: usize| {
        let fitted = law_from_sample(sample, phases, options)?;
        // A rate and a weight for each branch, of weights that sum to one.
        let branches = fitted.law.start().iter().filter(|p| **p > 0.0).count();
        Ok(Candidate { method: Method::Likelihood, parameters: 2 * branches - 1, fitted })
    };
    let likeliest = || -> Result<Candidate<FittedLaw>, FitError> {
        let tried = phases.map_or(LAW_PHASES.to_vec(), |phases| vec![phases]);
        let tried = tried.into_iter().map(|phases| (Method::Likelihood, by_likelihood(phases)));
        Choice::among(tried.collect()).map(|choice| choice.best)
    };
    let tried = methods.iter().map(|method| match method {
        Method::Moments => (*method, by_moments()),
        Method::Likelihood | Method::Joint => (*method, likeliest()),
    });
    Choice::among(tried.collect())
}

/// The best arrival process of a trace by each of the methods, with so many phases or, by likelihood, with as many of up to two as
/// suit it.
///
/// # Errors
/// If no method has a result.
pub fn choose_arrivals(
    trace: &Trace,
    phases: Option<usize>,
    methods: &[Method],
    options: &EmOptions,
) -> Result<Choice<FittedArrivals>, FitError> {
    let candidate = |method: Method, fitted: FittedArrivals| {
        let parameters = parameters(method, &fitted.process);
        Candidate { method, parameters, fitted }
    };
    let likeliest = |method: Method| -> Result<Candidate<FittedArrivals>, FitError> {
        // With one phase sizes cannot depend on it.
        let usual = ARRIVAL_PHASES.into_iter().filter(|phases| *phases > 1 || method == Method::Likelihood);
        let tried = phases.map_or(usual.collect(), |phases| vec![phases]);
        let by = |phases: usize| arrivals_by_em(trace, phases, method == Method::Joint, options);
        let tried = tried.into_iter().map(|phases| (method, by(phases).map(|fitted| candidate(method, fitted))));
        Choice::among(tried.collect()).map(|choice| choice.best)
    };
    let tried = methods.iter().map(|method| match method {
        Method::Moments => (*method, by_moments(trace).map(|fitted| candidate(*method, fitted))),
        Method::Likelihood | Method::Joint => (*method, likeliest(*method)),
    });
    Choice::among(tried.collect())
}

fn by_moments(trace: &Trace) -> Result<FittedArrivals, FitError> {
    let statistics = trace.statistics(&DeliveryOptions::default());
    let mut fitted = arrivals_from_statistics(&statistics)?;
    let (runs, sampled) = stretches(counted(trace, &statistics));
    let log_likelihood = sampled.of_all(log_likelihood(&fitted.process, &runs));
    fitted.report.goodness =
        Some(Goodness { log_likelihood, kolmogorov_smirnov: None, sample: statistics.gaps().weight() });
    Ok(fitted)
}

/// Three moments and a decay; or a rate for each branch and a move to each. Either way the sizes that were seen: once, or for
/// each move.
fn parameters(method: Method, process: &Bmap) -> usize {
    let seen = |m: &&Matrix| m.entries().iter().any(|rate| *rate > 0.0);
    let sizes = process.matrices()[1..].iter().filter(seen).count();
    // Phases in which a gap can end, one to a branch.
    let ends = |phase: &usize| process.matrices()[1..].iter().any(|m| m.row(*phase).iter().any(|rate| *rate > 0.0));
    let branches = (0..process.phases()).filter(ends).count();
    match method {
        Method::Moments => 4 + sizes - 1,
        Method::Likelihood => branches * branches + sizes - 1,
        Method::Joint => branches * branches * sizes,
    }
}

/// The log-likelihood of gaps and batch sizes: each gap `x` with batch `b` takes the law `pi` of the phase to
/// `pi exp(D_0 x) D_b`, whose sum is the density. Every run begins with the law just after a batch.
#[must_use]
pub fn log_likelihood(process: &Bmap, runs: &[Vec<Observation>]) -> f64 {
    let silent = &process.matrices()[0];
    let pace = (0..silent.rows()).map(|i| -silent[(i, i)]).fold(0.0, f64::max);
    let mut passing = Passing::new(silent, &Matrix::column_vector(&process.batch_rates()), pace);
    let start = process.phases_after_batch();
    let mut sum = 0.0;
    for run in runs {
        let mut law = start.clone();
        for &(gap, batch) in run {
            law = passing.after(&law, gap);
            law.truncate(silent.rows());
            law = process.matrices()[batch.min(process.largest_batch())].after(&law);
            let density: f64 = law.iter().sum();
            sum += density.ln();
            law.iter_mut().for_each(|mass| *mass /= density);
        }
    }
    sum
}

#[cfg(test)]
mod tests;
