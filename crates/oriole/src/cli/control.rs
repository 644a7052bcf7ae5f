//! What can be typed after `oriole control` and `oriole reproduce`.

mod typed;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

pub use typed::{ControllerKind, ControllerText, LimitText, MEASURES, MeasureText, Numbers};

use super::examples;
use crate::units::Fraction;
use typed::number;

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
    #[arg(long, value_name = "ROBOTS", value_delimiter = ',', allow_negative_numbers = true, value_parser = number::<u32>)]
    pub modes: Vec<u32>,

    /// Pages up to which each mode but the last holds: '2'
    ///
    /// With modes m1,m2,... and thresholds t1<=t2<=...: m1 robots while there are at most t1 pages, m2 while there are
    /// more than t1 and at most t2, and so on.
    #[arg(long, value_name = "PAGES", value_delimiter = ',', allow_negative_numbers = true, value_parser = number::<usize>, requires = "modes")]
    pub thresholds: Vec<usize>,

    /// Active robots for 0, 1, ..., K pages: '3,3,3,1,1,1'
    #[arg(long, value_name = "ROBOTS", value_delimiter = ',', allow_negative_numbers = true, value_parser = number::<u32>, conflicts_with = "modes")]
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
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, default_value = "1%")]
    pub accuracy: Fraction,

    /// Print one JSON object instead of a table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// What a policy sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SeesText {
    /// The number of pages in the system
    Pages,
    /// The number of pages and the size class of the page being indexed: its phase of service
    SizeClass,
}

/// Arguments of `oriole control optimise`.
#[derive(Debug, Args)]
pub struct OptimiseArgs {
    /// Which system.
    #[command(flatten)]
    pub model: ModelArgs,

    /// Numbers of robots to choose from, most first: '4,1' [default: all of the model, in every combination]
    #[arg(long, value_name = "ROBOTS", value_delimiter = ',', allow_negative_numbers = true, value_parser = number::<u32>)]
    pub modes: Vec<u32>,

    /// A measure that must not be larger than this: 'p_loss=15%'; may be repeated
    ///
    /// p_loss, p_obsolete, p_starvation, active_robots, sojourn_served or cost.
    #[arg(long, value_name = "MEASURE=VALUE")]
    pub limit: Vec<LimitText>,

    /// What to make as small as possible: one of the measures of --limit
    #[arg(long, value_name = "MEASURE", default_value = "cost", conflicts_with = "pareto")]
    pub minimise: MeasureText,

    /// Two measures: every policy that is best in one for what it has of the other, instead of the best thresholds
    #[arg(long, value_name = "MEASURE,MEASURE", value_delimiter = ',', conflicts_with_all = ["limit", "sees"])]
    pub pareto: Vec<MeasureText>,

    /// Also find the best policy of any shape that sees this
    #[arg(long, value_name = "WHAT", value_enum)]
    pub sees: Option<SeesText>,

    /// Draw cost against threshold for each pair of modes, or the curve of --pareto, to this SVG file
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

    /// Quantiles to compute, as shares of pages: '0.5,0.99' or '50%,99%'
    #[arg(
        long,
        value_name = "P",
        value_delimiter = ',',
        allow_negative_numbers = true,
        default_value = "0.5,0.9,0.95,0.99"
    )]
    pub quantiles: Vec<Fraction>,

    /// Times at which to print the distribution [default: fractions of the 0.99 quantile]
    #[arg(long, value_name = "TIME", value_delimiter = ',', value_parser = number::<f64>, allow_negative_numbers = true)]
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

    /// What decides: 'aimd', or with settings 'aimd,period=5'
    ///
    /// thresholds (the policy above; dwell), fixed (robots), on-off (on, off, threshold), hysteresis (on, off, low, high),
    /// proportional (least, most), aimd (least, most, period), pid (least, most, target, p, i, d, period), codel (least, most,
    /// target, interval) or belief (period). Settings that are not given follow from the model and are printed.
    #[arg(long, value_name = "NAME[,SETTING=VALUE]", default_value = "thresholds", help_heading = "Policy")]
    pub controller: ControllerText,

    /// Width of the interval for the solved cost, relative to it, if the model is too large for an exact solution
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true, default_value = "1%")]
    pub accuracy: Fraction,

    /// Time to measure, in the model's unit, after a warm-up of a tenth of it [default: up to 100,000 deliveries]
    #[arg(long = "for", value_name = "TIME", allow_negative_numbers = true)]
    pub duration: Option<f64>,

    /// Where random numbers start; the same seed gives the same result
    #[arg(long, default_value_t = 1, allow_negative_numbers = true)]
    pub seed: u64,

    /// Print one JSON object instead of a table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Arguments of `oriole reproduce`.
#[derive(Debug, Args)]
pub struct ReproduceArgs {
    /// Only these tables of Avrachenkov et al., of 1 to 5: '1', '1,5' or '1..3'; may be repeated
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = Numbers::up_to::<5>)]
    pub table: Vec<Numbers>,

    /// Only these figures of Avrachenkov et al., of 1 to 4
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = Numbers::up_to::<4>)]
    pub figure: Vec<Numbers>,

    /// Write index.html and the figures to this folder
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Output")]
    pub out: Option<PathBuf>,

    /// Print one JSON object instead of tables
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}
