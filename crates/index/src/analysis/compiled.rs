//! A text on its way into tantivy: every term once, with all its places.
//!
//! Tantivy's writer looks every token up in a table of all terms of a segment, which rarely is in the cache of the processor. A
//! text that names each of its terms once, with all places together, is written several times as fast, and each word is stemmed
//! once. So texts are compiled before they reach the writer, and [`Terms`] gives their tokens term by term. That is a string, since
//! the writer takes strings only: for each term its length, itself, how often it occurs, and the steps from place to place;
//! numbers have six bits to a character.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rapidhash::fast::RandomState;
use tantivy::tokenizer::{Token, TokenStream};

use super::MOST_TERM_BYTES;
use super::language::Language;
use super::stem::{push_stem, unaccented};
use super::words::{Form, Words};

/// Words that are remembered from text to text; then all are forgotten.
const MOST_WORDS: usize = 1 << 16;
/// Occurrences for which room is kept from one text to the next.
const USUAL_TOKENS: usize = 1 << 16;

/// Distinct texts, each with a value.
struct Distinct<V> {
    /// All texts, one after the other.
    texts: String,
    /// Where each ends, its hash and its value.
    entries: Vec<(u32, u64, V)>,
    numbers: HashTable<u32>,
}

impl<V> Distinct<V> {
    fn new() -> Self {
        Self { texts: String::new(), entries: Vec::new(), numbers: HashTable::new() }
    }

    fn text(&self, number: u32) -> &str {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.entries[before].0);
        &self.texts[start as usize..self.entries[number].0 as usize]
    }

    #[inline]
    fn find(&self, text: &str, hash: u64, fits: impl Fn(&V) -> bool) -> Option<u32> {
        let is_it = |number: &u32| {
            let (_, known, value) = &self.entries[*number as usize];
            *known == hash && fits(value) && self.text(*number) == text
        };
        self.numbers.find(hash, is_it).copied()
    }

    fn add(&mut self, text: &str, hash: u64, value: V) -> u32 {
        let number = self.entries.len() as u32;
        self.texts.push_str(text);
        self.entries.push((self.texts.len() as u32, hash, value));
        let Self { entries, numbers, .. } = self;
        numbers.insert_unique(hash, number, |known| entries[*known as usize].1);
        number
    }
}

/// Where a term occurs in the text of this number.
#[derive(Clone, Copy, Default)]
struct Places {
    text: u32,
    first: u32,
    last: u32,
    count: u32,
}

/// The terms by which a word of a language is found.
#[derive(Clone, Copy)]
struct Word {
    language: Language,
    terms: [Option<u32>; 2],
}

/// Makes texts ready for tantivy's writer. Words are remembered with their terms, since most words of a text are in others too.
pub(crate) struct Compiler {
    random: RandomState,
    words: Distinct<Word>,
    terms: Distinct<Places>,
    /// The number of the text in work.
    text: u32,
    /// Its terms.
    found: Vec<u32>,
    /// The position of each occurrence, and the next one of the same term.
    occurrences: Vec<(u32, u32)>,
}

impl Compiler {
    pub(crate) fn new() -> Self {
        Self {
            random: RandomState::new(),
            words: Distinct::new(),
            terms: Distinct::new(),
            text: 1,
            found: Vec::new(),
            occurrences: Vec::new(),
        }
    }

    /// The stems of a text, with all their positions.
    pub(crate) fn stems(&mut self, text: &str, language: Language) -> String {
        let mut words = Words::new(text, Form::Whole);
        while words.advance() {
            let position = words.token().position as u32;
            let terms = match words.is_dense() {
                true => [Some(self.term(words.text())), None],
                false => self.terms_of(words.text(), language),
            };
            terms.into_iter().flatten().for_each(|term| self.place(term, position));
        }
        self.finish()
    }

    /// The words of texts as they are written, each once and without positions, but for those that `skip` says.
    pub(crate) fn surface<'a>(
        &mut self,
        texts: impl IntoIterator<Item = &'a str>,
        skip: impl Fn(&str) -> bool,
    ) -> String {
        for text in texts {
            let mut words = Words::new(text, Form::Surface);
            while words.advance() {
                if skip(words.text()) {
                    continue;
                }
                let term = self.term(words.text());
                if self.terms.entries[term as usize].2.text != self.text {
                    self.place(term, 0);
                }
            }
        }
        self.finish()
    }

    /// The terms by which a word is found: its stem, and the stem of the word without accents.
    #[inline]
    fn terms_of(&mut self, word: &str, language: Language) -> [Option<u32>; 2] {
        let hash = self.random.hash_one(word);
        match self.words.find(word, hash, |known| known.language == language) {
            Some(known) => self.words.entries[known as usize].2.terms,
            None => self.learn(word, hash, language),
        }
    }

    #[cold]
    fn learn(&mut self, word: &str, hash: u64, language: Language) -> [Option<u32>; 2] {
        let mut stem = String::with_capacity(MOST_TERM_BYTES);
        push_stem(word, language, &mut stem);
        let also = unaccented(word, language, &stem);
        let terms = [Some(stem.as_str()).filter(|stem| !stem.is_empty()), also.as_deref()];
        let terms = terms.map(|text| text.map(|text| self.term(text)));
        self.words.add(word, hash, Word { language, terms });
        terms
    }

    fn term(&mut self, text: &str) -> u32 {
        let hash = self.random.hash_one(text);
        let known = self.terms.find(text, hash, |_| true);
        known.unwrap_or_else(|| self.terms.add(text, hash, Places::default()))
    }

    #[inline]
    fn place(&mut self, term: u32, position: u32) {
        let occurrence = self.occurrences.len() as u32;
        self.occurrences.push((position, 0));
        let places = &mut self.terms.entries[term as usize].2;
        if places.text == self.text {
            self.occurrences[places.last as usize].1 = occurrence;
            places.last = occurrence;
            places.count += 1;
        } else {
            *places = Places { text: self.text, first: occurrence, last: occurrence, count: 1 };
            self.found.push(term);
        }
    }

    /// Writes what was gathered, and is ready for the next text.
    fn finish(&mut self) -> String {
        let mut compiled = String::with_capacity(8 * self.found.len() + 2 * self.occurrences.len());
        for term in &self.found {
            let (text, places) = (self.terms.text(*term), self.terms.entries[*term as usize].2);
            push_number(&mut compiled, text.len() as u32);
            compiled.push_str(text);
            push_number(&mut compiled, places.count);
            let (mut before, mut next) = (0, places.first);
            for _ in 0..places.count {
                let (position, after) = self.occurrences[next as usize];
                push_number(&mut compiled, position - before);
                (before, next) = (position, after);
            }
        }
        self.begin_next();
        compiled
    }

    fn begin_next(&mut self) {
        let is_full = self.words.entries.len().max(self.terms.entries.len()) > MOST_WORDS;
        if is_full || self.occurrences.capacity() > USUAL_TOKENS || self.text == u32::MAX {
            *self = Self::new();
            return;
        }
        self.text += 1;
        self.found.clear();
        self.occurrences.clear();
    }
}

