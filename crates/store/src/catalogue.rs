//! The catalogue: every page and host that is known, and what visits have found.

pub mod sqlite;
mod wish;

use std::fmt;

use crate::{Ask, AskKind, Batch, Demand, Host, HostId, Lengths, Page, PageId, RobotsTxt, State, Timestamp, Visit};

pub use sqlite::{Event, EventKind, SqliteCatalogue};
pub use wish::{Command, Wish};

/// Why the catalogue could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// The database failed.
    #[error("the catalogue failed: {0}; if this stays so, run `oriole check`")]
    Database(#[from] rusqlite::Error),
    /// Something in it cannot be understood.
    #[error("the catalogue is damaged: {0}; run `oriole check`")]
    Damaged(String),
    /// A batch is given a second time, or an older one.
    #[error("batch {given} comes after batch {last}; numbers must increase")]
    OutOfOrder {
        /// Number of the batch given.
        given: u64,
        /// Number of the last one.
        last: u64,
    },
    /// Another batch has been prepared and not applied.
    #[error("batch {journal} is in the journal; apply it or recover before batch {given}")]
    Unfinished {
        /// Number of the batch in the journal.
        journal: u64,
        /// Number of the batch given.
        given: u64,
    },
    /// The batch is too large for the journal.
    #[error("a batch of {0} bytes is too large for the journal; write smaller ones")]
    TooLarge(usize),
    /// Opened for reading.
    #[error("the catalogue is open for reading only")]
    ReadOnly,
}

impl CatalogueError {
    /// Whether another program held the catalogue for too long; nothing has been done, and it can be tried again.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        let Self::Database(error) = self else { return false };
        matches!(
            error.sqlite_error_code(),
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked)
        )
    }
}

/// Which pages to list. The default: all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of one of these hosts; empty for all.
    pub hosts: Vec<HostId>,
    /// In one of these states; empty for all.
    pub states: Vec<State>,
    /// Not visited since this moment, or never.
    pub stale_since: Option<Timestamp>,
    /// Changed at this moment or later.
    pub changed_since: Option<Timestamp>,
    /// With a greater number than this page.
    pub after: Option<PageId>,
    /// At most this many.
    pub limit: Option<u32>,
}

/// By what pages are ordered. Pages that are equal in it are in order of their numbers, those without it come last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// When they were found.
    #[default]
    Found,
    /// Address.
    Url,
    /// When they were last visited.
    Checked,
    /// When they last changed.
    Changed,
    /// Links to them.
    Links,
    /// Visits to them.
    Visits,
    /// Visits that found them changed.
    Changes,
}

/// How much there is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pages in each state, in the order of [`State::ALL`].
    pub states: [u64; State::ALL.len()],
    /// Pages that the index has.
    pub indexed: u64,
    /// Hosts.
    pub hosts: u64,
    /// Visits remembered.
    pub visits: u64,
    /// Commands in the inbox.
    pub inbox: u64,
}

impl Counts {
    /// Pages known, whatever their state.
    #[must_use]
    pub fn pages(&self) -> u64 {
        self.states.iter().sum()
    }

    /// Pages in a state.
    #[must_use]
    pub fn state(&self, state: State) -> u64 {
        State::ALL.iter().zip(self.states).filter(|(s, _)| **s == state).map(|(_, n)| n).sum()
    }
}

/// What became of the journal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Journal {
    /// It was empty.
    #[default]
    Empty,
    /// The index had the batch, so it was applied.
    Applied(u64),
    /// The index did not have the batch, so it was dropped; its pages are fetched again.
    Dropped(u64),
}

/// How the index stands to the catalogue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexState {
    /// Both have the same batches, or nothing has been indexed.
    #[default]
    Agrees,
    /// The index lacks batches that the catalogue has: it was lost or comes from a backup.
    Behind {
        /// The last batch of the index, if it has one.
        index: Option<u64>,
        /// The last batch of the catalogue that touched the index.
        catalogue: u64,
    },
    /// The catalogue lacks batches that the index has: it was lost or comes from a backup.
    Ahead {
        /// The last batch of the index.
        index: u64,
        /// The last batch of the catalogue.
        catalogue: u64,
    },
}

/// What recovery of the catalogue did and found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recovered {
    /// What became of the journal.
    pub journal: Journal,
    /// How the index stands to the catalogue now.
    pub index: IndexState,
    /// The last batch written; 0 if there is none.
    pub batch: u64,
    /// Lengths of the files of the archive that belong to it.
    pub archive: Lengths,
}

/// What every catalogue can do. Writing goes through batches only; the steps are in [`Batch`].
pub trait Catalogue {
    /// Calls `each` for every page, in order of their numbers.
    ///
    /// # Errors
    /// If the catalogue fails or is damaged.
    fn load(&self, each: &mut dyn FnMut(Page)) -> Result<(), CatalogueError>;

    /// All hosts, in order of their numbers.
    ///
    /// # Errors
    /// If the catalogue fails or is damaged.
    fn hosts(&self) -> Result<Vec<Host>, CatalogueError>;

    /// The host of that number.
    ///
    /// # Errors
    /// If the catalogue fails or is damaged.
    fn host(&self, host: HostId) -> Result<Option<Host>, CatalogueError>;

    /// What the host says in `/robots.txt`, if it has been asked.
    ///
    /// # Errors
    /// If the catalogue fails or is damaged.
    fn robots_txt(&self, host: HostId) -> Result<Option<RobotsTxt>, CatalogueError>;

    /// The page of that number.
    ///
    /// # Errors
    /// If the catalogue fails or is damaged.
    fn page(&self, page: PageId) -> Result<Option<Page>, CatalogueError>;

