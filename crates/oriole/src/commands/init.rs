//! `oriole init`: a commented configuration.

use std::io::Write;
use std::path::Path;

use anyhow::Result;

use crate::cli::InitArgs;
use crate::config;
use crate::failure::{Mistake, quoted};
use crate::output::{OutputFile, note, stdout};

/// The line of the shipped file that names no seeds.
const NO_SEEDS: &str = "seeds = []\n";

/// Runs the command.
///
/// # Errors
/// If an address is wrong, or the file is there already or cannot be written.
pub fn run(arguments: &InitArgs) -> Result<()> {
    let text = with_seeds(&arguments.urls)?;
    if arguments.out == Path::new("-") {
        let mut out = stdout();
        out.write_all(text.as_bytes())?;
        return Ok(out.flush()?);
    }
    let name = arguments.out.display().to_string();
    if arguments.out.exists() && !arguments.force {
        let problem = "is there already; give --force to replace it, or --out to write another file";
        return Err(Mistake::file(name, problem).into());
    }
    let mut file = OutputFile::create(&arguments.out)?;
    file.write_all(text.as_bytes())?;
    file.commit()?;
    note(format_args!("wrote {name}"));
    Ok(())
}

/// The shipped file with these seeds.
fn with_seeds(urls: &[String]) -> Result<String, Mistake> {
    if urls.is_empty() {
        return Ok(config::EXAMPLE.to_owned());
    }
    let seed = |url: &String| match config::page_url(url) {
        // A normalised address has no character that must be escaped in TOML.
        Ok(page) => Ok(format!("    \"{page}\",\n")),
        Err(error) => Err(Mistake::usage(format_args!("{}: {error}", quoted(url)))),
    };
    let lines = urls.iter().map(seed).collect::<Result<String, _>>()?;
    Ok(config::EXAMPLE.replacen(NO_SEEDS, &format!("seeds = [\n{lines}]\n"), 1))
}
