//! `oriole man`: manual pages.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::cli::{Cli, ManArgs};
use crate::output::{OutputFile, stdout};

/// Runs the command.
///
/// # Errors
/// If the pages cannot be written.
pub fn run(arguments: &ManArgs) -> Result<()> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    if let Some(folder) = &arguments.out {
        return write_all(&command, folder);
    }
    let mut out = stdout();
    Man::new(command).render(&mut out)?;
    out.flush()?;
    Ok(())
}

/// One file for the program and one for each of its commands, and of theirs.
fn write_all(command: &Command, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let man = Man::new(command.clone());
    let path = folder.join(man.get_filename());
    let mut file = OutputFile::create(&path)?;
    man.render(&mut file).with_context(|| format!("cannot write {}", path.display()))?;
    file.commit()?;
    command.get_subcommands().try_for_each(|command| write_all(command, folder))
}
