//! `oriole control simulate`: the same system, event by event.

mod deciding;

use std::ops::ControlFlow;

use anyhow::Result;
use control::controller::Controller;
use control::queue::{Bounds, Method, Solved, solve_to};
use control::{Effort, Model, PhaseType};
use serde::Serialize;
use sim::queue::Beside;
use sim::{Estimate, QueueConfig, QueueReport, QueueSimulation};

use super::certainty::{self, Certainty};
use super::patience::{tell_events, while_waiting};
use super::{FEWER_PHASES, print};
use crate::cli::SimulateQueueArgs;
use crate::failure::Mistake;
use crate::model_file::read_model;
use crate::output::note;
use crate::output::number::{grouped, short};
use crate::output::table::{Align, Table, list};
use crate::progress::{Count, Progress};
use deciding::Deciding;

/// Pages delivered in the time measured, if no time is given.
const USUAL_PAGES: f64 = 100_000.0;

/// Events that may be simulated: some hours.
const MOST_EVENTS: f64 = 1e11;

/// Steps of the progress bar.
const STEPS: u64 = 1000;

pub(super) fn run(arguments: &SimulateQueueArgs) -> Result<()> {
    let model = read_model(&arguments.model.model, arguments.model.repair)?;
    let mut deciding = Deciding::of(&model, arguments)?;
    let accuracy = arguments.accuracy.value();
    let solved = solved(&model, &deciding, accuracy)?;
    let rate = solved.as_ref().map_or_else(|| fastest(&model), |solved| solved.measures.arrival_rate);
    let duration = arguments.duration.unwrap_or(USUAL_PAGES / rate);
    let config = QueueConfig { seed: arguments.seed, ..QueueConfig::new(duration) };
    let simulation = QueueSimulation::new(&model, config.clone()).map_err(Mistake::usage)?;
    check_events(&model, duration + config.warm_up)?;
    let report = simulate(&simulation, deciding.controller.as_mut());
    if report.pages == 0 {
        note("nothing was seen: no page came in that time; give a longer one with --for");
    }
    let answer = Answer::new(&deciding, &report, solved.as_ref(), accuracy);
    print(arguments.json, &answer, || text(&answer, solved.as_ref(), accuracy))
}

/// What the solver says, if there is a policy to be solved and it is not too large.
fn solved(model: &Model, deciding: &Deciding, accuracy: f64) -> Result<Option<Solved>> {
    let Some(policy) = deciding.policy.as_ref() else { return Ok(None) };
    let effort = Effort::of_solving(model, policy);
    let solved = while_waiting("solving", effort, FEWER_PHASES, || solve_to(model, policy, accuracy));
    match solved.map_err(anyhow::Error::from).and_then(|solved| Ok(solved?)) {
        Ok(solved) => {
            certainty::check(&solved)?;
            certainty::tell(&solved, accuracy);
            Ok(Some(solved))
        }
        Err(error) => {
            note(format_args!("nothing solved to compare with: {error}"));
            Ok(None)
        }
    }
}

/// Fails if a simulation would take too long. What happens: changes of arrival phase, batches, and the phases that pages pass
/// through.
fn check_events(model: &Model, duration: f64) -> Result<(), Mistake> {
    let laws = std::iter::once(model.service()).chain(model.obsolescence());
    let per_page: f64 = laws.map(PhaseType::mean_jumps).sum();
    let changes = model.arrivals().iter().map(|(_, bmap)| bmap.pace()).fold(0.0, f64::max);
    let events = duration * (changes + fastest(model) * per_page);
    if events <= MOST_EVENTS {
        tell_events(events);
        return Ok(());
    }
    Err(Mistake::usage(format_args!(
        "the simulation would take up to {events:.1e} events, more than {MOST_EVENTS:.0e}; give a shorter time with --for"
    )))
}

/// Pages delivered per unit of time by the robots that deliver most.
fn fastest(model: &Model) -> f64 {
    model.arrivals().iter().map(|(_, bmap)| bmap.rate()).fold(0.0, f64::max)
}

