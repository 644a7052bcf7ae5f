use unicode_normalization::char::{compose, decompose_canonical, decompose_compatible, is_combining_mark};

/// What a character does to the word around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Part of a word between spaces.
    Letter,
    /// A character of a script that is written without spaces.
    Dense,
    /// Belongs to the character before it: accents, vowel signs.
    Mark,
    /// Seen by no one: soft hyphen, joiners.
    Invisible,
    /// Parts words.
    Other,
}

pub(super) fn class(c: char) -> Class {
    match c {
        '0'..='9' | 'a'..='z' | 'A'..='Z' => Class::Letter,
        '\0'..='\u{7f}' => Class::Other,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{fe00}'..='\u{fe0f}' | '\u{640}' => {
            Class::Invisible
        }
        '\u{ff9e}' | '\u{ff9f}' => Class::Mark,
        _ if is_combining_mark(c) => Class::Mark,
        _ if !c.is_alphanumeric() => Class::Other,
        _ if is_dense(c) => Class::Dense,
        _ => Class::Letter,
    }
}

/// Han, kana, hangul and the scripts of South-East Asia: words are not parted by spaces (or, in Korean, carry their particles).
fn is_dense(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{323af}')
}

/// Appends the lower-case form of a letter. Full-width forms and ligatures become plain letters.
pub(super) fn push_lower(c: char, word: &mut String) {
    match c {
        '\u{fb00}'..='\u{fb06}' | '\u{ff10}'..='\u{ffdc}' => {
            decompose_compatible(c, |plain| plain.to_lowercase().for_each(|lower| push_mark(lower, word)));
        }
        'ς' => word.push('σ'),
        _ => c.to_lowercase().for_each(|lower| push_mark(lower, word)),
    }
}

/// Appends a mark: composed with the letter before it if the two have a common character. Accents that stay alone are dropped.
pub(super) fn push_mark(mark: char, word: &mut String) {
    let mark = match mark {
        '\u{ff9e}' => '\u{3099}',
        '\u{ff9f}' => '\u{309a}',
        _ => mark,
    };
    if !is_combining_mark(mark) {
        return word.push(mark);
    }
    let whole = word.chars().next_back().and_then(|letter| compose(letter, mark));
    if let Some(whole) = whole {
        word.pop();
        word.push(whole);
    } else if !is_accent(mark) {
        word.push(mark);
    }
}

fn is_accent(mark: char) -> bool {
    matches!(mark, '\u{300}'..='\u{36f}' | '\u{64b}'..='\u{65f}' | '\u{5b0}'..='\u{5c7}')
}

/// Appends a word without its accents.
pub(super) fn push_folded(word: &str, folded: &mut String) {
    for c in word.chars() {
        match c {
            '\0'..='\u{7f}' => folded.push(c),
            'ß' => folded.push_str("ss"),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            'þ' => folded.push_str("th"),
            'ø' => folded.push('o'),
            'ł' => folded.push('l'),
            'đ' | 'ð' => folded.push('d'),
            'ħ' => folded.push('h'),
            'ı' => folded.push('i'),
            'ё' => folded.push('е'),
            '\u{c0}'..='\u{24f}' | '\u{370}'..='\u{3ff}' | '\u{1e00}'..='\u{1fff}' => decompose_canonical(c, |part| {
                if !is_accent(part) {
                    folded.push(part);
                }
            }),
            _ if is_accent(c) => {}
            _ => folded.push(c),
        }
    }
}
