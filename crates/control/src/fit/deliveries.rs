//! Law C-24: from delivery times to batches and the gaps between them.
//!
//! Pages whose gap is at most the *batch gap* belong to one batch; by default that is the antimode of the histogram of
//! log-gaps, and without an antimode only pages delivered at the same instant are a batch. The gap of two batches runs from the
//! first page of one to the first page of the next. (ADKNS take it from the last page of one. Then the rate comes out too
//! high by the time that batches take.) Gaps above the *stop gap* are times when the crawler stood still; they are left
//! out, and what comes after them is not paired with what was before.
//!
//! When the number of active robots varies, gaps are measured in operational time, the integral of that number: the
//! process that comes out is that of one robot.

use std::collections::BTreeMap;

use super::accumulate::{BatchSizes, Lags, Moments};
use super::em_arrivals::Observation;
use super::histogram::LogHistogram;
use super::{Departure, FitError, SIZES};

/// Which pages are one batch.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Batches {
    /// Those with gaps below the antimode of the log-gaps.
    #[default]
    Antimode,
    /// Those with gaps up to so long.
    Within(f64),
    /// Each page is its own.
    Single,
}

/// Which gaps are not gaps but stops.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Stops {
    /// Those that are far out: beyond a decade without gaps above all but 1% of them ([`LogHistogram::end_of_bulk`]). The two
    /// longest of a million exponential gaps are hardly ever a factor of two apart.
    #[default]
    FarOut,
    /// Those longer than this.
    LongerThan(f64),
    /// None.
    Kept,
}

/// How to read delivery times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeliveryOptions {
    /// Which pages are one batch.
    pub batches: Batches,
    /// Which gaps are stops.
    pub stops: Stops,
    /// Up to which lag correlations are computed.
    pub lags: usize,
    /// Batches above this are counted as of this size.
    pub largest_batch: usize,
}

impl Default for DeliveryOptions {
    fn default() -> Self {
        Self { batches: Batches::default(), stops: Stops::default(), lags: 10, largest_batch: 64 }
    }
}

/// How many robots were active when.
#[derive(Clone, Debug, PartialEq)]
pub struct Activity {
    /// From when, how many, and the integral up to then.
    changes: Vec<(f64, u32, f64)>,
}

impl Activity {
    /// From changes in order of time; before the first the number is that of the first.
    ///
    /// # Errors
    /// If there is none or they are not in order.
    pub fn new(changes: &[(f64, u32)]) -> Result<Self, FitError> {
        let times: Vec<f64> = changes.iter().map(|(time, _)| *time).collect();
        check_order("change of activity", &times)?;
        let mut all: Vec<(f64, u32, f64)> = Vec::with_capacity(changes.len());
        for &(time, robots) in changes {
            if all.last().is_some_and(|(_, before, _)| *before == robots) {
                continue;
            }
            let integral = all.last().map_or(0.0, |(from, robots, sum)| sum + f64::from(*robots) * (time - from));
            all.push((time, robots, integral));
        }
        if all.is_empty() {
            return Err(FitError::TooFew { what: "changes of activity", got: 0, needed: 1 });
        }
        Ok(Self { changes: all })
    }

    fn at(&self, time: f64) -> (f64, u32, f64) {
        let after = self.changes.partition_point(|(from, _, _)| *from <= time);
        self.changes[after.saturating_sub(1)]
    }

    /// The integral of the number of active robots up to `time`, from the first change.
    #[must_use]
    pub fn operational(&self, time: f64) -> f64 {
        let (from, robots, sum) = self.at(time);
        sum + f64::from(robots) * (time - from)
    }

    /// The number active at `time`.
    #[must_use]
    pub fn robots(&self, time: f64) -> u32 {
        self.at(time).1
    }

    /// How long each number was active between two times, in order.
    fn between(&self, from: f64, to: f64) -> Vec<(u32, f64)> {
        let after = self.changes.partition_point(|(time, _, _)| *time <= from);
        let inside = self.changes[after..].iter().take_while(|(time, _, _)| *time < to);
        let mut pieces = vec![(from, self.robots(from))];
        pieces.extend(inside.map(|(time, robots, _)| (*time, *robots)));
        let ends = pieces[1..].iter().map(|(time, _)| *time).chain([to]);
        pieces.iter().zip(ends).map(|((from, robots), to)| (*robots, to - from)).collect()
    }
}

