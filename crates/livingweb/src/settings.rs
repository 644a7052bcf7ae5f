//! Which web is wanted, checked before it is made.

use sim::Gaps;
use thiserror::Error;

/// Most pages at the start.
pub const MOST_PAGES: usize = 1_000_000;

/// Most hosts; each has a port.
pub const MOST_HOSTS: u32 = 1_000;

/// Fastest change of a page, per second.
pub const MOST_RATE: f64 = 100.0;

/// Largest size of a page that can be asked for, in bytes.
pub const MOST_SIZE: u32 = 1 << 20;

/// Which web is wanted. Times are in seconds since its start, rates per second.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Every random number comes from this.
    pub seed: u64,
    /// Pages at the start; not used where [`RateLaw::Given`] or [`Changes::Replayed`] say how many there are.
    pub pages: usize,
    /// Hosts over which they are spread.
    pub hosts: u32,
    /// How different the pages are.
    pub rates: RateLaw,
    /// Mean time between changes, averaged over pages as a rate: `pages / mean_interval` changes a second in all.
    pub mean_interval: f64,
    /// How each page changes.
    pub changes: Changes,
    /// What pages are worth.
    pub weights: Weights,
    /// Least and largest size of a page in bytes, roughly.
    pub sizes: (u32, u32),
    /// Pages that go while others come.
    pub replacements: Vec<Replacement>,
}

impl Default for Settings {
    /// A thousand pages on four hosts, each changing once a minute on average, at exponentially distributed rates.
    fn default() -> Self {
        Self {
            seed: 1,
            pages: 1_000,
            hosts: 4,
            rates: RateLaw::Exponential,
            mean_interval: 60.0,
            changes: Changes::Poisson,
            weights: Weights::Equal,
            sizes: (1_000, 30_000),
            replacements: Vec::new(),
        }
    }
}

/// The law of the change rates over pages.
#[derive(Clone, Debug, PartialEq)]
pub enum RateLaw {
    /// All the same.
    Equal,
    /// From 0 to twice the mean.
    Uniform,
    /// Exponential.
    Exponential,
    /// Log-normal: `exp(sigma Z)`, scaled.
    LogNormal {
        /// Standard deviation of the logarithm.
        sigma: f64,
    },
    /// Pareto: `P(rate > x)` falls as `x^-alpha`, cut off at a thousand times the least.
    Pareto {
        /// The exponent.
        alpha: f64,
    },
    /// Changes per second of every page, as they are.
    Given(Vec<f64>),
}

/// The process by which pages change.
#[derive(Clone, Debug, PartialEq)]
pub enum Changes {
    /// Poisson: what the theory assumes.
    Poisson,
    /// Independent gaps that are not exponential; with [`Gaps::HyperExponential`] bursts and pauses.
    Renewal(Gaps),
    /// What happened to pages of a real web.
    Replayed(Vec<Life>),
}

/// What happened to a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Life {
    /// When it appeared; 0 if it was there from the start.
    pub from: f64,
    /// When it went; infinite if it did not.
    pub until: f64,
    /// When it changed, in order.
    pub changes: Vec<f64>,
}

/// What pages are worth. Every page is below a directory of its weight, so that a crawler can be told by patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// All the same.
    Equal,
    /// As much as they change, within 10 %; 1 for the mean rate.
    Rate,
    /// `2^k`, `k` from 0 to 7, whatever the rate.
    Independent,
}

/// Pages that go while as many others come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Replacement {
    /// The part of the pages that goes.
    pub share: f64,
    /// When.
    pub at: f64,
}

/// What is wrong with a web that was asked for.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SettingsError {
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
    /// Pages of which the recorded changes are told cannot be replaced by others.
    #[error("replacements cannot be combined with replayed changes; the record says which pages come and go")]
    ReplacedReplay,
    /// Recorded changes are not in order or not possible.
    #[error("the recorded times of page {page} are not in order, or not finite; sort them")]
    Record {
        /// Position of the page, from 0.
        page: usize,
    },
}

