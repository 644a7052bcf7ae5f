//! The terms of texts by number.
//!
//! A crawl indexes thousands of pages a second, and what that costs is above all waiting for memory. So a word is found with one
//! look into a table that has the word itself beside its terms, and a word is stemmed once. Terms have numbers that hold until the
//! vocabulary is emptied.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rapidhash::fast::RandomState;
use tantivy::tokenizer::TokenStream;

use super::MOST_TERM_BYTES;
use super::language::Language;
use super::plain::{self, PlainWord};
use super::sequence::TermSequence;
use super::stem::{push_stem, unaccented};
use super::words::{Form, Words};

/// Words up to this many bytes are remembered with their terms.
const SHORT: usize = plain::LONGEST;
/// Words in the table at first.
const FIRST_SLOTS: usize = 1 << 12;
/// In place of a language: the word itself is the term.
const AS_WRITTEN: Language = Language(u8::MAX);
/// No term.
const NONE: u32 = u32::MAX;

/// A word: its bytes, how many they are, and its language. All zeros for none.
type Key = [u64; 3];

/// A word and the terms by which it is found: its stem, and the stem of the word without accents.
#[derive(Clone, Copy)]
struct Slot {
    key: Key,
    terms: [u32; 2],
}

const EMPTY: Slot = Slot { key: [0; 3], terms: [NONE; 2] };

/// Terms with their numbers, and the words that have led to them.
pub(crate) struct Vocabulary {
    random: RandomState,
    seed: u64,
    slots: Vec<Slot>,
    words: usize,
    /// All terms, one after the other; where each ends, and its hash.
    texts: String,
    terms: Vec<(u32, u64)>,
    numbers: HashTable<u32>,
}

impl Default for Vocabulary {
    fn default() -> Self {
        Self::new()
    }
}

impl Vocabulary {
    pub(crate) fn new() -> Self {
        let random = RandomState::new();
        Self {
            seed: random.hash_one(0),
            random,
            slots: vec![EMPTY; FIRST_SLOTS],
            words: 0,
            texts: String::new(),
            terms: Vec::new(),
            numbers: HashTable::new(),
        }
    }

