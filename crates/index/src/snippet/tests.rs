use std::collections::HashMap;

use proptest::prelude::*;

use super::{Page, Snippet, Wanted, snippet};
use crate::analysis::{Form, Language, Words};

/// For words by their terms; their places are found as the index would know them.
fn of(words: &[&str], body: &str, description: &str, language: &str, width: usize) -> Snippet {
    let terms: HashMap<&str, usize> = words.iter().copied().zip(0..).collect();
    let language = Language::from_code(language);
    let mut places = Vec::new();
    let mut tokens = Words::new(body, Form::Stem(language));
    while let Some(token) = tokens.next_token() {
        places.extend(terms.get(token.text.as_str()).map(|&word| (token.position as u32, word)));
    }
    places.sort_unstable();
    snippet(&Page { body, description, language, places }, &Wanted { terms }, width)
}

fn marked(snippet: &Snippet) -> Vec<&str> {
    snippet.highlights.iter().map(|range| &snippet.text[range.clone()]).collect()
}

#[test]
fn the_part_with_most_words_is_shown() {
    let filler = "nothing of interest here at all. ".repeat(30);
    let body = format!("{filler}A robot alone. {filler}The robots visit pages every day. {filler}");
    let snippet = of(&["robot", "page"], &body, "", "en", 120);
    assert!(snippet.text.contains("The robots visit pages every day."), "{}", snippet.text);
    assert!(snippet.text.starts_with('…') && snippet.text.ends_with('…') && snippet.text.len() < 160);
    assert_eq!(marked(&snippet), ["robots", "pages"]);
}

#[test]
fn words_far_apart_are_shown_in_two_parts() {
    let filler = "nothing of interest here at all. ".repeat(30);
    let body = format!("{filler}The robot works. {filler}The page waits. {filler}");
    let snippet = of(&["robot", "page"], &body, "", "en", 200);
    assert_eq!(marked(&snippet), ["robot", "page"]);
    assert!(snippet.text.len() < 260, "{}", snippet.text);
}

#[test]
fn without_words_the_description_or_the_beginning_is_shown() {
    assert_eq!(of(&["zebra"], "The body.", "Described.", "en", 100).text, "Described.");
    assert_eq!(of(&["zebra"], "The\n\n body\u{7}is here.", " ", "en", 100).text, "The body is here.");
    let long = of(&[], &"word ".repeat(100), "", "en", 50);
    assert!(long.text.ends_with("word…") && long.text.len() < 60, "{}", long.text);
    assert_eq!(of(&["x"], "", "", "en", 50), Snippet::default());
    assert_eq!(marked(&of(&["describ"], "Body.", "It describes itself", "en", 50)), ["describes"]);
}

#[test]
fn scripts_without_spaces_are_cut_and_highlighted() {
    let body = format!("{}東京都に行きます。{}", "今日は天気がいいです。".repeat(30), "明日も来ます。".repeat(30));
    let snippet = of(&["東京", "京都"], &body, "", "ja", 150);
    assert_eq!(marked(&snippet), ["東京都"]);
    assert!(snippet.text.chars().count() < 60, "{}", snippet.text);
}

#[test]
fn huge_words_give_small_snippets() {
    let long = "x".repeat(1 << 20);
    let snippet = of(&[&"x".repeat(64)], &long, "", "en", 200);
    assert!(snippet.text.len() < 500 && snippet.highlights.len() == 1);
}

proptest! {
    /// Snippets are short, of the text, in one line, and highlights are in order and apart.
    #[test]
    fn snippets_are_sound(body in "([\\PC\\n\0]|robot |page ){0,300}", width in 40..300_usize) {
        let snippet = of(&["robot", "page"], &body, "", "en", width);
        prop_assert!(snippet.text.len() <= 2 * width + 600, "{}", snippet.text.len());
        prop_assert!(!snippet.text.chars().any(char::is_control));
        let mut last = 0;
        for range in &snippet.highlights {
            prop_assert!(range.start >= last && range.end > range.start);
            prop_assert!(snippet.text.get(range.clone()).is_some());
            last = range.end;
        }
        for part in snippet.text.split(['…', ' ']) {
            prop_assert!(body.contains(part));
        }
    }
}
