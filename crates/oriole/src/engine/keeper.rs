//! Keeps what the fleet finds: documents go to the index, visits to catalogue and archive, all of one batch or nothing of it.
//! While one batch is written, the next is gathered.

mod committer;

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use crawl::fleet::{Delivery, Message, Record, Seen, Visited};
use crawl::frontier::Finding;
use freshness::AccessTime;
use index::{Drafter, Indexer, Writer};
use rand_pcg::Pcg64;
use store::{Batch, Buffer, DataFolder, Host, HostId, PageId, Timestamp};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use super::status::StatusBoard;
use committer::{Committer, Desk, Work};

/// How often what has been found becomes visible.
const RHYTHM: Duration = Duration::from_secs(1);

/// Documents taken from the buffer at a time: those that wait can still become obsolete.
const HANDFUL: usize = 1;

/// How long to wait for documents before other things are looked at.
const PAUSE: Duration = Duration::from_millis(20);

/// Visits, or words of the fleet, after which a batch is closed before its time.
const MOST_VISITS: usize = 2_000;

/// Visits that wait for the batch before them to be written; then the keeper waits, too.
const MOST_WAITING: usize = 2 * MOST_VISITS;

/// Keeps what the fleet finds.
pub(super) struct Keeper {
    drafter: Option<Drafter>,
    buffer: Arc<dyn Buffer<Delivery>>,
    records: UnboundedReceiver<Record>,
    fleet: UnboundedSender<Message>,
    board: Arc<StatusBoard>,
    seen: Option<UnboundedSender<Seen>>,
    slowness: Option<Slowness>,
    pending: Pending,
    desk: Desk,
    /// Pages taken out on someone's wish, and when: what was fetched before must not bring them back.
    removed: HashMap<PageId, Timestamp>,
}

/// What waits for the next batch.
#[derive(Default)]
struct Pending {
    batch: Batch,
    visits: Vec<Visited>,
    /// Hosts as they were last said to be.
    hosts: BTreeMap<HostId, Host>,
    touches_index: bool,
}

/// What a keeper works with.
pub(super) struct Tools {
    pub(super) folder: DataFolder,
    pub(super) indexer: Option<Indexer>,
    pub(super) buffer: Arc<dyn Buffer<Delivery>>,
    pub(super) records: UnboundedReceiver<Record>,
    pub(super) fleet: UnboundedSender<Message>,
    pub(super) board: Arc<StatusBoard>,
    /// Is told what becomes of documents, if someone wants to know.
    pub(super) seen: Option<UnboundedSender<Seen>>,
    /// How much longer each document takes, for experiments.
    pub(super) slowness: Option<Slowness>,
    /// The number of the next batch.
    pub(super) next_batch: u64,
}

/// An indexer that takes longer, by a random time.
pub(super) struct Slowness {
    law: AccessTime,
    random: Pcg64,
    /// Sleep that is owed: a thread sleeps longer than it is told to.
    owed: f64,
}

impl Slowness {
    /// Times are others at each start: engines that are compared must not share them.
    pub(super) fn new(law: AccessTime) -> Self {
        let chance = RandomState::new();
        let [state, stream] = [0, 1].map(|number| u128::from(chance.hash_one(number)));
        Self { law, random: Pcg64::new(state, stream), owed: 0.0 }
    }

    fn take_time(&mut self) {
        self.owed += self.law.sample(&mut self.random);
        let began = Instant::now();
        if self.owed > 0.0 {
            std::thread::sleep(Duration::from_secs_f64(self.owed));
        }
        self.owed -= began.elapsed().as_secs_f64();
    }
}

impl Keeper {
    /// # Errors
    /// If there is no thread to write on.
    pub(super) fn new(tools: Tools) -> anyhow::Result<Self> {
        let Tools { folder, indexer, buffer, records, fleet, board, seen, slowness, next_batch } = tools;
        let (drafter, writer) = indexer.map(Indexer::split).unzip();
        let committer = Committer::new(folder, writer, next_batch, (fleet.clone(), Arc::clone(&board)));
        let (pending, removed, desk) = (Pending::default(), HashMap::new(), Desk::open(committer)?);
        Ok(Self { drafter, buffer, records, fleet, board, seen, slowness, pending, desk, removed })
    }

    /// Works until the buffer is closed and empty and the fleet has ended. Gives back what writes the index, if there is one.
    ///
    /// # Errors
    /// If something cannot be written. Then nothing of the batch in hand counts.
    pub(super) fn run(mut self) -> anyhow::Result<Option<Writer>> {
        self.work()?;
        self.finish()
    }

