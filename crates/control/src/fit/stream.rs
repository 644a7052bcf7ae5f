//! Law C-28: the same fits from a stream, in bounded memory, the past fading away.

use std::collections::VecDeque;

use super::accumulate::Moments;
use super::deliveries::{Batch, Delivery, DeliveryOptions, DeliveryStatistics, Grouper, Grouping};
use super::em::{EmOptions, law_from_points};
use super::goodness::Goodness;
use super::histogram::LogHistogram;
use super::{FitError, FittedLaw};

/// Deliveries kept to be grouped anew when the grouping changes.
const RECENT: usize = 1024;

/// How often the grouping is reconsidered, in deliveries.
const RECONSIDER: u64 = 64;

/// The share of gaps that must change sides for the sums to begin anew.
const CLEAR: f64 = 0.01;

/// The factor by which the past fades with each observation so that its weight is that of `memory` observations.
fn fading(memory: f64) -> f64 {
    1.0 - 1.0 / memory.max(1.0)
}

/// Deliveries as they come: [`DeliveryStatistics`] at any time.
///
/// Histograms of the gaps are kept throughout. When they come to say otherwise what a batch is, so that more than 1% of the
/// gaps change sides, the sums begin anew with the last thousand deliveries. What they say of stops holds from then on.
#[derive(Clone, Debug, PartialEq)]
pub struct DeliveryStream {
    options: DeliveryOptions,
    fading: f64,
    robots: u32,
    /// The last delivery or change of activity.
    now: Option<Delivery>,
    last: Option<f64>,
    gaps: LogHistogram,
    between: LogHistogram,
    grouper: Grouper,
    statistics: DeliveryStatistics,
    recent: VecDeque<Delivery>,
    seen: u64,
}

impl DeliveryStream {
    /// With one robot active, remembering about `memory` batches; infinite: all.
    #[must_use]
    pub fn new(options: DeliveryOptions, memory: f64) -> Self {
        let nothing = LogHistogram::default();
        let grouping = Grouping {
            batch_gap: Grouping::batch_gap(options.batches, &nothing),
            stop_gap: Grouping::stop_gap(options.stops, &nothing),
        };
        Self {
            options,
            fading: fading(memory),
            robots: 1,
            now: None,
            last: None,
            gaps: nothing.clone(),
            between: nothing,
            grouper: Grouper::default(),
            statistics: DeliveryStatistics::new(&options, grouping),
            recent: VecDeque::new(),
            seen: 0,
        }
    }

    /// From `time` on, `robots` are active. A time before the last one seen counts as that one.
    pub fn robots(&mut self, time: f64, robots: u32) {
        self.advance(time);
        self.robots = robots;
    }

    /// A page was delivered at `time`. A time before the last one seen counts as that one.
    pub fn delivered(&mut self, time: f64) {
        let delivery = self.advance(time);
        if let Some(last) = self.last.replace(delivery.0) {
            self.gaps.add(delivery.0 - last);
        }
        self.recent.push_back(delivery);
        if self.recent.len() > RECENT {
            self.recent.pop_front();
        }
        if let Some(batch) = self.grouper.add(delivery, &self.statistics.grouping()) {
            self.gaps.forget(self.fading);
            self.complete(&batch);
        }
        self.seen += 1;
        if self.seen.is_multiple_of(RECONSIDER) {
            self.reconsider();
        }
    }

    /// Gaps, correlations and batch sizes so far; the batch that may still grow is left out.
    #[must_use]
    pub fn statistics(&self) -> &DeliveryStatistics {
        &self.statistics
    }

    fn advance(&mut self, time: f64) -> Delivery {
        let (before, operational) = self.now.unwrap_or((time, 0.0));
        let time = time.max(before);
        let now = (time, operational + f64::from(self.robots) * (time - before));
        self.now = Some(now);
        now
    }

    fn complete(&mut self, batch: &Batch) {
        if let Some(since) = batch.since {
            self.between.forget(self.fading);
            self.between.add(since);
        }
        self.statistics.forget(self.fading);
        self.statistics.add(batch);
    }

    /// Takes up what the histograms say. As long as all deliveries are at hand they are grouped anew.
    fn reconsider(&mut self) {
        let all_at_hand = self.seen <= RECENT as u64;
        let batch_gap = Grouping::batch_gap(self.options.batches, &self.gaps);
        if all_at_hand || self.change_sides(batch_gap) > CLEAR {
            self.regroup(Grouping { batch_gap, stop_gap: f64::INFINITY });
        }
        let stop_gap = Grouping::stop_gap(self.options.stops, &self.between);
        if all_at_hand {
            self.regroup(Grouping { batch_gap, stop_gap });
        }
        self.statistics.set_stop_gap(stop_gap);
    }

    /// The share of gaps that are within a batch now and would not be, or the other way round.
    fn change_sides(&self, batch_gap: Option<f64>) -> f64 {
        let within = |gap: Option<f64>| gap.map_or(0.0, |gap| self.gaps.weight_up_to(gap));
        let changed = within(batch_gap) - within(self.statistics.grouping().batch_gap);
        changed.abs() / (self.gaps.weight() + self.gaps.zeros())
    }

    fn regroup(&mut self, grouping: Grouping) {
        self.statistics = DeliveryStatistics::new(&self.options, grouping);
        self.between = LogHistogram::default();
        self.grouper = Grouper::default();
        for delivery in self.recent.clone() {
            if let Some(batch) = self.grouper.add(delivery, &grouping) {
                self.complete(&batch);
            }
        }
    }
}

/// Page sizes or service times as they come: a law at any time, in bounded memory.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeStream {
    fading: f64,
    moments: Moments,
    histogram: LogHistogram,
}

impl SizeStream {
    /// Remembering about `memory` sizes; infinite: all.
    #[must_use]
    pub fn new(memory: f64) -> Self {
        Self { fading: fading(memory), moments: Moments::default(), histogram: LogHistogram::default() }
    }

    /// One more size; what is not positive and finite is left out.
    pub fn add(&mut self, size: f64) {
        if size > 0.0 && size.is_finite() {
            self.moments.forget(self.fading);
            self.histogram.forget(self.fading);
            self.moments.add(size);
            self.histogram.add(size);
        }
    }

    /// The sizes of `other` too.
    pub fn merge(&mut self, other: &Self) {
        self.moments.merge(&other.moments);
        self.histogram.merge(&other.histogram);
    }

    /// The moments.
    #[must_use]
    pub fn moments(&self) -> &Moments {
        &self.moments
    }

    /// The law with three moments of the sizes (law C-25); goodness of fit to a bin's width.
    ///
    /// # Errors
    /// If there are fewer than two sizes.
    pub fn law_from_moments(&self, phases: usize) -> Result<FittedLaw, FitError> {
        let got = self.moments.weight();
        if got < 2.0 {
            return Err(FitError::TooFew { what: "sizes", got: got as usize, needed: 2 });
        }
        let mut fitted = super::moments::from_moments(&self.moments.raw(), phases)?;
        fitted.report.goodness = Some(Goodness::of(&fitted.law, &self.histogram.points()));
        Ok(fitted)
    }

    /// The law by likelihood (law C-27), from the bins of the histogram.
    ///
    /// # Errors
    /// If there are fewer than two bins, or no phases.
    pub fn law_from_em(&self, phases: usize, options: &EmOptions) -> Result<FittedLaw, FitError> {
        law_from_points(&self.histogram.points(), phases, options)
    }
}

#[cfg(test)]
mod tests;
