//! Sitemaps (<https://www.sitemaps.org/protocol.html>): XML, indexes of sitemaps, and plain lists of addresses.
//!
//! The document is read in one pass and each entry is handed over as soon as it is complete. Entities that a document
//! defines are never expanded. A broken tail does not spoil what comes before it.

use std::io::Read;

use flate2::bufread::MultiGzDecoder;
use thiserror::Error;

use crate::date;
use crate::extract::charset::decode_xml;
use crate::markup::{Scanner, Syntax, Token, decode, split_name};

#[cfg(test)]
mod tests;

/// Bytes of one field that are kept.
const MAX_FIELD: usize = 4_096;

/// How much is taken from one sitemap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Entries.
    pub entries: usize,
    /// Bytes, after decompression.
    pub bytes: usize,
}

impl Default for Limits {
    /// What the protocol allows.
    fn default() -> Self {
        Self { entries: 50_000, bytes: 50 << 20 }
    }
}

/// How often a page is said to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeFrequency {
    /// At each access.
    Always,
    /// Every hour.
    Hourly,
    /// Every day.
    Daily,
    /// Every week.
    Weekly,
    /// Every month.
    Monthly,
    /// Every year.
    Yearly,
    /// An archived page.
    Never,
}

impl ChangeFrequency {
    fn parse(text: &str) -> Option<Self> {
        Some(match text.to_ascii_lowercase().as_str() {
            "always" => Self::Always,
            "hourly" => Self::Hourly,
            "daily" => Self::Daily,
            "weekly" => Self::Weekly,
            "monthly" => Self::Monthly,
            "yearly" => Self::Yearly,
            "never" => Self::Never,
            _ => return None,
        })
    }
}

/// A page, or in an index a sitemap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// Its address as written.
    pub loc: String,
    /// When it is said to have changed last, in seconds since 1970.
    pub lastmod: Option<i64>,
    /// How often it is said to change.
    pub changefreq: Option<ChangeFrequency>,
    /// Its importance within the site, from 0 to 1.
    pub priority: Option<f32>,
}

/// Why a sitemap was not read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warning {
    /// It ends in the middle.
    Truncated,
    /// It has more entries than the limit.
    TooManyEntries,
    /// It has more bytes than the limit.
    TooLong,
}

/// What was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// Whether the entries are sitemaps rather than pages.
    pub is_index: bool,
    /// Entries handed over.
    pub entries: usize,
    /// Why the rest is missing, if it is.
    pub warning: Option<Warning>,
}

/// Why nothing was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SitemapError {
    /// Neither a sitemap nor a list of addresses.
    #[error("not a sitemap: give the address of an XML sitemap, a sitemap index or a list of addresses")]
    NotASitemap,
}

/// Reads a sitemap, compressed with gzip or not, and hands over its entries in order.
///
/// # Errors
/// If the bytes are no sitemap of any kind.
pub fn read(bytes: &[u8], limits: &Limits, take: impl FnMut(Entry)) -> Result<Report, SitemapError> {
    let mut unpacked = Vec::new();
    let mut warning = None;
    let mut bytes = bytes;
    if bytes.starts_with(&[0x1F, 0x8B]) {
        let room = limits.bytes as u64 + 1;
        if MultiGzDecoder::new(bytes).take(room).read_to_end(&mut unpacked).is_err() {
            warning = Some(Warning::Truncated);
        }
        bytes = &unpacked;
    }
    if bytes.len() > limits.bytes {
        bytes = &bytes[..limits.bytes];
        warning = Some(Warning::TooLong);
    }
    let text = decode_xml(bytes);
    let mut report = if text.trim_start().starts_with('<') {
        read_xml(&text, limits, take)?
    } else {
        read_list(&text, limits, take)?
    };
    report.warning = warning.or(report.warning);
    Ok(report)
}

