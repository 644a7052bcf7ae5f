use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What is going on, for whoever wants to look.
#[derive(Debug, Default)]
pub struct Counters {
    /// Requests made.
    pub requests: AtomicU64,
    /// Pages read.
    pub read: AtomicU64,
    /// Pages that had changed.
    pub changed: AtomicU64,
    /// Pages that were as before.
    pub unchanged: AtomicU64,
    /// Visits that failed.
    pub failed: AtomicU64,
    /// Documents that found no place.
    pub lost: AtomicU64,
    /// Bytes of bodies received.
    pub bytes: AtomicU64,
    /// Robots at work.
    pub active: AtomicU64,
    /// The time that all robots together have been at work, in microseconds.
    pub worked: AtomicU64,
    /// Robots wanted.
    pub wanted: AtomicU64,
    /// Pages known.
    pub known: AtomicU64,
    /// Pages queued.
    pub queued: AtomicU64,
    /// Whether robots wait for room in the buffer.
    pub wait_for_room: AtomicBool,
    /// Whether the fleet has nothing to do before what it has found is kept.
    pub wait_for_keeper: AtomicBool,
}

impl Counters {
    /// Whether robots have been waiting for room in the buffer. They are to be told of it now: [`Message::Room`](super::Message::Room).
    #[must_use]
    pub fn is_waiting_for_room(&self) -> bool {
        self.wait_for_room.swap(false, Ordering::Relaxed)
    }

    /// Whether the fleet has been waiting for what it has found to be kept.
    #[must_use]
    pub fn is_waiting_for_keeper(&self) -> bool {
        self.wait_for_keeper.swap(false, Ordering::Relaxed)
    }
}
