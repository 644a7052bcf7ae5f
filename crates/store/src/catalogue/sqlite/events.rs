//! Pages that are new, have changed or are gone, in the order in which that was written, for whoever must be told of each.

use rusqlite::{Connection, OpenFlags, Row, params};

use super::{PATIENCE, SqliteCatalogue};
use crate::{CatalogueError, PageId, Timestamp};

/// Events that are kept for those who have not been told; of more the oldest are dropped.
const MOST: u32 = 1_000_000;

/// What has become of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EventKind {
    /// There is a copy of it for the first time.
    New,
    /// It says something else.
    Changed,
    /// It is not there any more.
    Gone,
}

impl EventKind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::New, Self::Changed, Self::Gone];

    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Changed => "changed",
            Self::Gone => "gone",
        }
    }

    /// From the word for it.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// Something that has become of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its number; later ones have greater numbers.
    pub id: u64,
    /// When it was seen.
    pub at: Timestamp,
    /// What.
    pub kind: EventKind,
    /// The page.
    pub page: PageId,
    /// Its address.
    pub url: String,
    /// Its title now.
    pub title: Option<String>,
}

impl SqliteCatalogue {
    /// Notes events from now on, with the very batch that brings them; or no longer, and forgets those noted.
    ///
    /// # Errors
    /// If the catalogue is open for reading only or fails.
    pub fn note_events(&self, wanted: bool) -> Result<(), CatalogueError> {
        if !self.writer {
            return Err(CatalogueError::ReadOnly);
        }
        if !wanted {
            let stop = "DROP TRIGGER IF EXISTS note_change; DROP TRIGGER IF EXISTS note_loss; DELETE FROM events;";
            return Ok(self.connection.execute_batch(stop)?);
        }
        Ok(self.connection.execute_batch(&format!(
            "CREATE TRIGGER IF NOT EXISTS note_change AFTER INSERT ON visits WHEN NEW.outcome IN ('new', 'changed') BEGIN
                 INSERT INTO events (at, kind, page) VALUES (NEW.at, NEW.outcome, NEW.page);
                 DELETE FROM events WHERE id <= (SELECT max(id) FROM events) - {MOST};
             END;
             CREATE TRIGGER IF NOT EXISTS note_loss AFTER UPDATE OF state ON pages
                 WHEN NEW.state = 'gone' AND OLD.state IN ('fetched', 'duplicate') BEGIN
                 INSERT INTO events (at, kind, page) VALUES (coalesce(NEW.checked_at, 0), 'gone', NEW.id);
             END;"
        ))?)
    }

    /// At most `most` events with a greater number than `after`, in their order.
    ///
    /// # Errors
    /// If the catalogue fails.
    pub fn events(&self, after: u64, most: u32) -> Result<Vec<Event>, CatalogueError> {
        const QUERY: &str = "SELECT e.id, e.at, e.kind, e.page, p.url, p.title FROM events AS e \
            JOIN pages AS p ON p.id = e.page WHERE e.id > ?1 ORDER BY e.id LIMIT ?2";
        let mut statement = self.connection.prepare_cached(QUERY)?;
        Ok(statement.query_map(params![after, most], event)?.collect::<Result<_, _>>()?)
    }

    /// Forgets events up to this number: all who had to be told have been. Also open to processes that only read.
    ///
    /// # Errors
    /// If the catalogue cannot be written.
    pub fn forget_events(&self, last: u64) -> Result<(), CatalogueError> {
        let connection = Connection::open_with_flags(&self.path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.busy_timeout(PATIENCE)?;
        connection.execute("DELETE FROM events WHERE id <= ?1", [last])?;
        Ok(())
    }
}

fn event(row: &Row<'_>) -> rusqlite::Result<Event> {
    let name: String = row.get(2)?;
    let kind = EventKind::from_name(&name).unwrap_or(EventKind::Changed);
    Ok(Event { id: row.get(0)?, at: row.get(1)?, kind, page: row.get(3)?, url: row.get(4)?, title: row.get(5)? })
}
