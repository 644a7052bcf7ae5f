//! `oriole simulate`: what do policies cost on a simulated web, or on recorded changes of a real one?

mod report;
mod scene;

use std::io::Write;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::thread;

use anyhow::Result;
use freshness::learn::Prior;
use sim::{Learning, PolicyName, SimReport, Simulation};

use crate::cli::SimulateArgs;
use crate::failure::Mistake;
use crate::output::{stdout, warn};
use crate::progress::{Count, Progress};
use scene::Scene;

/// The part of the accesses that a learning policy spends on pages it would leave alone.
const RESERVE: f64 = 0.03;

/// Steps of the progress bar for each policy.
const STEPS: u64 = 1000;

/// Runs the command.
///
/// # Errors
/// A [`Mistake`] if options or input are wrong.
pub fn run(arguments: &SimulateArgs) -> Result<()> {
    let learning = learning(arguments)?;
    let scene = Scene::set(arguments)?;
    let simulation = Simulation::new(&scene.pages, scene.config.clone()).map_err(Mistake::usage)?;
    let reports = run_all(&simulation, &arguments.policy, learning);
    if arguments.json {
        let mut out = stdout();
        report::json(&mut out, &scene, &reports)?;
        out.flush()?;
    } else {
        write!(anstream::stdout().lock(), "{}", report::text(&scene, &reports))?;
    }
    Ok(())
}

fn learning(arguments: &SimulateArgs) -> Result<Option<Learning>> {
    if !arguments.learn {
        return Ok(None);
    }
    if !arguments.policy.iter().any(|policy| policy.can_learn()) {
        return Err(Mistake::usage("--learn has no effect on these policies; add index to --policy").into());
    }
    if arguments.policy.iter().any(|policy| !policy.can_learn()) {
        warn("only the index policy learns; the others know the rates or do not use them");
    }
    Ok(Some(Learning { prior: Prior::unknown(1.0)?, reserve: RESERVE }))
}

/// Runs every policy on the same changes, as many at a time as there are cores.
fn run_all(
    simulation: &Simulation<'_>,
    policies: &[PolicyName],
    learning: Option<Learning>,
) -> Vec<(PolicyName, SimReport)> {
    let progress = Progress::start("simulating", Count::Items(STEPS * policies.len() as u64));
    let waiting = Mutex::new(policies.iter().copied().enumerate());
    let done = Mutex::new(Vec::new());
    let work = || {
        loop {
            let Some((position, policy)) = waiting.lock().unwrap_or_else(PoisonError::into_inner).next() else {
                return;
            };
            let report = run_one(simulation, policy, learning, &progress);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((position, policy, report));
        }
    };
    let workers = thread::available_parallelism().map_or(1, std::num::NonZero::get).min(policies.len());
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(work);
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(position, _, _)| *position);
    done.into_iter().map(|(_, policy, report)| (policy, report)).collect()
}

fn run_one(
    simulation: &Simulation<'_>,
    policy: PolicyName,
    learning: Option<Learning>,
    progress: &Progress,
) -> SimReport {
    let mut shown = 0;
    let mut watch = |fraction: f64| {
        let step = (fraction * STEPS as f64) as u64;
        progress.add(step.saturating_sub(shown));
        shown = step.max(shown);
        ControlFlow::Continue(())
    };
    let mut scheduler = policy.build(simulation.config(), learning);
    // It is only cancelled if told to be, which `watch` never does.
    simulation.run_watched(&mut *scheduler, &mut watch).unwrap_or_else(|_| simulation.run(&mut *scheduler))
}
