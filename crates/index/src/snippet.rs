//! The part of a page that shows why it was found. Plain text and ranges, never HTML.

use std::collections::HashMap;
use std::ops::Range;

use serde::Serialize;

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

/// A word of the query at a place of the text.
#[derive(Clone, Debug)]
struct Match {
    range: Range<usize>,
    word: usize,
}

/// Which terms belong to which word.
pub(crate) struct Wanted<'a> {
    terms: HashMap<&'a str, usize>,
    words: usize,
}

impl<'a> Wanted<'a> {
    pub(crate) fn new(words: &'a [Word]) -> Self {
        let pairs = words.iter().enumerate();
        let terms = pairs.flat_map(|(place, word)| word.terms.iter().map(move |term| (term.as_str(), place))).collect();
        Self { terms, words: words.len() }
    }

    /// Places of the words in a text. Ends early once all words stand within `width` bytes.
    fn find(&self, text: &str, language: Language, width: usize) -> Vec<Match> {
        let mut matches: Vec<Match> = Vec::new();
        if self.terms.is_empty() {
            return matches;
        }
        let mut last = vec![None; self.words];
        let mut tokens = Words::new(text, Form::Stem(language));
        while matches.len() < MOST_MATCHES
            && let Some(token) = tokens.next_token()
        {
            let Some(&word) = self.terms.get(token.text.as_str()) else { continue };
            let end = boundary(text, token.offset_to.min(token.offset_from + LONGEST_MATCH));
            matches.push(Match { range: token.offset_from..end, word });
            last[word] = Some(token.offset_from);
            let oldest = last.iter().copied().min().flatten();
            if oldest.is_some_and(|oldest| end.saturating_sub(oldest) <= width) {
                break;
            }
        }
        matches
    }
}

/// The best part of a body of about `width` bytes (at least as many characters as fit); else of the description, else the
/// beginning.
pub(crate) fn snippet(wanted: &Wanted<'_>, body: &str, description: &str, language: Language, width: usize) -> Snippet {
    let body = cut(body, MOST_BYTES);
    let matches = wanted.find(body, language, width);
    if !matches.is_empty() {
        return parts(body, &matches, width, wanted, language);
    }
    let text = if description.trim().is_empty() { body } else { description };
    let mut builder = Builder::default();
    builder.add(text, whole_words(text, 0..0, width));
    builder.finish(wanted, language)
}

/// One part with the most words; if some are missing, a second one that has them.
fn parts(text: &str, matches: &[Match], width: usize, wanted: &Wanted<'_>, language: Language) -> Snippet {
    let first = best_window(matches, width, &[]);
    let seen: Vec<usize> = matches[first.clone()].iter().map(|found| found.word).collect();
    let second = best_window(matches, width / 2, &seen);
    let gains = matches[second.clone()].iter().any(|found| !seen.contains(&found.word));
    let mut builder = Builder::default();
    if !gains {
        builder.add(text, whole_words(text, span(&matches[first]), width));
        return builder.finish(wanted, language);
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
    builder.finish(wanted, language)
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
        let mut matches = wanted.find(&self.text, language, 0);
        matches.sort_by_key(|found| found.range.start);
        for Match { range, .. } in matches {
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
