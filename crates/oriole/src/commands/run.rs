//! `oriole run`: crawls sites, makes them searchable, and keeps visiting them.

use anyhow::Result;

use crate::cli::RunArgs;
use crate::config::Config;
use crate::engine;

/// Runs the command.
///
/// # Errors
/// A [`Mistake`](crate::failure::Mistake) if options or configuration are wrong; otherwise if the data folder cannot be
/// used.
pub fn run(arguments: RunArgs) -> Result<()> {
    let config = Config::load(&arguments.engine, Some(&arguments), std::env::vars_os())?;
    engine::run(config, arguments)
}
