//! What the check of the data folder asks of the catalogue.

use rusqlite::{TransactionBehavior, params};

use super::{SqliteCatalogue, rows};
use crate::catalogue::CatalogueError;
use crate::{PageId, Position, Timestamp};

/// A place in the archive that the catalogue counts on.
#[derive(Clone, Debug)]
pub(crate) struct Reference {
    pub(crate) page: PageId,
    /// The visit that counts on it; none if it is the page's last copy.
    pub(crate) visit: Option<Timestamp>,
    pub(crate) position: Position,
    pub(crate) url: String,
}

impl SqliteCatalogue {
    /// Brings everything into the database file itself, so that it can be copied alone. Whoever reads at the same time may
    /// keep some of it in the file beside it.
    ///
    /// # Errors
    /// If that cannot be written; nothing is lost then.
    pub fn gather(&self) -> Result<(), CatalogueError> {
        Ok(self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?)
    }

    /// Pages that have been read and are shown, but not in the search index: there was to be none when they were read.
    ///
    /// # Errors
    /// If the catalogue fails.
    pub fn left_out(&self) -> Result<Vec<PageId>, CatalogueError> {
        let query =
            "SELECT id FROM pages WHERE state = 'fetched' AND indexed = 0 AND text_hash IS NOT NULL ORDER BY id";
        let mut statement = self.connection.prepare(query)?;
        Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
    }

    /// What SQLite's own check says; empty if all is well.
    pub(crate) fn integrity(&self) -> Vec<String> {
        let checked = self
            .connection
            .prepare("PRAGMA integrity_check(20)")
            .and_then(|mut statement| statement.query_map([], |row| row.get(0))?.collect::<Result<Vec<String>, _>>());
        let lines = checked.unwrap_or_else(|_| vec!["the file is damaged so that it cannot be read".to_owned()]);
        lines.into_iter().filter(|line| line != "ok").collect()
    }

    /// Visits to pages that do not exist.
    pub(crate) fn stray_visits(&self) -> Result<u64, CatalogueError> {
        self.count("SELECT count(*) FROM visits WHERE page NOT IN (SELECT id FROM pages)")
    }

    /// Removes visits to pages that do not exist.
    pub(crate) fn remove_stray_visits(&self) -> Result<(), CatalogueError> {
        self.connection.execute("DELETE FROM visits WHERE page NOT IN (SELECT id FROM pages)", [])?;
        Ok(())
    }

    /// Pages of hosts that do not exist.
    pub(crate) fn stray_pages(&self) -> Result<u64, CatalogueError> {
        self.count("SELECT count(*) FROM pages WHERE host NOT IN (SELECT id FROM hosts)")
    }

    /// Pages whose address another page has, too.
    pub(crate) fn repeated_pages(&self) -> Result<u64, CatalogueError> {
        self.count("SELECT count(*) - count(DISTINCT url) FROM pages")
    }

    pub(super) fn count(&self, query: &str) -> Result<u64, CatalogueError> {
        Ok(self.connection.query_row(query, [], |row| row.get(0))?)
    }

    /// Numbers of the files of the archive that the catalogue counts on.
    pub(crate) fn archive_numbers(&self) -> Result<Vec<u32>, CatalogueError> {
        let mut statement = self.connection.prepare(
            "SELECT id FROM archive_files
             UNION SELECT archive_file FROM pages WHERE archive_file IS NOT NULL
             UNION SELECT archive_file FROM visits WHERE archive_file IS NOT NULL
             ORDER BY 1",
        )?;
        Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
    }

    /// The places in a file of the archive that the catalogue counts on.
    pub(crate) fn references(&self, file: u32) -> Result<Vec<Reference>, CatalogueError> {
        let mut statement = self.connection.prepare(
            "SELECT id, NULL, archive_file, archive_offset, archive_length, url FROM pages WHERE archive_file = ?1
             UNION ALL
             SELECT page, at, v.archive_file, v.archive_offset, v.archive_length, url
             FROM visits AS v JOIN pages ON pages.id = page WHERE v.archive_file = ?1",
        )?;
        let mut found = statement.query([file])?;
        let mut references = Vec::new();
        while let Some(row) = found.next()? {
            let Some(position) = rows::position(row, 2)? else { continue };
            references.push(Reference { page: row.get(0)?, visit: row.get(1)?, position, url: row.get(5)? });
        }
        Ok(references)
    }

    /// Forgets copies that cannot be read: their pages are fetched again, without conditions.
    pub(crate) fn forget_copies(&mut self, references: &[Reference]) -> Result<(), CatalogueError> {
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for reference in references {
            match reference.visit {
                Some(at) => transaction.execute(
                    "UPDATE visits SET archive_file = NULL, archive_offset = NULL, archive_length = NULL
                     WHERE page = ?1 AND at = ?2",
                    params![reference.page, at],
                )?,
                None => transaction.execute(
                    "UPDATE pages SET archive_file = NULL, archive_offset = NULL, archive_length = NULL,
                     archived_at = NULL, digest = NULL, etag = NULL, last_modified = NULL, state = 'known',
                     checked_at = NULL WHERE id = ?1",
                    [reference.page],
                )?,
            };
        }
        transaction.commit()?;
        Ok(())
    }

    /// From now on the catalogue counts on this length of a file of the archive.
    pub(crate) fn set_archive_length(&self, file: u32, length: u64) -> Result<(), CatalogueError> {
        self.connection.execute("UPDATE archive_files SET length = ?2 WHERE id = ?1", params![file, length])?;
        Ok(())
    }
}
