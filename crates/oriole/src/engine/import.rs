//! Brings answers that were fetched elsewhere into catalogue, archive and index, by the same way as those of robots.

use std::collections::HashSet;
use std::sync::Arc;

use anyhow::Result;
use crawl::address::PageUrl;
use crawl::fetch::Answer;
use crawl::fleet::{Counters, Imported, Message, Record, State};
use store::{Buffer, MemoryBuffer, PageId, Record as Archived};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::copies::answer_of;
use super::keeper::{Keeper, Tools};
use super::resume;
use super::status::StatusBoard;
use crate::config::Config;

/// Answers that are written together.
const TOGETHER: usize = 1_000;

/// What became of records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    /// Answers taken in.
    pub taken: u64,
    /// Answers of pages that were visited later than that.
    pub older: u64,
    /// Answers of pages that may not be taken in: no address of the web, or too many of their site.
    pub refused: u64,
    /// Records that are no answers.
    pub others: u64,
}

/// Takes in records. The data folder is this one's until it is finished.
pub struct Importer {
    state: State,
    keeper: Keeper,
    records: UnboundedSender<Record>,
    messages: UnboundedReceiver<Message>,
    /// Pages whose answer is not written yet.
    pending: HashSet<PageId>,
    tally: Tally,
}

impl Importer {
    /// Opens the data folder, which is made if it is not there.
    ///
    /// # Errors
    /// If it is in use or cannot be used.
    pub fn open(config: &Config) -> Result<Self> {
        let (records, kept) = unbounded_channel();
        let (fleet, messages) = unbounded_channel();
        let resumed = resume::open(config, resume::Work::Given)?;
        let state = resumed.state(config, &records)?;
        // Documents go to the keeper without waiting, so one place is enough.
        let buffer: Arc<dyn Buffer<_>> = Arc::new(MemoryBuffer::new(1, || 0.0, |_| {}));
        let board = Arc::new(StatusBoard::new(Arc::new(Counters::default()), Arc::clone(&buffer), 0, None));
        let keeper = Keeper::new(Tools {
            seen: None,
            slowness: None,
            folder: resumed.folder,
            indexer: resumed.indexer,
            buffer,
            records: kept,
            fleet,
            board,
            next_batch: resumed.next_batch,
        })?;
        Ok(Self { state, keeper, records, messages, pending: HashSet::new(), tally: Tally::default() })
    }

    /// Takes in a record.
    ///
    /// # Errors
    /// If something cannot be written. What was written before is safe.
    pub fn take(&mut self, record: Archived) -> Result<()> {
        let at = record.at;
        let Some((url, answer)) = answer(record, &mut self.tally) else { return Ok(()) };
        // What is known of a page must be up to date when its next answer is looked at.
        if self.state.page_at(&url).is_some_and(|page| self.pending.contains(&page)) {
            self.write()?;
        }
        match self.state.import(&url, answer, at) {
            Imported::Older => self.tally.older += 1,
            Imported::Refused => self.tally.refused += 1,
            Imported::Taken { page, records, delivery } => {
                self.tally.taken += 1;
                self.pending.insert(page);
                records.into_iter().for_each(|record| _ = self.records.send(record));
                self.keeper.index(delivery.map(|delivery| *delivery).into_iter().collect())?;
            }
        }
        if self.pending.len() >= TOGETHER { self.write() } else { Ok(()) }
    }

    /// Writes what has been taken in.
    fn write(&mut self) -> Result<()> {
        self.keeper.take_records();
        self.keeper.commit()?;
        self.pending.clear();
        while let Ok(message) = self.messages.try_recv() {
            if let Message::Kept { visits, pages } = message {
                let records = self.state.kept(&visits, pages);
                records.into_iter().for_each(|record| _ = self.records.send(record));
            }
        }
        Ok(())
    }

    /// Writes the rest. What became of the records.
    ///
    /// # Errors
    /// If something cannot be written.
    pub fn finish(mut self) -> Result<Tally> {
        self.write()?;
        _ = self.records.send(Record::Links(self.state.links(usize::MAX)));
        self.write()?;
        self.keeper.finish()?;
        Ok(self.tally)
    }
}

/// The answer in a record, and of which page it is.
fn answer(record: Archived, tally: &mut Tally) -> Option<(PageUrl, Answer)> {
    let url = PageUrl::parse(&record.url);
    let Some(answer) = answer_of(record) else {
        tally.others += 1;
        return None;
    };
    let Ok(url) = url else {
        tally.refused += 1;
        return None;
    };
    Some((url, answer))
}

#[cfg(test)]
mod tests;
