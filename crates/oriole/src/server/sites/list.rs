//! Sites and how they are.

use crawl::address::PageUrl;
use crawl::fleet::{HostQuery, Learned, Message, Presence, SITES_NOTE, SiteRule, SiteRules};
use serde::Serialize;
use store::{Catalogue, Command, Host, Timestamp, Wish};
use tokio::sync::oneshot;

use crate::commands::reading;
use crate::engine::HostLine;
use crate::server::{Desk, Problem, Shelf};
use crate::units::SECONDS_PER_DAY;

/// Sites on one page.
pub(super) const PER_PAGE: usize = 50;

/// Sites that were found.
#[derive(Serialize)]
pub(in crate::server) struct Found {
    /// How many there are in all.
    pub(in crate::server) total: usize,
    /// Some of them, those with most pages first.
    pub(in crate::server) sites: Vec<Site>,
    /// Patterns of addresses and what pages matter that match, as was said by commands.
    pub(super) weights: Vec<(String, f32)>,
    /// Commands that the engine has not carried out yet.
    pub(super) waiting: u64,
    /// Whether an engine runs in this process.
    pub(super) running: bool,
}

/// A site.
#[derive(Serialize)]
pub(in crate::server) struct Site {
    #[serde(flatten)]
    pub(super) line: HostLine,
    /// What was said of it by commands.
    pub(super) rule: SiteRule,
    /// What will become of it by a command that the engine has not carried out yet.
    #[serde(skip)]
    pub(super) awaited: Option<&'static str>,
}

/// Sites whose names contain a text.
pub(in crate::server) async fn find(
    desk: &Desk,
    contains: &str,
    offset: usize,
    limit: usize,
) -> Result<Found, Problem> {
    let query = HostQuery { contains: contains.trim().to_lowercase(), offset, limit };
    let told = match desk.engine() {
        Some(engine) => {
            let (answer, told) = oneshot::channel();
            _ = engine.fleet.send(Message::Hosts(query.clone(), answer));
            // An engine that has ended tells nothing.
            told.await.ok()
        }
        None => None,
    };
    let running = desk.engine().is_some();
    desk.read(move |shelf| {
        let rules = SiteRules::read(shelf.folder.catalogue.note(SITES_NOTE)?.as_deref());
        let (total, lines) = match told {
            Some((total, hosts)) => (total, hosts.into_iter().map(HostLine::from).collect()),
            None => remembered(shelf, &query, &rules)?,
        };
        let inbox = shelf.folder.catalogue.inbox(0, 1_000)?;
        let site = |line: HostLine| Site { rule: rules.of(&line.host), awaited: awaited(&inbox, &line.host), line };
        let sites = lines.into_iter().map(site).collect();
        Ok(Found { total, sites, weights: rules.weights, waiting: inbox.len() as u64, running })
    })
    .await
}

/// What the last command about a host will make of it.
fn awaited(inbox: &[Command], host: &str) -> Option<&'static str> {
    let is_about = |command: &&Command| PageUrl::parse(&command.url).is_ok_and(|url| url.origin() == host);
    let words = |command: &Command| match command.wish {
        Wish::AddSite => Some("taking up"),
        Wish::Pause => Some("pausing"),
        Wish::Resume => Some("resuming"),
        Wish::RemoveSite => Some("removing"),
        _ => None,
    };
    inbox.iter().rev().filter(is_about).find_map(words)
}

/// What the catalogue remembers of hosts.
fn remembered(shelf: &Shelf, query: &HostQuery, rules: &SiteRules) -> Result<(usize, Vec<HostLine>), Problem> {
    let now = reading::now();
    let mut hosts = shelf.folder.catalogue.hosts()?;
    hosts.retain(|host| host.pages > 0 && host.name.contains(&query.contains));
    let is_removed = |host: &Host| matches!(rules.of(&host.name).presence, Presence::Leaving | Presence::Removed);
    hosts.sort_by_cached_key(|host| (is_removed(host), std::cmp::Reverse(host.pages), host.id));
    let total = hosts.len();
    let shown = hosts.into_iter().skip(query.offset).take(query.limit);
    Ok((total, shown.map(|host| line(host, rules, now)).collect()))
}

fn line(host: Host, rules: &SiteRules, now: Timestamp) -> HostLine {
    let learned = host.learned.as_deref().and_then(Learned::read);
    let blocked_for = host.blocked_until.map(|until| until.seconds() - now.seconds()).filter(|wait| *wait > 0.0);
    HostLine {
        pages: host.pages.into(),
        queued: 0,
        requests: 0,
        delay: host.delay,
        failures: host.failures,
        blocked_for,
        state: HostLine::state_in_words(rules.of(&host.name).presence, blocked_for),
        changes_per_day: learned.as_ref().map(|learned| learned.law.median_rate * SECONDS_PER_DAY),
        trouble: learned.and_then(|learned| learned.trouble),
        stale: None,
        host: host.name,
    }
}
