//! Keeps what the fleet finds: documents go to the index, visits to catalogue and archive, all of one batch or nothing of it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use crawl::fleet::{Delivery, Message, Record, Seen, Visited};
use crawl::frontier::Finding;
use freshness::AccessTime;
use index::Indexer;
use rand_pcg::Pcg64;
use store::{Archive, Batch, Buffer, Catalogue, CatalogueError, DataFolder, Host, HostId, PageId, Timestamp};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};

use super::status::StatusBoard;

/// How often what has been found becomes visible.
const RHYTHM: Duration = Duration::from_secs(1);

/// Documents taken from the buffer at a time: those that wait can still become obsolete.
const HANDFUL: usize = 1;

/// How long to wait for documents before other things are looked at.
const PAUSE: Duration = Duration::from_millis(20);

/// Visits, or words of the fleet, after which a batch is closed before its time.
const MOST_VISITS: usize = 2_000;

/// New pages above which they are written before the visits, so that no journal grows too large.
const MANY_PAGES: usize = 50_000;

/// Commands of other processes taken at a time.
const MOST_COMMANDS: u32 = 20_000;

/// Keeps what the fleet finds.
pub(super) struct Keeper {
    folder: DataFolder,
    indexer: Option<Indexer>,
    buffer: Arc<dyn Buffer<Delivery>>,
    records: UnboundedReceiver<Record>,
    fleet: UnboundedSender<Message>,
    board: Arc<StatusBoard>,
    seen: Option<UnboundedSender<Seen>>,
    slowness: Option<Slowness>,
    next_batch: u64,
    pending: Pending,
    /// The last command, and the last ask, that the fleet has been told of.
    told: u64,
    told_asks: u64,
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
    pub(super) fn new(law: AccessTime) -> Self {
        Self { law, random: Pcg64::new(0, 0), owed: 0.0 }
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
    pub(super) fn new(tools: Tools) -> Self {
        let Tools { folder, indexer, buffer, records, fleet, board, seen, slowness, next_batch } = tools;
        let pending = Pending::default();
        let removed = HashMap::new();
        Self {
            folder,
            indexer,
            buffer,
            records,
            fleet,
            board,
            seen,
            slowness,
            next_batch,
            pending,
            told: 0,
            told_asks: 0,
            removed,
        }
    }

    /// Works until the buffer is closed and empty and the fleet has ended. Gives the index back, if there is one.
    ///
    /// # Errors
    /// If something cannot be written. Then nothing of the batch in hand counts.
    pub(super) fn run(mut self) -> anyhow::Result<Option<Indexer>> {
        let mut last = Instant::now();
        self.take_commands()?;
        loop {
            let deliveries = self.buffer.take(HANDFUL, PAUSE);
            let idle = deliveries.is_empty();
            self.index(deliveries)?;
            self.return_obsolete();
            let over = idle && self.buffer.is_closed() && self.records.is_closed();
            let is_much = self.pending.visits.len().max(self.records.len()) >= MOST_VISITS;
            let is_due = last.elapsed() >= RHYTHM || is_much;
            if over || is_due || (idle && self.board.is_awaited()) {
                self.take_records()?;
                self.commit()?;
                self.take_commands()?;
                last = Instant::now();
            }
            if over && self.records.is_empty() {
                return self.finish();
            }
        }
    }

    /// Leaves everything in its place. Gives the index back, if there is one.
    ///
    /// # Errors
    /// If the catalogue cannot be written.
    pub(super) fn finish(self) -> anyhow::Result<Option<Indexer>> {
        self.folder.catalogue.gather().context("the catalogue cannot be written")?;
        Ok(self.indexer)
    }

    pub(super) fn index(&mut self, deliveries: Vec<Delivery>) -> anyhow::Result<()> {
        for delivery in deliveries {
            let page = delivery.document.page;
            if self.removed.get(&page).is_some_and(|at| delivery.document.fetched_at <= *at) {
                _ = self.fleet.send(Message::Returned(Box::new(delivery)));
            } else if let Some(indexer) = &mut self.indexer {
                indexer.put(&delivery.document).context("the search index cannot be written")?;
                self.pending.touches_index = true;
                self.pending.visits.push(delivery.visit);
            }
            self.slowness.iter_mut().for_each(Slowness::take_time);
            let done = self.buffer.done(1);
            self.tell(|at| done.into_iter().map(move |served| Seen::Indexed { at, served }));
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
        what(crawl::fleet::now().seconds()).into_iter().for_each(|what| _ = seen.send(what));
    }

    /// Everything the fleet has said. What a document refers to was said before it was offered.
    pub(super) fn take_records(&mut self) -> anyhow::Result<()> {
        while let Ok(record) = self.records.try_recv() {
            let batch = &mut self.pending.batch;
            match record {
                Record::New(pages) => batch.new.extend(pages),
                Record::Visit(visit) => self.take_visit(*visit)?,
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
        Ok(())
    }

    fn take_visit(&mut self, visit: Visited) -> anyhow::Result<()> {
        if visit.remove
            && let Some(indexer) = &mut self.indexer
        {
            indexer.remove(visit.change.page).context("the search index cannot be written")?;
            self.pending.touches_index = true;
        }
        if let (Finding::Never, Some(made)) = (visit.finding, visit.change.visit) {
            self.removed.insert(visit.change.page, made.at);
        }
        self.pending.visits.push(visit);
        Ok(())
    }

    pub(super) fn commit(&mut self) -> anyhow::Result<()> {
        let Pending { mut batch, visits, hosts, touches_index } = std::mem::take(&mut self.pending);
        batch.hosts = hosts.into_values().collect();
        let pages = batch.new.last().map(|page| page.id.0 + 1);
        if batch.new.len() > MANY_PAGES {
            let (new, hosts) = (std::mem::take(&mut batch.new), std::mem::take(&mut batch.hosts));
            self.write(&mut Batch { new, hosts, ..Batch::default() }, false)?;
        }
        let kept = self.archive(visits, &mut batch)?;
        batch.status = Some(self.board.json());
        self.write(&mut batch, touches_index)?;
        self.board.batch_written(kept.len());
        if !kept.is_empty() || pages.is_some() {
            // Without new pages nothing more is known of them than before.
            _ = self.fleet.send(Message::Kept { visits: kept, pages: pages.unwrap_or(0) });
        }
        Ok(())
    }

    /// Appends the records of visits to the archive, and says in the catalogue where they are.
    fn archive(
        &mut self,
        visits: Vec<Visited>,
        batch: &mut Batch,
    ) -> anyhow::Result<Vec<(PageId, Timestamp, Finding)>> {
        let mut kept = Vec::with_capacity(visits.len());
        for visited in visits {
            let mut change = visited.change;
            let at = change.visit.map_or(Timestamp::default(), |visit| visit.at);
            if let Some(record) = &visited.record {
                let position = self.folder.archive.append(record).context("the archive cannot be written")?;
                if let Some(visit) = &mut change.visit {
                    visit.archive = Some(position);
                }
                if visited.is_copy {
                    change.values.archive = Some(position);
                }
            }
            kept.push((change.page, at, visited.finding));
            batch.pages.push(change);
        }
        Ok(kept)
    }

    /// The steps of [`Batch`], in their order.
    fn write(&mut self, batch: &mut Batch, touches_index: bool) -> anyhow::Result<()> {
        batch.number = self.next_batch;
        self.next_batch += 1;
        self.folder.archive.sync().context("the archive cannot be written")?;
        batch.archive = self.folder.archive.lengths();
        if let Some(indexer) = self.indexer.as_mut().filter(|_| touches_index) {
            patiently(|| self.folder.catalogue.prepare(batch)).context("the catalogue cannot be written")?;
            indexer.commit(batch.number).context("the search index cannot be written")?;
        }
        patiently(|| self.folder.catalogue.apply(batch)).context("the catalogue cannot be written")
    }

    /// What other processes have asked for.
    fn take_commands(&mut self) -> anyhow::Result<()> {
        let commands = self.folder.catalogue.inbox(self.told, MOST_COMMANDS).context("the catalogue cannot be read")?;
        for command in commands {
            self.told = command.id;
            _ = self.fleet.send(Message::Command { id: command.id, wish: command.wish, url: command.url });
        }
        let asks = self.folder.catalogue.asks(self.told_asks, MOST_COMMANDS).context("the catalogue cannot be read")?;
        if let Some(last) = asks.last() {
            self.told_asks = last.id;
            _ = self.fleet.send(Message::Asked(asks));
        }
        Ok(())
    }
}

/// Tries again for as long as another program holds the catalogue. Each try waits a while by itself.
fn patiently<T>(mut write: impl FnMut() -> Result<T, CatalogueError>) -> Result<T, CatalogueError> {
    loop {
        match write() {
            Err(error) if error.is_busy() => {
                tracing::warn!("another program holds the catalogue; nothing is written until it lets go");
            }
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests;
