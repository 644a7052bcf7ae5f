//! The arrival process of the model, assembled: a process of batches (laws C-26, C-27) times the law of their size, for
//! each number of active robots.

use super::deliveries::{DeliveryOptions, DeliveryStatistics, Trace};
use super::em::EmOptions;
use super::em_arrivals::{Observation, best_hidden_chain};
use super::goodness::Goodness;
use super::map2;
use super::moments::{MomentError, acyclic, from_moments, two_moments};
use super::{Departure, FitError, FitReport, Matched, Quantity, renewal};
use crate::arrivals::Bmap;

/// Gaps needed for a fit.
const LEAST_GAPS: f64 = 10.0;

/// Gaps that expectation maximisation looks at, at most,
const MOST_GAPS: usize = 20_000;

/// in stretches of so many.
const STRETCH: usize = 1000;

/// A fitted arrival process.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedArrivals {
    /// The process.
    pub process: Bmap,
    /// How well it fits.
    pub report: FitReport,
}

impl FittedArrivals {
    pub(super) fn new(process: Bmap, statistics: &DeliveryStatistics, mut departures: Vec<Departure>) -> Self {
        let moments = (1..).zip(statistics.gaps().raw()).map(|(k, wanted)| Matched {
            quantity: Quantity::Moment(k),
            wanted,
            fitted: process.interval_moment(k),
        });
        let correlations = (1..).zip(statistics.correlations()).map(|(k, wanted)| Matched {
            quantity: Quantity::Correlation(k),
            wanted,
            fitted: process.correlation(k),
        });
        let sizes = statistics.batch_sizes();
        let batch = Matched {
            quantity: Quantity::MeanBatch,
            wanted: sizes.mean(),
            fitted: process.rate() / process.batch_rate(),
        };
        departures.extend(statistics.doubts());
        if sizes.larger_share() > 0.0 {
            departures.push(Departure::LargeBatches { largest: sizes.largest(), share: sizes.larger_share() });
        }
        let matched = moments.chain(correlations).chain([batch]).collect();
        Self { process, report: FitReport { matched, departures, goodness: None } }
    }

    /// The processes of one to `robots` robots if this is the process of one: `r D_k`, the way of ADKNS section 7.
    #[must_use]
    pub fn for_robots(&self, robots: u32) -> Vec<(u32, Bmap)> {
        (1..=robots).map(|r| (r, self.process.sped_up(f64::from(r)))).collect()
    }
}

/// A process of two phases with the moments and the decay of correlation of the gaps (law C-26), and the batch sizes
/// independent of it. What two phases cannot have is left out, and the report says so.
///
/// # Errors
/// If there are fewer than ten gaps or their moments are not those of any law.
pub fn arrivals_from_statistics(statistics: &DeliveryStatistics) -> Result<FittedArrivals, FitError> {
    let gaps = statistics.gaps();
    if gaps.weight() < LEAST_GAPS {
        return Err(FitError::TooFew { what: "gaps", got: gaps.weight() as usize, needed: LEAST_GAPS as usize });
    }
    let mut departures = Vec::new();
    let batches = match reachable_moments(&gaps.raw(), &mut departures) {
        Ok(moments) => map2::from_decay(&moments, chosen_decay(statistics, &moments, &mut departures)?)?,
        Err(reason) => {
            let fitted = from_moments(&gaps.raw(), (1.0 / gaps.squared_variation()).ceil().clamp(2.0, 100.0) as usize)?;
            departures = [vec![Departure::Renewal(reason)], fitted.report.departures].concat();
            renewal(&fitted.law)?
        }
    };
    let process = batches.with_batches(&statistics.batch_sizes().law());
    Ok(FittedArrivals::new(process, statistics, departures))
}

/// The moments, with the third replaced by that of the two-moment law if two phases cannot have it.
fn reachable_moments(moments: &[f64; 3], departures: &mut Vec<Departure>) -> Result<[f64; 3], MomentError> {
    match acyclic(moments, 2) {
        Ok(_) => Ok(*moments),
        Err(reason) => {
            let law = two_moments(moments[0], moments[1], 2)?;
            departures.push(Departure::TwoMoments(reason));
            Ok([moments[0], moments[1], law.moment(3)])
        }
    }
}

