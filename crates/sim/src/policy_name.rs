//! Policies by name.

use std::fmt;
use std::str::FromStr;

use freshness::allocation::{optimum, proportional, randomised_optimum};
use freshness::learn::Prior;
use freshness::sequence::{GoldenRatio, Randomised, Regular, RoundRobin, SequenceError, Stride};
use freshness::{AccessTime, Instance, PageId, Pages};
use thiserror::Error;

use crate::config::Config;
use crate::due_queue::DueQueue;
use crate::known::Known;
use crate::learned::Learned;
use crate::page::Page;
use crate::random::{Stream, stream};
use crate::rules::{FixedInterval, Heritrix, Nutch, StormCrawler};
use crate::scheduler::Scheduler;
use crate::sequenced::{Sequence, Sequenced};

/// A policy that can be simulated by name. All are compared at the same budget: robots are never idle while a page may
/// be accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PolicyName {
    /// The index policy (law F-17).
    Index,
    /// The golden-ratio sequence at the optimal frequencies (law F-12).
    Golden,
    /// Next turn one period after the last, at the optimal frequencies (law F-19).
    Stride,
    /// Independent draws at the frequencies best for them (law F-10).
    Random,
    /// The regular sequence at the optimal frequencies (law F-20).
    Regular,
    /// Every page in turn.
    Uniform,
    /// Every page as often as it changes, evenly spaced.
    Proportional,
    /// A fixed interval, the same for all pages.
    Fixed,
    /// Apache Nutch's adaptive schedule, as shipped.
    Nutch,
    /// Apache StormCrawler's adaptive scheduler.
    StormCrawler,
    /// Heritrix 1's adaptive revisiting.
    Heritrix,
    /// StormCrawler as set for Common Crawl's news crawl.
    NewsCrawl,
}

/// There is no policy of that name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no policy '{name}'; use one of {}", names())]
pub struct UnknownPolicy {
    /// What was asked for.
    pub name: String,
}

/// How rates are learned instead of being told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Learning {
    /// What is believed of a page at the start.
    pub prior: Prior,
    /// The fraction of accesses reserved for pages that the index leaves alone.
    pub reserve: f64,
}

impl PolicyName {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 12] = [
        Self::Index,
        Self::Golden,
        Self::Stride,
        Self::Random,
        Self::Regular,
        Self::Uniform,
        Self::Proportional,
        Self::Fixed,
        Self::Nutch,
        Self::StormCrawler,
        Self::Heritrix,
        Self::NewsCrawl,
    ];

    /// The name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Golden => "golden",
            Self::Stride => "stride",
            Self::Random => "random",
            Self::Regular => "regular",
            Self::Uniform => "uniform",
            Self::Proportional => "proportional",
            Self::Fixed => "fixed",
            Self::Nutch => "nutch",
            Self::StormCrawler => "stormcrawler",
            Self::Heritrix => "heritrix",
            Self::NewsCrawl => "news-crawl",
        }
    }

    /// Whether the policy can learn change rates; the others are told them or do not use any.
    #[must_use]
    pub fn can_learn(self) -> bool {
        self == Self::Index
    }

    /// The policy, ready to be run under this configuration.
    ///
    /// Only the index learns; it listens to signals, if there are any, unless it learns.
    #[must_use]
    pub fn build(self, config: &Config, learning: Option<Learning>) -> Box<dyn Scheduler> {
        // From the draw to halfway between the completion of the access and that of the next.
        let lead = config.access_time.mean() + 0.5 / config.budget();
        match self {
            Self::Index => match (learning, config.signals) {
                (Some(Learning { prior, reserve }), _) => Box::new(Learned::new(prior, reserve).leading(lead)),
                (None, Some(signals)) => Box::new(Known::listening(signals).leading(lead)),
                (None, None) => Box::new(Known::new().leading(lead)),
            },
            Self::Fixed => Box::new(DueQueue::new(FixedInterval::default())),
            Self::Nutch => Box::new(DueQueue::new(Nutch::default())),
            Self::StormCrawler => Box::new(DueQueue::new(StormCrawler::default())),
            Self::Heritrix => Box::new(DueQueue::new(Heritrix::default())),
            Self::NewsCrawl => Box::new(DueQueue::new(StormCrawler::news_crawl())),
            Self::Golden | Self::Stride | Self::Random | Self::Regular | Self::Uniform | Self::Proportional => {
                let planner = Planner { name: self, law: one_robot(config), seed: config.seed };
                Box::new(Sequenced::new(move |pages| planner.sequence(pages)))
            }
        }
    }
}

