use freshness::learn::{Evidence, Forgetting, Observation, PooledPrior, Prior, RateEstimate};
use freshness::special::g_inverse;

use super::signals::{Counts, Signals};

/// Visits to a host before its prior is fitted for the first time; then at every doubling.
const FIRST_FIT: u64 = 32;

/// Where a page belongs: its host, and the section of it.
pub(super) type Group = (u32, u16);

/// What is believed of change rates: a prior for each section of a host, learned from its pages (law F-26), above it one for the
/// host, above that one for all.
#[derive(Debug)]
pub(super) struct Rates {
    prior: Prior,
    hosts: Vec<HostRates>,
}

#[derive(Debug)]
struct HostRates {
    pool: PooledPrior,
    prior: Prior,
    visits: u64,
    next_fit: u64,
    signals: Signals,
    sections: Vec<Section>,
}

#[derive(Clone, Debug)]
struct Section {
    pool: PooledPrior,
    prior: Prior,
}

impl HostRates {
    fn section(&mut self, section: u16) -> &mut Section {
        if self.sections.len() <= usize::from(section) {
            let fresh = Section { pool: PooledPrior::new(), prior: self.prior };
            self.sections.resize(usize::from(section) + 1, fresh);
        }
        &mut self.sections[usize::from(section)]
    }

    fn observe(&mut self, section: u16, page: u32, evidence: Evidence) {
        self.pool.observe(u64::from(page), evidence);
        self.section(section).pool.observe(u64::from(page), evidence);
    }

    /// First the host's, then that of each section, which falls back on it.
    fn fit(&mut self, fallback: &Prior) {
        self.prior = self.pool.fit(fallback);
        for section in &mut self.sections {
            section.prior = section.pool.fit(&self.prior);
        }
    }

    fn prior_of(&self, section: u16) -> &Prior {
        self.sections.get(usize::from(section)).map_or(&self.prior, |section| &section.prior)
    }
}

/// The time between two visits to a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) signals: Counts,
}

impl Rates {
    pub(super) fn new(prior: Prior) -> Self {
        Self { prior, hosts: Vec::new() }
    }

    fn host(&mut self, host: u32) -> &mut HostRates {
        let prior = self.prior;
        let fresh = || HostRates {
            pool: PooledPrior::new(),
            prior,
            visits: 0,
            next_fit: FIRST_FIT,
            signals: Signals::default(),
            sections: Vec::new(),
        };
        if self.hosts.len() <= host as usize {
            self.hosts.resize_with(host as usize + 1, fresh);
        }
        &mut self.hosts[host as usize]
    }

    /// Takes in what was known of a page before a restart.
    pub(super) fn restore(&mut self, (host, section): Group, page: u32, evidence: Evidence) {
        if evidence.exposure() > 0.0 {
            let host = self.host(host);
            host.observe(section, page, evidence);
            host.visits += 1;
        }
    }

    /// Fits all priors to what was restored. Every page of which something is known was visited at least once since it was found, so
    /// the next fit of its host can wait until that number has doubled.
    pub(super) fn fit_all(&mut self) {
        let prior = self.prior;
        for host in &mut self.hosts {
            host.fit(&prior);
            host.next_fit = FIRST_FIT.max(2 * host.visits);
        }
    }

    pub(super) fn forget(&mut self, (host, section): Group, page: u32) {
        let host = self.host(host);
        host.pool.forget(u64::from(page));
        host.section(section).pool.forget(u64::from(page));
    }

    /// What is believed of the pages of a host of which nothing else is known.
    pub(super) fn prior_of_host(&self, host: u32) -> Prior {
        self.hosts.get(host as usize).map_or(self.prior, |host| host.prior)
    }

    /// What is believed of such pages of a section of a host.
    pub(super) fn prior_of(&self, (host, section): Group) -> &Prior {
        self.hosts.get(host as usize).map_or(&self.prior, |host| host.prior_of(section))
    }

    pub(super) fn estimate(&self, group: Group, evidence: Evidence) -> RateEstimate {
        evidence.estimate(self.prior_of(group))
    }

    /// Takes in a visit to a page; whether the priors of its host were fitted anew.
    pub(super) fn learn(
        &mut self,
        group: Group,
        page: u32,
        evidence: &mut Evidence,
        visit: Interval,
        (changed, last_modified): (bool, Option<f64>),
    ) -> bool {
        let fallback = self.prior;
        let mu = self.estimate(group, *evidence).mean();
        *evidence = self.evidence_after(group, *evidence, visit, (changed, last_modified));
        let state = self.host(group.0);
        let tau = visit.to - visit.from;
        state.signals.record((mu, tau), visit.signals, changed);
        state.observe(group.1, page, *evidence);
        state.visits += 1;
        if state.visits < state.next_fit {
            return false;
        }
        state.next_fit = 2 * state.visits;
        state.fit(&fallback);
        true
    }

    /// The evidence once a visit has been taken in.
    pub(super) fn evidence_after(
        &self,
        group: Group,
        mut evidence: Evidence,
        visit: Interval,
        (changed, last_modified): (bool, Option<f64>),
    ) -> Evidence {
        let state = self.hosts.get(group.0 as usize);
        let prior = self.prior_of(group);
        let tau = visit.to - visit.from;
        let mu = evidence.estimate(prior).mean();
        match state.and_then(|state| state.signals.most_telling(mu, visit.signals)) {
            Some((model, signals)) => {
                evidence.record_signalled(tau, (signals, changed), &model, prior, Forgetting::Never);
            }
            None => {
                let observation = match (changed, last_modified) {
                    (false, _) => Observation::Unchanged,
                    (true, Some(at)) if visit.from < at && at <= visit.to => {
                        Observation::ChangedAt { age: visit.to - at }
                    }
                    (true, _) => Observation::Changed,
                };
                evidence.record(tau, observation, prior, Forgetting::Never);
            }
        }
        evidence
    }

    /// Law F-24: by how much signals make a page look older.
    pub(super) fn signal_age(&self, group: Group, evidence: Evidence, signals: Counts) -> f64 {
        let Some(state) = self.hosts.get(group.0 as usize) else { return 0.0 };
        state.signals.age(evidence.estimate(state.prior_of(group.1)).mean(), signals)
    }

    /// What the signals of a host have proved to be worth, if anything is known of it.
    pub(super) fn signals_of(&self, host: u32) -> Option<&Signals> {
        self.hosts.get(host as usize).map(|host| &host.signals)
    }

    pub(super) fn signals(&mut self, host: u32) -> &mut Signals {
        &mut self.host(host).signals
    }
}

/// The age at which `(c/mu) G(mu t)` reaches a level, if it ever does (law F-17).
pub(super) fn due(mu: f64, weight: f64, level: f64) -> Option<f64> {
    let share = level * mu / weight;
    (mu > 0.0 && weight > 0.0 && (0.0..1.0).contains(&share)).then(|| g_inverse(share, 1.0 - share) / mu)
}
