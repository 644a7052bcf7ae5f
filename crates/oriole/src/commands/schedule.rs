//! `oriole schedule`: in what order should pages be visited?

use std::io::Write;

use anyhow::Result;
use freshness::allocation::{optimum, randomised_optimum};
use freshness::index::IndexSequence;
use freshness::sequence::{GoldenRatio, PowersOfTwo, Randomised, Regular, RoundRobin, SequenceError, Stride};
use freshness::{Instance, PageId};
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;
use serde::Serialize;

use crate::budget::{Goal, Pace};
use crate::cli::{Order, ScheduleArgs, Weights};
use crate::commands::{apply_weights, checked_pages};
use crate::failure::{Mistake, quoted};
use crate::input::{PageTable, Wanted, read_pages};
use crate::output::stdout;
use crate::progress::while_doing;

/// Up to this many pages the index of each is compared at every access.
const FEW: usize = 200;

type Sequence = Box<dyn Iterator<Item = PageId>>;

/// Runs the command.
///
/// # Errors
/// A [`Mistake`] if options or input are wrong.
pub fn run(arguments: &ScheduleArgs) -> Result<()> {
    // Round robin is the same at any budget.
    let pace = if arguments.policy == Order::RoundRobin { None } else { Some(Pace::from_budget(&arguments.budget)?) };
    let wanted = Wanted { weights: arguments.weights == Weights::Column, hosts: false };
    let mut table = read_pages(&arguments.pages, wanted)?;
    apply_weights(&mut table, arguments.weights);
    let sequence = match &pace {
        Some(Pace { goal: Goal::Given(law) | Goal::Least(_, law), .. }) => {
            let instance = Instance::new(&checked_pages(&table)?, law);
            while_doing("solving", || sequence(arguments, &table, &instance))?
        }
        None => Box::new(RoundRobin::new(table.len()).map_err(Mistake::usage)?),
    };
    print(sequence, &table, arguments)
}

fn sequence(arguments: &ScheduleArgs, table: &PageTable, instance: &Instance) -> Result<Sequence, Mistake> {
    if instance.values().iter().all(|value| *value == 0.0) {
        let problem = "no page changes and matters, so none is worth an access; use --policy round-robin";
        return Err(Mistake::usage(problem));
    }
    let best = || optimum(instance).frequencies;
    let made: Result<Sequence, SequenceError> = match arguments.policy {
        Order::Index if instance.len() <= FEW => return Ok(Box::new(IndexSequence::exact(instance))),
        Order::Index => return Ok(Box::new(IndexSequence::new(instance))),
        Order::Golden => GoldenRatio::of(&best()).map(boxed),
        Order::Stride => Stride::new(&best()).map(boxed),
        Order::Regular => Regular::staggered(&best()).map(boxed),
        Order::PowerOfTwo => PowersOfTwo::new(&best()).map(boxed),
        Order::RoundRobin => RoundRobin::new(instance.len()).map(boxed),
        Order::Random => {
            let rng = Pcg64Mcg::seed_from_u64(arguments.seed);
            Randomised::new(&randomised_optimum(instance).frequencies, rng).map(boxed)
        }
    };
    made.map_err(|error| match error {
        SequenceError::NotPowerOfTwo { page, value } => Mistake::usage(format_args!(
            "--policy power-of-two: {} should get {value} of all accesses, which is not 1/2^k; use another policy",
            quoted(table.names.get(page))
        )),
        other => Mistake::usage(format_args!("--policy: {other}")),
    })
}

fn boxed(sequence: impl Iterator<Item = PageId> + 'static) -> Sequence {
    Box::new(sequence)
}

#[derive(Serialize)]
struct Access<'a> {
    access: u64,
    page: &'a str,
}

fn print(sequence: Sequence, table: &PageTable, arguments: &ScheduleArgs) -> Result<()> {
    let mut out = stdout();
    for (access, page) in (1..=arguments.number).zip(sequence) {
        let page = table.names.get(page.0 as usize);
        if arguments.json {
            serde_json::to_writer(&mut out, &Access { access, page })?;
        } else {
            out.write_all(page.as_bytes())?;
        }
        out.write_all(b"\n")?;
    }
    out.flush()?;
    Ok(())
}
