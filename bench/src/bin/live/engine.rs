//! The program `oriole`, as a user would start it.

use std::path::PathBuf;
use std::process::Command;

use oriole_bench::{Program, Result};
use serde_json::Value;

/// An engine that runs. It ends when this is dropped.
pub(crate) struct Engine {
    program: PathBuf,
    running: Program,
}

impl Engine {
    /// Starts it in a folder of its own.
    pub(crate) fn start(program: PathBuf, configuration: &str, options: &[&str]) -> Result<Self> {
        let running = Program::run(&program, configuration, options)?;
        Ok(Self { program, running })
    }

    /// Lets it read another configuration.
    pub(crate) fn reconfigure(&self, configuration: &str) -> Result<()> {
        std::fs::write(self.running.folder.path().join("oriole.toml"), configuration)?;
        let sent = Command::new("kill").args(["-HUP", &self.running.child.id().to_string()]).status()?;
        if sent.success() { Ok(()) } else { Err("the engine has ended before its time".into()) }
    }

    /// What it says of itself. The servers go on meanwhile.
    pub(crate) async fn status(&self) -> Result<Value> {
        let mut command = Command::new(&self.program);
        command.args(["status", "--json"]).current_dir(self.running.folder.path());
        let output = tokio::task::spawn_blocking(move || command.output()).await??;
        Ok(serde_json::from_slice(&output.stdout)?)
    }

    /// Fails if it has ended by itself, with the last of what it said.
    pub(crate) fn check(&mut self) -> Result<()> {
        self.running.check()
    }
}
