//! How things stand, for whoever wants to look.

use std::collections::HashMap;

use store::{HostId, PageId, Timestamp};

use super::sites::Presence;
use super::state::State;
use super::{freshness_host, now};
use crate::frontier::{KeptFresh, Outlook};

/// Pages looked at for the figures of freshness; of more, every so manieth.
const SAMPLE: usize = 20_000;

/// Hosts that are listed: those with most waiting.
const LISTED: usize = 12;

/// Pages of a host that are looked at to say how stale it is.
const PAGES_OF_HOST: usize = 256;

/// Pages that are looked at for those that are worth most; of more, every so manieth.
const LOOKED_AT: usize = 50_000;

/// For each page that is listed as visited soon so many are looked at.
const NEAR: usize = 8;

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
    /// ... the seconds since their last visits, more or less by what others have said since ...
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
    /// Whether it is crawled.
    pub presence: Presence,
    /// Why its pages cannot be read, in words.
    pub trouble: Option<String>,
    /// The estimated part of its pages kept fresh, by weight, whose copy is out of date.
    pub stale: Option<f64>,
    /// Changes per second of such a page, on average.
    pub change_rate: Option<f64>,
}

/// Which hosts to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostQuery {
    /// With this in their names.
    pub contains: String,
    /// After so many.
    pub offset: usize,
    /// At most so many.
    pub limit: usize,
}

/// A page that will be visited soon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Upcoming {
    /// The page.
    pub page: PageId,
    /// When, and why.
    pub outlook: Outlook,
}

impl State {
    /// How things stand. The work grows with the hosts, and with the pages up to a limit.
    #[must_use]
    pub fn survey(&self) -> Survey {
        let at = now();
        let ids = || (0..self.hosts.len() as u32).map(HostId);
        let mut listed: Vec<(usize, HostId)> = ids()
            .filter(|id| !self.is_removed(*id))
            .map(|id| (self.frontier.queued_of(freshness_host(id)), id))
            .collect();
        listed.sort_by_key(|(queued, id)| (std::cmp::Reverse(*queued), *id));
        let busiest = listed.iter().take(LISTED).map(|(_, id)| self.survey_host(*id, at));
        let survey = Survey {
            at,
            hosts: self.hosts.len(),
            busiest: busiest.collect(),
            blocked: ids().filter(|id| self.blocked_for(*id, at).is_some()).count(),
            index_level: self.frontier.index_level(),
            ..Survey::default()
        };
        self.with_sample(survey)
    }

    fn is_removed(&self, id: HostId) -> bool {
        let presence = self.sites.rules.of(self.hosts[id.0 as usize].key.as_str()).presence;
        matches!(presence, Presence::Leaving | Presence::Removed)
    }

    fn blocked_for(&self, id: HostId, at: Timestamp) -> Option<f64> {
        let until = self.frontier.blocked_until(freshness_host(id));
        Some(until - at.seconds()).filter(|wait| *wait > 0.0)
    }

    /// Seconds since a page was last read, also if what was found is not kept yet, or seems to have been (law F-30).
    fn age(&self, page: &KeptFresh, at: Timestamp) -> f64 {
        let read_at = self.read_at.get(&page.page.0).filter(|read| **read > page.visited);
        (at.seconds() - read_at.copied().unwrap_or(page.seems)).max(0.0)
    }

    fn survey_host(&self, id: HostId, at: Timestamp) -> HostSurvey {
        let (host, known) = (freshness_host(id), &self.hosts[id.0 as usize]);
        let (mut stale, mut weight, mut rate, mut pages) = (0.0, 0.0, 0.0, 0.0);
        for page in self.frontier.kept_fresh_of(host, PAGES_OF_HOST) {
            let age = self.age(&page, at);
            stale -= page.weight * (-page.rate * age).exp_m1();
            (weight, rate, pages) = (weight + page.weight, rate + page.rate, pages + 1.0);
        }
        HostSurvey {
            name: known.key.as_str().to_owned(),
            pages: self.frontier.pages_of(host),
            queued: self.frontier.queued_of(host),
            requests: self.frontier.requests_to(host),
            delay: self.frontier.delay_of(host),
            failures: known.failures,
            blocked_for: self.blocked_for(id, at),
            presence: self.sites.rules.of(known.key.as_str()).presence,
            trouble: known.trouble.clone(),
            stale: (weight > 0.0).then(|| stale / weight),
            change_rate: (pages > 0.0).then(|| rate / pages),
        }
    }

    /// Hosts whose names contain a text, those with most pages first and removed ones last: how many there are, and some of them.
    #[must_use]
    pub fn survey_hosts(&self, query: &HostQuery) -> (usize, Vec<HostSurvey>) {
        let at = now();
        let pages = |id: HostId| self.frontier.pages_of(freshness_host(id));
        let is_asked = |id: &HostId| self.hosts[id.0 as usize].key.as_str().contains(&query.contains);
        // A host without pages is one to which something has moved.
        let is_shown = |id: &HostId| pages(*id) > 0 && is_asked(id);
        let mut ids: Vec<HostId> = (0..self.hosts.len() as u32).map(HostId).filter(is_shown).collect();
        ids.sort_by_cached_key(|id| (self.is_removed(*id), std::cmp::Reverse(pages(*id)), *id));
        let shown = ids.iter().skip(query.offset).take(query.limit);
        (ids.len(), shown.map(|id| self.survey_host(*id, at)).collect())
    }

    /// Pages that will be visited next as far as their worth decides, the first of them first. Of many pages, some are looked at.
    #[must_use]
    pub fn upcoming(&self, most: usize) -> Vec<Upcoming> {
        let at = now().seconds();
        let stride = self.frontier.len().div_ceil(LOOKED_AT).max(1);
        let mut worth: Vec<(f64, freshness::PageId)> = self.frontier.worth(stride, at).collect();
        worth.sort_by(|a, b| b.0.total_cmp(&a.0));
        let outlook = |page: freshness::PageId| self.frontier.outlook(page, at);
        // A page that is worth much may take long to be worth enough.
        let near = worth.iter().take(NEAR * most);
        let mut upcoming: Vec<Upcoming> =
            near.map(|(_, page)| Upcoming { page: PageId(page.0), outlook: outlook(*page) }).collect();
        upcoming.sort_by(|a, b| a.outlook.due.unwrap_or(at).max(at).total_cmp(&b.outlook.due.unwrap_or(at).max(at)));
        upcoming.truncate(most);
        upcoming
    }

    fn with_sample(&self, mut survey: Survey) -> Survey {
        let stride = self.frontier.len().div_ceil(SAMPLE).max(1);
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        for page in self.frontier.kept_fresh(stride) {
            survey.rates.push(page.rate);
            survey.weights.push(page.weight);
            survey.ages.push(self.age(&page, survey.at));
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
