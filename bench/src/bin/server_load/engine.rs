//! The program `oriole`, as a user would start it, and the memory it takes.

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::time::Duration;

use oriole_bench::{Program, Result};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::http::{Connection, TOKEN};

/// An engine that runs. It ends when this is dropped.
pub(crate) struct Engine {
    running: Program,
    /// Where it serves.
    pub(crate) address: SocketAddr,
}

impl Engine {
    /// Starts it in a folder of its own. All searchers are strangers of one address, so it allows that address more than usual.
    pub(crate) fn start(program: Option<PathBuf>, configuration: &str, budget: &str) -> Result<Self> {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let server = format!(
            "[server]\nlisten = \"{address}\"\ntoken = \"{TOKEN}\"\npublic_search = true\npublic_rate = \"100000/s\"\n"
        );
        let (program, configuration) = (program.map_or_else(beside, Ok)?, format!("{configuration}\n{server}"));
        let running = Program::run(&program, &configuration, &["--log", "text", "--budget", budget])?;
        Ok(Self { running, address })
    }

    pub(crate) fn id(&self) -> u32 {
        self.running.child.id()
    }

    async fn get(&self, target: &str) -> Result<Value> {
        let answer = Connection::open(self.address).await?.get(target, true).await?;
        if answer.status != 200 {
            return Err(format!("{target}: status {}: {}", answer.status, answer.body).into());
        }
        Ok(serde_json::from_str(&answer.body)?)
    }

    /// Waits until so many pages are indexed, and says how many.
    pub(crate) async fn filled(&mut self, pages: u64) -> Result<u64> {
        loop {
            self.check()?;
            tokio::time::sleep(Duration::from_millis(500)).await;
            // It may not serve yet.
            let Ok(status) = self.get("/api/v1/status").await else { continue };
            let indexed =
                status["pages_indexed"].as_u64().ok_or("the status does not say how many pages are indexed")?;
            if indexed >= pages {
                return Ok(indexed);
            }
        }
    }

    /// Titles of some pages.
    pub(crate) async fn titles(&self) -> Result<Vec<String>> {
        let said = self.get("/api/v1/changes?limit=100").await?;
        let changes = said["changes"].as_array().ok_or("there are no changes")?;
        Ok(changes.iter().filter_map(|change| Some(change["title"].as_str()?.to_owned())).collect())
    }

    /// Requests made so far.
    pub(crate) async fn requests(&self) -> Result<u64> {
        let said = self.get("/api/v1/status").await?;
        Ok(said["requests"].as_u64().ok_or("the status does not say how many requests were made")?)
    }

    /// Fails if it has ended by itself, with the last of what it said.
    pub(crate) fn check(&mut self) -> Result<()> {
        self.running.check()
    }
}

/// The program beside this one.
fn beside() -> Result<PathBuf> {
    Ok(std::env::current_exe()?.with_file_name("oriole"))
}

/// Memory of a process over time.
pub(crate) struct Memory {
    stop: oneshot::Sender<()>,
    task: JoinHandle<Vec<f64>>,
}

impl Memory {
    /// Looks every second.
    pub(crate) fn watch(process: u32) -> Self {
        let (stop, mut stopped) = oneshot::channel();
        let task = tokio::spawn(async move {
            let (mut seen, mut clock) = (Vec::new(), tokio::time::interval(Duration::from_secs(1)));
            loop {
                tokio::select! {
                    _ = &mut stopped => return seen,
                    _ = clock.tick() => seen.extend(own_mebibytes(process)),
                }
            }
        });
        Self { stop, task }
    }

    /// What was seen, in MiB.
    pub(crate) async fn end(self) -> Result<Vec<f64>> {
        _ = self.stop.send(());
        Ok(self.task.await?)
    }
}

/// What a process has for itself: without files that are mapped, which the system takes back when it needs room.
fn own_mebibytes(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.trim().strip_suffix(" kB")?.parse::<f64>().ok().map(|kibibytes| kibibytes / 1024.0)
}
