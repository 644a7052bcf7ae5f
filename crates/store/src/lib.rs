//! What is remembered, and the buffer between robots and indexer.

mod document;
mod time;

pub use document::{Document, PageId};
pub use time::Timestamp;
