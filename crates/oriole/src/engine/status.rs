//! What the engine says about itself.

mod staleness;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crawl::fleet::{Counters, Delivery, HostSurvey, Presence, Survey};
use serde::Serialize;
use store::{Buffer, Catalogue, CatalogueError, Counts, DataFolder, SqliteCatalogue, State};

use super::governor::ControlStatus;
use super::history::{History, Point, Range};
use super::webhooks::WebhookLine;
use crate::units::SECONDS_PER_DAY;
use staleness::{Staleness, staleness};

/// What the engine says about itself. Written to the catalogue once a second, shown on the terminal, served as metrics.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Status {
    /// The program's version.
    pub version: &'static str,
    /// The process.
    pub pid: u32,
    /// When the engine was started.
    pub started_at: String,
    /// When this was said.
    pub updated_at: String,
    /// Pages known.
    pub pages_known: u64,
    /// Pages of which there is a copy.
    pub pages_fetched: u64,
    /// Pages that the index has.
    pub pages_indexed: u64,
    /// Pages whose visits have failed so far.
    pub pages_failed: u64,
    /// Pages waiting for their first visit, or to be tried again now.
    pub pages_queued: u64,
    /// Pages visited again as they are worth it.
    pub pages_kept_fresh: u64,
    /// Hosts known.
    pub hosts: u64,
    /// Hosts left alone for now.
    pub hosts_blocked: u64,
    /// Robots at work at this moment. Most fetches take milliseconds, so that it is 0 now and then.
    pub robots_active: u64,
    /// Robots at work on average in the last seconds: the time that all were at work, per second.
    pub robots_mean: f64,
    /// Robots wanted now.
    pub robots_wanted: u64,
    /// Most robots.
    pub robots_max: u64,
    /// Documents waiting to be indexed, or being indexed.
    pub buffer_occupancy: u64,
    /// Places for them.
    pub buffer_capacity: u64,
    /// Documents that found no place, since the start.
    pub lost: u64,
    /// Documents that waited too long, since the start.
    pub obsolete: u64,
    /// Requests a day; none if they are not limited.
    pub budget_per_day: Option<f64>,
    /// The shortest time between two visits to a page, in seconds.
    pub least_revisit_seconds: Option<f64>,
    /// The estimated part of the pages kept fresh, by weight, whose copy is out of date now.
    pub stale_estimate: Option<f64>,
    /// What it would be on average with the best order of visits, for the estimated change rates, within budget, delays of
    /// hosts and the shortest time between visits ...
    pub stale_bound: Option<f64>,
    /// ... if all pages were visited equally often ...
    pub stale_uniform: Option<f64>,
    /// ... and if pages were visited as often as they change.
    pub stale_proportional: Option<f64>,
    /// The index at which pages are visited.
    pub index_level: Option<f64>,
    /// How the number of robots is decided, what the model says of it, and what was seen.
    pub control: Option<ControlStatus>,
    /// Requests since the start.
    pub requests: u64,
    /// Requests in the last seconds, per second.
    pub requests_per_second: f64,
    /// Pages read since the start.
    pub visits_read: u64,
    /// Pages that had changed.
    pub visits_changed: u64,
    /// Pages that were as before.
    pub visits_unchanged: u64,
    /// Visits that failed.
    pub visits_failed: u64,
    /// Bytes received since the start.
    pub bytes_received: u64,
    /// Batches written since the start.
    pub batches: u64,
    /// The hosts with most to do.
    pub busiest_hosts: Vec<HostLine>,
    /// Who is told of changes.
    pub webhooks: Vec<WebhookLine>,
}

/// A host in the status.
#[derive(Clone, Debug, Serialize)]
pub struct HostLine {
    /// Its name.
    pub host: String,
    /// Pages known.
    pub pages: u64,
    /// Pages waiting.
    pub queued: u64,
    /// Requests under way.
    pub requests: u64,
    /// Seconds between requests.
    pub delay: f64,
    /// Failures in a row.
    pub failures: u32,
    /// Left alone for so many seconds more.
    pub blocked_for: Option<f64>,
    /// Whether it is crawled, in words.
    pub state: String,
    /// Why its pages cannot be read, in words.
    pub trouble: Option<String>,
    /// The estimated part of its pages kept fresh, by weight, whose copy is out of date.
    pub stale: Option<f64>,
    /// Changes a day of such a page, on average.
    pub changes_per_day: Option<f64>,
}

impl HostLine {
    /// Whether a host is crawled, in words.
    #[must_use]
    pub fn state_in_words(presence: Presence, blocked_for: Option<f64>) -> String {
        match (presence, blocked_for) {
            (Presence::Paused, _) => "paused".to_owned(),
            (Presence::Leaving, _) => "being removed".to_owned(),
            (Presence::Removed, _) => "removed".to_owned(),
            (Presence::Crawled, Some(wait)) => format!("left alone for {}", crate::output::age::length(wait.max(1.0))),
            (Presence::Crawled, None) => "crawled".to_owned(),
        }
    }
}

