//! What can be typed to play a changing web.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum, ValueHint};

use super::engine::DelayText;
use crate::law_text::LawText;
use crate::units::{Size, Span, TextError};

/// Arguments of `oriole livingweb`.
#[derive(Clone, Debug, Args)]
pub struct LivingwebArgs {
    /// Pages
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    pub pages: usize,

    /// Hosts over which they are spread, each with a port of its own
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub hosts: u32,

    /// Where random numbers start; the same seed gives the same web
    #[arg(long, default_value_t = 1)]
    pub seed: u64,

    /// End after this time
    #[arg(long = "for", value_name = "TIME")]
    pub duration: Option<Span>,

    /// Port of the first host, the others follow, and then the one for the truth; 0 for any that are free
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,

    /// Rates: equal, uniform, exponential, 'lognormal(SIGMA)', 'pareto(ALPHA)', or 'file:PAGES.csv' as for oriole plan
    #[arg(long, value_name = "LAW", default_value = "exponential", help_heading = "Changes")]
    pub rates: RateText,

    /// Mean time between changes of a page: N pages change N times in it [default: 60s, or as in the file of rates]
    #[arg(long, value_name = "TIME", help_heading = "Changes")]
    pub mean_interval: Option<Span>,

    /// How each page changes: poisson, 'bursty(CV)' with pauses and bursts, or 'regular(CV)' for nearly even gaps
    #[arg(long, value_name = "PROCESS", default_value = "poisson", help_heading = "Changes")]
    pub changes: ProcessText,

    /// Replay recorded changes: CSV of unix_time,page,event, as for oriole simulate --trace
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Changes",
          conflicts_with_all = ["pages", "rates", "mean_interval", "changes", "replace"])]
    pub replay: Option<PathBuf>,

    /// How many times as fast the record is replayed
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, help_heading = "Changes", requires = "replay")]
    pub speed: f64,

    /// At that time so many pages go and as many others come: '0.2@120s'; can be given more than once
    #[arg(long, value_name = "SHARE@TIME", help_heading = "Changes")]
    pub replace: Vec<ReplaceText>,

    /// What pages are worth, told by the folder in which they are
    #[arg(long, value_enum, default_value = "equal", help_heading = "Pages")]
    pub weights: LivingWeights,

    /// Least and largest size of a page, roughly: '1kB,30kB'
    #[arg(long, value_name = "LEAST,LARGEST", default_value = "1kB,30kB", help_heading = "Pages")]
    pub size: SizesText,

    /// What sitemaps say about the last change of pages
    #[arg(long, value_enum, default_value = "honest", help_heading = "Servers")]
    pub lastmod: LastmodText,

    /// No feeds, which otherwise tell of the newest changes, and honestly
    #[arg(long, help_heading = "Servers")]
    pub no_feeds: bool,

    /// How long an answer takes: 'exp(50ms)', 'lognormal(20ms,1)', and so on as for oriole plan --access-time
    #[arg(long, value_name = "LAW", help_heading = "Servers")]
    pub latency: Option<LawText>,

    /// What goes wrong, as shares of the requests for pages: 'error=1%,reset=1%,slow=2%'
    #[arg(long, value_name = "FAULTS", value_delimiter = ',', help_heading = "Servers")]
    pub faults: Vec<FaultText>,

    /// So many hosts ask for a delay between requests
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Servers")]
    pub slow_hosts: usize,

    /// The delay they ask for
    #[arg(long, value_name = "TIME", default_value = "1s", help_heading = "Servers")]
    pub crawl_delay: DelayText,

    /// Judge the copy in this data folder of Oriole's, too
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Output")]
    pub data: Option<PathBuf>,

    /// Print one JSON object at the end instead of a table
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// What pages are worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LivingWeights {
    /// All the same
    Equal,
    /// As much as they change, within 10 %
    Rate,
    /// 1, 2, 4, ... 128, whatever their rates
    Independent,
}

/// What sitemaps say about the last change of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LastmodText {
    /// The truth
    Honest,
    /// Always now
    Now,
    /// Any moment of the last week
    Random,
    /// Nothing
    None,
}

const RATE_LAWS: &str = "give one of equal, uniform, exponential, lognormal(SIGMA), pareto(ALPHA) or file:PAGES.csv";

/// A law of change rates as typed.
#[derive(Clone, Debug, PartialEq)]
pub enum RateText {
    /// A law given by its parameters.
    Law(livingweb::RateLaw),
    /// A file of pages with their rates.
    File(PathBuf),
}

impl FromStr for RateText {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        use livingweb::RateLaw;
        let text = text.trim();
        if let Some(path) = text.strip_prefix("file:").filter(|path| !path.is_empty()) {
            return Ok(Self::File(PathBuf::from(path)));
        }
        let error = || TextError::new(format!("{} is not a law of rates", crate::failure::quoted(text)), RATE_LAWS);
        let law = match (text, call(text)) {
            ("equal", _) => RateLaw::Equal,
            ("uniform", _) => RateLaw::Uniform,
            ("exponential" | "exp", _) => RateLaw::Exponential,
            (_, Some(("lognormal", sigma))) => RateLaw::LogNormal { sigma },
            (_, Some(("pareto", alpha))) => RateLaw::Pareto { alpha },
            _ => return Err(error()),
        };
        Ok(Self::Law(law))
    }
}

