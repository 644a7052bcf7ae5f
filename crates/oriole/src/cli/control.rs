//! What can be typed after `oriole control` and `oriole reproduce`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand, ValueHint};
use control::optimise::{Limit, Measure};

use super::examples;
use crate::input::nearest;
use crate::units::Fraction;

/// Arguments of `oriole control`.
#[derive(Debug, Args)]
pub struct ControlArgs {
    /// The question.
    #[command(subcommand)]
    pub command: ControlCommand,
}

/// Questions about the control of robots.
#[derive(Debug, Subcommand)]
pub enum ControlCommand {
    /// How often the system loses, ages or starves under a policy, and what that costs
    #[command(after_help = examples::SOLVE)]
    Solve(SolveArgs),

    /// The best thresholds, and how far they are from the best policy of any kind
    #[command(after_help = examples::OPTIMISE)]
    Optimise(OptimiseArgs),

    /// How long pages stay in the system: distribution and quantiles
    #[command(after_help = examples::SOJOURN)]
    Sojourn(SojournArgs),

    /// Simulate the same system, with confidence intervals beside the solved values
    #[command(name = "simulate", after_help = examples::SIMULATE_QUEUE)]
    SimulateQueue(SimulateQueueArgs),
}

/// Which system.
#[derive(Debug, Args)]
pub struct ModelArgs {
    /// The model: MODEL.toml; - for standard input
    #[arg(value_name = "MODEL", value_hint = ValueHint::FilePath)]
    pub model: PathBuf,

    /// Accept row sums and probabilities that are off by more than rounding, and put them right
    #[arg(long)]
    pub repair: bool,
}

/// How many robots with how many pages.
#[derive(Debug, Args)]
#[command(next_help_heading = "Policy")]
pub struct PolicyArgs {
    /// Numbers of active robots, with few pages in the system first: '3,1'
    #[arg(long, value_name = "ROBOTS", value_delimiter = ',')]
    pub modes: Vec<u32>,

    /// Pages up to which each mode but the last holds: '2'
    ///
    /// With modes m1,m2,... and thresholds t1<=t2<=...: m1 robots while there are at most t1 pages, m2 while there are
    /// more than t1 and at most t2, and so on.
    #[arg(long, value_name = "PAGES", value_delimiter = ',', requires = "modes")]
    pub thresholds: Vec<usize>,

    /// Active robots for 0, 1, ..., K pages: '3,3,3,1,1,1'
    #[arg(long, value_name = "ROBOTS", value_delimiter = ',', conflicts_with = "modes")]
    pub robots: Vec<u32>,
}

/// Arguments of `oriole control solve`.
#[derive(Debug, Args)]
pub struct SolveArgs {
    /// Which system.
    #[command(flatten)]
    pub model: ModelArgs,

    /// Which policy.
    #[command(flatten)]
    pub policy: PolicyArgs,

    /// Width of the interval for the cost, relative to it, if the model is too large for an exact solution
    #[arg(long, value_name = "SHARE", default_value = "1%")]
    pub accuracy: Fraction,

    /// Print one JSON object instead of a table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// A limit as it is typed: `p_loss=0.01`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitText {
    /// The name that was typed.
    pub name: &'static str,
    /// What it means.
    pub limit: Limit,
}

/// Measures that can be limited, by the names they have in JSON.
pub const MEASURES: [(&str, Measure); 6] = [
    ("p_loss", Measure::Loss),
    ("p_obsolete", Measure::Obsolete),
    ("p_starvation", Measure::Starvation),
    ("active_robots", Measure::Robots),
    ("sojourn_served", Measure::Sojourn),
    ("cost", Measure::Cost),
];

impl FromStr for LimitText {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("write it as MEASURE=VALUE, like p_loss=0.01")?;
        let known = MEASURES.iter().find(|(known, _)| *known == name.trim());
        let (name, measure) = *known.ok_or_else(|| {
            let names = MEASURES.map(|(name, _)| name);
            match nearest(name, names) {
                Some(near) => format!("there is no measure of that name; did you mean {near}?"),
                None => format!("there is no measure of that name; use one of {}", names.join(", ")),
            }
        })?;
        let at_most: f64 = value.trim().parse().map_err(|_| "the limit is not a number; write it like p_loss=0.01")?;
        if !(at_most >= 0.0 && at_most.is_finite()) {
            return Err("the limit must be a finite number of at least 0".to_string());
        }
        Ok(Self { name, limit: Limit { measure, at_most } })
    }
}

/// Arguments of `oriole control optimise`.
#[derive(Debug, Args)]
pub struct OptimiseArgs {
    /// Which system.
    #[command(flatten)]
    pub model: ModelArgs,

    /// Numbers of robots to choose from, most first: '4,1' [default: all of the model, in every combination]
    #[arg(long, value_name = "ROBOTS", value_delimiter = ',')]
    pub modes: Vec<u32>,

    /// A measure that must not be larger than this: 'p_loss=0.01'; may be repeated
    ///
    /// p_loss, p_obsolete, p_starvation, active_robots, sojourn_served or cost.
    #[arg(long, value_name = "MEASURE=VALUE")]
    pub limit: Vec<LimitText>,

    /// Draw cost against threshold for each pair of modes to this SVG file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub plot: Option<PathBuf>,

    /// Print one JSON object instead of a table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Arguments of `oriole control sojourn`.
#[derive(Debug, Args)]
pub struct SojournArgs {
    /// Which system.
    #[command(flatten)]
    pub model: ModelArgs,

    /// Which policy.
    #[command(flatten)]
    pub policy: PolicyArgs,

    /// Quantiles to compute
    #[arg(
        long,
        value_name = "P",
        value_delimiter = ',',
        allow_negative_numbers = true,
        default_value = "0.5,0.9,0.95,0.99"
    )]
    pub quantiles: Vec<f64>,

    /// Times at which to print the distribution [default: fractions of the 0.99 quantile]
    #[arg(long, value_name = "TIME", value_delimiter = ',', allow_negative_numbers = true)]
    pub at: Vec<f64>,

    /// Draw the distributions to this SVG file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Output")]
    pub plot: Option<PathBuf>,

    /// Print one JSON object instead of a table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Arguments of `oriole control simulate`.
#[derive(Debug, Args)]
pub struct SimulateQueueArgs {
    /// Which system.
    #[command(flatten)]
    pub model: ModelArgs,

    /// Which policy.
    #[command(flatten)]
    pub policy: PolicyArgs,

    /// Time to measure, in the model's unit, after a warm-up of a tenth of it [default: 100,000 deliveries]
    #[arg(long = "for", value_name = "TIME", allow_negative_numbers = true)]
    pub duration: Option<f64>,

    /// Where random numbers start; the same seed gives the same result
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// Print one JSON object instead of a table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Arguments of `oriole reproduce`.
#[derive(Debug, Args)]
pub struct ReproduceArgs {
    /// Only this table of Avrachenkov et al.; may be repeated
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=5))]
    pub table: Vec<u8>,

    /// Only this figure of Avrachenkov et al.; may be repeated
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=4))]
    pub figure: Vec<u8>,

    /// Write index.html and the figures to this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Output")]
    pub out: Option<PathBuf>,

    /// Print one JSON object instead of tables
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}
