//! Which webs the engine is tried on.

use std::path::PathBuf;

use livingweb::{Changes, Lastmod, Options, RateLaw, Replacement, Settings, Weights};
use sim::Gaps;

use crate::rules::Rival;

/// A web, and what happens to the engine on it.
#[derive(Clone)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) weights: Weights,
    pub(crate) changes: Changes,
    pub(crate) lastmod: Lastmod,
    /// Whether feeds tell of changes.
    pub(crate) feeds: bool,
    /// Hosts that ask for a second between requests.
    pub(crate) slow_hosts: usize,
    /// The budget is halved halfway through the time of learning.
    pub(crate) halves: bool,
    /// Part of the pages that is replaced then.
    pub(crate) replaced: f64,
    /// With search index and archive.
    pub(crate) everything: bool,
    /// Learning takes so many times as long.
    pub(crate) patience: f64,
}

/// What all scenarios have in common.
#[derive(Clone)]
pub(crate) struct Scale {
    pub(crate) pages: usize,
    pub(crate) sigma: f64,
    pub(crate) mean_interval: f64,
    pub(crate) budget: f64,
    /// Seconds before anything is measured.
    pub(crate) learn: f64,
    /// Seconds measured.
    pub(crate) window: f64,
    /// Who else is tried.
    pub(crate) rivals: Vec<Rival>,
}

/// One measurement.
pub(crate) struct Job {
    pub(crate) scenario: Scenario,
    pub(crate) scale: Scale,
    pub(crate) seed: u64,
    pub(crate) engine: PathBuf,
}

/// All of them. Sitemaps and feeds say nothing of changes unless that is what is tried: the bound is that without such words.
pub(crate) fn scenarios() -> Vec<Scenario> {
    let plain = Scenario {
        name: "equal",
        weights: Weights::Equal,
        changes: Changes::Poisson,
        lastmod: Lastmod::None,
        feeds: false,
        slow_hosts: 0,
        halves: false,
        replaced: 0.0,
        everything: false,
        patience: 1.0,
    };
    let worth = Scenario { weights: Weights::Independent, ..plain.clone() };
    let bursty = Changes::Renewal(Gaps::HyperExponential { cv: 3.0 });
    vec![
        Scenario { name: "rate", weights: Weights::Rate, ..plain.clone() },
        Scenario { name: "independent", ..worth.clone() },
        plain,
        Scenario { name: "bursty", changes: bursty, ..worth.clone() },
        Scenario { name: "sitemap-honest", lastmod: Lastmod::Honest, ..worth.clone() },
        Scenario { name: "feed", feeds: true, ..worth.clone() },
        Scenario { name: "sitemap-now", lastmod: Lastmod::Now, ..worth.clone() },
        Scenario { name: "sitemap-random", lastmod: Lastmod::Random, ..worth.clone() },
        // A host of 250 pages that gives one a second takes minutes to be seen even once.
        Scenario { name: "slow-host", slow_hosts: 1, patience: 5.0, ..worth.clone() },
        Scenario { name: "halved", halves: true, ..worth.clone() },
        Scenario { name: "replaced", replaced: 0.2, ..worth.clone() },
        Scenario { name: "everything", everything: true, ..worth },
    ]
}

impl Job {
    pub(crate) fn settings(&self) -> Settings {
        let Scale { pages, sigma, mean_interval, .. } = self.scale;
        let at = self.scale.learn / 2.0;
        let share = self.scenario.replaced;
        Settings {
            seed: self.seed,
            pages,
            rates: RateLaw::LogNormal { sigma },
            mean_interval,
            changes: self.scenario.changes.clone(),
            weights: self.scenario.weights,
            replacements: if share > 0.0 { vec![Replacement { share, at }] } else { Vec::new() },
            ..Settings::default()
        }
    }

    pub(crate) fn options(&self) -> Options {
        Options {
            lastmod: self.scenario.lastmod,
            feeds: self.scenario.feeds,
            slow_hosts: self.scenario.slow_hosts,
            ..Options::default()
        }
    }

    /// Requests per second while it is measured.
    pub(crate) fn last_budget(&self) -> f64 {
        if self.scenario.halves { self.scale.budget / 2.0 } else { self.scale.budget }
    }

    /// Whether the bound is one for this web: it is for Poisson changes.
    pub(crate) fn has_bound(&self) -> bool {
        self.scenario.changes == Changes::Poisson
    }
}
