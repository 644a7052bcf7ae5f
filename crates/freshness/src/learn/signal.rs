//! Change signals (sitemap lastmod, feeds, pings) that may lie and may be missing.

use thiserror::Error;

use super::estimate::{Observation, RateEstimate, Worth};
use super::evidence::{Evidence, Forgetting};
use super::prior::Prior;
use crate::special::phi;

/// How far a kind of signal can be trusted: each change is signalled with probability `recall`, and signals without a
/// change arrive as a Poisson process of rate `false_rate`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignalModel {
    recall: f64,
    false_rate: f64,
}

/// What is wrong with the parameters of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SignalError {
    /// The recall is a probability.
    #[error("recall must be between 0 and 1, got {0}")]
    Recall(f64),
    /// The false rate is a rate.
    #[error("false rate must be a finite number of at least 0, got {0}")]
    FalseRate(f64),
}

impl SignalModel {
    /// A signal that says nothing.
    pub const USELESS: Self = Self { recall: 0.0, false_rate: 0.0 };

    /// A kind of signal with this recall and this rate of false signals per page.
    ///
    /// # Errors
    /// The recall must be a probability, the rate finite and not negative.
    pub fn new(recall: f64, false_rate: f64) -> Result<Self, SignalError> {
        if !(0.0..=1.0).contains(&recall) {
            return Err(SignalError::Recall(recall));
        }
        if !(0.0..f64::INFINITY).contains(&false_rate) {
            return Err(SignalError::FalseRate(false_rate));
        }
        Ok(Self { recall, false_rate })
    }

    /// `r`, the share of changes that are signalled.
    #[must_use]
    pub fn recall(&self) -> f64 {
        self.recall
    }

    /// `nu`, signals without a change per page and unit of time.
    #[must_use]
    pub fn false_rate(&self) -> f64 {
        self.false_rate
    }

    /// `r mu/(r mu + nu)`, the share of signals that are true, on a page that changes at rate `mu`.
    #[must_use]
    pub fn precision(&self, mu: f64) -> f64 {
        let true_rate = self.recall * mu;
        if true_rate > 0.0 { true_rate / (true_rate + self.false_rate) } else { 0.0 }
    }

    /// By how much a signal is likelier, in the time `tau` since a visit, after a change than without one: `r e^(-nu tau)`. Nothing
    /// for one who says at every turn that all has changed.
    #[must_use]
    pub fn telling(&self, tau: f64) -> f64 {
        self.recall * (-self.false_rate * tau.max(0.0)).exp()
    }

    /// These signals as they concern a page that changes at rate `mu`. A rate that is not a positive number counts as
    /// zero.
    #[must_use]
    pub fn page(&self, mu: f64) -> SignalledPage {
        SignalledPage::new(*self, if mu > 0.0 { mu.min(f64::MAX) } else { 0.0 })
    }
}

/// The time since a visit, and for how much of it, from its beginning, it is known what was signalled.
///
/// Who is told of changes at once knows it of all that time: such a span is made from its length alone. Who has to read what is
/// told, as with sitemaps and feeds, knows it up to the last reading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    length: f64,
    told: f64,
}

impl Span {
    /// A time of this length, of which so much was told. That is at least nothing and at most all of it.
    #[must_use]
    pub fn new(length: f64, told: f64) -> Self {
        let most = if length > 0.0 { length } else { 0.0 };
        Self { length, told: if told > 0.0 { told.min(most) } else { 0.0 } }
    }

    /// `tau`.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.length
    }

    /// `s`, the part of it, at its beginning, of which it is known what was signalled.
    #[must_use]
    pub fn told(&self) -> f64 {
        self.told
    }

    /// The last `age` of it, as it counts for one who hears of a part `r` of the changes in what was told (law F-30).
    fn untold(&self, age: f64, r: f64) -> f64 {
        let age = age.clamp(0.0, self.length.max(0.0));
        let within_told = (age - (self.length - self.told)).max(0.0);
        (age - r * within_told).max(0.0)
    }
}

