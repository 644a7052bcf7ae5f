//! Controllers that close a loop over pages or losses.

use super::super::{Controller, Event, Observation};
use super::Range;

/// The more places are free, the more robots: `least + (most - least) (1 - pages/buffer)`, rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proportional {
    /// Fewest and most robots.
    pub range: Range,
    /// `K`, from which on there are the fewest.
    pub buffer: usize,
}

impl Controller for Proportional {
    fn robots(&mut self, observation: &Observation) -> u32 {
        let free = 1.0 - observation.pages as f64 / self.buffer as f64;
        let (least, most) = (f64::from(self.range.least), f64::from(self.range.most));
        self.range.nearest(least + (most - least) * free)
    }
}

/// Additive increase, multiplicative decrease: one robot more after each period without loss, half of them at a loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aimd {
    range: Range,
    period: f64,
    robots: u32,
    /// End of the period under way.
    due: f64,
}

impl Aimd {
    /// Begins with the fewest robots.
    #[must_use]
    pub fn new(range: Range, period: f64) -> Self {
        Self { range, period, robots: range.least, due: f64::NEG_INFINITY }
    }
}

impl Controller for Aimd {
    fn robots(&mut self, observation: &Observation) -> u32 {
        if self.due == f64::NEG_INFINITY {
            self.due = observation.now + self.period;
        }
        if matches!(observation.event, Event::Batch { lost: 1.., .. }) {
            self.robots = (self.robots / 2).max(self.range.least);
            self.due = observation.now + self.period;
        } else if observation.now >= self.due {
            self.robots = self.range.up(self.robots);
            self.due = observation.now + self.period;
        }
        self.robots
    }

    fn next_tick(&self) -> f64 {
        self.due
    }
}

/// The factors of a [`Pid`] loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PidGains {
    /// Robots per page too few.
    pub proportional: f64,
    /// Robots per page too few and unit of time.
    pub integral: f64,
    /// Robots per page less in a unit of time.
    pub derivative: f64,
}

/// A loop that holds the number of pages at a target: `u = k_p e + k_i integral e + k_d e'`, `e = target - pages`, sampled every
/// `period`. The term of the integral stays within the range of robots, so that it does not wind up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pid {
    range: Range,
    target: f64,
    gains: PidGains,
    period: f64,
    /// `k_i integral e`, in robots.
    integral: f64,
    /// Time and error at the last sample.
    last: Option<(f64, f64)>,
    robots: u32,
}

impl Pid {
    /// Begins with the fewest robots; `target` is in pages.
    #[must_use]
    pub fn new(range: Range, target: f64, gains: PidGains, period: f64) -> Self {
        Self { range, target, gains, period, integral: f64::from(range.least), last: None, robots: range.least }
    }

    fn sample(&mut self, now: f64, error: f64) {
        let (passed, before) = self.last.map_or((0.0, error), |(since, before)| (now - since, before));
        let slope = if passed > 0.0 { (error - before) / passed } else { 0.0 };
        let (least, most) = (f64::from(self.range.least), f64::from(self.range.most));
        self.integral = (self.integral + self.gains.integral * error * passed).min(most).max(least);
        let output = self.integral + self.gains.proportional * error + self.gains.derivative * slope;
        self.robots = self.range.nearest(output);
        self.last = Some((now, error));
    }
}

impl Controller for Pid {
    fn robots(&mut self, observation: &Observation) -> u32 {
        if observation.now >= self.next_tick() {
            self.sample(observation.now, self.target - observation.pages as f64);
        }
        self.robots
    }

    fn next_tick(&self) -> f64 {
        self.last.map_or(f64::NEG_INFINITY, |(since, _)| since + self.period)
    }
}
