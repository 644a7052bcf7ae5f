//! Going on from what the catalogue remembers.

use std::collections::HashMap;
use std::sync::Arc;

use freshness::learn::{Evidence, Prior};
use rapidhash::{RapidHashMap, RapidHashSet};
use store::{Catalogue, CatalogueError, HostId, SqliteCatalogue, State as Known, Timestamp, Values};

use super::demand::Demands;
use super::freshness_host;
use super::hidden::Hidden;
use super::redirects::Redirects;
use super::sites::{SITES_NOTE, Sites};
use super::state::{FleetSettings, State};
use crate::address::PageUrl;
use crate::examine::{Examiner, remembered};
use crate::fingerprint::NearDuplicates;
use crate::frontier::{Frontier, Remaining, Remembered};
use crate::robots_txt::RobotsTxt;
use crate::scope::Weights;
use crate::trap::{TrapGuard, TrapLimits};

/// If a page matters by more than this part more or less than the catalogue says, it is told.
const RETOLD: f32 = 0.01;

/// The year of a moment, well enough for telling calendars from pages.
fn year(at: Timestamp) -> u32 {
    (1970.0 + at.seconds() / 31_556_952.0) as u32
}

impl State {
    /// Goes on from what the catalogue remembers. If every page is to be visited once, those last visited before `pass` are.
    ///
    /// # Errors
    /// If the catalogue cannot be read.
    pub fn restore(
        catalogue: SqliteCatalogue,
        examiner: Arc<Examiner>,
        settings: FleetSettings,
        prior: Prior,
        (now, pass): (Timestamp, Option<Timestamp>),
    ) -> Result<Self, CatalogueError> {
        let mut state = Self {
            frontier: Frontier::new(settings.frontier.clone(), prior),
            settings,
            examiner,
            hosts: Vec::new(),
            host_ids: HashMap::new(),
            fresh: RapidHashMap::default(),
            catalogued: 0,
            links_in: Vec::new(),
            linked: RapidHashSet::default(),
            demands: Demands::default(),
            weights: Weights::default(),
            sites: Sites::default(),
            duplicates: NearDuplicates::new(),
            traps: TrapGuard::new(TrapLimits::default(), year(now)),
            unwanted: RapidHashSet::default(),
            again: RapidHashSet::default(),
            asked_for: RapidHashSet::default(),
            decided: RapidHashMap::default(),
            read_at: RapidHashMap::default(),
            hidden: Hidden::default(),
            began: now.seconds(),
            told: RapidHashMap::default(),
            hops: RapidHashMap::default(),
            hubs: Vec::new(),
            catalogue,
        };
        let note = state.catalogue.note(SITES_NOTE)?;
        state.restore_sites(note.as_deref());
        state.restore_hosts(now)?;
        state.demands.restore(state.catalogue.demand()?);
        state.restore_pages(now, pass)?;
        state.catalogued = state.links_in.len() as u32;
        Ok(state)
    }

    fn restore_hosts(&mut self, now: Timestamp) -> Result<(), CatalogueError> {
        for host in self.catalogue.hosts()? {
            let Ok(seed) = PageUrl::parse(&format!("{}/", host.name)) else {
                return Err(CatalogueError::Damaged(format!("{:?} is not the name of a host", host.name)));
            };
            // Hosts that someone has taken out of the catalogue leave a gap.
            for gap in self.hosts.len() as u32..host.id.0 {
                if let Ok(nobody) = PageUrl::parse(&format!("http://gap-{gap}.invalid/")) {
                    self.push_host(nobody.host_key());
                }
            }
            let id = self.push_host(seed.host_key());
            self.hosts[id.0 as usize].failures = host.failures;
            self.restore_learned(id, host.learned.as_deref(), now);
            // It may have been asked for something just before.
            self.frontier.pause(freshness_host(id), now.seconds(), host.delay);
            // It holds until it is read anew, and if that fails.
            let rules = self.catalogue.robots_txt(id)?.and_then(|known| Some((known.status?, known.body)));
            self.hosts[id.0 as usize].rules = rules
                .map(|(status, body)| RobotsTxt::from_answer(status, body.as_bytes(), &self.settings.product_token));
            if let Some(until) = host.blocked_until {
                self.frontier.block(freshness_host(id), until.seconds());
            }
        }
        Ok(())
    }

