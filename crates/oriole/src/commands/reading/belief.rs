//! What is believed of the change rates of pages.

use std::collections::HashMap;

use crawl::address::PageUrl;
use crawl::fleet::{Law, Learned};
use crawl::frontier::section;
use freshness::learn::{Evidence, Prior, RateEstimate};
use store::{Catalogue, CatalogueError, Host, HostId, Page, SqliteCatalogue, State, Timestamp};

/// Seconds in a day: the catalogue's evidence is in seconds.
const DAY: f64 = 86_400.0;

/// The catalogue's name for what is believed of all pages.
const NOTE: &str = "prior";

/// What the catalogue says of hosts, read when first needed.
pub(crate) struct Beliefs<'a> {
    catalogue: &'a SqliteCatalogue,
    general: Prior,
    hosts: HashMap<HostId, OfHost>,
}

/// What is known of a host.
#[derive(Default)]
struct OfHost {
    name: String,
    prior: Option<Prior>,
    sections: HashMap<String, Prior>,
}

/// What is believed of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Belief {
    /// Its change rate per second.
    pub(crate) rate: RateEstimate,
    /// Probability that it has not changed since its last visit, if there is a copy.
    pub(crate) current: Option<f64>,
}

impl Belief {
    /// Changes per day.
    pub(crate) fn changes_per_day(&self) -> f64 {
        self.rate.mean() * DAY
    }

    /// The interval that holds the changes per day with probability 95 %.
    pub(crate) fn interval_per_day(&self) -> (f64, f64) {
        let (low, high) = self.rate.interval(0.95);
        (low * DAY, high * DAY)
    }
}

impl<'a> Beliefs<'a> {
    /// What the catalogue knows.
    pub(crate) fn new(catalogue: &'a SqliteCatalogue) -> Result<Self, CatalogueError> {
        let general = match catalogue.note(NOTE)?.as_deref().and_then(prior) {
            Some(prior) => prior,
            None => Prior::unknown(DAY).map_err(|error| CatalogueError::Damaged(error.to_string()))?,
        };
        Ok(Self { catalogue, general, hosts: HashMap::new() })
    }

    /// What is believed of a page.
    pub(crate) fn of(&mut self, page: &Page, now: Timestamp) -> Result<Belief, CatalogueError> {
        let values = &page.values;
        let evidence = Evidence::from_parts(values.evidence_changes, values.evidence_exposure);
        let rate = evidence.estimate(&self.prior_of(page)?);
        // A copy of a page that was not there at the last visit, which has to be confirmed, is not believed to be current.
        let missing = matches!(values.status, Some(404 | 410));
        let copied = matches!(values.state, State::Fetched | State::Duplicate) && !missing;
        let checked_at = values.checked_at.filter(|_| copied);
        Ok(Belief { rate, current: checked_at.map(|at| unchanged(&rate, at, now)) })
    }

    /// The name of a host.
    pub(crate) fn host_name(&mut self, host: HostId) -> Result<&str, CatalogueError> {
        Ok(&self.host(host)?.name)
    }

    /// What is believed of pages in the same section of the host.
    fn prior_of(&mut self, page: &Page) -> Result<Prior, CatalogueError> {
        let general = self.general;
        let host = self.host(page.host)?;
        let own = PageUrl::parse(&page.url).ok().and_then(|url| host.sections.get(&section(url.path_and_query())));
        Ok(own.copied().or(host.prior).unwrap_or(general))
    }

    fn host(&mut self, id: HostId) -> Result<&OfHost, CatalogueError> {
        if !self.hosts.contains_key(&id) {
            let known = self.catalogue.host(id)?;
            self.hosts.insert(id, known.map(OfHost::from).unwrap_or_default());
        }
        self.hosts.get(&id).ok_or_else(|| CatalogueError::Damaged(format!("host {} is missing", id.0)))
    }
}

impl From<Host> for OfHost {
    fn from(host: Host) -> Self {
        let learned = host.learned.as_deref().and_then(Learned::read);
        let prior = learned.as_ref().and_then(|learned| learned.law.prior());
        let sections = learned.map(|learned| learned.sections).unwrap_or_default();
        let sections = sections.into_iter().filter_map(|(name, law)| Some((name, law.prior()?))).collect();
        Self { name: host.name, prior, sections }
    }
}

fn prior(text: &str) -> Option<Prior> {
    serde_json::from_str::<Law>(text).ok()?.prior()
}

/// The probability `e^(-mu t)` that a page of estimated rate `mu` has not changed in the time since a visit.
fn unchanged(rate: &RateEstimate, at: Timestamp, now: Timestamp) -> f64 {
    (-rate.mean() * (now.seconds() - at.seconds()).max(0.0)).exp()
}
