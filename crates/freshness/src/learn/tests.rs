//! Learning and signals at work: what the schedule built on them costs.

mod learned_rates;
mod population;
mod signals;