    fn restore_pages(&mut self, now: Timestamp, pass: Option<Timestamp>) -> Result<(), CatalogueError> {
        let (mut pages, mut states, mut hidden, mut redirects) = (vec![], vec![], vec![], Redirects::default());
        let (seed, duplicates, links_in) = (self.examiner.seed, &mut self.duplicates, &mut self.links_in);
        let traps = &mut self.traps;
        let (weights, demand, demands) = (&self.weights, &self.settings.demand, &mut self.demands);
        let (hosts, linked, scope) = (&mut self.hosts, &mut self.linked, &self.examiner.scope);
        let mut wrong = None;
        self.catalogue.load(&mut |page| {
            let parsed = PageUrl::parse(&page.url).ok().filter(|_| (page.host.0 as usize) < hosts.len());
            let Some(url) = parsed else {
                wrong = Some(page.url);
                return;
            };
            // Pages that someone has taken out of the catalogue leave a gap.
            for gap in pages.len() as u32..page.id.0 {
                pages.push(nobody(gap));
                states.push(Known::Excluded);
                links_in.push(0);
                demands.push(0, true);
            }
            if page.values.state == Known::Fetched
                && let Some(text) = remembered(&page.values)
            {
                _ = duplicates.admit(page.id.0, &text);
            }
            if page.values.state == Known::Duplicate {
                hidden.extend(page.values.duplicate_of.map(|shown| (page.id, shown)));
            }
            redirects.take(&page);
            // What endless spaces had before they have no longer.
            _ = traps.judge(&url);
            traps.found(&url, page.values.state == Known::Fetched);
            states.push(page.values.state);
            links_in.push(page.standing.links_in);
            // The configuration may have changed since the page was found.
            let fixed = weights.fixed(&url);
            demands.push(page.standing.depth, fixed.is_some());
            let learned = || demands.weight(page.id.0, page.standing.links_in, now, demand);
            let weight = fixed.or_else(learned).unwrap_or(1.0);
            if (weight - page.standing.weight).abs() > RETOLD * weight {
                // Who reads the catalogue is to know.
                linked.insert(page.id.0);
            }
            // What was out of bounds may no longer be. What the user has taken out has no time at which to try it again.
            let rules = hosts[page.host.0 as usize].rules.as_ref();
            let is_back = (page.values.state, page.values.retry_at.is_some()) == (Known::Excluded, true)
                && scope.judge(&url, u32::from(page.standing.depth)).is_take()
                && rules.is_none_or(|rules| rules.allows(url.path_and_query()));
            pages.push(Remembered {
                key: url.key(seed),
                host: freshness_host(page.host),
                section: hosts[page.host.0 as usize].section_of(&url),
                weight,
                evidence: Evidence::from_parts(page.values.evidence_changes, page.values.evidence_exposure),
                place: if is_back { Remaining::Queued } else { place(&page.values, pass) },
            });
        })?;
        if let Some(url) = wrong {
            return Err(CatalogueError::Damaged(format!("the page {url:?} has no address or no host that is known")));
        }
        self.frontier.restore(pages);
        self.hops = redirects.of_open_pages(&states);
        self.restore_hidden(&hidden, &states);
        Ok(())
    }
}

/// What stands for a page that is not in the catalogue.
fn nobody(id: u32) -> Remembered {
    let (host, evidence) = (freshness_host(HostId(0)), Evidence::default());
    Remembered { key: u64::MAX - u64::from(id), host, section: 0, weight: 0.0, evidence, place: Remaining::Never }
}

/// Where a page goes after a restart.
fn place(values: &Values, pass: Option<Timestamp>) -> Remaining {
    let fetched = values.checked_at.filter(|_| !values.sketch.is_empty()).map(Timestamp::seconds);
    if let (Some(pass), Some(at)) = (pass, fetched)
        && at < pass.seconds()
        // What the user has taken out stays out.
        && (values.state, values.retry_at) != (Known::Excluded, None)
    {
        return Remaining::Later(at, Remaining::compared(values));
    }
    Remaining::of(values)
}
