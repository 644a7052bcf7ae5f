use std::collections::VecDeque;

use freshness::HostId;

/// Something to be fetched from a host that is not a page.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Errand {
    /// What it allows: nothing else is fetched before.
    RobotsTxt,
    /// A sitemap, at this address.
    Sitemap(Box<str>),
    /// A feed, at this address.
    Feed(Box<str>),
    /// Something that was looked for elsewhere and is said to be here.
    Moved {
        /// What was looked for.
        errand: Box<Errand>,
        /// For this host.
        of: HostId,
        /// Where it is now.
        url: Box<str>,
        /// Redirects that led here.
        hops: u8,
    },
}

/// What decides when a host may be visited, and what waits for that.
#[derive(Debug)]
pub(super) struct Host {
    /// Its known pages.
    pub(super) pages: Vec<u32>,
    pub(super) queue: VecDeque<u32>,
    pub(super) errands: VecDeque<Errand>,
    pub(super) in_flight: u32,
    pub(super) delay: f64,
    /// The delay that its `robots.txt` asks for.
    pub(super) asked_delay: Option<f64>,
    /// The delay that the user has set for it, instead of the one for all.
    pub(super) own_delay: Option<f64>,
    /// Whether the user wants nothing asked of it for now.
    pub(super) is_held: bool,
    /// No request before this time because of the one before.
    pub(super) next_at: f64,
    /// No request before this time because the host is in trouble or asked for it.
    pub(super) blocked_until: f64,
    pub(super) has_rules: bool,
    pub(super) rules_until: f64,
    /// Whether its next request is for an errand: pages and errands take turns.
    pub(super) errand_turn: bool,
    /// Its entry in the calendar.
    pub(super) entry: Option<f64>,
}

impl Errand {
    /// Whether it is about what a host allows.
    fn is_robots_txt(&self) -> bool {
        match self {
            Self::RobotsTxt => true,
            Self::Moved { errand, .. } => errand.is_robots_txt(),
            Self::Sitemap(_) | Self::Feed(_) => false,
        }
    }
}

impl Host {
    pub(super) fn new(delay: f64) -> Self {
        Self {
            pages: Vec::new(),
            queue: VecDeque::new(),
            errands: VecDeque::new(),
            in_flight: 0,
            delay,
            asked_delay: None,
            own_delay: None,
            is_held: false,
            next_at: f64::NEG_INFINITY,
            blocked_until: f64::NEG_INFINITY,
            has_rules: false,
            rules_until: f64::NEG_INFINITY,
            errand_turn: false,
            entry: None,
        }
    }

    /// When the next request may begin, as far as is known now.
    pub(super) fn opens(&self, connections: u32) -> f64 {
        let most = if self.delay > 0.0 { 1 } else { connections.max(1) };
        if self.is_held || self.in_flight >= most { f64::INFINITY } else { self.next_at.max(self.blocked_until) }
    }

    /// Sets its delay anew; `general` is the one for all hosts.
    pub(super) fn set_delay(&mut self, general: f64) {
        self.delay = self.own_delay.unwrap_or(general).max(self.asked_delay.unwrap_or(0.0));
    }

    pub(super) fn is_open(&self, now: f64, connections: u32) -> bool {
        self.opens(connections) <= now
    }

    /// Adds an errand. What hosts allow comes first: pages wait for it.
    pub(super) fn send(&mut self, errand: Errand) {
        if errand.is_robots_txt() {
            self.errands.push_front(errand);
        } else {
            self.errands.push_back(errand);
        }
    }

    /// Takes its next errand if that may not wait for a page.
    pub(super) fn next_errand(&mut self) -> Option<Errand> {
        let is_first = |errand: &Errand| self.errand_turn || !self.has_rules || errand.is_robots_txt();
        self.errands.front().is_some_and(is_first).then(|| self.errands.pop_front()).flatten()
    }

    /// Whether something waits in its queues that could be fetched if the host were open.
    pub(super) fn has_work(&self) -> bool {
        !self.errands.is_empty() || (self.has_rules && !self.queue.is_empty())
    }
}
