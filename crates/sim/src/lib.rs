//! A web that changes, on a virtual clock, for measuring refresh policies.

pub mod changes;
pub mod config;
pub mod due_queue;
mod hosts;
mod measure;
mod page;
mod random;
mod report;
pub mod rules;
mod scheduler;
mod sequenced;
mod simulation;
mod time;
mod world;

pub use changes::{Changes, Gaps};
pub use config::{Config, ConfigError, Signals, Turnover};
pub use due_queue::{DueQueue, RevisitRule};
pub use measure::Estimate;
pub use page::Page;
pub use report::SimReport;
pub use scheduler::Scheduler;
pub use sequenced::{Sequence, Sequenced};
pub use simulation::{Cancelled, Simulation};