/// The law of one robot that does the work of all.
fn one_robot(config: &Config) -> AccessTime {
    let factor = 1.0 / f64::from(config.robots.max(1));
    config.access_time.scaled(factor).unwrap_or_else(|_| config.access_time.clone())
}

/// Makes the sequence of a policy for the pages there are.
struct Planner {
    name: PolicyName,
    law: AccessTime,
    seed: u64,
}

impl Planner {
    /// Where no page is worth an access, every page is accessed in turn.
    fn sequence(&self, pages: &[Page]) -> Sequence {
        let in_turn = || RoundRobin::new(pages.len()).map(boxed);
        self.planned(pages).or_else(|_| in_turn()).unwrap_or_else(|_| Box::new(std::iter::empty()))
    }

    fn planned(&self, pages: &[Page]) -> Result<Sequence, SequenceError> {
        let rates: Vec<f64> = pages.iter().map(|page| page.change_rate).collect();
        let weights: Vec<f64> = pages.iter().map(|page| page.weight).collect();
        let pages = Pages::new(&rates, &weights).map_err(|_| SequenceError::NoPages)?;
        let instance = || Instance::new(&pages, &self.law);
        let optimal = || optimum(&instance()).frequencies;
        match self.name {
            PolicyName::Golden => GoldenRatio::of(&optimal()).map(boxed),
            PolicyName::Stride => Stride::new(&optimal()).map(boxed),
            PolicyName::Regular => Regular::staggered(&optimal()).map(boxed),
            PolicyName::Proportional => Stride::new(&proportional(&pages)).map(boxed),
            PolicyName::Random => {
                let rng = stream(self.seed, Stream::Policy);
                Randomised::new(&randomised_optimum(&instance()).frequencies, rng).map(boxed)
            }
            _ => RoundRobin::new(pages.len()).map(boxed),
        }
    }
}

fn boxed(sequence: impl Iterator<Item = PageId> + 'static) -> Sequence {
    Box::new(sequence)
}

fn names() -> String {
    PolicyName::ALL.map(PolicyName::as_str).join(", ")
}

impl fmt::Display for PolicyName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for PolicyName {
    type Err = UnknownPolicy;

    /// Accepts other common spellings too: `golden-ratio`, `randomised`, `round-robin`, `storm-crawler`, `newscrawl`.
    fn from_str(name: &str) -> Result<Self, UnknownPolicy> {
        let lower = name.trim().to_ascii_lowercase();
        match lower.as_str() {
            "golden-ratio" | "golden_ratio" => Ok(Self::Golden),
            "randomised" | "randomized" => Ok(Self::Random),
            "round-robin" | "round_robin" => Ok(Self::Uniform),
            "storm-crawler" => Ok(Self::StormCrawler),
            "newscrawl" | "news_crawl" => Ok(Self::NewsCrawl),
            other => {
                let known = Self::ALL.into_iter().find(|policy| policy.as_str() == other);
                known.ok_or_else(|| UnknownPolicy { name: name.to_owned() })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back() {
        for policy in PolicyName::ALL {
            assert_eq!(policy.to_string().parse(), Ok(policy));
        }
        assert_eq!(" Round-Robin ".parse(), Ok(PolicyName::Uniform));
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let message = "indxe".parse::<PolicyName>().unwrap_err().to_string();
        assert!(message.contains("'indxe'"));
        assert!(PolicyName::ALL.iter().all(|policy| message.contains(policy.as_str())), "{message}");
    }
}