fn check_order(what: &'static str, times: &[f64]) -> Result<(), FitError> {
    let wrong = |i: &usize| !times[*i].is_finite() || (*i > 0 && times[*i] < times[*i - 1]);
    if let Some(i) = (0..times.len()).find(wrong) {
        return Err(FitError::Order { what, position: i + 1, value: times[i] });
    }
    let gap = |i: usize| times[i] - times[i - 1];
    match (1..times.len()).find(|&i| gap(i) != 0.0 && !SIZES.contains(&gap(i))) {
        Some(i) => Err(FitError::Scale { what, position: i + 1, value: times[i], gap: gap(i) }),
        None => Ok(()),
    }
}

/// What separates batches, and gaps from stops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grouping {
    /// Pages at most so far apart in time belong together; `None`: no pages do.
    pub batch_gap: Option<f64>,
    /// Gaps in operational time above this are stops.
    pub stop_gap: f64,
}

impl Grouping {
    /// The rule for batches.
    pub(super) fn batch_gap(rule: Batches, gaps: &LogHistogram) -> Option<f64> {
        match rule {
            Batches::Antimode => {
                let valley = gaps.antimode().or_else(|| gaps.valley_below_most_of_the_sum());
                valley.or_else(|| (gaps.zeros() > 0.0).then_some(0.0))
            }
            Batches::Within(gap) => Some(gap),
            Batches::Single => None,
        }
    }

    /// The rule for stops.
    pub(super) fn stop_gap(rule: Stops, between: &LogHistogram) -> f64 {
        match rule {
            Stops::FarOut => between.end_of_bulk().unwrap_or(f64::INFINITY),
            Stops::LongerThan(gap) => gap,
            Stops::Kept => f64::INFINITY,
        }
    }
}

/// A delivery: when, and in operational time.
pub(super) type Delivery = (f64, f64);

/// A batch of pages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Batch {
    /// Time of the first page.
    pub at: f64,
    /// Time of the last page.
    pub until: f64,
    /// Operational time since the first page of the batch before; `None` for the first batch.
    pub since: Option<f64>,
    /// That time was a stop, or no robot was active: it says nothing about the arrivals.
    pub after_stop: bool,
    /// Number of pages.
    pub size: usize,
}

impl Batch {
    /// The gap before the batch; `None` after a stop and at the beginning.
    #[must_use]
    pub fn gap(&self) -> Option<f64> {
        self.since.filter(|_| !self.after_stop)
    }
}

/// Puts deliveries into batches as they come.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Grouper {
    open: Option<Batch>,
    /// Operational time of the first page of the open batch.
    first: f64,
}

impl Grouper {
    /// The batch that this delivery shows to be complete.
    pub fn add(&mut self, (time, operational): Delivery, grouping: &Grouping) -> Option<Batch> {
        if let (Some(batch), Some(within)) = (&mut self.open, grouping.batch_gap)
            && time - batch.until <= within
        {
            batch.size += 1;
            batch.until = time;
            return None;
        }
        let since = self.open.map(|_| operational - self.first);
        let after_stop = since.is_some_and(|since| since <= 0.0 || since > grouping.stop_gap);
        self.first = operational;
        self.open.replace(Batch { at: time, until: time, since, after_stop, size: 1 })
    }
}

/// Batches in order of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The batches; one without a gap begins a new run.
    pub batches: Vec<Batch>,
    /// What separates them.
    pub grouping: Grouping,
}

impl Trace {
    /// From delivery times in order; with `activity`, gaps are in operational time.
    ///
    /// # Errors
    /// If the times are not in order or there are fewer than two.
    pub fn new(times: &[f64], activity: Option<&Activity>, options: &DeliveryOptions) -> Result<Self, FitError> {
        check_order("delivery", times)?;
        if times.len() < 2 {
            return Err(FitError::TooFew { what: "deliveries", got: times.len(), needed: 2 });
        }
        let operational = |time: f64| activity.map_or(time, |activity| activity.operational(time));
        let deliveries: Vec<Delivery> = times.iter().map(|&time| (time, operational(time))).collect();
        let mut gaps = LogHistogram::default();
        times.windows(2).for_each(|pair| gaps.add(pair[1] - pair[0]));
        let batch_gap = Grouping::batch_gap(options.batches, &gaps);
        let mut grouping = Grouping { batch_gap, stop_gap: f64::INFINITY };
        let mut between = LogHistogram::default();
        group(&deliveries, &grouping).iter().filter_map(Batch::gap).for_each(|gap| between.add(gap));
        grouping.stop_gap = Grouping::stop_gap(options.stops, &between);
        Ok(Self { batches: group(&deliveries, &grouping), grouping })
    }

