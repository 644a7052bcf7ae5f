//! `oriole control`: how many robots should be fetching now?

mod certainty;
mod finishing;
mod optimise;
mod patience;
mod policy;
mod simulate;
mod sojourn;
mod solve;

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

use crate::cli::{ControlArgs, ControlCommand};
use crate::output::{OutputFile, stdout};
use crate::plot::chart::{self, Chart};

pub(super) use optimise::picture as cost_against_threshold;

/// What makes the solution of one policy less work.
const FEWER_PHASES: &str = "describe service or arrivals with fewer phases, or lower the buffer or the largest batch";

/// What makes a search of many modes less work.
const FEWER_MODES: &str = "name two or three modes with --modes (of robots that are alike only the number in each phase then counts), \
     or describe service or arrivals with fewer phases";

/// Runs the command.
///
/// # Errors
/// A [`Mistake`](crate::failure::Mistake) if options or the model are wrong.
pub fn run(arguments: &ControlArgs) -> Result<()> {
    match &arguments.command {
        ControlCommand::Solve(arguments) => solve::run(arguments),
        ControlCommand::Optimise(arguments) => optimise::run(arguments),
        ControlCommand::Sojourn(arguments) => sojourn::run(arguments),
        ControlCommand::SimulateQueue(arguments) => simulate::run(arguments),
    }
}

/// Prints an answer as one JSON object, or as text.
pub(super) fn print(json: bool, answer: &impl Serialize, text: impl FnOnce() -> String) -> Result<()> {
    if json { print_to(stdout(), &format!("{}\n", serde_json::to_string(answer)?)) } else { print_text(&text()) }
}

/// Prints text as it is.
pub(super) fn print_text(text: &str) -> Result<()> {
    print_to(anstream::stdout().lock(), text)
}

fn print_to(mut out: impl Write, text: &str) -> Result<()> {
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).context("cannot write to standard output")
}

/// Writes a picture.
fn draw(path: &Path, picture: &Chart) -> Result<()> {
    write_file(path, &chart::draw(picture))
}

/// Writes a whole file.
pub(super) fn write_file(path: &Path, contents: &str) -> Result<()> {
    let mut file = OutputFile::create(path)?;
    file.write_all(contents.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
    file.commit()
}
