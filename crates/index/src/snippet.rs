//! The part of a page that shows why it was found. Plain text and ranges, never HTML.

use std::collections::HashMap;
use std::ops::Range;

use serde::Serialize;
use tantivy::tokenizer::Token;

use crate::analysis::{Form, Language, Words};
use crate::entry::{boundary, cut};
use crate::plan::Word;

#[cfg(test)]
mod tests;

/// So much of a body is looked at.
const MOST_BYTES: usize = 128 << 10;
const MOST_MATCHES: usize = 1_000;
/// Longer words are highlighted at their beginning only.
const LONGEST_MATCH: usize = 128;
/// Between two parts, and where text was left out.
const ELLIPSIS: &str = "…";

/// Text from a page with the words that were searched for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Snippet {
    /// Plain text, in one line.
    pub text: String,
    /// Byte ranges of `text` to be highlighted: in order, apart, on character boundaries.
    pub highlights: Vec<Range<usize>>,
}

/// What a snippet is made from.
pub(crate) struct Page<'a> {
    pub(crate) body: &'a str,
    pub(crate) description: &'a str,
    pub(crate) language: Language,
    /// Positions in the body of the words asked for, in order, with the number of the word.
    pub(crate) places: Vec<(u32, usize)>,
}

/// A word of the query at a place of the text.
#[derive(Clone, Debug)]
struct Match {
    range: Range<usize>,
    word: usize,
}

/// Which terms belong to which word.
pub(crate) struct Wanted<'a> {
    terms: HashMap<&'a str, usize>,
}

impl<'a> Wanted<'a> {
    pub(crate) fn new(words: &'a [Word]) -> Self {
        let pairs = words.iter().enumerate();
        let terms = pairs.flat_map(|(place, word)| word.terms.iter().map(move |term| (term.as_str(), place))).collect();
        Self { terms }
    }

    /// Ranges of the words in a short text.
    fn find(&self, text: &str, language: Language) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let mut tokens = Words::new(text, Form::Stem(language));
        while let Some(token) = tokens.next_token() {
            if self.terms.contains_key(token.text.as_str()) {
                ranges.push(range_of(token, text));
            }
        }
        ranges.sort_by_key(|range| range.start);
        ranges
    }
}

fn range_of(token: &Token, text: &str) -> Range<usize> {
    token.offset_from..boundary(text, token.offset_to.min(token.offset_from + LONGEST_MATCH))
}

/// Finds the words of the query in a text by their positions, so that nothing need be stemmed. Ends early once all words
/// stand within `width` bytes.
fn locate(text: &str, places: &[(u32, usize)], width: usize) -> Vec<Match> {
    let mut matches: Vec<Match> = Vec::new();
    let words = places.iter().map(|place| place.1 + 1).max().unwrap_or(0);
    let mut last: Vec<Option<usize>> = vec![None; words];
    let absent = (0..words).filter(|word| !places.iter().any(|place| place.1 == *word)).collect::<Vec<_>>();
    absent.iter().for_each(|&word| last[word] = Some(usize::MAX));
    let mut left = places.iter().peekable();
    let mut tokens = Words::new(text, Form::Stem(Language::NONE));
    while left.peek().is_some()
        && matches.len() < MOST_MATCHES
        && let Some(token) = tokens.next_token()
    {
        if token.position_length == 2 {
            continue;
        }
        while let Some(&(_, word)) = left.next_if(|place| place.0 as usize <= token.position) {
            let range = range_of(token, text);
            last[word] = Some(range.start);
            let oldest = last.iter().min().copied().flatten();
            let near = oldest.is_some_and(|oldest| range.end.saturating_sub(oldest) <= width);
            matches.push(Match { range, word });
            if near {
                return matches;
            }
        }
    }
    matches
}

/// The best part of a body of about `width` bytes (at least as many characters as fit); else of the description, else the
/// beginning.
pub(crate) fn snippet(page: &Page<'_>, wanted: &Wanted<'_>, width: usize) -> Snippet {
    let body = cut(page.body, MOST_BYTES);
    let matches = locate(body, &page.places, width);
    let mut builder = Builder::default();
    if matches.is_empty() {
        let text = if page.description.trim().is_empty() { body } else { page.description };
        builder.add(text, whole_words(text, 0..0, width));
    } else {
        parts(&mut builder, body, &matches, width);
    }
    builder.finish(wanted, page.language)
}

