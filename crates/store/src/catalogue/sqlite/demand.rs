//! What readers ask for.

use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior, params};

use super::SqliteCatalogue;
use crate::{Ask, AskKind, CatalogueError, Demand, PageId, Timestamp};

/// How long a reader waits to be counted.
const PATIENCE: Duration = Duration::from_millis(200);

/// Asks that wait to be counted; more are not taken.
const MOST_WAITING: u32 = 100_000;

impl SqliteCatalogue {
    pub(super) fn insert_asks(&self, at: Timestamp, kind: AskKind, pages: &[PageId]) -> Result<(), CatalogueError> {
        let connection = Connection::open_with_flags(&self.path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.busy_timeout(PATIENCE)?;
        let transaction = Transaction::new_unchecked(&connection, TransactionBehavior::Immediate)?;
        let waiting: u32 = transaction.query_row("SELECT count(*) FROM asks", [], |row| row.get(0))?;
        if waiting >= MOST_WAITING {
            return Ok(());
        }
        let mut insert = transaction.prepare("INSERT INTO asks (at, page, kind) VALUES (?1, ?2, ?3)")?;
        for page in pages {
            insert.execute(params![at, page, kind.name()])?;
        }
        drop(insert);
        Ok(transaction.commit()?)
    }

    pub(super) fn waiting_asks(&self, after: u64, most: u32) -> Result<Vec<Ask>, CatalogueError> {
        const QUERY: &str = "SELECT id, at, page, kind FROM asks WHERE id > ?1 ORDER BY id LIMIT ?2";
        let mut statement = self.connection.prepare_cached(QUERY)?;
        let asks = statement.query_map(params![after, most], |row| {
            let name: String = row.get(3)?;
            let kind = if name == AskKind::Clicked.name() { AskKind::Clicked } else { AskKind::Shown };
            Ok(Ask { id: row.get(0)?, at: row.get(1)?, page: row.get(2)?, kind })
        })?;
        Ok(asks.collect::<Result<_, _>>()?)
    }

    pub(super) fn all_demand(&self) -> Result<Vec<Demand>, CatalogueError> {
        if !self.counts_demand()? {
            return Ok(Vec::new());
        }
        let mut statement = self.connection.prepare("SELECT page, asked, at FROM demand ORDER BY page")?;
        let demand = statement.query_map([], demand)?;
        Ok(demand.collect::<Result<_, _>>()?)
    }

    pub(super) fn one_demand(&self, page: PageId) -> Result<Option<Demand>, CatalogueError> {
        if !self.counts_demand()? {
            return Ok(None);
        }
        let mut statement = self.connection.prepare_cached("SELECT page, asked, at FROM demand WHERE page = ?1")?;
        Ok(statement.query_map([page], demand)?.next().transpose()?)
    }

    fn counts_demand(&self) -> rusqlite::Result<bool> {
        const QUERY: &str = "SELECT count(*) FROM sqlite_schema WHERE name = 'demand'";
        self.connection.prepare_cached(QUERY)?.query_row([], |row| Ok(row.get::<_, u32>(0)? > 0))
    }
}

fn demand(row: &rusqlite::Row<'_>) -> rusqlite::Result<Demand> {
    Ok(Demand { page: row.get(0)?, asked: row.get(1)?, at: row.get(2)? })
}

/// Writes what has been counted.
pub(super) fn write(connection: &Connection, demand: &[Demand], counted: Option<u64>) -> rusqlite::Result<()> {
    const UPSERT: &str = "INSERT INTO demand (page, asked, at) VALUES (?1, ?2, ?3) \
        ON CONFLICT (page) DO UPDATE SET asked = excluded.asked, at = excluded.at";
    let mut upsert = connection.prepare_cached(UPSERT)?;
    for demand in demand {
        upsert.execute(params![demand.page, f64::from(demand.asked), demand.at])?;
    }
    if let Some(last) = counted {
        connection.prepare_cached("DELETE FROM asks WHERE id <= ?1")?.execute([last])?;
    }
    Ok(())
}
