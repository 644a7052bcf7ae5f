//! Writing the index.

mod drafter;
mod outdated;
#[cfg(test)]
mod tests;
mod writer;

use std::path::{Path, PathBuf};

use store::{Document, PageId, Timestamp};
use tantivy::directory::error::OpenWriteError;
use tantivy::{Index, TantivyError};

pub use drafter::{Changes, Drafter};
pub use writer::Writer;

use crate::readable::Readable;
use crate::schema::{self, Fields, Found};
use crate::sound::{self, Depth};

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
    #[error("the search index failed: {}", told(.0))]
    Engine(#[from] TantivyError),
}

/// What went wrong, for people: of a file that cannot be written, what the system says.
fn told(error: &TantivyError) -> String {
    match error {
        TantivyError::OpenWriteError(OpenWriteError::IoError { io_error, filepath }) => {
            format!("{} cannot be written: {io_error}", filepath.display())
        }
        error => error.to_string(),
    }
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
    drafter: Drafter,
    writer: Writer,
}

impl Indexer {
    /// Opens the index in a folder, or makes a new one there.
    pub fn open(folder: &Path, settings: &Settings) -> Result<Self, IndexError> {
        let (index, fields) = open_index(folder)?;
        sound::reader(&index, folder, Depth::Ends).map_err(|error| IndexError::opening(folder, error))?;
        let writer = Writer::open(&index, folder)?;
        Ok(Self { drafter: Drafter::new(index, fields, settings.memory, writer.spare()), writer })
    }

    /// Puts a document in the place of any earlier version of the page. Seen by searchers after the next commit.
    pub fn put(&mut self, document: Document) -> Result<(), IndexError> {
        self.drafter.put(document)?;
        if self.drafter.is_full() { self.writer.write(self.drafter.take()) } else { Ok(()) }
    }

    /// Takes a page out.
    pub fn remove(&mut self, page: PageId) {
        self.drafter.remove(page);
    }

    /// Makes all since the last commit durable and visible, under the number of its batch. All or nothing, also after a crash.
    pub fn commit(&mut self, batch: u64) -> Result<(), IndexError> {
        self.writer.write(self.drafter.take())?;
        self.writer.commit(batch)
    }

    /// The batch of the last commit; none if there never was one.
    #[must_use]
    pub fn committed(&self) -> Option<u64> {
        self.writer.committed()
    }

    /// Every committed page with the moment of its last change, in no order.
    pub fn pages(&self) -> Result<impl Iterator<Item = (PageId, Timestamp)> + use<>, IndexError> {
        self.writer.pages()
    }

    /// The two halves of the work: documents can be taken in on one thread while another writes those before.
    #[must_use]
    pub fn split(self) -> (Drafter, Writer) {
        (self.drafter, self.writer)
    }

    /// Ends writing once the merges under way are done; uncommitted pages are forgotten. Dropping the indexer instead is safe where
    /// the process ends: merges go on until then, and no other indexer may be opened beside them.
    pub fn finish(self) -> Result<(), IndexError> {
        self.writer.finish()
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