    /// The gaps with the batches at their ends, run by run.
    #[must_use]
    pub fn runs(&self) -> Vec<Vec<Observation>> {
        let mut runs: Vec<Vec<Observation>> = Vec::new();
        for batch in &self.batches {
            match (batch.gap(), runs.last_mut()) {
                (Some(gap), Some(run)) => run.push((gap, batch.size)),
                (Some(gap), None) => runs.push(vec![(gap, batch.size)]),
                (None, _) => runs.push(Vec::new()),
            }
        }
        runs.retain(|run| !run.is_empty());
        runs
    }

    /// The batches by the number of robots active before them; for a trace in plain time. A gap in which the number changed is
    /// broken: it belongs to none. What changes while a batch comes in is taken to change after it.
    #[must_use]
    pub fn by_robots(&self, activity: &Activity) -> BTreeMap<u32, Part> {
        let mut parts: BTreeMap<u32, Part> = BTreeMap::new();
        let mut before: Option<&Batch> = None;
        for batch in &self.batches {
            let pieces = before.map_or(Vec::new(), |before| activity.between(before.until, batch.at));
            let robots = pieces.last().map_or_else(|| activity.robots(batch.at), |(robots, _)| *robots);
            if let (Some(before), Some(_)) = (before, batch.gap()) {
                // The time in which a batch comes in is that of the number active after it.
                parts.entry(pieces[0].0).or_insert_with(|| Part::new(self.grouping)).time += before.until - before.at;
                for (robots, time) in &pieces {
                    parts.entry(*robots).or_insert_with(|| Part::new(self.grouping)).time += time;
                }
            }
            parts.entry(robots).or_insert_with(|| Part::new(self.grouping)).add(batch, pieces.len() > 1);
            before = Some(batch);
        }
        parts.remove(&0);
        parts
    }

    /// What a fit needs to know.
    #[must_use]
    pub fn statistics(&self, options: &DeliveryOptions) -> DeliveryStatistics {
        let mut statistics = DeliveryStatistics::new(options, self.grouping);
        self.batches.iter().for_each(|batch| statistics.add(batch));
        statistics
    }
}

/// What was seen while one number of robots was active.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The batches; the gaps before some are broken.
    pub trace: Trace,
    /// How long it was active, stops left out,
    pub time: f64,
    /// the batches that came in that time,
    pub batches: f64,
    /// and those of them before which the number had changed.
    pub broken: f64,
}

impl Part {
    fn new(grouping: Grouping) -> Self {
        Self { trace: Trace { batches: Vec::new(), grouping }, time: 0.0, batches: 0.0, broken: 0.0 }
    }

    fn add(&mut self, batch: &Batch, broken: bool) {
        if batch.gap().is_some() {
            self.batches += 1.0;
            self.broken += if broken { 1.0 } else { 0.0 };
        }
        self.trace.batches.push(Batch { after_stop: batch.after_stop || broken, ..*batch });
    }

    /// Batches per unit of time, the broken gaps included: without them long gaps would be missing, and the rate too high.
    #[must_use]
    pub fn batch_rate(&self) -> f64 {
        self.batches / self.time
    }

    /// The share of batches before which the number had changed.
    #[must_use]
    pub fn broken_share(&self) -> f64 {
        if self.batches > 0.0 { self.broken / self.batches } else { 0.0 }
    }
}

fn group(deliveries: &[Delivery], grouping: &Grouping) -> Vec<Batch> {
    let mut grouper = Grouper::default();
    let mut batches: Vec<Batch> = deliveries.iter().filter_map(|delivery| grouper.add(*delivery, grouping)).collect();
    batches.extend(grouper.open);
    batches
}