const PROCESSES: &str = "give one of poisson, bursty(CV) with CV from 1 to 100, or regular(CV) with CV from 0.01 to 20";

/// A process of changes as typed.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessText(pub livingweb::Changes);

impl FromStr for ProcessText {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        use livingweb::Changes;
        use sim::Gaps;
        let text = text.trim();
        match (text, call(text)) {
            ("poisson", _) => Ok(Self(Changes::Poisson)),
            ("bursty", _) => Ok(Self(Changes::Renewal(Gaps::HyperExponential { cv: 3.0 }))),
            (_, Some(("bursty", cv))) => Ok(Self(Changes::Renewal(Gaps::HyperExponential { cv }))),
            (_, Some(("regular", cv))) => Ok(Self(Changes::Renewal(Gaps::Gamma { cv }))),
            _ => {
                let problem = format!("{} is not a process of changes", crate::failure::quoted(text));
                Err(TextError::new(problem, PROCESSES))
            }
        }
    }
}

/// `name(number)`
fn call(text: &str) -> Option<(&str, f64)> {
    let (name, rest) = text.split_once('(')?;
    Some((name.trim(), rest.strip_suffix(')')?.trim().parse().ok()?))
}

const REPLACEMENTS: &str = "give a share and a time such as 0.2@120s or 20%@2min";

/// A replacement as typed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplaceText(pub livingweb::Replacement);

impl FromStr for ReplaceText {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        let problem = || format!("{} is not a replacement", crate::failure::quoted(text));
        let parts = text.split_once('@').and_then(|(part, at)| Some((share(part)?, at.parse::<Span>().ok()?)));
        let (share, at) = parts.ok_or_else(|| TextError::new(problem(), REPLACEMENTS))?;
        Ok(Self(livingweb::Replacement { share, at: at.seconds() }))
    }
}

const SIZES: &str = "give two sizes such as 1kB,30kB, each from 100B to 1MiB";

/// Least and largest size of a page, in bytes, as typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizesText(pub u32, pub u32);

impl FromStr for SizesText {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        let bytes = |text: &str| u32::try_from(text.parse::<Size>().ok()?.bytes()).ok();
        let sizes = text.split_once(',').and_then(|(least, largest)| Some(Self(bytes(least)?, bytes(largest)?)));
        sizes.ok_or_else(|| TextError::new(format!("{} is not two sizes", crate::failure::quoted(text)), SIZES))
    }
}

const FAULTS: &str = "give shares such as error=1%, reset=0.01 or slow=2%, separated by commas";

/// One kind of fault and its share as typed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FaultText {
    /// Status 500.
    Error(f64),
    /// The connection is reset.
    Reset(f64),
    /// The body is slow.
    Slow(f64),
}

impl FromStr for FaultText {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, TextError> {
        let parts = text.split_once('=').and_then(|(name, part)| Some((name.trim(), share(part)?)));
        match parts {
            Some(("error" | "500", share)) => Ok(Self::Error(share)),
            Some(("reset", share)) => Ok(Self::Reset(share)),
            Some(("slow", share)) => Ok(Self::Slow(share)),
            _ => Err(TextError::new(format!("{} is not a fault", crate::failure::quoted(text)), FAULTS)),
        }
    }
}

/// A number from 0 to 1, or a percentage.
fn share(text: &str) -> Option<f64> {
    let text = text.trim();
    let (digits, scale) = text.strip_suffix('%').map_or((text, 1.0), |digits| (digits.trim(), 0.01));
    digits.parse::<f64>().ok().map(|number| number * scale).filter(|share| (0.0..=1.0).contains(share))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_typed_is_understood() {
        assert_eq!("pareto(1.5)".parse(), Ok(RateText::Law(livingweb::RateLaw::Pareto { alpha: 1.5 })));
        assert_eq!("file:a.csv".parse(), Ok(RateText::File(PathBuf::from("a.csv"))));
        assert_eq!("20%@2min".parse(), Ok(ReplaceText(livingweb::Replacement { share: 0.2, at: 120.0 })));
        assert_eq!("reset=0.01".parse(), Ok(FaultText::Reset(0.01)));
        assert_eq!("1kB, 2KiB".parse(), Ok(SizesText(1_000, 2_048)));
        assert!("1kB".parse::<SizesText>().is_err() && "1kB,9GiB".parse::<SizesText>().is_err());
        for wrong in ["", "file:", "pareto", "pareto(x)", "weibull(1)"] {
            let message = wrong.parse::<RateText>().unwrap_err().to_string();
            assert!(message.contains("; give one of equal"), "{message}");
        }
        assert!("0.2".parse::<ReplaceText>().is_err() && "2@1s".parse::<ReplaceText>().is_err());
        assert!("crash=1%".parse::<FaultText>().is_err() && "slow=200%".parse::<FaultText>().is_err());
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".*", near in "[a-z]{0,9}[(=@]?[0-9.%e]{0,6}[)@]?[0-9]{0,3}s?") {
            for text in [text, near] {
                _ = (text.parse::<RateText>(), text.parse::<ProcessText>());
                _ = (text.parse::<ReplaceText>(), text.parse::<FaultText>(), text.parse::<SizesText>());
            }
        }
    }
}
