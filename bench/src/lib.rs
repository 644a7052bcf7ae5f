//! What several measurements need: the program `oriole` as a user would start it, and how results are written.

use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde::Serialize;
use tempfile::TempDir;

/// What may go wrong on the way to a result.
pub type Result<T, E = Box<dyn Error + Send + Sync>> = std::result::Result<T, E>;

/// An engine that runs in a folder of its own. It ends when this is dropped.
pub struct Program {
    /// The folder, with its configuration and what it says.
    pub folder: TempDir,
    /// The process.
    pub child: Child,
}

impl Program {
    /// Starts `oriole run`.
    ///
    /// # Errors
    /// If the folder cannot be made or the program cannot be started.
    pub fn run(program: &Path, configuration: &str, options: &[&str]) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("oriole.toml"), configuration)?;
        let log = File::create(folder.path().join("log"))?;
        let mut command = Command::new(program);
        command.arg("run").args(options).current_dir(folder.path());
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn();
        let child = child.map_err(|error| format!("{}: {error}", program.display()))?;
        Ok(Self { folder, child })
    }

    /// Looks whether it still runs.
    ///
    /// # Errors
    /// If it has ended by itself, with the last of what it said.
    pub fn check(&mut self) -> Result<()> {
        let Some(ended) = self.child.try_wait()? else { return Ok(()) };
        let log = std::fs::read_to_string(self.folder.path().join("log"))?;
        let last: Vec<&str> = log.lines().rev().take(5).collect();
        Err(format!("the engine has ended ({ended}): {}", last.join(" | ")).into())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // If it has ended already, all is well.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// The machine and what else it does, where that can be found out.
#[must_use]
pub fn machine() -> String {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').take(3).collect::<Vec<_>>().join(" ");
    format!("{threads} threads, load {load}")
}

/// Writes one object a line, if there is a file to write to.
///
/// # Errors
/// If it cannot be written.
pub fn write_json<L: Serialize>(path: Option<&Path>, lines: &[L]) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    let mut file = BufWriter::new(File::create(path)?);
    for line in lines {
        serde_json::to_writer(&mut file, line)?;
        file.write_all(b"\n")?;
    }
    Ok(file.flush()?)
}
