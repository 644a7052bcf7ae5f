//! Robots, buffer and indexer on a virtual clock, under any controller: the queue that crate `control` solves.
//!
//! Nothing of the solver is used here but the description of the model, so that each can be checked against the other.

mod meters;
mod rare;
mod report;
mod run;

use std::ops::ControlFlow;

use control::Model;
use control::controller::Controller;

use crate::config::{ConfigError, check_not_negative, require};
use crate::simulation::Cancelled;
pub use report::{Beside, Quantiles, QueueReport};
use run::Run;

/// Events between two calls of the progress function.
const EVENTS_PER_CALL: u64 = 1 << 14;

/// How to simulate. Times are in the unit of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueConfig {
    /// Every random number comes from this.
    pub seed: u64,
    /// Time simulated before the measurement starts.
    pub warm_up: f64,
    /// Time measured.
    pub duration: f64,
    /// Number of batches for the confidence intervals.
    pub batches: usize,
    /// For which probabilities to measure quantiles of the time in the system.
    pub quantiles: Vec<f64>,
}

impl QueueConfig {
    /// A tenth of `duration` as warm-up, 20 batches, seed 1, no quantiles.
    #[must_use]
    pub fn new(duration: f64) -> Self {
        Self { seed: 1, warm_up: duration / 10.0, duration, batches: 20, quantiles: Vec::new() }
    }

    fn check(&self) -> Result<(), ConfigError> {
        require("duration", self.duration, self.duration > 0.0 && self.duration.is_finite(), "positive and finite")?;
        check_not_negative("warm-up", self.warm_up)?;
        require("batches", self.batches as f64, (5..=1000).contains(&self.batches), "from 5 to 1000")?;
        self.quantiles.iter().try_for_each(|p| require("quantile", *p, *p > 0.0 && *p < 1.0, "between 0 and 1"))
    }
}

/// A model and a configuration that have been checked, ready to run under any number of controllers.
#[derive(Clone, Debug)]
pub struct QueueSimulation<'a> {
    model: &'a Model,
    config: QueueConfig,
}

impl<'a> QueueSimulation<'a> {
    /// Checks what is to be simulated.
    ///
    /// # Errors
    /// Names the first thing that is impossible.
    pub fn new(model: &'a Model, config: QueueConfig) -> Result<Self, ConfigError> {
        config.check()?;
        Ok(Self { model, config })
    }

    /// Runs to the end, from an empty system. A [`control::RobotPolicy`] is a controller too.
    ///
    /// If the controller wants a number of robots for which the model has no arrivals, the next smaller that it has are active,
    /// or else the smallest.
    pub fn run<C: Controller + ?Sized>(&self, controller: &mut C) -> QueueReport {
        let mut run = Run::new(self.model, &self.config, controller);
        while run.step() {}
        run.report()
    }

    /// Runs to the end or until `progress`, called with the fraction done, answers with a break.
    ///
    /// # Errors
    /// If it was told to stop.
    pub fn run_watched<C: Controller + ?Sized>(
        &self,
        controller: &mut C,
        mut progress: impl FnMut(f64) -> ControlFlow<()>,
    ) -> Result<QueueReport, Cancelled> {
        let mut run = Run::new(self.model, &self.config, controller);
        let mut events = 0_u64;
        while run.step() {
            events += 1;
            if events.is_multiple_of(EVENTS_PER_CALL) && progress(run.fraction_done()).is_break() {
                return Err(Cancelled);
            }
        }
        match progress(1.0) {
            ControlFlow::Continue(()) => Ok(run.report()),
            ControlFlow::Break(()) => Err(Cancelled),
        }
    }
}
