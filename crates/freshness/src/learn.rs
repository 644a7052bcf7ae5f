//! How often does a page change, and what are signals that it has worth?
//!
//! | question | answer |
//! |---|---|
//! | what do the visits to one page say? | [`RateEstimate`] (F-21, F-23), kept in eight bytes as [`Evidence`] |
//! | what is believed of a page seldom visited? | [`Prior`], and [`PooledPrior`] over the pages of its site (F-26) |
//! | what is the exact maximum-likelihood rate? | [`maximum_likelihood`], [`RateLikelihood`] (F-22) |
//! | how old does a page look after a signal, or after none? | [`SignalModel`], [`SignalledPage`] (F-24), [`Span`] (F-30) |
//! | how far can the signals of a site be trusted? | [`SignalLearner`] (F-24) |
//! | which page next, given signals? | [`SignalIndex`] (F-25) |

mod estimate;
mod evidence;
mod incomplete_gamma;
mod likelihood;
mod news;
mod pool;
mod prior;
mod root;
mod signal;
mod signal_index;
mod signal_learner;

pub use estimate::{EstimateError, Observation, RateEstimate};
pub use evidence::{Evidence, Forgetting};
pub use likelihood::{RateLikelihood, RateMle, maximum_likelihood};
pub use news::{News, reading_interval};
pub use pool::PooledPrior;
pub use prior::{Prior, PriorError};
pub use signal::{SignalError, SignalModel, SignalledPage, Span};
pub use signal_index::SignalIndex;
pub use signal_learner::SignalLearner;

#[cfg(test)]
mod tests;
