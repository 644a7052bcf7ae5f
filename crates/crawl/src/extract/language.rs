//! The language of a text: by its script, and for the Latin and Cyrillic scripts by its commonest words.
//!
//! This costs a few microseconds. Models of letter triples know more languages but took 300 us and more per page here.

use std::sync::LazyLock;

use rapidhash::RapidHashMap;

use super::{Language, cut};

mod common_words;
#[cfg(test)]
mod tests;

use common_words::COMMON_WORDS;

/// Bytes of text that are looked at.
const SAMPLE: usize = 2_048;
/// Words that are looked at, and the least that allow a judgement.
const MAX_WORDS: usize = 160;
const MIN_WORDS: u32 = 12;
/// Common words of another language that prove a declaration wrong, if they are one word in five.
const MIN_HITS: u32 = 6;
/// Characters of a script of its own that allow a judgement.
const MIN_CHARACTERS: u32 = 12;

/// The languages that have a word among their commonest: one bit each, in the order of [`COMMON_WORDS`].
static LANGUAGES_BY_WORD: LazyLock<RapidHashMap<Word, u32>> = LazyLock::new(|| {
    let mut languages = RapidHashMap::default();
    for (number, (_, words)) in COMMON_WORDS.iter().enumerate() {
        for word in words.split_ascii_whitespace().filter_map(Word::of) {
            *languages.entry(word).or_insert(0) |= 1 << number;
        }
    }
    languages
});

/// A word of up to 16 bytes in small letters; there are no longer ones among the commonest.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Word(u128);

impl Word {
    fn of(word: &str) -> Option<Self> {
        if word.is_ascii() {
            return Self::of_bytes(word.as_bytes());
        }
        let lower: String = word.chars().flat_map(char::to_lowercase).collect();
        Self::of_bytes(lower.as_bytes())
    }

    /// Of bytes that are small letters already or ASCII.
    fn of_bytes(word: &[u8]) -> Option<Self> {
        let with = |Self(word): Self, byte: &u8| Self(word << 8 | u128::from(byte.to_ascii_lowercase()));
        (word.len() <= 16).then(|| word.iter().fold(Self(0), with))
    }
}

/// The language of a text: the declared one if the text may be in it, otherwise the one the text shows.
pub(super) fn of(text: &str, declared: Option<&str>) -> Option<Language> {
    let declared = declared.and_then(tag_language);
    let sample = cut(text, SAMPLE);
    if let Some(languages) = Letters::count(sample).languages() {
        return declared.filter(|declared| languages.contains(declared.as_str())).or_else(|| tag_language(languages));
    }
    by_words(sample, declared)
}

/// The language of a tag such as `en`, `pt-BR`, `zh_Hans`.
fn tag_language(tag: &str) -> Option<Language> {
    let primary = tag.trim().split(['-', '_', ',', ';', ' ']).next()?.as_bytes();
    let [first, second] = primary else { return None };
    if !first.is_ascii_alphabetic() || !second.is_ascii_alphabetic() {
        return None;
    }
    let code = [first.to_ascii_lowercase(), second.to_ascii_lowercase()];
    Some(Language(match &code {
        b"nb" | b"nn" => *b"no",
        b"iw" => *b"he",
        b"in" => *b"id",
        _ => code,
    }))
}

/// Characters of the scripts that few languages use.
#[derive(Default)]
struct Letters {
    latin_or_cyrillic: u32,
    kana: u32,
    han: u32,
    hangul: u32,
    arabic: u32,
    /// Letters that Persian has and Arabic has not; the same of Urdu.
    persian: u32,
    urdu: u32,
    greek: u32,
    hebrew: u32,
    devanagari: u32,
    thai: u32,
    other: [u32; 6],
}

/// Other scripts of one language: first and last character.
const OTHER: [(u32, u32, &str); 6] = [
    (0x0530, 0x058F, "hy"),
    (0x0980, 0x09FF, "bn as"),
    (0x0B80, 0x0BFF, "ta"),
    (0x0C00, 0x0C7F, "te"),
    (0x0D00, 0x0D7F, "ml"),
    (0x10A0, 0x10FF, "ka"),
];

