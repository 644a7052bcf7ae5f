//! How things stand, for whoever wants to look.

use std::collections::HashMap;

use store::{HostId, Timestamp};

use super::state::State;
use super::{freshness_host, now};

/// Pages looked at for the figures of freshness; of more, every so manieth.
const SAMPLE: usize = 20_000;

/// Hosts that are listed: those with most waiting.
const LISTED: usize = 12;

/// How things stand.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// When.
    pub at: Timestamp,
    /// Hosts known.
    pub hosts: usize,
    /// The hosts with most to do.
    pub busiest: Vec<HostSurvey>,
    /// Hosts that are left alone for now.
    pub blocked: usize,
    /// Pages kept fresh.
    pub kept_fresh: usize,
    /// Estimated change rates per second of a sample of them ...
    pub rates: Vec<f64>,
    /// ... their weights ...
    pub weights: Vec<f64>,
    /// ... the seconds since their last visits ...
    pub ages: Vec<f64>,
    /// ... and their hosts, numbered as they come.
    pub host_of: Vec<u32>,
    /// Most requests per second to each of those hosts; infinite if it is not known to be limited.
    pub host_limits: Vec<f64>,
    /// The shortest time between two visits to a page, in seconds.
    pub least_revisit: f64,
    /// The index at which pages are visited now.
    pub index_level: f64,
}

/// How things stand with a host.
#[derive(Clone, Debug, PartialEq)]
pub struct HostSurvey {
    /// Its name.
    pub name: String,
    /// Pages known.
    pub pages: usize,
    /// Pages waiting in its queue.
    pub queued: usize,
    /// Requests under way.
    pub requests: usize,
    /// Seconds between requests.
    pub delay: f64,
    /// Failures in a row.
    pub failures: u32,
    /// Left alone for so many seconds more.
    pub blocked_for: Option<f64>,
}

impl State {
    /// How things stand. The work grows with the hosts, and with the pages up to a limit.
    #[must_use]
    pub fn survey(&self) -> Survey {
        let at = now();
        let ids = || (0..self.hosts.len() as u32).map(HostId);
        let blocked_for = |id: HostId| {
            let until = self.frontier.blocked_until(freshness_host(id));
            Some(until - at.seconds()).filter(|wait| *wait > 0.0)
        };
        let mut listed: Vec<(usize, HostId)> =
            ids().map(|id| (self.frontier.queued_of(freshness_host(id)), id)).collect();
        listed.sort_by_key(|(queued, id)| (std::cmp::Reverse(*queued), *id));
        let busiest = listed.iter().take(LISTED).map(|(queued, id)| HostSurvey {
            name: self.hosts[id.0 as usize].key.as_str().to_owned(),
            pages: self.frontier.pages_of(freshness_host(*id)),
            queued: *queued,
            requests: self.frontier.requests_to(freshness_host(*id)),
            delay: self.frontier.delay_of(freshness_host(*id)),
            failures: self.hosts[id.0 as usize].failures,
            blocked_for: blocked_for(*id),
        });
        let survey = Survey {
            at,
            hosts: self.hosts.len(),
            busiest: busiest.collect(),
            blocked: ids().filter(|id| blocked_for(*id).is_some()).count(),
            index_level: self.frontier.index_level(),
            ..Survey::default()
        };
        self.with_sample(survey)
    }

    fn with_sample(&self, mut survey: Survey) -> Survey {
        let stride = self.frontier.len().div_ceil(SAMPLE).max(1);
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        for page in self.frontier.kept_fresh(stride) {
            survey.rates.push(page.rate);
            survey.weights.push(page.weight);
            survey.ages.push((survey.at.seconds() - page.visited).max(0.0));
            let next = numbers.len() as u32;
            let number = *numbers.entry(page.host.0).or_insert(next);
            if number == next {
                // With no delay the limit is what the host can do.
                survey.host_limits.push(1.0 / self.frontier.delay_of(page.host));
            }
            survey.host_of.push(number);
        }
        survey.kept_fresh = survey.rates.len() * stride;
        survey.least_revisit = self.frontier.least_revisit();
        survey
    }
}
