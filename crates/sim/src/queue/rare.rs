//! What was seldom seen, or never, is not known as well as batches that hardly differ suggest.

use crate::measure::Estimate;

/// With fewer events than this, batches say little about how often they happen.
const FEW: f64 = 30.0;

/// The normal 97.5% point, squared.
const Z2: f64 = 3.841_458_820_694_124;

/// How often something was seen, and what one more event would add to its share at most.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    pub events: f64,
    pub each: f64,
}

impl Seen {
    /// How much larger the share may be than it was: with `n` independent events the score interval of a Poisson count ends at
    /// `n + z^2/2 + z sqrt(n + z^2/4)`, so that nothing seen still allows for 3.84 events, much as in the rule of three.
    fn more(self, share: f64) -> f64 {
        let more = Z2 / 2.0 + (Z2 * (self.events + Z2 / 4.0)).sqrt();
        more * if self.events > 0.0 { share / self.events } else { self.each }
    }
}

/// A share with an interval that is no narrower than few events allow: those that make it up, or if it is more than a half those
/// that make up the rest.
pub(super) fn widened(share: Estimate, seen: Seen, others: Seen) -> Estimate {
    let (part, seen) = if share.mean <= 0.5 { (share.mean, seen) } else { (1.0 - share.mean, others) };
    let floor = if seen.events < FEW { seen.more(part) } else { 0.0 };
    Estimate { half_width: share.half_width.max(floor), ..share }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANY: Seen = Seen { events: 1e6, each: 0.0 };

    fn half_width(mean: f64, events: f64) -> f64 {
        widened(Estimate { mean, half_width: 0.0 }, Seen { events, each: 0.001 }, MANY).half_width
    }

    /// Exact two-sided 95% upper limits of a Poisson count: 3.69, 5.57, 7.22 for 0, 1, 2 events, 18.39 for 10 (Garwood 1936); the
    /// score interval is within 5% of them.
    #[test]
    fn limits_are_those_of_a_poisson_count() {
        for (events, limit) in [(0.0, 3.69), (1.0, 5.57), (2.0, 7.22), (10.0, 18.39)] {
            let upper = events * 0.001 + half_width(events * 0.001, events);
            assert!((upper / (0.001 * limit) - 1.0).abs() < 0.05, "{events}: {upper}");
        }
        assert_eq!(half_width(0.03, FEW), 0.0);
    }

    #[test]
    fn what_never_failed_may_still_fail() {
        let always = Estimate { mean: 1.0, half_width: 0.0 };
        let widened = widened(always, MANY, Seen { events: 0.0, each: 0.001 });
        assert!(widened.contains(0.997) && !widened.contains(0.99), "{widened:?}");
    }
}
