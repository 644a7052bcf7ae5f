//! From rows to values.

use rusqlite::Row;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};

use crate::{
    Digest, Host, HostId, Outcome, Page, PageId, Position, RobotsTxt, Standing, State, Timestamp, Values, Visit,
};

/// The columns that [`page`] expects, in this order.
pub(super) const PAGE: &str = "id, url, host, found_at, referrer, depth, weight, links_in, state, checked_at, \
    changed_at, status, failures, retry_at, visits, changes, evidence_changes, evidence_exposure, text_hash, simhash, \
    sketch, etag, last_modified, mime, language, title, bytes, duplicate_of, redirect_to, archive_file, \
    archive_offset, archive_length, archived_at, digest, indexed, published";

pub(super) fn page(row: &Row<'_>) -> rusqlite::Result<Page> {
    Ok(Page {
        id: row.get(0)?,
        url: row.get(1)?,
        host: row.get(2)?,
        found_at: row.get(3)?,
        referrer: row.get(4)?,
        standing: Standing { depth: row.get(5)?, weight: row.get(6)?, links_in: row.get(7)? },
        values: values(row)?,
    })
}

fn values(row: &Row<'_>) -> rusqlite::Result<Values> {
    Ok(Values {
        state: row.get(8)?,
        checked_at: row.get(9)?,
        changed_at: row.get(10)?,
        status: row.get(11)?,
        failures: row.get(12)?,
        retry_at: row.get(13)?,
        visits: row.get(14)?,
        changes: row.get(15)?,
        evidence_changes: row.get(16)?,
        evidence_exposure: row.get(17)?,
        text_hash: row.get(18)?,
        simhash: row.get::<_, Option<i64>>(19)?.map(i64::cast_unsigned),
        sketch: row.get::<_, Option<Vec<u8>>>(20)?.unwrap_or_default(),
        etag: row.get(21)?,
        last_modified: row.get(22)?,
        mime: row.get(23)?,
        language: row.get(24)?,
        title: row.get(25)?,
        bytes: row.get(26)?,
        duplicate_of: row.get(27)?,
        redirect_to: row.get(28)?,
        archive: position(row, 29)?,
        archived_at: row.get(32)?,
        digest: row.get::<_, Option<[u8; 20]>>(33)?.map(Digest),
        indexed: row.get(34)?,
        published: row.get(35)?,
    })
}

pub(super) const HOST: &str = "id, name, delay, failures, blocked_until, pages, learned";

pub(super) fn host(row: &Row<'_>) -> rusqlite::Result<Host> {
    Ok(Host {
        id: row.get(0)?,
        name: row.get(1)?,
        delay: row.get(2)?,
        failures: row.get(3)?,
        blocked_until: row.get(4)?,
        pages: row.get(5)?,
        learned: row.get(6)?,
    })
}

pub(super) const ROBOTS_TXT: &str = "host, status, fetched_at, body";

pub(super) fn robots_txt(row: &Row<'_>) -> rusqlite::Result<RobotsTxt> {
    Ok(RobotsTxt { host: row.get(0)?, status: row.get(1)?, fetched_at: row.get(2)?, body: row.get(3)? })
}

pub(super) const VISIT: &str = "at, outcome, status, bytes, milliseconds, archive_file, archive_offset, archive_length";

pub(super) fn visit(row: &Row<'_>) -> rusqlite::Result<Visit> {
    Ok(Visit {
        at: row.get(0)?,
        outcome: row.get(1)?,
        status: row.get(2)?,
        bytes: row.get(3)?,
        milliseconds: row.get(4)?,
        archive: position(row, 5)?,
    })
}

/// A place in the archive from three columns, the first of them at `column`.
pub(super) fn position(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Position>> {
    let Some(file) = row.get(column)? else { return Ok(None) };
    Ok(Some(Position { file, offset: row.get(column + 1)?, length: row.get(column + 2)? }))
}

macro_rules! number_in_sql {
    ($name:ident) => {
        impl FromSql for $name {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                FromSql::column_result(value).map($name)
            }
        }

        impl ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                self.0.to_sql()
            }
        }
    };
}

number_in_sql!(PageId);
number_in_sql!(HostId);
number_in_sql!(Timestamp);

macro_rules! name_in_sql {
    ($name:ident) => {
        impl FromSql for $name {
            fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
                let name = value.as_str()?;
                $name::from_name(name).ok_or_else(|| {
                    FromSqlError::Other(format!("unknown {}: {name:?}", stringify!($name).to_lowercase()).into())
                })
            }
        }

        impl ToSql for $name {
            fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
                self.name().to_sql()
            }
        }
    };
}

name_in_sql!(State);
name_in_sql!(Outcome);
