//! A document on its way into tantivy.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use store::Document;
use tantivy::schema::document::{ReferenceValue, ReferenceValueLeaf};
use tantivy::schema::{Field, Value};

use crate::analysis::{Compiler, GAP, Language, clean_code};
use crate::schema::Fields;
use crate::suggest;

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

/// What one document becomes.
pub(crate) struct Entry {
    fields: Fields,
    url: String,
    sites: Vec<String>,
    host: String,
    language: Option<String>,
    title: String,
    description: String,
    body: String,
    /// Terms by [`Searched`](crate::schema::Searched), and words as written: compiled.
    terms: [String; 5],
    surface: String,
    unsigned: [(Field, u64); 3],
    signed: Vec<(Field, i64)>,
    _place: Place,
}

impl Entry {
    pub(crate) fn new(document: &Document, fields: &Fields, compiler: &mut Compiler, pipe: &Arc<Pipe>) -> Self {
        let language = document.language.as_deref().and_then(clean_code);
        let stemmed = language.as_deref().map_or(Language::NONE, Language::from_code);
        let title = cut(&document.title, LONGEST_TITLE);
        let description = cut(&document.description, LONGEST_DESCRIPTION);
        let body = cut(&document.text, LONGEST_BODY);
        let (headings, url) = (headings(&document.headings), cut(&document.url, LONGEST_URL));
        let terms = [title, &headings, description, body, cut(&url_words(url), LONGEST_URL)]
            .map(|text| compiler.stems(text, stemmed));
        let written = [title, &headings, description, body].map(|text| cut(text, SURFACE_BODY));
        let surface = compiler.surface(written, suggest::is_useless);
        let size = terms.iter().map(String::len).sum::<usize>() + surface.len() + body.len() + 1024;
        Self {
            fields: *fields,
            url: url.to_owned(),
            sites: sites(&document.host),
            host: cut(&document.host, 255).to_owned(),
            language,
            title: title.to_owned(),
            description: description.to_owned(),
            body: body.to_owned(),
            terms,
            surface,
            unsigned: [
                (fields.page, u64::from(document.page.0)),
                (fields.links_in, u64::from(document.links_in)),
                (fields.depth, u64::from(document.depth)),
            ],
            signed: moments(document, fields),
            _place: pipe.enter(size),
        }
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
        let mut pieces = Vec::with_capacity(32);
        pieces.extend(self.unsigned.iter().map(|(field, number)| (*field, Piece::Unsigned(*number))));
        pieces.extend(self.signed.iter().map(|(field, number)| (*field, Piece::Signed(*number))));
        pieces.push((fields.url, Piece::Text(&self.url)));
        pieces.push((fields.host, Piece::Text(&self.host)));
        pieces.extend(self.sites.iter().map(|site| (fields.site, Piece::Text(site))));
        pieces.extend(self.language.iter().map(|language| (fields.language, Piece::Text(language))));
        for (stored, text) in
            [(fields.title, &self.title), (fields.description, &self.description), (fields.body, &self.body)]
        {
            pieces.push((stored, Piece::Text(text)));
        }
        pieces.extend(fields.terms.iter().zip(&self.terms).map(|(field, terms)| (*field, Piece::Text(terms))));
        pieces.push((fields.surface, Piece::Text(&self.surface)));
        pieces.into_iter()
    }
}

/// The beginning of a text, at most so many bytes.
pub(crate) fn cut(text: &str, most: usize) -> &str {
    &text[..boundary(text, most)]
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

/// Counts the bytes that wait for tantivy's worker, so that they stay few however large documents are.
pub(crate) struct Pipe {
    waiting: Mutex<usize>,
    left: Condvar,
    most: usize,
}

impl Pipe {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { waiting: Mutex::new(0), left: Condvar::new(), most })
    }

    /// Waits for room. A worker that has died leaves no room; then the writer reports it, so the wait ends.
    fn enter(self: &Arc<Self>, size: usize) -> Place {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let full = |waiting: &mut usize| *waiting > 0 && *waiting + size > self.most;
        let wait = self.left.wait_timeout_while(waiting, Duration::from_secs(30), full);
        let (mut waiting, _) = wait.unwrap_or_else(PoisonError::into_inner);
        *waiting += size;
        Place { pipe: Arc::clone(self), size }
    }
}

/// Room taken in the pipe; given back when the document has been indexed.
struct Place {
    pipe: Arc<Pipe>,
    size: usize,
}

impl Drop for Place {
    fn drop(&mut self) {
        *self.pipe.waiting.lock().unwrap_or_else(PoisonError::into_inner) -= self.size;
        self.pipe.left.notify_all();
    }
}