/// Gaps between batches and batch sizes, in sums that can be merged and forgotten.
#[derive(Clone, Debug, PartialEq)]
pub struct DeliveryStatistics {
    grouping: Grouping,
    gaps: Moments,
    lags: Lags,
    sizes: BatchSizes,
    /// Number of stops, and their time.
    stops: f64,
    stopped: f64,
    longest: f64,
}

impl DeliveryStatistics {
    pub(super) fn new(options: &DeliveryOptions, grouping: Grouping) -> Self {
        let (lags, sizes) = (Lags::new(options.lags), BatchSizes::new(options.largest_batch));
        Self { grouping, gaps: Moments::default(), lags, sizes, stops: 0.0, stopped: 0.0, longest: 0.0 }
    }

    /// From delivery times in order: [`Trace::new`] and [`Trace::statistics`].
    ///
    /// # Errors
    /// If the times are not in order or there are fewer than two.
    pub fn from_times(times: &[f64], activity: Option<&Activity>, options: &DeliveryOptions) -> Result<Self, FitError> {
        Trace::new(times, activity, options).map(|trace| trace.statistics(options))
    }

    pub(super) fn add(&mut self, batch: &Batch) {
        self.sizes.add(batch.size);
        match batch.gap() {
            Some(gap) => {
                self.gaps.add(gap);
                self.lags.add(gap);
                self.longest = self.longest.max(gap);
            }
            None => {
                self.stops += if batch.after_stop { 1.0 } else { 0.0 };
                self.stopped += batch.since.unwrap_or(0.0);
                self.lags.interrupt();
            }
        }
    }

    pub(super) fn forget(&mut self, factor: f64) {
        self.gaps.forget(factor);
        self.lags.forget(factor);
        self.sizes.forget(factor);
        self.stops *= factor;
        self.stopped *= factor;
    }

    /// The gaps and batches of `other` too: another machine's, or another day's. The grouping stays that of `self`.
    pub fn merge(&mut self, other: &Self) {
        self.gaps.merge(&other.gaps);
        self.lags.merge(&other.lags);
        self.sizes.merge(&other.sizes);
        self.stops += other.stops;
        self.stopped += other.stopped;
        self.longest = self.longest.max(other.longest);
    }

    /// From now on gaps above `stop_gap` are stops.
    pub(super) fn set_stop_gap(&mut self, stop_gap: f64) {
        self.grouping.stop_gap = stop_gap;
    }

    /// What separated the batches.
    #[must_use]
    pub fn grouping(&self) -> Grouping {
        self.grouping
    }

    /// Moments of the gaps.
    #[must_use]
    pub fn gaps(&self) -> &Moments {
        &self.gaps
    }

    /// Correlations of the gaps at lags one, two, ...
    #[must_use]
    pub fn correlations(&self) -> Vec<f64> {
        self.lags.correlations(&self.gaps)
    }

    /// Batch sizes.
    #[must_use]
    pub fn batch_sizes(&self) -> &BatchSizes {
        &self.sizes
    }

    /// Interruptions: stops, gaps in which no robot was active, and for one number of robots the times it was another.
    #[must_use]
    pub fn stops(&self) -> f64 {
        self.stops
    }

    /// What a user should know before trusting a fit: interruptions that hold most of the time, or one gap so long that it makes most
    /// of the third moment of many.
    pub(super) fn doubts(&self) -> Vec<Departure> {
        let (gap, share) = (self.grouping.stop_gap, self.stopped_share());
        let mostly = (share > 0.5 && gap.is_finite()).then_some(Departure::MostlyStops { gap, share });
        let (gap, third) = (self.longest, self.gaps.weight() * self.gaps.raw()[2]);
        let share = gap.powi(3) / third;
        let one = (share > 0.5 && self.gaps.weight() > 100.0).then_some(Departure::OneLongGap { gap, share });
        mostly.into_iter().chain(one).collect()
    }

    /// The share of the time that interruptions hold.
    #[must_use]
    pub fn stopped_share(&self) -> f64 {
        let kept = self.gaps.weight() * self.gaps.mean();
        if self.stopped > 0.0 { self.stopped / (self.stopped + kept.max(0.0)) } else { 0.0 }
    }

    /// The longest gap that is none of them.
    #[must_use]
    pub fn longest_gap(&self) -> f64 {
        self.longest
    }

    /// Pages per unit of operational time.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.sizes.mean() / self.gaps.mean()
    }
}

#[cfg(test)]
mod tests;
