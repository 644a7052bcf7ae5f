//! What the engine is to do.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Result;
use crawl::address::PageUrl;

use crate::cli::{BudgetText, EngineArgs, LogFormat, RunArgs};
use crate::failure::Mistake;
use crate::units::SECONDS_PER_DAY;

/// What is logged, and how.
#[derive(Clone, Debug)]
pub struct LogConfig {
    /// Levels, by module.
    pub level: String,
    /// Lines of this form instead of the view.
    pub format: Option<LogFormat>,
}

/// What the engine is to do.
#[derive(Clone, Debug)]
pub struct Config {
    /// The data folder.
    pub data: PathBuf,
    /// Where to begin.
    pub seeds: Vec<PageUrl>,
    /// Which pages belong to the crawl.
    pub scope: crawl::scope::ScopeRules,
    /// How pages are visited.
    pub fleet: crawl::fleet::FleetSettings,
    /// Limits and manners of requests.
    pub fetch: crawl::fetch::FetchSettings,
    /// How much is taken from one page.
    pub limits: crawl::extract::Limits,
    /// The share of the main text that must differ for a page to count as changed.
    pub least_change: f64,
    /// Most robots.
    pub robots: u32,
    /// Places in the buffer.
    pub buffer: usize,
    /// How the index is written, if it is.
    pub index: Option<index::Settings>,
    /// How the archive is written, if it is.
    pub archive: Option<store::ArchiveSettings>,
    /// Where figures are served.
    pub metrics: Option<SocketAddr>,
    /// What is logged.
    pub log: LogConfig,
    /// Seconds after which to end.
    pub duration: Option<f64>,
    /// Whether every page is visited once.
    pub once: bool,
}

/// How two configurations differ.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// What holds from now on.
    pub applied: Vec<String>,
    /// What holds when the engine is started again.
    pub at_next_start: Vec<String>,
}

impl Config {
    /// What is typed.
    ///
    /// # Errors
    /// A [`Mistake`] if an address is none.
    pub fn load(
        engine: &EngineArgs,
        run: Option<&RunArgs>,
        _environment: impl Iterator<Item = (OsString, OsString)>,
    ) -> Result<Self> {
        let Some(run) = run else { return Err(Mistake::usage("nothing is to run").into()) };
        let mut frontier = crawl::frontier::Settings::default();
        match run.budget {
            Some(BudgetText::Rate(rate)) => frontier.budget = Some(rate.per_day() / SECONDS_PER_DAY),
            Some(BudgetText::Unlimited) => frontier.budget = None,
            None => {}
        }
        frontier.delay = run.delay.map_or(frontier.delay, |delay| delay.seconds);
        frontier.connections = run.connections_per_host.unwrap_or(frontier.connections);
        let fetch = crawl::fetch::FetchSettings {
            allow_private: run.allow_private,
            idle_connections: frontier.connections as usize,
            ..Default::default()
        };
        let wrong = |url: &str, error| Mistake::usage(format_args!("`{url}` is not an address: {error}"));
        let seeds = run.urls.iter().map(|url| PageUrl::parse(url).map_err(|error| wrong(url, error)));
        let fleet = crawl::fleet::FleetSettings {
            frontier,
            product_token: "Oriole".into(),
            obsolete_after: 600.0,
            retry: 60.0,
            tries: 3,
            look_again: 30.0 * SECONDS_PER_DAY,
            archive: !run.no_archive,
            index: !run.no_index,
            once: run.once,
            weights: Default::default(),
        };
        Ok(Self {
            data: engine.data.clone().unwrap_or("oriole-data".into()),
            seeds: seeds.collect::<Result<_, _>>()?,
            scope: Default::default(),
            fleet,
            fetch,
            limits: Default::default(),
            least_change: 0.0,
            robots: run.robots.unwrap_or(16),
            buffer: 64,
            index: (!run.no_index).then(Default::default),
            archive: (!run.no_archive).then(Default::default),
            metrics: run.metrics,
            log: LogConfig { level: run.log_level.clone().unwrap_or("info".into()), format: run.log },
            duration: run.duration.map(|span| span.days() * SECONDS_PER_DAY),
            once: run.once,
        })
    }

    /// How another configuration differs.
    #[must_use]
    pub fn changes(&self, _new: &Self) -> Changes {
        Changes::default()
    }
}
