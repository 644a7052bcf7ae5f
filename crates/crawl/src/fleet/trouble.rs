//! Hosts that are in trouble.

use store::{HostId, Timestamp};

use super::state::State;
use super::{Record, freshness_host};
use crate::address::PageUrl;
use crate::examine::{Failure, Meaning, Trouble};

/// The longest wait after failures.
const LONGEST_WAIT: f64 = 86_400.0;

/// Seconds before the user is told again of a host in trouble.
const QUIET: f64 = 3_600.0;

impl State {
    /// A host that fails is left alone for longer and longer; one that answers is forgiven.
    pub(super) fn host_fared(&mut self, host: HostId, meaning: &Meaning, now: Timestamp) -> Vec<Record> {
        let failure = match meaning {
            Meaning::Failed(failure) if failure.trouble != Trouble::Page => failure,
            _ => {
                let state = &mut self.hosts[host.0 as usize];
                let had_trouble = state.trouble.take().is_some();
                if std::mem::take(&mut state.failures) == 0 && !had_trouble {
                    return Vec::new();
                }
                return vec![Record::Host(self.host_record(host))];
            }
        };
        if failure.trouble == Trouble::Perhaps && self.hosts[host.0 as usize].failures == 0 {
            // One page that fails does not stop the others.
            self.hosts[host.0 as usize].failures = 1;
            return vec![Record::Host(self.host_record(host))];
        }
        self.leave_alone(host, failure, now)
    }

    /// A host in trouble is asked nothing for some time.
    pub(super) fn leave_alone(&mut self, host: HostId, failure: &Failure, now: Timestamp) -> Vec<Record> {
        let is_news = self.frontier.blocked_until(freshness_host(host)) <= now.seconds();
        let state = &mut self.hosts[host.0 as usize];
        // Requests that were under way together and fail together are one failure.
        state.failures = state.failures.saturating_add(u32::from(is_news));
        let wait = backoff(self.settings.retry, state.failures, host.0).max(failure.retry_after.unwrap_or(0.0));
        let until = Timestamp::from_seconds(now.seconds() + wait);
        self.frontier.block(freshness_host(host), until.seconds());
        self.warn(host, failure, now);
        let mut record = self.host_record(host);
        if failure.trouble == Trouble::Here {
            // At the next start things may be set otherwise.
            (record.blocked_until, record.failures) = (None, 0);
        }
        vec![Record::Host(record)]
    }

    /// Tells the user why a host, or a page of it, is given up or left alone.
    pub(super) fn warn(&mut self, host: HostId, failure: &Failure, now: Timestamp) {
        let state = &mut self.hosts[host.0 as usize];
        let problem = format!("{}; {}", failure.reason, failure.remedy);
        state.trouble = Some(problem.clone());
        if now.seconds() < state.warned_at + QUIET {
            return;
        }
        state.warned_at = now.seconds();
        tracing::warn!(host = state.key.as_str(), problem, "pages of this host cannot be read for now");
    }

    /// Tells the user of a seed that leads out of the crawl: little or nothing is found then.
    pub(super) fn warn_of_outside(&self, url: &PageUrl, to: &PageUrl) {
        if self.examiner.scope.is_seed(url) {
            let (seed, leads_to) = (url.as_str(), to.as_str());
            tracing::warn!(
                seed,
                leads_to,
                "this seed leads out of the crawl; name the page it leads to as a seed instead"
            );
        }
    }

    /// Tells the user of hosts with pages to be visited that were left alone all the time, because of what was before.
    pub(super) fn warn_of_blocked(&mut self, now: Timestamp) {
        for host in (0..self.hosts.len() as u32).map(HostId) {
            let id = freshness_host(host);
            let wait = self.frontier.blocked_until(id) - now.seconds();
            if wait > 0.0 && self.frontier.queued_of(id) > 0 {
                let reason = format!("it was in trouble before and is asked nothing for {wait:.0} seconds more");
                let remedy = "run again after that";
                self.warn(host, &Failure { reason, remedy, retry_after: None, trouble: Trouble::Host }, now);
            }
        }
    }
}

/// Twice as long after each failure, at most a day, and not for all at the same time.
pub(super) fn backoff(first: f64, failures: u32, number: u32) -> f64 {
    let wait = first * 2f64.powi(failures.saturating_sub(1).min(30) as i32);
    // Spread by number and failure: a fifth either way.
    let spread =
        f64::from(number.wrapping_mul(0x9e37_79b9).wrapping_add(failures.wrapping_mul(0x85eb_ca6b)) >> 16) / 65_536.0;
    wait.min(LONGEST_WAIT) * (0.8 + 0.4 * spread)
}
