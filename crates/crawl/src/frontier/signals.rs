//! What others say about changes, and what that has proved to be worth: by host and kind.

use freshness::learn::{SignalLearner, SignalModel};
use freshness::{HostId, PageId};

use super::{Frontier, Place};

/// Who says that a page has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalKind {
    /// A sitemap, by the date it gives.
    Sitemap,
    /// A feed, likewise.
    Feed,
    /// Someone who told us.
    Ping,
}

impl SignalKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Sitemap, Self::Feed, Self::Ping];

    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sitemap => "sitemap",
            Self::Feed => "feed",
            Self::Ping => "ping",
        }
    }
}

/// Signals of each kind since the last visit to a page.
pub(super) type Counts = [u8; 3];

/// How far the signals of a host can be trusted. A kind is learned from its first signal on.
#[derive(Debug, Default)]
pub(super) struct Signals {
    learners: [Option<Box<SignalLearner>>; 3],
}

impl Signals {
    /// Takes in a visit, the time `tau` after the one before, to a page that changes at rate `mu`.
    pub(super) fn record(&mut self, (mu, tau): (f64, f64), signals: Counts, changed: bool) {
        for (learner, signals) in self.learners.iter_mut().zip(signals) {
            if signals > 0 {
                learner.get_or_insert_default();
            }
            if let Some(learner) = learner {
                learner.record(mu, tau, u32::from(signals), changed);
            }
        }
    }

    /// What has been learned of a kind, if it has ever been heard.
    pub(super) fn learner(&self, kind: SignalKind) -> Option<&SignalLearner> {
        self.learners[kind as usize].as_deref()
    }

    /// Goes on with what was learned before.
    pub(super) fn restore(&mut self, kind: SignalKind, learner: SignalLearner) {
        self.learners[kind as usize] = Some(Box::new(learner));
    }

    /// By how much signals make a page of rate `mu` look older: each kind by itself.
    pub(super) fn age(&self, mu: f64, signals: Counts) -> f64 {
        let older = |(model, signals): (SignalModel, u32)| model.page(mu).effective_age(0.0, signals);
        self.heard(signals).map(older).sum()
    }

    /// The kind that tells most about a page of rate `mu` of those that were heard.
    pub(super) fn most_telling(&self, mu: f64, signals: Counts) -> Option<(SignalModel, u32)> {
        let worth = |(model, signals): &(SignalModel, u32)| model.page(mu).hazard(0.0, *signals);
        self.heard(signals).max_by(|a, b| worth(a).total_cmp(&worth(b)))
    }

    /// The kinds that were heard: what they are worth, and how often.
    fn heard(&self, signals: Counts) -> impl Iterator<Item = (SignalModel, u32)> + '_ {
        let heard = SignalKind::ALL.into_iter().zip(signals).filter(|(_, count)| *count > 0);
        heard.map(|(kind, count)| {
            (self.learner(kind).map_or(SignalModel::USELESS, SignalLearner::model), u32::from(count))
        })
    }
}

impl Frontier {
    /// Someone says that a page has changed since its last visit (law F-24). It makes the page look older, by as much as such
    /// words about its host have proved to be worth.
    pub fn signal(&mut self, page: PageId, kind: SignalKind) {
        let record = &mut self.pages[page.0 as usize];
        if record.visited == f64::NEG_INFINITY {
            return;
        }
        let before = self.rates.signal_age(record.group(), record.evidence, record.signals);
        let count = &mut record.signals[kind as usize];
        *count = count.saturating_add(1);
        let by = self.rates.signal_age(record.group(), record.evidence, record.signals) - before;
        if record.place == Place::Index {
            self.refresh.look_older(page, by);
        }
    }

    /// What has been learned about signals of a kind from a host, if any has been heard.
    #[must_use]
    pub fn signal_learner(&self, host: HostId, kind: SignalKind) -> Option<&SignalLearner> {
        self.rates.signals_of(host.0)?.learner(kind)
    }

    /// Goes on with what was learned about signals of a host.
    pub fn restore_signals(&mut self, host: HostId, kind: SignalKind, learner: SignalLearner) {
        self.rates.signals(host.0).restore(kind, learner);
    }
}
