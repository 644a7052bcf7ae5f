//! `oriole control solve`: what does a policy do?

use std::collections::BTreeMap;

use anyhow::Result;
use control::queue::{Bounds, Method, Solved, solve_to};
use control::{Measures, Model, RobotPolicy};
use serde::Serialize;

use super::{policy, print};
use crate::cli::SolveArgs;
use crate::failure::Mistake;
use crate::model_file::read_model;
use crate::output::number::{percent, short};
use crate::output::table::{Align, Table, list};
use crate::progress::while_doing;

/// With more levels than this the table of levels is left out.
const SHOWN_LEVELS: usize = 41;

pub(super) fn run(arguments: &SolveArgs) -> Result<()> {
    let model = read_model(&arguments.model.model, arguments.model.repair)?;
    let policy = policy::of(&model, &arguments.policy)?;
    let solved = while_doing("solving", || solve_to(&model, &policy, arguments.accuracy.value()));
    let solved = solved.map_err(Mistake::usage)?;
    print(arguments.json, &Answer::new(&solved), || text(&model, &policy, &solved))
}

#[derive(Serialize)]
struct Answer<'a> {
    cost: f64,
    arrival_rate: f64,
    p_loss: f64,
    p_obsolete: f64,
    p_success: f64,
    p_starvation: f64,
    active_robots: f64,
    sojourn_served: f64,
    sojourn_obsolete: f64,
    sojourn: f64,
    levels: &'a [f64],
    method: &'static str,
    residual: f64,
    /// Only if the measures are bounded, not exact: between which bounds each lies.
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<BTreeMap<&'static str, [f64; 2]>>,
}

impl<'a> Answer<'a> {
    fn new(solved: &'a Solved) -> Self {
        let measures = &solved.measures;
        let (method, interval) = match &solved.method {
            Method::Direct => ("direct", None),
            Method::MatrixFree { .. } => ("matrix-free", None),
            Method::Certified { bounds, .. } => ("certified", Some(interval(bounds))),
        };
        Self {
            cost: measures.cost,
            arrival_rate: measures.arrival_rate,
            p_loss: measures.p_loss,
            p_obsolete: measures.p_obsolete,
            p_success: measures.p_success,
            p_starvation: measures.p_starvation,
            active_robots: measures.active_robots,
            sojourn_served: measures.sojourn_served,
            sojourn_obsolete: measures.sojourn_obsolete,
            sojourn: measures.sojourn,
            levels: &measures.levels,
            method,
            residual: measures.residual,
            interval,
        }
    }
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

fn interval(bounds: &Bounds) -> BTreeMap<&'static str, [f64; 2]> {
    MEASURES.iter().map(|(name, of)| (*name, [of(&bounds.low), of(&bounds.high)])).collect()
}

fn text(model: &Model, policy: &RobotPolicy, solved: &Solved) -> String {
    let measures = &solved.measures;
    let (cost, method) = match &solved.method {
        Method::Direct => (short(measures.cost), "direct".to_string()),
        Method::MatrixFree { sweeps } => (short(measures.cost), format!("matrix-free, {sweeps} sweeps")),
        Method::Certified { oldest, bounds } => {
            let cost = format!("between {} and {}", short(bounds.low.cost), short(bounds.high.cost));
            (cost, format!("certified bounds, {oldest} oldest pages exact; below is their middle"))
        }
    };
    let mut text = list(&[
        ("policy", policy::in_words(policy)),
        ("method", method),
        ("cost", cost),
        ("pages delivered", format!("{} per unit of time", short(measures.arrival_rate))),
        ("  lost", percent(measures.p_loss)),
        ("  obsolete", percent(measures.p_obsolete)),
        ("  indexed", percent(measures.p_success)),
        ("indexer starves", percent(measures.p_starvation)),
        ("active robots", short(measures.active_robots)),
        ("time in the system", short(measures.sojourn)),
        ("  if indexed", short(measures.sojourn_served)),
        ("  if obsolete", short(measures.sojourn_obsolete)),
    ]);
    if measures.levels.len() <= SHOWN_LEVELS {
        text.push('\n');
        text.push_str(&levels(model, policy, measures).render());
    }
    text
}

fn levels(model: &Model, policy: &RobotPolicy, measures: &Measures) -> Table {
    use Align::Right;
    let mut table = Table::new(&[("pages", Right), ("robots", Right), ("time", Right)]);
    for (pages, share) in measures.levels.iter().enumerate() {
        // With complete admission there may be more pages than the buffer holds.
        let beyond = if pages > model.buffer() { "*" } else { "" };
        table.row([format!("{pages}{beyond}"), policy.with_pages(pages).to_string(), percent(*share)]);
    }
    table
}
