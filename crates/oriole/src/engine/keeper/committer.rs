//! Writes batches, on a thread of its own, while the keeper gathers the next one.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result, anyhow};
use crawl::fleet::{Message, Visited};
use crawl::frontier::Finding;
use index::{Changes, Writer};
use store::{Archive, Batch, Catalogue, CatalogueError, DataFolder, PageId, Timestamp};
use tokio::sync::mpsc::UnboundedSender;

use super::Pending;
use crate::engine::status::StatusBoard;

/// New pages above which they are written before the visits, so that no journal grows too large.
const MANY_PAGES: usize = 50_000;

/// Commands of other processes taken at a time.
const MOST_COMMANDS: u32 = 20_000;

/// What is to be written: changes of the index, and the batch that they complete, if they do.
pub(super) struct Work {
    pub(super) changes: Option<Changes>,
    pub(super) batch: Option<Pending>,
}

/// Where work is handed over, one piece at a time.
pub(super) struct Desk {
    work: Sender<Work>,
    done: Receiver<()>,
    is_busy: bool,
    thread: Option<JoinHandle<Result<Committer>>>,
}

impl Desk {
    /// Lets the committer begin. It gives way to others as far as the thread does that calls this.
    ///
    /// # Errors
    /// If there is no thread for it.
    pub(super) fn open(committer: Committer) -> Result<Self> {
        let (work, given) = channel();
        let (tell, done) = channel();
        let writing = move || committer.run(&given, &tell);
        let thread = thread::Builder::new().name("committer".to_owned()).spawn(writing).context("cannot start")?;
        Ok(Self { work, done, is_busy: false, thread: Some(thread) })
    }

    /// Whether what was handed over last is still being written.
    ///
    /// # Errors
    /// If it could not be written.
    pub(super) fn is_busy(&mut self) -> Result<bool> {
        match self.done.try_recv() {
            Ok(()) => self.is_busy = false,
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => return Err(self.failure()),
        }
        Ok(self.is_busy)
    }

    /// Hands work over, as soon as the last one is done.
    ///
    /// # Errors
    /// If that could not be written.
    pub(super) fn hand_over(&mut self, work: Work) -> Result<()> {
        self.wait()?;
        self.work.send(work).map_err(|_| self.failure())?;
        self.is_busy = true;
        Ok(())
    }

    /// Waits until what was handed over is written.
    ///
    /// # Errors
    /// If it could not be written.
    pub(super) fn wait(&mut self) -> Result<()> {
        if std::mem::take(&mut self.is_busy) {
            self.done.recv().map_err(|_| self.failure())?;
        }
        Ok(())
    }

    /// Lets the committer end, and gives it back.
    ///
    /// # Errors
    /// If something could not be written.
    pub(super) fn close(self) -> Result<Committer> {
        let Self { work, thread, .. } = self;
        drop(work);
        thread.map(ended).context("the committer has ended")?
    }

    /// Why the committer has ended before its time.
    fn failure(&mut self) -> anyhow::Error {
        let failure = self.thread.take().and_then(|thread| ended(thread).err());
        failure.unwrap_or_else(|| anyhow!("the committer has ended"))
    }
}

fn ended(thread: JoinHandle<Result<Committer>>) -> Result<Committer> {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

/// Writes batches to catalogue, archive and index.
pub(super) struct Committer {
    folder: DataFolder,
    writer: Option<Writer>,
    fleet: UnboundedSender<Message>,
    board: Arc<StatusBoard>,
    next_batch: u64,
    /// The last command, and the last ask, that the fleet has been told of.
    told: u64,
    told_asks: u64,
}

impl Committer {
    pub(super) fn new(
        folder: DataFolder,
        writer: Option<Writer>,
        next_batch: u64,
        (fleet, board): (UnboundedSender<Message>, Arc<StatusBoard>),
    ) -> Self {
        Self { folder, writer, fleet, board, next_batch, told: 0, told_asks: 0 }
    }

    /// Works until nothing more is handed over.
    fn run(mut self, given: &Receiver<Work>, done: &Sender<()>) -> Result<Self> {
        self.take_commands()?;
        for Work { changes, batch } in given {
            if let (Some(writer), Some(changes)) = (&mut self.writer, changes) {
                writer.write(changes).context("the search index cannot be written")?;
            }
            if let Some(batch) = batch {
                self.commit(batch)?;
                self.take_commands()?;
            }
            _ = done.send(());
        }
        Ok(self)
    }

    /// Leaves everything in its place. Gives back what writes the index, if there is one.
    ///
    /// # Errors
    /// If the catalogue cannot be written.
    pub(super) fn finish(self) -> Result<Option<Writer>> {
        self.folder.catalogue.gather().context("the catalogue cannot be written")?;
        Ok(self.writer)
    }

    fn commit(&mut self, pending: Pending) -> Result<()> {
        let Pending { mut batch, visits, hosts, touches_index } = pending;
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
    fn archive(&mut self, visits: Vec<Visited>, batch: &mut Batch) -> Result<Vec<(PageId, Timestamp, Finding)>> {
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
    fn write(&mut self, batch: &mut Batch, touches_index: bool) -> Result<()> {
        batch.number = self.next_batch;
        self.next_batch += 1;
        self.folder.archive.sync().context("the archive cannot be written")?;
        batch.archive = self.folder.archive.lengths();
        if let Some(writer) = self.writer.as_mut().filter(|_| touches_index) {
            patiently(|| self.folder.catalogue.prepare(batch)).context("the catalogue cannot be written")?;
            writer.commit(batch.number).context("the search index cannot be written")?;
        }
        patiently(|| self.folder.catalogue.apply(batch)).context("the catalogue cannot be written")
    }

    /// What other processes have asked for.
    fn take_commands(&mut self) -> Result<()> {
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
pub(super) fn patiently<T>(mut write: impl FnMut() -> Result<T, CatalogueError>) -> Result<T, CatalogueError> {
    loop {
        match write() {
            Err(error) if error.is_busy() => {
                tracing::warn!("another program holds the catalogue; nothing is written until it lets go");
            }
            done => return done,
        }
    }
}