    /// The pages of those numbers, in that order. Numbers of none are passed over.
    ///
    /// # Errors
    /// If the catalogue fails or is damaged.
    fn pages(&self, pages: &[PageId]) -> Result<Vec<Page>, CatalogueError>;

    /// The page of that address, normalised. It may look at every page.
    ///
    /// # Errors
    /// If the catalogue fails or is damaged.
    fn find(&self, url: &str) -> Result<Option<Page>, CatalogueError>;

    /// Calls `each` for the address of every page, in order of their numbers.
    ///
    /// # Errors
    /// If the catalogue fails or is damaged.
    fn each_url(&self, each: &mut dyn FnMut(&str)) -> Result<(), CatalogueError>;

    /// The pages that pass the filter, in order of their numbers.
    ///
    /// # Errors
    /// If the catalogue fails or is damaged.
    fn list(&self, filter: &Filter) -> Result<Vec<Page>, CatalogueError>;

    /// The numbers of the pages that pass the filter, in this order, or in the opposite one.
    ///
    /// # Errors
    /// If the catalogue fails or is damaged.
    fn ordered(&self, filter: &Filter, order: Order, descending: bool) -> Result<Vec<PageId>, CatalogueError>;

    /// The last visits to the page, newest first.
    ///
    /// # Errors
    /// If the catalogue fails or is damaged.
    fn history(&self, page: PageId) -> Result<Vec<Visit>, CatalogueError>;

    /// Visits that found a page new, changed or gone, newest first: at most `most` that were before this moment, or at it and to a
    /// page of a lower number.
    ///
    /// # Errors
    /// If the catalogue fails or is damaged.
    fn changes(&self, before: (Timestamp, PageId), most: u32) -> Result<Vec<(PageId, Visit)>, CatalogueError>;

    /// Calls `each` for every page that the index must have, in order of their numbers, with the moment of its last
    /// change.
    ///
    /// # Errors
    /// If the catalogue fails or is damaged.
    fn indexed(&self, each: &mut dyn FnMut(PageId, Timestamp)) -> Result<(), CatalogueError>;

    /// How much there is.
    ///
    /// # Errors
    /// If the catalogue fails or is damaged.
    fn counts(&self) -> Result<Counts, CatalogueError>;

    /// What the engine last said about itself.
    ///
    /// # Errors
    /// If the catalogue fails.
    fn status(&self) -> Result<Option<String>, CatalogueError>;

    /// What was noted under that name.
    ///
    /// # Errors
    /// If the catalogue fails.
    fn note(&self, name: &str) -> Result<Option<String>, CatalogueError>;

    /// Leaves commands for the engine, all or none of them. Also open to processes that only read.
    ///
    /// # Errors
    /// If the catalogue fails.
    fn post(&self, at: Timestamp, wish: Wish, urls: &[&str]) -> Result<(), CatalogueError>;

    /// At most `most` commands that have not been carried out, in the order in which they were given: those with a greater
    /// number than `after`.
    ///
    /// # Errors
    /// If the catalogue fails or is damaged.
    fn inbox(&self, after: u64, most: u32) -> Result<Vec<Command>, CatalogueError>;

    /// Notes that readers were shown these pages, or chose them. Also open to processes that only read. Does not insist: if someone
    /// else writes for long, or very many wait to be counted, they are not.
    ///
    /// # Errors
    /// If the catalogue cannot be written.
    fn ask(&self, at: Timestamp, kind: AskKind, pages: &[PageId]) -> Result<(), CatalogueError>;

    /// At most `most` asks that have not been counted, in the order in which they came: those with a greater number than `after`.
    ///
    /// # Errors
    /// If the catalogue fails.
    fn asks(&self, after: u64, most: u32) -> Result<Vec<Ask>, CatalogueError>;

    /// How often readers have asked for pages.
    ///
    /// # Errors
    /// If the catalogue fails.
    fn demand(&self) -> Result<Vec<Demand>, CatalogueError>;

    /// How often readers have asked for a page, if they have.
    ///
    /// # Errors
    /// If the catalogue fails.
    fn demand_of(&self, page: PageId) -> Result<Option<Demand>, CatalogueError>;

    /// Keeps the batch in the journal.
    ///
    /// # Errors
    /// If there is another one, the number is not new, or the catalogue fails; then nothing has happened.
    fn prepare(&mut self, batch: &Batch) -> Result<(), CatalogueError>;

    /// Writes the batch, which need not have been prepared, and takes it from the journal.
    ///
    /// # Errors
    /// If another one has been prepared, the number is not new, or the catalogue fails; then nothing has happened.
    fn apply(&mut self, batch: &Batch) -> Result<(), CatalogueError>;

    /// Empties the journal when opening: a batch that the index has is applied, another is dropped. `index` is the
    /// number of the last batch that the index has.
    ///
    /// # Errors
    /// If the catalogue fails or is damaged.
    fn recover(&mut self, index: Option<u64>) -> Result<Recovered, CatalogueError>;
}

impl fmt::Display for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "nothing was under way"),
            Self::Applied(batch) => write!(f, "batch {batch} was under way and has been completed"),
            Self::Dropped(batch) => write!(f, "batch {batch} was under way and is fetched again"),
        }
    }
}

impl fmt::Display for IndexState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agrees => write!(f, "the search index agrees with the catalogue"),
            Self::Behind { index: Some(index), catalogue } => {
                write!(f, "the search index ends with batch {index}, the catalogue with batch {catalogue}")
            }
            Self::Behind { index: None, .. } => write!(f, "the search index is missing"),
            Self::Ahead { index, catalogue } => {
                write!(f, "the catalogue ends with batch {catalogue}, the search index with batch {index}")
            }
        }
    }
}