/// The decay that the correlations ask for, as far as two phases allow; zero if they are within two standard errors.
fn chosen_decay(
    statistics: &DeliveryStatistics,
    moments: &[f64; 3],
    departures: &mut Vec<Departure>,
) -> Result<f64, MomentError> {
    let correlations = statistics.correlations();
    let noise = 2.0 / statistics.gaps().effective_size().sqrt();
    let (low, high) = map2::decay_bounds(moments)?;
    if correlations.iter().all(|rho| rho.abs() <= noise) {
        departures.push(Departure::Uncorrelated { noise });
        return Ok(0.0);
    }
    let amplitude = map2::amplitude(statistics.gaps().squared_variation());
    let used = map2::decay(&correlations, amplitude, low, high.min(map2::SLOWEST));
    let wanted = map2::decay(&correlations, amplitude, -1.0, 1.0);
    if (wanted - used).abs() > 1e-6 {
        departures.push(Departure::Decay { wanted, used });
    }
    Ok(used)
}

/// A process of `phases` phases by likelihood (law C-27). With `joint` the sizes of batches may depend on the phase, as in a
/// general BMAP; without, they are independent of it.
///
/// # Errors
/// If there are fewer than ten gaps or no phases.
pub fn arrivals_by_em(
    trace: &Trace,
    phases: usize,
    joint: bool,
    options: &EmOptions,
) -> Result<FittedArrivals, FitError> {
    let statistics = trace.statistics(&DeliveryOptions::default());
    let sizes = statistics.batch_sizes();
    let all = counted(trace, &statistics);
    let seen = |run: &Vec<Observation>| run.iter().map(|&(gap, size)| (gap, if joint { size } else { 1 })).collect();
    let (runs, sampled) = stretches(all.iter().map(seen).collect());
    let climb = best_hidden_chain(&runs, phases, options)?;
    let process = climb.parameters.process()?;
    let law = sizes.law();
    // The sizes that are independent of the gaps have a likelihood of their own.
    let of_sizes: f64 = all.iter().flatten().map(|(_, size)| law[size - 1].ln()).sum();
    let (process, of_sizes) = if joint { (process, 0.0) } else { (process.with_batches(&law), of_sizes) };
    let departures = climb.departures().into_iter().chain(sampled.departure()).collect();
    let mut fitted = FittedArrivals::new(process, &statistics, departures);
    let sample = statistics.gaps().weight();
    let log_likelihood = sampled.of_all(climb.log_likelihood()) + of_sizes;
    fitted.report.goodness = Some(Goodness { log_likelihood, kolmogorov_smirnov: None, sample });
    Ok(fitted)
}

/// The gaps of a trace, each batch with the size as which it counts.
pub(super) fn counted(trace: &Trace, statistics: &DeliveryStatistics) -> Vec<Vec<Observation>> {
    let mut runs = trace.runs();
    runs.iter_mut().flatten().for_each(|(_, size)| *size = statistics.batch_sizes().counted(*size));
    runs
}

/// How much of a sample was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sampled {
    used: usize,
    of: usize,
}

impl Sampled {
    /// The log-likelihood of the whole, from that of the part.
    pub(super) fn of_all(self, log_likelihood: f64) -> f64 {
        log_likelihood * self.of as f64 / self.used as f64
    }

    pub(super) fn departure(self) -> Option<Departure> {
        let Self { used, of } = self;
        (used < of).then_some(Departure::Sampled { used, of })
    }
}

/// As many stretches of consecutive gaps, evenly spread, as have about [`MOST_GAPS`] gaps together.
pub(super) fn stretches(runs: Vec<Vec<Observation>>) -> (Vec<Vec<Observation>>, Sampled) {
    let of: usize = runs.iter().map(Vec::len).sum();
    if of <= MOST_GAPS {
        return (runs, Sampled { used: of, of });
    }
    let pieces = runs.iter().flat_map(|run| run.chunks(STRETCH));
    let kept: Vec<Vec<Observation>> = pieces.step_by(of.div_ceil(MOST_GAPS)).map(<[Observation]>::to_vec).collect();
    let used = kept.iter().map(Vec::len).sum();
    (kept, Sampled { used, of })
}

#[cfg(test)]
mod tests;
