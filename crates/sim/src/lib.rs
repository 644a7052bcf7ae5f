//! A web that changes, on a virtual clock, for measuring refresh policies.
//!
//! Pages change, come and go; robots access them in the order that a policy decides; the stale cost
//! `sum c_i 1{copy i is out of date}` is averaged over time, with a confidence interval. A copy is current as of the
//! completion of the access that took it (CLW). The policies are the ones that the crawler runs ([`Known`], [`Learned`]),
//! the sequences of crate `freshness` ([`Sequenced`]) and the rules of other crawlers ([`rules`]), all at the same budget.
//!
//! ```
//! use freshness::AccessTime;
//! use sim::{Config, Page, PolicyName, Simulation};
//!
//! // Ten pages that change once a day and ten that change twenty times; twenty accesses a day.
//! let pages = [[Page::new(1.0, 1.0); 10], [Page::new(20.0, 1.0); 10]].concat();
//! let config = Config::new(AccessTime::constant(0.05)?, 1_000.0);
//! let mut policy = PolicyName::Index.build(&config, None);
//! let report = Simulation::new(&pages, config)?.run(&mut *policy);
//! // Pages that change too fast are left alone: 2.1 + 10 are stale on average, instead of 3.7 + 9.5 if all took turns.
//! assert!((report.stale_cost.mean - 12.1).abs() < 0.1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | question | where |
//! |---|---|
//! | which pages are there and how do they change? | [`Page`], [`Changes`], [`Turnover`] |
//! | how many robots, how fast, how polite? | [`Config`] |
//! | who decides? | [`Scheduler`], [`PolicyName`] |
//! | what came out? | [`SimReport`] |
//!
//! [`queue`] is a second simulation: robots, buffer and indexer, as crate `control` solves them, under any of its controllers.
//!
//! Time is in days. Every random number comes from the seed: the same seed gives the same report, bit for bit, and
//! different policies meet the same access times and arrivals and, except for Poisson changes, the same changes.
//! The crate is pure: no clock, no input or output.

pub mod changes;
pub mod config;
pub mod due_queue;
mod hosts;
mod known;
mod learned;
mod measure;
mod page;
mod policy_name;
pub mod queue;
mod random;
mod report;
pub mod rules;
mod scheduler;
mod sequenced;
mod simulation;
mod time;
mod world;

pub use changes::{Changes, Gaps};
pub use config::{Config, ConfigError, Turnover};
pub use due_queue::{DueQueue, RevisitRule};
pub use known::Known;
pub use learned::Learned;
pub use measure::Estimate;
pub use page::Page;
pub use policy_name::{Learning, PolicyName, UnknownPolicy};
pub use queue::{QueueConfig, QueueReport, QueueSimulation};
pub use random::{exponential, keyed};
pub use report::SimReport;
pub use scheduler::Scheduler;
pub use sequenced::{Sequence, Sequenced};
pub use simulation::{Cancelled, Simulation};
