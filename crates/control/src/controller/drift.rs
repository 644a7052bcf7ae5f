//! Does the model behind the thresholds still fit?

use super::{Event, Observation};
use crate::model::Model;
use crate::queue::Measures;

/// What the model says of things that can be counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// Pages delivered per robot and unit of time.
    pub pages_per_robot: f64,
    /// Mean time it takes to index a page.
    pub service: f64,
    /// Its standard deviation.
    pub service_deviation: f64,
    /// Mean size of a batch.
    pub batch: f64,
}

/// How drift is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DriftOptions {
    /// Batches in a period. Periods are taken as independent: they should be long against the memory of the arrivals.
    pub batches: u32,
    /// Periods that are judged together, at least 2.
    pub periods: usize,
    /// A deviation is clear beyond so many standard errors ...
    pub standard_errors: f64,
    /// ... if it is also this large relative to what is expected: the cost is flat, small drifts do not matter.
    pub tolerance: f64,
}

impl Default for DriftOptions {
    /// 20 periods of 100 batches, 4 standard errors, 10%. In simulation one false alarm in 1,600 judgements for the example of
    /// ADKNS and one in 250 for the measured crawler, whose arrivals remember longer than a period.
    fn default() -> Self {
        Self { batches: 100, periods: 20, standard_errors: 4.0, tolerance: 0.1 }
    }
}

/// One quantity against the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviation {
    /// As counted.
    pub observed: f64,
    /// As the model has it.
    pub expected: f64,
    /// The difference in standard errors: by batch means over the periods, as arrivals remember; for service, where pages are
    /// independent but a few may be very large, those of the model.
    pub standard_errors: f64,
}

/// What was counted against the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// Pages per robot and unit of time.
    pub arrivals: Deviation,
    /// Mean time to index a page.
    pub service: Deviation,
    /// Mean size of a batch.
    pub batch: Deviation,
}

/// Counts, and speaks up when they no longer fit the model; then the model should be fitted anew and solved, and its policy put
/// to [`super::ThresholdController::consider`].
#[derive(Clone, Debug, PartialEq)]
pub struct DriftDetector {
    expected: Expected,
    options: DriftOptions,
    /// Time and robots at the last observation.
    last: Option<(f64, u32)>,
    period: Period,
    periods: Vec<Period>,
    judged: Option<Drift>,
}

/// Sums over one period.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Period {
    robot_time: f64,
    pages: f64,
    batches: f64,
    indexed: f64,
    service: f64,
}

impl Expected {
    /// Under the policy whose measures are given: `lambda/N_act`, the mean of the service law, and pages over batches with each
    /// number of robots weighted by its time.
    ///
    /// The last is exact if the law of batch sizes is the same in all phases; the tolerance must cover what it lacks else.
    #[must_use]
    pub fn new(model: &Model, measures: &Measures) -> Self {
        let modes = || measures.robots.iter().filter_map(|(r, share)| Some((share, model.arrivals_of(*r)?)));
        let pages: f64 = modes().map(|(share, bmap)| share * bmap.rate()).sum();
        let batches: f64 = modes().map(|(share, bmap)| share * bmap.batch_rate()).sum();
        Self {
            pages_per_robot: measures.arrival_rate / measures.active_robots,
            service: model.service().mean(),
            service_deviation: (model.service().squared_variation()).sqrt() * model.service().mean(),
            batch: pages / batches,
        }
    }
}

impl Deviation {
    fn new(observed: f64, expected: f64, error: f64) -> Self {
        let gap = observed - expected;
        // Rounding is no deviation, however small the error.
        let standard_errors = if gap.abs() <= 1e-9 * expected { 0.0 } else { gap / error };
        Self { observed, expected, standard_errors }
    }

    /// The ratio `sum x/sum y` over periods; its error is that of the mean of `(x - ratio y)/mean y`.
    fn of_ratio(periods: &[Period], x: fn(&Period) -> f64, y: fn(&Period) -> f64, expected: f64) -> Self {
        let n = periods.len() as f64;
        let below: f64 = periods.iter().map(y).sum();
        let ratio = periods.iter().map(x).sum::<f64>() / below;
        let squares: f64 = periods.iter().map(|period| (x(period) - ratio * y(period)).powi(2)).sum();
        Self::new(ratio, expected, (squares * n / (n - 1.0)).sqrt() / below)
    }

    /// The mean of independent values with a known standard deviation.
    fn of_mean(sum: f64, count: f64, expected: f64, deviation: f64) -> Self {
        Self::new(sum / count, expected, deviation / count.sqrt())
    }

    /// Whether it is both significant and large.
    #[must_use]
    pub fn is_clear(&self, options: &DriftOptions) -> bool {
        self.standard_errors.abs() > options.standard_errors
            && (self.observed / self.expected - 1.0).abs() > options.tolerance
    }
}

impl Drift {
    /// Whether any deviation is clear.
    #[must_use]
    pub fn is_clear(&self, options: &DriftOptions) -> bool {
        [self.arrivals, self.service, self.batch].iter().any(|deviation| deviation.is_clear(options))
    }
}

impl DriftDetector {
    /// Nothing counted yet.
    #[must_use]
    pub fn new(expected: Expected, options: DriftOptions) -> Self {
        Self { expected, options, last: None, period: Period::default(), periods: Vec::new(), judged: None }
    }

    /// One more observation, and the number of robots active from then on. Every `periods * batches` batches what was counted is
    /// judged and counting starts anew; a clear drift is returned.
    pub fn see(&mut self, observation: &Observation, robots: u32) -> Option<Drift> {
        if let Some((since, robots)) = self.last {
            self.period.robot_time += f64::from(robots) * (observation.now - since).max(0.0);
        }
        self.last = Some((observation.now, robots));
        match observation.event {
            Event::Batch { pages, .. } => {
                self.period.batches += 1.0;
                self.period.pages += pages as f64;
            }
            Event::Indexed { service, .. } => {
                self.period.indexed += 1.0;
                self.period.service += service;
            }
            Event::Tick | Event::Obsolete { .. } => {}
        }
        if self.period.batches < f64::from(self.options.batches) {
            return None;
        }
        self.periods.push(std::mem::take(&mut self.period));
        if self.periods.len() < self.options.periods.max(2) { None } else { self.judge() }
    }

    /// The last judgement, clear or not.
    #[must_use]
    pub fn judged(&self) -> Option<&Drift> {
        self.judged.as_ref()
    }

    fn judge(&mut self) -> Option<Drift> {
        let (periods, expected) = (std::mem::take(&mut self.periods), self.expected);
        let sum = |of: fn(&Period) -> f64| periods.iter().map(of).sum::<f64>();
        let (service, indexed) = (sum(|p| p.service), sum(|p| p.indexed));
        let drift = Drift {
            arrivals: Deviation::of_ratio(&periods, |p| p.pages, |p| p.robot_time, expected.pages_per_robot),
            service: Deviation::of_mean(service, indexed, expected.service, expected.service_deviation),
            batch: Deviation::of_ratio(&periods, |p| p.pages, |p| p.batches, expected.batch),
        };
        self.judged = Some(drift);
        drift.is_clear(&self.options).then_some(drift)
    }
}
