//! The archive: what servers answered, in WARC 1.1 files that other tools can read.

mod cdxj;
mod digest;
mod encode;
mod files;
mod http;
mod parse;
mod record;
mod repair;
mod scan;
mod surt;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use digest::Digest;
pub use encode::Encoded;
pub use files::{ArchiveSettings, WarcArchive, file_name};
pub use http::HttpHead;
pub use parse::{Limits, ReadError, WarcReader};
pub use record::{Kind, Profile, Record, RefersTo, Truncated};
pub use scan::{Scanned, scan};
pub use surt::surt;

pub(crate) use files::cdxj_name;
pub(crate) use repair::{has_lines, line_of};

/// Lengths of files in bytes, by their number.
pub type Lengths = BTreeMap<u32, u64>;

/// A place in the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position {
    /// Number of the file.
    pub file: u32,
    /// Where the record begins.
    pub offset: u64,
    /// How long it is, compressed.
    pub length: u32,
}

/// Why the archive could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// A file failed.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// There is no such record.
    #[error("{path} has no record of {length} bytes at {offset}; run `oriole check`")]
    Missing {
        /// The file.
        path: PathBuf,
        /// Where it should be.
        offset: u64,
        /// How long it should be.
        length: u32,
    },
    /// The record cannot be understood or its digest is wrong.
    #[error("{path}, record at {offset}: {source}; run `oriole check`")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where it begins.
        offset: u64,
        /// Why.
        source: ReadError,
    },
    /// The record is too long.
    #[error("a record of {0} bytes is too long for the archive; lower the limit on the size of pages")]
    TooLong(usize),
    /// Opened for reading.
    #[error("the archive is open for reading only")]
    ReadOnly,
}

/// Something that was put right, or could not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Bytes that belong to no complete batch were cut off.
    Cut {
        /// The file.
        file: u32,
        /// How many.
        bytes: u64,
    },
    /// A file lacks bytes that the catalogue counts on. What is left of it can be read.
    Short {
        /// The file.
        file: u32,
        /// How many are missing.
        bytes: u64,
    },
    /// The index of a file was missing or did not fit, and was made anew.
    Index {
        /// The file.
        file: u32,
    },
    /// A file of which the catalogue knows nothing was set aside under another name.
    SetAside {
        /// The file.
        file: u32,
        /// Its length.
        bytes: u64,
    },
}

/// What every archive can do.
pub trait Archive {
    /// Adds a record. It is safe only after [`Archive::sync`].
    ///
    /// # Errors
    /// If it cannot be written; then the archive is as before.
    fn append(&mut self, record: &Encoded) -> Result<Position, ArchiveError>;

    /// Returns when everything appended is on disk.
    ///
    /// # Errors
    /// If that fails. Then nothing appended since the last success may be relied on.
    fn sync(&mut self) -> Result<(), ArchiveError>;

    /// Lengths of all files.
    fn lengths(&self) -> Lengths;

    /// Cuts the archive back to these lengths; files that are not named are set aside. Says what was done.
    ///
    /// # Errors
    /// If a file cannot be changed.
    fn cut(&mut self, lengths: &Lengths) -> Result<Vec<Repair>, ArchiveError>;

    /// Reads a record and checks its digests.
    ///
    /// # Errors
    /// If it is not there or damaged.
    fn read(&self, position: Position) -> Result<Record, ArchiveError>;
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cut { file, bytes } => {
                write!(f, "{}: {bytes} bytes of an interrupted write were cut off", file_name(*file))
            }
            Self::Short { file, bytes } => {
                write!(f, "{}: {bytes} bytes are missing; `oriole check` says which pages", file_name(*file))
            }
            Self::Index { file } => write!(f, "{}: its CDXJ index was made anew", file_name(*file)),
            Self::SetAside { file, bytes } => {
                write!(
                    f,
                    "{}: {bytes} bytes unknown to the catalogue, kept as a file ending in .orphan",
                    file_name(*file)
                )
            }
        }
    }
}
