//! Controllers with one or two numbers of robots.

use super::super::{Controller, Observation};

/// Always the same number of robots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixed(pub u32);

impl Controller for Fixed {
    fn robots(&mut self, _: &Observation) -> u32 {
        self.0
    }
}

/// A single threshold: `on` robots while there are at most `threshold` pages, else `off`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OnOff {
    /// Robots while there are few pages.
    pub on: u32,
    /// Robots while there are many.
    pub off: u32,
    /// The most pages that are few.
    pub threshold: usize,
}

impl Controller for OnOff {
    fn robots(&mut self, observation: &Observation) -> u32 {
        if observation.pages <= self.threshold { self.on } else { self.off }
    }
}

/// Two thresholds: `off` robots from `high` pages on, `on` robots again once there are at most `low`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hysteresis {
    on: u32,
    off: u32,
    low: usize,
    high: usize,
    is_on: bool,
}

impl Hysteresis {
    /// Begins with `on` robots.
    #[must_use]
    pub fn new(on: u32, off: u32, low: usize, high: usize) -> Self {
        Self { on, off, low, high, is_on: true }
    }
}

impl Controller for Hysteresis {
    fn robots(&mut self, observation: &Observation) -> u32 {
        if observation.pages >= self.high {
            self.is_on = false;
        } else if observation.pages <= self.low {
            self.is_on = true;
        }
        if self.is_on { self.on } else { self.off }
    }
}
