//! Writing: batches and the journal.

use rusqlite::{Connection, OptionalExtension, Statement, TransactionBehavior, params};

use super::read::note_name;
use super::{HISTORY, SqliteCatalogue};
use crate::archive::file_name;
use crate::catalogue::{CatalogueError, IndexState, Journal, Recovered};
use crate::page::MOST_SKETCH;
use crate::{Batch, Host, Lengths, NewPage, PageChange, PageId, RobotsTxt, Standing, Values, Visit};

/// Largest batch that the journal takes, in bytes; SQLite's own limit is 1,000,000,000.
const MOST_JOURNAL: usize = 900_000_000;

/// A page with a long history is cut back to [`HISTORY`] visits at every so many visits.
const CUT_EVERY: u32 = 16;

const INSERT_PAGE: &str = "INSERT INTO pages (id, url, host, found_at, referrer, depth, weight, links_in) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

const UPDATE_PAGE: &str = "UPDATE pages SET state = ?2, checked_at = ?3, changed_at = ?4, status = ?5, failures = ?6, \
    retry_at = ?7, visits = ?8, changes = ?9, evidence_changes = ?10, evidence_exposure = ?11, text_hash = ?12, \
    simhash = ?13, sketch = ?14, etag = ?15, last_modified = ?16, mime = ?17, language = ?18, title = ?19, \
    bytes = ?20, duplicate_of = ?21, redirect_to = ?22, archive_file = ?23, archive_offset = ?24, \
    archive_length = ?25, archived_at = ?26, digest = ?27, indexed = ?28, published = ?29 WHERE id = ?1";

const INSERT_VISIT: &str = "INSERT OR REPLACE INTO visits (page, at, outcome, status, bytes, milliseconds, \
    archive_file, archive_offset, archive_length) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";

const CUT_HISTORY: &str = "DELETE FROM visits WHERE page = ?1 AND at <= \
    (SELECT at FROM visits WHERE page = ?1 ORDER BY at DESC LIMIT 1 OFFSET ?2)";

const UPDATE_STANDING: &str = "UPDATE pages SET depth = ?2, weight = ?3, links_in = ?4 WHERE id = ?1";

const UPSERT_HOST: &str = "INSERT INTO hosts (id, name, delay, failures, blocked_until, pages, learned) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (id) DO UPDATE SET name = ?2, delay = ?3, failures = ?4, \
    blocked_until = ?5, pages = ?6, learned = ?7";

const UPSERT_ROBOTS_TXT: &str = "INSERT INTO robots_txt (host, status, fetched_at, body) VALUES (?1, ?2, ?3, ?4) \
    ON CONFLICT (host) DO UPDATE SET status = ?2, fetched_at = ?3, body = ?4";

const UPSERT_LENGTH: &str = "INSERT INTO archive_files (id, name, length) VALUES (?1, ?2, ?3) \
    ON CONFLICT (id) DO UPDATE SET length = ?3 WHERE length <> ?3";

const UPSERT_STATUS: &str = "INSERT INTO status (id, json) VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET json = ?1";

const UPSERT_META: &str = "INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2";

impl SqliteCatalogue {
    pub(super) fn write_journal(&mut self, batch: &Batch) -> Result<(), CatalogueError> {
        self.admit(batch)?;
        if let Some(journal) = self.journal()? {
            return Err(CatalogueError::Unfinished { journal, given: batch.number });
        }
        let body = postcard::to_stdvec(batch).map_err(|error| CatalogueError::Damaged(error.to_string()))?;
        if body.len() > MOST_JOURNAL {
            return Err(CatalogueError::TooLarge(body.len()));
        }
        let query = "INSERT INTO journal (batch, body) VALUES (?1, ?2)";
        self.connection.execute(query, params![batch.number, body])?;
        Ok(())
    }

    pub(super) fn write_batch(&mut self, batch: &Batch) -> Result<(), CatalogueError> {
        self.admit(batch)?;
        let prepared = self.journal()?;
        if let Some(journal) = prepared.filter(|journal| *journal != batch.number) {
            return Err(CatalogueError::Unfinished { journal, given: batch.number });
        }
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        write_rows(&transaction, batch)?;
        set_meta(&transaction, "batch", &batch.number.to_string())?;
        if prepared.is_some() {
            transaction.execute("DELETE FROM journal", [])?;
            set_meta(&transaction, "indexed_batch", &batch.number.to_string())?;
        }
        transaction.commit()?;
        Ok(())
    }

