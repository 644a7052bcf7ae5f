//! How many robots are out, and what whoever decides about it sees.

use std::fmt;
use std::sync::atomic::Ordering;

use control::controller::{Controller, Event, Observation};
use store::{Buffer, Served};

use super::{Delivery, Fleet, seconds};

/// Seconds after which it is told again how many robots are at work, though they are as many as before.
const LONGEST_STRETCH: f64 = 1.0;

/// What is seen of the fleet by whoever decides how many robots there are. Times are in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Seen {
    /// Up to now, so many robots were at work.
    Worked {
        /// Now.
        at: f64,
        /// For how long.
        time: f64,
        /// How many.
        active: u32,
        /// How many were wanted.
        wanted: u32,
        /// Whether there was work for more.
        is_short: bool,
        /// How many are at work from now on.
        next: u32,
    },
    /// A robot is back.
    Back {
        /// When.
        at: f64,
        /// For how long it was under way.
        took: f64,
        /// Whether it brought a document.
        brought: bool,
    },
    /// A document was brought.
    Delivered {
        /// When.
        at: f64,
        /// How often its page changes, per second.
        rate: f64,
        /// Whether it found no place.
        lost: bool,
    },
    /// A document was indexed.
    Indexed {
        /// When.
        at: f64,
        /// How long it took.
        served: Served,
    },
    /// A document became obsolete.
    Obsolete {
        /// When that was found out.
        at: f64,
        /// How long it had waited.
        sojourn: f64,
    },
}

/// Something that decides how many robots there are.
pub struct Steering {
    /// It.
    pub controller: Box<dyn Controller + Send>,
    /// Whether it looks at the buffer.
    pub watches: bool,
}

impl Steering {
    /// Decides by what is in the buffer.
    #[must_use]
    pub fn watching(controller: impl Controller + Send + 'static) -> Self {
        Self { controller: Box::new(controller), watches: true }
    }

    /// Always the same number.
    #[must_use]
    pub fn fixed(robots: u32) -> Self {
        Self { controller: Box::new(control::controller::baselines::Fixed(robots)), watches: false }
    }
}

impl fmt::Debug for Steering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Steering").field("watches", &self.watches).finish_non_exhaustive()
    }
}

/// For some time the same number of robots.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    since: f64,
    active: u32,
    wanted: u32,
    /// How many of those wanted there was room for.
    allowed: u32,
}

impl Stretch {
    pub(super) fn begin() -> Self {
        Self { since: seconds(), active: 0, wanted: 0, allowed: 0 }
    }
}

impl Fleet {
    /// Robots wanted now. If places are kept for what they bring, no more than there are: no page is asked for twice because the
    /// first answer found no place.
    pub(super) fn wanted(&mut self) -> u32 {
        self.allowed = self.look();
        self.allowed
    }

    fn look(&mut self) -> u32 {
        let wanted = self.decide(Event::Tick);
        let room = |buffer: &dyn Buffer<Delivery>| buffer.capacity().saturating_sub(buffer.occupancy()) as u32;
        let most = if self.reserve { wanted.min(room(&*self.buffer)) } else { wanted };
        let may_grow = most < wanted || self.steering.watches;
        if self.active < most || !may_grow {
            return most;
        }
        // Said before the last look, so that room made in between is not missed.
        self.counters.wait_for_room.store(true, Ordering::SeqCst);
        let wanted = self.decide(Event::Tick);
        if self.reserve { wanted.min(room(&*self.buffer)) } else { wanted }
    }

    /// Tells the controller what happened; what it wants.
    pub(super) fn decide(&mut self, event: Event) -> u32 {
        let observation = Observation { now: seconds(), pages: self.buffer.occupancy(), size_class: None, event };
        let wanted = self.steering.controller.robots(&observation);
        self.counters.wanted.store(u64::from(wanted), Ordering::Relaxed);
        wanted
    }

    /// Notes how many robots are at work from now on. `had_work` says whether there was work when one more was to be sent out.
    pub(super) fn note_robots(&mut self, had_work: Option<bool>) {
        let (active, wanted) = (self.active, self.counters.wanted.load(Ordering::Relaxed) as u32);
        let before = self.stretch;
        let now = seconds();
        if (active, wanted) == (before.active, before.wanted) && now - before.since < LONGEST_STRETCH {
            return;
        }
        let is_short = before.active >= before.allowed && had_work != Some(false);
        let time = (now - before.since).max(0.0);
        let Stretch { active: were, wanted: had, .. } = before;
        self.counters.worked.fetch_add((f64::from(were) * time * 1e6) as u64, Ordering::Relaxed);
        if let Some(seen) = &self.seen {
            _ = seen.send(Seen::Worked { at: now, time, active: were, wanted: had, is_short, next: active });
        }
        self.stretch = Stretch { since: now, active, wanted, allowed: self.allowed };
    }

    /// When a document that is brought now becomes obsolete: its page may have changed in the meantime.
    pub(super) fn obsolete_at(&mut self, now: f64, rate: f64) -> Option<f64> {
        let most = self.state.settings.obsolete_after;
        let time = match self.state.settings.learned_obsolescence && rate > 0.0 {
            true => most.min(-self.uniform().ln() / rate),
            false => most,
        };
        Some(now + time).filter(|at| at.is_finite())
    }

    /// A number between 0 and 1: Steele, Lea and Flood's splitmix64.
    fn uniform(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64 + f64::EPSILON
    }
}
