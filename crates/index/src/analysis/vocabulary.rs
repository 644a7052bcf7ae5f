//! The terms of texts by number.
//!
//! A crawl indexes thousands of pages a second, and what that costs is above all waiting for memory. So a word is found with one
//! look into a table that has the word itself beside its terms, a word is stemmed once, and what is remembered of a term while a
//! text is read is small. Terms have numbers that hold until the vocabulary is emptied.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use rapidhash::fast::RandomState;
use tantivy::tokenizer::TokenStream;

use super::MOST_TERM_BYTES;
use super::language::Language;
use super::stem::{push_stem, unaccented};
use super::words::{Form, Words};

/// Words up to this many bytes are remembered with their terms.
const SHORT: usize = 22;
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

/// Where a term occurs in the text of this number.
#[derive(Clone, Copy, Default)]
struct Places {
    text: u32,
    first: u32,
    last: u32,
    count: u32,
}

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
    places: Vec<Places>,
    /// The number of the text in work.
    text: u32,
    /// Its terms.
    found: Vec<u32>,
    /// The position of each occurrence, and the next one of the same term.
    occurrences: Vec<(u32, u32)>,
}

/// Takes the terms of a text.
pub(crate) trait Gather {
    /// A term of the text, and the distances between its positions; the first is that from the beginning.
    fn term(&mut self, term: u32, steps: impl Iterator<Item = u32>);
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
            places: Vec::new(),
            text: 1,
            found: Vec::new(),
            occurrences: Vec::new(),
        }
    }

    /// Terms there are.
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether the numbers of texts come to an end.
    pub(crate) fn is_worn(&self) -> bool {
        self.text > u32::MAX / 2
    }

    /// A term as text.
    pub(crate) fn term(&self, number: u32) -> &str {
        let number = number as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.terms[before].0);
        &self.texts[start as usize..self.terms[number].0 as usize]
    }

    /// The stems of a text. How many there are, each as often as it occurs.
    pub(crate) fn stems(&mut self, text: &str, language: Language, into: &mut impl Gather) -> u32 {
        let (mut words, mut row) = (Words::new(text, Form::Whole), Row::default());
        while words.advance() {
            let position = words.token().position as u32;
            let key = Some(words.text()).filter(|_| !words.is_dense()).and_then(|word| key(word, language));
            if let Some(key) = key {
                row.push(key, position);
                if row.length == row.words.len() {
                    self.place_row(&mut row, language);
                }
                continue;
            }
            self.place_row(&mut row, language);
            let terms = match words.is_dense() {
                true => [self.number(words.text()), NONE],
                false => self.made_of(words.text(), language),
            };
            self.place_all(terms, position);
        }
        self.place_row(&mut row, language);
        self.finish(into)
    }

    /// Places some words. Where they are in the table, and then what is known of their terms, is looked at for all of them first:
    /// the processor fetches that together instead of waiting for each.
    fn place_row(&mut self, row: &mut Row, language: Language) {
        let words = &row.words[..std::mem::take(&mut row.length)];
        let looked = words.iter().map(|(key, _)| self.slots[self.home(key)].key[0]).fold(0, u64::wrapping_add);
        std::hint::black_box(looked);
        let mut terms = [[NONE; 2]; ROW];
        for (terms, (key, _)) in terms.iter_mut().zip(words) {
            *terms = self.terms_of(key, language);
        }
        let looked = terms[..words.len()].iter().filter_map(|[term, _]| self.places.get(*term as usize));
        std::hint::black_box(looked.map(|places| places.text).fold(0, u32::wrapping_add));
        for (terms, (_, position)) in terms.into_iter().zip(words) {
            self.place_all(terms, *position);
        }
    }

    fn place_all(&mut self, terms: [u32; 2], position: u32) {
        terms.into_iter().filter(|term| *term != NONE).for_each(|term| self.place(term, position));
    }

    /// The words of texts as they are written, each once and without positions, but for those that `skip` says.
    pub(crate) fn surface<'a>(
        &mut self,
        texts: impl IntoIterator<Item = &'a str>,
        skip: impl Fn(&str) -> bool,
        into: &mut impl Gather,
    ) {
        for text in texts {
            let mut words = Words::new(text, Form::Surface);
            while words.advance() {
                if skip(words.text()) {
                    continue;
                }
                let term = match key(words.text(), AS_WRITTEN) {
                    Some(key) => self.terms_of(&key, AS_WRITTEN)[0],
                    None => self.number(words.text()),
                };
                if self.places[term as usize].text != self.text {
                    self.place(term, 0);
                }
            }
        }
        self.finish(into);
    }

    /// The terms by which a word is found.
    #[inline]
    fn terms_of(&mut self, key: &Key, language: Language) -> [u32; 2] {
        let mut at = self.home(key);
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

    /// Where a word would be if it were the only one.
    #[inline]
    fn home(&self, key: &Key) -> usize {
        let mixed = key.iter().fold(self.seed, |seed, part| {
            let product = u128::from(seed ^ part) * u128::from(0x9e37_79b9_7f4a_7c15_u64);
            (product as u64) ^ (product >> 64) as u64
        });
        mixed as usize & (self.slots.len() - 1)
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
        let mut at = self.home(&slot.key);
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
        self.places.push(Places::default());
        let Self { terms, numbers, .. } = self;
        numbers.insert_unique(hash, number, |known| terms[*known as usize].1);
        number
    }

    #[inline]
    fn place(&mut self, term: u32, position: u32) {
        let occurrence = self.occurrences.len() as u32;
        self.occurrences.push((position, 0));
        let places = &mut self.places[term as usize];
        if places.text == self.text {
            self.occurrences[places.last as usize].1 = occurrence;
            places.last = occurrence;
            places.count += 1;
        } else {
            *places = Places { text: self.text, first: occurrence, last: occurrence, count: 1 };
            self.found.push(term);
        }
    }

    /// Hands over what was gathered, and is ready for the next text. How many occurrences there were.
    fn finish(&mut self, into: &mut impl Gather) -> u32 {
        for term in &self.found {
            let Places { first, count, .. } = self.places[*term as usize];
            let (mut before, mut next) = (0, first);
            let steps = (0..count).map(|_| {
                let (position, after) = self.occurrences[next as usize];
                let step = position - before;
                (before, next) = (position, after);
                step
            });
            into.term(*term, steps);
        }
        let count = self.occurrences.len() as u32;
        self.text += 1;
        self.found.clear();
        self.occurrences.clear();
        count
    }
}

