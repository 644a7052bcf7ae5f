//! `oriole control solve`: what does a policy do?

use anyhow::Result;
use control::{Measures, Model, RobotPolicy, solve};
use serde::Serialize;

use super::{check_size, policy, print};
use crate::cli::SolveArgs;
use crate::model_file::read_model;
use crate::output::number::{percent, short};
use crate::output::table::{Align, Table, list};
use crate::progress::while_doing;

/// With more levels than this the table of levels is left out.
const SHOWN_LEVELS: usize = 41;

pub(super) fn run(arguments: &SolveArgs) -> Result<()> {
    let model = read_model(&arguments.model.model, arguments.model.repair)?;
    let policy = policy::of(&model, &arguments.policy)?;
    check_size(&model)?;
    let measures = while_doing("solving", || solve(&model, &policy));
    print(arguments.json, &Answer::new(&measures), || text(&model, &policy, &measures))
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
}

impl<'a> Answer<'a> {
    fn new(measures: &'a Measures) -> Self {
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
            method: "direct",
            residual: measures.residual,
        }
    }
}

fn text(model: &Model, policy: &RobotPolicy, measures: &Measures) -> String {
    let mut text = list(&[
        ("policy", policy::in_words(policy)),
        ("cost", short(measures.cost)),
        ("pages delivered", format!("{} per unit of time", short(measures.arrival_rate))),
        ("  lost", percent(measures.p_loss)),
        ("  obsolete", percent(measures.p_obsolete)),
        ("  indexed", percent(measures.p_success)),
        ("indexer starves", percent(measures.p_starvation)),
        ("active robots", short(measures.active_robots)),
        ("time in the system", short(measures.sojourn)),
        ("  if indexed", short(measures.sojourn_served)),
        ("  if obsolete", short(measures.sojourn_obsolete)),
        ("method", "direct".to_string()),
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
