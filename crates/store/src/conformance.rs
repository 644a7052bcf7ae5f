//! One suite for each contract. Every back end must pass it.

mod archive;
mod buffer;
mod catalogue;
pub mod sample;

use std::error::Error;

pub use archive::archive;
pub use buffer::{TestClock, buffer};
pub use catalogue::catalogue;

/// A law holds, or something failed on the way. What does not hold panics.
pub type Law = Result<(), Box<dyn Error>>;

/// Opens one and the same thing again and again; each call makes another thing.
pub type Fresh<'a, T> = &'a mut dyn FnMut() -> Box<dyn FnMut() -> T>;
