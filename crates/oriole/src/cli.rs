//! What can be typed.

mod control;
mod demo;
mod engine;
mod examples;
mod fit;
mod livingweb;
mod reading;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use clap_complete::Shell;
use sim::PolicyName;

use crate::law_text::LawText;
use crate::units::{Fraction, Rate, Span};

pub use control::{
    ControlArgs, ControlCommand, ControllerKind, ControllerText, LimitText, MEASURES, MeasureText, ModelArgs, Numbers,
    OptimiseArgs, PolicyArgs, ReproduceArgs, SeesText, SimulateQueueArgs, SojournArgs, SolveArgs,
};
pub use demo::DemoArgs;
pub use engine::{BudgetText, DelayText, EngineArgs, InitArgs, LogFormat, RunArgs, ServeArgs, ServerArgs};
pub use fit::{ArrivalsBy, COSTS, CostText, FitArgs, GivenArgs, HowArgs, NamedCost, Reading, ServiceBy};
pub use livingweb::{
    FaultText, LastmodText, LivingWeights, LivingwebArgs, ProcessText, RateText, ReplaceText, SizesText,
};
pub use reading::{
    CheckArgs, ExportArgs, ExportFormat, ImportArgs, MomentText, PageArgs, PagesArgs, SearchArgs, SortKey, StatusArgs,
    UrlsArgs, WhichArgs, before,
};

/// A web search engine whose robots know when to come back.
///
/// Tell Oriole how often your pages change and how many accesses you can afford, and it says how fresh your copies can be
/// at best, how often to visit each page, and in what order. Tell it how your indexer works, and it says how many robots to
/// keep active.
#[derive(Debug, Parser)]
#[command(version, propagate_version = true, after_help = examples::ORIOLE, max_term_width = 110)]
pub struct Cli {
    /// When to use colours; NO_COLOR is respected
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub color: Color,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    /// What was typed, found without parsing the rest.
    #[must_use]
    pub fn typed(arguments: &[OsString]) -> Self {
        let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
        let after = words.windows(2).find(|pair| pair[0] == "--color").map(|pair| pair[1]);
        let choice = after.or_else(|| words.iter().find_map(|word| word.strip_prefix("--color=")));
        choice.and_then(|word| Self::from_str(word, false).ok()).unwrap_or(Self::Auto)
    }

