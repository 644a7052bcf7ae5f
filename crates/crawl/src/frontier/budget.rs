/// Requests that may be made: one more every `1/rate` seconds, saved up for at most a second or one request.
#[derive(Debug)]
pub(super) struct Budget {
    rate: Option<f64>,
    saved: f64,
    at: f64,
}

impl Budget {
    pub(super) fn new(rate: Option<f64>) -> Self {
        Self { rate, saved: 1.0, at: f64::NEG_INFINITY }
    }

    /// What was spent at another rate is not owed.
    pub(super) fn set(&mut self, rate: Option<f64>) {
        (self.rate, self.saved) = (rate, self.saved.max(0.0));
    }

    /// Whether a request may be made now.
    pub(super) fn has(&mut self, now: f64) -> bool {
        let Some(rate) = self.rate else { return true };
        if self.at.is_finite() {
            self.saved = (self.saved + rate * (now - self.at).max(0.0)).min(rate.max(1.0));
        }
        self.at = now;
        // A wait computed from a rate may end a rounding error too early.
        self.saved >= 1.0 - 1e-9
    }

    pub(super) fn spend(&mut self) {
        if self.rate.is_some() {
            self.saved -= 1.0;
        }
    }

    pub(super) fn unspend(&mut self) {
        if self.rate.is_some() {
            self.saved += 1.0;
        }
    }

    /// When the next request may be made, after [`Self::has`] said no.
    pub(super) fn next(&self) -> f64 {
        self.rate.map_or(self.at, |rate| self.at + (1.0 - self.saved) / rate)
    }
}
