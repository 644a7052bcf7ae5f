//! How solved values were found, and how far they can be trusted.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use control::Measures;
use control::queue::{Bounds, Method, Solved};
use serde::Serialize;

use crate::output::note;
use crate::output::number::percent;

/// How measures were found, as a part of an answer in JSON.
#[derive(Serialize)]
pub(super) struct Certainty {
    method: &'static str,
    residual: f64,
    /// Whether the bounds of the cost are as narrow as was asked for; exact values always are.
    accuracy_reached: bool,
    /// Only if the measures are bounded, not exact: between which bounds each lies.
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<Intervals>,
}

#[derive(Serialize)]
struct Intervals {
    #[serde(flatten)]
    measures: BTreeMap<&'static str, Option<[f64; 2]>>,
    levels: Vec<[f64; 2]>,
}

/// A measure by its name in JSON.
type Named = (&'static str, fn(&Measures) -> f64);

/// The measures that are single numbers.
const MEASURES: [Named; 10] = [
    ("cost", |m| m.cost),
    ("arrival_rate", |m| m.arrival_rate),
    ("p_loss", |m| m.p_loss),
    ("p_obsolete", |m| m.p_obsolete),
    ("p_success", |m| m.p_success),
    ("p_starvation", |m| m.p_starvation),
    ("active_robots", |m| m.active_robots),
    ("sojourn_served", |m| m.sojourn_served),
    ("sojourn_obsolete", |m| m.sojourn_obsolete),
    ("sojourn", |m| m.sojourn),
];

impl Certainty {
    pub(super) fn of(solved: &Solved, accuracy: f64) -> Self {
        let (method, interval) = match &solved.method {
            Method::Direct => ("direct", None),
            Method::MatrixFree { .. } => ("matrix-free", None),
            Method::Certified { bounds, .. } => ("certified", Some(Intervals::of(bounds))),
        };
        let accuracy_reached = width(solved).is_none_or(|width| width <= accuracy);
        Self { method, residual: solved.measures.residual, accuracy_reached, interval }
    }

    /// For an answer that gives each interval with its measure.
    pub(super) fn without_intervals(self) -> Self {
        Self { interval: None, ..self }
    }
}

impl Intervals {
    fn of(bounds: &Bounds) -> Self {
        let (low, high) = (&bounds.low, &bounds.high);
        let interval = |(name, of): &Named| (*name, Some([of(low), of(high)]));
        let mut measures: BTreeMap<_, _> = MEASURES.iter().map(interval).collect();
        if high.p_obsolete == 0.0 {
            measures.insert("sojourn_obsolete", None);
        }
        let levels = low.levels.iter().zip(&high.levels).map(|(low, high)| [*low, *high]).collect();
        Self { measures, levels }
    }
}

/// Flows into and out of a state may differ by this much, relative to them, in a solution.
const BALANCED: f64 = 1e-6;

/// Fails if what was found is no solution.
///
/// # Errors
/// Says what is wrong with it.
pub(super) fn check(solved: &Solved) -> Result<()> {
    let measures = &solved.measures;
    let remedy =
        "rates may lie too far apart for this computer's numbers: make the fastest slower or the slowest faster";
    if let Some((name, of)) = MEASURES.iter().find(|(_, of)| !of(measures).is_finite()) {
        bail!("no solution was found: {name} came out as {}; {remedy}", of(measures));
    }
    let exact = !matches!(solved.method, Method::Certified { .. });
    if exact && measures.residual > BALANCED {
        bail!("no solution was found: flows are out of balance by {:.1e}; {remedy}", measures.residual);
    }
    Ok(())
}

/// The width of the bounds of the cost, relative to it, if it is only bounded.
fn width(solved: &Solved) -> Option<f64> {
    match &solved.method {
        Method::Certified { bounds, .. } => Some(bounds.relative_width()),
        Method::Direct | Method::MatrixFree { .. } => None,
    }
}

/// Says so if bounds are wider than was asked for.
pub(super) fn tell(solved: &Solved, accuracy: f64) {
    if let Some(width) = width(solved).filter(|width| *width > accuracy) {
        note(format_args!(
            "the cost is known to {} of it, not to the {} asked for: more would take too many states",
            percent(width),
            percent(accuracy)
        ));
    }
}

/// The method in words.
pub(super) fn method(solved: &Solved, accuracy: f64) -> String {
    match &solved.method {
        Method::Direct => "direct".to_string(),
        Method::MatrixFree { sweeps } => format!("matrix-free, {sweeps} sweeps"),
        Method::Certified { oldest, bounds } => {
            let pages = if *oldest == 1 { "page" } else { "pages" };
            let width = bounds.relative_width();
            let wide = format!("the cost to {}", percent(width));
            let missed =
                if width > accuracy { format!(", not the {} asked for", percent(accuracy)) } else { String::new() };
            format!("certified bounds, {oldest} oldest {pages} exact; {wide}{missed}")
        }
    }
}

/// A measure, or the bounds between which it lies unless they look the same.
pub(super) fn shown(solved: &Solved, of: impl Fn(&Measures) -> f64, text: fn(f64) -> String) -> String {
    let Method::Certified { bounds, .. } = &solved.method else { return text(of(&solved.measures)) };
    let (low, high) = (text(of(&bounds.low)), text(of(&bounds.high)));
    if low == high { low } else { format!("{low} to {high}") }
}

#[cfg(test)]
mod tests {
    use control::model::examples;
    use control::queue::solve_to;

    use super::*;

    /// The example as if its measures were only bounded, 2% apart.
    fn bounded() -> Solved {
        let model = examples::paper(5);
        let measures = solve_to(&model, &model.fixed(3), 0.01).unwrap().measures;
        let scaled = |factor: f64| Measures {
            cost: measures.cost * factor,
            p_loss: measures.p_loss * factor,
            ..measures.clone()
        };
        let bounds = Box::new(Bounds { low: scaled(0.99), high: scaled(1.01) });
        Solved { measures: bounds.middle(), method: Method::Certified { oldest: 1, bounds } }
    }

    #[test]
    fn an_accuracy_that_is_not_reached_is_told() {
        let solved = bounded();
        assert!(Certainty::of(&solved, 0.021).accuracy_reached && !Certainty::of(&solved, 0.01).accuracy_reached);
        assert_eq!(method(&solved, 0.021), "certified bounds, 1 oldest page exact; the cost to 2.00 %");
        assert!(method(&solved, 0.01).ends_with("the cost to 2.00 %, not the 1.00 % asked for"));
    }

    #[test]
    fn what_is_no_solution_is_no_answer() {
        let solved = bounded();
        assert!(check(&solved).is_ok());
        let exact = |measures: Measures| check(&Solved { measures, method: Method::Direct }).map_err(|e| e.to_string());
        assert!(exact(solved.measures.clone()).is_ok());
        let lost = Measures { p_loss: f64::NAN, ..solved.measures.clone() };
        assert!(exact(lost).unwrap_err().starts_with("no solution was found: p_loss came out as NaN;"));
        let unbalanced = Measures { residual: 1e-3, ..solved.measures };
        assert!(exact(unbalanced).unwrap_err().contains("out of balance by 1.0e-3"));
    }

    #[test]
    fn bounds_are_shown_where_they_differ() {
        let solved = bounded();
        assert_eq!(shown(&solved, |m| m.p_loss, percent).matches(" to ").count(), 1);
        assert_eq!(shown(&solved, |m| m.active_robots, |robots| robots.to_string()), "3");
    }
}
