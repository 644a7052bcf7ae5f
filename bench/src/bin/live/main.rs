//! The running engine against a web that changes on loopback, and knows how fresh the engine's copy of it is.
//!
//! `cargo build --release && cargo run --release -p oriole-bench --bin live -- freshness --json live-freshness.jsonl`
//! `cargo build --release && cargo run --release -p oriole-bench --bin live -- robots --json live-robots.jsonl`
//!
//! `freshness` measures the true stale cost beside the bound, beside every page in turn and beside the rules of Nutch and StormCrawler
//! at the same number of fetches. `robots` measures the cost (2) of thresholds, fixed numbers of robots, AIMD and on/off with an
//! indexer that is slow, beside what the model predicts. `--quick` makes a short run that shows that everything works, and no more.

mod engine;
mod freshness;
mod jobs;
mod report;
mod robots;
mod rules;
mod scenario;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use oriole_bench::Result;

/// What can go wrong here is said to whoever started it.
/// The running engine against a living web.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    part: Part,
}

#[derive(Subcommand)]
enum Part {
    /// True stale cost beside the bound and other policies
    Freshness(freshness::Arguments),
    /// Cost of losses, waiting and robots beside the model, with a slow indexer
    Robots(robots::Arguments),
}

/// What both parts are told.
#[derive(Clone, Args)]
struct Common {
    /// The engine [default: oriole beside this program]
    #[arg(long)]
    engine: Option<PathBuf>,

    /// Independent repetitions
    #[arg(long, default_value_t = 4)]
    seeds: u64,

    /// The first of the seeds
    #[arg(long, default_value_t = 1)]
    first_seed: u64,

    /// All times are this many times as long
    #[arg(long, default_value_t = 1.0)]
    scale: f64,

    /// One seed, a fifth of the time
    #[arg(long)]
    quick: bool,

    /// Engines at a time
    #[arg(long, default_value_t = 4)]
    parallel: usize,

    /// Only what has one of these names; can be given more than once
    #[arg(long)]
    only: Vec<String>,

    /// A file for the raw results, one JSON object a line
    #[arg(long)]
    json: Option<PathBuf>,
}

impl Common {
    fn engine(&self) -> Result<PathBuf> {
        let beside = || Ok::<_, std::io::Error>(std::env::current_exe()?.with_file_name("oriole"));
        let path = self.engine.clone().map_or_else(beside, Ok)?;
        Ok(path.canonicalize().map_err(|error| format!("there is no engine at {}: {error}", path.display()))?)
    }

    fn seeds(&self) -> std::ops::Range<u64> {
        let count = if self.quick { 1 } else { self.seeds };
        self.first_seed..self.first_seed + count
    }

    fn scale(&self) -> f64 {
        if self.quick { 0.2 } else { self.scale }
    }

    fn is_wanted(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == name)
    }
}

fn main() -> Result<()> {
    match Arguments::parse().part {
        Part::Freshness(arguments) => freshness::run(&arguments),
        Part::Robots(arguments) => robots::run(&arguments),
    }
}
