//! From text to terms.
//!
//! Text is cut at Unicode word boundaries (much like UAX 29, but apostrophes, dots and underscores also part words, so that
//! `l'avion`, `3.14` and `os_path` are found by their parts). A word is lower-cased, stemmed by the rules of the document's
//! language, and then stripped of its accents; where a word typed without accents would become another term, that one is there
//! as well. Scripts without spaces (Chinese, Japanese, Korean, Thai...) become
//! characters and pairs of characters. Documents, queries and snippets all pass through here, so they always agree.

mod chars;
mod language;
mod plain;
mod sequence;
mod stem;
#[cfg(test)]
mod tests;
mod vocabulary;
mod words;

pub(crate) use language::{Language, clean_code};
pub(crate) use sequence::TermSequence;
pub(crate) use vocabulary::Vocabulary;
pub(crate) use words::{Form, GAP, Words};

use tantivy::tokenizer::Token;

/// Words are cut to this many bytes.
pub(crate) const LONGEST_WORD: usize = 64;

/// A term has at most this many bytes: stripping accents can make a word longer (`ß`).
const MOST_TERM_BYTES: usize = 3 * LONGEST_WORD;

/// The terms of a query's word or phrase, one for each position: pairs of characters stand for the characters they cover.
pub(crate) fn query_tokens(text: &str, form: Form, most: usize) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut words = Words::new(text, form);
    while tokens.len() < 2 * most
        && let Some(token) = words.next_token()
    {
        tokens.push(token.clone());
    }
    let pairs: Vec<(usize, usize)> = tokens
        .iter()
        .filter(|token| token.position_length == 2)
        .map(|token| (token.position, token.position + 1))
        .collect();
    tokens.retain(|token| {
        token.position_length == 2
            || !pairs.iter().any(|&(first, second)| token.position == first || token.position == second)
    });
    tokens.sort_by_key(|token| token.position);
    tokens.dedup_by_key(|token| token.position);
    tokens.truncate(most);
    tokens
}

/// A text without accents.
pub(crate) fn without_accents(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    chars::push_folded(&text.to_lowercase(), &mut folded);
    folded
}
