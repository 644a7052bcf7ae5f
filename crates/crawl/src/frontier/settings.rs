use std::cmp::Reverse;

use freshness::HostId;

use super::{Frontier, Place};

/// How pages are chosen. Times are in seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Requests per second; `None` for as many as robots and hosts can take.
    pub budget: Option<f64>,
    /// Share of the visits for queued pages, most of them new, while there are also pages to be refreshed.
    pub discovery: f64,
    /// Share of the refreshing visits that goes to the page not visited for longest, so that wrong estimates are found out.
    pub reserve: f64,
    /// Whether pages are visited again at all.
    pub revisit: bool,
    /// No page is visited again before this time has passed.
    pub least_revisit: f64,
    /// Every page is visited again after this time, budget permitting; may be infinite.
    pub most_revisit: f64,
    /// Time between the end of a request to a host and the start of the next, unless its `robots.txt` asks for more.
    pub delay: f64,
    /// Requests to one host at a time; only one if there is a delay.
    pub connections: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            budget: Some(5.0),
            discovery: 0.5,
            reserve: 0.03,
            revisit: true,
            least_revisit: 3600.0,
            most_revisit: 30.0 * 86_400.0,
            delay: 1.0,
            connections: 1,
        }
    }
}

impl Frontier {
    /// What a host allows is known, until then; it wants at least this delay.
    pub fn rules(&mut self, host: HostId, until: f64, delay: Option<f64>) {
        let state = &mut self.hosts[host.0 as usize];
        (state.has_rules, state.rules_until) = (true, until);
        let before = state.delay;
        state.asked_delay = delay;
        state.set_delay(self.settings.delay);
        // The request that brought the rules counts already.
        state.next_at += (state.delay - before).max(0.0);
        self.settle(host.0);
    }

    /// A host is known to want this delay, and nothing is asked of it before it has passed.
    pub fn pause(&mut self, host: HostId, now: f64, delay: f64) {
        let state = &mut self.hosts[host.0 as usize];
        state.asked_delay = Some(delay).filter(|delay| delay.is_finite());
        state.set_delay(self.settings.delay);
        state.next_at = now + state.delay;
        self.settle(host.0);
    }

    /// Changes the budget, in requests per second, from now on.
    pub fn set_budget(&mut self, budget: Option<f64>) {
        self.settings.budget = budget;
        self.budget.set(budget);
        self.refresh.set_lead(budget.map_or(0.0, |rate| 0.5 / rate));
    }

    /// Changes the manners towards hosts from now on: time between requests, and requests at a time. What the user has set for a
    /// host, and what its `robots.txt` asks for, hold as before.
    pub fn set_manners(&mut self, delay: f64, connections: u32) {
        (self.settings.delay, self.settings.connections) = (delay, connections);
        for host in 0..self.hosts.len() as u32 {
            self.hosts[host as usize].set_delay(delay);
            self.settle(host);
        }
    }

    /// Sets the time between requests to a host from now on, if not as for all hosts. If its `robots.txt` asks for more, that
    /// holds.
    pub fn set_delay_of(&mut self, host: HostId, delay: Option<f64>) {
        let state = &mut self.hosts[host.0 as usize];
        let before = state.delay;
        state.own_delay = delay;
        state.set_delay(self.settings.delay);
        state.next_at += (state.delay - before).max(0.0);
        self.settle(host.0);
    }

    /// Asks nothing of a host from now on, or goes on.
    pub fn hold(&mut self, host: HostId, is_held: bool) {
        self.hosts[host.0 as usize].is_held = is_held;
        self.settle(host.0);
    }

    /// Changes the shortest and the longest time between two visits to a page from now on.
    pub fn set_revisit(&mut self, least: f64, most: f64) {
        let is_shorter = least < self.settings.least_revisit;
        (self.settings.least_revisit, self.settings.most_revisit) = (least, most);
        if is_shorter {
            let waiting = std::mem::take(&mut self.waiting);
            let is_resting = |page: u32| self.pages[page as usize].place == Place::Resting;
            let sooner = |Reverse((at, page))| Reverse((if is_resting(page) { self.rested(page) } else { at }, page));
            self.waiting = waiting.into_iter().map(sooner).collect();
        }
    }
}
