//! What time is it in the living web?

use std::fmt;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

/// Seconds since the start of the living web, and which moment that was.
#[derive(Clone)]
pub struct Clock {
    seconds: Arc<dyn Fn() -> f64 + Send + Sync>,
    epoch: f64,
}

impl Clock {
    /// A clock of one's own: `epoch` is the start in seconds since 1970, `seconds` tells how many have gone by.
    pub fn new(epoch: f64, seconds: impl Fn() -> f64 + Send + Sync + 'static) -> Self {
        Self { seconds: Arc::new(seconds), epoch }
    }

    /// The clock of the machine.
    #[must_use]
    pub fn starting_now() -> Self {
        let epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64());
        let start = Instant::now();
        Self::new(epoch, move || start.elapsed().as_secs_f64())
    }

    /// Seconds since the start.
    #[must_use]
    pub fn now(&self) -> f64 {
        (self.seconds)()
    }

    /// The start, in seconds since 1970.
    #[must_use]
    pub fn epoch(&self) -> f64 {
        self.epoch
    }

    /// A time since the start in whole seconds since 1970.
    pub(crate) fn unix(&self, time: f64) -> i64 {
        (self.epoch + time).floor() as i64
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Clock").field("epoch", &self.epoch).field("now", &self.now()).finish()
    }
}
