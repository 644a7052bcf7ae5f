//! When does a page change?

use super::{PageNumber, World};
use crate::random::{Stream, rng};
use crate::settings::Changes;

/// How far the life of a page has been followed.
///
/// Gap number `k` of a page depends on the seed, the page and `k` alone, so that it does not matter when is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cursor {
    /// Changes so far; 0 is what it says when it appears.
    pub version: u64,
    /// When it last changed. For version 0 that was some time before it appeared.
    pub last: f64,
    /// When it changed before that.
    pub before_last: f64,
    /// When it changes next.
    pub next: f64,
}

impl World {
    /// The life of a page from its beginning.
    #[must_use]
    pub fn begin(&self, number: PageNumber) -> Cursor {
        let page = self.page(number);
        let age = sim::exponential(&mut rng(self.seed, Stream::Ages, u64::from(number.0), 0), page.rate);
        // What hardly ever changes is a year old.
        let last = page.from - age.min(365.0 * 86_400.0);
        let next = self.change_after(number, 0, page.from);
        Cursor { version: 0, last, before_last: f64::NEG_INFINITY, next }
    }

    /// Follows the life of a page up to `now`; a page that has gone no longer changes. It never goes back.
    pub fn follow(&self, number: PageNumber, cursor: &mut Cursor, now: f64) {
        let end = now.min(self.page(number).until);
        while cursor.next <= end {
            cursor.version += 1;
            cursor.before_last = cursor.last;
            cursor.last = cursor.next;
            cursor.next = self.change_after(number, cursor.version, cursor.last);
        }
    }

    /// The version of a page at any time.
    #[must_use]
    pub fn version(&self, number: PageNumber, now: f64) -> u64 {
        let mut cursor = self.begin(number);
        self.follow(number, &mut cursor, now);
        cursor.version
    }

    /// When a version of a page was replaced by the next: the time of change number `version + 1`.
    #[must_use]
    pub fn end_of_version(&self, number: PageNumber, version: u64) -> f64 {
        let mut cursor = self.begin(number);
        while cursor.version < version && cursor.next.is_finite() {
            let next = cursor.next;
            self.follow(number, &mut cursor, next);
            if cursor.next == next {
                // It has gone before that.
                return f64::INFINITY;
            }
        }
        cursor.next
    }

    /// When the change after `version` comes, which itself came at `last`.
    fn change_after(&self, number: PageNumber, version: u64, last: f64) -> f64 {
        let page = self.page(number);
        let mut rng = rng(self.seed, Stream::Changes, u64::from(number.0), version);
        let gap = match &self.changes {
            Changes::Poisson => sim::exponential(&mut rng, page.rate),
            Changes::Renewal(_) if page.rate <= 0.0 => f64::INFINITY,
            Changes::Renewal(gaps) if version == 0 => gaps.residual(&mut rng) / page.rate,
            Changes::Renewal(gaps) => gaps.gap(&mut rng) / page.rate,
            Changes::Replayed(lives) => {
                let times = &lives[number.0 as usize].changes;
                // What comes at the start or before is in the first version.
                let first = times.partition_point(|at| *at <= page.from);
                return times.get(first + version as usize).copied().unwrap_or(f64::INFINITY);
            }
        };
        // A gap too small to be seen beside the clock must still move it.
        (last + gap).max(last.next_up())
    }
}
