//! The program `oriole`, as a user would start it.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::Result;

/// An engine that runs. It ends when this is dropped.
pub(crate) struct Engine {
    program: PathBuf,
    folder: TempDir,
    child: Child,
}

impl Engine {
    /// Starts it in a folder of its own.
    pub(crate) fn start(program: PathBuf, configuration: &str, options: &[&str]) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        std::fs::write(folder.path().join("oriole.toml"), configuration)?;
        let log = File::create(folder.path().join("log"))?;
        let mut command = Command::new(&program);
        command.arg("run").args(options).current_dir(folder.path());
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn()?;
        Ok(Self { program, folder, child })
    }

    /// Lets it read another configuration.
    pub(crate) fn reconfigure(&self, configuration: &str) -> Result<()> {
        std::fs::write(self.folder.path().join("oriole.toml"), configuration)?;
        let sent = Command::new("kill").args(["-HUP", &self.child.id().to_string()]).status()?;
        if sent.success() { Ok(()) } else { Err("the engine has ended before its time".into()) }
    }

    /// What it says of itself. The servers go on meanwhile.
    pub(crate) async fn status(&self) -> Result<Value> {
        let mut command = Command::new(&self.program);
        command.args(["status", "--json"]).current_dir(self.folder.path());
        let output = tokio::task::spawn_blocking(move || command.output()).await??;
        Ok(serde_json::from_slice(&output.stdout)?)
    }

    /// Fails if it has ended by itself, with the last of what it said.
    pub(crate) fn check(&mut self) -> Result<()> {
        let Some(ended) = self.child.try_wait()? else { return Ok(()) };
        let log = std::fs::read_to_string(self.folder.path().join("log"))?;
        let last: Vec<&str> = log.lines().rev().take(5).collect();
        Err(format!("the engine has ended ({ended}): {}", last.join(" | ")).into())
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // If it has ended already, all is well.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}
