//! What can be typed to look into a data folder and to feed it.

pub(super) mod examples;

use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum, ValueHint};
use store::{Order, State, Timestamp};

use super::EngineArgs;
use crate::units::{SECONDS_PER_DAY, Span, TextError};

/// Arguments of `oriole search`.
#[derive(Clone, Debug, Args)]
pub struct SearchArgs {
    /// What to look for: words, "phrases", -without, a OR b, site:, lang:, intitle:, inurl:, before:, after:
    #[arg(value_name = "QUERY", required = true)]
    pub query: Vec<String>,

    /// Which engine.
    #[command(flatten)]
    pub engine: EngineArgs,

    /// Hits to show
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10_000), help_heading = "Hits")]
    pub limit: u32,

    /// Hits to leave out at the top
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Hits")]
    pub offset: u32,

    /// Most hits of one host
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Hits")]
    pub per_host: Option<u32>,

    /// Do not count this search: pages that readers are shown matter more and are visited more often
    #[arg(long, help_heading = "Hits")]
    pub uncounted: bool,

    /// Show what each score is made of
    #[arg(long, help_heading = "Output")]
    pub explain: bool,

    /// Print one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Arguments of `oriole status`.
#[derive(Clone, Debug, Args)]
pub struct StatusArgs {
    /// Which engine.
    #[command(flatten)]
    pub engine: EngineArgs,

    /// Print it again every second until interrupted
    #[arg(long, help_heading = "Output")]
    pub watch: bool,

    /// Print one JSON object; with --watch one a line
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Arguments of `oriole pages`.
#[derive(Clone, Debug, Args)]
pub struct PagesArgs {
    /// Which engine.
    #[command(flatten)]
    pub engine: EngineArgs,

    /// Which pages.
    #[command(flatten)]
    pub which: WhichArgs,

    /// By what to sort
    #[arg(long, value_name = "KEY", value_enum, default_value = "found", help_heading = "Output")]
    pub sort: SortKey,

    /// Largest, latest or last first
    #[arg(long, help_heading = "Output")]
    pub reverse: bool,

    /// Most pages to list
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub limit: Option<u32>,

    /// Print one JSON object a line, with everything known
    #[arg(long, help_heading = "Output", conflicts_with = "csv")]
    pub json: bool,

    /// Print CSV, with everything known
    #[arg(long, help_heading = "Output")]
    pub csv: bool,
}

/// Which pages are meant.
#[derive(Clone, Debug, Default, Args)]
pub struct WhichArgs {
    /// Only pages of this host: 'docs.example.org', or 'http://127.0.0.1:8080'; may be repeated
    #[arg(long, value_name = "HOST", help_heading = "Which pages")]
    pub host: Vec<String>,

    /// Only pages in these states, separated by commas
    #[arg(long, value_name = "STATES", value_parser = state(), value_delimiter = ',', help_heading = "Which pages")]
    pub state: Vec<State>,

    /// Only pages that have not been checked for this time, or never: '12h'
    #[arg(long, value_name = "TIME", help_heading = "Which pages")]
    pub stale: Option<Span>,

    /// Only pages that have changed since: '2d' for the last two days, or '2026-01-31', or '2026-01-31T12:00:00Z'
    #[arg(long, value_name = "WHEN", help_heading = "Which pages")]
    pub changed_since: Option<MomentText>,
}

/// Reads the name of a state; the names are listed in the help and in messages.
fn state() -> impl TypedValueParser<Value = State> {
    let unknown = |name: String| State::from_name(&name).ok_or(format!("{name} is not a state"));
    PossibleValuesParser::new(State::ALL.map(State::name)).try_map(unknown)
}

/// By what pages are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SortKey {
    /// In the order of discovery
    Found,
    /// Address
    Url,
    /// Last visit
    Checked,
    /// Last change
    Changed,
    /// Links to it
    Links,
    /// Visits so far
    Visits,
    /// Visits that found it changed
    Changes,
}

