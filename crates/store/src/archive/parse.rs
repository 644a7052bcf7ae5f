//! Reading records: our own strictly, those of other tools leniently. The bytes may be anything.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::{GzDecoder, MultiGzDecoder};

use super::digest::Digest;
use super::encode::NOT_MODIFIED;
use super::http::HttpHead;
use super::record::{Kind, Profile, Record, RefersTo, Truncated};
use crate::Timestamp;

/// How much is read at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the header of a record.
    pub header: u64,
    /// Bytes of its body that are kept. The record is marked as truncated if there are more.
    pub body: u64,
    /// Bytes of its body that are passed over.
    pub skipped: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { header: 256 << 10, body: 256 << 20, skipped: 4 << 30 }
    }
}

/// Why a record could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file failed, or its compression is broken.
    #[error("cannot be read: {0}")]
    Failed(#[from] io::Error),
    /// It is something else.
    #[error("not a WARC record")]
    Foreign,
    /// The file ends within the record.
    #[error("ends in the middle of a record")]
    Torn,
    /// The record says something that cannot be.
    #[error("{0} is missing or makes no sense")]
    Field(&'static str),
    /// A part is longer than allowed.
    #[error("{0} is longer than allowed")]
    TooLong(&'static str),
    /// The bytes are not those that were written.
    #[error("the {0} digest is wrong")]
    Digest(&'static str),
}

/// Reads the records of a WARC file of any tool, plain or compressed, from beginning to end. It stops at the first
/// that cannot be read. Bodies come without chunked transfer encoding.
pub struct WarcReader<R: BufRead> {
    source: Option<Source<R>>,
    limits: Limits,
}

enum Source<R: BufRead> {
    Plain(R),
    Compressed(Box<BufReader<MultiGzDecoder<R>>>),
}

impl<R: BufRead> WarcReader<R> {
    /// A reader of `file`; its first bytes tell whether it is compressed.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn new(mut file: R, limits: Limits) -> io::Result<Self> {
        let compressed = file.fill_buf()?.starts_with(&[0x1f, 0x8b]);
        let source = match compressed {
            true => Source::Compressed(Box::new(BufReader::new(MultiGzDecoder::new(file)))),
            false => Source::Plain(file),
        };
        Ok(Self { source: Some(source), limits })
    }
}

impl<R: BufRead> Iterator for WarcReader<R> {
    type Item = Result<Record, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let read = match self.source.as_mut()? {
            Source::Plain(file) => read_record(file, &self.limits),
            Source::Compressed(file) => read_record(file, &self.limits),
        };
        match read {
            Ok(Some((mut record, _))) => {
                record.dechunk();
                Some(Ok(record))
            }
            Ok(None) => {
                self.source = None;
                None
            }
            Err(error) => {
                self.source = None;
                Some(Err(error))
            }
        }
    }
}

/// Reads the record that the compressed bytes at the beginning of `file` are, to their end, and checks its digests.
pub(super) fn read_member(file: impl BufRead, limits: &Limits) -> Result<Record, ReadError> {
    let mut member = BufReader::new(GzDecoder::new(file));
    let (record, block) = read_record(&mut member, limits).map_err(torn)?.ok_or(ReadError::Torn)?;
    let mut rest = [0; 16];
    let more = read_up_to(&mut member, &mut rest).map_err(ReadError::from).map_err(torn)?;
    if rest[..more] != *b"\r\n\r\n" {
        return Err(ReadError::Field("end of the record"));
    }
    if block.is_some_and(|(said, found)| said != found) {
        return Err(ReadError::Digest("block"));
    }
    if record.has_payload() && record.payload.is_some_and(|said| said != Digest::of(&record.body)) {
        return Err(ReadError::Digest("payload"));
    }
    Ok(record)
}

/// Compressed bytes that end too early are a torn record.
fn torn(error: ReadError) -> ReadError {
    match error {
        ReadError::Failed(io) if io.kind() == io::ErrorKind::UnexpectedEof => ReadError::Torn,
        other => other,
    }
}

fn read_up_to(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// The digest of the block that a record gives, and that which its block has.
type Digests = Option<(Digest, Digest)>;

/// Reads one record; none at the end of the file.
fn read_record(file: &mut impl BufRead, limits: &Limits) -> Result<Option<(Record, Digests)>, ReadError> {
    let mut budget = limits.header;
    let Some(header) = read_header(file, &mut budget)? else { return Ok(None) };
    let length = header.get("content-length").and_then(|text| text.parse::<u64>().ok());
    let length = length.ok_or(ReadError::Field("Content-Length"))?;
    let mut block = Vec::new();
    let kept = length.min(limits.body);
    if file.take(kept).read_to_end(&mut block)? as u64 != kept {
        return Err(ReadError::Torn);
    }
    let skipped = length - kept;
    if skipped > limits.skipped {
        return Err(ReadError::TooLong("a body"));
    }
    if io::copy(&mut file.take(skipped), &mut io::sink())? != skipped {
        return Err(ReadError::Torn);
    }
    let said = header.get("warc-block-digest").and_then(Digest::parse).filter(|_| skipped == 0);
    let digests = said.map(|said| (said, Digest::of(&block)));
    let mut record = header.into_record(block)?;
    if skipped > 0 {
        record.truncated = Some(Truncated::Length);
    }
    Ok(Some((record, digests)))
}

/// Names, in lower case, and values of the header of a record.
struct Header(Vec<(String, String)>);

/// Reads the header of the next record; none at the end of the file.
fn read_header(file: &mut impl BufRead, budget: &mut u64) -> Result<Option<Header>, ReadError> {
    let version = loop {
        match read_line(file, budget)? {
            None => return Ok(None),
            Some(line) if line.is_empty() => {}
            Some(line) => break line,
        }
    };
    if !version.starts_with("WARC/") {
        return Err(ReadError::Foreign);
    }
    let mut fields: Vec<(String, String)> = Vec::new();
    loop {
        let line = read_line(file, budget)?.ok_or(ReadError::Torn)?;
        if line.is_empty() {
            return Ok(Some(Header(fields)));
        }
        if line.starts_with([' ', '\t']) {
            let Some((_, value)) = fields.last_mut() else { continue };
            value.push(' ');
            value.push_str(line.trim());
        } else if let Some((name, value)) = line.split_once(':') {
            fields.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
}

/// Reads a line without its end; none at the end of the file.
fn read_line(file: &mut impl BufRead, budget: &mut u64) -> Result<Option<String>, ReadError> {
    let mut line = Vec::new();
    let read = file.take(*budget).read_until(b'\n', &mut line)? as u64;
    if read == 0 && *budget > 0 {
        return Ok(None);
    }
    *budget -= read;
    if line.pop() != Some(b'\n') {
        return Err(if *budget == 0 { ReadError::TooLong("a header") } else { ReadError::Torn });
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok(Some(String::from_utf8(line).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())))
}

impl Header {
    fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    fn into_record(self, block: Vec<u8>) -> Result<Record, ReadError> {
        let kind = self.kind().ok_or(ReadError::Field("WARC-Type"))?;
        let at = self.get("warc-date").and_then(Timestamp::parse).ok_or(ReadError::Field("WARC-Date"))?;
        // Some tools put the address between angle brackets.
        let url = self.get("warc-target-uri").unwrap_or_default();
        let url = url.strip_prefix('<').and_then(|url| url.strip_suffix('>')).unwrap_or(url);
        let mut record = Record {
            ip: self.get("warc-ip-address").and_then(|text| text.parse().ok()),
            truncated: self.get("warc-truncated").map(truncated),
            refers_to: self.refers_to(),
            payload: self.get("warc-payload-digest").and_then(Digest::parse),
            ..Record::empty(kind, url, at)
        };
        let mime = self.get("content-type");
        let is_http = mime.is_some_and(|mime| mime.to_ascii_lowercase().starts_with("application/http"));
        match HttpHead::parse(&block).filter(|_| is_http) {
            Some((head, length)) => {
                record.http = Some(head);
                record.body = after(block, length);
            }
            None => {
                record.mime = mime.map(str::to_owned);
                record.body = block;
            }
        }
        Ok(record)
    }

    fn kind(&self) -> Option<Kind> {
        Some(match self.get("warc-type")?.to_ascii_lowercase().as_str() {
            "warcinfo" => Kind::Info,
            "request" => Kind::Request,
            "response" => Kind::Response,
            "revisit" => Kind::Revisit(self.profile()),
            "resource" => Kind::Resource,
            "metadata" => Kind::Metadata,
            "conversion" => Kind::Conversion,
            _ => Kind::Other,
        })
    }

    fn profile(&self) -> Profile {
        // Versions 1.0 and 1.1 differ in the middle of the address.
        let not_modified = NOT_MODIFIED.rsplit('/').next();
        match self.get("warc-profile").map(|profile| profile.rsplit('/').next() == not_modified) {
            Some(true) => Profile::NotModified,
            _ => Profile::SamePayload,
        }
    }

    fn refers_to(&self) -> Option<RefersTo> {
        let url = self.get("warc-refers-to-target-uri")?.to_owned();
        Some(RefersTo { url, at: Timestamp::parse(self.get("warc-refers-to-date")?)? })
    }
}

fn truncated(name: &str) -> Truncated {
    Truncated::ALL.into_iter().find(|reason| reason.name() == name).unwrap_or(Truncated::Unspecified)
}

/// What follows the first `length` bytes, without another copy of a large block.
fn after(mut block: Vec<u8>, length: usize) -> Vec<u8> {
    block.drain(..length.min(block.len()));
    block
}
