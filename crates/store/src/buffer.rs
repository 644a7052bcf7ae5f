//! The buffer between robots and indexer: K places, the pages being indexed included.
//!
//! A page that finds no place is lost; one that becomes obsolete while it waits leaves. Both go back to the robots'
//! frontier, which is the caller's business.

mod memory;

#[cfg(test)]
mod tests;

use std::time::Duration;

pub use memory::MemoryBuffer;

/// Seconds on a clock that never goes back. Its origin does not matter.
pub trait Clock: Send + Sync {
    /// The present moment.
    fn now(&self) -> f64;
}

impl<F: Fn() -> f64 + Send + Sync> Clock for F {
    fn now(&self) -> f64 {
        self()
    }
}

/// What became of something offered.
#[derive(Debug, PartialEq, Eq)]
pub enum Offered<T> {
    /// It has a place.
    Taken,
    /// All places are taken, or the buffer is closed.
    Lost(T),
}

/// What has happened so far.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counters {
    /// Offered.
    pub arrivals: u64,
    /// Offered, and no place was free.
    pub lost: u64,
    /// Became obsolete while waiting.
    pub obsolete: u64,
    /// Done.
    pub served: u64,
    /// Seconds in the system of those that are done, together.
    pub seconds_served: f64,
    /// Seconds in the system of those that became obsolete, together.
    pub seconds_obsolete: f64,
    /// The longest time in the system of one that is done.
    pub longest: f64,
    /// Seconds in which the system was empty.
    pub starved: f64,
    /// Integral of the number in the system over time: divided by the time, its mean.
    pub occupancy_seconds: f64,
    /// Seconds since the buffer was made.
    pub seconds: f64,
}

/// An item that is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Served {
    /// Seconds in the system.
    pub sojourn: f64,
    /// Seconds of them in which it was the first: since it came, or since the one before it was done, whichever was later.
    pub service: f64,
}

/// What every buffer can do. Any number of threads may offer; the indexer takes.
pub trait Buffer<T>: Send + Sync {
    /// Offers an item that becomes obsolete at `obsolete_at`, if ever. Never waits.
    fn offer(&self, item: T, obsolete_at: Option<f64>) -> Offered<T>;

    /// Takes up to `most` items in the order of their arrival. Waits up to `wait` for the first; returns none if there
    /// is none by then, or if the buffer is closed and empty. What is taken keeps its place until [`Buffer::done`].
    fn take(&self, most: usize, wait: Duration) -> Vec<T>;

    /// The first `count` of the items taken are done; their places are free. At most as many as have been taken.
    fn done(&self, count: usize) -> Vec<Served>;

    /// Items that have become obsolete since the last call, and for how many seconds each had waited.
    fn obsolete(&self) -> Vec<(T, f64)>;

    /// No more is taken in; what is there can still be taken out, and nobody waits.
    fn close(&self);

    /// Whether it is closed.
    fn is_closed(&self) -> bool;

    /// How many places there are.
    fn capacity(&self) -> usize;

    /// How many are taken.
    fn occupancy(&self) -> usize;

    /// What has happened so far.
    fn counters(&self) -> Counters;
}
