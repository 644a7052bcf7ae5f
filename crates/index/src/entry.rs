//! What tantivy is given of a document.

use store::Document;
use tantivy::schema::document::{ReferenceValue, ReferenceValueLeaf};
use tantivy::schema::{Field, Value};

use crate::analysis::GAP;
use crate::schema::Fields;

/// Longest texts that are indexed and stored, in bytes.
const LONGEST_TITLE: usize = 1 << 10;
const LONGEST_URL: usize = 4 << 10;
const LONGEST_DESCRIPTION: usize = 4 << 10;
const LONGEST_HEADINGS: usize = 32 << 10;
const LONGEST_BODY: usize = 1 << 20;
/// As much of a body goes into the dictionary for did-you-mean.
const SURFACE_BODY: usize = 1 << 10;
const MOST_LABELS: usize = 12;

/// A value of a field, borrowed from the entry.
#[derive(Clone, Debug)]
pub(crate) enum Piece<'a> {
    Text(&'a str),
    Unsigned(u64),
    Signed(i64),
}

impl<'a> Value<'a> for Piece<'a> {
    type ArrayIter = std::iter::Empty<Self>;
    type ObjectIter = std::iter::Empty<(&'a str, Self)>;

    fn as_value(&self) -> ReferenceValue<'a, Self> {
        ReferenceValue::Leaf(match *self {
            Piece::Text(text) => ReferenceValueLeaf::Str(text),
            Piece::Unsigned(number) => ReferenceValueLeaf::U64(number),
            Piece::Signed(number) => ReferenceValueLeaf::I64(number),
        })
    }
}

/// The texts of a document, none too long.
pub(crate) struct Texts<'a> {
    title: &'a str,
    headings: String,
    description: &'a str,
    body: &'a str,
    url_words: String,
}

impl<'a> Texts<'a> {
    pub(crate) fn of(document: &'a Document) -> Self {
        Self {
            title: cut(&document.title, LONGEST_TITLE),
            headings: headings(&document.headings),
            description: cut(&document.description, LONGEST_DESCRIPTION),
            body: cut(&document.text, LONGEST_BODY),
            url_words: url_words(cut(&document.url, LONGEST_URL)),
        }
    }

    /// By [`Searched`](crate::schema::Searched).
    pub(crate) fn searched(&self) -> [&str; 5] {
        [self.title, &self.headings, self.description, self.body, cut(&self.url_words, LONGEST_URL)]
    }

    /// What goes into the dictionary for did-you-mean.
    pub(crate) fn written(&self) -> [&str; 4] {
        [self.title, &self.headings, self.description, self.body].map(|text| whole_words(text, SURFACE_BODY))
    }
}

/// What is stored of a document, and by which it is sorted and filtered.
pub(crate) struct Entry {
    fields: Fields,
    url: String,
    sites: Vec<String>,
    host: String,
    language: Option<String>,
    title: String,
    description: String,
    body: String,
    unsigned: [(Field, u64); 3],
    signed: Vec<(Field, i64)>,
}

impl Entry {
    pub(crate) fn new(mut document: Document, language: Option<String>, fields: &Fields) -> Self {
        let signed = moments(&document, fields);
        shorten(&mut document.url, LONGEST_URL);
        shorten(&mut document.title, LONGEST_TITLE);
        shorten(&mut document.description, LONGEST_DESCRIPTION);
        shorten(&mut document.text, LONGEST_BODY);
        Self {
            fields: *fields,
            sites: sites(&document.host),
            host: cut(&document.host, 255).to_owned(),
            language,
            unsigned: [
                (fields.page, u64::from(document.page.0)),
                (fields.links_in, u64::from(document.links_in)),
                (fields.depth, u64::from(document.depth)),
            ],
            signed,
            url: document.url,
            title: document.title,
            description: document.description,
            body: document.text,
        }
    }

    /// Bytes of memory its texts take.
    pub(crate) fn size(&self) -> usize {
        [&self.url, &self.title, &self.description, &self.body].map(String::capacity).into_iter().sum()
    }

    pub(crate) fn sites(&self) -> &[String] {
        &self.sites
    }

