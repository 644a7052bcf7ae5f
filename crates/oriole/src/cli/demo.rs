//! What can be typed to see the engine at work.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::units::{Rate, Span};

pub(super) const ABOUT: &str = "\
See it work: a web that changes, crawled before your eyes for a minute.

Plays a small web on free ports of this machine whose pages change every few seconds, and lets the engine discover it, index it \
and keep its copy fresh, as `oriole run` would, without any configuration. The web knows when its pages really change, so it \
measures for which part of the time the copy is out of date, by weight: the truth, not an estimate. Beside it stands the least \
that is possible with as many fetches, and what visiting all pages equally often or as often as they change would give.

At first the engine knows nothing: pages are found and their rates learned. That is the warm-up, 30 seconds or half of the \
time if that is shorter; what comes after it is measured. When the time is over or on Ctrl-C (exit code 0 in both cases; a \
second Ctrl-C ends at once with 130) a summary is printed, with the command to repeat it.";

pub(super) const EXAMPLES: &str = "\
Examples:
  oriole demo
  oriole demo --for 60s --json
  oriole demo --pages 2000 --seed 7 --for 5min
  oriole demo --data demo-data --for 20s && oriole search 'harbour OR comet' --data demo-data";

/// Arguments of `oriole demo`.
#[derive(Clone, Debug, Args)]
pub struct DemoArgs {
    /// Pages
    #[arg(long, value_name = "N", default_value_t = 800)]
    pub pages: usize,

    /// Hosts over which they are spread, each with a port of its own
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub hosts: u32,

    /// Where random numbers start; the same seed gives the same web with the same changes
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// Requests: '100/s' [default: one every five seconds for each page]
    #[arg(long, value_name = "RATE")]
    pub budget: Option<Rate>,

    /// End after this time
    #[arg(long = "for", value_name = "TIME", default_value = "60s")]
    pub duration: Span,

    /// Serve pages to search and look at here [default: 127.0.0.1:8080, or the next port that is free]
    #[arg(long, value_name = "ADDRESS")]
    pub listen: Option<SocketAddr>,

    /// Keep what was crawled in this folder, new or empty [default: a temporary one, removed at the end]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Output")]
    pub data: Option<PathBuf>,

    /// Print one JSON object at the end instead of a table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}
