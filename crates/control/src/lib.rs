//! How many robots should be fetching now?
//!
//! Robots deliver pages, singly or in batches, to one indexer that holds at most `K` pages: one being indexed, the others
//! waiting in order of arrival. A page that waits too long becomes obsolete and leaves; one that finds no place is lost.
//! With `i` pages in the system `chi(i)` robots are active, the fewer the more pages there are. This crate computes what such
//! a policy costs and finds the best, after K. Avrachenkov, A. Dudin, V. Klimenok, Ph. Nain and O. Semenova, *Optimal
//! threshold control by the robots of Web search engines with obsolescence of documents* (cited below as ADKNS).
//!
//! The laws are numbered C-1, C-2, ... in `docs/math/control.md`; code and tests cite them by number.
//!
//! | question | module |
//! |---|---|
//! | how long does a page take to index, how long does it stay current? | [`phase_type`] |
//! | how do pages arrive while `r` robots are active? | [`arrivals`] |
//! | what is the whole system? | [`model`] |
//! | how often does it lose, age or starve under a policy, and what does that cost? | [`queue`] |
//! | and if robots finish what they have begun? | [`finishing`] |
//! | how many robots now, from what is seen? | [`controller`] |
//! | which model do delivery times and page sizes speak for? | [`fit`] |
//! | which thresholds are best, also within limits? | [`optimise`] |
//! | what could a policy reach that sees more? | [`decision`] |
//! | how long will the answer take? | [`Effort`] |
//!
//! The crate is pure: no clock, no input or output, no global random numbers. Time and randomness are parameters.

pub mod arrivals;
pub mod controller;
pub mod decision;
mod effort;
pub mod finishing;
pub mod fit;
pub mod matrix;
pub mod model;
mod number;
pub mod optimise;
mod parallel;
mod partition;
mod passing;
pub mod phase_type;
pub mod queue;
#[cfg(test)]
mod random_models;

pub use arrivals::Bmap;
pub use decision::{BeliefFilter, BeliefPolicy, MarkovBound, ObservedPolicy, Sees, best_observed, markov_bound};
pub use effort::Effort;
pub use finishing::Finishing;
pub use matrix::Matrix;
pub use model::{Admission, Costs, Model, RobotPolicy};
pub use optimise::{Optimum, constrained, pareto};
pub use phase_type::PhaseType;
pub use queue::{Measures, Method, Solved, solve, solve_to};
