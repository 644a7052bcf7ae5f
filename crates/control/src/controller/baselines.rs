//! What others do: controllers to compare with. None of them knows the model.

mod codel;
mod loops;
mod switches;

pub use codel::CoDel;
pub use loops::{Aimd, Pid, PidGains, Proportional};
pub use switches::{Fixed, Hysteresis, OnOff};

/// The fewest and the most robots a baseline may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The fewest.
    pub least: u32,
    /// The most, at least `least`.
    pub most: u32,
}

impl Range {
    /// The nearest whole number within the range.
    fn nearest(self, robots: f64) -> u32 {
        // A number that is not one becomes zero.
        (robots.round() as u32).clamp(self.least, self.most.max(self.least))
    }

    fn up(self, robots: u32) -> u32 {
        robots.saturating_add(1).min(self.most.max(self.least))
    }

    fn down(self, robots: u32) -> u32 {
        robots.saturating_sub(1).max(self.least)
    }
}
