//! Which characters the bytes of a page are.
//!
//! Declarations are believed as far as the bytes allow. Bytes that are valid UTF-8 are UTF-8, whatever is declared: text
//! in an older encoding is practically never valid UTF-8 by chance. Otherwise the first of these that fits: byte order
//! mark, HTTP header, `<meta>` or XML declaration in the first 1,024 bytes, and last a guess from the bytes themselves.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};
use memchr::{memchr, memmem};

use super::Kind;
use super::kind::looks_like_utf_16;
use crate::markup::{Scanner, Syntax, Token};

/// Bytes in which a declaration is looked for, as browsers do.
const DECLARATION: usize = 1_024;
/// Bytes from the first one beyond ASCII that the guess is made from.
const GUESSED: usize = 16 << 10;

/// Decodes a body. No bytes are refused; what has no meaning becomes U+FFFD.
pub(crate) fn decode<'a>(
    bytes: &'a [u8],
    content_type: Option<&str>,
    kind: Kind,
    url: &str,
) -> (Cow<'a, str>, &'static Encoding) {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return (encoding.decode_without_bom_handling(&bytes[mark..]).0, encoding);
    }
    let start = &bytes[..bytes.len().min(DECLARATION)];
    if looks_like_utf_16(start) {
        let encoding = if start.first() == Some(&0) { UTF_16BE } else { UTF_16LE };
        return (encoding.decode_without_bom_handling(bytes).0, encoding);
    }
    if let Some(text) = utf_8(bytes) {
        // ISO-2022-JP is made of ASCII bytes and gives itself away by its escapes.
        if text.is_ascii() && memmem::find(bytes, b"\x1B$").is_some() {
            return (ISO_2022_JP.decode_without_bom_handling(bytes).0, ISO_2022_JP);
        }
        return (text, UTF_8);
    }
    let declared = content_type.and_then(header_charset).or_else(|| markup_charset(start, kind));
    if let Some(encoding) = declared.filter(|encoding| *encoding != UTF_16LE && *encoding != UTF_16BE) {
        let (text, errors) = encoding.decode_without_bom_handling(bytes);
        if !errors || is_mostly_sound(&text) {
            return (text, encoding);
        }
    }
    let encoding = guess(bytes, url);
    (encoding.decode_without_bom_handling(bytes).0, encoding)
}

/// The text if it is UTF-8, perhaps cut inside its last character.
fn utf_8(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return Some(Cow::Borrowed(text)),
        Err(error) => error,
    };
    let is_cut = error.error_len().is_none() && !bytes[..error.valid_up_to()].is_ascii();
    is_cut.then(|| String::from_utf8_lossy(bytes))
}

/// Whether at most one in five of the characters beyond ASCII failed: a broken page rather than a wrong declaration.
fn is_mostly_sound(text: &str) -> bool {
    let (mut failed, mut beyond_ascii) = (0, 0);
    for character in text.chars().filter(|character| !character.is_ascii()) {
        beyond_ascii += 1;
        failed += usize::from(character == char::REPLACEMENT_CHARACTER);
    }
    failed * 5 <= beyond_ascii
}

fn guess(bytes: &[u8], url: &str) -> &'static Encoding {
    let first = bytes.iter().position(|byte| *byte >= 0x80).unwrap_or(0);
    // Some letters before the first foreign one help to tell the languages apart.
    let sample = &bytes[first.saturating_sub(64)..bytes.len().min(first + GUESSED)];
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(sample, true);
    let top_level_domain = top_level_domain(url);
    detector.guess(top_level_domain.as_deref().map(str::as_bytes), Utf8Detection::Allow)
}

/// The last label of the host in lower case, if it is one that a guess may use.
fn top_level_domain(url: &str) -> Option<String> {
    let host = url.split_once("://")?.1.split(['/', '?', '#', ':']).next()?;
    let label = host.rsplit('.').next()?;
    let usable = (2..=63).contains(&label.len()) && label.bytes().all(|byte| byte.is_ascii_alphabetic());
    usable.then(|| label.to_ascii_lowercase())
}

/// The `charset` of a `Content-Type`.
fn header_charset(content_type: &str) -> Option<&'static Encoding> {
    let lower = content_type.to_ascii_lowercase();
    let at = lower.find("charset")?;
    let value = lower[at + 7..].trim_start().strip_prefix('=')?.trim_start();
    let value = value.trim_start_matches(['"', '\'']);
    let end = value.find(|character: char| matches!(character, '"' | '\'' | ';' | ',') || character.is_whitespace());
    Encoding::for_label(&value.as_bytes()[..end.unwrap_or(value.len())])
}

/// The encoding that the document itself declares.
fn markup_charset(start: &[u8], kind: Kind) -> Option<&'static Encoding> {
    if !matches!(kind, Kind::Html | Kind::Xhtml) {
        return None;
    }
    let ascii: String = start.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { '?' }).collect();
    let encoding = meta_charset(&ascii).or_else(|| xml_charset(&ascii))?;
    // A document that can be read byte by byte is not UTF-16, whatever it says.
    let wide = encoding == UTF_16LE || encoding == UTF_16BE;
    Some(if wide { UTF_8 } else { encoding })
}

fn meta_charset(start: &str) -> Option<&'static Encoding> {
    let mut scanner = Scanner::new(start, Syntax::Html);
    while let Some(token) = scanner.next() {
        let Token::Open(name) = token else { continue };
        if !name.eq_ignore_ascii_case("meta") {
            continue;
        }
        if let Some(encoding) = scanner.attribute("charset").and_then(|label| Encoding::for_label(label.as_bytes())) {
            return Some(encoding);
        }
        if scanner.attribute("http-equiv").is_some_and(|name| name.eq_ignore_ascii_case("content-type"))
            && let Some(encoding) = scanner.attribute("content").and_then(header_charset)
        {
            return Some(encoding);
        }
    }
    None
}

/// Decodes a feed or sitemap: byte order mark, UTF-8, or what the XML declaration says.
pub(crate) fn decode_xml(bytes: &[u8]) -> Cow<'_, str> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[mark..]).0;
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(DECLARATION)]);
    xml_charset(&start).unwrap_or(UTF_8).decode_without_bom_handling(bytes).0
}

/// `<?xml version="1.0" encoding="..."?>`.
fn xml_charset(start: &str) -> Option<&'static Encoding> {
    let declaration = start.trim_start().strip_prefix("<?xml")?;
    let declaration = &declaration[..memchr(b'>', declaration.as_bytes())?];
    let value = declaration[declaration.find("encoding")? + 8..].trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|character| matches!(character, '"' | '\''))?;
    let value = &value[1..];
    Encoding::for_label(&value.as_bytes()[..value.find(quote)?])
}
