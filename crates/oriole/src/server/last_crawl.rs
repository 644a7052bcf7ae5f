//! With which settings a data folder was last crawled: the last words of its engine, which may still be running elsewhere.

use serde_json::Value;
use store::{Catalogue, DataFolder, Timestamp};

use super::Problem;
use crate::units::SECONDS_PER_DAY;

/// The settings of an engine that is not in this process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct LastCrawl {
    /// When it said so.
    pub(super) at: Timestamp,
    /// Requests per second; none if they were not limited.
    pub(super) budget: Option<f64>,
    /// Most robots, and whether there were always so many.
    pub(super) robots: u32,
    pub(super) fixed: bool,
    /// Places of the buffer.
    pub(super) buffer: usize,
    /// The shortest time between two visits to a page, in seconds, if it said so.
    pub(super) least_revisit: Option<f64>,
}

impl LastCrawl {
    /// What is remembered; none if there was no engine, or it said nothing that can be understood.
    pub(super) fn read(folder: &DataFolder) -> Result<Option<Self>, Problem> {
        Ok(folder.catalogue.status()?.and_then(|words| Self::of(&serde_json::from_str(&words).ok()?)))
    }

    fn of(said: &Value) -> Option<Self> {
        let whole = |name: &str| said.get(name)?.as_u64().filter(|number| (1..=100_000).contains(number));
        let positive = |name: &str| said.get(name)?.as_f64().filter(|number| *number >= 0.0);
        Some(Self {
            at: Timestamp::parse(said.get("updated_at")?.as_str()?)?,
            // That there is no limit is said, too.
            budget: match said.get("budget_per_day")? {
                Value::Null => None,
                budget => Some(budget.as_f64().filter(|budget| *budget > 0.0)? / SECONDS_PER_DAY),
            },
            robots: whole("robots_max")? as u32,
            fixed: said.pointer("/control/rule").and_then(Value::as_str) == Some("fixed"),
            buffer: whole("buffer_capacity")? as usize,
            least_revisit: positive("least_revisit_seconds"),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn last_words_are_understood_or_left_aside() {
        let mut said = json!({"updated_at": "2026-01-02T03:04:05Z", "budget_per_day": 864_000.0, "robots_max": 8,
            "buffer_capacity": 64, "control": {"rule": "fixed"}, "least_revisit_seconds": 0.5});
        let last = LastCrawl::of(&said).unwrap();
        assert_eq!((last.budget, last.robots, last.fixed, last.buffer), (Some(10.0), 8, true, 64));
        assert_eq!(last.least_revisit, Some(0.5));
        said["budget_per_day"] = Value::Null;
        assert_eq!(LastCrawl::of(&said).unwrap().budget, None);
        for (name, wrong) in [("budget_per_day", json!(-1)), ("robots_max", json!(0)), ("updated_at", json!("x"))] {
            let mut other = said.clone();
            other[name] = wrong;
            assert_eq!(LastCrawl::of(&other), None, "{name}");
        }
        assert_eq!(LastCrawl::of(&json!([])), None);
    }
}
