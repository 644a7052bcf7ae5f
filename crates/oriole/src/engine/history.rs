//! How things were: by two seconds for a quarter of an hour, by minutes for a day, by hours for a month.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use super::status::Status;

/// Seconds that a point stands for, and how many are kept, from fine to coarse.
const RINGS: [(f64, usize); 3] = [(2.0, 450), (60.0, 1_440), (3_600.0, 720)];

/// How far back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Range {
    /// A quarter of an hour.
    #[default]
    Recent,
    /// A day.
    Day,
    /// A month.
    Month,
}

/// How things were, on average over a few seconds, a minute or an hour. What was not known is null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Seconds since 1970, UTC: the middle of the time it stands for.
    pub at: f64,
    /// The estimated part of the pages, by weight, whose copy was out of date ...
    pub stale: Option<f64>,
    /// ... what it would have been at best ...
    pub bound: Option<f64>,
    /// ... with all pages visited equally often ...
    pub uniform: Option<f64>,
    /// ... and visited as often as they change.
    pub proportional: Option<f64>,
    /// Requests per second.
    pub requests: Option<f64>,
    /// Requests per second that were allowed.
    pub budget: Option<f64>,
    /// Robots at work, on average.
    pub robots: Option<f64>,
    /// Documents in the buffer.
    pub buffer: Option<f64>,
}

/// Figures of a point, in a fixed order.
const FIGURES: usize = 8;

impl Point {
    /// What the engine says now.
    #[must_use]
    pub fn of(status: &Status, at: f64) -> Self {
        Self {
            at,
            stale: status.stale_estimate,
            bound: status.stale_bound,
            uniform: status.stale_uniform,
            proportional: status.stale_proportional,
            requests: Some(status.requests_per_second),
            budget: status.budget_per_day.map(|budget| budget / crate::units::SECONDS_PER_DAY),
            robots: Some(status.robots_mean),
            buffer: Some(status.buffer_occupancy as f64),
        }
    }

    fn figures(&self) -> [Option<f64>; FIGURES] {
        let Self { at: _, stale, bound, uniform, proportional, requests, budget, robots, buffer } = *self;
        [stale, bound, uniform, proportional, requests, budget, robots, buffer]
    }

    fn new(at: f64, figures: [Option<f64>; FIGURES]) -> Self {
        let [stale, bound, uniform, proportional, requests, budget, robots, buffer] = figures;
        Self { at, stale, bound, uniform, proportional, requests, budget, robots, buffer }
    }
}

/// How things were.
#[derive(Clone, Debug)]
pub struct History {
    rings: [Ring; 3],
}

#[derive(Clone, Debug)]
struct Ring {
    /// Seconds that a point stands for.
    every: f64,
    most: usize,
    points: VecDeque<Point>,
    /// The time that is going on, as a number of points since 1970, with sums and counts of its figures.
    slot: i64,
    sums: [(f64, u32); FIGURES],
}

impl Default for History {
    fn default() -> Self {
        Self { rings: RINGS.map(|(every, most)| Ring::new(every, most)) }
    }
}

impl History {
    /// The catalogue's name for what is remembered of it.
    pub const NOTE: &str = "history";

    /// Goes on with what was noted. What makes no sense counts as nothing.
    #[must_use]
    pub fn read(note: Option<&str>) -> Self {
        let mut history = Self::default();
        let noted: Vec<Vec<Point>> = note.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        for (ring, points) in history.rings[1..].iter_mut().zip(noted) {
            let is_sound =
                |point: &Point| point.at.is_finite() && point.figures().iter().flatten().all(|x| x.is_finite());
            points.into_iter().filter(is_sound).for_each(|point| ring.push(point));
        }
        history
    }

    /// What is to be noted: all but the finest points.
    #[must_use]
    pub fn note(&self) -> String {
        let rings: Vec<&VecDeque<Point>> = self.rings[1..].iter().map(|ring| &ring.points).collect();
        // It has no keys that are not text, so this does not fail.
        serde_json::to_string(&rings).unwrap_or_default()
    }

