//! Controlled delay.

use super::super::{Controller, Event, Observation};
use super::Range;

/// CoDel (Nichols and Jacobson 2012, RFC 8289) with robots in place of dropped packets.
///
/// Once pages have waited longer than `target` for a whole `interval`, one robot is stopped; while they still do, another after
/// `interval/sqrt(n)` for the `n`-th. As soon as one has waited less, or nothing is left, the delay is fine; then one robot is
/// started after each `interval`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoDel {
    range: Range,
    target: f64,
    interval: f64,
    robots: u32,
    /// Robots stopped since the delay was last fine.
    stopped: Option<u32>,
    /// When the next robot is due to be stopped, if `stopped`, or else started.
    due: f64,
}

impl CoDel {
    /// Begins with the fewest robots.
    #[must_use]
    pub fn new(range: Range, target: f64, interval: f64) -> Self {
        Self { range, target, interval, robots: range.least, stopped: None, due: f64::NEG_INFINITY }
    }

    /// How long the page that left had waited.
    fn delay(observation: &Observation) -> Option<f64> {
        match observation.event {
            _ if observation.pages == 0 => Some(0.0),
            Event::Indexed { sojourn, service } => Some(sojourn - service),
            Event::Obsolete { sojourn } => Some(sojourn),
            Event::Tick | Event::Batch { .. } => None,
        }
    }

    /// Takes note of whether the delay is fine.
    fn judge(&mut self, now: f64, delay: f64) {
        let fine = delay < self.target;
        if fine == self.stopped.is_some() || self.due == f64::NEG_INFINITY {
            self.stopped = if fine { None } else { Some(0) };
            self.due = now + self.interval;
        }
    }
}

impl Controller for CoDel {
    fn robots(&mut self, observation: &Observation) -> u32 {
        if let Some(delay) = Self::delay(observation) {
            self.judge(observation.now, delay);
        }
        if observation.now >= self.due && self.due.is_finite() {
            let next = match &mut self.stopped {
                Some(stopped) => {
                    *stopped += 1;
                    self.robots = self.range.down(self.robots);
                    self.interval / f64::from(*stopped).sqrt()
                }
                None => {
                    self.robots = self.range.up(self.robots);
                    self.interval
                }
            };
            self.due = observation.now + next;
        }
        self.robots
    }

    fn next_tick(&self) -> f64 {
        self.due
    }
}
