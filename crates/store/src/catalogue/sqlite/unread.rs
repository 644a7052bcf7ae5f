//! What in the catalogue cannot be understood.

use rusqlite::types::ValueRef;
use rusqlite::{Error, Row};

use super::{SqliteCatalogue, rows};
use crate::catalogue::CatalogueError;
use crate::{Batch, State, Timestamp};

/// Rows of a table that are told one by one.
const MOST_TOLD: usize = 10;

/// A table or row that cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unread {
    pub(crate) table: &'static str,
    /// What the row is called; none if it is the table.
    pub(crate) row: Option<String>,
    pub(crate) reason: String,
}

/// A table, its columns, the first of which names the row, and how the engine reads a row.
type Table = (&'static str, String, fn(&Row<'_>) -> Result<(), Error>);

fn tables() -> Vec<Table> {
    let pages = format!("{} FROM pages WHERE state IN ({})", rows::PAGE, known_states());
    vec![
        ("hosts", format!("{} FROM hosts", rows::HOST), |row| rows::host(row).map(drop)),
        ("pages", pages, |row| rows::page(row).map(drop)),
        ("robots_txt", format!("{} FROM robots_txt", rows::ROBOTS_TXT), |row| rows::robots_txt(row).map(drop)),
        ("visits", format!("{}, page FROM visits", rows::VISIT), |row| rows::visit(row).map(drop)),
        ("archive_files", "id, length FROM archive_files".to_owned(), |row| {
            row.get::<_, u32>(0)?;
            row.get::<_, u64>(1).map(drop)
        }),
        ("inbox", "id, at, command, url FROM inbox".to_owned(), |row| {
            row.get::<_, u64>(0)?;
            row.get::<_, Timestamp>(1).map(drop)
        }),
        ("status", "id, json FROM status".to_owned(), |row| row.get::<_, String>(1).map(drop)),
        ("journal", "batch, body FROM journal".to_owned(), batch),
        ("meta", "name, value FROM meta".to_owned(), number),
    ]
}

/// The batch in the journal.
fn batch(row: &Row<'_>) -> Result<(), Error> {
    row.get::<_, u64>(0)?;
    let body = row.get_ref(1)?.as_blob()?;
    postcard::from_bytes::<Batch>(body).map(drop).map_err(|_| Error::InvalidColumnIndex(1))
}

/// Numbers must be numbers; the engine has its own way with other notes.
fn number(row: &Row<'_>) -> Result<(), Error> {
    let (name, value): (String, String) = (row.get(0)?, row.get(1)?);
    if !["batch", "indexed_batch"].contains(&name.as_str()) {
        return Ok(());
    }
    value.parse::<u64>().map(drop).map_err(|_| Error::InvalidColumnIndex(1))
}

impl SqliteCatalogue {
    /// Reads everything as the engine does. Pages of a state that is not known are left out: see
    /// [`SqliteCatalogue::unknown_states`].
    pub(crate) fn unread(&self) -> Vec<Unread> {
        let mut found = Vec::new();
        for table in tables() {
            if self.unread_of(&table, &mut found).is_err() {
                let reason = "it is missing, lacks a column, or cannot be read".to_owned();
                found.push(Unread { table: table.0, row: None, reason });
            }
        }
        found
    }

    fn unread_of(&self, (table, query, read): &Table, found: &mut Vec<Unread>) -> Result<(), Error> {
        let mut statement = self.connection.prepare(&format!("SELECT {query}"))?;
        let mut rows = statement.query([])?;
        let mut told = 0;
        while let Some(row) = rows.next()? {
            let Err(error) = read(row) else { continue };
            told += 1;
            if told > MOST_TOLD {
                found.push(Unread { table, row: None, reason: "more rows cannot be understood".to_owned() });
                return Ok(());
            }
            found.push(Unread { table, row: Some(shown(row.get_ref(0)?)), reason: reason(row, &error) });
        }
        Ok(())
    }

    /// Pages whose state is none that is known.
    pub(crate) fn unknown_states(&self) -> Result<u64, CatalogueError> {
        self.count(&format!("SELECT count(*) FROM pages WHERE state NOT IN ({})", known_states()))
    }

    /// Pages whose state is not known become pages to be fetched again.
    pub(crate) fn forget_unknown_states(&self) -> Result<(), CatalogueError> {
        let query = format!(
            "UPDATE pages SET state = 'known', indexed = 0, checked_at = NULL, retry_at = NULL, failures = 0,
             text_hash = NULL, simhash = NULL, sketch = NULL, etag = NULL, last_modified = NULL
             WHERE state NOT IN ({})",
            known_states()
        );
        self.connection.execute(&query, [])?;
        Ok(())
    }

    /// Makes hosts that do not exist anew from the addresses of their pages; pages without an address are removed.
    pub(crate) fn adopt_stray_pages(&self) -> Result<(), CatalogueError> {
        let origin = "substr(url, 1, instr(url, '://') + 2) || \
            substr(substr(url, instr(url, '://') + 3), 1, instr(substr(url, instr(url, '://') + 3) || '/', '/') - 1)";
        let stray = "host NOT IN (SELECT id FROM hosts)";
        // A host that is there under another number is not made twice.
        self.connection.execute_batch(&format!(
            "DELETE FROM pages WHERE {stray} AND instr(url, '://') = 0;
             UPDATE pages SET host = (SELECT id FROM hosts WHERE name = {origin})
                 WHERE {stray} AND {origin} IN (SELECT name FROM hosts);
             INSERT INTO hosts (id, name, delay, failures, blocked_until, pages, learned)
                 SELECT host, min({origin}), 0, 0, NULL, count(*), NULL FROM pages WHERE {stray} GROUP BY host;"
        ))?;
        Ok(())
    }

    /// From now on all that is read is of one moment, until [`SqliteCatalogue::look_up`].
    pub(crate) fn hold_still(&self) -> Result<(), CatalogueError> {
        Ok(self.connection.execute_batch("BEGIN")?)
    }

    /// Ends [`SqliteCatalogue::hold_still`].
    pub(crate) fn look_up(&self) -> Result<(), CatalogueError> {
        // SQLite itself may have ended it.
        if self.connection.is_autocommit() {
            return Ok(());
        }
        Ok(self.connection.execute_batch("ROLLBACK")?)
    }
}

fn known_states() -> String {
    State::ALL.iter().map(|state| format!("'{}'", state.name())).collect::<Vec<_>>().join(", ")
}

/// Which column, and what is in it.
fn reason(row: &Row<'_>, error: &Error) -> String {
    let column = match error {
        Error::FromSqlConversionFailure(column, ..)
        | Error::IntegralValueOutOfRange(column, _)
        | Error::InvalidColumnIndex(column)
        | Error::InvalidColumnType(column, ..) => *column,
        _ => return "it cannot be understood".to_owned(),
    };
    let name = row.as_ref().column_name(column).unwrap_or("column").to_owned();
    let value = row.get_ref(column).map_or_else(|_| "nothing".to_owned(), shown);
    format!("its {name} cannot be {value}")
}

fn shown(value: ValueRef<'_>) -> String {
    const LONGEST: usize = 60;
    match value {
        ValueRef::Null => "nothing".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) => {
            format!("{:?}", String::from_utf8_lossy(text).chars().take(LONGEST).collect::<String>())
        }
        ValueRef::Blob(bytes) => format!("these {} bytes", bytes.len()),
    }
}