impl From<HostSurvey> for HostLine {
    fn from(host: HostSurvey) -> Self {
        Self {
            state: Self::state_in_words(host.presence, host.blocked_for),
            trouble: host.trouble,
            stale: host.stale,
            changes_per_day: host.change_rate.map(|rate| rate * SECONDS_PER_DAY),
            host: host.name,
            pages: host.pages as u64,
            queued: host.queued as u64,
            requests: host.requests as u64,
            delay: host.delay,
            failures: host.failures,
            blocked_for: host.blocked_for,
        }
    }
}

/// Where the status is put together and looked at.
pub struct StatusBoard {
    counters: Arc<Counters>,
    buffer: Arc<dyn Buffer<Delivery>>,
    robots_max: AtomicU64,
    /// Bits of the budget in requests per second; infinite if there is none.
    budget: AtomicU64,
    batches: AtomicU64,
    /// Visits that are remembered.
    kept: AtomicU64,
    slow: Mutex<Slow>,
    pace: Mutex<Pace>,
    control: Mutex<Option<ControlStatus>>,
    history: Mutex<History>,
    webhooks: Mutex<Vec<WebhookLine>>,
    base: Status,
}

/// Figures that take time to find out.
#[derive(Clone, Default)]
struct Slow {
    counts: Option<Counts>,
    survey: Survey,
    stale: Staleness,
}

/// For requests per second, and robots on average.
#[derive(Clone, Copy)]
struct Pace {
    at: Instant,
    requests: u64,
    /// Microseconds.
    worked: u64,
    per_second: f64,
    robots: f64,
}

impl StatusBoard {
    pub(super) fn new(
        counters: Arc<Counters>,
        buffer: Arc<dyn Buffer<Delivery>>,
        robots: u32,
        budget: Option<f64>,
    ) -> Self {
        let base = Status {
            version: env!("CARGO_PKG_VERSION"),
            pid: std::process::id(),
            started_at: crawl::fleet::now().to_string(),
            ..Status::default()
        };
        Self {
            counters,
            buffer,
            robots_max: AtomicU64::new(u64::from(robots)),
            budget: AtomicU64::new(budget.unwrap_or(f64::INFINITY).to_bits()),
            batches: AtomicU64::new(0),
            kept: AtomicU64::new(0),
            slow: Mutex::default(),
            pace: Mutex::new(Pace { at: Instant::now(), requests: 0, worked: 0, per_second: 0.0, robots: 0.0 }),
            control: Mutex::default(),
            history: Mutex::default(),
            webhooks: Mutex::default(),
            base,
        }
    }

    pub(super) fn set_webhooks(&self, lines: Vec<WebhookLine>) {
        *lock(&self.webhooks) = lines;
    }

    pub(super) fn set_webhook(&self, place: usize, line: WebhookLine) {
        if let Some(known) = lock(&self.webhooks).get_mut(place) {
            *known = line;
        }
    }

    pub(super) fn webhooks(&self) -> Vec<WebhookLine> {
        lock(&self.webhooks).clone()
    }

    /// Goes on with how things were.
    pub(super) fn recall(&self, history: History) {
        *lock(&self.history) = history;
    }

    /// Notes how things are for whoever looks back.
    pub(super) fn sample(&self) {
        let point = Point::of(&self.status(), crawl::fleet::now().seconds());
        lock(&self.history).add(point);
    }

    /// How things were, oldest first.
    #[must_use]
    pub fn history(&self, range: Range) -> Vec<Point> {
        lock(&self.history).points(range)
    }

    /// What the catalogue is to remember of how things were.
    pub(super) fn history_note(&self) -> String {
        lock(&self.history).note()
    }

    /// Takes in how the number of robots is decided.
    pub(super) fn decided(&self, control: ControlStatus) {
        *lock(&self.control) = Some(control);
    }

    /// Whether the fleet has nothing to do before what it has found is kept.
    pub(super) fn is_awaited(&self) -> bool {
        self.counters.is_waiting_for_keeper()
    }

    pub(super) fn batch_written(&self, visits: usize) {
        self.batches.fetch_add(1, Ordering::Relaxed);
        self.kept.fetch_add(visits as u64, Ordering::Relaxed);
    }

    pub(super) fn set_robots(&self, robots: u32) {
        self.robots_max.store(u64::from(robots), Ordering::Relaxed);
    }

    pub(super) fn set_budget(&self, budget: Option<f64>) {
        self.budget.store(budget.unwrap_or(f64::INFINITY).to_bits(), Ordering::Relaxed);
    }

    fn budget(&self) -> Option<f64> {
        Some(f64::from_bits(self.budget.load(Ordering::Relaxed))).filter(|budget| budget.is_finite())
    }

