use std::cell::RefCell;

use frostem::Stemmer;

use super::chars::push_folded;
use super::language::Language;

/// Words up to this many bytes are remembered with their stems.
const REMEMBERED: usize = 16;
const SLOTS: usize = 1 << SLOT_BITS;
const SLOT_BITS: u32 = 13;

/// One word and its stem; a newer word takes the place of an older one.
#[derive(Clone)]
struct Slot {
    word: [u8; REMEMBERED],
    stem: [u8; REMEMBERED],
    length: u8,
    language: Language,
}

thread_local! {
    /// Most words of a text are among the few thousand common ones, and stemming costs more than looking up.
    static MEMORY: RefCell<Vec<Slot>> = const { RefCell::new(Vec::new()) };
}

/// Appends the stem of a lower-case word, without accents.
pub(super) fn push_stem(word: &str, language: Language, term: &mut String) {
    if language == Language::NONE || word.bytes().any(|byte| byte.is_ascii_digit()) {
        return push_plain(word, term);
    }
    let Some(key) = padded(word) else { return stem(word, language, term) };
    MEMORY.with_borrow_mut(|memory| {
        if memory.is_empty() {
            let empty = Slot { word: [0; REMEMBERED], stem: [0; REMEMBERED], length: 0, language: Language::NONE };
            memory.resize(SLOTS, empty);
        }
        let slot = &mut memory[place(&key, language)];
        if slot.language == language && slot.word == key {
            term.push_str(std::str::from_utf8(&slot.stem[..usize::from(slot.length)]).unwrap_or(word));
            return;
        }
        let start = term.len();
        stem(word, language, term);
        if let Some(stem) = padded(&term[start..]) {
            *slot = Slot { word: key, stem, length: (term.len() - start) as u8, language };
        }
    });
}

/// The stem of a word without accents where it differs from the word's stem, which has none: stemmers know endings by their
/// accents (`informação`), readers may not type them (`informacao`).
pub(super) fn unaccented(word: &str, language: Language, stem: &str) -> Option<String> {
    if word.is_ascii() || stem.is_empty() || language == Language::NONE {
        return None;
    }
    let mut folded = String::with_capacity(word.len());
    push_folded(word, &mut folded);
    if folded == word {
        return None;
    }
    let mut also = String::with_capacity(word.len());
    push_stem(&folded, language, &mut also);
    (!also.is_empty() && also != stem).then_some(also)
}

fn stem(word: &str, language: Language, term: &mut String) {
    match language.algorithm() {
        Some(algorithm) => push_plain(&Stemmer::new(algorithm).stem(word), term),
        None => push_plain(word, term),
    }
}

fn push_plain(word: &str, term: &mut String) {
    if word.is_ascii() { term.push_str(word) } else { push_folded(word, term) }
}

fn padded(word: &str) -> Option<[u8; REMEMBERED]> {
    let mut key = [0; REMEMBERED];
    key.get_mut(..word.len())?.copy_from_slice(word.as_bytes());
    Some(key)
}

fn place(key: &[u8; REMEMBERED], language: Language) -> usize {
    let mut hash = u64::from(language.0);
    for chunk in key.chunks_exact(8) {
        let bytes = chunk.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        hash = (hash ^ bytes).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
    (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - SLOT_BITS)) as usize
}
