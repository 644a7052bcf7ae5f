//! The data folder: catalogue, archive and search index in one place.

mod check;

#[cfg(test)]
mod tests;

use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::archive::{Archive, ArchiveError, ArchiveSettings, Repair, WarcArchive};
use crate::catalogue::sqlite::OpenCatalogueError;
use crate::catalogue::{Catalogue, CatalogueError, IndexState, Journal, SqliteCatalogue};

pub use check::{Finding, Report, Wrong};

const CATALOGUE: &str = "oriole.db";
const ARCHIVE: &str = "archive";
const INDEX: &str = "index";
const LOCK: &str = "lock";
/// How often and at what distance the lock is tried.
const LOCK_TRIES: u32 = 10;
const LOCK_PAUSE: Duration = Duration::from_millis(10);

/// Why a data folder could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process writes into it.
    #[error("another process is running on {0}; stop it first, or choose another data folder")]
    InUse(PathBuf),
    /// There is none.
    #[error("{0} is not a data folder; `oriole run` makes one")]
    Absent(PathBuf),
    /// A file failed.
    #[error("cannot use the data folder {path}: {source}")]
    Failed {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The catalogue cannot be opened.
    #[error(transparent)]
    Catalogue(#[from] OpenCatalogueError),
    /// The archive cannot be opened.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

/// Why a data folder could not be recovered or checked.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The catalogue failed.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// The archive failed.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

/// What recovery did: for the user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovery {
    /// What became of the journal.
    pub journal: Journal,
    /// How the search index stands to the catalogue now.
    pub index: IndexState,
    /// What was put right in the archive.
    pub archive: Vec<Repair>,
    /// The number that the next batch must have at least.
    pub next_batch: u64,
}

impl Recovery {
    /// There was nothing to do.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.journal == Journal::Empty && self.index == IndexState::Agrees && self.archive.is_empty()
    }
}

/// The data folder: catalogue, archive, and the place of the search index.
///
/// One process writes, others may read at the same time. After [`DataFolder::open`] comes [`DataFolder::recover`],
/// before anything is written.
pub struct DataFolder {
    path: PathBuf,
    /// The catalogue.
    pub catalogue: SqliteCatalogue,
    /// The archive.
    pub archive: WarcArchive,
    /// What opening the archive put right.
    opening: Vec<Repair>,
    /// Held as long as this is open for writing.
    lock: Option<File>,
}

impl DataFolder {
    /// Opens the folder for writing, and makes it if it is not there.
    ///
    /// # Errors
    /// If another process writes into it, it is of a later version, or it cannot be used.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        Self::open_with(path, ArchiveSettings::default())
    }

    /// Like [`DataFolder::open`], with settings of the archive.
    ///
    /// # Errors
    /// As for [`DataFolder::open`].
    pub fn open_with(path: &Path, settings: ArchiveSettings) -> Result<Self, OpenError> {
        fs::create_dir_all(path).map_err(|source| failed(path, source))?;
        let lock = lock(path)?;
        let catalogue = SqliteCatalogue::open(&path.join(CATALOGUE))?;
        let (archive, opening) = WarcArchive::open(&path.join(ARCHIVE), settings)?;
        Ok(Self { path: path.to_owned(), catalogue, archive, opening, lock: Some(lock) })
    }

    /// Opens the folder for reading, beside a process that may be writing.
    ///
    /// # Errors
    /// If there is none, it is of a later version, or it cannot be used.
    pub fn read(path: &Path) -> Result<Self, OpenError> {
        let file = path.join(CATALOGUE);
        if !file.is_file() {
            return Err(OpenError::Absent(path.to_owned()));
        }
        let catalogue = SqliteCatalogue::read(&file)?;
        let archive = WarcArchive::read_only(&path.join(ARCHIVE));
        Ok(Self { path: path.to_owned(), catalogue, archive, opening: Vec::new(), lock: None })
    }

    /// Whether a process writes into the folder now.
    #[must_use]
    pub fn is_in_use(path: &Path) -> bool {
        let held = |file: File| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
        File::open(path.join(LOCK)).is_ok_and(held)
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The place of the search index.
    #[must_use]
    pub fn index_path(&self) -> PathBuf {
        self.path.join(INDEX)
    }

    /// Whether this is open for writing.
    #[must_use]
    pub fn is_writer(&self) -> bool {
        self.lock.is_some()
    }

    /// Makes catalogue and archive agree with the search index, whose last batch is `index`, after whatever happened
    /// when the folder was last open.
    ///
    /// # Errors
    /// If catalogue or archive fail.
    pub fn recover(&mut self, index: Option<u64>) -> Result<Recovery, FolderError> {
        let recovered = self.catalogue.recover(index)?;
        let mut repairs = std::mem::take(&mut self.opening);
        if recovered.batch == 0 {
            // A catalogue without a batch does not decide over records: it may be the catalogue that was lost.
            repairs.extend(self.archive.set_aside()?);
        } else {
            repairs.extend(self.archive.cut(&recovered.archive)?);
        }
        let next_batch = recovered.batch.max(index.unwrap_or(0)) + 1;
        Ok(Recovery { journal: recovered.journal, index: recovered.index, archive: repairs, next_batch })
    }
}

/// Takes the lock that only one process can have. Whoever asks [`DataFolder::is_in_use`] has it for a moment.
fn lock(path: &Path) -> Result<File, OpenError> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path.join(LOCK));
    let file = file.map_err(|source| failed(path, source))?;
    for _ in 0..LOCK_TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_PAUSE),
            Err(TryLockError::Error(source)) => return Err(failed(path, source)),
        }
    }
    Err(OpenError::InUse(path.to_owned()))
}

fn failed(path: &Path, source: std::io::Error) -> OpenError {
    OpenError::Failed { path: path.to_owned(), source }
}

impl fmt::Display for Recovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let journal = (self.journal != Journal::Empty).then(|| self.journal.to_string());
        let index = (self.index != IndexState::Agrees).then(|| self.index.to_string());
        let lines: Vec<String> =
            journal.into_iter().chain(index).chain(self.archive.iter().map(Repair::to_string)).collect();
        write!(f, "{}", lines.join("\n"))
    }
}
