//! Words of the index that begin as what is being typed.

use std::cmp::Reverse;
use std::collections::HashMap;

use tantivy::Searcher;

use crate::analysis::{Form, query_tokens};
use crate::schema::Fields;

/// Words looked at in each segment. With a letter or two there are more; then the first of the alphabet are as good as any.
const MOST_LOOKED_AT: usize = 20_000;

/// The text with its last word completed: the words on most pages first.
pub(crate) fn complete(searcher: &Searcher, fields: &Fields, text: &str, most: usize) -> tantivy::Result<Vec<String>> {
    let word = text.rsplit(char::is_whitespace).next().unwrap_or_default();
    let before = &text[..text.len() - word.len()];
    let tokens = query_tokens(word, Form::Surface, 2);
    // What is more than one word, or an operator, cannot be completed.
    let [token] = tokens.as_slice() else { return Ok(Vec::new()) };
    if word.contains([':', '"']) {
        return Ok(Vec::new());
    }
    let prefix = token.text.as_str();
    let mut words: Vec<(String, u64)> = beginning_with(searcher, fields, prefix)?.into_iter().collect();
    words.sort_unstable_by(|a, b| (Reverse(a.1), &a.0).cmp(&(Reverse(b.1), &b.0)));
    Ok(words
        .into_iter()
        .filter(|(found, _)| *found != prefix)
        .take(most)
        .map(|(found, _)| format!("{before}{found}"))
        .collect())
}

/// Words with this beginning, and the number of pages that have them.
fn beginning_with(searcher: &Searcher, fields: &Fields, prefix: &str) -> tantivy::Result<HashMap<String, u64>> {
    let mut words: HashMap<String, u64> = HashMap::new();
    for reader in searcher.segment_readers() {
        let index = reader.inverted_index(fields.surface)?;
        let mut stream = index.terms().range().ge(prefix.as_bytes()).into_stream()?;
        let mut seen = 0;
        while seen < MOST_LOOKED_AT && stream.advance() && stream.key().starts_with(prefix.as_bytes()) {
            seen += 1;
            if let Ok(word) = std::str::from_utf8(stream.key()) {
                *words.entry(word.to_owned()).or_default() += u64::from(stream.value().doc_freq);
            }
        }
    }
    Ok(words)
}
