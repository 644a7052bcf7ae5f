//! Which kind of content a body is, from what the server says and what the first bytes show.

use memchr::memmem;

use super::ExtractError;

/// A kind of content that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// HTML.
    Html,
    /// XHTML, read by the rules of HTML.
    Xhtml,
    /// Plain text.
    Text,
    /// Markdown.
    Markdown,
    /// PDF.
    Pdf,
}

/// Bytes looked at to recognise a kind.
const SNIFFED: usize = 1_024;
/// Starts of a document that make it HTML, after white space and comments.
const HTML_STARTS: [&str; 16] = [
    "<!doctype html",
    "<html",
    "<head",
    "<body",
    "<title",
    "<script",
    "<style",
    "<meta",
    "<link",
    "<div",
    "<h1",
    "<p>",
    "<table",
    "<br",
    "<a ",
    "<center",
];

impl Kind {
    /// The kind of a body.
    pub(super) fn of(bytes: &[u8], content_type: Option<&str>, url: &str) -> Result<Kind, ExtractError> {
        let start = &bytes[..bytes.len().min(SNIFFED)];
        if memmem::find(start, b"%PDF-").is_some() && !is_text_type(content_type) {
            return Ok(Kind::Pdf);
        }
        let declared = essence(content_type);
        let kind = match declared.as_str() {
            "text/html" => markup_only(start, Kind::Html),
            "application/xhtml+xml" => markup_only(start, Kind::Xhtml),
            "text/markdown" | "text/x-markdown" => text_only(start, Kind::Markdown),
            "text/plain" => text_only(start, text_kind(url)),
            "application/xml" | "text/xml" => xml_kind(start),
            // Without its signature it is an error page, or nothing.
            "application/pdf" | "application/x-pdf" => sniff(start, url).filter(|kind| *kind == Kind::Html),
            ""
            | "application/octet-stream"
            | "binary/octet-stream"
            | "unknown/unknown"
            | "application/unknown"
            | "*/*"
            | "text/*" => sniff(start, url),
            _ => None,
        };
        kind.ok_or_else(|| ExtractError::Unsupported { kind: name_unsupported(declared) })
    }
}

fn name_unsupported(declared: String) -> String {
    if declared.is_empty() { "content of unknown type".to_owned() } else { declared }
}

/// The media type without parameters, in lower case and of bounded length.
fn essence(content_type: Option<&str>) -> String {
    let essence = content_type.unwrap_or_default().split([';', ',']).next().unwrap_or_default().trim();
    super::cut(essence, 100).to_ascii_lowercase()
}

/// A text about PDF may well begin with its signature.
fn is_text_type(content_type: Option<&str>) -> bool {
    matches!(essence(content_type).as_str(), "text/plain" | "text/markdown" | "text/x-markdown")
}

/// Text, or Markdown if the address says so.
fn text_kind(url: &str) -> Kind {
    let path = url.split(['?', '#']).next().unwrap_or_default();
    let extension = path.rsplit('/').next().unwrap_or_default().rsplit_once('.').map_or("", |(_, extension)| extension);
    let markdown = ["md", "markdown", "mkd", "mdown"].iter().any(|known| extension.eq_ignore_ascii_case(known));
    if markdown { Kind::Markdown } else { Kind::Text }
}

/// `kind`, unless the bytes are not text at all.
fn text_only(start: &[u8], kind: Kind) -> Option<Kind> {
    (!is_binary(start)).then_some(kind)
}

/// `kind`, unless the bytes are something else: in markup a stray control byte is a slip, but one byte in ten is an image.
fn markup_only(start: &[u8], kind: Kind) -> Option<Kind> {
    (controls(start) * 32 <= start.len()).then_some(kind)
}

/// Whether these are not characters in any encoding.
fn is_binary(start: &[u8]) -> bool {
    controls(start) > 0
}

/// The control bytes of the MIME Sniffing Standard; UTF-16 has none.
fn controls(start: &[u8]) -> usize {
    if start.starts_with(&[0xFE, 0xFF]) || start.starts_with(&[0xFF, 0xFE]) || looks_like_utf_16(start) {
        return 0;
    }
    start.iter().filter(|byte| matches!(byte, 0..=0x08 | 0x0B | 0x0E..=0x1A | 0x1C..=0x1F)).count()
}

/// Whether nearly every second byte is zero and nearly no other is.
pub(super) fn looks_like_utf_16(start: &[u8]) -> bool {
    let zeros = |offset: usize| start.iter().skip(offset).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd, pairs) = (zeros(0), zeros(1), start.len() / 2);
    pairs >= 4 && even.max(odd) * 4 >= pairs * 3 && even.min(odd) * 20 <= pairs
}

fn sniff(start: &[u8], url: &str) -> Option<Kind> {
    if is_binary(start) || start.is_empty() {
        return None;
    }
    let text = markup_start(start);
    if HTML_STARTS.iter().any(|known| starts_with(text, known)) {
        return Some(Kind::Html);
    }
    if starts_with(text, "<?xml") || starts_with(text, "<!doctype") {
        return xml_kind(start);
    }
    Some(text_kind(url))
}

/// XML is read only if it is XHTML.
fn xml_kind(start: &[u8]) -> Option<Kind> {
    let is_xhtml = memmem::find(start, b"http://www.w3.org/1999/xhtml").is_some()
        || starts_with(markup_start(start), "<!doctype html")
        || memmem::find(start, b"<html").is_some();
    (is_xhtml && !is_binary(start)).then_some(Kind::Xhtml)
}

/// The bytes behind a byte order mark, white space and comments.
fn markup_start(start: &[u8]) -> &[u8] {
    let mut rest = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start).trim_ascii_start();
    while rest.starts_with(b"<!--") {
        let Some(end) = memmem::find(rest, b"-->") else { break };
        rest = rest[end + 3..].trim_ascii_start();
    }
    rest
}

fn starts_with(bytes: &[u8], start: &str) -> bool {
    bytes.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start.as_bytes()))
}
