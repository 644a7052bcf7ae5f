//! How far the signals of a site can be trusted, learned from what visits find.

use super::signal::{SignalModel, Span};

/// Recalls that are weighed against each other: 0, 1/32, ..., 1.
const RECALLS: usize = 33;

/// Visits after which old ones lose their weight, so that a site that changes its habits is found out.
const MEMORY: f64 = 4000.0;

/// False signals presumed before anything is known.
const PRIOR_FALSE: f64 = 1.0;

/// No recall is believed to be less likely than another by more than this, as a logarithm: however long signals were right, when they
/// no longer are some visits are enough to see it.
const MOST_CERTAIN: f64 = 20.0;

/// The hazard is kept within these bounds when a visit is judged, so that no single visit decides: a wrong date, a
/// visit that crossed with a signal.
const HAZARD_BOUNDS: (f64, f64) = (1e-3, 7.0);

/// Learns recall and false rate of one kind of signal on one site from its visits.
///
/// Two facts hold however signals are used to choose the time of the visits, as long as nothing but signals and time is
/// used (F-24; `x` is the hazard for recall `r` and false rate `nu`):
///
/// - signals arrive at rate `gamma = r mu + nu`, so `sum n = r sum mu s + nu sum s` on average (optional stopping), where `s` is
///   the time of which it is known what was signalled: for each `r` there is one `nu` that explains how many signals came;
/// - given its signals, a visit finds the page unchanged with probability `e^-x`.
///
/// So the likelihood of what the visits found is kept for each `r` on a grid, with its `nu`, and weighted with a prior
/// that believes little: recall zero as likely as all others together, and those the less likely the larger. The model
/// is the mean. A sitemap that flags everything, or nothing, explains no finding better than recall zero does.
///
/// The change rates may be learned at the same time
/// ([`RateEstimate::update_signalled`](super::RateEstimate::update_signalled)): they enter through `mu tau` and `mu s` only.
/// Bounded memory; learners of parts of a site are merged by adding.
#[derive(Clone, Debug, PartialEq)]
pub struct SignalLearner {
    log_likelihoods: [f64; RECALLS],
    signals: f64,
    surely_false: f64,
    changes: f64,
    time: f64,
    visits: f64,
}

impl Default for SignalLearner {
    fn default() -> Self {
        Self { log_likelihoods: [0.0; RECALLS], signals: 0.0, surely_false: 0.0, changes: 0.0, time: 0.0, visits: 0.0 }
    }
}

fn recall(j: usize) -> f64 {
    j as f64 / (RECALLS - 1) as f64
}

/// Half for recall zero; the other half falls linearly to zero beyond recall one.
fn prior_weight(j: usize) -> f64 {
    let others = (RECALLS * (RECALLS - 1)) as f64 / 2.0;
    if j == 0 { 1.0 } else { (RECALLS - j) as f64 / others }
}

impl SignalLearner {
    /// A learner that has seen nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What is believed of the signals now: useless until a visit has been seen.
    #[must_use]
    pub fn model(&self) -> SignalModel {
        let best = self.log_likelihoods.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut total, mut mean) = (0.0, 0.0);
        for (j, l) in self.log_likelihoods.iter().enumerate() {
            let weight = prior_weight(j) * (l - best).exp();
            total += weight;
            mean += weight * recall(j);
        }
        let recall = (mean / total).clamp(0.0, 1.0);
        SignalModel::new(recall, self.false_rate(recall)).unwrap_or(SignalModel::USELESS)
    }

    /// `nu = (sum n - r sum mu s)/sum s`, where the false signals, of which one is presumed, are no fewer than
    /// those that came before a visit that found no change.
    fn false_rate(&self, recall: f64) -> f64 {
        ((self.signals - recall * self.changes).max(self.surely_false) + PRIOR_FALSE) / self.time
    }

    /// Takes in a visit, this time after the one before and with `signals` in between, to a page that changes at rate `mu`
    /// or is believed to. Visits that make no sense teach nothing, nor do those of pages of which nothing was told.
    pub fn record(&mut self, mu: f64, span: impl Into<Span>, signals: u32, changed: bool) {
        let span = span.into();
        let (tau, told) = (span.length(), span.told());
        let expected = mu * told;
        if !(told > 0.0 && tau < f64::INFINITY && (0.0..f64::INFINITY).contains(&(mu * tau))) {
            return;
        }
        self.fade();
        self.signals += f64::from(signals);
        self.surely_false += if changed { 0.0 } else { f64::from(signals) };
        self.changes += expected;
        self.time += told;
        self.visits += 1.0;
        for j in 0..RECALLS {
            let Ok(model) = SignalModel::new(recall(j), self.false_rate(recall(j))) else { return };
            let x = model.page(mu).hazard(span, signals).clamp(HAZARD_BOUNDS.0, HAZARD_BOUNDS.1);
            self.log_likelihoods[j] += if changed { (-(-x).exp_m1()).ln() } else { -x };
        }
        let best = self.log_likelihoods.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        self.log_likelihoods.iter_mut().for_each(|l| *l = l.max(best - MOST_CERTAIN));
    }

    fn fade(&mut self) {
        if self.visits < MEMORY {
            return;
        }
        let remains = 1.0 - 1.0 / MEMORY;
        self.log_likelihoods.iter_mut().for_each(|l| *l *= remains);
        for sum in [&mut self.signals, &mut self.surely_false, &mut self.changes, &mut self.time, &mut self.visits] {
            *sum *= remains;
        }
    }

    /// Everything it has seen, as numbers to be stored.
    #[must_use]
    pub fn to_parts(&self) -> Vec<f64> {
        let sums = [self.signals, self.surely_false, self.changes, self.time, self.visits];
        sums.into_iter().chain(self.log_likelihoods).collect()
    }

    /// The learner that gave these numbers; none if they make no sense.
    #[must_use]
    pub fn from_parts(parts: &[f64]) -> Option<Self> {
        let (sums, likelihoods) = parts.split_first_chunk::<5>()?;
        let log_likelihoods: [f64; RECALLS] = likelihoods.try_into().ok()?;
        let is_sound = sums.iter().all(|sum| (0.0..f64::INFINITY).contains(sum))
            && log_likelihoods.iter().all(|l| l.is_finite() && *l <= 0.0);
        let [signals, surely_false, changes, time, visits] = *sums;
        is_sound.then_some(Self { log_likelihoods, signals, surely_false, changes, time, visits })
    }

    /// Adds what another learner of the same signals has seen.
    pub fn merge(&mut self, other: &Self) {
        for (l, more) in self.log_likelihoods.iter_mut().zip(&other.log_likelihoods) {
            *l += more;
        }
        self.signals += other.signals;
        self.surely_false += other.surely_false;
        self.changes += other.changes;
        self.time += other.time;
        self.visits += other.visits;
    }
}

#[cfg(test)]
pub(super) mod tests;
