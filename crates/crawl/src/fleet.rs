//! The robots, and the one place that knows what all of them do.
//!
//! A [`Fleet`] draws tasks from the frontier while fewer robots are active than wanted, lets each robot fetch and examine one
//! page, and decides what its finding means for all pages. Documents go to the buffer; everything else that must be remembered
//! goes to whoever keeps it, who says when it is safe: only then is a visit over.

mod change;
mod clock;
mod counters;
mod demand;
mod errand;
mod hidden;
mod import;
mod learned;
mod listings;
mod messages;
mod redirects;
mod restore;
mod robot;
mod sites;
mod state;
mod steering;
mod survey;
mod told;
mod trouble;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use control::controller::Event;
use store::{Buffer, HostId, PageId};
use tokio::sync::mpsc::{Sender, UnboundedReceiver, UnboundedSender};

use crate::fetch::Fetcher;
use crate::frontier::{Draw, Task};
pub use clock::{now, seconds};
pub use counters::Counters;
pub use demand::{DemandSettings, faded, prior_weight};
pub use import::Imported;
pub use learned::{Law, Learned, Trust};
pub use messages::{Delivery, Hub, Message, Record, Visited};
pub use sites::{Presence, SITES_NOTE, SiteRule, SiteRules};
pub use state::{FleetSettings, State};
pub use steering::{Seen, Steering};
pub use survey::{HostQuery, HostSurvey, Survey, Upcoming};

use clock::duration;
use steering::Stretch;

/// Whether the server had the page.
pub(crate) fn is_read(outcome: store::Outcome) -> bool {
    use store::Outcome::{Changed, New, NotModified, Unchanged};
    matches!(outcome, New | Changed | Unchanged | NotModified)
}

/// Adds one.
fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// The robots and their dispatcher.
pub struct Fleet {
    state: State,
    fetcher: Fetcher,
    steering: Steering,
    reserve: bool,
    seen: Option<UnboundedSender<Seen>>,
    hubs: Option<Sender<Hub>>,
    stretch: Stretch,
    random: u64,
    buffer: Arc<dyn Buffer<Delivery>>,
    records: UnboundedSender<Record>,
    sender: UnboundedSender<Message>,
    counters: Arc<Counters>,
    active: u32,
    /// Robots that were last wanted and had room for what they bring.
    allowed: u32,
    /// Pages read.
    read: u64,
    /// Since when nothing new is begun.
    stopping: Option<Instant>,
    /// Whether the fleet ends when every page has been visited once.
    once: bool,
}

/// The longest wait for a host that a crawl which visits every page once puts up with.
const PATIENCE: f64 = 600.0;

/// Pages whose links are written down at a time.
const MOST_LINKS: usize = 20_000;

/// How long robots may go on when the fleet is to end. What they would have brought later has not been visited.
const LAST_WAIT: Duration = Duration::from_secs(3);

/// How a fleet ended.
pub struct Ended {
    /// What it knew.
    pub state: State,
    /// Whether everything had been visited; otherwise it was told to stop.
    pub exhausted: bool,
    /// Pages read, also those that the server said were as before.
    pub read: u64,
    /// When it was told to stop, if it was.
    pub stopped: Option<Instant>,
}

/// What a fleet works with.
pub struct Gear {
    /// Makes requests.
    pub fetcher: Fetcher,
    /// Decides how many robots are active.
    pub steering: Steering,
    /// Whether a robot is sent out only if there is a place for what it brings.
    pub reserve: bool,
    /// Is told what goes on, if someone decides by it.
    pub seen: Option<UnboundedSender<Seen>>,
    /// Is told of feeds with hubs, if someone wants to know. What finds no place is told again when the feed is read again.
    pub hubs: Option<Sender<Hub>>,
    /// Takes documents.
    pub buffer: Arc<dyn Buffer<Delivery>>,
    /// Takes everything else.
    pub records: UnboundedSender<Record>,
    /// For messages to the fleet itself.
    pub sender: UnboundedSender<Message>,
    /// Told what is going on.
    pub counters: Arc<Counters>,
}

