//! What visits have taught about one page, apart from its prior, in eight bytes.

use super::estimate::{Observation, RateEstimate, Worth};
use super::prior::Prior;

/// Above this many changes the evidence is halved: the rate is then known to 1.6%, sums of single precision still see
/// one more visit, and a rate that moves is followed.
const MOST_CHANGES: f64 = 4096.0;

/// How fast old evidence loses its weight. The prior never does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Forgetting {
    /// Not at all.
    #[default]
    Never,
    /// By half in this much time.
    HalfLife(f64),
    /// By half in this many visits.
    HalfLifeInVisits(f64),
}

impl Forgetting {
    /// What remains of the evidence after a gap of `tau` that ends in a visit. A half-life that is not positive is
    /// none.
    pub(super) fn remains(self, tau: f64) -> f64 {
        let half_lives = match self {
            Self::HalfLife(time) if time > 0.0 => tau / time,
            Self::HalfLifeInVisits(visits) if visits > 0.0 => 1.0 / visits,
            _ => 0.0,
        };
        if half_lives >= 0.0 { (-half_lives).exp2() } else { 1.0 }
    }
}

/// What visits have taught about one page: as much as `changes` seen in a time of `exposure`.
///
/// Together with a [`Prior`] it makes an estimate. Kept apart because the prior of a site goes on being learned, and
/// then every page of the site profits; and because forgetting must not touch it. Eight bytes per page.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Evidence {
    changes: f32,
    exposure: f32,
}

impl Evidence {
    /// Evidence as stored; values that are not finite numbers of at least zero count as zero.
    #[must_use]
    pub fn from_parts(changes: f32, exposure: f32) -> Self {
        let clean = |v: f32| if v >= 0.0 && v.is_finite() { v } else { 0.0 };
        Self { changes: clean(changes), exposure: clean(exposure) }
    }

    /// As many changes have been seen. Not a whole number: see [`RateEstimate`] for what one visit counts.
    #[must_use]
    pub fn changes(&self) -> f32 {
        self.changes
    }

    /// In as much time.
    #[must_use]
    pub fn exposure(&self) -> f32 {
        self.exposure
    }

    /// The estimate that follows from this evidence and a prior: [`Prior::given`].
    #[must_use]
    pub fn estimate(&self, prior: &Prior) -> RateEstimate {
        prior.given(f64::from(self.changes), f64::from(self.exposure))
    }

    /// Takes in a visit `tau` after the one before; what was known is first discounted by `forgetting`.
    pub fn record(&mut self, tau: f64, observation: Observation, prior: &Prior, forgetting: Forgetting) {
        let mean = self.estimate(prior).mean();
        self.add(Worth::of(observation, tau, mean), forgetting.remains(tau));
    }

    pub(super) fn add(&mut self, worth: Worth, remains: f64) {
        let mut changes = f64::from(self.changes) * remains + worth.changes;
        let mut exposure = f64::from(self.exposure) * remains + worth.exposure;
        if changes > MOST_CHANGES {
            changes *= 0.5;
            exposure *= 0.5;
        }
        let most = f64::from(f32::MAX);
        (self.changes, self.exposure) = (changes.min(most) as f32, exposure.min(most) as f32);
    }
}

#[cfg(test)]
mod tests;
