//! Strangers' texts on the terminal.

/// The text without anything that could move the cursor, change colours, or turn the direction of what follows. White
/// space becomes a blank, the rest the mark of a character that cannot be shown.
#[must_use]
pub fn printable(text: &str) -> String {
    text.chars().map(shown).collect()
}

fn shown(letter: char) -> char {
    match letter {
        '\t' | '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => ' ',
        letter if letter.is_control() || turns(letter) || is_no_character(letter) => '\u{fffd}',
        letter => letter,
    }
}

/// Marks, embeddings, overrides and isolates of direction, and characters that only annotate.
fn turns(letter: char) -> bool {
    matches!(letter, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// What Unicode keeps for no character ever. XML has no place for some of them.
fn is_no_character(letter: char) -> bool {
    matches!(letter, '\u{fdd0}'..='\u{fdef}') || u32::from(letter) & 0xfffe == 0xfffe
}

/// The text in at most so many characters.
#[must_use]
pub fn shortened(text: &str, most: usize) -> String {
    let text = printable(text);
    if text.chars().count() <= most {
        return text;
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_not_shown() {
        assert_eq!(printable("a\x1b[31mred\x07\u{9b}2J"), "a\u{fffd}[31mred\u{fffd}\u{fffd}2J");
        assert_eq!(printable("one\ntwo\tthree"), "one two three");
        assert_eq!(printable("\u{202e}txt.exe"), "\u{fffd}txt.exe");
        assert_eq!(printable("a\u{ffff}b\u{fffe}c\u{1fffe}d\u{fdd0}"), "a\u{fffd}b\u{fffd}c\u{fffd}d\u{fffd}");
        assert_eq!(printable("Straße 東京 🦜"), "Straße 東京 🦜");
    }

    #[test]
    fn long_texts_end_in_an_ellipsis() {
        assert_eq!((shortened("abcdef", 6), shortened("abcdefg", 6)), ("abcdef".into(), "abcde…".into()));
        assert_eq!(shortened("abcd efgh", 6), "abcd…");
    }

    proptest! {
        #[test]
        fn any_text(text in "\\PC*|[\\x00-\\x{a0}]*", most in 0usize..20) {
            let shown = printable(&text);
            prop_assert!(!shown.chars().any(char::is_control));
            prop_assert_eq!(printable(&shown), shown.clone());
            prop_assert!(shortened(&text, most).chars().count() <= most.max(1));
        }
    }
}