    fn work(&mut self) -> anyhow::Result<()> {
        let mut last = Instant::now();
        loop {
            let deliveries = self.buffer.take(HANDFUL, PAUSE);
            let idle = deliveries.is_empty();
            self.index(deliveries)?;
            self.return_obsolete();
            let over = idle && self.buffer.is_closed() && self.records.is_closed();
            let is_much = self.pending.visits.len().max(self.records.len()) >= MOST_VISITS;
            let is_due = last.elapsed() >= RHYTHM || is_much || (idle && self.board.is_awaited());
            if over || (is_due && !self.desk.is_busy()?) || self.pending.visits.len() >= MOST_WAITING {
                self.take_records();
                self.begin_commit()?;
                last = Instant::now();
            }
            if over && self.records.is_empty() {
                return self.desk.wait();
            }
        }
    }

    /// Leaves everything in its place. Gives back what writes the index, if there is one.
    ///
    /// # Errors
    /// If something could not be written.
    pub(super) fn finish(self) -> anyhow::Result<Option<Writer>> {
        self.desk.close()?.finish()
    }

    pub(super) fn index(&mut self, deliveries: Vec<Delivery>) -> anyhow::Result<()> {
        for delivery in deliveries {
            let page = delivery.document.page;
            if self.removed.get(&page).is_some_and(|at| delivery.document.fetched_at <= *at) {
                _ = self.fleet.send(Message::Returned(Box::new(delivery)));
            } else {
                self.put(delivery)?;
            }
            self.slowness.iter_mut().for_each(Slowness::take_time);
            let done = self.buffer.done(1);
            self.tell(|at| done.into_iter().map(move |served| Seen::Indexed { at, served }));
        }
        Ok(())
    }

    fn put(&mut self, delivery: Delivery) -> anyhow::Result<()> {
        let Some(drafter) = &mut self.drafter else { return Ok(()) };
        drafter.put(delivery.document).context("the search index cannot be written")?;
        self.pending.touches_index = true;
        self.pending.visits.push(delivery.visit);
        if drafter.is_full() {
            let changes = Some(drafter.take());
            self.desk.hand_over(Work { changes, batch: None })?;
        }
        Ok(())
    }

    fn return_obsolete(&self) {
        for (delivery, sojourn) in self.buffer.obsolete() {
            self.tell(|at| [Seen::Obsolete { at, sojourn }]);
            _ = self.fleet.send(Message::Returned(Box::new(delivery)));
        }
    }

    /// Tells whoever decides about robots what became of documents.
    fn tell<S: IntoIterator<Item = Seen>>(&self, what: impl FnOnce(f64) -> S) {
        let Some(seen) = &self.seen else { return };
        what(crawl::fleet::seconds()).into_iter().for_each(|what| _ = seen.send(what));
    }

    /// Everything the fleet has said. What a document refers to was said before it was offered.
    pub(super) fn take_records(&mut self) {
        while let Ok(record) = self.records.try_recv() {
            let batch = &mut self.pending.batch;
            match record {
                Record::New(pages) => batch.new.extend(pages),
                Record::Visit(visit) => self.take_visit(*visit),
                Record::Host(host) => _ = self.pending.hosts.insert(host.id, host),
                Record::RobotsTxt(rules) => batch.robots_txt.push(rules),
                Record::Links(links) => batch.links.extend(links),
                Record::Demand { demand, counted } => {
                    batch.demand.extend(demand);
                    batch.counted = Some(counted);
                }
                Record::Command(command) => batch.commands.push(command),
                Record::Note(name, value) => batch.notes.push((name, value)),
            }
        }
    }

    fn take_visit(&mut self, visit: Visited) {
        if visit.remove
            && let Some(drafter) = &mut self.drafter
        {
            drafter.remove(visit.change.page);
            self.pending.touches_index = true;
        }
        if let (Finding::Never, Some(made)) = (visit.finding, visit.change.visit) {
            self.removed.insert(visit.change.page, made.at);
        }
        self.pending.visits.push(visit);
    }

    /// Closes the batch, which is written from now on.
    fn begin_commit(&mut self) -> anyhow::Result<()> {
        let batch = std::mem::take(&mut self.pending);
        let changes = self.drafter.as_mut().filter(|_| batch.touches_index).map(Drafter::take);
        self.desk.hand_over(Work { changes, batch: Some(batch) })
    }

    /// Writes what has been gathered.
    ///
    /// # Errors
    /// If something cannot be written.
    pub(super) fn commit(&mut self) -> anyhow::Result<()> {
        self.begin_commit()?;
        self.desk.wait()
    }
}

#[cfg(test)]
mod tests;
