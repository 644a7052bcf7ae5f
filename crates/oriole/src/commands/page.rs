//! `oriole page`: all that is known of one page, and when it will be visited next.

pub(crate) mod report;

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use crawl::address::PageUrl;
use crawl::fleet::{FleetSettings, Learned, Presence, SITES_NOTE, SiteRules, Trust, faded};
use crawl::frontier::{Outlook, Prospect, Remaining};
use store::{Catalogue, DataFolder, Host, Page, Timestamp, Visit};

use super::reading::{self, Belief, Beliefs};
use crate::cli::PageArgs;
use crate::engine::said_level;
use crate::failure::{Mistake, quoted};
use crate::output::{json, stdout};

/// All that is known of a page.
pub(crate) struct Known {
    pub(crate) page: Page,
    pub(crate) belief: Belief,
    outlook: Outlook,
    host: Option<Host>,
    /// Whether the user has its site crawled.
    presence: Presence,
    /// Whether a pattern says what it matters.
    is_weight_fixed: bool,
    /// Whether part of the budget goes to the pages that have waited longest.
    has_reserve: bool,
    /// Addresses of the page that led to it, and of the one that is shown instead.
    referrer: Option<String>,
    duplicate_of: Option<String>,
    /// How often readers have asked for it, as it counts now.
    asked: f64,
    /// What signals of its host are worth, by kind.
    signals: BTreeMap<String, Trust>,
    /// Newest first.
    pub(crate) visits: Vec<Visit>,
    pub(crate) now: Timestamp,
}

/// Runs the command.
///
/// # Errors
/// A [`Mistake`] if the address is none or no such page is known; otherwise if the data folder cannot be read.
pub fn run(arguments: &PageArgs) -> Result<()> {
    let folder = reading::open(&arguments.engine)?;
    let url = reading::address(&arguments.url)?;
    let Some(page) = find(&folder, &arguments.url, &url)? else {
        let problem = format!("the page {} is not known; `oriole add` makes it so", quoted(url.as_str()));
        return Err(Mistake::usage(problem).into());
    };
    let settings = reading::fleet_settings(&arguments.engine)?;
    let known = known(&folder, page, &settings, reading::now())?;
    if arguments.json {
        let mut beliefs = Beliefs::new(&folder.catalogue)?;
        let line = json::line(&report::json(&known, &mut beliefs, arguments.visits as usize)?)?;
        let mut out = stdout();
        out.write_all(line.as_bytes())?;
        return Ok(out.flush()?);
    }
    let mut out = anstream::stdout().lock();
    out.write_all(report::text(&known, arguments.visits as usize).as_bytes())?;
    Ok(out.flush()?)
}

/// The page of that address. Where no scheme was typed, `http` will do as well.
pub(crate) fn find(folder: &DataFolder, typed: &str, url: &PageUrl) -> Result<Option<Page>> {
    let found = folder.catalogue.find(url.as_str())?;
    match url.as_str().strip_prefix("https://").filter(|_| found.is_none() && !typed.contains("://")) {
        Some(rest) => Ok(folder.catalogue.find(&format!("http://{rest}"))?),
        None => Ok(found),
    }
}

/// Puts together what is known of a page.
pub(crate) fn known(folder: &DataFolder, page: Page, settings: &FleetSettings, now: Timestamp) -> Result<Known> {
    let catalogue = &folder.catalogue;
    let belief = Beliefs::new(catalogue)?.of(&page, now)?;
    let weight = f64::from(page.standing.weight);
    let place = Remaining::of(&page.values);
    let prospect = Prospect::new(belief.rate, weight, place, &settings.frontier, now.seconds());
    let outlook = Outlook::new(&prospect, said_level(catalogue)?, &settings.frontier, now.seconds());
    let demand = catalogue.demand_of(page.id)?;
    let asked = demand.map_or(0.0, |demand| faded(f64::from(demand.asked), demand.at, now, settings.demand.half_life));
    let host = catalogue.host(page.host)?;
    let rules = SiteRules::read(catalogue.note(SITES_NOTE)?.as_deref());
    let weights = settings.weights.after(&rules.weights).unwrap_or_default();
    let learned = host.as_ref().and_then(|host| Learned::read(host.learned.as_deref()?));
    let url_of = |id: Option<store::PageId>| -> Result<Option<String>> {
        let Some(id) = id else { return Ok(None) };
        Ok(catalogue.page(id)?.map(|page| page.url))
    };
    Ok(Known {
        belief,
        outlook,
        presence: host.as_ref().map(|host| rules.of(&host.name).presence).unwrap_or_default(),
        is_weight_fixed: PageUrl::parse(&page.url).is_ok_and(|url| weights.fixed(&url).is_some()),
        has_reserve: settings.frontier.reserve > 0.0,
        host,
        asked,
        signals: learned.map(|learned| learned.signals).unwrap_or_default(),
        referrer: url_of(page.referrer)?,
        duplicate_of: url_of(page.values.duplicate_of)?,
        visits: catalogue.history(page.id)?,
        page,
        now,
    })
}
