//! When to access which page.
//!
//! Pages `i = 1..N` change as Poisson processes of rate `mu_i` and are accessed one after another, each access taking an
//! independent time `X`. A stored copy is out of date from the first change after its last access until the next access;
//! `r_i` is the long-run fraction of time it is. This crate minimises the cost `C = sum c_i r_i` after
//! E. G. Coffman, Z. Liu and R. R. Weber, *Optimal robot scheduling for Web search engines* (1999), cited below as CLW,
//! and goes on where the paper stops: any weights, pages that are not worth a visit, limits per host, a sequence that
//! reaches the bound, and rates that must be learned.
//!
//! The laws are numbered F-1, F-2, ... in `docs/math/freshness.md`; code and tests cite them by number.
//!
//! | question | module |
//! |---|---|
//! | how long does an access take? | [`access_time`] |
//! | which pages are there? | [`pages`] |
//! | how often should each be accessed? | [`allocation`] |
//! | what does that cost, at best and exactly? | [`cost`] |
//! | in which order? | [`sequence`], and [`index`] for the order that reaches the bound |
//! | how often does a page change? | [`learn`] |
//!
//! The crate is pure: no clock, no input or output, no global random numbers. Time and randomness are parameters.

pub mod access_time;
pub mod allocation;
pub mod cost;
pub mod index;
pub mod instance;
pub mod learn;
pub mod pages;
mod parallel;
pub mod policy;
pub mod sequence;
pub mod special;

pub use access_time::AccessTime;
pub use instance::Instance;
pub use pages::Pages;
pub use policy::{HostId, Outcome, PageId, Policy, Visit};
