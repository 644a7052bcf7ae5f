//! The program: configuration, wiring, commands. All that reads files or the environment, prints or exits is here.

pub mod failure;
pub mod input;
pub mod law_text;
pub mod output;
pub mod progress;
pub mod units;