    /// Makes the choice hold for everything printed from now on.
    pub fn apply(self) {
        let choice = match self {
            Self::Auto => anstream::ColorChoice::Auto,
            Self::Always => anstream::ColorChoice::Always,
            Self::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// See it work: a web that changes, crawled before your eyes for a minute
    #[command(long_about = demo::ABOUT, after_help = demo::EXAMPLES)]
    Demo(DemoArgs),

    /// Crawl sites, make them searchable, and keep visiting them
    #[command(long_about = examples::RUN_ABOUT, after_help = examples::RUN)]
    Run(Box<RunArgs>),

    /// Serve what has been crawled: pages to search and look at, and the same for programs
    #[command(long_about = examples::SERVE_ABOUT, after_help = examples::SERVE)]
    Serve(ServeArgs),

    /// Search what has been crawled
    #[command(long_about = reading::examples::SEARCH_ABOUT, after_help = reading::examples::SEARCH)]
    Search(SearchArgs),

    /// How the engine is doing
    #[command(long_about = reading::examples::STATUS_ABOUT, after_help = reading::examples::STATUS)]
    Status(StatusArgs),

    /// List pages and what is known of them
    #[command(long_about = reading::examples::PAGES_ABOUT, after_help = reading::examples::PAGES)]
    Pages(PagesArgs),

    /// All that is known of one page, and when it will be visited next
    #[command(long_about = reading::examples::PAGE_ABOUT, after_help = reading::examples::PAGE)]
    Page(PageArgs),

    /// Take up pages, or visit them soon
    #[command(long_about = reading::examples::ADD_ABOUT, after_help = reading::examples::ADD)]
    Add(UrlsArgs),

    /// Take pages out and do not visit them again
    #[command(long_about = reading::examples::REMOVE_ABOUT, after_help = reading::examples::REMOVE)]
    Remove(UrlsArgs),

    /// Ask nothing of sites for now
    #[command(long_about = reading::examples::PAUSE_ABOUT, after_help = reading::examples::PAUSE)]
    Pause(UrlsArgs),

    /// Go on with sites that were paused
    #[command(after_help = reading::examples::RESUME)]
    Resume(UrlsArgs),

    /// Write pages or copies for other tools
    #[command(long_about = reading::examples::EXPORT_ABOUT, after_help = reading::examples::EXPORT)]
    Export(ExportArgs),

    /// Take in addresses and copies from files
    #[command(long_about = reading::examples::IMPORT_ABOUT, after_help = reading::examples::IMPORT)]
    Import(ImportArgs),

    /// Check the data folder, and put right what can be
    #[command(long_about = reading::examples::CHECK_ABOUT, after_help = reading::examples::CHECK)]
    Check(CheckArgs),

    /// Write a configuration with every key explained
    #[command(long_about = examples::INIT_ABOUT, after_help = examples::INIT)]
    Init(InitArgs),

    /// How fresh can copies be with a budget, what budget is needed, and how often to visit each page
    #[command(long_about = examples::PLAN_ABOUT, after_help = examples::PLAN)]
    Plan(PlanArgs),

    /// In what order to visit pages: one page name a line
    #[command(long_about = examples::SCHEDULE_ABOUT, after_help = examples::SCHEDULE)]
    Schedule(ScheduleArgs),

    /// Measure policies on a simulated web, or on recorded changes of a real one
    #[command(long_about = examples::SIMULATE_ABOUT, after_help = examples::SIMULATE)]
    Simulate(SimulateArgs),

    /// How many robots to keep active before an indexer that can fall behind
    #[command(long_about = examples::CONTROL_ABOUT, after_help = examples::CONTROL)]
    Control(ControlArgs),

    /// Fit a model for `oriole control` to delivery times and page sizes
    #[command(long_about = examples::FIT_ABOUT, after_help = examples::FIT)]
    Fit(FitArgs),

    /// Play a web that changes, on loopback, and measure how fresh a crawler's copy of it is
    #[command(long_about = examples::LIVINGWEB_ABOUT, after_help = examples::LIVINGWEB)]
    Livingweb(Box<LivingwebArgs>),

    /// Recompute the tables and figures of the papers: printed and computed values side by side
    #[command(long_about = examples::REPRODUCE_ABOUT, after_help = examples::REPRODUCE)]
    Reproduce(ReproduceArgs),

    /// Print a completion script for a shell
    #[command(after_help = examples::COMPLETIONS)]
    Completions(CompletionsArgs),

    /// Print the manual page, or write one for each command
    #[command(after_help = examples::MAN)]
    Man(ManArgs),
}

/// How fast pages can be accessed.
#[derive(Debug, Args)]
#[command(next_help_heading = "Budget")]
pub struct BudgetArgs {
    /// Accesses per unit of time: '5/s', '300/h', '10000/day'
    ///
    /// Every access takes the same time. With --access-time, the times vary as that law does, scaled to this budget.
    #[arg(long, value_name = "RATE")]
    pub budget: Option<Rate>,

    /// How long an access takes: 'exp(200ms)', 'const(0.5s)', 'lognormal(200ms,1.2)', 'file:times.csv', ...
    ///
    /// exp(MEAN), const(TIME), gamma(SHAPE,MEAN), erlang(STAGES,MEAN), lognormal(MEDIAN,SIGMA),
    /// hyper(PROBABILITY:MEAN,...), or file:TIMES.csv with measured times: one column, or a column `seconds`.
    #[arg(long, value_name = "LAW")]
    pub access_time: Option<LawText>,

    /// Robots that work side by side, each taking --access-time for a page [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub robots: Option<u32>,
}

/// What a page is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Weights {
    /// What the column `weight` says; 1 where there is none
    Column,
    /// As much as it changes: weight = change_rate
    Proportional,
    /// All the same
    Equal,
}

/// Arguments of `oriole plan`.
#[derive(Debug, Args)]
pub struct PlanArgs {
    /// The pages: .csv, .jsonl or .ndjson, plain or compressed with gzip or zstd, or .parquet; - for standard input (see docs/formats.md)
    #[arg(value_hint = ValueHint::FilePath)]
    pub pages: PathBuf,

    /// What a page is worth
    #[arg(long, value_enum, default_value = "column")]
    pub weights: Weights,

