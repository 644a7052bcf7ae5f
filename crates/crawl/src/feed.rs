//! RSS (0.9x, 1.0, 2.0) and Atom feeds: which pages are new, and where changes are announced (WebSub).

use thiserror::Error;

use crate::date;
use crate::extract::charset::decode_xml;
use crate::extract::cut;
use crate::markup::{Scanner, Syntax, Token, decode, decode_attribute, split_name};

#[cfg(test)]
mod tests;

/// Bytes of one field that are kept.
const MAX_FIELD: usize = 4_096;

/// How much is taken from one feed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Entries.
    pub entries: usize,
    /// Bytes.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entries: 1_000, bytes: 8 << 20 }
    }
}

/// An entry of a feed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its page, as written.
    pub link: String,
    /// When it was changed last, in seconds since 1970.
    pub updated: Option<i64>,
    /// When it was published, in seconds since 1970.
    pub published: Option<i64>,
}

/// What was found in a feed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Feed {
    /// Entries that link to a page, in order.
    pub entries: Vec<Entry>,
    /// The WebSub hub that announces changes.
    pub hub: Option<String>,
    /// The feed's own address, the topic to subscribe to.
    pub self_link: Option<String>,
    /// When the feed as a whole was changed last, in seconds since 1970.
    pub updated: Option<i64>,
    /// Whether the document was read to its end.
    pub complete: bool,
}

/// Why nothing was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FeedError {
    /// Neither RSS nor Atom.
    #[error("not a feed: give the address of an RSS or Atom document")]
    NotAFeed,
}

/// Reads a feed. A broken tail does not spoil what comes before it.
///
/// # Errors
/// If the document is neither RSS nor Atom.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Feed, FeedError> {
    let text = decode_xml(&bytes[..bytes.len().min(limits.bytes)]);
    let mut reader = Reader {
        scanner: Scanner::new(&text, Syntax::Xml),
        feed: Feed::default(),
        entry: None,
        field: None,
        value: String::new(),
    };
    let root = reader.run(limits.entries);
    let mut feed = reader.feed;
    feed.complete &= bytes.len() <= limits.bytes;
    if root { Ok(feed) } else { Err(FeedError::NotAFeed) }
}

/// The fields that are read, of the feed and of its entries.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    Link,
    Id,
    Published,
    Updated,
    /// Content that may look like anything.
    Content,
}

impl Field {
    fn of(local: &str) -> Option<Self> {
        Some(match local {
            "link" => Self::Link,
            "guid" => Self::Id,
            "pubDate" | "published" | "issued" | "date" | "created" => Self::Published,
            "updated" | "modified" | "lastBuildDate" => Self::Updated,
            "content" | "summary" | "description" | "encoded" => Self::Content,
            _ => return None,
        })
    }
}

struct Reader<'a> {
    scanner: Scanner<'a>,
    feed: Feed,
    entry: Option<Entry>,
    /// The field in work, with the name of its element.
    field: Option<(Field, &'a str)>,
    value: String,
}

impl<'a> Reader<'a> {
    /// Reads all; whether the root is that of a feed.
    fn run(&mut self, max_entries: usize) -> bool {
        let mut root = None;
        while let Some(token) = self.scanner.next() {
            match token {
                Token::Open(name) if root.is_none() => {
                    let (_, local) = split_name(name);
                    if !matches!(local, "rss" | "RDF" | "feed" | "channel") {
                        return false;
                    }
                    root = Some(name);
                }
                Token::Open(name) => self.open(name),
                Token::Text(text) => self.add(&decode(text)),
                Token::Literal(text) => self.add(text),
                Token::Close(name) => {
                    self.feed.complete |= root == Some(name);
                    self.close(name);
                    if self.feed.entries.len() >= max_entries {
                        return true;
                    }
                }
            }
        }
        root.is_some()
    }

    fn add(&mut self, text: &str) {
        if self.field.is_some_and(|(field, _)| field != Field::Content) {
            self.value.push_str(cut(text, MAX_FIELD.saturating_sub(self.value.len())));
        }
    }

    fn open(&mut self, name: &'a str) {
        if matches!(self.field, Some((Field::Content, _))) {
            return;
        }
        let (_, local) = split_name(name);
        if matches!(local, "item" | "entry") {
            let about = self.scanner.attribute("rdf:about").map(|about| decode_attribute(about).into_owned());
            self.entry = Some(Entry { link: about.unwrap_or_default(), ..Entry::default() });
            return;
        }
        // The image and text input of a channel have links of their own.
        let Some(field) = Field::of(local)
            .or(matches!(local, "image" | "textInput" | "textinput" | "source").then_some(Field::Content))
        else {
            return;
        };
        if field == Field::Link && self.scanner.attribute("href").is_some() {
            return self.atom_link();
        }
        let is_not_address = |value: &str| value.trim().eq_ignore_ascii_case("false");
        if field == Field::Id && self.scanner.attribute("isPermaLink").is_some_and(is_not_address) {
            return;
        }
        if !self.scanner.self_closing() {
            self.value.clear();
            self.field = Some((field, name));
        }
    }

    /// `<link href=... rel=...>` of Atom, also inside RSS.
    fn atom_link(&mut self) {
        let Some(href) = self.scanner.attribute("href").map(decode_attribute) else { return };
        if href.is_empty() || href.len() > MAX_FIELD {
            return;
        }
        let rel = self.scanner.attribute("rel").unwrap_or("alternate").trim();
        let rel = rel.strip_prefix("http://www.iana.org/assignments/relation/").unwrap_or(rel);
        match (&mut self.entry, rel) {
            (Some(entry), "alternate") if entry.link.is_empty() => entry.link = href.into_owned(),
            (None, "hub") => {
                self.feed.hub.get_or_insert(href.into_owned());
            }
            (None, "self") => {
                self.feed.self_link.get_or_insert(href.into_owned());
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str) {
        if let Some((field, open)) = self.field {
            if open != name {
                return;
            }
            self.field = None;
            self.take_field(field);
            return;
        }
        let (_, local) = split_name(name);
        if matches!(local, "item" | "entry") {
            let complete = self.entry.take().filter(|entry| !entry.link.is_empty());
            self.feed.entries.extend(complete);
        }
    }

    fn take_field(&mut self, field: Field) {
        let value = self.value.trim();
        let Some(entry) = &mut self.entry else {
            if field == Field::Updated {
                self.feed.updated = date::parse(value);
            }
            return;
        };
        match field {
            Field::Link if !value.is_empty() => entry.link = value.to_owned(),
            Field::Id if entry.link.is_empty() && value.starts_with("http") => entry.link = value.to_owned(),
            Field::Published => entry.published = entry.published.or(date::parse(value)),
            Field::Updated => entry.updated = entry.updated.or(date::parse(value)),
            Field::Link | Field::Id | Field::Content => {}
        }
    }
}
