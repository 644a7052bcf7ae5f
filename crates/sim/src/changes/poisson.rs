//! Poisson changes, drawn at the access and not one by one.

use rand_pcg::Pcg64Mcg;

use super::Changed;
use crate::random::{Stream, exponential, stream};

/// At an access only the first change since the access before is drawn: the process has no memory.
pub(crate) struct Poisson {
    rng: Pcg64Mcg,
    needs_last: bool,
}

impl Poisson {
    pub fn new(seed: u64, needs_last: bool) -> Self {
        Self { rng: stream(seed, Stream::Changes), needs_last }
    }

    /// `first = since + R`, `R` exponential (CLW (5)). Seen from `until` backwards the last change is exponential too,
    /// unless that passes the first, which is then the only one.
    pub fn between(&mut self, rate: f64, since: f64, until: f64) -> Option<Changed> {
        let first = since + exponential(&mut self.rng, rate);
        if first > until {
            return None;
        }
        let last = if self.needs_last { first.max(until - exponential(&mut self.rng, rate)) } else { first };
        Some(Changed { first, last, count: 1.0 + rate * (until - first) })
    }
}