impl From<f64> for Span {
    fn from(tau: f64) -> Self {
        Self::new(tau, tau)
    }
}

/// Law F-24: a page that changes at rate `mu` and has signals with recall `r` and false rate `nu`.
///
/// Changes without a signal arrive at rate `alpha = (1 - r) mu`, signals, true or false, at rate `gamma = r mu + nu`.
/// Given `n` signals in a time `tau` after a visit each is false with probability `nu/gamma`, so the copy is still
/// fresh with probability `e^(-alpha tau) (nu/gamma)^n = e^-x`, where the *hazard* `x = alpha tau + n delta` grows by
/// `delta = ln(gamma/nu)` at each signal: a signal makes the page look `beta = delta/alpha` older.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignalledPage {
    recall: f64,
    change_rate: f64,
    unsignalled_rate: f64,
    signal_rate: f64,
    false_rate: f64,
    hazard_per_signal: f64,
}

impl SignalledPage {
    fn new(model: SignalModel, mu: f64) -> Self {
        let (r, nu) = (model.recall, model.false_rate);
        // ln(gamma/nu); a signal that is never true says nothing, one that is never false says all.
        let hazard_per_signal = if r * mu > 0.0 { (r * mu / nu).ln_1p() } else { 0.0 };
        Self {
            recall: r,
            change_rate: mu,
            unsignalled_rate: (1.0 - r) * mu,
            signal_rate: r * mu + nu,
            false_rate: nu,
            hazard_per_signal,
        }
    }

    /// `mu`.
    #[must_use]
    pub fn change_rate(&self) -> f64 {
        self.change_rate
    }

    /// `alpha = (1 - r) mu`, changes that no signal tells of.
    #[must_use]
    pub fn unsignalled_rate(&self) -> f64 {
        self.unsignalled_rate
    }

    /// `gamma = r mu + nu`, signals of either kind.
    #[must_use]
    pub fn signal_rate(&self) -> f64 {
        self.signal_rate
    }

    /// `nu`, false signals.
    #[must_use]
    pub fn false_rate(&self) -> f64 {
        self.false_rate
    }

    /// `delta = ln(gamma/nu)`: zero if signals say nothing, infinite if they never lie.
    #[must_use]
    pub fn hazard_per_signal(&self) -> f64 {
        self.hazard_per_signal
    }

    /// `p = r mu/gamma`, the share of signals that are true.
    #[must_use]
    pub fn precision(&self) -> f64 {
        -(-self.hazard_per_signal).exp_m1()
    }

    /// `x = alpha tau + n delta`, minus the logarithm of the probability that the copy is still fresh.
    ///
    /// Law F-30: where signals are known only of the first part `s` of that time, changes in the rest are as if nobody signalled,
    /// and `x = mu (tau - r s) + n delta`: for a page that changes at rate `mu` to have been told of for a time `s` is as good as to
    /// have been visited `r s` later.
    #[must_use]
    pub fn hazard(&self, span: impl Into<Span>, signals: u32) -> f64 {
        let signalled = if signals == 0 { 0.0 } else { f64::from(signals) * self.hazard_per_signal };
        let span = span.into();
        self.change_rate * span.untold(span.length, self.recall) + signalled
    }

    /// The age at which a page of this rate without signals is as likely stale: the hazard over `mu`. Zero if it never changes.
    #[must_use]
    pub fn apparent_age(&self, span: impl Into<Span>, signals: u32) -> f64 {
        if self.change_rate > 0.0 { self.hazard(span, signals) / self.change_rate } else { 0.0 }
    }

    /// `tau + n beta`, the age at which the page would be as likely stale had no signal come. Infinite if a signal came
    /// and changes never go without one.
    #[must_use]
    pub fn effective_age(&self, tau: f64, signals: u32) -> f64 {
        if signals == 0 || self.hazard_per_signal == 0.0 {
            return tau;
        }
        tau + f64::from(signals) * self.hazard_per_signal / self.unsignalled_rate
    }

