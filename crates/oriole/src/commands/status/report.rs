use serde_json::{Map, Value};

use super::super::reading::two_digits;
use crate::output::foreign::printable;
use crate::output::number::{grouped, percent, short};
use crate::output::table::{self, Align, Table};
use crate::units::SECONDS_PER_DAY;

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
        let robots = number("robots_mean").map_or_else(|| whole("robots_active"), |mean| format!("{mean:.2}"));
        pairs.push(("robots at work", format!("{robots} of {} on average", whole("robots_max"))));
        pairs.push(("buffer", format!("{} of {} places", whole("buffer_occupancy"), whole("buffer_capacity"))));
        pairs.push(("lost, obsolete", format!("{}, {}", whole("lost"), whole("obsolete"))));
        let allowed = number("budget_per_day").map_or("unlimited or unknown".to_owned(), budget);
        pairs.push(("budget", allowed));
        pairs.push((
            "stale now",
            format!(
                "{} of {} pages kept fresh, by weight (at best {} without hints)",
                share("stale_estimate"),
                whole("pages_kept_fresh"),
                share("stale_bound")
            ),
        ));
        let other = format!("{} uniform, {} proportional", share("stale_uniform"), share("stale_proportional"));
        pairs.push(("stale if visited", other));
    }
    let control = status.get("control").filter(|_| is("running")).and_then(Value::as_object);
    table::list(&pairs) + &control.map_or(String::new(), |control| deciding(control, &whole("robots_max")))
}

/// Requests a day, as they would be typed.
fn budget(per_day: f64) -> String {
    let per_second = per_day / SECONDS_PER_DAY;
    if per_second >= 0.1 { format!("{}/s", short(per_second)) } else { format!("{}/day", short(per_day)) }
}

/// How a number is written.
type Form = fn(f64) -> String;

/// How the number of robots is decided, and what the model says beside what was seen.
fn deciding(control: &Map<String, Value>, most: &str) -> String {
    let text = |key: &str| control.get(key).and_then(Value::as_str).map(printable);
    let rule = text("rule").unwrap_or_else(|| "unknown".to_owned());
    let policy = text("policy").unwrap_or_else(|| match rule.as_str() {
        "fixed" => most.to_owned(),
        "on-off" => format!("{most} while it is at most half full, then 1"),
        "aimd" => format!("1 to {most}, one more while none is lost, half as many when one is"),
        _ => "not known yet".to_owned(),
    });
    let mut out = format!("\nrobots by documents in the buffer ({rule}): {policy}\n\n");
    let mut table = Table::new(&[("", Align::Left), ("predicted", Align::Right), ("measured", Align::Right)]);
    let rows: [(&str, &str, Form); 7] = [
        ("lost", "p_loss", percent),
        ("obsolete", "p_obsolete", percent),
        ("indexer idle", "p_starvation", percent),
        ("seconds in the buffer", "sojourn_served", two_digits),
        ("robots at work", "active_robots", two_digits),
        ("documents per second", "arrivals_per_second", two_digits),
        ("cost", "cost", two_digits),
    ];
    for (name, key, form) in rows {
        let of = |kind: &str| control.get(kind).and_then(|figures| figures.get(key)).and_then(Value::as_f64);
        let cell = |kind: &str| of(kind).map_or("-".to_owned(), form);
        table.row([name.to_owned(), cell("predicted"), cell("measured")]);
    }
    out.push_str(&table.render());
    let seconds = control.get("measured").and_then(|figures| figures.get("seconds")).and_then(Value::as_f64);
    if let Some(seconds) = seconds {
        out.push_str(&format!("measured over {} s; the model is of a steady state\n", grouped(seconds as usize)));
    }
    out
}
