//! Writing the index.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use store::{Document, PageId, Timestamp};
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy};
use tantivy::{Index, IndexWriter, ReloadPolicy, TantivyError, Term};

use crate::analysis::Compiler;
use crate::entry::{Entry, Pipe};
use crate::pages;
use crate::readable::Readable;
use crate::schema::{self, Fields, Found};
use crate::sound::{self, Depth};

#[cfg(test)]
mod tests;

/// How the index is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Threads that turn text into postings. One takes about 0.4 ms for a page of 10 KB.
    pub threads: usize,
    /// Bytes for the postings of pages not yet committed, per thread (at least 15 MB; when it is full, a segment is written early).
    pub memory: usize,
    /// Bytes of documents that may wait for the threads; `put` waits when there are more.
    pub waiting: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { threads: 1, memory: 48 << 20, waiting: 32 << 20 }
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
    compiler: Compiler,
    pipe: Arc<Pipe>,
    committed: Option<u64>,
}

impl Indexer {
    /// Opens the index in a folder, or makes a new one there.
    pub fn open(folder: &Path, settings: &Settings) -> Result<Self, IndexError> {
        let (index, fields) = open_index(folder)?;
        sound::reader(&index, folder, Depth::Ends).map_err(|error| IndexError::opening(folder, error))?;
        let options = IndexWriterOptions::builder()
            .num_worker_threads(settings.threads.clamp(1, 8))
            .memory_budget_per_thread(settings.memory.clamp(15_000_000, 1 << 30))
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
        Ok(Self { writer, fields, compiler: Compiler::new(), pipe: Pipe::new(settings.waiting), committed })
    }

    /// Puts a document in the place of any earlier version of the page. Seen by searchers after the next commit.
    pub fn put(&mut self, document: &Document) -> Result<(), IndexError> {
        self.remove(document.page);
        self.writer.add_document(Entry::new(document, &self.fields, &mut self.compiler, &self.pipe))?;
        Ok(())
    }

    /// Takes a page out.
    pub fn remove(&mut self, page: PageId) {
        self.writer.delete_term(Term::from_field_u64(self.fields.page, u64::from(page.0)));
    }

    /// Makes all since the last commit durable and visible, under the number of its batch. All or nothing, also after a crash.
    pub fn commit(&mut self, batch: u64) -> Result<(), IndexError> {
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
    schema::register(&index);
    Ok((index, fields))
}

/// One small segment a second: eight of a size become one four times or more as large, so that a page is copied a few
/// times in its life and there are some two dozen segments. Segments that are a third deleted are written anew.
fn merge_policy() -> LogMergePolicy {
    let mut policy = LogMergePolicy::default();
    policy.set_min_num_segments(6);
    policy.set_min_layer_size(1_000);
    policy.set_level_log_size(2.0);
    policy.set_del_docs_ratio_before_merge(0.33);
    policy
}
