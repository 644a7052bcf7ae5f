//! How often does a page change?
//!
//! | question | answer |
//! |---|---|
//! | what do the visits to one page say? | [`RateEstimate`] (F-21, F-23), kept in eight bytes as [`Evidence`] |
//! | what does a new page look like? | [`PooledPrior`] over the pages of its site (F-26) |
//! | what is the exact maximum-likelihood rate? | [`maximum_likelihood`] (F-22) |

mod estimate;
mod evidence;
mod incomplete_gamma;
mod likelihood;
mod pool;
mod root;

pub use estimate::{EstimateError, Observation, RateEstimate};
pub use evidence::{Evidence, Forgetting};
pub use likelihood::{RateLikelihood, RateMle, maximum_likelihood};
pub use pool::PooledPrior;