fn simulate(simulation: &QueueSimulation<'_>, controller: &mut dyn Controller) -> QueueReport {
    let progress = Progress::start("simulating", Count::Items(STEPS));
    let mut shown = 0;
    let watch = |fraction: f64| {
        let step = (fraction * STEPS as f64) as u64;
        progress.add(step.saturating_sub(shown));
        shown = step.max(shown);
        ControlFlow::Continue(())
    };
    // It is only cancelled if told to be, which `watch` never does.
    simulation.run_watched(controller, watch).unwrap_or_else(|_| simulation.run(controller))
}

#[derive(Serialize)]
struct Answer {
    controller: String,
    seed: u64,
    duration: f64,
    pages: u64,
    /// How the solved values were found; absent if there are none.
    #[serde(flatten)]
    certainty: Option<Certainty>,
    measures: Vec<Measure>,
}

#[derive(Serialize)]
struct Measure {
    measure: String,
    /// Null if there were no such pages.
    simulated: Option<f64>,
    /// Null if too few were seen.
    half_width_95: Option<f64>,
    /// Null if there is nothing solved to compare with.
    solved: Option<f64>,
    /// Only if the solved value is bounded, not exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<[f64; 2]>,
}

impl Answer {
    fn new(deciding: &Deciding, report: &QueueReport, solved: Option<&Solved>, accuracy: f64) -> Self {
        let beside = solved.map(|solved| report.beside(&solved.measures));
        let bounds = solved.and_then(|solved| match &solved.method {
            Method::Certified { bounds, .. } => Some(ends(report, bounds)),
            Method::Direct | Method::MatrixFree { .. } => None,
        });
        let measure = |(row, (name, simulated)): (usize, (String, Estimate))| {
            let none = name == "sojourn_obsolete" && solved.is_some_and(|solved| solved.measures.p_obsolete == 0.0);
            let solved = beside.as_ref().map(|beside| beside[row].solved).filter(|_| !none);
            let interval = bounds.as_ref().map(|bounds| bounds[row]).filter(|_| !none);
            let unseen = simulated.mean == 0.0 && simulated.half_width == f64::INFINITY;
            Measure {
                measure: name,
                simulated: (!unseen).then_some(simulated.mean),
                half_width_95: simulated.half_width.is_finite().then_some(simulated.half_width),
                solved,
                interval,
            }
        };
        Self {
            controller: deciding.words.clone(),
            seed: report.seed,
            duration: report.duration,
            pages: report.pages,
            certainty: solved.map(|solved| Certainty::of(solved, accuracy).without_intervals()),
            measures: report.measures().into_iter().enumerate().map(measure).collect(),
        }
    }
}

/// The bounds of every measure in the report.
fn ends(report: &QueueReport, bounds: &Bounds) -> Vec<[f64; 2]> {
    let [low, high] = [&bounds.low, &bounds.high].map(|end| report.beside(end));
    low.iter().zip(&high).map(|(low, high): (&Beside, &Beside)| [low.solved, high.solved]).collect()
}

fn text(answer: &Answer, solved: Option<&Solved>, accuracy: f64) -> String {
    use Align::{Left, Right};
    let mut facts = vec![
        ("policy", answer.controller.clone()),
        ("time", short(answer.duration)),
        ("pages", grouped(usize::try_from(answer.pages).unwrap_or(usize::MAX))),
        ("seed", answer.seed.to_string()),
    ];
    facts.extend(solved.map(|solved| ("solved", certainty::method(solved, accuracy))));
    let mut table = Table::new(&[("measure", Left), ("simulated", Right), ("95 % within", Right), ("solved", Right)]);
    for row in &answer.measures {
        let within = match row.half_width_95 {
            Some(half_width) => format!("+-{}", short(half_width)),
            None if row.simulated.is_none() => "no such pages".to_string(),
            None => "too few pages".to_string(),
        };
        let or_none = |value: Option<f64>| value.map_or("-".to_string(), short);
        let solved = row.interval.map_or_else(|| or_none(row.solved), |[low, high]| between(low, high));
        table.row([row.measure.clone(), or_none(row.simulated), within, solved]);
    }
    format!("{}\n{}", list(&facts), table.render())
}

fn between(low: f64, high: f64) -> String {
    let (low, high) = (short(low), short(high));
    if low == high { low } else { format!("{low} to {high}") }
}
