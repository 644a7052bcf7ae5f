//! Text that can be read and searched: sentences from templates, with the words of the page's subject.

mod words;

use std::fmt::Write as _;

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_pcg::Pcg64Mcg;

use crate::random::{Stream, rng};
use crate::world::PageNumber;
use words::{
    ADJECTIVES, ENDINGS, MONTHS, PEOPLE, PLACES, SECTIONS, STARTS, SUBJECTS, Subject, TEMPLATES, UNITS, VERBS,
};

/// Bytes of a paragraph, on average, with its tags.
const PARAGRAPH: f64 = 235.0;

/// Bytes of everything else on a page, roughly.
const FRAME: f64 = 750.0;

/// How many paragraphs make a page of about this size.
pub(crate) fn paragraphs_for(size: f64) -> u32 {
    ((size - FRAME) / PARAGRAPH).round().max(1.0) as u32
}

/// What a page is about, which never changes.
pub(crate) struct Theme {
    subject: &'static Subject,
    adjective: &'static str,
    noun: &'static str,
    name: String,
}

impl Theme {
    pub(crate) fn of(seed: u64, page: PageNumber) -> Self {
        let mut rng = rng(seed, Stream::Titles, u64::from(page.0), 0);
        let subject = &SUBJECTS[rng.random_range(0..SUBJECTS.len())];
        let (adjective, noun) = (pick(&mut rng, ADJECTIVES), pick(&mut rng, subject.nouns));
        Self { subject, adjective, noun, name: name(&mut rng) }
    }

    /// `The amber harbour of Velmora`
    pub(crate) fn title(&self) -> String {
        format!("The {} {} of {}", self.adjective, self.noun, self.name)
    }

    /// Its subject: `shipping`.
    pub(crate) fn subject(&self) -> &'static str {
        self.subject.name
    }

    /// The heading of a part of the page.
    pub(crate) fn heading(&self, number: u32) -> String {
        let noun = self.subject.nouns[(number as usize * 5 + 1) % self.subject.nouns.len()];
        format!("{} the {noun}", SECTIONS[number as usize % SECTIONS.len()])
    }
}

/// The part of a page's address that tells people what it is about: `amber-harbour`.
pub(crate) fn slug(seed: u64, page: PageNumber) -> String {
    let theme = Theme::of(seed, page);
    format!("{}-{}", theme.adjective, theme.noun)
}

/// One paragraph as it was written at a version of its page: one sentence to five.
pub(crate) fn paragraph(text: &mut String, seed: u64, page: PageNumber, theme: &Theme, place: u32, version: u64) {
    // The key of a version of a paragraph is its own for up to 2^20 paragraphs, more than a page can have.
    let key = (version << 20) | u64::from(place);
    let mut rng = rng(seed, Stream::Paragraphs, u64::from(page.0), key);
    for sentence in 0..rng.random_range(1..=5) {
        if sentence > 0 {
            text.push(' ');
        }
        write_sentence(text, &mut rng, theme);
    }
}

/// A few words about a host, which never change.
pub(crate) fn about_site(seed: u64, host: u64) -> (String, String) {
    let mut rng = rng(seed, Stream::Sites, host, 0);
    let (name, place) = (name(&mut rng), pick(&mut rng, PLACES));
    let (first, second) = (pick(&mut rng, ADJECTIVES), pick(&mut rng, PEOPLE));
    let about = format!(
        "Notes from {name} {place}, kept by {} {first} {second}. Every page here is rewritten now and then.",
        article(first)
    );
    (format!("{name} {place}"), about)
}

fn article(word: &str) -> &'static str {
    if word.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

fn write_sentence(text: &mut String, rng: &mut Pcg64Mcg, theme: &Theme) {
    let start = text.len();
    let mut parts = pick(rng, TEMPLATES).split('%');
    text.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (mut letters, at) = (part.chars(), text.len());
        write_slot(text, rng, theme, letters.next().unwrap_or(' '));
        mend_article(text, start, at);
        text.push_str(letters.as_str());
    }
    if let Some(first) = text.get_mut(start..=start) {
        first.make_ascii_uppercase();
    }
}

/// `a archivist` becomes `an archivist`; the sentence begins at `start`, the word at `at`.
fn mend_article(text: &mut String, start: usize, at: usize) {
    let is_article = text[..at].ends_with(" a ") || &text[start..at] == "a ";
    if is_article && text[at..].starts_with(['a', 'e', 'i', 'o', 'u']) {
        text.insert(at - 1, 'n');
    }
}

fn write_slot(text: &mut String, rng: &mut Pcg64Mcg, theme: &Theme, slot: char) {
    let number = |text: &mut String, number: u32| {
        // Writing to a string cannot fail.
        _ = write!(text, "{number}");
    };
    match slot {
        'n' => text.push_str(pick(rng, theme.subject.nouns)),
        'v' => text.push_str(pick(rng, theme.subject.verbs)),
        'w' => text.push_str(pick(rng, VERBS)),
        'a' => text.push_str(pick(rng, ADJECTIVES)),
        'r' => text.push_str(pick(rng, PEOPLE)),
        'p' => text.push_str(pick(rng, PLACES)),
        'u' => text.push_str(pick(rng, UNITS)),
        'm' => text.push_str(pick(rng, MONTHS)),
        'T' => text.push_str(&theme.name),
        'N' => push_name(text, rng),
        'd' => number(text, rng.random_range(2..990)),
        'y' => number(text, rng.random_range(1790..2027)),
        _ => {}
    }
}

fn name(rng: &mut Pcg64Mcg) -> String {
    let mut text = String::new();
    push_name(&mut text, rng);
    text
}

/// A name of a person or place that there is not: 16,450 of them.
fn push_name(text: &mut String, rng: &mut Pcg64Mcg) {
    text.push_str(pick(rng, STARTS));
    text.push_str(pick(rng, ENDINGS));
}

fn pick(rng: &mut Pcg64Mcg, words: &'static [&'static str]) -> &'static str {
    words.choose(rng).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests;
