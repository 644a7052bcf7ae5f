//! Copies of pages in the archive.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use crawl::extract::{Extracted, Limits, extract};
use crawl::fetch::Answer;
use store::{Archive, Kind, Page, Record, WarcArchive};

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

/// What the copy of a page says, if there is one that can be read and it is not of a kind that is skipped.
pub(crate) fn read_copy(archive: &WarcArchive, page: &Page, limits: &Limits) -> Result<Option<Extracted>> {
    let Some(position) = page.values.archive else { return Ok(None) };
    let Some(answer) = answer_of(archive.read(position)?) else { return Ok(None) };
    let body = answer.decoded(MOST_BYTES).with_context(|| format!("the copy of {} is damaged", page.url))?;
    Ok(extract(&body, answer.content_type(), &page.url, limits).ok())
}
