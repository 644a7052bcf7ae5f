//! Which page is meant, and what copies of it there are.

use axum::http::StatusCode;
use crawl::extract::{Extracted, extract};
use serde::Serialize;
use store::{Catalogue, Outcome, Page, PageId, Position, Timestamp};

use super::{Desk, Problem, Shelf, Visitor};
use crate::commands::page::find;
use crate::commands::reading::parse_address;
use crate::engine::copies::{Copy, copy_at};

/// The page that is meant: by its number, or by its address, which takes longer to find.
pub(super) fn page(shelf: &Shelf, id: Option<u32>, url: &str) -> Result<Page, Problem> {
    let found = match (id, url.trim()) {
        (Some(id), _) => shelf.folder.catalogue.page(PageId(id))?,
        (None, "") => return Err(Problem::unknown("say which page: give its address as `url`, or its number as `id`")),
        (None, url) => {
            let address = parse_address(url);
            let address =
                address.map_err(|error| Problem::unknown(format!("`url` is not the address of a page: {error}")))?;
            find(&shelf.folder, url, &address)?
        }
    };
    found.ok_or_else(|| Problem::unknown("this page is not known; `oriole add` takes it up"))
}

/// The page that is meant, if the visitor may see copies of it: strangers only of what they can find.
pub(super) fn readable(shelf: &Shelf, visitor: &Visitor, id: Option<u32>, url: &str) -> Result<Page, Problem> {
    let found = page(shelf, id, url);
    if visitor.is_owner {
        return found;
    }
    // They are not told what is known but not shown.
    match found {
        Ok(found) if found.values.indexed => Ok(found),
        Err(problem) if problem.status != StatusCode::NOT_FOUND => Err(problem),
        _ => Err(Problem::unknown("there is no copy of this page")),
    }
}

/// A copy in the archive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Version {
    /// When it was fetched.
    #[serde(serialize_with = "as_text")]
    pub(super) at: Timestamp,
    #[serde(skip)]
    pub(super) position: Position,
}

fn as_text<S: serde::Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(at)
}

/// The versions of a page of which there are copies, newest first. Of a page that was removed none is shown; the archive keeps them.
pub(super) fn versions(shelf: &Shelf, page: &Page) -> Result<Vec<Version>, Problem> {
    if page.values.is_removed() {
        return Ok(Vec::new());
    }
    let visits = shelf.folder.catalogue.history(page.id)?;
    let is_version = |outcome| matches!(outcome, Outcome::New | Outcome::Changed);
    let changed = visits.iter().filter(|visit| is_version(visit.outcome));
    let mut versions: Vec<Version> =
        changed.filter_map(|visit| Some(Version { at: visit.at, position: visit.archive? })).collect();
    // Visits are forgotten after a while, the last copy is not.
    let last = page.values.archived_at.zip(page.values.archive).map(|(at, position)| Version { at, position });
    let is_missing = |last: &Version| !versions.iter().any(|version| version.position == last.position);
    if let Some(last) = last.filter(is_missing) {
        versions.push(last);
        versions.sort_by_key(|version| std::cmp::Reverse(version.at));
    }
    Ok(versions)
}

/// The version that was fetched at a moment.
pub(super) fn version_at(versions: &[Version], at: &str) -> Result<Version, Problem> {
    let Some(moment) = Timestamp::parse(at) else {
        return Err(Problem::unknown("there is no such moment; give one such as 2026-01-31T12:00:00.000Z"));
    };
    let found = versions.iter().find(|version| version.at == moment);
    found.copied().ok_or_else(|| Problem::unknown("there is no copy of that moment"))
}

/// A copy.
pub(super) fn copy(shelf: &Shelf, version: Version) -> Result<Copy, Problem> {
    copy_at(&shelf.folder.archive, version.position)?.ok_or_else(|| Problem::unknown("there is no copy of that moment"))
}

/// What a copy says.
pub(super) fn text(desk: &Desk, shelf: &Shelf, page: &Page, version: Version) -> Result<Extracted, Problem> {
    let copy = copy(shelf, version)?;
    let read = extract(&copy.body, copy.content_type.as_deref(), &page.url, &desk.config().limits);
    read.map_err(|error| Problem::unknown(format!("no text can be read from this copy: {error}")))
}

/// A query that names a page and perhaps moments.
pub(super) fn address(path: &str, page: PageId, moments: &[(&str, Timestamp)]) -> String {
    let moments: String = moments.iter().map(|(name, at)| format!("&{name}={at}")).collect();
    format!("{path}?id={}{moments}", page.0)
}
