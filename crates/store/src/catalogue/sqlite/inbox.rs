//! Commands of other processes.

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior, params};

use super::{PATIENCE, SqliteCatalogue, later_tables};
use crate::Timestamp;
use crate::catalogue::{CatalogueError, Command, Wish};

impl SqliteCatalogue {
    pub(super) fn insert_commands(&self, at: Timestamp, wish: Wish, urls: &[&str]) -> Result<(), CatalogueError> {
        if self.writer {
            return Ok(insert(&self.connection, at, wish, urls)?);
        }
        let connection = Connection::open_with_flags(&self.path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.busy_timeout(PATIENCE)?;
        complete(&connection)?;
        Ok(insert(&connection, at, wish, urls)?)
    }

    pub(super) fn waiting_commands(&self, after: u64, most: u32) -> Result<Vec<Command>, CatalogueError> {
        let value = if has_values(&self.connection)? { "value" } else { "NULL" };
        let query = format!("SELECT id, at, command, url, {value} FROM inbox WHERE id > ?1 ORDER BY id LIMIT ?2");
        let mut statement = self.connection.prepare_cached(&query)?;
        let commands = statement.query_map(params![after, most], |row| {
            let wish = Wish::from_parts(row.get_ref(2)?.as_str()?, row.get(4)?);
            let (id, at, url) = (row.get(0)?, row.get(1)?, row.get(3)?);
            Ok(wish.map(|wish| Command { id, at, wish, url }))
        })?;
        // What a later version wants is not understood and left to it.
        Ok(commands.filter_map(Result::transpose).collect::<Result<_, _>>()?)
    }
}

fn insert(connection: &Connection, at: Timestamp, wish: Wish, urls: &[&str]) -> rusqlite::Result<()> {
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    let query = "INSERT INTO inbox (at, command, url, value) VALUES (?1, ?2, ?3, ?4)";
    let mut insert = transaction.prepare_cached(query)?;
    for url in urls {
        insert.execute(params![at, wish.name(), url, wish.value()])?;
    }
    drop(insert);
    transaction.commit()
}

/// Earlier versions knew only commands without a number.
fn has_values(connection: &Connection) -> rusqlite::Result<bool> {
    let query = "SELECT count(*) FROM pragma_table_info('inbox') WHERE name = 'value'";
    connection.prepare_cached(query)?.query_row([], |row| row.get(0))
}

fn has_inbox(connection: &Connection) -> rusqlite::Result<bool> {
    connection.query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'inbox'", [], |row| row.get(0))
}

/// Makes the tables and indexes that earlier versions did not have, and an inbox that takes every command; what waits in it stays.
/// If a table is missing that should have an index, all the others can still be read, and what is wrong is told by who examines
/// them.
pub(super) fn complete(connection: &Connection) -> rusqlite::Result<()> {
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    let is_narrow = has_inbox(&transaction)? && !has_values(&transaction)?;
    if is_narrow {
        transaction.execute_batch("ALTER TABLE inbox RENAME TO narrow_inbox")?;
    }
    let (tables, indexes) = later_tables();
    transaction.execute_batch(tables)?;
    if is_narrow {
        transaction.execute_batch(
            "INSERT INTO sqlite_sequence (name, seq)
                 SELECT 'inbox', seq FROM sqlite_sequence WHERE name = 'narrow_inbox';
             INSERT INTO inbox (id, at, command, url) SELECT id, at, command, url FROM narrow_inbox;
             DROP TABLE narrow_inbox;",
        )?;
    }
    match transaction.execute_batch(indexes) {
        Err(rusqlite::Error::SqliteFailure(error, _)) if error.code == ErrorCode::Unknown => {}
        done => done?,
    }
    transaction.commit()
}
