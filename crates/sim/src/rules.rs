//! The revisit rules of other crawlers, each as its project ships it.
//!
//! All of them multiply the interval by a factor above one if the page is unchanged and by one below if it has changed.
//! Undisturbed, such a rule settles where `P(change in an interval) = p* = ln(up)/(ln(up) - ln(down))`, the same for every
//! page, and so accesses each page in proportion to its change rate.

mod fixed;
mod heritrix;
mod nutch;
mod stormcrawler;

pub use fixed::FixedInterval;
pub use heritrix::Heritrix;
pub use nutch::{Nutch, NutchState};
pub use stormcrawler::StormCrawler;

/// Seconds in a day: the simulator counts days, these rules count seconds or minutes.
const SECONDS: f64 = 86_400.0;

/// Minutes in a day.
const MINUTES: f64 = 1_440.0;

#[cfg(test)]
mod tests;