/// One part with the most words; if some are missing, a second one that has them.
fn parts(builder: &mut Builder, text: &str, matches: &[Match], width: usize) {
    let first = best_window(matches, width, &[]);
    let seen: Vec<usize> = matches[first.clone()].iter().map(|found| found.word).collect();
    let second = best_window(matches, width / 2, &seen);
    let gains = matches[second.clone()].iter().any(|found| !seen.contains(&found.word));
    if !gains {
        return builder.add(text, whole_words(text, span(&matches[first]), width));
    }
    let first = best_window(matches, width / 2, &[]);
    let mut ranges = [first, second].map(|window| whole_words(text, span(&matches[window]), width / 2));
    ranges.sort_by_key(|range| range.start);
    let [one, two] = ranges;
    if two.start <= one.end {
        builder.add(text, one.start..two.end.max(one.end));
    } else {
        builder.add(text, one);
        builder.add(text, two);
    }
}

fn span(matches: &[Match]) -> Range<usize> {
    let start = matches.first().map_or(0, |found| found.range.start);
    start..matches.last().map_or(start, |found| found.range.end)
}

/// The stretch of matches at most `width` bytes long with the most words that were not seen yet, then the most matches.
fn best_window(matches: &[Match], width: usize, seen: &[usize]) -> Range<usize> {
    let mut best = 0..1;
    let mut most = (0, 0);
    let mut start = 0;
    for end in 0..matches.len() {
        while matches[end].range.end.saturating_sub(matches[start].range.start) > width && start < end {
            start += 1;
        }
        let window = &matches[start..=end];
        let mut words: Vec<usize> = window.iter().rev().take(32).map(|found| found.word).collect();
        words.sort_unstable();
        words.dedup();
        let count = (words.iter().filter(|word| !seen.contains(word)).count(), window.len());
        if count > most {
            most = count;
            best = start..end + 1;
        }
    }
    best
}

/// Widens a range to about `width` bytes with about as much before as after, and to whole words.
fn whole_words(text: &str, range: Range<usize>, width: usize) -> Range<usize> {
    let spare = width.saturating_sub(range.len());
    let lead = (spare / 3).min(range.start);
    let start = boundary(text, range.start - lead);
    let end = boundary(text, range.end + spare - lead);
    word_start(text, start, range.start)..word_end(text, end, range.end)
}

/// The first place from `start` on at which a word begins, but not beyond `limit`.
fn word_start(text: &str, start: usize, limit: usize) -> usize {
    if start == 0 || text[..start].ends_with(char::is_whitespace) {
        return start;
    }
    text[start..limit].find(char::is_whitespace).map_or(start, |space| start + space)
}

/// The last place up to `end` at which a word ends, but not before `limit`.
fn word_end(text: &str, end: usize, limit: usize) -> usize {
    if end == text.len() || text[end..].starts_with(char::is_whitespace) {
        return end;
    }
    text[limit..end].rfind(char::is_whitespace).map_or(end, |space| limit + space)
}

/// Puts parts together.
#[derive(Default)]
struct Builder {
    text: String,
}

impl Builder {
    /// Adds a part of a text, white space and control characters as single spaces.
    fn add(&mut self, text: &str, range: Range<usize>) {
        let part = &text[range.clone()];
        let leads = text[..range.start].chars().any(|c| !is_blank(c));
        if leads && !self.text.ends_with(ELLIPSIS) {
            self.text.push_str(if self.text.is_empty() { "" } else { " " });
            self.text.push_str(ELLIPSIS);
        }
        for word in part.split(is_blank).filter(|word| !word.is_empty()) {
            if !self.text.is_empty() && !self.text.ends_with(ELLIPSIS) {
                self.text.push(' ');
            }
            self.text.push_str(word);
        }
        if text[range.end..].chars().any(|c| !is_blank(c)) {
            self.text.push_str(ELLIPSIS);
        }
    }

    /// Finds the words again in the finished text.
    fn finish(self, wanted: &Wanted<'_>, language: Language) -> Snippet {
        let mut highlights: Vec<Range<usize>> = Vec::new();
        for range in wanted.find(&self.text, language) {
            match highlights.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => highlights.push(range),
            }
        }
        Snippet { text: self.text, highlights }
    }
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}