    pub(super) fn empty_journal(&mut self, index: Option<u64>) -> Result<Recovered, CatalogueError> {
        if !self.writer {
            return Err(CatalogueError::ReadOnly);
        }
        let journal = match self.journal()? {
            None => Journal::Empty,
            Some(number) if index >= Some(number) => {
                let batch = self.journal_body(number)?;
                self.write_batch(&batch)?;
                Journal::Applied(number)
            }
            Some(number) => {
                self.connection.execute("DELETE FROM journal", [])?;
                Journal::Dropped(number)
            }
        };
        let batch = self.number("batch")?;
        Ok(Recovered {
            journal,
            index: agreement(index, self.number("indexed_batch")?, batch),
            batch,
            archive: self.archive_lengths()?,
        })
    }

    /// Lengths of the files of the archive that belong to the batches written.
    ///
    /// # Errors
    /// If the catalogue fails.
    pub fn archive_lengths(&self) -> Result<Lengths, CatalogueError> {
        let mut statement = self.connection.prepare("SELECT id, length FROM archive_files")?;
        let lengths = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(lengths.collect::<Result<_, _>>()?)
    }

    /// The batch that is being written, or was when a process ended: the index may or may not have it.
    ///
    /// # Errors
    /// If the catalogue fails or is damaged.
    pub fn unfinished(&self) -> Result<Option<Batch>, CatalogueError> {
        self.journal()?.map(|number| self.journal_body(number)).transpose()
    }

    fn admit(&self, batch: &Batch) -> Result<(), CatalogueError> {
        if !self.writer {
            return Err(CatalogueError::ReadOnly);
        }
        let last = self.number("batch")?;
        if batch.number <= last {
            return Err(CatalogueError::OutOfOrder { given: batch.number, last });
        }
        Ok(())
    }

    /// The number of the batch in the journal.
    fn journal(&self) -> Result<Option<u64>, CatalogueError> {
        let mut statement = self.connection.prepare_cached("SELECT batch FROM journal")?;
        Ok(statement.query_row([], |row| row.get(0)).optional()?)
    }

    fn journal_body(&self, number: u64) -> Result<Batch, CatalogueError> {
        let query = "SELECT body FROM journal WHERE batch = ?1";
        let body: Vec<u8> = self.connection.query_row(query, [number], |row| row.get(0))?;
        postcard::from_bytes(&body)
            .map_err(|error| CatalogueError::Damaged(format!("batch {number} in the journal: {error}")))
    }
}

/// `touched` is the last batch of the catalogue that touched the index, `batch` the last of all.
fn agreement(index: Option<u64>, touched: u64, batch: u64) -> IndexState {
    match index {
        Some(index) if index > batch => IndexState::Ahead { index, catalogue: batch },
        _ if index.unwrap_or(0) < touched => IndexState::Behind { index, catalogue: touched },
        _ => IndexState::Agrees,
    }
}

fn write_rows(connection: &Connection, batch: &Batch) -> rusqlite::Result<()> {
    insert_pages(connection, &batch.new)?;
    update_pages(connection, &batch.pages)?;
    update_standings(connection, &batch.standings)?;
    update_links(connection, &batch.links)?;
    super::demand::write(connection, &batch.demand, batch.counted)?;
    upsert_hosts(connection, &batch.hosts, &batch.robots_txt)?;
    upsert_lengths(connection, &batch.archive)?;
    for (name, value) in &batch.notes {
        set_meta(connection, &note_name(name), value)?;
    }
    for command in &batch.commands {
        connection.prepare_cached("DELETE FROM inbox WHERE id = ?1")?.execute([command])?;
    }
    if let Some(status) = &batch.status {
        connection.prepare_cached(UPSERT_STATUS)?.execute([status])?;
    }
    Ok(())
}

fn insert_pages(connection: &Connection, pages: &[NewPage]) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(INSERT_PAGE)?;
    for page in pages {
        let weight = finite(page.weight);
        insert.execute(params![
            page.id,
            page.url,
            page.host,
            page.found_at,
            page.referrer,
            page.depth,
            weight,
            page.links_in
        ])?;
    }
    Ok(())
}