/// Appends a number, the lowest six bits first; bit six says that more follow.
#[inline]
fn push_number(text: &mut String, mut number: u32) {
    while number >= 64 {
        text.push(char::from(64 | (number & 63) as u8));
        number >>= 6;
    }
    text.push(char::from(number as u8));
}

/// The tokens of a compiled text, term by term.
pub(crate) struct Terms<'a> {
    text: &'a str,
    at: usize,
    /// Occurrences of the term that are still to come.
    left: u32,
    token: Token,
}

impl<'a> Terms<'a> {
    pub(crate) fn of(compiled: &'a str) -> Self {
        let token = Token { text: String::with_capacity(MOST_TERM_BYTES), ..Token::default() };
        Self { text: compiled, at: 0, left: 0, token }
    }

    #[inline]
    fn number(&mut self) -> u32 {
        let (mut number, mut shift) = (0, 0);
        while let Some(&byte) = self.text.as_bytes().get(self.at) {
            self.at += 1;
            number |= u32::from(byte & 63) << shift;
            shift += 6;
            if byte < 64 || shift > 30 {
                break;
            }
        }
        number
    }
}

impl TokenStream for Terms<'_> {
    fn advance(&mut self) -> bool {
        if self.left == 0 {
            let length = self.number() as usize;
            let Some(term) = self.text.get(self.at..self.at + length).filter(|term| !term.is_empty()) else {
                return false;
            };
            self.token.text.clear();
            self.token.text.push_str(term);
            self.token.position = 0;
            self.at += length;
            self.left = self.number();
        }
        self.left = self.left.saturating_sub(1);
        self.token.position += self.number() as usize;
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// Every term with its positions, in order.
    fn gathered(mut tokens: impl TokenStream) -> BTreeMap<String, Vec<usize>> {
        let mut terms: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        tokens.process(&mut |token| terms.entry(token.text.clone()).or_default().push(token.position));
        terms
    }

    #[test]
    fn each_term_is_written_once_with_its_positions() {
        let text = "Running, he runs: run! The RUN.";
        let compiled = Compiler::new().stems(text, Language::from_code("en"));
        assert_eq!(compiled.matches("run").count(), 1);
        let terms = gathered(Terms::of(&compiled));
        assert_eq!(terms["run"], [0, 2, 3, 5]);
        assert_eq!(terms["he"], [1]);
        assert_eq!(gathered(Terms::of("")).len(), 0);
    }

    #[test]
    fn words_as_written_are_there_once() {
        let compiled = Compiler::new().surface(["Running runs", "runs 東京 again or not"], |word| word.len() < 4);
        let terms = gathered(Terms::of(&compiled));
        assert_eq!(terms.keys().collect::<Vec<_>>(), ["again", "running", "runs"]);
        assert!(terms.values().all(|places| places.len() == 1));
    }

    #[test]
    fn many_words_are_forgotten_in_time() {
        let mut compiler = Compiler::new();
        for start in (0..10).map(|text| text * 20_000) {
            let text: String = (start..start + 20_000).map(|number| format!("{number} ")).collect();
            let compiled = compiler.stems(&text, Language::NONE);
            assert_eq!(gathered(Terms::of(&compiled)).len(), 20_000);
            assert!(compiler.words.entries.len() <= MOST_WORDS && compiler.terms.entries.len() <= MOST_WORDS);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// A compiled text has the tokens that the text itself has, and one compiler does for many texts.
        #[test]
        fn nothing_is_lost(texts in prop::collection::vec("(\\PC|[a-cA-C+#éèß東京ガ\u{1} ]){0,80}", 1..4), number in 0..35_u8) {
            let mut compiler = Compiler::new();
            for (text, more) in texts.into_iter().zip(0..) {
                let language = Language::all().nth(usize::from((number + more) % 35)).unwrap();
                let compiled = compiler.stems(&text, language);
                let expected = gathered(Words::new(&text, Form::Stem(language)));
                prop_assert_eq!(gathered(Terms::of(&compiled)), expected);
            }
        }

        /// Any string gives tokens that end, with positions that do not fall within a term.
        #[test]
        fn any_string_can_be_read(text: String) {
            let mut terms = Terms::of(&text);
            let mut count = 0;
            while terms.advance() {
                count += 1;
                prop_assert!(count <= 2 * text.len());
                if terms.at >= text.len() {
                    break;
                }
            }
        }
    }
}
