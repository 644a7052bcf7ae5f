//! The model from what was seen: delivery times give the arrivals, page sizes the service (ADKNS section 7).
//!
//! | from | to | module | law |
//! |---|---|---|---|
//! | delivery times, robots active | gaps between batches, batch sizes, correlations | [`deliveries`] | C-24 |
//! | three moments | phase-type law | [`moments`] | C-25 |
//! | three moments, decay of correlation | arrival process of two phases, or of more | [`map2`], [`two_speeds`](fn@two_speeds) | C-26 |
//! | a sample | law or arrival process of any number of phases, by likelihood | [`em`], [`em_arrivals`] | C-27 |
//! | several fits | the one to keep | [`choice`] | C-27 |
//! | a stream, in bounded memory | the same | [`stream`] | C-28 |
//!
//! What cannot be matched is never dropped in silence: each fit carries a [`FitReport`] that lists what was wanted, what
//! the law has, and every [`Departure`].

pub mod accumulate;
mod arrivals;
mod by_robots;
pub mod choice;
pub mod deliveries;
pub mod em;
pub mod em_arrivals;
mod goodness;
pub mod histogram;
pub mod map2;
pub mod moments;
pub mod stream;
mod two_speeds;

use std::fmt;

use thiserror::Error;

use crate::arrivals::{Bmap, BmapError};
use crate::number::plain;
use crate::phase_type::{PhaseType, PhaseTypeError};

pub use arrivals::{FittedArrivals, arrivals_by_em, arrivals_from_statistics};
pub use by_robots::arrivals_by_robots;
pub use choice::{Candidate, Choice, Method, choose_arrivals, choose_law};
pub use deliveries::{Activity, Batches, DeliveryOptions, DeliveryStatistics, Part, Stops, Trace};
pub use goodness::Goodness;
pub use moments::MomentError;
pub use stream::{DeliveryStream, SizeStream};
pub use two_speeds::two_speeds;

/// Sizes and gaps that can be reckoned with: third powers of them, and of what lies between them, are numbers.
const SIZES: std::ops::RangeInclusive<f64> = 1e-50..=1e50;

/// Why nothing was fitted.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum FitError {
    /// There is too little to learn from.
    #[error("too few {what} to fit anything: {got}; give at least {needed}")]
    TooFew {
        /// Of what.
        what: &'static str,
        /// How many there are.
        got: usize,
        /// How many are needed.
        needed: usize,
    },
    /// Times must not run backwards.
    #[error("{what} {position} is {}, not a number at or after the one before it; sort them", plain(.value))]
    Order {
        /// Of what.
        what: &'static str,
        /// Position, from 1.
        position: usize,
        /// The value found there.
        value: f64,
    },
    /// Times must not be so large or so close that powers of their gaps overflow or vanish.
    #[error("{what} {position} is {}, {} after the one before it; choose another unit of time", plain(.value), plain(.gap))]
    Scale {
        /// Of what.
        what: &'static str,
        /// Position, from 1.
        position: usize,
        /// The value found there.
        value: f64,
        /// The time since the one before it.
        gap: f64,
    },
    /// Sizes and gaps must be positive.
    #[error("value {position} of the sample is {}; leave out what is not between 1e-50 and 1e50, or change the unit", plain(.value))]
    Sample {
        /// Position, from 1.
        position: usize,
        /// The value found there.
        value: f64,
    },
    /// A law needs phases.
    #[error("no law has 0 phases; ask for at least 1")]
    NoPhases,
    /// No law has the moments.
    #[error(transparent)]
    Moments(#[from] MomentError),
    /// No process has the correlation.
    #[error(transparent)]
    Correlation(#[from] map2::CorrelationError),
    /// The law that came out is not one: the numbers are out of range.
    #[error(transparent)]
    Law(#[from] PhaseTypeError),
    /// The process that came out is not one: the numbers are out of range.
    #[error(transparent)]
    Process(#[from] BmapError),
}

/// A measure that a fit is to match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// `E[X^k]`, of a service time or of the gaps between batches.
    Moment(u32),
    /// The correlation of gaps that are `k` apart.
    Correlation(u32),
    /// Pages in a batch, on average.
    MeanBatch,
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Moment(1) => write!(f, "mean"),
            Self::Moment(k) => write!(f, "moment {k}"),
            Self::Correlation(k) => write!(f, "correlation at lag {k}"),
            Self::MeanBatch => write!(f, "mean batch"),
        }
    }
}

/// What was wanted and what the fitted law has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matched {
    /// Of what.
    pub quantity: Quantity,
    /// In the sample, or as asked for.
    pub wanted: f64,
    /// In the law.
    pub fitted: f64,
}

impl Matched {
    /// `fitted/wanted - 1`.
    #[must_use]
    pub fn relative_error(&self) -> f64 {
        self.fitted / self.wanted - 1.0
    }
}

