//! What can be typed to run the engine and to look at what it has.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use crate::law_text::LawText;
use crate::units::{Rate, Span};

/// Which engine is meant.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Which engine")]
pub struct EngineArgs {
    /// The configuration [default: oriole.toml if there is one]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,

    /// The folder with everything the engine knows [default: oriole-data]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub data: Option<PathBuf>,
}

/// Where and for whom pages are served.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Server")]
pub struct ServerArgs {
    /// Serve pages at this address [default: 127.0.0.1:8080, or the next free port]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,

    /// What must be known to see the pages; needed to serve beyond this machine. Better given as ORIOLE_TOKEN: others can see the
    /// arguments of a program
    #[arg(long, value_name = "TOKEN")]
    pub token: Option<String>,
}

/// Arguments of `oriole serve`.
#[derive(Clone, Debug, Args)]
pub struct ServeArgs {
    /// Which engine.
    #[command(flatten)]
    pub engine: EngineArgs,

    /// Where and for whom.
    #[command(flatten)]
    pub server: ServerArgs,
}

/// How log lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people
    Text,
    /// One JSON object a line
    Json,
}

/// Arguments of `oriole run`.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// Where to begin: addresses of sites or pages. Not needed to go on with a crawl
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub urls: Vec<String>,

    /// Which engine.
    #[command(flatten)]
    pub engine: EngineArgs,

    /// Requests: '5/s', '10000/day', or 'unlimited'. 5/s unless configuration or environment say otherwise
    #[arg(long, value_name = "RATE", help_heading = "Crawl")]
    pub budget: Option<BudgetText>,

    /// End after this time
    #[arg(long = "for", value_name = "TIME", help_heading = "Crawl")]
    pub duration: Option<Span>,

    /// Visit every page once and end
    #[arg(long, help_heading = "Crawl")]
    pub once: bool,

    /// A fixed number of robots, instead of as many as the state of the buffer warrants
    #[arg(long, value_name = "N", help_heading = "Crawl", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub robots: Option<u32>,

    /// Time between two requests to one host: '1s', or 0
    #[arg(long, value_name = "TIME", help_heading = "Crawl")]
    pub delay: Option<DelayText>,

    /// Requests to one host at a time; takes effect where there is no delay
    #[arg(long, value_name = "N", help_heading = "Crawl", value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub connections_per_host: Option<u32>,

    /// Visit private, loopback and link-local addresses too
    #[arg(long, help_heading = "Crawl")]
    pub allow_private: bool,

    /// Make no search index
    #[arg(long, help_heading = "Crawl")]
    pub no_index: bool,

    /// Keep no copies of the answers
    #[arg(long, help_heading = "Crawl")]
    pub no_archive: bool,

    /// For experiments: the indexer takes this much longer for each document, as in `exp(20ms)`
    #[arg(long, value_name = "LAW", hide = true)]
    pub index_time: Option<LawText>,

    /// Where and for whom pages are served.
    #[command(flatten)]
    pub server: ServerArgs,

    /// Serve no pages
    #[arg(long, conflicts_with_all = ["listen", "token"], help_heading = "Server")]
    pub no_server: bool,

    /// Serve figures for Prometheus at this address
    #[arg(long, value_name = "ADDRESS", help_heading = "Output")]
    pub metrics: Option<SocketAddr>,

    /// Write log lines instead of the view, in this form
    #[arg(long, value_name = "FORM", value_enum, help_heading = "Output")]
    pub log: Option<LogFormat>,

    /// What to log: error, warn, info, debug or trace, also by module: 'info,crawl=debug'
    #[arg(long, value_name = "LEVELS", help_heading = "Output")]
    pub log_level: Option<String>,
}

/// Arguments of `oriole init`.
#[derive(Clone, Debug, Args)]
pub struct InitArgs {
    /// Where to begin: addresses of sites or pages
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub urls: Vec<String>,

    /// The file to be written; - for standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, default_value = "oriole.toml")]
    pub out: PathBuf,

    /// Replace a file that is there already
    #[arg(long)]
    pub force: bool,
}

/// A budget as typed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BudgetText {
    /// So many requests.
    Rate(Rate),
    /// As many as robots and hosts can take.
    Unlimited,
}

impl std::str::FromStr for BudgetText {
    type Err = crate::units::TextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.trim() == "unlimited" { Ok(Self::Unlimited) } else { text.parse().map(Self::Rate) }
    }
}

/// A time between requests as typed: a time, or nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DelayText {
    /// In seconds.
    pub seconds: f64,
}

impl std::str::FromStr for DelayText {
    type Err = crate::units::TextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if matches!(text.trim(), "0" | "0s") {
            return Ok(Self { seconds: 0.0 });
        }
        text.parse().map(|span: Span| Self { seconds: span.seconds() })
    }
}
