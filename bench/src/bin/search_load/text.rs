//! Pages and queries of the same words.

use std::fmt::Write as _;

const VOCABULARY: u64 = 100_000;
/// Links of a page, all to pages that come later.
const LINKS: u64 = 5;

/// A small generator of random numbers (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Words, the frequent ones first.
pub(crate) struct Language {
    words: Vec<String>,
    /// Words by chance: `rank^-1.1` of them each, so that the hundred commonest are half of a text, as in English.
    drawn: Vec<u32>,
}

impl Language {
    pub(crate) fn new() -> Self {
        let mut random = Random(1);
        let tail = (VOCABULARY as f64).powf(-0.1);
        let mut rank = || ((1.0 - random.fraction() * (1.0 - tail)).powf(-10.0) as u32 - 1).min(VOCABULARY as u32 - 1);
        Self { words: (0..VOCABULARY).map(word).collect(), drawn: (0..1 << 20).map(|_| rank()).collect() }
    }

    fn draw(&self, random: &mut Random) -> &str {
        let place = random.next() as usize % self.drawn.len();
        &self.words[self.drawn[place] as usize]
    }

    fn text(&self, random: &mut Random, words: usize) -> String {
        let mut text = String::with_capacity(words * 8);
        for number in 0..words {
            text.push_str(self.draw(random));
            text.push_str(if number % 12 == 11 { ". " } else { " " });
        }
        text
    }

    /// A page: title, headings, paragraphs and links.
    pub(crate) fn page(&self, number: u64, words: usize) -> String {
        let mut random = Random(number.wrapping_mul(0x1234_5678_9abc_def1));
        let title = self.text(&mut random, 5);
        let mut page = format!("<!DOCTYPE html><html lang=en><title>{title}</title><main><h1>{title}</h1>");
        for _ in 0..words.div_ceil(100) {
            let (heading, text) = (self.text(&mut random, 4), self.text(&mut random, 100));
            // Writing into a string does not fail.
            _ = write!(page, "<h2>{heading}</h2><p>{text}</p>");
        }
        page.push_str("</main><nav>");
        for link in 1..=LINKS {
            _ = write!(page, "<a href=\"/{}\">more</a> ", number * LINKS + link);
        }
        page.push_str("</nav></html>");
        page
    }

    /// Queries of one to three words of all frequencies: most plain, some phrases, some with operators, some misspelt.
    pub(crate) fn query(&self, random: &mut Random) -> String {
        let count = 1 + random.next() as usize % 3;
        let query = (0..count).map(|_| self.draw(random)).collect::<Vec<_>>().join(" ");
        match random.next() % 10 {
            0 | 1 => format!("\"{query}\""),
            2 => format!("{query} lang:en"),
            3 => format!("{query} OR {}", self.draw(random)),
            4 => format!("intitle:{query}"),
            5 => query.chars().rev().collect(),
            _ => query,
        }
    }
}

/// The word of a rank: commoner words are shorter, many have an English ending.
fn word(rank: u64) -> String {
    const SYLLABLES: [&str; 20] = [
        "ta", "re", "no", "li", "ker", "son", "va", "mi", "dor", "el", "pu", "gra", "ist", "on", "the", "fo", "wan",
        "chi", "sa", "be",
    ];
    const ENDINGS: [&str; 8] = ["", "", "", "s", "ing", "ed", "ly", "ation"];
    let mut mixed = Random(rank).next();
    let (mut word, mut left) = (String::new(), rank + 1);
    while left > 0 {
        word.push_str(SYLLABLES[(left % 20) as usize]);
        left /= 20;
    }
    mixed %= 8;
    word.push_str(if rank < 100 { "" } else { ENDINGS[mixed as usize] });
    word
}
