//! A page as a row: all that the catalogue knows of it, for listings and exports.

use serde::Serialize;
use store::{CatalogueError, Digest, Page, Timestamp, file_name};

use super::Beliefs;

/// All columns of a page. The names are part of the format: see docs/formats.md.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) id: u32,
    pub(crate) url: String,
    pub(crate) host: String,
    pub(crate) state: &'static str,
    pub(crate) status: Option<u16>,
    pub(crate) title: Option<String>,
    pub(crate) language: Option<String>,
    pub(crate) mime: Option<String>,
    pub(crate) bytes: Option<u64>,
    pub(crate) found_at: Moment,
    pub(crate) checked_at: Option<Moment>,
    pub(crate) changed_at: Option<Moment>,
    pub(crate) published: Option<Moment>,
    pub(crate) visits: u32,
    pub(crate) changes: u32,
    pub(crate) changes_per_day: f64,
    pub(crate) probability_current: Option<f64>,
    pub(crate) indexed: bool,
    pub(crate) failures: u32,
    pub(crate) retry_at: Option<Moment>,
    pub(crate) depth: u16,
    pub(crate) links_in: u32,
    pub(crate) weight: f32,
    pub(crate) referrer: Option<u32>,
    pub(crate) duplicate_of: Option<u32>,
    pub(crate) redirect_to: Option<String>,
    pub(crate) etag: Option<String>,
    pub(crate) last_modified: Option<String>,
    pub(crate) archive_file: Option<String>,
    pub(crate) archive_offset: Option<u64>,
    pub(crate) archive_length: Option<u32>,
    pub(crate) archived_at: Option<Moment>,
    pub(crate) digest: Option<String>,
    pub(crate) text_hash: Option<String>,
    pub(crate) simhash: Option<String>,
}

/// A moment that is written as RFC 3339.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment(pub(crate) Timestamp);

impl Serialize for Moment {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// The text so that a program that computes with tables takes it for text.
fn as_text(text: String) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{text}") } else { text }
}

impl Row {
    /// The same for CSV, which spreadsheets open: what strangers wrote is no formula.
    pub(crate) fn for_csv(self) -> Self {
        let Self { title, language, mime, redirect_to, etag, last_modified, .. } = self;
        let [title, language, mime, redirect_to, etag, last_modified] =
            [title, language, mime, redirect_to, etag, last_modified].map(|text| text.map(as_text));
        Self { title, language, mime, redirect_to, etag, last_modified, ..self }
    }

    /// The row of a page.
    pub(crate) fn new(page: Page, beliefs: &mut Beliefs<'_>, now: Timestamp) -> Result<Self, CatalogueError> {
        let belief = beliefs.of(&page, now)?;
        let host = beliefs.host_name(page.host)?.to_owned();
        let Page { id, url, found_at, referrer, standing, values, .. } = page;
        Ok(Self {
            id: id.0,
            url,
            host,
            state: values.state.name(),
            status: values.status,
            title: values.title,
            language: values.language,
            mime: values.mime,
            bytes: values.bytes,
            found_at: Moment(found_at),
            checked_at: values.checked_at.map(Moment),
            changed_at: values.changed_at.map(Moment),
            published: values.published.map(Moment),
            visits: values.visits,
            changes: values.changes,
            changes_per_day: belief.changes_per_day(),
            probability_current: belief.current,
            indexed: values.indexed,
            failures: values.failures,
            retry_at: values.retry_at.map(Moment),
            depth: standing.depth,
            links_in: standing.links_in,
            weight: standing.weight,
            referrer: referrer.map(|page| page.0),
            duplicate_of: values.duplicate_of.map(|page| page.0),
            redirect_to: values.redirect_to,
            etag: values.etag,
            last_modified: values.last_modified,
            archive_file: values.archive.map(|at| file_name(at.file)),
            archive_offset: values.archive.map(|at| at.offset),
            archive_length: values.archive.map(|at| at.length),
            archived_at: values.archived_at.map(Moment),
            digest: values.digest.as_ref().map(Digest::to_string),
            text_hash: values.text_hash.map(|hash| format!("{:032x}", u128::from_be_bytes(hash))),
            simhash: values.simhash.map(|hash| format!("{hash:016x}")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_write_no_formulas() {
        for formula in ["=HYPERLINK(\"http://evil.example\")", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"] {
            assert_eq!(as_text(formula.to_owned()), format!("'{formula}"));
        }
        for text in ["", "a=b", "'quoted'", "Title - Site", "\"etag\""] {
            assert_eq!(as_text(text.to_owned()), text);
        }
    }
}
