//! The catalogue in one SQLite file that any tool can read.

mod check;
mod demand;
mod events;
mod inbox;
mod read;
mod rows;
mod unread;
mod write;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension, TransactionBehavior};

use super::CatalogueError;

pub(crate) use check::Reference;
pub use events::{Event, EventKind};
pub(crate) use unread::Unread;

/// The format that this version writes.
pub const FORMAT: u32 = 1;

/// Visits remembered of each page.
pub const HISTORY: u32 = 100;

/// How long to wait for another process that writes.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a catalogue could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenCatalogueError {
    /// A later version has written it.
    #[error("{path} has format {found}, this version knows formats up to {FORMAT}; use a newer version")]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
    /// It is something else.
    #[error("{path} is not a catalogue; move it away or choose another data folder")]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// Nothing can be written beside it, and that is needed to read it.
    #[error(
        "{path} has its last changes in a file beside it, which can be read only where the folder can be written: allow \
         that, or copy the folder to another place"
    )]
    Unwritable {
        /// The file.
        path: PathBuf,
    },
    /// It cannot be opened.
    #[error("cannot open {path}: {source}")]
    Failed {
        /// The file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
}

/// The catalogue in one SQLite file: one process writes, others read at the same time.
pub struct SqliteCatalogue {
    connection: Connection,
    path: PathBuf,
    writer: bool,
}

impl SqliteCatalogue {
    /// Opens the file for writing and makes it if it is not there. The caller sees to it that nobody else does.
    ///
    /// # Errors
    /// If it is something else, of a later version, or cannot be opened.
    pub fn open(path: &Path) -> Result<Self, OpenCatalogueError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let mut catalogue = Self::connect(path, flags, true)?;
        let format = catalogue.format().map_err(|source| failed(path, source))?;
        let opened = match format {
            Format::Known => catalogue.settle().and_then(|()| inbox::complete(&catalogue.connection)),
            Format::Empty => catalogue.settle().and_then(|()| catalogue.create()),
            other => return Err(other.refusal(path)),
        };
        opened.map_err(|source| failed(path, source))?;
        Ok(catalogue)
    }

    /// Opens the file for reading, beside a process that may be writing, also in a folder that cannot be written.
    ///
    /// # Errors
    /// If it is not there, something else, of a later version, or cannot be opened.
    pub fn read(path: &Path) -> Result<Self, OpenCatalogueError> {
        let mut catalogue = Self::connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY, false)?;
        let mut format = catalogue.format();
        if format.as_ref().is_err_and(lacks_files_beside) {
            if has_changes_beside(path) {
                return Err(OpenCatalogueError::Unwritable { path: path.to_owned() });
            }
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
            catalogue = Self { path: path.to_owned(), ..Self::connect(&unchanging(path), flags, false)? };
            format = catalogue.format();
        }
        match format.map_err(|source| failed(path, source))? {
            Format::Known => Ok(catalogue),
            other => Err(other.refusal(path)),
        }
    }

    fn connect(path: &Path, flags: OpenFlags, writer: bool) -> Result<Self, OpenCatalogueError> {
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(|source| failed(path, source))?;
        connection.busy_timeout(PATIENCE).map_err(|source| failed(path, source))?;
        connection.set_prepared_statement_cache_capacity(32);
        Ok(Self { connection, path: path.to_owned(), writer })
    }

    /// Every commit is on disk when it returns, and readers never wait for the writer.
    fn settle(&self) -> rusqlite::Result<()> {
        self.connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
        self.connection.execute_batch(
            "PRAGMA synchronous = FULL;
             PRAGMA cache_size = -32768;
             PRAGMA wal_autocheckpoint = 8000;
             PRAGMA journal_size_limit = 67108864;",
        )
    }

    fn format(&self) -> rusqlite::Result<Format> {
        let tables: Result<u32, _> =
            self.connection.query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'meta'", [], |row| row.get(0));
        let tables = match tables {
            Err(rusqlite::Error::SqliteFailure(error, _)) if error.code == ErrorCode::NotADatabase => {
                return Ok(Format::Foreign);
            }
            other => other?,
        };
        if tables == 0 {
            let any: u32 = self.connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
            return Ok(if any == 0 { Format::Empty } else { Format::Foreign });
        }
        let found = self.meta("format").unwrap_or(None).and_then(|text| text.parse().ok());
        Ok(match found {
            None => Format::Foreign,
            Some(found) if found > FORMAT => Format::Newer(found),
            Some(_) => Format::Known,
        })
    }

    fn create(&mut self) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        transaction.execute_batch(include_str!("sqlite/schema.sql"))?;
        transaction.execute("INSERT INTO meta (name, value) VALUES ('format', ?1)", [FORMAT.to_string()])?;
        transaction.commit()
    }

    fn meta(&self, name: &str) -> rusqlite::Result<Option<String>> {
        let mut statement = self.connection.prepare_cached("SELECT value FROM meta WHERE name = ?1")?;
        statement.query_row([name], |row| row.get(0)).optional()
    }

    fn number(&self, name: &str) -> Result<u64, CatalogueError> {
        let Some(text) = self.meta(name)? else { return Ok(0) };
        text.parse().map_err(|_| CatalogueError::Damaged(format!("{name} in meta is {text:?}")))
    }
}

/// What makes the tables, and then the indexes, that earlier versions did not have.
fn later_tables() -> (&'static str, &'static str) {
    let schema = include_str!("sqlite/schema.sql");
    let later = &schema[schema.find("CREATE TABLE IF NOT EXISTS").unwrap_or(schema.len())..];
    later.split_at(later.find("CREATE INDEX").unwrap_or(later.len()))
}

/// Whether SQLite could not make the files that it needs beside the database.
fn lacks_files_beside(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly))
}

/// Whether the file alone is not everything.
fn has_changes_beside(path: &Path) -> bool {
    let mut beside = path.as_os_str().to_owned();
    beside.push("-wal");
    std::fs::metadata(beside).is_ok_and(|file| file.len() > 0)
}

/// The file as one that nobody changes, which SQLite then reads by itself.
fn unchanging(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut uri = "file://".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' => uri.push(char::from(*byte)),
            letter if letter.is_ascii_alphanumeric() => uri.push(char::from(*letter)),
            byte => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    PathBuf::from(uri + "?immutable=1")
}

/// What is in a file.
enum Format {
    Empty,
    Known,
    Newer(u32),
    Foreign,
}

impl Format {
    fn refusal(self, path: &Path) -> OpenCatalogueError {
        let path = path.to_owned();
        match self {
            Self::Newer(found) => OpenCatalogueError::Newer { path, found },
            _ => OpenCatalogueError::Foreign { path },
        }
    }
}

fn failed(path: &Path, source: rusqlite::Error) -> OpenCatalogueError {
    OpenCatalogueError::Failed { path: path.to_owned(), source }
}
