use serde_json::{Map, Value};

use crate::output::foreign::printable;
use crate::output::number::{grouped, percent, short};
use crate::output::table;

/// The figures for people.
pub(super) fn text(status: &Map<String, Value>) -> String {
    let number = |key: &str| status.get(key).and_then(Value::as_f64);
    let whole = |key: &str| number(key).map_or("unknown".to_owned(), |value| grouped(value as usize));
    let share = |key: &str| number(key).map_or("unknown".to_owned(), percent);
    let is = |key: &str| status.get(key).and_then(Value::as_bool).unwrap_or(false);
    let engine = match (is("running"), is("silent")) {
        (true, false) => "running",
        (true, true) => "running, but its figures are old",
        (false, _) => "not running",
    };
    let mut pairs = vec![
        ("engine", engine.to_owned()),
        ("data folder", printable(status.get("data").and_then(Value::as_str).unwrap_or_default())),
        ("pages known", whole("pages_known")),
        ("pages fetched", whole("pages_fetched")),
        ("pages indexed", whole("pages_indexed")),
        ("pages failed", whole("pages_failed")),
        ("hosts", whole("hosts")),
    ];
    if let Some(waiting) = number("inbox").filter(|waiting| *waiting > 0.0) {
        pairs.push(("commands waiting", grouped(waiting as usize)));
    }
    if is("running") {
        pairs.push(("robots active", format!("{} of {}", whole("robots_active"), whole("robots_max"))));
        pairs.push(("buffer", format!("{} of {} places", whole("buffer_occupancy"), whole("buffer_capacity"))));
        pairs.push(("lost, obsolete", format!("{}, {}", whole("lost"), whole("obsolete"))));
        let budget =
            number("budget_per_day").map_or("unlimited or unknown".to_owned(), |rate| format!("{}/day", short(rate)));
        pairs.push(("budget", budget));
        pairs.push(("stale now", format!("{} (at best {})", share("stale_estimate"), share("stale_bound"))));
        let other = format!("{} uniform, {} proportional", share("stale_uniform"), share("stale_proportional"));
        pairs.push(("stale if visited", other));
    }
    table::list(&pairs)
}
