//! The index that other tools read: one line per capture, sorted by the key of its address.

use serde::{Deserialize, Serialize};

use super::Position;
use super::digest::Digest;
use super::record::{Kind, Record};
use super::surt::surt;

/// A line of the index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The capture, apart from its place.
    pub(super) capture: Capture,
    /// Its place.
    pub position: Position,
}

/// What the index says about a record, apart from its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Capture {
    /// Key of the address and the moment in fourteen digits.
    key: String,
    url: String,
    mime: Option<String>,
    status: Option<u16>,
    digest: Option<String>,
}

/// The part of a line that is JSON. Numbers are strings, as other tools write them.
#[derive(Serialize, Deserialize)]
struct Json<'a> {
    #[serde(borrow)]
    url: std::borrow::Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    length: String,
    offset: String,
    filename: String,
}

impl Capture {
    /// Only what a server answered is indexed.
    pub(super) fn of(record: &Record, payload: Option<Digest>) -> Option<Self> {
        let mime = match record.kind {
            Kind::Response => record.http.as_ref().and_then(super::HttpHead::mime),
            Kind::Revisit(_) => Some("warc/revisit".to_owned()),
            _ => return None,
        };
        Some(Self {
            key: format!("{} {}", surt(&record.url), record.at.digits()),
            url: record.url.clone(),
            mime,
            status: record.http.as_ref().and_then(super::HttpHead::status),
            digest: payload.map(|digest| digest.base32()),
        })
    }
}

impl Entry {
    /// The line, with its end.
    pub(super) fn line(&self) -> String {
        let json = Json {
            url: self.capture.url.as_str().into(),
            mime: self.capture.mime.clone(),
            status: self.capture.status.map(|status| status.to_string()),
            digest: self.capture.digest.clone(),
            length: self.position.length.to_string(),
            offset: self.position.offset.to_string(),
            filename: super::file_name(self.position.file),
        };
        // Strings always have a form in JSON.
        let json = serde_json::to_string(&json).unwrap_or_default();
        format!("{} {json}\n", self.capture.key)
    }

    /// Reads a line without its end.
    pub(super) fn parse(line: &str, file: u32) -> Option<Self> {
        let place = line.find(" {")?;
        let json: Json<'_> = serde_json::from_str(&line[place + 1..]).ok()?;
        let position = Position { file, offset: json.offset.parse().ok()?, length: json.length.parse().ok()? };
        let status = match json.status {
            Some(status) => Some(status.parse().ok()?),
            None => None,
        };
        let capture = Capture {
            key: line[..place].to_owned(),
            url: json.url.into_owned(),
            mime: json.mime,
            status,
            digest: json.digest,
        };
        (json.filename == super::file_name(file)).then_some(Self { capture, position })
    }

    /// Where its record ends.
    pub(super) fn end(&self) -> u64 {
        self.position.offset.saturating_add(self.position.length.into())
    }
}

/// The text of an index, sorted as bytes.
pub(super) fn sorted(text: &str) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    lines.sort_unstable();
    lines.concat()
}
