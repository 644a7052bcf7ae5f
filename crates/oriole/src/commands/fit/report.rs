//! How well a fit fits, on the terminal and in JSON.

use std::path::Path;

use control::fit::{FitReport, Matched};
use serde::Serialize;

use super::Fit;
use crate::output::number::{grouped, percent, short};
use crate::output::table::{Align, Table, list};

#[derive(Serialize)]
pub(super) struct Report {
    deliveries: usize,
    sizes: usize,
    batch_gap: Option<f64>,
    stop_gap: Option<f64>,
    stops: f64,
    pages_per_unit_of_time: f64,
    arrivals: Fitted,
    service: Fitted,
}

#[derive(Serialize)]
struct Fitted {
    phases: usize,
    matched: Vec<Quantity>,
    departures: Vec<String>,
    log_likelihood: Option<f64>,
    kolmogorov_smirnov: Option<f64>,
}

#[derive(Serialize)]
struct Quantity {
    quantity: String,
    sample: f64,
    fitted: f64,
}

impl Fitted {
    fn new(phases: usize, report: &FitReport) -> Self {
        let quantity = |matched: &Matched| Quantity {
            quantity: matched.quantity.to_string(),
            sample: matched.wanted,
            fitted: matched.fitted,
        };
        Self {
            phases,
            matched: report.matched.iter().map(quantity).collect(),
            departures: report.departures.iter().map(ToString::to_string).collect(),
            log_likelihood: report.goodness.map(|goodness| goodness.log_likelihood),
            kolmogorov_smirnov: report.goodness.and_then(|goodness| goodness.kolmogorov_smirnov),
        }
    }
}

pub(super) fn json(fit: &Fit) -> Report {
    let grouping = fit.statistics.grouping();
    Report {
        deliveries: fit.deliveries,
        sizes: fit.sizes,
        batch_gap: grouping.batch_gap,
        stop_gap: Some(grouping.stop_gap).filter(|gap| gap.is_finite()),
        stops: fit.statistics.stops(),
        pages_per_unit_of_time: fit.arrivals.process.rate(),
        arrivals: Fitted::new(fit.arrivals.process.phases(), &fit.arrivals.report),
        service: Fitted::new(fit.service.law.order(), &fit.service.report),
    }
}

pub(super) fn text(fit: &Fit, out: &Path) -> String {
    let report = json(fit);
    let batches = match report.batch_gap {
        Some(gap) => format!("pages at most {} apart are one batch", short(gap)),
        None => "every page is its own".to_string(),
    };
    let mut text = list(&[
        ("deliveries", grouped(fit.deliveries)),
        ("batches", batches),
        ("stops left out", short(report.stops)),
        ("sizes", grouped(fit.sizes)),
        ("pages delivered", format!("{} per unit of time and robot", short(report.pages_per_unit_of_time))),
        ("written to", out.display().to_string()),
    ]);
    for (name, fitted) in [("arrivals", &report.arrivals), ("service", &report.service)] {
        text.push('\n');
        text.push_str(&section(name, fitted));
    }
    text
}

fn section(name: &'static str, fitted: &Fitted) -> String {
    use Align::{Left, Right};
    let mut table = Table::new(&[(name, Left), ("sample", Right), ("fitted", Right), ("off by", Right)]);
    for Quantity { quantity, sample, fitted } in &fitted.matched {
        let cells = if quantity.starts_with("correlation") {
            // Near zero only the difference says something.
            [*sample, *fitted, fitted - sample].map(|value| format!("{:.4}", to_four_places(value)))
        } else {
            [short(*sample), short(*fitted), percent(to_four_places(fitted / sample - 1.0))]
        };
        let [sample, fitted, off] = cells;
        table.row([quantity.clone(), sample, fitted, off]);
    }
    let mut text = table.render();
    text.push_str(&format!("{} phases", fitted.phases));
    if let Some(distance) = fitted.kolmogorov_smirnov {
        text.push_str(&format!("; largest distance of the distribution functions {}", short(distance)));
    }
    if let Some(likelihood) = fitted.log_likelihood {
        text.push_str(&format!("; log-likelihood {}", short(likelihood)));
    }
    text.push('\n');
    for departure in &fitted.departures {
        text.push_str(&format!("note: {departure}\n"));
    }
    text
}

/// Rounded, and without the sign of a zero.
fn to_four_places(value: f64) -> f64 {
    (value * 1e4).round() / 1e4 + 0.0
}