    /// Takes in how things are.
    pub fn add(&mut self, point: Point) {
        self.rings.iter_mut().for_each(|ring| ring.add(&point));
    }

    /// How things were, oldest first.
    #[must_use]
    pub fn points(&self, range: Range) -> Vec<Point> {
        let ring = &self.rings[range as usize];
        ring.points.iter().copied().chain(ring.present()).collect()
    }
}

impl Ring {
    fn new(every: f64, most: usize) -> Self {
        Self { every, most, points: VecDeque::new(), slot: i64::MIN, sums: [(0.0, 0); FIGURES] }
    }

    fn push(&mut self, point: Point) {
        let is_newer = self.points.back().is_none_or(|last| last.at < point.at);
        if is_newer {
            self.points.push_back(point);
        }
        while self.points.len() > self.most {
            self.points.pop_front();
        }
    }

    fn add(&mut self, point: &Point) {
        let slot = (point.at / self.every).floor() as i64;
        if slot != self.slot {
            self.present().into_iter().for_each(|mean| self.push(mean));
            (self.slot, self.sums) = (slot, [(0.0, 0); FIGURES]);
        }
        for (sum, figure) in self.sums.iter_mut().zip(point.figures()) {
            let Some(figure) = figure.filter(|figure| figure.is_finite()) else { continue };
            *sum = (sum.0 + figure, sum.1 + 1);
        }
    }

    /// The mean of the time that is going on.
    fn present(&self) -> Option<Point> {
        let is_begun = self.sums.iter().any(|(_, count)| *count > 0);
        let mean = |(sum, count): (f64, u32)| (count > 0).then(|| sum / f64::from(count));
        is_begun.then(|| Point::new((self.slot as f64 + 0.5) * self.every, self.sums.map(mean)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: f64, stale: f64) -> Point {
        Point { at: seconds, stale: Some(stale), ..Point::default() }
    }

    #[test]
    fn time_is_thinned_out_by_means() {
        let mut history = History::default();
        // Two hours by half seconds; how stale grows by one every hour.
        for step in 0..4 * 3_600 {
            let now = f64::from(step) / 2.0;
            history.add(at(now, now / 3_600.0));
        }
        let lengths = [Range::Recent, Range::Day, Range::Month].map(|range| history.points(range).len());
        assert_eq!(lengths, [451, 120, 2]);
        let month = history.points(Range::Month);
        // The mean of an hour is that of its middle, but for a quarter of a second.
        for (point, middle) in month.iter().zip([1_800.0, 5_400.0]) {
            assert_eq!(point.at, middle);
            assert!((point.stale.unwrap() - (middle - 0.25) / 3_600.0).abs() < 1e-9, "{point:?}");
        }
        let recent = history.points(Range::Recent);
        assert!(recent.windows(2).all(|pair| pair[1].at - pair[0].at == 2.0));
        assert_eq!(recent[0].bound, None, "what was not known is not made up");
    }

    #[test]
    fn what_is_noted_is_gone_on_with() {
        let mut history = History::default();
        (0..10_000).for_each(|step| history.add(at(f64::from(step), 0.5)));
        let note = history.note();
        assert!(note.len() < 1_000_000, "{}", note.len());
        let mut again = History::read(Some(&note));
        assert_eq!(again.points(Range::Day).len(), history.points(Range::Day).len() - 1);
        assert!(again.points(Range::Recent).is_empty());
        // A clock that was set back adds nothing before what is there.
        again.add(at(5.0, 0.1));
        again.add(at(70.0, 0.1));
        again.add(at(20_000.0, 0.1));
        let day = again.points(Range::Day);
        assert!(day.windows(2).all(|pair| pair[0].at < pair[1].at), "{day:?}");
    }

    #[test]
    fn notes_that_make_no_sense_are_nothing() {
        for note in [None, Some(""), Some("{}"), Some("[[1]]"), Some("[[{\"at\":null}]]")] {
            assert!(History::read(note).points(Range::Day).is_empty());
        }
    }
}