    /// What a change found after the visit before, with `n` signals in between, is worth for learning the rate.
    ///
    /// As in F-21, from the likelihood `gamma^n e^(-gamma s) (1 - e^-x)`, which holds however the signals were used
    /// to choose the time of the visit. Its score may ask for a negative exposure; then the exposure is `r s`, by which
    /// the likelihood falls in the end, and `changes` is what keeps the score.
    fn worth_of_change(&self, span: Span, n: f64) -> Worth {
        let (r, m, s) = (self.recall, self.change_rate, span.told);
        let untold = span.untold(span.length, r);
        if n == 0.0 || self.hazard_per_signal == 0.0 {
            let Worth { changes, exposure } = Worth::of(Observation::Changed, untold, m);
            return Worth { changes, exposure: r * s + exposure };
        }
        if self.hazard_per_signal == f64::INFINITY {
            return Worth { changes: n, exposure: r * s };
        }
        let (delta, p) = (self.hazard_per_signal, self.precision());
        let x = m * untold + n * delta;
        let seen = Worth::of(Observation::Changed, x, 1.0);
        // dx/d(ln m) = m (tau - r s) + n p = x - n phi(delta).
        let rho = 1.0 - n * phi(delta) / x;
        let odds_fresh = 1.0 / x.exp_m1();
        let changes = rho * rho * seen.changes + n * p * p * (1.0 + odds_fresh);
        let rest = rho * rho * seen.exposure + n * (p * p - rho * phi(delta)) * odds_fresh - n * p * (1.0 - p);
        let exposure = r * s + rest / m;
        if exposure >= 0.0 { Worth { changes, exposure } } else { Worth { changes: changes - rest, exposure: r * s } }
    }

    /// What a visit is worth for learning the rate: unchanged is unchanged, whatever was signalled. The date of a change counts
    /// (F-23) if it was not signalled: with a signal it would only say again when that came.
    fn worth(&self, span: Span, signals: u32, observation: Observation) -> Worth {
        if !(0.0..f64::INFINITY).contains(&span.length) {
            return Worth::default();
        }
        let (r, within) = (self.recall, observation.within(span.length));
        match within {
            Observation::Unchanged => Worth::of(within, span.length, 0.0),
            Observation::ChangedAt { age } if signals == 0 => {
                Worth { changes: 1.0, exposure: r * span.told + span.untold(age, r) }
            }
            Observation::ChangedBetween { least, most } if signals == 0 => {
                let (least, most) = (span.untold(least, r), span.untold(most, r));
                let Worth { changes, exposure } =
                    Worth::of(Observation::ChangedBetween { least, most }, most, self.change_rate);
                Worth { changes, exposure: r * span.told + exposure }
            }
            _ => self.worth_of_change(span, f64::from(signals)),
        }
    }
}

impl RateEstimate {
    /// Takes in a visit this time after the one before, with `signals` in between.
    ///
    /// When visits are hurried because of signals, [`RateEstimate::update`] would see changes more often than the rate
    /// alone explains and overrate the page; this does not.
    pub fn update_signalled(
        &mut self,
        span: impl Into<Span>,
        signals: u32,
        observation: Observation,
        model: &SignalModel,
    ) {
        self.add(model.page(self.mean()).worth(span.into(), signals, observation));
    }
}

impl Evidence {
    /// Like [`Evidence::record`], for a visit before which `signals` came: see [`RateEstimate::update_signalled`].
    pub fn record_signalled(
        &mut self,
        span: impl Into<Span>,
        (signals, observation): (u32, Observation),
        model: &SignalModel,
        prior: &Prior,
        forgetting: Forgetting,
    ) {
        let (span, page) = (span.into(), model.page(self.estimate(prior).mean()));
        self.add(page.worth(span, signals, observation), forgetting.remains(span.length));
    }
}

#[cfg(test)]
mod tests;
