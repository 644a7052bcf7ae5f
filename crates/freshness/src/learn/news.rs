//! How often to read what tells of other pages: a sitemap, a feed.

/// News is remembered for about this many readings.
const MEMORY: f64 = 20.0;

/// What readings of a list have brought so far: how much news, in what time. What counts as one piece of news, and what it weighs,
/// is for the caller to say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct News {
    seen: f64,
    exposure: f64,
    readings: f64,
}

impl News {
    /// Takes in a reading, the time `tau` after the one before, that brought so much news.
    pub fn record(&mut self, tau: f64, news: f64) {
        if !(tau >= 0.0 && tau.is_finite() && news >= 0.0 && news.is_finite()) {
            return;
        }
        let fading = if self.readings >= MEMORY { 1.0 - 1.0 / MEMORY } else { 1.0 };
        self.seen = fading * self.seen + news;
        self.exposure = fading * self.exposure + tau;
        self.readings = fading * self.readings + 1.0;
    }

    /// News per unit of time. `expected` is what is believed before anything has been seen; it counts as much as one piece of news
    /// of weight `piece` in the time in which one is expected.
    #[must_use]
    pub fn rate(&self, expected: f64, piece: f64) -> f64 {
        if !(expected > 0.0 && piece > 0.0) {
            return if self.exposure > 0.0 { self.seen / self.exposure } else { 0.0 };
        }
        (piece + self.seen) / (piece / expected + self.exposure)
    }

    /// All that is known, to be stored.
    #[must_use]
    pub fn to_parts(&self) -> [f64; 3] {
        [self.seen, self.exposure, self.readings]
    }

    /// What was stored; none if it makes no sense.
    #[must_use]
    pub fn from_parts(parts: [f64; 3]) -> Option<Self> {
        let [seen, exposure, readings] = parts;
        parts.iter().all(|part| *part >= 0.0 && part.is_finite()).then_some(Self { seen, exposure, readings })
    }
}

/// Law F-29: the best time between readings if each costs `price` and news worth `rate` per unit of time comes up, each piece of
/// which costs its worth per unit of time until it is read: `sqrt(2 price/rate)`. Without news it is infinite.
#[must_use]
pub fn reading_interval(price: f64, rate: f64) -> f64 {
    if rate > 0.0 { (2.0 * price.max(0.0) / rate).sqrt() } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What readings at this interval cost: their price, and news that comes up uniformly in between and waits for the next.
    fn cost(interval: f64, price: f64, rate: f64) -> f64 {
        let pieces = 10_000;
        let waited: f64 = (0..pieces).map(|n| interval * (f64::from(n) + 0.5) / f64::from(pieces)).sum();
        price / interval + rate * waited / f64::from(pieces)
    }

    proptest! {
        #[test]
        fn no_other_interval_is_better(price in 1e-3..1e6f64, rate in 1e-6..1e3f64, factor in 0.1..10.0f64) {
            let best = reading_interval(price, rate);
            prop_assert!(cost(best, price, rate) <= cost(factor * best, price, rate) * (1.0 + 1e-9));
        }

        #[test]
        fn the_rate_is_found(rate in 1e-4..1.0f64, tau in 1.0..1e4f64, expected in 1e-6..10.0f64) {
            let mut news = News::default();
            let readings = 10_000;
            (0..readings).for_each(|_| news.record(tau, rate * tau));
            // The belief at the start weighs one piece of news against all of what is remembered.
            let remembered = MEMORY * tau;
            let off = (1.0 + rate / expected) / (remembered + 1.0 / expected);
            prop_assert!((news.rate(expected, 1.0) - rate).abs() <= off * (1.0 + 1e-6));
            prop_assert_eq!(News::from_parts(news.to_parts()), Some(news));
        }
    }

    #[test]
    fn before_anything_is_known() {
        assert_eq!(News::default().rate(0.25, 3.0), 0.25);
        assert_eq!(News::default().rate(0.0, 1.0), 0.0);
        assert_eq!(reading_interval(1.0, 0.0), f64::INFINITY);
        assert_eq!(reading_interval(8.0, 1.0), 4.0);
        let mut news = News::default();
        news.record(f64::NAN, 1.0);
        news.record(-1.0, 1.0);
        assert_eq!(news, News::default());
        assert_eq!(News::from_parts([1.0, f64::NAN, 0.0]), None);
    }
}
