//! The index policy when change rates must be learned.

use freshness::index::IndexPolicy;
use freshness::learn::{Evidence, Forgetting, Observation, PooledPrior, Prior};
use freshness::{HostId, Outcome, PageId, Policy, Visit};

use crate::hosts::Hosts;
use crate::page::Page;
use crate::scheduler::Scheduler;

/// Visits before the prior is fitted for the first time; then at every doubling.
const FIRST_FIT: u64 = 64;

/// Pages looked at for a reserved access before it is given to the index.
const LOOK_AHEAD: usize = 64;

/// [`IndexPolicy`] on rates estimated from its own visits (laws F-21, F-23, F-26).
///
/// All pages share a prior, fitted to what has been seen of them. A fraction of the accesses, the reserve, goes in turn to
/// pages that the index has left alone since the turn began: a page wrongly believed to be not worth a visit is found out.
/// Signals are not listened to, for visits made because of them would bias the estimates.
#[derive(Debug)]
pub struct Learned {
    index: IndexPolicy,
    pages: Vec<Option<Pupil>>,
    /// What was believed at the start, and what the pages have made of it.
    belief: Prior,
    prior: Prior,
    pool: PooledPrior,
    visits: u64,
    next_fit: u64,
    reserve: Reserve,
    hosts: Hosts,
}

/// What is known of a page.
#[derive(Clone, Copy, Debug)]
struct Pupil {
    weight: f64,
    host: HostId,
    last_access: Option<f64>,
    evidence: Evidence,
    holder: Holder,
}

/// Who has the page.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Holder {
    Index,
    /// A robot, sent by the index.
    Robot,
    /// A robot, sent by the reserve; the index does not know the page meanwhile.
    ReserveRobot,
}

/// Accesses set aside.
#[derive(Clone, Copy, Debug)]
struct Reserve {
    fraction: f64,
    credit: f64,
    /// The page whose turn is next, and when the turn over all pages began.
    next: usize,
    began: f64,
}

impl Learned {
    /// Starts from `prior` for every page and reserves this fraction of the accesses, usually 0.02 to 0.05.
    #[must_use]
    pub fn new(prior: Prior, reserve: f64) -> Self {
        Self {
            index: IndexPolicy::new(),
            pages: Vec::new(),
            belief: prior,
            prior,
            pool: PooledPrior::new(),
            visits: 0,
            next_fit: FIRST_FIT,
            reserve: Reserve { fraction: reserve.clamp(0.0, 1.0), credit: 0.0, next: 0, began: 0.0 },
            hosts: Hosts::default(),
        }
    }

    /// Compares pages as they will be this much after the draw: see [`IndexPolicy::set_lead`].
    #[must_use]
    pub fn leading(mut self, lead: f64) -> Self {
        self.index.set_lead(lead);
        self
    }

    /// The estimated change rate of a page.
    #[must_use]
    pub fn rate(&self, page: PageId) -> Option<f64> {
        let pupil = self.pages.get(page.0 as usize)?.as_ref()?;
        Some(pupil.evidence.estimate(&self.prior).mean())
    }

    /// The next page in turn that the index has left alone, if this access belongs to the reserve.
    fn draw_reserved(&mut self, now: f64) -> Option<PageId> {
        self.reserve.credit += self.reserve.fraction;
        if self.reserve.credit < 1.0 {
            return None;
        }
        self.reserve.credit -= 1.0;
        for _ in 0..LOOK_AHEAD.min(self.pages.len()) {
            if self.reserve.next >= self.pages.len() {
                (self.reserve.next, self.reserve.began) = (0, now);
            }
            let number = self.reserve.next;
            self.reserve.next += 1;
            let left_alone = |pupil: &Pupil| pupil.last_access.is_none_or(|at| at <= self.reserve.began);
            let Some(pupil) = &mut self.pages[number] else { continue };
            if pupil.holder == Holder::Index && left_alone(pupil) && self.hosts.is_open(pupil.host, now) {
                pupil.holder = Holder::ReserveRobot;
                let page = PageId(number as u32);
                self.index.remove(page);
                return Some(page);
            }
        }
        None
    }