    /// Budget options.
    #[command(flatten)]
    pub budget: BudgetArgs,

    /// Find the least budget at which copies are stale for this part of the time, on average by weight: 0.05 or 5%
    #[arg(long, value_name = "FRACTION", help_heading = "Budget", conflicts_with_all = ["budget", "robots"])]
    pub target_stale: Option<Fraction>,

    /// At most this many accesses to one host; needs the column `host`
    #[arg(long, value_name = "RATE", help_heading = "Budget")]
    pub host_limit: Option<Rate>,

    /// Write how often to visit each page to this file: .csv, .jsonl or .parquet
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub out: Option<PathBuf>,

    /// Draw cost against budget and visits against change rate to this SVG file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub plot: Option<PathBuf>,

    /// With --json, list how often to visit each page
    #[arg(long, help_heading = "Output", requires = "json")]
    pub frequencies: bool,

    /// Print one JSON object instead of a table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Orders of visiting pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Order {
    /// Always the page with the largest index: reaches the bound
    Index,
    /// The golden-ratio sequence of Coffman, Liu and Weber
    Golden,
    /// Each page again 1/f after its last turn
    Stride,
    /// Each access drawn at random
    Random,
    /// Counts as near to n f as can be (Hajek, Tijdeman)
    Regular,
    /// All pages in turn
    RoundRobin,
    /// Exactly even spacing; frequencies must be powers of 1/2
    PowerOfTwo,
}

/// Arguments of `oriole schedule`.
#[derive(Debug, Args)]
pub struct ScheduleArgs {
    /// The pages: .csv, .jsonl or .ndjson, plain or compressed with gzip or zstd, or .parquet; - for standard input (see docs/formats.md)
    #[arg(value_hint = ValueHint::FilePath)]
    pub pages: PathBuf,

    /// In what order
    #[arg(long, value_enum, default_value = "index")]
    pub policy: Order,

    /// Number of accesses
    #[arg(short = 'n', long, value_name = "N", default_value_t = 1000)]
    pub number: u64,

    /// Where random choices start; the same seed gives the same sequence
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// What a page is worth
    #[arg(long, value_enum, default_value = "column")]
    pub weights: Weights,

    /// Budget options.
    #[command(flatten)]
    pub budget: BudgetArgs,

    /// Print one JSON object a line: {"access": 1, "page": "..."}
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Reads the name of a policy that can be simulated; the names are listed in the help and in messages.
fn simulated_policy() -> impl TypedValueParser<Value = PolicyName> {
    PossibleValuesParser::new(PolicyName::ALL.map(PolicyName::as_str)).try_map(|name| name.parse::<PolicyName>())
}

/// Arguments of `oriole simulate`.
#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// The pages; optional with --trace, which has pages and mean rates of its own
    #[arg(value_hint = ValueHint::FilePath, required_unless_present = "trace")]
    pub pages: Option<PathBuf>,

    /// Policies to compare, separated by commas
    #[arg(
        long,
        value_name = "POLICIES",
        value_parser = simulated_policy(),
        value_delimiter = ',',
        default_value = "index,stride,golden,random,uniform,proportional"
    )]
    pub policy: Vec<PolicyName>,

    /// Time to measure, after a warm-up of a fifth of it or five accesses per page [default: 30d, or all of the trace]
    #[arg(long = "for", value_name = "TIME")]
    pub duration: Option<Span>,

    /// Where random numbers start; the same seed gives the same result
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// Let the index policy learn the change rates instead of knowing them
    #[arg(long)]
    pub learn: bool,

    /// At most this many accesses to one host; needs the column `host`
    #[arg(long, value_name = "RATE", help_heading = "Budget", conflicts_with = "trace")]
    pub host_limit: Option<Rate>,

    /// Replay recorded changes: CSV of unix_time,page,event, plain or compressed
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub trace: Option<PathBuf>,

    /// What a page is worth
    #[arg(long, value_enum, default_value = "column")]
    pub weights: Weights,

    /// Budget options.
    #[command(flatten)]
    pub budget: BudgetArgs,

    /// Print one JSON object instead of a table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Arguments of `oriole completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Arguments of `oriole man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write one file for each command to this folder instead of printing the first one
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
}
