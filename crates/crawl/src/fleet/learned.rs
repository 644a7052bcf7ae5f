//! What has been learned about hosts, as the catalogue remembers it.

use std::collections::BTreeMap;

use freshness::learn::{Prior, SignalLearner};
use serde::{Deserialize, Serialize};
use store::{HostId, Timestamp};

use super::freshness_host;
use super::listings::Listing;
use super::state::State;
use crate::frontier::SignalKind;

/// A law of change rates: the median per second, and the standard deviation of its logarithm.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Law {
    /// The median of the change rates, per second.
    pub median_rate: f64,
    /// The standard deviation of their logarithm.
    pub spread: f64,
}

/// What the signals of one kind have proved to be worth.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Trust {
    /// The part of the changes that are signalled.
    pub recall: f64,
    /// Signals per second and page without a change.
    pub false_rate: f64,
    /// All that the learner knows.
    seen: Vec<f64>,
}

/// What has been learned about a host.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Learned {
    /// The change rates of its pages.
    #[serde(flatten)]
    pub law: Law,
    /// Those of the pages in each of its sections.
    #[serde(default)]
    pub sections: BTreeMap<String, Law>,
    /// What signals are worth, by kind.
    #[serde(default)]
    pub signals: BTreeMap<String, Trust>,
    /// Why its pages could not be read the last time, in words, until they can be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
    /// Its sitemaps and feeds, by address.
    #[serde(default)]
    listings: Vec<(String, Listing)>,
}

impl Law {
    fn of(prior: &Prior) -> Self {
        Self { median_rate: prior.median(), spread: prior.spread() }
    }

    /// The law as a prior, if it makes sense.
    #[must_use]
    pub fn prior(&self) -> Option<Prior> {
        Prior::new(self.median_rate, self.spread).ok()
    }
}

impl Trust {
    fn of(learner: &SignalLearner) -> Self {
        let model = learner.model();
        Self { recall: model.recall(), false_rate: model.false_rate(), seen: learner.to_parts() }
    }
}

impl Learned {
    /// Reads what the catalogue remembers; none if it makes no sense.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }
}

impl State {
    /// What has been learned about the pages of a host, as JSON.
    pub(super) fn learned(&self, id: HostId) -> String {
        let host = freshness_host(id);
        let frontier = &self.frontier;
        let trust = |kind: SignalKind| Some((kind.name().to_owned(), Trust::of(frontier.signal_learner(host, kind)?)));
        let signals = SignalKind::ALL.into_iter().filter_map(trust).collect();
        let names = self.hosts[id.0 as usize].sections.iter();
        let section =
            |(name, number): (&String, u16)| (name.clone(), Law::of(&self.frontier.prior_of_section(host, number)));
        let sections = names.zip(1..).map(section).collect();
        let listings = self.hosts[id.0 as usize].listings.remembered();
        let trouble = self.hosts[id.0 as usize].trouble.clone();
        let learned = Learned { law: Law::of(&self.frontier.prior_of(host)), sections, signals, trouble, listings };
        // It has no keys that are not text, so this does not fail.
        serde_json::to_string(&learned).unwrap_or_default()
    }

    /// Goes on with what was learned about the signals of a host. Rates are learned anew from the evidence of its pages.
    pub(super) fn restore_learned(&mut self, id: HostId, text: Option<&str>, now: Timestamp) {
        let Some(learned) = text.and_then(Learned::read) else { return };
        for kind in SignalKind::ALL {
            let learner = learned.signals.get(kind.name()).and_then(|trust| SignalLearner::from_parts(&trust.seen));
            if let Some(learner) = learner {
                self.frontier.restore_signals(freshness_host(id), kind, learner);
            }
        }
        self.hosts[id.0 as usize].trouble = learned.trouble;
        self.restore_listings(id, learned.listings, now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_learned_about_signals_survives() {
        let mut learner = SignalLearner::new();
        for visit in 0..200 {
            learner.record(0.01, 100.0, u32::from(visit % 2 == 0), visit % 2 == 0);
        }
        let trust = Trust::of(&learner);
        let law = Law { median_rate: 1e-5, spread: 1.5 };
        let learned = Learned {
            law,
            sections: BTreeMap::from([("/n\"e\\ws/".to_owned(), law)]),
            signals: BTreeMap::from([("feed".to_owned(), trust.clone())]),
            trouble: None,
            listings: Vec::new(),
        };
        let text = serde_json::to_string(&learned).unwrap();
        let read = Learned::read(&text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
        assert_eq!(SignalLearner::from_parts(&read.signals["feed"].seen), Some(learner));
        assert!(trust.recall > 0.5, "{}", trust.recall);
        for wrong in ["", "{}", "[]", r#"{"median_rate":1}"#] {
            assert!(Learned::read(wrong).is_none(), "{wrong}");
        }
        for wrong in [&[][..], &[1.0; 37], &[1.0; 38], &[f64::NAN; 38]] {
            assert_eq!(SignalLearner::from_parts(wrong), None);
        }
    }
}
