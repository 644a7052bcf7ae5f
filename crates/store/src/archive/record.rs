use std::net::IpAddr;

use super::digest::Digest;
use super::http::{HttpHead, dechunk};
use crate::Timestamp;

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// About the file.
    Info,
    /// What was asked.
    Request,
    /// What was answered.
    Response,
    /// An answer that says the same as an earlier one.
    Revisit(Profile),
    /// Contents without an answer of a server.
    Resource,
    /// About another record.
    Metadata,
    /// Another form of another record.
    Conversion,
    /// Something else.
    Other,
}

/// Why an answer is known to say the same as an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Its body is the same.
    SamePayload,
    /// The server says so (304).
    NotModified,
}

/// Why the end of a body is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truncated {
    /// It was too long.
    Length,
    /// It took too long.
    Time,
    /// The connection broke.
    Disconnect,
    /// Nobody knows.
    Unspecified,
}

impl Truncated {
    pub(super) const ALL: [Self; 4] = [Self::Length, Self::Time, Self::Disconnect, Self::Unspecified];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::Time => "time",
            Self::Disconnect => "disconnect",
            Self::Unspecified => "unspecified",
        }
    }
}

/// The earlier record of which a revisit says the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefersTo {
    /// Its address.
    pub url: String,
    /// Its moment.
    pub at: Timestamp,
}

/// A record of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What it is.
    pub kind: Kind,
    /// The address that was asked for. Empty for records about files.
    pub url: String,
    /// When.
    pub at: Timestamp,
    /// Address of the server.
    pub ip: Option<IpAddr>,
    /// Why the end of the body is missing.
    pub truncated: Option<Truncated>,
    /// The earlier record, for a revisit.
    pub refers_to: Option<RefersTo>,
    /// Digest of the body; for a revisit that of the body that is not stored again. If it is none, an answer gets it
    /// when it is encoded.
    pub payload: Option<Digest>,
    /// First line and header fields of an HTTP message; none if it is not one.
    pub http: Option<HttpHead>,
    /// Media type of the body if it is not an HTTP message.
    pub mime: Option<String>,
    /// The body.
    pub body: Vec<u8>,
}

impl Record {
    /// An answer. The head is as received; it is made to fit the body, which comes without transfer encoding and, if
    /// `decoded`, without content encoding.
    #[must_use]
    pub fn response(url: &str, at: Timestamp, head: HttpHead, body: Vec<u8>, decoded: bool) -> Self {
        let head = head.fitting(body.len(), decoded);
        Self { http: Some(head), body, ..Self::empty(Kind::Response, url, at) }
    }

    /// What was asked.
    #[must_use]
    pub fn request(url: &str, at: Timestamp, head: HttpHead, body: Vec<u8>) -> Self {
        Self { http: Some(head), body, ..Self::empty(Kind::Request, url, at) }
    }

    /// An answer with the same body as an earlier one, whose digest is `payload`.
    #[must_use]
    pub fn same(url: &str, at: Timestamp, head: HttpHead, payload: Digest, earlier: RefersTo) -> Self {
        let kind = Kind::Revisit(Profile::SamePayload);
        Self { http: Some(head), payload: Some(payload), refers_to: Some(earlier), ..Self::empty(kind, url, at) }
    }

    /// The answer 304 to a conditional request.
    #[must_use]
    pub fn not_modified(url: &str, at: Timestamp, head: HttpHead, earlier: RefersTo) -> Self {
        let kind = Kind::Revisit(Profile::NotModified);
        Self { http: Some(head), refers_to: Some(earlier), ..Self::empty(kind, url, at) }
    }

    /// The record at the beginning of a file.
    #[must_use]
    pub fn info(at: Timestamp, fields: &[(&str, &str)]) -> Self {
        let line = |(name, value): &(&str, &str)| format!("{name}: {}\r\n", value.replace(['\r', '\n'], " "));
        let body = fields.iter().map(line).collect::<String>().into_bytes();
        Self { mime: Some("application/warc-fields".to_owned()), body, ..Self::empty(Kind::Info, "", at) }
    }

    pub(super) fn empty(kind: Kind, url: &str, at: Timestamp) -> Self {
        Self {
            kind,
            url: url.to_owned(),
            at,
            ip: None,
            truncated: None,
            refers_to: None,
            payload: None,
            http: None,
            mime: None,
            body: Vec::new(),
        }
    }

    /// Takes the chunked transfer encoding from the body, which other tools store as received.
    pub(super) fn dechunk(&mut self) {
        let chunked = |value: &[u8]| value.to_ascii_lowercase().ends_with(b"chunked");
        let Some(head) = self.http.take() else { return };
        let body = if head.field("transfer-encoding").is_some_and(chunked) { dechunk(&self.body) } else { None };
        self.http = match body {
            Some(body) => {
                self.body = body;
                Some(head.fitting(self.body.len(), false))
            }
            None => Some(head),
        };
    }
}