/// One address per line.
fn read_list(text: &str, limits: &Limits, mut take: impl FnMut(Entry)) -> Result<Report, SitemapError> {
    let mut report = Report { is_index: false, entries: 0, warning: None };
    for line in text.lines().map(str::trim).filter(|line| is_address(line)) {
        if report.entries == limits.entries {
            report.warning = Some(Warning::TooManyEntries);
            break;
        }
        report.entries += 1;
        take(Entry { loc: line.to_owned(), ..Entry::default() });
    }
    if report.entries == 0 && !text.trim().is_empty() {
        return Err(SitemapError::NotASitemap);
    }
    Ok(report)
}

fn is_address(text: &str) -> bool {
    let has_scheme = |scheme: &str| text.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    text.len() <= MAX_FIELD && (has_scheme("http://") || has_scheme("https://"))
}

/// The fields of an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Loc,
    LastMod,
    ChangeFrequency,
    Priority,
}

impl Field {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "loc" => Self::Loc,
            "lastmod" => Self::LastMod,
            "changefreq" => Self::ChangeFrequency,
            "priority" => Self::Priority,
            _ => return None,
        })
    }
}

/// The entry in work.
struct Open<'a> {
    /// The prefix of its element: fields of other namespaces, such as `image:loc`, are not its own.
    prefix: &'a str,
    entry: Entry,
    field: Option<Field>,
    value: String,
}

impl Open<'_> {
    fn add(&mut self, text: &str) {
        if self.field.is_some() {
            let room = MAX_FIELD.saturating_sub(self.value.len());
            self.value.push_str(crate::extract::cut(text, room));
        }
    }

    fn end_field(&mut self) {
        let Some(field) = self.field.take() else { return };
        let value = self.value.trim();
        match field {
            Field::Loc => self.entry.loc = value.to_owned(),
            Field::LastMod => self.entry.lastmod = date::parse(value),
            Field::ChangeFrequency => self.entry.changefreq = ChangeFrequency::parse(value),
            Field::Priority => {
                self.entry.priority = value.parse().ok().filter(|priority| (0.0..=1.0).contains(priority));
            }
        }
        self.value.clear();
    }
}

fn read_xml(text: &str, limits: &Limits, mut take: impl FnMut(Entry)) -> Result<Report, SitemapError> {
    let mut scanner = Scanner::new(text, Syntax::Xml);
    let mut report = Report { is_index: false, entries: 0, warning: None };
    let mut root = None;
    let mut open: Option<Open> = None;
    let mut ended = false;
    while let Some(token) = scanner.next() {
        match token {
            Token::Open(name) => {
                let (prefix, local) = split_name(name);
                match (local, &mut open) {
                    ("urlset" | "sitemapindex", _) if root.is_none() => {
                        root = Some(name);
                        report.is_index = local == "sitemapindex";
                    }
                    _ if root.is_none() => return Err(SitemapError::NotASitemap),
                    ("url" | "sitemap", None) if !scanner.self_closing() => {
                        open = Some(Open { prefix, entry: Entry::default(), field: None, value: String::new() });
                    }
                    (_, Some(open)) if open.prefix == prefix && !scanner.self_closing() => {
                        open.end_field();
                        open.field = Field::of(local);
                    }
                    _ => {}
                }
            }
            Token::Text(text) => open.iter_mut().for_each(|open| open.add(&decode(text))),
            Token::Literal(text) => open.iter_mut().for_each(|open| open.add(text)),
            Token::Close(name) => {
                ended |= root == Some(name);
                let (_, local) = split_name(name);
                let Some(entry) = close(&mut open, local) else { continue };
                if report.entries == limits.entries {
                    report.warning = Some(Warning::TooManyEntries);
                    return Ok(report);
                }
                report.entries += 1;
                take(entry);
            }
        }
    }
    if root.is_none() {
        return Err(SitemapError::NotASitemap);
    }
    if scanner.truncated() || !ended {
        report.warning = Some(Warning::Truncated);
    }
    Ok(report)
}

/// Ends a field, or the entry, which is given if it has an address.
fn close(open: &mut Option<Open>, local: &str) -> Option<Entry> {
    if !matches!(local, "url" | "sitemap") {
        open.iter_mut().for_each(Open::end_field);
        return None;
    }
    let mut open = open.take()?;
    open.end_field();
    is_address(&open.entry.loc).then_some(open.entry)
}
