//! What is remembered, and the buffer between robots and indexer.
//!
//! | contract | embedded back end | what it keeps |
//! |---|---|---|
//! | [`Catalogue`] | [`SqliteCatalogue`] | every page and host known, and what visits found |
//! | [`Archive`] | [`WarcArchive`] | what servers answered |
//! | [`Buffer`] | [`MemoryBuffer`] | documents on their way from robots to the indexer |
//!
//! [`DataFolder`] has the first two in one place, and sees to it that they agree with each other and with the search
//! index after a crash at any instant; [`Batch`] says how.

mod archive;
mod batch;
mod buffer;
mod catalogue;
#[cfg(any(test, feature = "conformance"))]
#[doc(hidden)]
pub mod conformance;
mod demand;
mod document;
mod folder;
mod host;
mod page;
mod time;
mod visit;

pub use archive::{
    Archive, ArchiveError, ArchiveSettings, Digest, Encoded, HttpHead, Kind, Lengths, Limits, Position, Profile,
    ReadError, Record, RefersTo, Repair, Scanned, Truncated, WarcArchive, WarcReader, file_name, scan, surt,
};
pub use batch::{Batch, PageChange};
pub use buffer::{Buffer, Clock, Counters, MemoryBuffer, Offered, Served};
pub use catalogue::sqlite::{FORMAT, HISTORY, OpenCatalogueError};
pub use catalogue::{
    Catalogue, CatalogueError, Command, Counts, Event, EventKind, Filter, IndexState, Journal, Order, Recovered,
    SqliteCatalogue, Wish,
};
pub use demand::{Ask, AskKind, Demand};
pub use document::{Document, PageId};
pub use folder::{DataFolder, Finding, FolderError, OpenError, Recovery, Report, Wrong};
pub use host::{Host, HostId, RobotsTxt};
pub use page::{MOST_SKETCH, NewPage, Page, Standing, State, Values};
pub use time::Timestamp;
pub use visit::{Outcome, Visit};
