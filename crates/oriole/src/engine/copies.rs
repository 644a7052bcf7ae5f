//! Copies of pages in the archive.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use crawl::extract::{Extracted, Limits, extract};
use crawl::fetch::Answer;
use store::{Archive, Kind, Page, Position, Record, WarcArchive};

/// Most bytes of a copy after decompression.
const MOST_BYTES: usize = 64 << 20;

/// What the server answered, if the record says so.
pub(super) fn answer_of(record: Record) -> Option<Answer> {
    let head = record.http.filter(|_| record.kind == Kind::Response)?;
    Some(Answer {
        status: head.status()?,
        headers: head.fields,
        body: record.body,
        truncated: record.truncated.is_some(),
        address: record.ip.map(|ip| SocketAddr::new(ip, 0)),
    })
}

/// A copy as it was fetched.
pub(crate) struct Copy {
    /// The body, decompressed.
    pub(crate) body: Vec<u8>,
    /// The `Content-Type`.
    pub(crate) content_type: Option<String>,
}

/// The full copy at a place of the archive; none if the record there is of another kind.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn copy_at(archive: &WarcArchive, position: Position) -> Result<Option<Copy>> {
    let Some(answer) = answer_of(archive.read(position)?) else { return Ok(None) };
    let body = answer.decoded(MOST_BYTES).context("the copy is damaged")?;
    Ok(Some(Copy { body: body.into_owned(), content_type: answer.content_type().map(str::to_owned) }))
}

/// What the copy of a page says, if there is one that can be read and it is not of a kind that is skipped.
pub(crate) fn read_copy(archive: &WarcArchive, page: &Page, limits: &Limits) -> Result<Option<Extracted>> {
    let Some(position) = page.values.archive else { return Ok(None) };
    let copy = copy_at(archive, position).with_context(|| format!("{} cannot be read", page.url))?;
    Ok(copy.and_then(|copy| extract(&copy.body, copy.content_type.as_deref(), &page.url, limits).ok()))
}
