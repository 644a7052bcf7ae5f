use freshness::learn::{Evidence, Forgetting, Observation, PooledPrior, Prior, RateEstimate, SignalLearner};
use freshness::special::g_inverse;

/// Visits to a host before its prior is fitted for the first time; then at every doubling.
const FIRST_FIT: u64 = 32;

/// What is believed of change rates: a prior for each host, learned from its pages (law F-26), above it one for all.
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
    signals: SignalLearner,
}

/// The time between two visits to a page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) signals: u32,
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
            signals: SignalLearner::new(),
        };
        if self.hosts.len() <= host as usize {
            self.hosts.resize_with(host as usize + 1, fresh);
        }
        &mut self.hosts[host as usize]
    }

    /// Takes in what was known of a page before a restart.
    pub(super) fn restore(&mut self, host: u32, page: u32, evidence: Evidence) {
        if evidence.exposure() > 0.0 {
            self.host(host).pool.observe(u64::from(page), evidence);
        }
    }

    pub(super) fn fit_all(&mut self) {
        let prior = self.prior;
        self.hosts.iter_mut().for_each(|host| host.prior = host.pool.fit(&prior));
    }

    pub(super) fn forget(&mut self, host: u32, page: u32) {
        self.host(host).pool.forget(u64::from(page));
    }

    pub(super) fn prior_of(&self, host: u32) -> Prior {
        self.hosts.get(host as usize).map_or(self.prior, |host| host.prior)
    }

    pub(super) fn estimate(&self, host: u32, evidence: Evidence) -> RateEstimate {
        evidence.estimate(self.hosts.get(host as usize).map_or(&self.prior, |host| &host.prior))
    }

    /// Takes in a visit to a page; whether the prior of its host was fitted anew.
    pub(super) fn learn(
        &mut self,
        host: u32,
        page: u32,
        evidence: &mut Evidence,
        visit: Interval,
        (changed, last_modified): (bool, Option<f64>),
    ) -> bool {
        let fallback = self.prior;
        let mu = self.estimate(host, *evidence).mean();
        *evidence = self.evidence_after(host, *evidence, visit, (changed, last_modified));
        let state = self.host(host);
        let tau = visit.to - visit.from;
        state.signals.record(mu, tau, visit.signals, changed);
        state.pool.observe(u64::from(page), *evidence);
        state.visits += 1;
        if state.visits < state.next_fit {
            return false;
        }
        state.next_fit = 2 * state.visits;
        state.prior = state.pool.fit(&fallback);
        true
    }

    /// The evidence once a visit has been taken in.
    pub(super) fn evidence_after(
        &self,
        host: u32,
        mut evidence: Evidence,
        visit: Interval,
        (changed, last_modified): (bool, Option<f64>),
    ) -> Evidence {
        let state = self.hosts.get(host as usize);
        let prior = state.map_or(&self.prior, |state| &state.prior);
        let tau = visit.to - visit.from;
        match state.filter(|_| visit.signals > 0) {
            Some(state) => {
                let model = state.signals.model();
                evidence.record_signalled(tau, (visit.signals, changed), &model, prior, Forgetting::Never);
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

    /// Law F-24: by how much one more signal makes a page look older.
    pub(super) fn signal_age(&mut self, host: u32, evidence: Evidence, (tau, before): (f64, u32)) -> f64 {
        let state = self.host(host);
        let page = state.signals.model().page(evidence.estimate(&state.prior).mean());
        page.effective_age(tau, before + 1) - page.effective_age(tau, before)
    }
}

/// The age at which `(c/mu) G(mu t)` reaches a level, if it ever does (law F-17).
pub(super) fn due(mu: f64, weight: f64, level: f64) -> Option<f64> {
    let share = level * mu / weight;
    (mu > 0.0 && weight > 0.0 && (0.0..1.0).contains(&share)).then(|| g_inverse(share, 1.0 - share) / mu)
}