/// Words that are placed together.
const ROW: usize = 32;

/// Words of a text in a row, and their positions.
#[derive(Default)]
struct Row {
    words: [(Key, u32); ROW],
    length: usize,
}

impl Row {
    #[inline]
    fn push(&mut self, key: Key, position: u32) {
        self.words[self.length] = (key, position);
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
    if word.len() > SHORT {
        return None;
    }
    bytes[..word.len()].copy_from_slice(word.as_bytes());
    bytes[SHORT] = word.len() as u8;
    bytes[SHORT + 1] = language.0;
    let part = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
    Some([part(0), part(8), part(16)])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    type Gathered = BTreeMap<String, Vec<usize>>;

    #[derive(Default)]
    struct Terms(Vec<(u32, Vec<u32>)>);

    impl Gather for Terms {
        fn term(&mut self, term: u32, steps: impl Iterator<Item = u32>) {
            self.0.push((term, steps.collect()));
        }
    }

    impl Terms {
        /// Every term with its positions, in order.
        fn read(self, vocabulary: &Vocabulary) -> Gathered {
            let positions = |steps: Vec<u32>| {
                let at = steps.into_iter().scan(0, |at, step| {
                    *at += step as usize;
                    Some(*at)
                });
                at.collect()
            };
            self.0.into_iter().map(|(term, steps)| (vocabulary.term(term).to_owned(), positions(steps))).collect()
        }
    }

    fn stems(vocabulary: &mut Vocabulary, text: &str, language: Language) -> (Gathered, u32) {
        let mut terms = Terms::default();
        let count = vocabulary.stems(text, language, &mut terms);
        (terms.read(vocabulary), count)
    }

    #[test]
    fn each_term_is_there_once_with_its_positions() {
        let text = "Running, he runs: run! The RUN.";
        let (terms, count) = stems(&mut Vocabulary::new(), text, Language::from_code("en"));
        assert_eq!(
            (terms["run"].as_slice(), terms["he"].as_slice(), count),
            ([0, 2, 3, 5].as_slice(), [1].as_slice(), 6)
        );
        assert_eq!(stems(&mut Vocabulary::new(), "", Language::NONE).1, 0);
    }

    #[test]
    fn words_as_written_are_there_once() {
        let (mut vocabulary, mut terms) = (Vocabulary::new(), Terms::default());
        vocabulary.surface(["Running runs", "runs 東京 again or not"], |word| word.len() < 4, &mut terms);
        let terms = terms.read(&vocabulary);
        assert_eq!(terms.keys().collect::<Vec<_>>(), ["again", "running", "runs"]);
        assert!(terms.values().all(|places| places.len() == 1));
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
        fn nothing_is_lost(texts in prop::collection::vec("(\\PC|[a-cA-C+#éèß東京ガ\u{1} ]){0,80}", 1..4), number in 0..35_u8) {
            let mut vocabulary = Vocabulary::new();
            for (text, more) in texts.into_iter().zip(0..) {
                let language = Language::all().nth(usize::from((number + more) % 35)).unwrap();
                let mut expected = Gathered::new();
                Words::new(&text, Form::Stem(language))
                    .process(&mut |token| expected.entry(token.text.clone()).or_default().push(token.position));
                let (terms, count) = stems(&mut vocabulary, &text, language);
                prop_assert_eq!(count as usize, expected.values().map(Vec::len).sum::<usize>());
                prop_assert_eq!(terms, expected);
            }
        }
    }
}
