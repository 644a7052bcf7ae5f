//! `oriole completions`: scripts that complete commands and options in a shell.

use std::io::Write;

use anyhow::Result;
use clap::CommandFactory;

use crate::cli::{Cli, CompletionsArgs};
use crate::output::stdout;

/// Runs the command.
///
/// # Errors
/// If standard output cannot be written to.
pub fn run(arguments: &CompletionsArgs) -> Result<()> {
    // The generator panics where writing fails, so it writes to memory.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "oriole", &mut script);
    let mut out = stdout();
    out.write_all(&script)?;
    out.flush()?;
    Ok(())
}
