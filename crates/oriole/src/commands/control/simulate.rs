//! `oriole control simulate`: the same system, event by event.

use std::ops::ControlFlow;

use anyhow::Result;
use control::RobotPolicy;
use control::queue::solve_to;
use serde::Serialize;
use sim::queue::Beside;
use sim::{QueueConfig, QueueReport, QueueSimulation};

use super::{policy, print};
use crate::cli::SimulateQueueArgs;
use crate::failure::Mistake;
use crate::model_file::read_model;
use crate::output::number::{grouped, short};
use crate::output::table::{Align, Table, list};
use crate::progress::{Count, Progress, while_doing};

/// Pages delivered in the time measured, if no time is given.
const USUAL_PAGES: f64 = 100_000.0;

/// How well solved values are known if the model is too large for exact ones: better than simulated ones.
const ACCURACY: f64 = 0.001;

/// Steps of the progress bar.
const STEPS: u64 = 1000;

pub(super) fn run(arguments: &SimulateQueueArgs) -> Result<()> {
    let model = read_model(&arguments.model.model, arguments.model.repair)?;
    let policy = policy::of(&model, &arguments.policy)?;
    let solved = while_doing("solving", || solve_to(&model, &policy, ACCURACY)).map_err(Mistake::usage)?.measures;
    let duration = arguments.duration.unwrap_or(USUAL_PAGES / solved.arrival_rate);
    let config = QueueConfig { seed: arguments.seed, ..QueueConfig::new(duration) };
    let simulation = QueueSimulation::new(&model, config).map_err(Mistake::usage)?;
    let report = simulate(&simulation, &policy);
    let beside = report.beside(&solved);
    print(arguments.json, &Answer::new(&report, &beside), || text(&policy, &report, &beside))
}

fn simulate(simulation: &QueueSimulation<'_>, policy: &RobotPolicy) -> QueueReport {
    let progress = Progress::start("simulating", Count::Items(STEPS));
    let mut shown = 0;
    let watch = |fraction: f64| {
        let step = (fraction * STEPS as f64) as u64;
        progress.add(step.saturating_sub(shown));
        shown = step.max(shown);
        ControlFlow::Continue(())
    };
    // It is only cancelled if told to be, which `watch` never does.
    simulation.run_watched(&mut policy.clone(), watch).unwrap_or_else(|_| simulation.run(&mut policy.clone()))
}

#[derive(Serialize)]
struct Answer<'a> {
    seed: u64,
    duration: f64,
    pages: u64,
    measures: Vec<Measure<'a>>,
}

#[derive(Serialize)]
struct Measure<'a> {
    measure: &'a str,
    simulated: f64,
    half_width_95: f64,
    solved: f64,
}

impl<'a> Answer<'a> {
    fn new(report: &QueueReport, beside: &'a [Beside]) -> Self {
        let measure = |row: &'a Beside| Measure {
            measure: &row.name,
            simulated: row.simulated.mean,
            half_width_95: row.simulated.half_width,
            solved: row.solved,
        };
        let measures = beside.iter().map(measure).collect();
        Self { seed: report.seed, duration: report.duration, pages: report.pages, measures }
    }
}

fn text(policy: &RobotPolicy, report: &QueueReport, beside: &[Beside]) -> String {
    use Align::{Left, Right};
    let mut text = list(&[
        ("policy", policy::in_words(policy)),
        ("time", short(report.duration)),
        ("pages", grouped(usize::try_from(report.pages).unwrap_or(usize::MAX))),
        ("seed", report.seed.to_string()),
    ]);
    let mut table = Table::new(&[("measure", Left), ("simulated", Right), ("95 % within", Right), ("solved", Right)]);
    for row in beside {
        let within = format!("+-{}", short(row.simulated.half_width));
        table.row([row.name.clone(), short(row.simulated.mean), within, short(row.solved)]);
    }
    text.push('\n');
    text.push_str(&table.render());
    text
}