fn update_pages(connection: &Connection, changes: &[PageChange]) -> rusqlite::Result<()> {
    // In the order of the table, so that each part of it is read and written once. A page may come twice.
    let mut ordered: Vec<&PageChange> = changes.iter().collect();
    ordered.sort_by_key(|change| change.page);
    let mut update = connection.prepare_cached(UPDATE_PAGE)?;
    for change in &ordered {
        update_page(&mut update, change.page, &change.values)?;
    }
    let mut insert = connection.prepare_cached(INSERT_VISIT)?;
    for change in ordered {
        let Some(visit) = &change.visit else { continue };
        insert_visit(&mut insert, change.page, visit)?;
        if change.values.visits > HISTORY && change.values.visits.is_multiple_of(CUT_EVERY) {
            connection.prepare_cached(CUT_HISTORY)?.execute(params![change.page, HISTORY])?;
        }
    }
    Ok(())
}

fn update_page(update: &mut Statement<'_>, page: PageId, values: &Values) -> rusqlite::Result<()> {
    let archive = values.archive;
    let sketch = values.sketch.get(..MOST_SKETCH).unwrap_or(&values.sketch);
    update.execute(params![
        page,
        values.state,
        values.checked_at,
        values.changed_at,
        values.status,
        values.failures,
        values.retry_at,
        values.visits,
        values.changes,
        finite(values.evidence_changes),
        finite(values.evidence_exposure),
        values.text_hash,
        values.simhash.map(u64::cast_signed),
        (!sketch.is_empty()).then_some(sketch),
        values.etag,
        values.last_modified,
        values.mime,
        values.language,
        values.title,
        values.bytes,
        values.duplicate_of,
        values.redirect_to,
        archive.map(|at| at.file),
        archive.map(|at| at.offset),
        archive.map(|at| at.length),
        values.archived_at,
        values.digest.map(|digest| digest.0),
        values.indexed,
        values.published,
    ])?;
    Ok(())
}

fn insert_visit(insert: &mut Statement<'_>, page: PageId, visit: &Visit) -> rusqlite::Result<()> {
    let archive = visit.archive;
    insert.execute(params![
        page,
        visit.at,
        visit.outcome,
        visit.status,
        visit.bytes,
        visit.milliseconds,
        archive.map(|at| at.file),
        archive.map(|at| at.offset),
        archive.map(|at| at.length),
    ])?;
    Ok(())
}

fn update_standings(connection: &Connection, standings: &[(PageId, Standing)]) -> rusqlite::Result<()> {
    let mut update = connection.prepare_cached(UPDATE_STANDING)?;
    for (page, standing) in standings {
        update.execute(params![page, standing.depth, finite(standing.weight), standing.links_in])?;
    }
    Ok(())
}

fn update_links(connection: &Connection, links: &[(PageId, u32, f32)]) -> rusqlite::Result<()> {
    let mut update = connection.prepare_cached("UPDATE pages SET links_in = ?2, weight = ?3 WHERE id = ?1")?;
    for (page, links_in, weight) in links {
        update.execute(params![page, links_in, finite(*weight)])?;
    }
    Ok(())
}

fn upsert_hosts(connection: &Connection, hosts: &[Host], robots_txt: &[RobotsTxt]) -> rusqlite::Result<()> {
    let mut upsert = connection.prepare_cached(UPSERT_HOST)?;
    for host in hosts {
        let delay = if host.delay.is_finite() { host.delay } else { 0.0 };
        upsert.execute(params![
            host.id,
            host.name,
            delay,
            host.failures,
            host.blocked_until,
            host.pages,
            host.learned
        ])?;
    }
    let mut upsert = connection.prepare_cached(UPSERT_ROBOTS_TXT)?;
    for file in robots_txt {
        upsert.execute(params![file.host, file.status, file.fetched_at, file.body])?;
    }
    Ok(())
}

fn upsert_lengths(connection: &Connection, lengths: &Lengths) -> rusqlite::Result<()> {
    let mut upsert = connection.prepare_cached(UPSERT_LENGTH)?;
    for (file, length) in lengths {
        upsert.execute(params![file, file_name(*file), length])?;
    }
    Ok(())
}

fn set_meta(connection: &Connection, name: &str, value: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(UPSERT_META)?.execute([name, value])?;
    Ok(())
}

/// A number that is none would be stored as null and refused: it counts as zero.
fn finite(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}
