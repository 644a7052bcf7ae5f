use freshness::learn::{Evidence, Forgetting, Observation, PooledPrior, Prior, RateEstimate, Span};
use freshness::special::g_inverse;

use super::signals::{Counts, Heard, Signals};

/// Visits to a host, or to all, before the prior is fitted for the first time; then at every doubling.
const FIRST_FIT: u64 = 32;

/// Dates of HTTP are in whole seconds: what is said to have happened at one happened between it and the next.
const SECOND: f64 = 1.0;

/// Whose priors were fitted anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fitted {
    Nobody,
    Host,
    Everybody,
}

/// Where a page belongs: its host, and the section of it.
pub(super) type Group = (u32, u16);

/// What is believed of change rates: a prior for each section of a host, learned from its pages (law F-26), above it one for the
/// host, above that one for all: a host of which little has been seen is taken to be like the others, and so is not left aside
/// while one of which more is known takes all visits.
#[derive(Debug)]
pub(super) struct Rates {
    /// What is believed without any pages.
    fallback: Prior,
    pool: PooledPrior,
    prior: Prior,
    due: Due,
    hosts: Vec<HostRates>,
}

/// When to fit again.
#[derive(Debug)]
struct Due {
    visits: u64,
    next: u64,
}

impl Default for Due {
    fn default() -> Self {
        Self { visits: 0, next: FIRST_FIT }
    }
}

impl Due {
    /// One more visit; whether it is time.
    fn count(&mut self) -> bool {
        self.visits += 1;
        let is_due = self.visits >= self.next;
        if is_due {
            self.fitted();
        }
        is_due
    }

    fn fitted(&mut self) {
        self.next = FIRST_FIT.max(2 * self.visits);
    }
}

#[derive(Debug)]
struct HostRates {
    pool: PooledPrior,
    prior: Prior,
    due: Due,
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
    pub(super) heard: Heard,
}

impl Rates {
    pub(super) fn new(prior: Prior) -> Self {
        Self { fallback: prior, pool: PooledPrior::new(), prior, due: Due::default(), hosts: Vec::new() }
    }

    fn host(&mut self, host: u32) -> &mut HostRates {
        let prior = self.prior;
        let fresh = || HostRates {
            pool: PooledPrior::new(),
            prior,
            due: Due::default(),
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
            self.pool.observe(u64::from(page), evidence);
            self.due.visits += 1;
            let host = self.host(host);
            host.observe(section, page, evidence);
            host.due.visits += 1;
        }
    }

    /// Fits all priors. The next time is when visits have doubled; every page of which something is known was visited at least once
    /// since it was found, also before a restart.
    pub(super) fn fit_all(&mut self) {
        self.prior = self.pool.fit(&self.fallback);
        self.due.fitted();
        for host in &mut self.hosts {
            host.fit(&self.prior);
            host.due.fitted();
        }
    }

    pub(super) fn forget(&mut self, (host, section): Group, page: u32) {
        self.pool.forget(u64::from(page));
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

    /// Takes in a visit to a page; whose priors were fitted anew.
    pub(super) fn learn(
        &mut self,
        group: Group,
        page: u32,
        evidence: &mut Evidence,
        visit: Interval,
        (changed, last_modified): (bool, Option<f64>),
    ) -> Fitted {
        let prior = self.prior;
        let mu = self.estimate(group, *evidence).mean();
        *evidence = self.evidence_after(group, *evidence, visit, (changed, last_modified));
        let state = self.host(group.0);
        let tau = visit.to - visit.from;
        state.signals.record((mu, tau), visit.heard, changed);
        state.observe(group.1, page, *evidence);
        let is_due = state.due.count();
        if is_due {
            state.fit(&prior);
        }
        self.pool.observe(u64::from(page), *evidence);
        if self.due.count() {
            self.fit_all();
            return Fitted::Everybody;
        }
        if is_due { Fitted::Host } else { Fitted::Nobody }
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
        let observation = match (changed, last_modified) {
            (false, _) => Observation::Unchanged,
            (true, Some(at)) if visit.from < at + SECOND && at <= visit.to => {
                let most = visit.to - at;
                Observation::ChangedBetween { least: most - SECOND, most }
            }
            (true, _) => Observation::Changed,
        };
        match state.and_then(|state| state.signals.most_telling(mu, visit.heard)) {
            Some((model, told, signals)) => {
                let span = Span::new(tau, told);
                evidence.record_signalled(span, (signals, observation), &model, prior, Forgetting::Never);
            }
            None => evidence.record(tau, observation, prior, Forgetting::Never),
        }
        evidence
    }

    /// Law F-24: by how much signals make a page look older.
    pub(super) fn older(&self, group: Group, evidence: Evidence, counts: Counts) -> f64 {
        let Some(state) = self.hosts.get(group.0 as usize).filter(|_| counts != [0; 3]) else { return 0.0 };
        state.signals.older(evidence.estimate(state.prior_of(group.1)).mean(), counts)
    }

    /// Law F-30: by how much it makes a page of a host look younger that nothing was said in the times told of.
    pub(super) fn younger(&self, host: u32, told: [f64; 3], most: f64) -> f64 {
        self.hosts.get(host as usize).map_or(0.0, |state| state.signals.younger(told, most))
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