    /// Returns a page to the index after a reserved access.
    fn give_back(&mut self, page: PageId) {
        if let (Some(rate), Some(pupil)) = (self.rate(page), &self.pages[page.0 as usize]) {
            self.index.insert(page, rate, pupil.weight, pupil.host, pupil.last_access);
        }
    }

    fn learn(&mut self, page: PageId, tau: f64, observation: Observation) {
        let Some(pupil) = &mut self.pages[page.0 as usize] else { return };
        pupil.evidence.record(tau, observation, &self.prior, Forgetting::Never);
        self.pool.observe(u64::from(page.0), pupil.evidence);
        self.visits += 1;
        if self.visits >= self.next_fit {
            self.next_fit = 2 * self.visits;
            self.fit();
        }
    }

    /// Fits the prior to all pages and corrects every rate by it.
    fn fit(&mut self) {
        self.prior = self.pool.fit(&self.belief);
        for (number, pupil) in self.pages.iter().enumerate() {
            if let Some(pupil) = pupil {
                self.index.set_rate(PageId(number as u32), pupil.evidence.estimate(&self.prior).mean());
            }
        }
    }
}

impl Policy for Learned {
    fn draw(&mut self, now: f64) -> Option<PageId> {
        // Keeps the list of openings short; whether a host is open is asked of the host.
        while self.hosts.take_opened(now).is_some() {}
        if let Some(page) = self.draw_reserved(now) {
            return Some(page);
        }
        let page = self.index.draw(now)?;
        if let Some(pupil) = &mut self.pages[page.0 as usize] {
            pupil.holder = Holder::Robot;
        }
        Some(page)
    }

    fn record(&mut self, visit: Visit) {
        let number = visit.page.0 as usize;
        let Some(pupil) = &mut self.pages[number] else { return };
        let holder = std::mem::replace(&mut pupil.holder, Holder::Index);
        let before = pupil.last_access.replace(visit.at);
        if visit.outcome == Outcome::Gone {
            self.pages[number] = None;
            self.pool.forget(u64::from(visit.page.0));
        } else if let (Some(before), Some(observation)) = (before, observation(&visit)) {
            self.learn(visit.page, visit.at - before, observation);
        }
        if let Some(rate) = self.rate(visit.page) {
            self.index.set_rate(visit.page, rate);
        }
        match holder {
            Holder::ReserveRobot => self.give_back(visit.page),
            Holder::Robot | Holder::Index => self.index.record(visit),
        }
    }
}

impl Scheduler for Learned {
    fn discover(&mut self, id: PageId, page: &Page, _now: f64, last_access: Option<f64>) {
        let number = id.0 as usize;
        if number >= self.pages.len() {
            self.pages.resize(number + 1, None);
        }
        let (weight, host) = (page.weight, page.host);
        let pupil = Pupil { weight, host, last_access, evidence: Evidence::default(), holder: Holder::Index };
        self.pages[number] = Some(pupil);
        self.index.insert(id, self.prior.estimate().mean(), weight, host, last_access);
    }

    fn close_host(&mut self, host: HostId, until: f64) {
        self.hosts.close(host, until);
        self.index.close_host(host, until);
    }

    fn next_opening(&self) -> Option<f64> {
        self.index.next_opening()
    }
}

/// What a visit says about the change rate, if anything.
fn observation(visit: &Visit) -> Option<Observation> {
    match visit.outcome {
        Outcome::Unchanged => Some(Observation::Unchanged),
        Outcome::Changed { last_modified: None } => Some(Observation::Changed),
        Outcome::Changed { last_modified: Some(at) } => Some(Observation::ChangedAt { age: visit.at - at }),
        Outcome::First | Outcome::Gone | Outcome::Failed => None,
    }
}
