//! Did you mean: words of the index that look like one that finds little.

use std::collections::HashMap;

use tantivy::query::FuzzyTermQuery;
use tantivy::tokenizer::Token;
use tantivy::{Searcher, Term as IndexTerm};

use crate::analysis::{Form, query_tokens};
use crate::query::{Query, What};
use crate::schema::Fields;

/// Shorter words look like too many others.
const SHORTEST: usize = 4;
/// Words at least this long may have two mistakes.
const LONG: usize = 7;
/// A better word is on so many times the pages.
const CLEARLY_MORE: u64 = 10;
const MOST_WORDS: usize = 6;
const MOST_NEIGHBOURS: usize = 2_000;

/// Whether a word can be no better one for any: of a word that is long enough too much is missing, or it has digits.
pub(crate) fn is_useless(word: &str) -> bool {
    word.chars().nth(SHORTEST - 2).is_none() || word.bytes().any(|byte| byte.is_ascii_digit())
}

/// The query with likelier words; nothing if all its words are as good as any.
pub(crate) fn suggest(searcher: &Searcher, fields: &Fields, query: &Query) -> tantivy::Result<Option<Query>> {
    let mut better = query.clone();
    let mut looked_at = 0;
    let mut changed = false;
    for term in better.clauses.iter_mut().flat_map(|clause| &mut clause.alternatives) {
        let What::Word(text) = &mut term.what else { continue };
        if term.negated || looked_at == MOST_WORDS {
            continue;
        }
        looked_at += 1;
        if let Some(word) = likelier(searcher, fields, text)? {
            *text = word;
            changed = true;
        }
    }
    Ok(changed.then_some(better))
}

fn likelier(searcher: &Searcher, fields: &Fields, text: &str) -> tantivy::Result<Option<String>> {
    let [token]: [Token; 1] = query_tokens(text, Form::Surface, 2).try_into().unwrap_or_default();
    let word: String = token.text;
    let length = word.chars().count();
    if length < SHORTEST || is_useless(&word) {
        return Ok(None);
    }
    let term = IndexTerm::from_field_text(fields.surface, &word);
    let enough = (searcher.doc_freq(&term)? * CLEARLY_MORE).max(1);
    for distance in 1..=if length >= LONG { 2 } else { 1 } {
        let near = neighbours(searcher, &term, distance)?;
        let best = near.into_iter().filter(|(other, pages)| *other != word && *pages >= enough);
        let best = best.max_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0)));
        if let Some((word, _)) = best {
            return Ok(Some(word));
        }
    }
    Ok(None)
}

/// Words within some edits of a word, with the number of pages that have them.
fn neighbours(searcher: &Searcher, term: &IndexTerm, distance: u8) -> tantivy::Result<HashMap<String, u64>> {
    let mut near: HashMap<String, u64> = HashMap::new();
    for reader in searcher.segment_readers() {
        let index = reader.inverted_index(term.field())?;
        let automaton = FuzzyTermQuery::new(term.clone(), distance, true).automaton()?;
        let mut stream = index.terms().search(automaton).into_stream()?;
        let mut seen = 0;
        while seen < MOST_NEIGHBOURS && stream.advance() {
            seen += 1;
            if let Ok(word) = std::str::from_utf8(stream.key()) {
                *near.entry(word.to_owned()).or_default() += u64::from(stream.value().doc_freq);
            }
        }
    }
    Ok(near)
}