/// Something that was wanted and could not be had, and what was done instead.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum Departure {
    /// The third moment was given up.
    #[error("two moments are matched, not three: {0}")]
    TwoMoments(MomentError),
    /// The second moment was given up too.
    #[error("only the mean is matched: {0}")]
    MeanOnly(MomentError),
    /// The gaps are taken as independent because two phases do not allow the law of the gaps.
    #[error("the gaps are taken as independent: {0}")]
    Renewal(MomentError),
    /// The gaps are taken as independent because nothing in the sample says otherwise.
    #[error("the gaps are taken as independent: no correlation exceeds {noise}, which chance alone explains")]
    Uncorrelated {
        /// Two standard errors.
        noise: f64,
    },
    /// The decay of correlation was moved into the range that two phases allow.
    #[error("the correlations ask for a decay of {wanted} per batch; {used} is the nearest two phases allow")]
    Decay {
        /// Best without limits.
        wanted: f64,
        /// Best within them.
        used: f64,
    },
    /// Large batches were counted as smaller.
    #[error(
        "batches above {largest} pages are taken to be of their mean size, up to 2000 pages; they are {:.1} % of all",
        100.0 * .share
    )]
    LargeBatches {
        /// The largest size kept.
        largest: usize,
        /// The share of larger ones.
        share: f64,
    },
    /// The number of robots changed before some batches, and the gaps there say nothing about one number.
    #[error(
        "the number of robots changed in {share} of the gaps; the rate is that of all of the time, the rest is from the other gaps"
    )]
    Broken {
        /// The share of them.
        share: f64,
    },
    /// What was left out as stops is most of the time.
    #[error(
        "gaps above {} are left out as stops and hold {:.1} % of the time; if they are not stops, set a longer stop gap",
        plain(.gap),
        100.0 * .share
    )]
    MostlyStops {
        /// The stop gap.
        gap: f64,
        /// The share of the time.
        share: f64,
    },
    /// One gap among many decides what is fitted.
    #[error(
        "the longest gap, {}, makes {:.0} % of the third moment of all; if it was a stop, set a shorter stop gap",
        plain(.gap),
        100.0 * .share
    )]
    OneLongGap {
        /// The gap.
        gap: f64,
        /// Its share.
        share: f64,
    },
    /// Values were not taken one by one.
    #[error("{of} values were put into {groups} groups, each counted as its mean, to save time")]
    Grouped {
        /// Number of groups.
        groups: usize,
        /// Number of values.
        of: usize,
    },
    /// Not all of the sample was used.
    #[error("{used} of {of} gaps were used, in stretches from all over the sample, to save time")]
    Sampled {
        /// How many.
        used: usize,
        /// Of how many.
        of: usize,
    },
    /// Expectation maximisation was cut short.
    #[error("the likelihood was still rising after {iterations} iterations; allow more")]
    NotConverged {
        /// Iterations made.
        iterations: usize,
    },
}

/// How well a fit fits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FitReport {
    /// Each measure compared.
    pub matched: Vec<Matched>,
    /// What was wanted and could not be had.
    pub departures: Vec<Departure>,
    /// Against the sample, where there is one.
    pub goodness: Option<Goodness>,
}

/// A fitted phase-type law.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedLaw {
    /// The law.
    pub law: PhaseType,
    /// How well it fits.
    pub report: FitReport,
}

impl FittedLaw {
    fn new(law: PhaseType, wanted: &[f64; 3], departures: Vec<Departure>, goodness: Option<Goodness>) -> Self {
        let matched = (1..).zip(wanted).map(|(k, &wanted)| Matched {
            quantity: Quantity::Moment(k),
            wanted,
            fitted: law.moment(k),
        });
        let report = FitReport { matched: matched.collect(), departures, goodness };
        Self { law, report }
    }

    /// The law of `factor` times this time: from bytes to seconds, say.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        let mut report = self.report.clone();
        for matched in &mut report.matched {
            if let Quantity::Moment(k) = matched.quantity {
                let scale = factor.powi(k as i32);
                matched.wanted *= scale;
                matched.fitted *= scale;
            }
        }
        report.goodness = report.goodness.map(|goodness| goodness.scaled(factor));
        Self { law: self.law.scaled(factor), report }
    }
}

/// The process in which gaps are independent and follow `law`: `D_0 = S`, `D_1 = S_0 beta`.
///
/// # Errors
/// If some phase of the law is never reached.
pub fn renewal(law: &PhaseType) -> Result<Bmap, BmapError> {
    let n = law.order();
    let arrivals = crate::Matrix::from_fn(n, n, |i, j| law.exits()[i] * law.start()[j]);
    Bmap::new(vec![law.rates().clone(), arrivals])
}
