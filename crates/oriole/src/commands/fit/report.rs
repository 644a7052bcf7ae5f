//! How well a fit fits, on the terminal and in JSON.

use control::fit::{Candidate, Choice, Matched, choice};
use control::{Costs, Model};
use serde::Serialize;

use super::{Fit, source};
use crate::cli::{CostText, FitArgs};
use crate::output::number::{grouped, percent, short};
use crate::output::table::{Align, Table, list};

#[derive(Serialize)]
pub(super) struct Report {
    deliveries: usize,
    sizes: usize,
    batch_gap: Option<f64>,
    stop_gap: Option<f64>,
    stops: f64,
    /// Of the time.
    stopped_share: f64,
    /// Of those that are no stops.
    longest_gap: f64,
    reading: &'static str,
    left_out: Vec<String>,
    arrivals: Vec<Process>,
    service: Fitted,
    buffer: usize,
    obsolete_after: Option<f64>,
    cost: CostTable,
    cost_from: String,
}

#[derive(Serialize)]
struct CostTable {
    loss: f64,
    obsolete: f64,
    sojourn: f64,
    robot: f64,
    starvation: f64,
}

/// The process of a number of robots.
#[derive(Serialize)]
struct Process {
    robots: u32,
    pages_per_unit_of_time: f64,
    #[serde(flatten)]
    fitted: Fitted,
}

#[derive(Serialize)]
struct Fitted {
    #[serde(flatten)]
    kept: OneFit,
    matched: Vec<Quantity>,
    /// What else was tried.
    others: Vec<OneFit>,
    refused: Vec<Refused>,
}

/// One fit among several.
#[derive(Serialize)]
struct OneFit {
    method: String,
    phases: usize,
    parameters: usize,
    log_likelihood: Option<f64>,
    bic: Option<f64>,
    kolmogorov_smirnov: Option<f64>,
    departures: Vec<String>,
}

#[derive(Serialize)]
struct Refused {
    method: String,
    reason: String,
}

#[derive(Serialize)]
struct Quantity {
    quantity: String,
    sample: f64,
    fitted: f64,
}

impl OneFit {
    fn new<F: choice::Fitted>(candidate: &Candidate<F>, phases: impl Fn(&F) -> usize) -> Self {
        let report = candidate.fitted.report();
        let goodness = report.goodness;
        Self {
            method: candidate.method.to_string(),
            phases: phases(&candidate.fitted),
            parameters: candidate.parameters,
            log_likelihood: goodness.map(|goodness| goodness.log_likelihood),
            bic: Some(candidate.information()).filter(|bic| bic.is_finite()),
            kolmogorov_smirnov: goodness.and_then(|goodness| goodness.kolmogorov_smirnov),
            departures: report.departures.iter().map(ToString::to_string).collect(),
        }
    }
}

impl Fitted {
    fn new<F: choice::Fitted>(choice: &Choice<F>, phases: impl Fn(&F) -> usize + Copy) -> Self {
        let report = choice.best.fitted.report();
        let quantity = |matched: &Matched| Quantity {
            quantity: matched.quantity.to_string(),
            sample: matched.wanted,
            fitted: matched.fitted,
        };
        let refused = choice.refused.iter();
        Self {
            kept: OneFit::new(&choice.best, phases),
            matched: report.matched.iter().map(quantity).collect(),
            others: choice.others.iter().map(|other| OneFit::new(other, phases)).collect(),
            refused: refused.map(|(m, e)| Refused { method: m.to_string(), reason: e.to_string() }).collect(),
        }
    }
}

pub(super) fn json(fit: &Fit, model: &Model, costs: &[CostText]) -> Report {
    let arrivals = &fit.arrivals;
    let process = |(robots, choice): &(u32, Choice<control::fit::FittedArrivals>)| Process {
        robots: *robots,
        pages_per_unit_of_time: choice.best.fitted.process.rate(),
        fitted: Fitted::new(choice, |fitted| fitted.process.phases()),
    };
    let Costs { loss, obsolete, sojourn, robot, starvation } = *model.costs();
    Report {
        deliveries: fit.deliveries,
        sizes: fit.sizes,
        batch_gap: arrivals.statistics.grouping().batch_gap,
        stop_gap: Some(arrivals.statistics.grouping().stop_gap).filter(|gap| gap.is_finite()),
        stops: arrivals.statistics.stops(),
        stopped_share: arrivals.statistics.stopped_share(),
        longest_gap: arrivals.statistics.longest_gap(),
        reading: if arrivals.up_to.is_some() { "scaled" } else { "number" },
        left_out: arrivals.left_out.clone(),
        arrivals: arrivals.by_number.iter().map(process).collect(),
        service: Fitted::new(&fit.service, |fitted| fitted.law.order()),
        buffer: model.buffer(),
        obsolete_after: model.obsolescence().map(control::PhaseType::mean),
        cost: CostTable { loss, obsolete, sojourn, robot, starvation },
        cost_from: source(costs),
    }
}

