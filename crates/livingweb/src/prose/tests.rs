use std::collections::HashSet;

use super::*;

#[test]
fn sentences_are_whole() {
    let theme = Theme::of(1, PageNumber(3));
    for version in 0..500 {
        let mut text = String::new();
        paragraph(&mut text, 1, PageNumber(3), &theme, 2, version);
        assert!(text.starts_with(|letter: char| letter.is_ascii_uppercase()) && text.ends_with('.'), "{text}");
        assert!(!text.contains('%') && !text.contains("  "), "{text}");
    }
}

/// 2,000 versions of one paragraph, many of a single sentence, are all different.
#[test]
fn what_is_rewritten_differs() {
    let theme = Theme::of(1, PageNumber(0));
    let texts = (0..2_000).map(|version| {
        let mut text = String::new();
        paragraph(&mut text, 1, PageNumber(0), &theme, 0, version);
        text
    });
    assert_eq!(texts.collect::<HashSet<_>>().len(), 2_000);
}

#[test]
fn templates_have_known_slots_only() {
    for template in TEMPLATES {
        for slot in template.split('%').skip(1) {
            assert!(slot.starts_with(|letter| "nvwarpumTNdy".contains(letter)), "{template}");
        }
    }
}

#[test]
fn titles_differ() {
    let titles: HashSet<String> = (0..2_000).map(|page| Theme::of(1, PageNumber(page)).title()).collect();
    assert!(titles.len() > 1_980, "{}", titles.len());
}

#[test]
fn articles_are_right() {
    let theme = Theme::of(1, PageNumber(3));
    let mut text = String::new();
    (0..500).for_each(|version| paragraph(&mut text, 1, PageNumber(3), &theme, 0, version));
    (0..100).for_each(|host| text.push_str(&about_site(1, host).1));
    let text = text.to_lowercase();
    assert!(text.contains(" an a"), "there are words that need it");
    for vowel in ["a", "e", "i", "o", "u"] {
        assert!(!text.contains(&format!(" a {vowel}")), "a {vowel}");
    }
}
