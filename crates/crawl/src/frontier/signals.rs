//! What others say about changes, and what that has proved to be worth: by host and kind.

use freshness::learn::{SignalLearner, SignalModel, Span};
use freshness::{HostId, PageId};

use super::lists::Lists;
use super::rates::Rates;
use super::{Frontier, Page, Place};

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

/// Silence is trusted as if at least a twentieth of the changes were not told of: a list that was right for long may stop being kept.
const MOST_TRUSTED: f64 = 0.95;

/// Signals of each kind since the last visit to a page.
pub(super) type Counts = [u8; 3];

/// What was heard of a page since its last visit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Heard {
    /// Signals of each kind.
    pub(super) counts: Counts,
    /// The time of which is known what was signalled, by kind.
    pub(super) told: [f64; 3],
}

/// How far the signals of a host can be trusted. A kind is learned from its first signal on.
#[derive(Debug, Default)]
pub(super) struct Signals {
    learners: [Option<Box<Trusted>>; 3],
}

/// A kind of signal, and what is believed of it now.
#[derive(Debug)]
struct Trusted {
    learner: SignalLearner,
    model: SignalModel,
}

impl Trusted {
    fn new(learner: SignalLearner) -> Self {
        Self { model: learner.model(), learner }
    }
}

impl Signals {
    /// Takes in a visit, the time `tau` after the one before, to a page that changes at rate `mu`.
    pub(super) fn record(&mut self, (mu, tau): (f64, f64), heard: Heard, changed: bool) {
        for (kind, known) in self.learners.iter_mut().enumerate() {
            let (count, told) = (heard.counts[kind], heard.told[kind]);
            if count > 0 {
                known.get_or_insert_with(|| Box::new(Trusted::new(SignalLearner::new())));
            }
            if let Some(known) = known.as_mut().filter(|_| told > 0.0) {
                known.learner.record(mu, Span::new(tau, told), u32::from(count), changed);
                known.model = known.learner.model();
            }
        }
    }

    /// What has been learned of a kind, if it has ever been heard.
    pub(super) fn learner(&self, kind: SignalKind) -> Option<&SignalLearner> {
        self.learners[kind as usize].as_ref().map(|known| &known.learner)
    }

    /// What is believed of a kind now.
    fn model(&self, kind: usize) -> SignalModel {
        self.learners[kind].as_ref().map_or(SignalModel::USELESS, |known| known.model)
    }

    /// Goes on with what was learned before.
    pub(super) fn restore(&mut self, kind: SignalKind, learner: SignalLearner) {
        self.learners[kind as usize] = Some(Box::new(Trusted::new(learner)));
    }

    /// By how much signals make a page of rate `mu` look older: each kind by itself.
    pub(super) fn older(&self, mu: f64, counts: Counts) -> f64 {
        let older = |(kind, count): (usize, u8)| self.model(kind).page(mu).apparent_age(0.0, u32::from(count));
        counts.into_iter().enumerate().filter(|(_, count)| *count > 0).map(older).sum()
    }

    /// By how much it makes a page look younger that nothing was said of changes: the most by any kind, as most of what one tells
    /// another does, too.
    /// No recall counts as more than `most`.
    pub(super) fn younger(&self, told: [f64; 3], most: f64) -> f64 {
        let younger = |(kind, told): (usize, f64)| self.model(kind).recall().min(most) * told;
        told.into_iter().enumerate().map(younger).fold(0.0, f64::max)
    }

    /// The kind that tells most about a page of rate `mu`: by what it has said, or else by what it has not.
    pub(super) fn most_telling(&self, mu: f64, heard: Heard) -> Option<(SignalModel, f64, u32)> {
        let all =
            (0..SignalKind::ALL.len()).map(|kind| (self.model(kind), heard.told[kind], u32::from(heard.counts[kind])));
        let said = |(model, _, count): &(SignalModel, f64, u32)| model.page(mu).hazard(0.0, *count);
        let unsaid = |(model, told, _): &(SignalModel, f64, u32)| model.recall() * told;
        all.filter(|kind| unsaid(kind) > 0.0)
            .max_by(|a, b| said(a).total_cmp(&said(b)).then(unsaid(a).total_cmp(&unsaid(b))))
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
        let count = &mut record.signals[kind as usize];
        *count = count.saturating_add(1);
        if record.place == Place::Index {
            self.refresh.look_accessed(page, seems_visited(record, &self.rates, &self.lists));
        }
    }

    /// When a page seems to have been visited, by what has been heard of it since: later than it was if nothing was said, earlier
    /// after a signal.
    #[must_use]
    pub fn seems_visited(&self, page: PageId) -> Option<f64> {
        self.visited(page)?;
        Some(seems_visited(&self.pages[page.0 as usize], &self.rates, &self.lists))
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

/// When a page seems to have been visited (law F-30), as visits go by it: with care.
pub(super) fn seems_visited(page: &Page, rates: &Rates, lists: &Lists) -> f64 {
    as_if_visited(page, (rates, lists), MOST_TRUSTED)
}

/// The same where no recall counts as more than `most`.
pub(super) fn as_if_visited(page: &Page, (rates, lists): (&Rates, &Lists), most: f64) -> f64 {
    if page.lists == [None; 2] && page.signals == [0; 3] {
        return page.visited;
    }
    let told = lists.told_of(page, f64::INFINITY);
    page.visited + rates.younger(page.host, told, most) - rates.older(page.group(), page.evidence, page.signals)
}