    /// Takes in how things stand with the fleet.
    pub(super) fn surveyed(&self, survey: Survey) {
        // Without a budget the question is what could be done at this pace.
        let stale =
            staleness(&survey, self.budget().or_else(|| Some(self.pace().per_second).filter(|pace| *pace > 0.0)));
        // Whoever looks at the status does not need the sample.
        let none = Vec::new;
        let survey =
            Survey { rates: none(), weights: none(), ages: none(), host_of: Vec::new(), host_limits: none(), ..survey };
        let mut slow = lock(&self.slow);
        (slow.survey, slow.stale) = (survey, stale);
    }

    /// Finds out how much there is in the catalogue.
    pub(super) fn count(&self, folder: &Mutex<DataFolder>) {
        // A catalogue that is busy for once is asked again.
        if let Ok(counts) = lock(folder).catalogue.counts() {
            lock(&self.slow).counts = Some(counts);
        }
    }

    /// How things are.
    pub fn status(&self) -> Status {
        let counters = &self.counters;
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (slow, pace) = (lock(&self.slow).clone(), self.pace());
        let buffer = self.buffer.counters();
        let counts = slow.counts.unwrap_or_default();
        Status {
            updated_at: crawl::fleet::now().to_string(),
            pages_known: get(&counters.known),
            pages_fetched: counts.state(State::Fetched) + counts.state(State::Duplicate),
            pages_indexed: counts.indexed,
            pages_failed: counts.state(State::Failed),
            pages_queued: get(&counters.queued),
            pages_kept_fresh: slow.survey.kept_fresh as u64,
            hosts: slow.survey.hosts as u64,
            hosts_blocked: slow.survey.blocked as u64,
            robots_active: get(&counters.active),
            robots_mean: pace.robots,
            robots_wanted: get(&counters.wanted),
            robots_max: get(&self.robots_max),
            buffer_occupancy: self.buffer.occupancy() as u64,
            buffer_capacity: self.buffer.capacity() as u64,
            lost: buffer.lost,
            obsolete: buffer.obsolete,
            budget_per_day: self.budget().map(|budget| budget * SECONDS_PER_DAY),
            least_revisit_seconds: Some(slow.survey.least_revisit).filter(|_| slow.survey.hosts > 0),
            stale_estimate: slow.stale.estimate,
            stale_bound: slow.stale.bound,
            stale_uniform: slow.stale.uniform,
            stale_proportional: slow.stale.proportional,
            index_level: Some(slow.survey.index_level).filter(|level| level.is_finite() && *level > 0.0),
            control: lock(&self.control).clone(),
            requests: get(&counters.requests),
            requests_per_second: pace.per_second,
            visits_read: get(&counters.read),
            visits_changed: get(&counters.changed),
            visits_unchanged: get(&counters.unchanged),
            visits_failed: get(&counters.failed),
            bytes_received: get(&counters.bytes),
            batches: get(&self.batches),
            busiest_hosts: slow.survey.busiest.into_iter().map(HostLine::from).collect(),
            webhooks: self.webhooks(),
            ..self.base.clone()
        }
    }

    /// How things are, as JSON.
    pub(super) fn json(&self) -> String {
        // A status has no maps and no keys that are not text, so this does not fail.
        serde_json::to_string(&self.status()).unwrap_or_default()
    }

    /// Requests per second and robots at work over the last seconds.
    fn pace(&self) -> Pace {
        let mut pace = lock(&self.pace);
        let (elapsed, requests) = (pace.at.elapsed(), self.counters.requests.load(Ordering::Relaxed));
        if elapsed >= Duration::from_secs(2) || pace.per_second == 0.0 {
            let worked = self.counters.worked.load(Ordering::Relaxed);
            let seconds = elapsed.as_secs_f64().max(1e-3);
            pace.per_second = (requests - pace.requests) as f64 / seconds;
            pace.robots = (worked - pace.worked) as f64 / 1e6 / seconds;
            (pace.at, pace.requests, pace.worked) = (Instant::now(), requests, worked);
        }
        *pace
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The index at which pages are visited, as the engine last said.
pub(crate) fn said_level(catalogue: &SqliteCatalogue) -> Result<Option<f64>, CatalogueError> {
    let said = catalogue.status()?.and_then(|text| serde_json::from_str::<serde_json::Value>(&text).ok());
    Ok(said.and_then(|said| said.get("index_level")?.as_f64()).filter(|level| *level > 0.0))
}

/// When something is to be found out again: after a while, or fifty times as long as it took, up to a limit.
pub(super) struct Watch {
    least: Duration,
    most: Duration,
    next: Instant,
}

impl Watch {
    pub(super) fn new(least: Duration, most: Duration) -> Self {
        Self { least, most, next: Instant::now() }
    }

    pub(super) fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    /// Waits for the work and notes how long it took.
    pub(super) async fn time(&mut self, work: impl Future) {
        let began = Instant::now();
        work.await;
        self.next = Instant::now() + (50 * began.elapsed()).clamp(self.least, self.most);
    }
}
