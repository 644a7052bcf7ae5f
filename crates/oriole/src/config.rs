//! What the engine is to do: the configuration file, then the environment, then the flags.
//!
//! In two steps: what was typed (`typed`), then what it means (`meaning`). Unknown keys and variables are errors, and every
//! error names file, line, key and remedy. Every key is explained in `oriole.example.toml`.

mod changes;
mod flags;
mod given;
mod meaning;
mod server;
mod typed;
mod webhooks;

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Result;
use crawl::address::{PageUrl, UrlError};
use crawl::extract::Limits;
use crawl::fetch::FetchSettings;
use crawl::fleet::FleetSettings;
use crawl::scope::ScopeRules;
use freshness::AccessTime;
use store::ArchiveSettings;

pub use changes::{Change, Changes};
pub use server::{Listen, ServerConfig, SignalsConfig, Token};
pub use webhooks::Webhook;

use crate::cli::{EngineArgs, LogFormat, RunArgs};
use crate::engine::ControlSettings;
use crate::failure::Mistake;
use typed::{Environment, Typed};

/// The shipped file: every key with its default.
pub const EXAMPLE: &str = include_str!("../../../oriole.example.toml");

/// The folder of the data if nothing else is said.
const DATA: &str = "oriole-data";

/// What the engine is to do. Times are in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The folder with everything the engine knows.
    pub data: PathBuf,
    /// Where to begin; may be empty if there is something to go on with.
    pub seeds: Vec<PageUrl>,
    /// Which pages belong to the crawl.
    pub scope: ScopeRules,
    /// How pages are visited.
    pub fleet: FleetSettings,
    /// How requests are made.
    pub fetch: FetchSettings,
    /// How much is taken from one page.
    pub limits: Limits,
    /// The share of the main text that must differ for a page to count as changed.
    pub least_change: f64,
    /// A fixed number of robots; none if it is decided by what goes on.
    pub robots: Option<u32>,
    /// How it is decided.
    pub control: ControlSettings,
    /// Places of the buffer, K.
    pub buffer: usize,
    /// How much longer the indexer takes for each document, for experiments.
    pub index_time: Option<AccessTime>,
    /// Whether a robot is sent out only if there is a place for what it brings.
    pub reserve: bool,
    /// How the search index is written, if there is one.
    pub index: Option<index::Settings>,
    /// How the archive is written, if there is one.
    pub archive: Option<ArchiveSettings>,
    /// How pages for people and programs are served.
    pub server: ServerConfig,
    /// How others tell of changes.
    pub signals: SignalsConfig,
    /// Who is told of changes.
    pub webhooks: Vec<Webhook>,
    /// Where figures are served for Prometheus, if they are.
    pub metrics: Option<SocketAddr>,
    /// What is logged, and how.
    pub log: LogConfig,
    /// When to end; only a flag says so.
    pub duration: Option<f64>,
    /// Whether to visit every page once and end; only a flag says so.
    pub once: bool,
}

/// What is logged, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogConfig {
    /// Levels, as `tracing` filters read them: `info,crawl=debug`.
    pub level: String,
    /// In which form; if not said, a live view on a terminal and text elsewhere.
    pub format: Option<LogFormat>,
}

impl Config {
    /// The configuration: the file, overridden by the environment, overridden by flags.
    ///
    /// The file is the one named by flag or by `ORIOLE_CONFIG`, else `oriole.toml` if there is one. `environment` is usually
    /// [`std::env::vars_os`].
    ///
    /// # Errors
    /// A [`Mistake`] that names place, key and remedy.
    pub fn load<N: Into<OsString>, V: Into<OsString>>(
        engine: &EngineArgs,
        run: Option<&RunArgs>,
        environment: impl IntoIterator<Item = (N, V)>,
    ) -> Result<Self> {
        let typed = Typed::read(engine, &Environment::new(environment))?;
        let mut config = Self::from_typed(&typed, run)?;
        if let Some(data) = &engine.data {
            config.data.clone_from(data);
        }
        Ok(config)
    }

    /// The configuration in a text, whatever files and environment say.
    ///
    /// # Errors
    /// A [`Mistake`] that names line, key and remedy.
    pub(crate) fn from_text(name: &str, text: &str) -> Result<Self, Mistake> {
        Self::from_typed(&Typed::from_text(name, text)?, None)
    }

    fn from_typed(typed: &Typed, run: Option<&RunArgs>) -> Result<Self, Mistake> {
        let mut config = meaning::config(typed)?;
        if let Some(run) = run {
            flags::apply(&mut config, run)?;
        }
        config.settle();
        Ok(config)
    }

    /// The folder of the data alone, for commands that only look into it. Nothing else of the configuration is examined.
    ///
    /// # Errors
    /// If the configuration cannot be read.
    pub fn data_folder<N: Into<OsString>, V: Into<OsString>>(
        engine: &EngineArgs,
        environment: impl IntoIterator<Item = (N, V)>,
    ) -> Result<PathBuf> {
        let environment = Environment::new(environment);
        if let Some(data) = engine.data.clone().or_else(|| environment.path("ORIOLE_DATA")) {
            return Ok(data);
        }
        Ok(Typed::data_in_file(engine, &environment)?.unwrap_or_else(|| PathBuf::from(DATA)))
    }

    /// Sets what follows from the rest.
    fn settle(&mut self) {
        self.fleet.index = self.index.is_some();
        self.fleet.archive = self.archive.is_some();
        self.fleet.once = self.once;
        self.fleet.frontier.revisit = !self.once;
        let frontier = &self.fleet.frontier;
        self.fetch.idle_connections = if frontier.delay > 0.0 { 1 } else { frontier.connections as usize };
    }
}

/// An address as people type it: `docs.example.org` means `https://docs.example.org/`.
///
/// # Errors
/// When the text is no address of a page.
pub fn page_url(text: &str) -> Result<PageUrl, UrlError> {
    let text = text.trim();
    if text.contains("://") { PageUrl::parse(text) } else { PageUrl::parse(&format!("https://{text}")) }
}

#[cfg(test)]
mod tests;
