//! What the pages are like: some of them stand for all.

use std::collections::HashMap;

use crawl::fleet::{Message, Survey};
use store::{Catalogue, PageId, State};
use tokio::sync::oneshot;

use crate::commands::reading::{Beliefs, now};
use crate::server::last_crawl::LastCrawl;
use crate::server::{Desk, Problem, Shelf};

/// Pages that are looked at: so many answer within a fraction of a second.
const MOST: usize = 4_000;

/// Change rates and weights of some pages that are kept fresh.
#[derive(Clone, Debug, Default)]
pub(super) struct Sample {
    /// Changes per second.
    pub(super) rates: Vec<f64>,
    pub(super) weights: Vec<f64>,
    /// The host of each, numbered as they come.
    pub(super) host_of: Vec<u32>,
    /// Most requests per second to each of those hosts.
    pub(super) host_limits: Vec<f64>,
    /// The shortest time between two visits to a page, in seconds.
    pub(super) least_revisit: f64,
    /// Pages kept fresh in all.
    pub(super) pages: usize,
}

impl Sample {
    /// The part of all pages that is looked at.
    pub(super) fn share(&self) -> f64 {
        self.rates.len() as f64 / self.pages.max(1) as f64
    }

    fn thinned(survey: &Survey) -> Self {
        let stride = survey.rates.len().div_ceil(MOST).max(1);
        let every = |values: &[f64]| values.iter().copied().step_by(stride).collect::<Vec<_>>();
        Self {
            rates: every(&survey.rates),
            weights: every(&survey.weights),
            host_of: survey.host_of.iter().copied().step_by(stride).collect(),
            host_limits: survey.host_limits.clone(),
            least_revisit: survey.least_revisit,
            pages: survey.kept_fresh,
        }
    }
}

/// Some pages: as the engine knows them, or as the catalogue remembers them.
pub(super) async fn take(desk: &Desk) -> Result<Sample, Problem> {
    if let Some(engine) = desk.engine() {
        let (answer, told) = oneshot::channel();
        _ = engine.fleet.send(Message::Survey(answer));
        // An engine that has ended tells nothing.
        if let Ok(survey) = told.await {
            return Ok(Sample::thinned(&survey));
        }
    }
    let least = desk.config().fleet.frontier.least_revisit;
    desk.read(move |shelf| {
        let last = LastCrawl::read(&shelf.folder)?.and_then(|last| last.least_revisit);
        Ok(Sample { least_revisit: last.unwrap_or(least), ..remembered(shelf)? })
    })
    .await
}

fn remembered(shelf: &Shelf) -> Result<Sample, Problem> {
    let catalogue = &shelf.folder.catalogue;
    let known = catalogue.counts()?.pages() as usize;
    let stride = known.div_ceil(MOST).max(1);
    let numbers: Vec<PageId> = (0..known as u32).step_by(stride).map(PageId).collect();
    let delays: HashMap<_, _> = catalogue.hosts()?.into_iter().map(|host| (host.id, host.delay)).collect();
    let (mut beliefs, at) = (Beliefs::new(catalogue)?, now());
    let (mut sample, mut hosts) = (Sample::default(), HashMap::new());
    for page in catalogue.pages(&numbers)? {
        if !matches!(page.values.state, State::Fetched | State::Duplicate) {
            continue;
        }
        sample.rates.push(beliefs.of(&page, at)?.rate.mean());
        sample.weights.push(f64::from(page.standing.weight));
        let next = hosts.len() as u32;
        let number = *hosts.entry(page.host).or_insert(next);
        if number == next {
            // With no delay the limit is what the host can do.
            sample.host_limits.push(1.0 / delays.get(&page.host).copied().unwrap_or(0.0));
        }
        sample.host_of.push(number);
    }
    sample.pages = sample.rates.len() * stride;
    Ok(sample)
}
