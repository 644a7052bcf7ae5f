//! What can be typed after `oriole fit`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum, ValueHint};
use control::Costs;
use control::fit::Method;

use crate::input::nearest;

/// Arguments of `oriole fit`.
#[derive(Debug, Args)]
pub struct FitArgs {
    /// Delivery times: CSV with one column, or a column `time`, ascending, and `robots` if their number varied
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub deliveries: PathBuf,

    /// When the number of active robots changed: CSV with columns `time` and `robots`, instead of a column of the deliveries
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub activity: Option<PathBuf>,

    /// Page sizes or service times: CSV with one column, or a column `size`
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub sizes: PathBuf,

    /// Write the fitted model to this file, or to standard output if it is -; then the report goes to standard error
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub out: PathBuf,

    /// How to fit.
    #[command(flatten)]
    pub how: HowArgs,

    /// What is not in the data.
    #[command(flatten)]
    pub given: GivenArgs,

    /// Print one JSON object instead of a table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// How to fit.
#[derive(Debug, Args)]
#[command(next_help_heading = "Fitting")]
pub struct HowArgs {
    /// Phases by likelihood [default: as many as suit the data, up to two for arrivals and four for the service]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=10))]
    pub phases: Option<u8>,

    /// How to fit the arrivals
    #[arg(long, value_name = "METHOD", default_value = "best")]
    pub arrivals_by: ArrivalsBy,

    /// How to fit the service
    #[arg(long, value_name = "METHOD", default_value = "best")]
    pub service_by: ServiceBy,

    /// Pages at most this far apart in time are one batch [default: up to where few gaps lie between short and long ones]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    pub batch_gap: Option<f64>,

    /// Gaps between batches above this are stops, which are left out; inf for none [default: gaps far beyond all others]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    pub stop_gap: Option<f64>,

    /// What the number of robots does to the arrivals [default: number if several were seen often enough, else scaled]
    #[arg(long, value_name = "READING")]
    pub reading: Option<Reading>,
}

/// What is not in the data.
#[derive(Debug, Args)]
#[command(next_help_heading = "The rest of the model")]
pub struct GivenArgs {
    /// What the indexer handles per unit of time, in the unit of the sizes
    #[arg(long, value_name = "SIZE", default_value_t = 1.0, allow_negative_numbers = true)]
    pub speed: f64,

    /// Largest number of active robots in the model, where r robots deliver r times as fast as one
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    pub robots: u32,

    /// Pages that can be in the system, the one being indexed included
    #[arg(long, value_name = "K", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub buffer: u32,

    /// Mean time until a waiting page is obsolete, exponential [default: never]
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    pub obsolete_after: Option<f64>,

    /// What things cost: 'loss=5,obsolete=10' [default: those of the measured crawler of the paper]
    ///
    /// loss, obsolete, sojourn, robot or starvation, as in the table `cost` of the model.
    #[arg(long, value_name = "NAME=COST", value_delimiter = ',')]
    pub cost: Vec<CostText>,
}

/// How to fit the arrivals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ArrivalsBy {
    /// All of the others; the one with the least BIC is kept
    Best,
    /// Moments and correlations of the gaps, batch sizes independent
    Moments,
    /// The likeliest process of the gaps, batch sizes independent
    Likelihood,
    /// The likeliest process of gaps and batch sizes together
    Joint,
}

impl ArrivalsBy {
    /// The methods to try.
    #[must_use]
    pub fn methods(self) -> &'static [Method] {
        match self {
            Self::Best => &[Method::Moments, Method::Likelihood, Method::Joint],
            Self::Moments => &[Method::Moments],
            Self::Likelihood => &[Method::Likelihood],
            Self::Joint => &[Method::Joint],
        }
    }
}

/// How to fit the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ServiceBy {
    /// Both of the others; the one with the least BIC is kept
    Best,
    /// Three moments
    Moments,
    /// The likeliest law
    Likelihood,
}

impl ServiceBy {
    /// The methods to try.
    #[must_use]
    pub fn methods(self) -> &'static [Method] {
        match self {
            Self::Best => &[Method::Moments, Method::Likelihood],
            Self::Moments => &[Method::Moments],
            Self::Likelihood => &[Method::Likelihood],
        }
    }
}

/// What the number of robots does to the arrivals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Reading {
    /// One process for each number that was seen
    Number,
    /// The process of one robot in operational time; r robots are r times as fast
    Scaled,
}

/// A cost as it is typed: `loss=5`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostText {
    /// Its name in `[cost]`.
    pub name: &'static str,
    /// What it is.
    pub cost: f64,
}

/// A cost by its name in `[cost]`.
pub type NamedCost = (&'static str, fn(&mut Costs) -> &mut f64);

/// All of them.
pub const COSTS: [NamedCost; 5] = [
    ("loss", |costs| &mut costs.loss),
    ("obsolete", |costs| &mut costs.obsolete),
    ("sojourn", |costs| &mut costs.sojourn),
    ("robot", |costs| &mut costs.robot),
    ("starvation", |costs| &mut costs.starvation),
];

impl FromStr for CostText {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, cost) = text.split_once('=').ok_or("write it as NAME=COST, like loss=5")?;
        let names = COSTS.map(|(name, _)| name);
        let known = names.into_iter().find(|known| *known == name.trim());
        let name = known.ok_or_else(|| match nearest(name, names) {
            Some(near) => format!("there is no cost of that name; did you mean {near}?"),
            None => format!("there is no cost of that name; use one of {}", names.join(", ")),
        })?;
        let cost: f64 = cost.trim().parse().map_err(|_| "the cost is not a number; write it like loss=5")?;
        match cost >= 0.0 && cost.is_finite() {
            true => Ok(Self { name, cost }),
            false => Err("the cost must be a finite number of at least 0".to_string()),
        }
    }
}
