//! Writing the index.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use store::{Document, PageId, Timestamp};
use tantivy::index::SegmentMeta;
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy};
use tantivy::{Index, IndexWriter, ReloadPolicy, Segment, TantivyError, Term};

use crate::draft::{Draft, Space};
use crate::entry::Entry;
use crate::pages;
use crate::readable::Readable;
use crate::schema::{self, Fields, Found};
use crate::sound::{self, Depth};

mod outdated;
#[cfg(test)]
mod tests;

use outdated::{Ages, Outdated};

/// What tantivy wants for a thread that has nothing to do here.
const LEAST_MEMORY: usize = 15_000_000;

/// How the index is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Bytes for what is not yet committed; when there is more, a segment is written early.
    pub memory: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { memory: 96 << 20 }
    }
}

/// Why the index could not be opened or written.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// It is damaged, or made by another version of the program.
    #[error(
        "the search index in {folder} cannot be read: {reason}; `oriole check --repair` makes it anew from the archive"
    )]
    Broken {
        /// The folder of the index.
        folder: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Another process writes to it.
    #[error("the search index in {0} is being written by another process: stop that one first")]
    Locked(PathBuf),
    /// The folder cannot be read or written.
    #[error("the search index in {folder} cannot be read or written: {error}")]
    Folder {
        /// The folder of the index.
        folder: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// Anything else that went wrong inside the index.
    #[error("the search index failed: {0}")]
    Engine(#[from] TantivyError),
}

impl IndexError {
    fn opening(folder: &Path, error: TantivyError) -> Self {
        match sound::reason(&error) {
            Some(reason) => Self::Broken { folder: folder.to_owned(), reason },
            None => error.into(),
        }
    }
}

/// Writes documents into the index. There is at most one per folder; searchers read beside it.
pub struct Indexer {
    writer: IndexWriter<Entry>,
    fields: Fields,
    /// What was put since the last segment; the segment it becomes, and how old that is.
    draft: Option<Draft>,
    segment: Segment,
    age: u64,
    ages: Ages,
    /// The segment before, whose files are being written, and the pages in it.
    writing: Option<(Writing, HashSet<PageId>)>,
    spare: Vec<Space>,
    memory: usize,
    committed: Option<u64>,
}

/// A segment whose files are written while the next one is drafted.
type Writing = JoinHandle<Result<(SegmentMeta, Space), TantivyError>>;

impl Indexer {
    /// Opens the index in a folder, or makes a new one there.
    pub fn open(folder: &Path, settings: &Settings) -> Result<Self, IndexError> {
        let (index, fields) = open_index(folder)?;
        sound::reader(&index, folder, Depth::Ends).map_err(|error| IndexError::opening(folder, error))?;
        let options = IndexWriterOptions::builder()
            .num_worker_threads(1)
            .memory_budget_per_thread(LEAST_MEMORY)
            .num_merge_threads(1)
            .build();
        let writer = index.writer_with_options(options).map_err(|error| match error {
            TantivyError::LockFailure(..) => IndexError::Locked(folder.to_owned()),
            error => IndexError::opening(folder, error),
        })?;
        writer.set_merge_policy(Box::new(merge_policy()));
        // Files of a commit that was never completed: the next one may want the same names.
        writer.garbage_collect_files().wait()?;
        let committed = index.load_metas()?.payload.and_then(|payload| payload.parse().ok());
        let (segment, ages) = (writer.new_segment(), Ages::default());
        let age = ages.begin(segment.id(), 0);
        let (writing, spare, memory) = (None, Vec::new(), settings.memory);
        Ok(Self { writer, fields, draft: None, segment, age, ages, writing, spare, memory, committed })
    }

    /// Puts a document in the place of any earlier version of the page. Seen by searchers after the next commit.
    pub fn put(&mut self, document: &Document) -> Result<(), IndexError> {
        self.remove(document.page)?;
        let mut draft = match self.draft.take() {
            Some(draft) => draft,
            None => Draft::begin(&self.segment, self.fields, self.spare.pop().unwrap_or_default())?,
        };
        draft.add(document)?;
        // One is drafted, and one is written.
        let is_full = draft.size() >= self.memory / 2;
        self.draft = Some(draft);
        if is_full { self.write_segment() } else { Ok(()) }
    }

    /// Takes a page out.
    pub fn remove(&mut self, page: PageId) -> Result<(), IndexError> {
        // What is removed must be in a segment that the writer knows.
        if self.draft.as_ref().is_some_and(|draft| draft.pages().contains(&page)) {
            self.write_segment()?;
        }
        if self.writing.as_ref().is_some_and(|(_, pages)| pages.contains(&page)) {
            self.add_written()?;
        }
        let term = Term::from_field_u64(self.fields.page, u64::from(page.0));
        self.writer.delete_query(Box::new(Outdated { term, before: self.age, ages: self.ages.clone() }))?;
        Ok(())
    }

    /// Has the files of the segment in work written, and begins another one.
    fn write_segment(&mut self) -> Result<(), IndexError> {
        let Some(draft) = self.draft.take() else { return Ok(()) };
        self.add_written()?;
        let pages = draft.pages().clone();
        let thread = thread::Builder::new().name("segment".to_owned()).spawn(|| draft.finish());
        self.writing = Some((thread.map_err(TantivyError::from)?, pages));
        self.segment = self.writer.new_segment();
        self.age = self.ages.begin(self.segment.id(), self.age);
        Ok(())
    }

    /// Waits for the segment that is being written, and hands it to the writer: it becomes part of the index with the next commit.
    fn add_written(&mut self) -> Result<(), IndexError> {
        let Some((thread, _)) = self.writing.take() else { return Ok(()) };
        let broken = |_| TantivyError::ErrorInThread("a segment could not be written".to_owned());
        let (segment, space) = thread.join().map_err(broken)??;
        self.writer.add_segment(segment)?;
        self.spare.push(space);
        Ok(())
    }

    /// Makes all since the last commit durable and visible, under the number of its batch. All or nothing, also after a crash.
    pub fn commit(&mut self, batch: u64) -> Result<(), IndexError> {
        self.write_segment()?;
        self.add_written()?;
        let mut prepared = self.writer.prepare_commit()?;
        prepared.set_payload(&batch.to_string());
        prepared.commit()?;
        self.committed = Some(batch);
        Ok(())
    }

    /// The batch of the last commit; none if there never was one.
    #[must_use]
    pub fn committed(&self) -> Option<u64> {
        self.committed
    }

    /// Every committed page with the moment of its last change, in no order.
    pub fn pages(&self) -> Result<impl Iterator<Item = (PageId, Timestamp)> + use<>, IndexError> {
        let reader = self.writer.index().reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(pages::all(&reader.searcher())?)
    }

    /// Ends writing once the merges under way are done. Dropping the indexer instead is safe; uncommitted pages are forgotten
    /// in both cases.
    pub fn finish(self) -> Result<(), IndexError> {
        Ok(self.writer.wait_merging_threads()?)
    }
}

fn open_index(folder: &Path) -> Result<(Index, Fields), IndexError> {
    let failed = |error| IndexError::Folder { folder: folder.to_owned(), error };
    match schema::find(folder).map_err(failed)? {
        Found::Other(found) => {
            return Err(IndexError::Broken { folder: folder.to_owned(), reason: sound::other_format(&found) });
        }
        Found::Nothing => schema::write_format(folder).map_err(failed)?,
        Found::Ours => {}
    }
    let (schema, fields) = schema::build();
    let directory = Readable::open(folder).map_err(TantivyError::from)?;
    let index = Index::open_or_create(directory, schema).map_err(|error| IndexError::opening(folder, error))?;
    Ok((index, fields))
}

/// One small segment a second: eight of a size become one four times or more as large, so that a page is copied a few
/// times in its life and there are some two dozen segments. Segments that are a third deleted are written anew.
fn merge_policy() -> LogMergePolicy {
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(8);
    policy.set_min_layer_size(1_000);
    policy.set_level_log_size(2.0);
    policy.set_del_docs_ratio_before_merge(0.33);
    policy
}
