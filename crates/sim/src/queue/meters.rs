//! Sums over the batches of a simulation.

use control::Model;

use super::QueueConfig;
use super::report::QueueReport;
use crate::measure::Meter;

/// What is counted in one batch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub delivered: f64,
    pub lost: f64,
    /// Batches of which pages were lost.
    pub losses: f64,
    pub obsolete: f64,
    pub served: f64,
    /// Sum of the times in the system of pages that became obsolete.
    pub time_obsolete: f64,
    /// The same of pages that were served.
    pub time_served: f64,
    pub switches: f64,
}

impl Counts {
    /// Pages whose fate was seen: lost, obsolete or served.
    pub fn gone(&self) -> f64 {
        self.lost + self.obsolete + self.served
    }
}

/// Quantiles in one batch, by probability; `None` if no page had the fate.
#[derive(Clone, Debug, Default)]
pub(super) struct BatchQuantiles {
    pub served: Vec<Option<f64>>,
    pub obsolete: Vec<Option<f64>>,
    pub all: Vec<Option<f64>>,
}

/// How the time is shared among states of which one holds at any time.
struct Shares {
    meters: Vec<Meter>,
    visits: Vec<f64>,
    start: f64,
    now: Option<usize>,
}

/// The share of one state in each batch, and how often it was entered.
#[derive(Clone, Debug)]
pub(super) struct Fractions {
    pub shares: Vec<f64>,
    pub visits: f64,
}

impl Shares {
    fn new(config: &QueueConfig, states: usize) -> Self {
        let meter = || Meter::new(config.warm_up, config.duration, config.batches);
        Self {
            meters: (0..states).map(|_| meter()).collect(),
            visits: vec![0.0; states],
            start: config.warm_up,
            now: None,
        }
    }

    fn pass(&mut self, from: f64, to: f64, state: usize) {
        self.meters[state].add(from, to, 1.0);
        if to > self.start && self.now != Some(state) {
            self.visits[state] += 1.0;
            self.now = Some(state);
        }
    }

    fn into_fractions(self) -> Vec<Fractions> {
        let of = |(meter, visits): (Meter, f64)| Fractions { shares: meter.into_means(), visits };
        self.meters.into_iter().zip(self.visits).map(of).collect()
    }
}

/// Everything measured, by batch.
pub(super) struct Meters {
    start: f64,
    width: f64,
    levels: Shares,
    modes: Shares,
    counts: Vec<Counts>,
    probabilities: Vec<f64>,
    quantiles: Vec<BatchQuantiles>,
    /// Times in the system in the batch under way, kept only if quantiles are wanted.
    served: Vec<f64>,
    obsolete: Vec<f64>,
}

impl Meters {
    pub fn new(model: &Model, config: &QueueConfig) -> Self {
        Self {
            start: config.warm_up,
            width: config.duration / config.batches as f64,
            levels: Shares::new(config, model.most_pages() + 1),
            modes: Shares::new(config, model.arrivals().len()),
            counts: vec![Counts::default(); config.batches],
            probabilities: config.quantiles.clone(),
            quantiles: Vec::new(),
            served: Vec::new(),
            obsolete: Vec::new(),
        }
    }

    /// Time passes with so many pages and in this mode.
    pub fn pass(&mut self, from: f64, to: f64, pages: usize, mode: usize) {
        self.levels.pass(from, to, pages);
        self.modes.pass(from, to, mode);
    }

    pub fn delivered(&mut self, now: f64, pages: usize, lost: usize) {
        if let Some(counts) = self.at(now) {
            counts.delivered += pages as f64;
            counts.lost += lost as f64;
            counts.losses += f64::from(u8::from(lost > 0));
        }
    }

    pub fn indexed(&mut self, now: f64, sojourn: f64) {
        if let Some(counts) = self.at(now) {
            counts.served += 1.0;
            counts.time_served += sojourn;
            if !self.probabilities.is_empty() {
                self.served.push(sojourn);
            }
        }
    }

    pub fn obsolete(&mut self, now: f64, sojourn: f64) {
        if let Some(counts) = self.at(now) {
            counts.obsolete += 1.0;
            counts.time_obsolete += sojourn;
            if !self.probabilities.is_empty() {
                self.obsolete.push(sojourn);
            }
        }
    }

    pub fn switched(&mut self, now: f64) {
        if let Some(counts) = self.at(now) {
            counts.switches += 1.0;
        }
    }

    /// The batch under way, if the measurement has started; those before it are closed.
    fn at(&mut self, now: f64) -> Option<&mut Counts> {
        if now < self.start {
            return None;
        }
        let batch = (((now - self.start) / self.width) as usize).min(self.counts.len() - 1);
        while self.quantiles.len() < batch {
            self.close();
        }
        self.counts.get_mut(batch)
    }

    /// Takes the quantiles of the batch under way, and forgets its times.
    fn close(&mut self) {
        let lost = self.counts[self.quantiles.len()].lost as usize;
        let (mut served, mut obsolete) = (std::mem::take(&mut self.served), std::mem::take(&mut self.obsolete));
        let mut all =
            [served.as_slice(), &obsolete, &vec![0.0; lost * usize::from(!self.probabilities.is_empty())]].concat();
        let of = |times: &mut [f64]| self.probabilities.iter().map(|p| quantile(times, *p)).collect();
        self.quantiles.push(BatchQuantiles { served: of(&mut served), obsolete: of(&mut obsolete), all: of(&mut all) });
    }

    pub fn into_report(mut self, model: &Model, config: &QueueConfig) -> QueueReport {
        while self.quantiles.len() < self.counts.len() {
            self.close();
        }
        let (levels, modes) = (self.levels.into_fractions(), self.modes.into_fractions());
        QueueReport::new(model, config, &self.counts, &levels, &modes, &self.quantiles)
    }
}

/// The smallest of the times that a fraction `p` of them do not exceed.
fn quantile(times: &mut [f64], p: f64) -> Option<f64> {
    let place = ((p * times.len() as f64).ceil() as usize).clamp(1, times.len().max(1)) - 1;
    (!times.is_empty()).then(|| *times.select_nth_unstable_by(place, f64::total_cmp).1)
}