impl Letters {
    fn count(sample: &str) -> Self {
        let mut letters = Self::default();
        if sample.is_ascii() {
            return letters;
        }
        for character in sample.chars() {
            match u32::from(character) {
                0x41..=0x5A | 0x61..=0x7A | 0xC0..=0x24F | 0x400..=0x52F | 0x1E00..=0x1EFF => {
                    letters.latin_or_cyrillic += 1
                }
                0..=0x36F => {}
                0x370..=0x3FF => letters.greek += 1,
                0x590..=0x5FF => letters.hebrew += 1,
                code @ 0x600..=0x6FF => {
                    letters.arabic += 1;
                    letters.persian += u32::from(matches!(code, 0x67E | 0x686 | 0x698 | 0x6AF | 0x6CC | 0x6A9));
                    letters.urdu += u32::from(matches!(code, 0x679 | 0x688 | 0x691 | 0x6D2));
                }
                0x900..=0x97F => letters.devanagari += 1,
                0xE00..=0xE7F => letters.thai += 1,
                0x3040..=0x30FF => letters.kana += 1,
                0x3400..=0x9FFF => letters.han += 1,
                0xAC00..=0xD7AF => letters.hangul += 1,
                code => {
                    if let Some(script) = OTHER.iter().position(|(first, last, _)| (*first..=*last).contains(&code)) {
                        letters.other[script] += 1;
                    }
                }
            }
        }
        letters
    }

    /// The languages of the script that most of the text is in, the likeliest first; `None` for Latin and Cyrillic.
    fn languages(&self) -> Option<&'static str> {
        let east_asian = if self.kana * 10 > self.han + self.kana { "ja" } else { "zh" };
        let arabic = if self.urdu * 100 > self.arabic {
            "ur"
        } else if self.persian * 50 > self.arabic {
            "fa ps ug sd"
        } else {
            "ar fa ur ps ug sd"
        };
        let scripts = [
            // A character of an East Asian script says as much as several letters.
            ((self.kana + self.han) * 3, east_asian),
            (self.hangul * 3, "ko"),
            (self.arabic, arabic),
            (self.greek, "el"),
            (self.hebrew, "he yi"),
            (self.devanagari, "hi mr ne sa"),
            (self.thai, "th"),
        ];
        let others = self.other.iter().zip(OTHER).map(|(count, (_, _, languages))| (*count, languages));
        let (count, languages) = scripts.into_iter().chain(others).max_by_key(|(count, _)| *count)?;
        (count >= MIN_CHARACTERS && count > self.latin_or_cyrillic).then_some(languages)
    }
}

/// The language whose common words are found most, or the declared one if it does about as well.
fn by_words(sample: &str, declared: Option<Language>) -> Option<Language> {
    let Score { scores, hits, words } = Score::of(sample);
    if words < MIN_WORDS {
        return declared;
    }
    let Some((best, best_score)) = scores.iter().copied().enumerate().max_by_key(|(_, score)| *score) else {
        return declared;
    };
    // One word in ten is common in real text of a known language, mostly one in three.
    if hits[best] < 3 || hits[best] * 10 < words {
        return declared;
    }
    let Some(declared) = declared else { return Some(COMMON_WORDS[best].0) };
    let is_plausible = match COMMON_WORDS.iter().position(|(language, _)| *language == declared) {
        Some(number) => scores[number] * 3 >= best_score * 2,
        // A language we have no words of: its relatives share a few.
        None => hits[best] * 6 < words,
    };
    // A page is taken at its word unless its text clearly is in another language.
    let is_clear = hits[best] >= MIN_HITS && hits[best] * 5 >= words;
    Some(if is_plausible || !is_clear { declared } else { COMMON_WORDS[best].0 })
}

type Tally = [u32; COMMON_WORDS.len()];

/// How often the common words of each language were seen.
#[derive(Default)]
struct Score {
    /// A word counts the more, the fewer languages share it.
    scores: Tally,
    hits: Tally,
    /// All words.
    words: u32,
}

impl Score {
    fn of(sample: &str) -> Self {
        let mut score = Self::default();
        if sample.is_ascii() {
            // Most texts, and the same as below.
            let words = sample.as_bytes().split(|byte| !byte.is_ascii_alphabetic());
            let is_word = |word: &&[u8]| !matches!(word, [] | [b'A'..=b'Z']);
            words.filter(is_word).take(MAX_WORDS).for_each(|word| score.add(Word::of_bytes(word)));
        } else {
            // Capital letters by themselves are initials, options or the headings of a register.
            let is_initial = |word: &str| {
                let mut characters = word.chars();
                characters.next().is_some_and(char::is_uppercase) && characters.next().is_none()
            };
            let words = sample.split(|character: char| !character.is_alphabetic());
            let is_word = |word: &&str| !(word.is_empty() || is_initial(word));
            words.filter(is_word).take(MAX_WORDS).for_each(|word| score.add(Word::of(word)));
        }
        score
    }

    fn add(&mut self, word: Option<Word>) {
        self.words += 1;
        let Some(mut languages) = word.and_then(|word| LANGUAGES_BY_WORD.get(&word)).copied() else { return };
        let weight = 6 / languages.count_ones().min(6);
        while languages != 0 {
            let number = languages.trailing_zeros() as usize;
            self.scores[number] += weight;
            self.hits[number] += 1;
            languages &= languages - 1;
        }
    }
}