impl From<SortKey> for Order {
    fn from(key: SortKey) -> Self {
        match key {
            SortKey::Found => Self::Found,
            SortKey::Url => Self::Url,
            SortKey::Checked => Self::Checked,
            SortKey::Changed => Self::Changed,
            SortKey::Links => Self::Links,
            SortKey::Visits => Self::Visits,
            SortKey::Changes => Self::Changes,
        }
    }
}

/// A moment as typed: so long ago, or a date.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MomentText {
    /// So many seconds ago.
    Ago(f64),
    /// Then.
    At(Timestamp),
}

impl MomentText {
    /// The moment, seen from now.
    #[must_use]
    pub fn moment(self, now: Timestamp) -> Timestamp {
        match self {
            Self::Ago(seconds) => before(now, seconds),
            Self::At(at) => at,
        }
    }
}

/// So many seconds earlier.
#[must_use]
pub fn before(now: Timestamp, seconds: f64) -> Timestamp {
    Timestamp(now.0.saturating_sub((seconds * 1e3) as i64))
}

impl FromStr for MomentText {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const MOMENTS: &str = "give a time such as 12h or 2d, or a date such as 2026-01-31";
        if let Ok(span) = text.parse::<Span>() {
            return Ok(Self::Ago(span.days() * SECONDS_PER_DAY));
        }
        let seconds = crawl::date::parse(text);
        let at = seconds.map(|seconds| Self::At(Timestamp(seconds.saturating_mul(1000))));
        at.ok_or_else(|| TextError::new(format!("`{text}` is neither a time nor a date"), MOMENTS))
    }
}

/// Arguments of `oriole page`.
#[derive(Clone, Debug, Args)]
pub struct PageArgs {
    /// The address of the page
    #[arg(value_name = "URL", value_hint = ValueHint::Url)]
    pub url: String,

    /// Which engine.
    #[command(flatten)]
    pub engine: EngineArgs,

    /// Last visits to show, of at most 100 or so that are remembered
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Output")]
    pub visits: u32,

    /// Print one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Arguments of `oriole add`, `remove`, `pause` and `resume`.
#[derive(Clone, Debug, Args)]
pub struct UrlsArgs {
    /// Addresses of pages; - reads one a line from standard input
    #[arg(value_name = "URL", value_hint = ValueHint::Url, required = true)]
    pub urls: Vec<String>,

    /// Which engine.
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// What an export looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// One JSON object a line
    Jsonl,
    /// A table with a header line
    Csv,
    /// Columns, compressed
    #[cfg(feature = "parquet")]
    Parquet,
    /// What servers answered, as one .warc.gz file
    Warc,
}

/// Arguments of `oriole export`.
#[derive(Clone, Debug, Args)]
pub struct ExportArgs {
    /// What to write
    #[arg(long, value_enum)]
    pub format: ExportFormat,

    /// The file to write; - for standard output
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: PathBuf,

    /// With jsonl: add the main text of each page, extracted anew from the archive
    #[arg(long)]
    pub text: bool,

    /// With warc: all records of the pages' visits that are remembered, not only the current copies
    #[arg(long)]
    pub all: bool,

    /// Which engine.
    #[command(flatten)]
    pub engine: EngineArgs,

    /// Which pages.
    #[command(flatten)]
    pub which: WhichArgs,
}

/// Arguments of `oriole import`.
#[derive(Clone, Debug, Args)]
pub struct ImportArgs {
    /// Files: .warc or .warc.gz of any tool, lists of addresses, XML sitemaps, all plain or compressed; what is in them tells
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, required = true)]
    pub files: Vec<PathBuf>,

    /// Which engine.
    #[command(flatten)]
    pub engine: EngineArgs,
}

/// Arguments of `oriole check`.
#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// Put right what can be put right; not while an engine is running
    #[arg(long)]
    pub repair: bool,

    /// Which engine.
    #[command(flatten)]
    pub engine: EngineArgs,

    /// Print one JSON object
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}
