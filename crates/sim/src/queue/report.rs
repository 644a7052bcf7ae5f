//! What a simulation of the queue measured.

use control::{Measures, Model};

use super::QueueConfig;
use super::meters::{BatchQuantiles, Counts, Fractions};
use super::rare::{Seen, widened};
use crate::measure::Estimate;

/// The result of a simulation of the queue: the measures of [`control::Measures`], each with its 95% interval by batch means.
///
/// The intervals take batches as independent: they should be long against the memory of the arrivals. Ratios such as `p_loss` are
/// of sums over the whole time; their interval is that of the mean of `ratio + (x - ratio y)/mean y` over batches. Shares of what
/// was seen fewer than 30 times, or never, have an interval as wide as so few events allow, and so has the cost of it.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueReport {
    /// The seed: the same one gives the same report, bit for bit.
    pub seed: u64,
    /// Time measured.
    pub duration: f64,
    /// Pages delivered in that time.
    pub pages: u64,
    /// Pages that were lost, became obsolete or were indexed in that time: their fates are the shares below.
    pub gone: u64,
    /// `J`, the cost (2).
    pub cost: Estimate,
    /// The cost of each batch, for comparing controllers pairwise; its mean is the cost.
    pub batch_costs: Vec<f64>,
    /// Pages delivered per unit of time.
    pub arrival_rate: Estimate,
    /// Fraction that found no place, of the pages whose fate was seen.
    pub p_loss: Estimate,
    /// Fraction that became obsolete while they waited.
    pub p_obsolete: Estimate,
    /// Fraction that were indexed.
    pub p_success: Estimate,
    /// Fraction of time in which the indexer had nothing to do.
    pub p_starvation: Estimate,
    /// Mean number of active robots.
    pub active_robots: Estimate,
    /// Fraction of time each number of robots was active, by number, ascending; without those that never were.
    pub robots: Vec<(u32, Estimate)>,
    /// Mean time in the system of pages that were indexed; without any zero, and with an infinite interval unless two batches
    /// have such pages.
    pub sojourn_served: Estimate,
    /// The same of pages that became obsolete.
    pub sojourn_obsolete: Estimate,
    /// Mean time in the system of all pages, that of a lost one being zero.
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
        levels: &[Fractions],
        modes: &[Fractions],
        quantiles: &[BatchQuantiles],
    ) -> Self {
        let column = |of: fn(&Counts) -> f64| counts.iter().map(of).collect::<Vec<f64>>();
        let width = config.duration / counts.len() as f64;
        let per_time = |of: fn(&Counts) -> f64| counts.iter().map(|c| of(c) / width).collect::<Vec<f64>>();
        let of_all = |of: fn(&Counts) -> f64| ratio(&column(of), &column(Counts::gone));
        let active_robots = active_robots(model, modes);
        let batch_costs = batch_costs(model, counts, width, &active_robots, &levels[0].shares);
        let [p_loss, p_obsolete, p_success] = fates(model, counts);
        let visit = longest_visit(model) / config.duration;
        let share = |state: &Fractions| share(state, visit);
        let p_starvation = share(&levels[0]);
        let arrival_rate = Estimate::of(&per_time(|c| c.delivered));
        let robots = model.arrivals().iter().zip(modes).filter(|(_, state)| state.visits > 0.0);
        let mut cost = Estimate::of(&batch_costs);
        // What the intervals of the shares were widened by may cost something too.
        let wider = |wide: Estimate, of: fn(&Counts) -> f64| wide.half_width - of_all(of).half_width;
        let (loss, obsolete) = (wider(p_loss, |c| c.lost), wider(p_obsolete, |c| c.obsolete));
        let starvation = p_starvation.half_width - Estimate::of(&levels[0].shares).half_width;
        let rate = arrival_rate.mean;
        cost.half_width += model.costs().total(rate * loss, rate * obsolete, 0.0, 0.0, starvation);
        Self {
            seed: config.seed,
            duration: config.duration,
            pages: column(|c| c.delivered).iter().sum::<f64>() as u64,
            gone: column(Counts::gone).iter().sum::<f64>() as u64,
            cost,
            batch_costs,
            arrival_rate,
            p_loss,
            p_obsolete,
            p_success,
            p_starvation,
            active_robots: Estimate::of(&active_robots),
            robots: robots.map(|((r, _), state)| (*r, share(state))).collect(),
            sojourn_served: mean_time(&column(|c| c.time_served), &column(|c| c.served)),
            sojourn_obsolete: mean_time(&column(|c| c.time_obsolete), &column(|c| c.obsolete)),
            sojourn: of_all(|c| c.time_served + c.time_obsolete),
            levels: levels.iter().map(share).collect(),
            switches: Estimate::of(&per_time(|c| c.switches)),
            quantiles: (0..config.quantiles.len()).map(|q| Quantiles::new(q, config.quantiles[q], quantiles)).collect(),
        }
    }

    /// Every measure by name, in the order of [`control::Measures`].
    #[must_use]
    pub fn measures(&self) -> Vec<(String, Estimate)> {
        let named = |(name, of): (&str, Estimate)| (name.to_owned(), of);
        let first = [
            ("cost", self.cost),
            ("arrival_rate", self.arrival_rate),
            ("p_loss", self.p_loss),
            ("p_obsolete", self.p_obsolete),
            ("p_success", self.p_success),
            ("p_starvation", self.p_starvation),
            ("active_robots", self.active_robots),
        ];
        let times = [
            ("sojourn_served", self.sojourn_served),
            ("sojourn_obsolete", self.sojourn_obsolete),
            ("sojourn", self.sojourn),
        ];
        let robots = self.robots.iter().map(|(r, share)| (format!("robots {r}"), *share));
        let levels = self.levels.iter().enumerate().map(|(pages, share)| (format!("levels {pages}"), *share));
        first.map(named).into_iter().chain(robots).chain(times.map(named)).chain(levels).collect()
    }

    /// Every measure beside the solved one.
    #[must_use]
    pub fn beside(&self, solved: &Measures) -> Vec<Beside> {
        let first = [
            solved.cost,
            solved.arrival_rate,
            solved.p_loss,
            solved.p_obsolete,
            solved.p_success,
            solved.p_starvation,
            solved.active_robots,
        ];
        let share = |r: &u32| solved.robots.iter().find(|(known, _)| known == r).map_or(0.0, |(_, share)| *share);
        let robots = self.robots.iter().map(|(r, _)| share(r));
        let times = [solved.sojourn_served, solved.sojourn_obsolete, solved.sojourn];
        let solved = first.into_iter().chain(robots).chain(times).chain(solved.levels.iter().copied());
        self.measures()
            .into_iter()
            .zip(solved)
            .map(|((name, simulated), solved)| Beside { name, simulated, solved })
            .collect()
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
fn active_robots(model: &Model, modes: &[Fractions]) -> Vec<f64> {
    let robots: Vec<f64> = model.arrivals().iter().map(|(r, _)| f64::from(*r)).collect();
    (0..modes[0].shares.len()).map(|b| robots.iter().zip(modes).map(|(r, state)| r * state.shares[b]).sum()).collect()
}

/// The shares of pages lost, obsolete and indexed.
fn fates(model: &Model, counts: &[Counts]) -> [Estimate; 3] {
    let column = |of: fn(&Counts) -> f64| counts.iter().map(of).collect::<Vec<f64>>();
    let total = |of: fn(&Counts) -> f64| counts.iter().map(of).sum::<f64>();
    let gone = total(Counts::gone).max(1.0);
    let batch = model.arrivals().iter().map(|(_, bmap)| bmap.largest_batch()).max().unwrap_or(1) as f64;
    let lost = Seen { events: total(|c| c.losses), each: batch / gone };
    let obsolete = match model.obsolescence() {
        Some(_) if model.most_pages() > 1 => Seen { events: total(|c| c.obsolete), each: 1.0 / gone },
        _ => Seen { events: 0.0, each: 0.0 },
    };
    let served = Seen { events: total(|c| c.served), each: 1.0 / gone };
    let both = |a: Seen, b: Seen| Seen { events: a.events + b.events, each: a.each.max(b.each) };
    let of = |of: fn(&Counts) -> f64| ratio(&column(of), &column(Counts::gone));
    [
        widened(of(|c| c.lost), lost, both(obsolete, served)),
        widened(of(|c| c.obsolete), obsolete, both(lost, served)),
        widened(of(|c| c.served), served, both(lost, obsolete)),
    ]
}

/// The share of time of one state, one visit to which lasts `visit` of the whole time.
fn share(state: &Fractions, visit: f64) -> Estimate {
    let seen = Seen { events: state.visits, each: visit };
    // Whenever it is left, another state is visited; if it always held, none was.
    let always = state.shares.iter().all(|share| *share >= 1.0);
    let others = Seen { events: if always { 0.0 } else { state.visits }, ..seen };
    widened(Estimate::of(&state.shares), seen, others)
}

/// About the longest that a number of pages lasts: a page is indexed, or without any the slowest robots bring one.
fn longest_visit(model: &Model) -> f64 {
    let gaps = model.arrivals().iter().map(|(_, bmap)| 1.0 / bmap.batch_rate());
    gaps.fold(model.service().mean(), f64::max)
}

/// The mean time of pages of one fate; nothing is known of how it varies unless two batches have such pages.
fn mean_time(times: &[f64], pages: &[f64]) -> Estimate {
    let estimate = ratio(times, pages);
    let batches = pages.iter().filter(|pages| **pages > 0.0).count();
    Estimate { half_width: if batches < 2 { f64::INFINITY } else { estimate.half_width }, ..estimate }
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
