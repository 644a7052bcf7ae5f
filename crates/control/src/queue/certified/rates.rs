//! What is paid per unit of time in a state.

use crate::model::{Costs, Model, RobotPolicy};
use crate::queue::frame::Frame;
use crate::queue::oldest::{Oldest, Prospects};

/// A long-run mean to be bounded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rate {
    /// Pages that arrive, are lost, become obsolete, are indexed, per unit of time.
    Arrivals,
    Lost,
    Obsolete,
    Served,
    /// Active robots.
    Robots,
    /// Fraction of time with this many robots active, or this many pages in the system.
    Active(u32),
    Level(usize),
    /// Pages in the system: all, those that will be indexed, those that will become obsolete.
    Pages,
    PagesIndexed,
    PagesObsolete,
    /// The cost (2) made linear at a guess.
    Cost(Guess),
}

/// About what the rate of served pages `D` and their mean time in the system `N/D` are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Guess {
    pub(super) served: f64,
    pub(super) sojourn: f64,
}

pub(super) struct Payments<'a> {
    pub(super) model: &'a Model,
    pub(super) policy: &'a RobotPolicy,
    pub(super) frame: &'a Frame,
    pub(super) space: &'a Oldest<'a>,
    pub(super) prospects: &'a Prospects,
}

impl Payments<'_> {
    /// Least and most that is paid in a state of level `i`.
    pub(super) fn of(&self, rate: Rate, i: usize, row: usize, state: usize) -> [f64; 2] {
        let phases = self.model.service().order();
        let (nu, m) = if i == 0 { (state, 0) } else { (state / phases, state % phases) };
        let robots = self.policy.with_pages(i);
        let (arriving, lost) = &self.frame.arriving_and_lost[i];
        let known = match rate {
            Rate::Arrivals => arriving[nu],
            Rate::Lost => lost[nu],
            Rate::Obsolete => self.obsolete(i, row),
            Rate::Served => self.served(i, m),
            Rate::Robots => f64::from(robots),
            Rate::Active(wanted) => f64::from(u8::from(robots == wanted)),
            Rate::Level(wanted) => f64::from(u8::from(i == wanted)),
            Rate::Pages => i as f64,
            Rate::PagesIndexed => return widened(self.prospects.indexed(i, row, m)),
            Rate::PagesObsolete => return widened(self.prospects.obsolete(i, row, m)),
            Rate::Cost(guess) => {
                let Costs { loss, obsolete, sojourn, robot, starvation } = self.model.costs();
                let known = loss * lost[nu]
                    + obsolete * self.obsolete(i, row)
                    + robot * f64::from(robots)
                    + if i == 0 { *starvation } else { 0.0 };
                let served = guess.sojourn * self.served(i, m);
                return widened(self.prospects.indexed(i, row, m))
                    .map(|n| known + sojourn / guess.served * (n - served));
            }
        };
        [known, known]
    }

    fn obsolete(&self, i: usize, row: usize) -> f64 {
        if i == 0 { 0.0 } else { self.space.exit(i, row) }
    }

    fn served(&self, i: usize, service_phase: usize) -> f64 {
        if i == 0 { 0.0 } else { self.model.service().exits()[service_phase] }
    }
}

/// Prospects are found without a subtraction: this is far more than rounding can have changed them by.
fn widened([low, high]: [f64; 2]) -> [f64; 2] {
    [low * (1.0 - 1e-11), high * (1.0 + 1e-11)]
}
