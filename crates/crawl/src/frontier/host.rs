use std::collections::VecDeque;
use std::ops::Range;

use freshness::HostId;
use freshness::index::IndexPolicy;

/// In a host with up to so many pages all have their rates set anew as soon as its prior is fitted.
const REFIT_AT_ONCE: usize = 4_096;

/// In a larger one so many have at a time, one host after the other at the visits that follow.
const REFIT_PER_VISIT: usize = 4;

/// Over so many draws the index of the pages drawn is smoothed.
const SMOOTHING: f64 = 64.0;

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
    /// The index of its pages when they were drawn, smoothed over so many of them.
    level: f64,
    draws: f64,
    /// How many pages have rates from an older prior, and where among its pages they begin.
    outdated: usize,
    refit_from: usize,
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
            level: 0.0,
            draws: 0.0,
            outdated: 0,
            refit_from: 0,
        }
    }

    /// A page was drawn at this index. One that a signal has brought up is drawn above what a visit costs, not at it.
    pub(super) fn drawn_at(&mut self, index: f64, is_signalled: bool) {
        let index = if is_signalled { IndexPolicy::counted(index, self.level) } else { index };
        if is_signalled && self.draws == 0.0 {
            return;
        }
        self.draws = (self.draws + 1.0).min(SMOOTHING);
        self.level += (index - self.level) / self.draws;
    }

    /// The index at which its pages are drawn; 0 before the first.
    pub(super) fn level(&self) -> f64 {
        self.level
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

    /// Whether some of its pages have rates from an older prior.
    pub(super) fn is_outdated(&self) -> bool {
        self.outdated > 0
    }

    /// Which of its pages have their rates set anew now, after its prior was `fitted` or in its turn.
    ///
    /// A host may have millions of pages, and its prior is fitted first after a few dozen visits. So they take turns; if the next
    /// fit comes before all had theirs, the turn goes on with it. A visit to a large host costs a constant time, whatever its
    /// size; one to a small host does on average, as fits get rarer: the number of visits doubles from one to the next.
    pub(super) fn next_to_refit(&mut self, fitted: bool) -> Range<usize> {
        let pages = self.pages.len();
        if fitted {
            self.outdated = pages;
        }
        let most = if pages <= REFIT_AT_ONCE { pages } else { REFIT_PER_VISIT };
        let from = self.refit_from;
        let to = pages.min(from + most.min(self.outdated));
        self.outdated -= to - from;
        self.refit_from = if to == pages { 0 } else { to };
        from..to
    }

    /// Whether something waits in its queues that could be fetched if the host were open.
    pub(super) fn has_work(&self) -> bool {
        !self.errands.is_empty() || (self.has_rules && !self.queue.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn host(pages: usize) -> Host {
        Host { pages: (0..pages as u32).collect(), ..Host::new(0.0) }
    }

    #[test]
    fn pages_of_a_small_host_are_refitted_at_once() {
        let mut host = host(REFIT_AT_ONCE);
        for _ in 0..3 {
            assert_eq!(host.next_to_refit(false).len(), 0);
            assert_eq!(host.next_to_refit(true), 0..REFIT_AT_ONCE);
        }
    }

    proptest! {
        /// Whenever the prior was fitted before, and whenever the host grows.
        #[test]
        fn pages_of_a_large_host_are_refitted_in_turn(
            pages in REFIT_AT_ONCE - 2..REFIT_AT_ONCE + 50,
            visits in prop::collection::vec((prop::bool::weighted(0.01), 0..2u32), 0..2_000),
        ) {
            let mut host = host(pages);
            for (fitted, found) in visits {
                host.next_to_refit(fitted);
                host.pages.extend(0..found);
            }
            let pages = host.pages.len();
            let mut times = vec![0; pages];
            let visits = if pages <= REFIT_AT_ONCE { 1 } else { pages.div_ceil(REFIT_PER_VISIT) + 1 };
            for visit in 0..visits {
                let turn = host.next_to_refit(visit == 0);
                prop_assert!(turn.len() <= REFIT_PER_VISIT || pages <= REFIT_AT_ONCE);
                turn.for_each(|page| times[page] += 1);
            }
            prop_assert!(times.iter().all(|times| *times == 1));
            prop_assert_eq!(host.next_to_refit(false).len(), 0);
        }
    }
}
