//! What a simulation of the queue measured.

use control::{Measures, Model};

use super::QueueConfig;
use super::meters::{BatchQuantiles, Counts};
use crate::measure::Estimate;

/// The result of a simulation of the queue: the measures of [`control::Measures`], each with its 95% interval by batch means.
///
/// The intervals take batches as independent: they should be long against the memory of the arrivals. Ratios such as `p_loss` are
/// of sums over the whole time; their interval is that of the mean of `ratio + (x - ratio y)/mean y` over batches.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueReport {
    /// The seed: the same one gives the same report, bit for bit.
    pub seed: u64,
    /// Time measured.
    pub duration: f64,
    /// Pages delivered in that time.
    pub pages: u64,
    /// `J`, the cost (2).
    pub cost: Estimate,
    /// The cost of each batch, for comparing controllers pairwise; its mean is the cost.
    pub batch_costs: Vec<f64>,
    /// Pages delivered per unit of time.
    pub arrival_rate: Estimate,
    /// Fraction of delivered pages that found no place.
    pub p_loss: Estimate,
    /// Fraction of delivered pages that became obsolete while they waited.
    pub p_obsolete: Estimate,
    /// Fraction of delivered pages that were indexed.
    pub p_success: Estimate,
    /// Fraction of time in which the indexer had nothing to do.
    pub p_starvation: Estimate,
    /// Mean number of active robots.
    pub active_robots: Estimate,
    /// Fraction of time each number of robots was active, by number, ascending; without those that never were.
    pub robots: Vec<(u32, Estimate)>,
    /// Mean time in the system of pages that were indexed; without any zero with an infinite interval.
    pub sojourn_served: Estimate,
    /// Mean time in the system of pages that became obsolete; without any zero with an infinite interval.
    pub sojourn_obsolete: Estimate,
    /// Mean time in the system of all delivered pages, that of a lost one being zero.
    pub sojourn: Estimate,
    /// Fraction of time with 0, 1, ... pages in the system.
    pub levels: Vec<Estimate>,
    /// Changes of the number of active robots per unit of time.
    pub switches: Estimate,
    /// For each probability that was asked for.
    pub quantiles: Vec<Quantiles>,
}

/// The times in the system that a fraction `p` of pages do not exceed; `None` if some batch has no such page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quantiles {
    /// The probability.
    pub p: f64,
    /// Of pages that were indexed.
    pub served: Option<Estimate>,
    /// Of pages that became obsolete.
    pub obsolete: Option<Estimate>,
    /// Of all pages, that of a lost one being zero.
    pub all: Option<Estimate>,
}

/// A measure as simulated and as solved.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    /// Its name.
    pub name: String,
    /// As simulated.
    pub simulated: Estimate,
    /// As solved.
    pub solved: f64,
}

impl QueueReport {
    pub(super) fn new(
        model: &Model,
        config: &QueueConfig,
        counts: &[Counts],
        levels: &[Vec<f64>],
        modes: &[Vec<f64>],
        quantiles: &[BatchQuantiles],
    ) -> Self {
        let column = |of: fn(&Counts) -> f64| counts.iter().map(of).collect::<Vec<f64>>();
        let width = config.duration / counts.len() as f64;
        let per_time = |of: fn(&Counts) -> f64| counts.iter().map(|c| of(c) / width).collect::<Vec<f64>>();
        let (delivered, served, obsolete) = (column(|c| c.delivered), column(|c| c.served), column(|c| c.obsolete));
        let of_delivered = |of: fn(&Counts) -> f64| ratio(&column(of), &delivered);
        let active_robots = active_robots(model, modes);
        let batch_costs = batch_costs(model, counts, width, &active_robots, &levels[0]);
        let robots = model.arrivals().iter().zip(modes).filter(|(_, shares)| shares.iter().any(|share| *share > 0.0));
        Self {
            seed: config.seed,
            duration: config.duration,
            pages: delivered.iter().sum::<f64>() as u64,
            cost: Estimate::of(&batch_costs),
            batch_costs,
            arrival_rate: Estimate::of(&per_time(|c| c.delivered)),
            p_loss: of_delivered(|c| c.lost),
            p_obsolete: of_delivered(|c| c.obsolete),
            p_success: of_delivered(|c| c.served),
            p_starvation: Estimate::of(&levels[0]),
            active_robots: Estimate::of(&active_robots),
            robots: robots.map(|((r, _), shares)| (*r, Estimate::of(shares))).collect(),
            sojourn_served: ratio(&column(|c| c.time_served), &served),
            sojourn_obsolete: ratio(&column(|c| c.time_obsolete), &obsolete),
            sojourn: of_delivered(|c| c.time_served + c.time_obsolete),
            levels: levels.iter().map(|shares| Estimate::of(shares)).collect(),
            switches: Estimate::of(&per_time(|c| c.switches)),
            quantiles: (0..config.quantiles.len()).map(|q| Quantiles::new(q, config.quantiles[q], quantiles)).collect(),
        }
    }