impl Settings {
    /// Pages at the start, or in the record.
    #[must_use]
    pub fn page_count(&self) -> usize {
        match (&self.changes, &self.rates) {
            (Changes::Replayed(lives), _) => lives.len(),
            (_, RateLaw::Given(rates)) => rates.len(),
            _ => self.pages,
        }
    }

    /// # Errors
    /// Says which value is wrong and what is allowed.
    pub(crate) fn check(&self) -> Result<(), SettingsError> {
        let pages = self.page_count();
        require("pages", pages as f64, (1..=MOST_PAGES).contains(&pages), "from 1 to 1000000")?;
        let most = MOST_HOSTS.min(u32::try_from(pages).unwrap_or(MOST_HOSTS));
        require("hosts", f64::from(self.hosts), (1..=most).contains(&self.hosts), "from 1 to 1000, one page each")?;
        let interval = self.mean_interval;
        require("mean interval", interval, (0.01..=1e12).contains(&interval), "from 10 ms to 30000 years")?;
        let (least, largest) = self.sizes;
        require(
            "least size",
            f64::from(least),
            (100..=largest).contains(&least),
            "at least 100 bytes, not above the largest",
        )?;
        require("largest size", f64::from(largest), largest <= MOST_SIZE, "at most 1 MiB")?;
        self.check_rates()?;
        self.check_changes()?;
        self.check_replacements()
    }

    fn check_rates(&self) -> Result<(), SettingsError> {
        match &self.rates {
            RateLaw::LogNormal { sigma } => require("sigma", *sigma, (0.0..=5.0).contains(sigma), "from 0 to 5"),
            RateLaw::Pareto { alpha } => require("alpha", *alpha, (0.1..=100.0).contains(alpha), "from 0.1 to 100"),
            RateLaw::Given(rates) => {
                let wrong = rates.iter().copied().find(|rate| !(0.0..=MOST_RATE).contains(rate));
                wrong.map_or(Ok(()), |rate| require("change rate", rate, false, "from 0 to 100 per second"))
            }
            RateLaw::Equal | RateLaw::Uniform | RateLaw::Exponential => Ok(()),
        }
    }

    fn check_changes(&self) -> Result<(), SettingsError> {
        let lives = match &self.changes {
            Changes::Poisson => return Ok(()),
            Changes::Renewal(Gaps::HyperExponential { cv }) => {
                return require("coefficient of variation", *cv, (1.0..=100.0).contains(cv), "from 1 to 100");
            }
            Changes::Renewal(Gaps::Gamma { cv }) => {
                return require("coefficient of variation", *cv, (0.01..=20.0).contains(cv), "from 0.01 to 20");
            }
            Changes::Replayed(lives) => lives,
        };
        if !self.replacements.is_empty() {
            return Err(SettingsError::ReplacedReplay);
        }
        let wrong = |life: &Life| {
            let times_wrong = !life.changes.is_sorted() || life.changes.iter().any(|time| !time.is_finite());
            times_wrong || !(life.from >= 0.0 && life.from.is_finite() && life.until >= life.from)
        };
        lives.iter().position(wrong).map_or(Ok(()), |page| Err(SettingsError::Record { page }))
    }

    fn check_replacements(&self) -> Result<(), SettingsError> {
        require("replacements", self.replacements.len() as f64, self.replacements.len() <= 100, "at most 100")?;
        for Replacement { share, at } in &self.replacements {
            require("share of pages replaced", *share, (0.0..=1.0).contains(share), "from 0 to 1")?;
            require("time of a replacement", *at, *at > 0.0 && at.is_finite(), "positive and finite")?;
        }
        Ok(())
    }
}

pub(crate) fn require(name: &'static str, value: f64, holds: bool, wanted: &'static str) -> Result<(), SettingsError> {
    if holds { Ok(()) } else { Err(SettingsError::Range { name, wanted, value }) }
}
