//! What the engine says of itself, in numbers and words.

use serde_json::Value;

use crate::engine::Point;
use crate::output::number::{grouped, percent, short};

/// The status of the engine as JSON, whoever said it.
pub(in crate::server) struct Figures {
    said: Value,
    /// Whether the engine runs in this process.
    pub(in crate::server) here: bool,
}

impl Figures {
    pub(super) fn new(said: Value, here: bool) -> Self {
        Self { said, here }
    }

    /// Whether an engine runs, here or elsewhere.
    pub(super) fn is_running(&self) -> bool {
        self.here || self.said.get("running").and_then(Value::as_bool).unwrap_or(false)
    }

    /// Everything, for programs.
    pub(super) fn said(&self) -> &Value {
        &self.said
    }

    /// A number, by the name of its field; fields of fields after a slash.
    pub(in crate::server) fn number(&self, name: &str) -> Option<f64> {
        self.said.pointer(&format!("/{name}"))?.as_f64().filter(|number| number.is_finite())
    }

    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.said.pointer(&format!("/{name}"))?.as_str()
    }

    pub(in crate::server) fn list(&self, name: &str) -> &[Value] {
        self.said.pointer(&format!("/{name}")).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// A part as a percentage.
    pub(super) fn share(&self, name: &str) -> String {
        let words = |part: f64| if part < 0.01 { percent(part) } else { format!("{:.1} %", 100.0 * part) };
        self.number(name).map_or_else(unknown, words)
    }

    /// A whole number.
    pub(super) fn whole(&self, name: &str) -> String {
        self.number(name).map_or_else(unknown, |number| grouped(number as usize))
    }

    /// A number with three digits.
    pub(super) fn digits(&self, name: &str) -> String {
        self.number(name).map_or_else(unknown, |number| short(format!("{number:.2e}").parse().unwrap_or(number)))
    }

    /// The end of all curves.
    pub(super) fn point(&self, at: f64) -> Point {
        Point {
            at,
            stale: self.number("stale_estimate"),
            bound: self.number("stale_bound"),
            uniform: self.number("stale_uniform"),
            proportional: self.number("stale_proportional"),
            requests: self.number("requests_per_second"),
            budget: self.budget(),
            robots: self.number("robots_mean"),
            buffer: self.number("buffer_occupancy"),
        }
    }

    /// Requests per second that are allowed.
    pub(in crate::server) fn budget(&self) -> Option<f64> {
        Some(self.number("budget_per_day")? / crate::units::SECONDS_PER_DAY)
    }
}

fn unknown() -> String {
    "unknown".to_owned()
}