    /// Terms there are.
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// A term as text.
    pub(crate) fn term(&self, number: u32) -> &str {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.terms[before].0);
        &self.texts[start as usize..self.terms[number].0 as usize]
    }

    /// The stems of a text, in order.
    pub(crate) fn stems(&mut self, text: &str, language: Language, into: &mut TermSequence) {
        let (mut words, mut row) = (Words::new(text, Form::Whole), Row::default());
        loop {
            while let Some((word, position)) = words.next_plain() {
                let key = plain_key(&word, language);
                row.push(key, self.hash(&key), position as u32);
                if row.length == row.words.len() {
                    self.find_row(&mut row, language, into);
                }
            }
            if !words.advance() {
                break;
            }
            self.find_row(&mut row, language, into);
            let (word, position) = (words.token().text.as_str(), words.token().position as u32);
            let terms = match (words.is_dense(), key(word, language)) {
                (true, _) => [self.number(word), NONE],
                (false, Some(key)) => self.terms_of(&key, self.hash(&key), language),
                (false, None) => self.made_of(word, language),
            };
            extend(into, terms, position);
        }
        self.find_row(&mut row, language, into);
    }

    /// Finds the terms of some words. Where they are in the table is looked at for all of them first: the processor fetches that
    /// together instead of waiting for each.
    fn find_row(&mut self, row: &mut Row, language: Language, into: &mut TermSequence) {
        let words = &row.words[..std::mem::take(&mut row.length)];
        let looked = words.iter().map(|(_, hash, _)| self.slots[self.home(*hash)].key[0]).fold(0, u64::wrapping_add);
        std::hint::black_box(looked);
        for (key, hash, position) in words {
            extend(into, self.terms_of(key, *hash, language), *position);
        }
    }

    /// The words of texts as they are written, at positions that mean nothing, but for those that `skip` says.
    pub(crate) fn surface<'a>(
        &mut self,
        texts: impl IntoIterator<Item = &'a str>,
        skip: impl Fn(&str) -> bool,
        into: &mut TermSequence,
    ) {
        for text in texts {
            let mut words = Words::new(text, Form::Surface);
            loop {
                while let Some((plain, _)) = words.next_plain() {
                    let key = plain_key(&plain, AS_WRITTEN);
                    let (bytes, length) = word(&key);
                    if std::str::from_utf8(&bytes[..length]).is_ok_and(|word| !skip(word)) {
                        into.push_anywhere(self.terms_of(&key, self.hash(&key), AS_WRITTEN)[0]);
                    }
                }
                if !words.advance() {
                    break;
                }
                let word = words.token().text.as_str();
                if !skip(word) {
                    let known = key(word, AS_WRITTEN).map(|key| self.terms_of(&key, self.hash(&key), AS_WRITTEN)[0]);
                    into.push_anywhere(known.unwrap_or_else(|| self.number(word)));
                }
            }
        }
    }

    /// The terms by which a word is found.
    #[inline]
    fn terms_of(&mut self, key: &Key, hash: u64, language: Language) -> [u32; 2] {
        let mut at = self.home(hash);
        loop {
            let slot = &self.slots[at];
            if slot.key == *key {
                return slot.terms;
            }
            if slot.key == EMPTY.key {
                return self.learn(*key, language);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Where a word of this hash would be if it were the only one.
    #[inline]
    fn home(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn hash(&self, key: &Key) -> u64 {
        key.iter().fold(self.seed, |seed, part| {
            let product = u128::from(seed ^ part) * u128::from(0x9e37_79b9_7f4a_7c15_u64);
            (product as u64) ^ (product >> 64) as u64
        })
    }

    #[cold]
    fn learn(&mut self, key: Key, language: Language) -> [u32; 2] {
        let (bytes, length) = word(&key);
        let terms = std::str::from_utf8(&bytes[..length]).map_or([NONE; 2], |word| self.made_of(word, language));
        if 2 * self.words >= self.slots.len() {
            let grown = vec![EMPTY; 2 * self.slots.len()];
            let before = std::mem::replace(&mut self.slots, grown);
            before.into_iter().filter(|slot| slot.key != EMPTY.key).for_each(|slot| self.put(slot));
        }
        self.put(Slot { key, terms });
        self.words += 1;
        terms
    }

    fn put(&mut self, slot: Slot) {
        let mut at = self.home(self.hash(&slot.key));
        while self.slots[at].key != EMPTY.key {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = slot;
    }

    fn made_of(&mut self, word: &str, language: Language) -> [u32; 2] {
        if language == AS_WRITTEN {
            return [self.number(word), NONE];
        }
        let mut stem = String::with_capacity(MOST_TERM_BYTES);
        push_stem(word, language, &mut stem);
        let also = unaccented(word, language, &stem);
        let terms = [Some(stem.as_str()).filter(|stem| !stem.is_empty()), also.as_deref()];
        terms.map(|text| text.map_or(NONE, |text| self.number(text)))
    }

    fn number(&mut self, text: &str) -> u32 {
        let hash = self.random.hash_one(text);
        let is_it = |number: &u32| self.terms[*number as usize].1 == hash && self.term(*number) == text;
        if let Some(number) = self.numbers.find(hash, is_it) {
            return *number;
        }
        let number = self.terms.len() as u32;
        self.texts.push_str(text);
        self.terms.push((self.texts.len() as u32, hash));
        let Self { terms, numbers, .. } = self;
        numbers.insert_unique(hash, number, |known| terms[*known as usize].1);
        number
    }
}

#[inline]
fn extend(terms: &mut TermSequence, found: [u32; 2], position: u32) {
    found.into_iter().filter(|term| *term != NONE).for_each(|term| terms.push(term, position));
}

/// Words that are looked up together.
const ROW: usize = 32;

/// Words of a text in a row, their hashes and positions.
#[derive(Default)]
struct Row {
    words: [(Key, u64, u32); ROW],
    length: usize,
}

impl Row {
    #[inline]
    fn push(&mut self, key: Key, hash: u64, position: u32) {
        self.words[self.length] = (key, hash, position);
        self.length += 1;
    }
}

/// The word of a key: its bytes, and how many they are.
fn word(key: &Key) -> ([u8; 24], usize) {
    let mut bytes = [0; 24];
    for (to, part) in bytes.chunks_exact_mut(8).zip(key) {
        to.copy_from_slice(&part.to_le_bytes());
    }
    (bytes, usize::from(bytes[SHORT]).min(SHORT))
}

/// A short word with its length and language.
#[inline]
fn key(word: &str, language: Language) -> Option<Key> {
    let mut bytes = [0; 24];
    bytes.get_mut(..SHORT)?.get_mut(..word.len())?.copy_from_slice(word.as_bytes());
    let part = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
    Some(marked([part(0), part(8), part(16)], word.len(), language))
}

#[inline]
fn plain_key(word: &PlainWord, language: Language) -> Key {
    marked(word.parts, word.length, language)
}

/// The last two bytes of a key are length and language.
#[inline]
fn marked([first, second, third]: [u64; 3], length: usize, language: Language) -> Key {
    [first, second, third | (length as u64) << 48 | u64::from(language.0) << 56]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    type Gathered = BTreeMap<String, Vec<usize>>;

    /// Every term with its positions, in order.
    fn read(terms: &TermSequence, vocabulary: &Vocabulary) -> Gathered {
        let mut gathered = Gathered::new();
        for (_, term, position) in terms.iter() {
            gathered.entry(vocabulary.term(term).to_owned()).or_default().push(position as usize);
        }
        gathered
    }

    fn stems(vocabulary: &mut Vocabulary, text: &str, language: Language) -> (Gathered, usize) {
        let mut terms = TermSequence::default();
        vocabulary.stems(text, language, &mut terms);
        terms.end_document();
        (read(&terms, vocabulary), terms.len())
    }

    #[test]
    fn each_term_is_there_with_its_positions() {
        let text = "Running, he runs: run! The RUN.";
        let (terms, count) = stems(&mut Vocabulary::new(), text, Language::from_code("en"));
        assert_eq!(
            (terms["run"].as_slice(), terms["he"].as_slice(), count),
            ([0, 2, 3, 5].as_slice(), [1].as_slice(), 6)
        );
        assert_eq!(stems(&mut Vocabulary::new(), "", Language::NONE).1, 0);
    }

    #[test]
    fn words_as_written_are_there() {
        let (mut vocabulary, mut terms) = (Vocabulary::new(), TermSequence::default());
        let text = "runs 東京 again or not, and what a text of some length has: Éclair, éclairs, 12 runs";
        vocabulary.surface(["Running runs", text], |word| word.len() < 4, &mut terms);
        terms.end_document();
        let read = read(&terms, &vocabulary);
        let words = ["again", "length", "running", "runs", "some", "text", "what", "éclair", "éclairs"];
        assert_eq!(read.keys().collect::<Vec<_>>(), words);
        assert_eq!(read["runs"].len(), 3);
    }

    #[test]
    fn the_table_grows() {
        let mut vocabulary = Vocabulary::new();
        for start in (0..10).map(|text| text * 2_000) {
            let text: String = (start..start + 4_000).map(|number| format!("{number} ")).collect();
            assert_eq!(stems(&mut vocabulary, &text, Language::NONE).0.len(), 4_000);
        }
        assert_eq!((vocabulary.len(), vocabulary.words), (22_000, 22_000));
        assert!(vocabulary.slots.len() >= 44_000);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        /// A text has the terms that its words have one by one, and one vocabulary does for many texts.
        #[test]
        fn nothing_is_lost(texts in prop::collection::vec("(\\PC|[a-cA-C+#éèß東京ガ\u{1} ]|[a-fA-F0-9]{1,30} ){0,80}", 1..4), number in 0..35_u8) {
            let mut vocabulary = Vocabulary::new();
            for (text, more) in texts.into_iter().zip(0..) {
                let language = Language::all().nth(usize::from((number + more) % 35)).unwrap();
                let mut expected = Gathered::new();
                Words::new(&text, Form::Stem(language))
                    .process(&mut |token| expected.entry(token.text.clone()).or_default().push(token.position));
                let (terms, count) = stems(&mut vocabulary, &text, language);
                prop_assert_eq!(count, expected.values().map(Vec::len).sum::<usize>());
                prop_assert_eq!(terms, expected);
            }
        }
    }
}