pub(super) fn text(fit: &Fit, model: &Model, arguments: &FitArgs) -> String {
    let report = json(fit, model, &arguments.given.cost);
    let batches = match report.batch_gap {
        Some(gap) => format!("pages at most {} apart are one batch", short(gap)),
        None => "every page is its own".to_string(),
    };
    let costs = &report.cost;
    let values = [costs.loss, costs.obsolete, costs.sojourn, costs.robot, costs.starvation].map(short);
    let [loss, obsolete, sojourn, robot, starvation] = values;
    let mut text = list(&[
        ("deliveries", grouped(fit.deliveries)),
        ("batches", batches),
        ("stops left out", stops(&report)),
        ("sizes", grouped(fit.sizes)),
        ("arrivals", fit.arrivals.in_words()),
        (
            "costs",
            format!("loss {loss}, obsolete {obsolete}, sojourn {sojourn}, robot {robot}, starvation {starvation}"),
        ),
        ("", report.cost_from.clone()),
        ("written to", arguments.out.display().to_string()),
    ]);
    report.left_out.iter().for_each(|note| text.push_str(&format!("note: {note}\n")));
    for process in &report.arrivals {
        let robots = if process.robots == 1 { "robot" } else { "robots" };
        let rate = short(process.pages_per_unit_of_time);
        text.push_str(&format!("\nArrivals with {} {robots}: {rate} pages per unit of time\n", process.robots));
        text.push_str(&section(&process.fitted));
    }
    text.push_str(&format!("\nService: {} per page\n{}", short(model.service().mean()), section(&report.service)));
    text
}

fn stops(report: &Report) -> String {
    let longest = format!("the longest gap kept is {}", short(report.longest_gap));
    match report.stop_gap {
        Some(gap) if report.stops > 0.0 => {
            let (stops, share) = (short(report.stops), percent(report.stopped_share));
            format!("{stops}, gaps above {}, {share} of the time; {longest}", short(gap))
        }
        Some(gap) => format!("none, no gap is above {}; {longest}", short(gap)),
        None => format!("none; {longest}"),
    }
}

fn section(fitted: &Fitted) -> String {
    let mut text = format!("{}\n{}", matched(fitted).render(), methods(fitted).render());
    for refused in &fitted.refused {
        text.push_str(&format!("note: nothing by {}: {}\n", refused.method, refused.reason));
    }
    for fit in std::iter::once(&fitted.kept).chain(&fitted.others) {
        fit.departures.iter().for_each(|note| text.push_str(&format!("note: by {}: {note}\n", fit.method)));
    }
    text
}

fn matched(fitted: &Fitted) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new(&[("", Left), ("sample", Right), ("fitted", Right), ("off by", Right)]);
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
    table
}

/// The fits that were made: the one that was kept, then the others.
fn methods(fitted: &Fitted) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("fitted by", Left),
        ("phases", Right),
        ("parameters", Right),
        ("log-likelihood", Right),
        ("BIC", Right),
        ("KS distance", Right),
        ("", Left),
    ]);
    let number = |value: Option<f64>| value.map_or("-".to_string(), short);
    for (n, fit) in std::iter::once(&fitted.kept).chain(&fitted.others).enumerate() {
        let [likelihood, bic, distance] = [fit.log_likelihood, fit.bic, fit.kolmogorov_smirnov].map(number);
        let kept = if n == 0 { "kept" } else { "" }.to_string();
        let (phases, parameters) = (fit.phases.to_string(), fit.parameters.to_string());
        table.row([fit.method.clone(), phases, parameters, likelihood, bic, distance, kept]);
    }
    table
}

/// Rounded, and without the sign of a zero.
fn to_four_places(value: f64) -> f64 {
    (value * 1e4).round() / 1e4 + 0.0
}