    pub(crate) fn language(&self) -> Option<&str> {
        self.language.as_deref()
    }
}

fn moments(document: &Document, fields: &Fields) -> Vec<(Field, i64)> {
    let date = document.published.unwrap_or(document.changed_at);
    let mut moments = vec![
        (fields.date, date.0),
        (fields.changed_at, document.changed_at.0),
        (fields.fetched_at, document.fetched_at.0),
    ];
    moments.extend(document.published.map(|published| (fields.published, published.0)));
    moments
}

impl tantivy::schema::document::Document for Entry {
    type Value<'a> = Piece<'a>;
    type FieldsValuesIter<'a> = std::vec::IntoIter<(Field, Piece<'a>)>;

    fn iter_fields_and_values(&self) -> Self::FieldsValuesIter<'_> {
        let fields = &self.fields;
        let mut pieces = Vec::with_capacity(16);
        pieces.extend(self.unsigned.iter().map(|(field, number)| (*field, Piece::Unsigned(*number))));
        pieces.extend(self.signed.iter().map(|(field, number)| (*field, Piece::Signed(*number))));
        pieces.push((fields.url, Piece::Text(&self.url)));
        pieces.push((fields.host, Piece::Text(&self.host)));
        pieces.extend(self.language.iter().map(|language| (fields.language, Piece::Text(language))));
        for (stored, text) in
            [(fields.title, &self.title), (fields.description, &self.description), (fields.body, &self.body)]
        {
            pieces.push((stored, Piece::Text(text)));
        }
        pieces.into_iter()
    }
}

/// The beginning of a text, at most so many bytes.
pub(crate) fn cut(text: &str, most: usize) -> &str {
    &text[..boundary(text, most)]
}

/// Cuts a text to at most so many bytes.
fn shorten(text: &mut String, most: usize) {
    text.truncate(boundary(text, most));
}

/// The beginning of a text, without what may be half a word at its end.
fn whole_words(text: &str, most: usize) -> &str {
    let beginning = cut(text, most);
    if beginning.len() == text.len() {
        return text;
    }
    beginning.rfind(char::is_whitespace).map_or(beginning, |end| &beginning[..end])
}

/// The last character boundary up to a place.
pub(crate) fn boundary(text: &str, place: usize) -> usize {
    let mut place = place.min(text.len());
    while !text.is_char_boundary(place) {
        place -= 1;
    }
    place
}

/// Headings as one text that no phrase crosses.
fn headings(headings: &[String]) -> String {
    let mut joined = String::new();
    for heading in headings {
        if joined.len() + heading.len() > LONGEST_HEADINGS {
            break;
        }
        joined.push_str(heading);
        joined.push(GAP);
    }
    joined
}

/// The words of an address: no scheme, escapes decoded.
fn url_words(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    if !rest.contains('%') {
        return rest.to_owned();
    }
    let mut bytes = Vec::with_capacity(rest.len());
    let mut left = rest.as_bytes();
    while let Some((&byte, after)) = left.split_first() {
        let code = after.get(..2).filter(|_| byte == b'%').and_then(|code| std::str::from_utf8(code).ok());
        let decoded = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(decoded.unwrap_or(byte));
        left = if decoded.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A host and the domains above it: what `site:` finds it by.
pub(crate) fn sites(host: &str) -> Vec<String> {
    let host = cut(host, 255).to_ascii_lowercase();
    let bare = match host.rsplit_once(':') {
        Some((bare, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => bare,
        _ => &host,
    };
    let mut sites = vec![bare.to_owned()];
    let mut rest = bare;
    while let Some((_, above)) = rest.split_once('.')
        && sites.len() < MOST_LABELS
    {
        sites.push(above.to_owned());
        rest = above;
    }
    if bare.len() < host.len() {
        sites.push(host.clone());
    }
    sites
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_is_cut() {
        assert_eq!(whole_words("the lighthouse", 11), "the");
        assert_eq!(whole_words("the lighthouse", 14), "the lighthouse");
        assert_eq!(whole_words("東京都庁", 7), "東京");
        assert_eq!(whole_words("", 3), "");
    }
}