impl Fleet {
    /// A fleet that goes on from this state.
    #[must_use]
    pub fn new(state: State, gear: Gear, once: bool) -> Self {
        let Gear { fetcher, steering, reserve, seen, hubs, buffer, records, sender, counters } = gear;
        Self {
            state,
            fetcher,
            steering,
            reserve,
            seen,
            hubs,
            stretch: Stretch::begin(),
            random: seconds().to_bits(),
            buffer,
            records,
            sender,
            counters,
            active: 0,
            allowed: 0,
            read: 0,
            stopping: None,
            once,
        }
    }

    /// Works until told to stop, or until everything has been visited if that is wanted.
    pub async fn run(mut self, mut messages: UnboundedReceiver<Message>) -> Ended {
        if let Ok(message) = messages.try_recv() {
            self.take_all(message, &mut messages);
        }
        loop {
            let mut done = Vec::new();
            let has_chores = self.state.work_off(now(), &mut done);
            self.keep(done);
            let wait = self.send_out();
            self.publish();
            if self.is_over(wait) {
                let exhausted = self.stopping.is_none();
                if exhausted {
                    self.state.warn_of_blocked(now());
                }
                return Ended { exhausted, read: self.read, stopped: self.stopping, state: self.state };
            }
            let idle = self.once && wait.is_none() && self.active == 0 && self.state.frontier.out() > 0;
            self.counters.wait_for_keeper.store(idle, Ordering::Relaxed);
            let pause = wait.map_or(Duration::from_secs(60), |until| duration(until - seconds()));
            let pause = if self.stopping.is_some() { LAST_WAIT / 20 } else { pause };
            let pause = if has_chores { Duration::from_millis(1) } else { pause };
            tokio::select! {
                message = messages.recv() => match message {
                    Some(message) => self.take_all(message, &mut messages),
                    None => self.stop(),
                },
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    fn is_over(&self, wait: Option<f64>) -> bool {
        if let Some(since) = self.stopping {
            return self.active == 0 || since.elapsed() >= LAST_WAIT;
        }
        if self.active > 0 || self.state.has_chores() {
            return false;
        }
        let hopeless = wait.is_none_or(|until| until > seconds() + PATIENCE);
        self.once && self.state.frontier.out() == 0 && (self.state.frontier.is_exhausted() || hopeless)
    }

    fn stop(&mut self) {
        self.stopping.get_or_insert_with(Instant::now);
    }

    /// All messages that have come, before anything is drawn.
    fn take_all(&mut self, first: Message, messages: &mut UnboundedReceiver<Message>) {
        self.take(first);
        while let Ok(message) = messages.try_recv() {
            self.take(message);
        }
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Kept { visits, pages } => {
                let records = self.state.kept(&visits, pages);
                self.keep(records);
                let links = self.state.links(MOST_LINKS);
                self.keep((!links.is_empty()).then_some(Record::Links(links)));
            }
            Message::Returned(delivery) => {
                let records = self.state.returned(&delivery);
                self.keep(records);
            }
            Message::Command { id, wish, url } => {
                let records = self.state.command(wish, &url, now());
                self.keep(records);
                self.keep([Record::Command(id)]);
            }
            Message::Asked(asks) => {
                let records = self.state.asked(&asks);
                self.keep(records);
            }
            Message::Pinged(urls) => {
                let records = self.state.pinged(&urls, now());
                self.keep(records);
            }
            Message::Announced(urls) => {
                let records = self.state.announced(&urls, now());
                self.keep(records);
            }
            Message::Remember(name, value) => self.keep([Record::Note(name, value)]),
            Message::Budget(budget) => self.state.frontier.set_budget(budget),
            // It is looked at before anything is drawn.
            Message::Room => {}
            Message::Steer(steering) => self.steering = steering,
            Message::Manners(delay, connections) => self.state.frontier.set_manners(delay, connections),
            Message::Revisit(least, most) => self.state.frontier.set_revisit(least, most),
            // Whoever asked may have gone.
            Message::Survey(answer) => _ = answer.send(self.state.survey()),
            Message::Hosts(query, answer) => _ = answer.send(self.state.survey_hosts(&query)),
            Message::Next(most, answer) => _ = answer.send(self.state.upcoming(most)),
            Message::Left(host) => self.state.frontier.left(freshness_host(host), seconds()),
            Message::Back(report, sent) => self.back(*report, sent.elapsed().as_secs_f64()),
            Message::Stop => self.stop(),
        }
    }

    /// Sends robots out while more are wanted. When to try again, if time alone may help.
    fn send_out(&mut self) -> Option<f64> {
        let mut had_work = None;
        let wait = loop {
            if self.stopping.is_some() || self.active >= self.wanted() {
                break None;
            }
            match self.state.frontier.draw(seconds()) {
                Draw::Task(task) => {
                    had_work.get_or_insert(true);
                    self.begin(task);
                }
                Draw::Wait(until) => {
                    had_work.get_or_insert(false);
                    break Some(until);
                }
                Draw::Idle => {
                    had_work.get_or_insert(false);
                    break None;
                }
            }
        };
        self.note_robots(had_work);
        let tick = Some(self.steering.controller.next_tick()).filter(|tick| tick.is_finite());
        [wait, tick].into_iter().flatten().reduce(f64::min)
    }

    fn begin(&mut self, task: Task) {
        let prepared = self.state.prepare(task, now());
        match prepared {
            Ok(order) => {
                self.active += 1;
                count(&self.counters.requests);
                robot::start(order, self.fetcher.clone(), self.sender.clone());
            }
            Err(records) => self.keep(records),
        }
    }

    /// What a robot has found in that time is judged in the light of all pages.
    fn back(&mut self, report: robot::Report, took: f64) {
        self.active -= 1;
        self.tally(&report);
        let (records, delivery) = self.state.judge(report, now());
        self.keep(records);
        let hubs = self.state.take_hubs();
        if let Some(sender) = &self.hubs {
            hubs.into_iter().for_each(|hub| _ = sender.try_send(hub));
        }
        let at = seconds();
        if let Some(seen) = &self.seen {
            _ = seen.send(Seen::Back { at, took, brought: delivery.is_some() });
        }
        let Some(delivery) = delivery else { return };
        let rate = self.state.frontier.estimate(freshness_page(delivery.document.page)).mean();
        let obsolete_at = self.obsolete_at(at, rate);
        let offered = self.buffer.offer(delivery, obsolete_at);
        let lost = matches!(offered, store::Offered::Lost(_));
        if let store::Offered::Lost(delivery) = offered {
            count(&self.counters.lost);
            let records = self.state.returned(&delivery);
            self.keep(records);
        }
        self.decide(Event::Batch { pages: 1, lost: usize::from(lost) });
        if let Some(seen) = &self.seen {
            _ = seen.send(Seen::Delivered { at, rate, lost });
        }
    }

    fn tally(&mut self, report: &robot::Report) {
        let counters = &self.counters;
        tracing::debug!(
            url = report.url.as_str(),
            found = report.outcome().map_or("errand", store::Outcome::name),
            milliseconds = report.milliseconds,
            bytes = report.bytes,
            reason = report.reason(),
            "visited"
        );
        counters.bytes.fetch_add(report.bytes, Ordering::Relaxed);
        self.read += u64::from(report.outcome().is_some_and(is_read));
        match report.outcome() {
            Some(store::Outcome::New) => count(&counters.read),
            Some(store::Outcome::Changed) => [&counters.read, &counters.changed].into_iter().for_each(count),
            Some(store::Outcome::Unchanged) => [&counters.read, &counters.unchanged].into_iter().for_each(count),
            Some(store::Outcome::NotModified) => count(&counters.unchanged),
            Some(store::Outcome::Failed) => count(&counters.failed),
            _ => {}
        }
    }

    /// Whoever keeps things ends after the fleet, so this does not fail before the end.
    fn keep(&self, records: impl IntoIterator<Item = Record>) {
        for record in records {
            _ = self.records.send(record);
        }
    }

    fn publish(&self) {
        let frontier = &self.state.frontier;
        self.counters.active.store(u64::from(self.active), Ordering::Relaxed);
        self.counters.known.store(frontier.len() as u64, Ordering::Relaxed);
        self.counters.queued.store(frontier.queued() as u64, Ordering::Relaxed);
    }
}

/// Numbers of pages and hosts are the same everywhere.
pub(crate) fn freshness_page(page: PageId) -> freshness::PageId {
    freshness::PageId(page.0)
}

pub(crate) fn freshness_host(host: HostId) -> freshness::HostId {
    freshness::HostId(host.0)
}

#[cfg(test)]
mod tests;
