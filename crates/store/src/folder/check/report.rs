use std::fmt;

use crate::archive::{Position, file_name};
use crate::{Counts, PageId};

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// SQLite says that the catalogue is damaged.
    Catalogue(String),
    /// A table or row of the catalogue cannot be understood.
    Unread {
        /// The table.
        table: &'static str,
        /// What the row is called; none if it is the table.
        row: Option<String>,
        /// What is wrong.
        reason: String,
    },
    /// Pages whose state is none that is known.
    UnknownStates(u64),
    /// Visits to pages that do not exist.
    StrayVisits(u64),
    /// Pages of hosts that do not exist.
    StrayPages(u64),
    /// Pages whose address another page has, too.
    RepeatedPages(u64),
    /// A file of the archive is shorter than the catalogue counts on.
    Length {
        /// The file.
        file: u32,
        /// The length it has; none if it is missing.
        found: Option<u64>,
        /// The length it should have.
        expected: u64,
    },
    /// Bytes in the archive that are no record. They do no harm by themselves: pages that count on them are reported,
    /// too.
    Bytes {
        /// The file.
        file: u32,
        /// Where the first of them are.
        offset: u64,
        /// How many.
        length: u64,
        /// In how many places.
        places: u64,
    },
    /// The index of a file of the archive does not fit it.
    Cdxj(u32),
    /// The archive does not have the record that the catalogue counts on.
    Record {
        /// The page.
        page: PageId,
        /// Where it should be.
        position: Position,
        /// What is wrong.
        wrong: Wrong,
    },
}

/// What is wrong with a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrong {
    /// There is none, or it is damaged.
    Unreadable,
    /// It is of another page.
    OtherPage,
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// How much there is.
    pub counts: Counts,
    /// Records in the archive.
    pub records: u64,
    /// Bytes of these records.
    pub bytes: u64,
    /// What is not as it should be, and whether it has been put right.
    pub findings: Vec<(Finding, bool)>,
}

impl Report {
    /// Nothing that matters is wrong, or it has been put right.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.findings.iter().all(|(finding, repaired)| *repaired || matches!(finding, Finding::Bytes { .. }))
    }

    /// The catalogue can be read, as far as this was looked at or has been put right.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        let unread = |finding: &Finding| {
            matches!(finding, Finding::Catalogue(_) | Finding::Unread { .. } | Finding::UnknownStates(_))
        };
        self.findings.iter().all(|(finding, repaired)| *repaired || !unread(finding))
    }

    pub(super) fn add(&mut self, finding: Finding, repaired: bool) {
        self.findings.push((finding, repaired));
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Catalogue(line) => write!(f, "catalogue: {line}; restore a backup"),
            Self::Unread { table, row: Some(row), reason } => {
                write!(f, "catalogue: row {row} of {table}: {reason}; restore a backup or remove the row")
            }
            Self::Unread { table, row: None, reason } => {
                write!(f, "catalogue: table {table}: {reason}; restore a backup")
            }
            Self::UnknownStates(count) => write!(f, "catalogue: {count} pages in a state that is not known"),
            Self::StrayVisits(count) => write!(f, "catalogue: {count} visits to pages that do not exist"),
            Self::StrayPages(count) => write!(f, "catalogue: {count} pages of hosts that are missing"),
            Self::RepeatedPages(count) => write!(f, "catalogue: {count} pages whose address another page has, too"),
            Self::Length { file, found: Some(found), expected } => {
                write!(f, "{}: {found} bytes long instead of {expected}", file_name(*file))
            }
            Self::Length { file, found: None, .. } => write!(f, "{}: missing", file_name(*file)),
            Self::Bytes { file, offset, length, places: 0..=1 } => {
                write!(f, "{}: {length} bytes from {offset} on are no record", file_name(*file))
            }
            Self::Bytes { file, offset, length, places } => {
                let file = file_name(*file);
                write!(f, "{file}: {length} bytes in {places} places, the first at {offset}, are no record")
            }
            Self::Cdxj(file) => write!(f, "{}: its CDXJ index does not fit", file_name(*file)),
            Self::Record { page, position, wrong } => {
                let what = match wrong {
                    Wrong::Unreadable => "cannot be read",
                    Wrong::OtherPage => "is of another page",
                };
                let file = file_name(position.file);
                write!(f, "{file}: the copy of page {} at {} {what}", page.0, position.offset)
            }
        }
    }
}
