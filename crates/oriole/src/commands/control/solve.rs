//! `oriole control solve`: what does a policy do?

use anyhow::Result;
use control::queue::{Method, Solved, solve_to};
use control::{Effort, Measures, RobotPolicy};
use serde::Serialize;

use super::certainty::{self, Certainty, shown};
use super::patience::while_waiting;
use super::{FEWER_PHASES, finishing, policy, print};
use crate::cli::SolveArgs;
use crate::failure::Mistake;
use crate::model_file::{System, read_system};
use crate::output::number::{percent, short};
use crate::output::table::{Align, Table, list};

/// With more levels than this the table of levels is left out.
const SHOWN_LEVELS: usize = 41;

pub(super) fn run(arguments: &SolveArgs) -> Result<()> {
    let model = match read_system(&arguments.model.model, arguments.model.repair)? {
        System::AtOnce(model) => model,
        System::Finishing(system) => return finishing::solve(&system, arguments),
    };
    let policy = policy::of(&model, &arguments.policy)?;
    let accuracy = arguments.accuracy.value();
    let effort = Effort::of_solving(&model, &policy);
    let solved = while_waiting("solving", effort, FEWER_PHASES, || solve_to(&model, &policy, accuracy))?;
    let solved = solved.map_err(Mistake::usage)?;
    certainty::check(&solved)?;
    certainty::tell(&solved, accuracy);
    let answer = Answer::new(&solved, accuracy);
    print(arguments.json, &answer, || text(&policy, &solved, accuracy))
}

/// Prints the exact measures of robots that finish what they have begun.
pub(super) fn print_exact(policy: &RobotPolicy, measures: Measures, json: bool) -> Result<()> {
    let solved = Solved { measures, method: Method::Direct };
    certainty::check(&solved)?;
    print(json, &Answer::new(&solved, 0.0), || text(policy, &solved, 0.0))
}

#[derive(Serialize)]
struct Answer<'a> {
    #[serde(flatten)]
    figures: Figures<'a>,
    #[serde(flatten)]
    certainty: Certainty,
}

/// All measures.
#[derive(Serialize)]
pub(super) struct Figures<'a> {
    cost: f64,
    arrival_rate: f64,
    p_loss: f64,
    p_obsolete: f64,
    p_success: f64,
    p_starvation: f64,
    active_robots: f64,
    sojourn_served: f64,
    /// Null if no page becomes obsolete.
    sojourn_obsolete: Option<f64>,
    sojourn: f64,
    levels: &'a [f64],
}

impl<'a> Figures<'a> {
    pub(super) fn of(measures: &'a Measures) -> Self {
        Self {
            cost: measures.cost,
            arrival_rate: measures.arrival_rate,
            p_loss: measures.p_loss,
            p_obsolete: measures.p_obsolete,
            p_success: measures.p_success,
            p_starvation: measures.p_starvation,
            active_robots: measures.active_robots,
            sojourn_served: measures.sojourn_served,
            sojourn_obsolete: (measures.p_obsolete > 0.0).then_some(measures.sojourn_obsolete),
            sojourn: measures.sojourn,
            levels: &measures.levels,
        }
    }
}

impl<'a> Answer<'a> {
    fn new(solved: &'a Solved, accuracy: f64) -> Self {
        Self { figures: Figures::of(&solved.measures), certainty: Certainty::of(solved, accuracy) }
    }
}

fn text(policy: &RobotPolicy, solved: &Solved, accuracy: f64) -> String {
    let plain = |of: fn(&Measures) -> f64| shown(solved, of, short);
    let share = |of: fn(&Measures) -> f64| shown(solved, of, percent);
    let obsolete = if solved.measures.p_obsolete > 0.0 { plain(|m| m.sojourn_obsolete) } else { "-".to_string() };
    let mut text = list(&[
        ("policy", policy::in_words(policy)),
        ("method", certainty::method(solved, accuracy)),
        ("cost", plain(|m| m.cost)),
        ("pages delivered", format!("{} per unit of time", plain(|m| m.arrival_rate))),
        ("  lost", share(|m| m.p_loss)),
        ("  obsolete", share(|m| m.p_obsolete)),
        ("  indexed", share(|m| m.p_success)),
        ("indexer starves", share(|m| m.p_starvation)),
        ("active robots", plain(|m| m.active_robots)),
        ("time in the system", plain(|m| m.sojourn)),
        ("  if indexed", plain(|m| m.sojourn_served)),
        ("  if obsolete", obsolete),
    ]);
    if solved.measures.levels.len() <= SHOWN_LEVELS {
        text.push('\n');
        text.push_str(&levels(policy, solved).render());
    }
    text
}

fn levels(policy: &RobotPolicy, solved: &Solved) -> Table {
    use Align::Right;
    let mut table = Table::new(&[("pages", Right), ("robots", Right), ("time", Right)]);
    for pages in 0..solved.measures.levels.len() {
        // With complete admission there may be more pages than the buffer holds.
        let beyond = if pages >= policy.robots().len() { "*" } else { "" };
        let share = shown(solved, |m| m.levels[pages], percent);
        table.row([format!("{pages}{beyond}"), policy.with_pages(pages).to_string(), share]);
    }
    table
}
