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
    #[must_use]
    pub fn hazard(&self, tau: f64, signals: u32) -> f64 {
        let signalled = if signals == 0 { 0.0 } else { f64::from(signals) * self.hazard_per_signal };
        self.unsignalled_rate * tau + signalled
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

    /// What a change found `tau` after the visit before, with `n` signals in between, is worth for learning the rate.
    ///
    /// As in F-21, from the likelihood `gamma^n e^(-gamma tau) (1 - e^-x)`, which holds however the signals were used
    /// to choose the time of the visit. Its score may ask for a negative exposure; then the exposure is `r tau`, by which
    /// the likelihood falls in the end, and `changes` is what keeps the score.
    fn worth_of_change(&self, tau: f64, n: f64) -> Worth {
        let (r, m) = (self.recall, self.change_rate);
        if n == 0.0 || self.hazard_per_signal == 0.0 {
            let unsignalled = Worth::of(Observation::Changed, tau, self.unsignalled_rate);
            let exposure = r * tau + (1.0 - r) * unsignalled.exposure;
            return Worth { changes: unsignalled.changes, exposure };
        }
        if self.hazard_per_signal == f64::INFINITY {
            return Worth { changes: n, exposure: r * tau };
        }
        let (delta, p) = (self.hazard_per_signal, self.precision());
        let x = self.unsignalled_rate * tau + n * delta;
        let seen = Worth::of(Observation::Changed, x, 1.0);
        // dx/d(ln m) = alpha tau + n p = x - n phi(delta).
        let rho = 1.0 - n * phi(delta) / x;
        let odds_fresh = 1.0 / x.exp_m1();
        let changes = rho * rho * seen.changes + n * p * p * (1.0 + odds_fresh);
        let rest = rho * rho * seen.exposure + n * (p * p - rho * phi(delta)) * odds_fresh - n * p * (1.0 - p);
        let exposure = r * tau + rest / m;
        if exposure >= 0.0 { Worth { changes, exposure } } else { Worth { changes: changes - rest, exposure: r * tau } }
    }

    /// What a visit is worth for learning the rate: unchanged is unchanged, whatever was signalled.
    fn worth(&self, tau: f64, signals: u32, changed: bool) -> Worth {
        if !(0.0..f64::INFINITY).contains(&tau) {
            return Worth::default();
        }
        if changed {
            self.worth_of_change(tau, f64::from(signals))
        } else {
            Worth::of(Observation::Unchanged, tau, 0.0)
        }
    }
}

impl RateEstimate {
    /// Takes in a visit `tau` after the one before, with `signals` in between.
    ///
    /// When visits are hurried because of signals, [`RateEstimate::update`] would see changes more often than the rate
    /// alone explains and overrate the page; this does not.
    pub fn update_signalled(&mut self, tau: f64, signals: u32, changed: bool, model: &SignalModel) {
        self.add(model.page(self.mean()).worth(tau, signals, changed));
    }
}

impl Evidence {
    /// Like [`Evidence::record`], for a visit before which `signals` came: see [`RateEstimate::update_signalled`].
    pub fn record_signalled(
        &mut self,
        tau: f64,
        (signals, changed): (u32, bool),
        model: &SignalModel,
        prior: &Prior,
        forgetting: Forgetting,
    ) {
        let page = model.page(self.estimate(prior).mean());
        self.add(page.worth(tau, signals, changed), forgetting.remains(tau));
    }
}

#[cfg(test)]
mod tests;
