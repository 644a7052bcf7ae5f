//! What a fetched page says: its main text, title, language and date, and the links it carries.
//!
//! [`extract`] reads HTML, XHTML, plain text, Markdown and (feature `pdf`) PDF. HTML is read in one pass without a tree:
//! the text is cut into blocks, and which of them are main text is decided from where they stand (`main`, `nav`, hints
//! in classes), how much of them is links, and their neighbours. The same bytes always give the same result.
//!
//! | question | module |
//! |---|---|
//! | what kind of content is this? | `kind` |
//! | which characters are these bytes? | `charset` |
//! | which text and links does the markup hold? | `html` |
//! | which of the text is the page's own? | `main_text` |
//! | which language is it? | `language` |

use std::borrow::Cow;

use thiserror::Error;

pub(crate) mod charset;
mod html;
mod kind;
mod language;
mod main_text;
#[cfg(not(feature = "pdf"))]
#[path = "extract/no_pdf.rs"]
mod pdf;
#[cfg(feature = "pdf")]
mod pdf;
mod plain;
mod space;
#[cfg(test)]
mod tests;

pub use kind::Kind;
pub(crate) use space::not_visible;

/// How much is taken from one page. What goes beyond is left out, so that no page costs more than its share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the body that are read. A longer PDF is refused, since its directory is at its end.
    pub input_bytes: usize,
    /// Bytes of text that are looked at and returned.
    pub text_bytes: usize,
    /// Links.
    pub links: usize,
    /// Headings.
    pub headings: usize,
    /// Bytes of a title, description or heading.
    pub label_bytes: usize,
    /// Bytes of an address as written.
    pub href_bytes: usize,
    /// Steps of work on a PDF, about a byte or operator each.
    pub pdf_steps: u64,
    /// The latest publication date that is believed, in seconds since 1970: now, with some allowance for wrong clocks.
    pub latest_date: i64,
    /// The name under which `<meta name=...>` may address this crawler besides `robots`.
    pub product_token: String,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            input_bytes: 16 << 20,
            text_bytes: 1 << 20,
            links: 5_000,
            headings: 200,
            label_bytes: 512,
            href_bytes: 2_048,
            pdf_steps: 60_000_000,
            latest_date: 4_102_444_800,
            product_token: "oriole".to_owned(),
        }
    }
}

/// A link of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The address as written, entities decoded, not yet resolved against the page or its base.
    pub href: String,
    /// Whether the page says `nofollow`, `ugc` or `sponsored` of this link.
    pub nofollow: bool,
}

/// A language as its two-letter code in lower case (ISO 639-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(pub [u8; 2]);

impl Language {
    /// The code as text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or("")
    }
}

/// What was found in a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extracted {
    /// The kind of content that was read, whatever the server called it.
    pub kind: Kind,
    /// The character encoding that was used, by its name in the WHATWG standard.
    pub charset: &'static str,
    /// The title, if there is one.
    pub title: Option<String>,
    /// The description that the page gives of itself.
    pub description: Option<String>,
    /// The headings of the page's own content, in order.
    pub headings: Vec<String>,
    /// The main text without boilerplate: one line per block, single spaces.
    pub text: String,
    /// The language of the main text.
    pub language: Option<Language>,
    /// When the page says it was published, in seconds since 1970.
    pub published: Option<i64>,
    /// `<link rel=canonical>`, not resolved.
    pub canonical: Option<String>,
    /// `<base href>`, against which links are resolved.
    pub base: Option<String>,
    /// The contents of `<meta name=robots>` and of the tag with our own name.
    pub meta_robots: Vec<String>,
    /// The target of `<meta http-equiv=refresh>`, not resolved.
    pub refresh: Option<String>,
    /// Links to other pages, in order. Fragments of this page and schemes that cannot be fetched are left out.
    pub links: Vec<Link>,
    /// Addresses of RSS and Atom feeds, not resolved.
    pub feeds: Vec<String>,
    /// Words in the main text; for scripts without spaces an estimate.
    pub words: u32,
}

impl Extracted {
    fn new(kind: Kind, charset: &'static str) -> Self {
        Self {
            kind,
            charset,
            title: None,
            description: None,
            headings: Vec::new(),
            text: String::new(),
            language: None,
            published: None,
            canonical: None,
            base: None,
            meta_robots: Vec::new(),
            refresh: None,
            links: Vec::new(),
            feeds: Vec::new(),
            words: 0,
        }
    }
}

/// Why nothing was extracted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ExtractError {
    /// Not a kind of content that is read: record the page and skip it.
    #[error("no text is read from {kind}: index another version of the page")]
    Unsupported {
        /// The media type, as declared or recognised.
        kind: String,
    },
    /// A document that must be read whole is longer than the limit.
    #[error("the document has {bytes} bytes, more than the limit of {limit}: raise the limit to read it")]
    TooLarge {
        /// Its length.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The document needs a password.
    #[error("the document is encrypted: publish it without a password")]
    Encrypted,
    /// The document is broken beyond reading.
    #[error("the document cannot be read ({reason}): repair it")]
    Broken {
        /// What is wrong.
        reason: &'static str,
    },
}

/// Reads a page: its body (already decompressed), its `Content-Type` and its address, which serves as a hint only.
///
/// # Errors
/// If the content is of a kind that is not read, or is broken beyond reading. HTML and text are never too broken.
pub fn extract(
    bytes: &[u8],
    content_type: Option<&str>,
    url: &str,
    limits: &Limits,
) -> Result<Extracted, ExtractError> {
    let kind = Kind::of(bytes, content_type, url)?;
    if kind == Kind::Pdf {
        return pdf::read(bytes, limits);
    }
    let bytes = &bytes[..bytes.len().min(limits.input_bytes)];
    let (text, charset) = charset::decode(bytes, content_type, kind, url);
    let mut page = Extracted::new(kind, charset.name());
    match kind {
        Kind::Html | Kind::Xhtml => html::read(&text, limits, &mut page),
        Kind::Markdown => plain::read_markdown(&text, limits, &mut page),
        Kind::Text | Kind::Pdf => plain::read_text(&text, limits, &mut page),
    }
    Ok(page)
}

/// The kind of a document and, unless it must be read otherwise, its text.
///
/// # Errors
/// If the content is of a kind that is not read.
pub(crate) fn decode_text<'a>(
    bytes: &'a [u8],
    content_type: Option<&str>,
    url: &str,
) -> Result<(Kind, Option<Cow<'a, str>>), ExtractError> {
    let kind = Kind::of(bytes, content_type, url)?;
    let text = (kind != Kind::Pdf).then(|| charset::decode(bytes, content_type, kind, url).0);
    Ok((kind, text))
}

/// The first `limit` bytes of a text, cut between characters.
pub(crate) fn cut(text: &str, limit: usize) -> &str {
    let mut end = text.len().min(limit);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