    /// Every measure beside the solved one, in the order of [`control::Measures`].
    #[must_use]
    pub fn beside(&self, solved: &Measures) -> Vec<Beside> {
        let row = |name: &str, simulated, solved| Beside { name: name.to_owned(), simulated, solved };
        let mut rows = vec![
            row("cost", self.cost, solved.cost),
            row("arrival_rate", self.arrival_rate, solved.arrival_rate),
            row("p_loss", self.p_loss, solved.p_loss),
            row("p_obsolete", self.p_obsolete, solved.p_obsolete),
            row("p_success", self.p_success, solved.p_success),
            row("p_starvation", self.p_starvation, solved.p_starvation),
            row("active_robots", self.active_robots, solved.active_robots),
        ];
        for (r, share) in &self.robots {
            let solved = solved.robots.iter().find(|(known, _)| known == r).map_or(0.0, |(_, share)| *share);
            rows.push(row(&format!("robots {r}"), *share, solved));
        }
        rows.push(row("sojourn_served", self.sojourn_served, solved.sojourn_served));
        rows.push(row("sojourn_obsolete", self.sojourn_obsolete, solved.sojourn_obsolete));
        rows.push(row("sojourn", self.sojourn, solved.sojourn));
        for (pages, (share, solved)) in self.levels.iter().zip(&solved.levels).enumerate() {
            rows.push(row(&format!("levels {pages}"), *share, *solved));
        }
        rows
    }
}

impl Quantiles {
    fn new(q: usize, p: f64, batches: &[BatchQuantiles]) -> Self {
        let mean = |of: fn(&BatchQuantiles) -> &Vec<Option<f64>>| {
            let values: Option<Vec<f64>> = batches.iter().map(|batch| of(batch)[q]).collect();
            values.map(|values| Estimate::of(&values))
        };
        Self { p, served: mean(|b| &b.served), obsolete: mean(|b| &b.obsolete), all: mean(|b| &b.all) }
    }
}

/// The mean number of active robots in each batch (6).
fn active_robots(model: &Model, modes: &[Vec<f64>]) -> Vec<f64> {
    let robots: Vec<f64> = model.arrivals().iter().map(|(r, _)| f64::from(*r)).collect();
    (0..modes[0].len()).map(|b| robots.iter().zip(modes).map(|(r, shares)| r * shares[b]).sum()).collect()
}

/// Law C-10: the cost (2) of each batch, with the mean time of indexed pages made linear.
fn batch_costs(model: &Model, counts: &[Counts], width: f64, robots: &[f64], starvation: &[f64]) -> Vec<f64> {
    let column = |of: fn(&Counts) -> f64| counts.iter().map(of).collect::<Vec<f64>>();
    let sojourn = linear_ratio(&column(|c| c.time_served), &column(|c| c.served)).unwrap_or(vec![0.0; counts.len()]);
    let cost = |b: usize| {
        let (lost, obsolete) = (counts[b].lost / width, counts[b].obsolete / width);
        model.costs().total(lost, obsolete, sojourn[b], robots[b], starvation[b])
    };
    (0..counts.len()).map(cost).collect()
}

/// `sum x/sum y` with its interval.
fn ratio(x: &[f64], y: &[f64]) -> Estimate {
    match linear_ratio(x, y) {
        Some(values) => Estimate::of(&values),
        None => Estimate { mean: 0.0, half_width: f64::INFINITY },
    }
}

/// Values whose mean is `r = sum x/sum y` and whose spread is, to first order, that of the ratio: `r + (x - r y)/mean y`.
fn linear_ratio(x: &[f64], y: &[f64]) -> Option<Vec<f64>> {
    let below: f64 = y.iter().sum();
    let (r, mean) = (x.iter().sum::<f64>() / below, below / y.len() as f64);
    (below > 0.0).then(|| x.iter().zip(y).map(|(x, y)| r + (x - r * y) / mean).collect())
}
