//! What to simulate, checked before it starts.

use freshness::AccessTime;
use freshness::learn::SignalModel;
use thiserror::Error;

use crate::changes::{Changes, Gaps};
use crate::page::Page;

/// How to simulate. All times are in days.
#[derive(Clone, Debug)]
pub struct Config {
    /// Every random number comes from this.
    pub seed: u64,
    /// Robots working side by side, each on one page at a time.
    pub robots: u32,
    /// How long an access takes.
    pub access_time: AccessTime,
    /// Time simulated before the measurement starts.
    pub warm_up: f64,
    /// Time measured.
    pub duration: f64,
    /// Number of batches for the confidence interval.
    pub batches: usize,
    /// How pages change.
    pub changes: Changes,
    /// Politeness: one access at a time to a host, and at least this long from the end of one to the start of the next.
    /// `None` lets robots access a host as they like.
    pub host_delay: Option<f64>,
    /// Pages that come and go.
    pub turnover: Option<Turnover>,
    /// Whether servers tell when a page last changed.
    pub last_modified: bool,
    /// Notices of change that arrive unasked, such as feeds or sitemaps, some of them false (law F-24).
    pub signals: Option<SignalModel>,
}

/// Pages that come and go at random.
#[derive(Clone, Debug, Default)]
pub struct Turnover {
    /// New pages per day. Each is a copy of a page of `population` chosen at random.
    pub arrivals: f64,
    /// Each page is dropped at this rate per day.
    pub drop_rate: f64,
    /// What new pages look like; if empty, like the pages at the start.
    pub population: Vec<Page>,
}

/// What is wrong with a simulation that was asked for.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ConfigError {
    /// There is nothing to simulate.
    #[error("there are no pages; give at least one")]
    NoPages,
    /// There are more pages than can be numbered.
    #[error("{0} pages are more than can be simulated; the limit is 4294967294")]
    TooManyPages(usize),
    /// A page has an impossible value.
    #[error("page {page}: {name} {value} is not possible; it must be a finite number of at least 0")]
    Page {
        /// Position of the page, from 0.
        page: usize,
        /// Which value.
        name: &'static str,
        /// The value.
        value: f64,
    },
    /// A number is outside its range.
    #[error("{name} must be {wanted}, got {value}")]
    Range {
        /// Which number.
        name: &'static str,
        /// What is allowed.
        wanted: &'static str,
        /// The value.
        value: f64,
    },
    /// Replayed change times do not belong to the pages.
    #[error("there are change times for {got} pages but {expected} pages; give a list, perhaps empty, for each page")]
    ReplayLength {
        /// Number of pages.
        expected: usize,
        /// Number of lists.
        got: usize,
    },
    /// Change times are not in order.
    #[error("change times of page {page} are not finite and in order; sort them")]
    ReplayOrder {
        /// Position of the page, from 0.
        page: usize,
    },
    /// New pages have no change times to replay.
    #[error(
        "arrivals cannot be combined with replayed changes; give the pages that appear later a `from` time instead"
    )]
    ReplayArrivals,
    /// Signals are thinned from the Poisson process of changes.
    #[error("signals can only be simulated with Poisson changes")]
    SignalsNeedPoisson,
}

impl Config {
    /// One robot, Poisson changes, a fifth of `duration` as warm-up, 20 batches, seed 1, nothing else.
    #[must_use]
    pub fn new(access_time: AccessTime, duration: f64) -> Self {
        Self {
            seed: 1,
            robots: 1,
            access_time,
            warm_up: duration / 5.0,
            duration,
            batches: 20,
            changes: Changes::Poisson,
            host_delay: None,
            turnover: None,
            last_modified: false,
            signals: None,
        }
    }

    /// Accesses per day that the robots can make, `n/E[X]`.
    #[must_use]
    pub fn budget(&self) -> f64 {
        f64::from(self.robots) / self.access_time.mean()
    }

    pub(crate) fn check(&self, pages: &[Page]) -> Result<(), ConfigError> {
        check_pages(pages)?;
        require("robots", f64::from(self.robots), self.robots > 0, "at least 1")?;
        require("duration", self.duration, self.duration > 0.0 && self.duration.is_finite(), "positive and finite")?;
        check_not_negative("warm-up", self.warm_up)?;
        require("batches", self.batches as f64, (5..=1000).contains(&self.batches), "from 5 to 1000")?;
        if let Some(delay) = self.host_delay {
            check_not_negative("host delay", delay)?;
        }
        if let Some(turnover) = &self.turnover {
            check_not_negative("arrivals", turnover.arrivals)?;
            check_not_negative("drop rate", turnover.drop_rate)?;
            check_each(&turnover.population)?;
        }
        self.check_changes(pages.len())
    }

    fn check_changes(&self, pages: usize) -> Result<(), ConfigError> {
        if self.signals.is_some() && !matches!(self.changes, Changes::Poisson) {
            return Err(ConfigError::SignalsNeedPoisson);
        }
        match &self.changes {
            Changes::Poisson => Ok(()),
            Changes::Renewal(Gaps::HyperExponential { cv }) => {
                require("coefficient of variation", *cv, (1.0..=1e3).contains(cv), "from 1 to 1000")
            }
            Changes::Renewal(Gaps::Gamma { cv }) => {
                require("coefficient of variation", *cv, (0.01..=20.0).contains(cv), "from 0.01 to 20")
            }
            Changes::Replayed(times) => self.check_replay(times, pages),
        }
    }

    fn check_replay(&self, times: &[Vec<f64>], pages: usize) -> Result<(), ConfigError> {
        if times.len() != pages {
            return Err(ConfigError::ReplayLength { expected: pages, got: times.len() });
        }
        let wrong = |times: &Vec<f64>| !times.is_sorted() || times.iter().any(|time| !time.is_finite());
        if let Some(page) = times.iter().position(wrong) {
            return Err(ConfigError::ReplayOrder { page });
        }
        if self.turnover.as_ref().is_some_and(|turnover| turnover.arrivals > 0.0) {
            return Err(ConfigError::ReplayArrivals);
        }
        Ok(())
    }
}

fn check_pages(pages: &[Page]) -> Result<(), ConfigError> {
    if pages.is_empty() {
        return Err(ConfigError::NoPages);
    }
    if pages.len() >= u32::MAX as usize {
        return Err(ConfigError::TooManyPages(pages.len()));
    }
    check_each(pages)
}

fn check_each(pages: &[Page]) -> Result<(), ConfigError> {
    for (i, page) in pages.iter().enumerate() {
        let values = [("change rate", page.change_rate), ("weight", page.weight), ("time of appearance", page.from)];
        for (name, value) in values {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(ConfigError::Page { page: i, name, value });
            }
        }
        if page.until.is_nan() || page.until < page.from {
            return Err(ConfigError::Page { page: i, name: "time of disappearance", value: page.until });
        }
    }
    Ok(())
}

pub(crate) fn check_not_negative(name: &'static str, value: f64) -> Result<(), ConfigError> {
    require(name, value, value >= 0.0 && value.is_finite(), "finite and at least 0")
}

pub(crate) fn require(name: &'static str, value: f64, holds: bool, wanted: &'static str) -> Result<(), ConfigError> {
    if holds { Ok(()) } else { Err(ConfigError::Range { name, wanted, value }) }
}
