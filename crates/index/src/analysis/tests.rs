use proptest::prelude::*;

use super::{Form, GAP, LONGEST_WORD, Language, Words, query_tokens};

/// Terms with their positions.
fn terms(text: &str, language: &str) -> Vec<(String, usize)> {
    let mut words = Words::new(text, Form::Stem(Language::from_code(language)));
    let mut terms = Vec::new();
    while let Some(token) = words.next_token() {
        terms.push((token.text.clone(), token.position));
    }
    terms
}

fn texts(text: &str, language: &str) -> Vec<String> {
    terms(text, language).into_iter().map(|(text, _)| text).collect()
}

#[test]
fn words_are_parted_and_lower_cased() {
    assert_eq!(
        texts("The QUICK, brown fox-trot: l'avion 3.14 os_path", "xx"),
        ["the", "quick", "brown", "fox", "trot", "l", "avion", "3", "14", "os", "path"]
    );
    let positions: Vec<usize> = terms("a b  c", "xx").into_iter().map(|(_, position)| position).collect();
    assert_eq!(positions, [0, 1, 2]);
}

#[test]
fn names_of_programming_languages_are_words() {
    assert_eq!(
        texts("C++, c# and F# but c+ i+++j a#b", "xx"),
        ["c++", "c#", "and", "f#", "but", "c", "i++", "j", "a", "b"]
    );
}

#[test]
fn stems_follow_the_language() {
    assert_eq!(texts("running runs", "en"), ["run", "run"]);
    assert_eq!(texts("Häuser Haus", "de"), ["haus", "haus"]);
    assert_eq!(terms("a informação", "pt"), [("a".into(), 0), ("inform".into(), 1), ("informaca".into(), 1)]);
    assert_eq!(texts("книги книгу", "ru"), ["книг", "книг"]);
    assert_eq!(texts("running", "xx"), ["running"]);
    assert_eq!(texts("running", "ja"), ["running"]);
}

#[test]
fn accents_are_folded_however_they_are_written() {
    for word in ["Ünïcödé", "U\u{308}ni\u{308}co\u{308}de\u{301}", "unicode", "ｕｎｉｃｏｄｅ"] {
        assert_eq!(texts(word, "xx"), ["unicode"], "{word}");
    }
    assert_eq!(
        texts("Straße Œuvre smørbrød Łódź ﬁnd ёлка", "xx"),
        ["strasse", "oeuvre", "smorbrod", "lodz", "find", "елка"]
    );
    assert_eq!(texts("й й", "xx"), ["й", "й"]);
    assert_eq!(texts("Kinder\u{ad}garten", "xx"), ["kindergarten"]);
}

#[test]
fn dense_scripts_become_characters_and_pairs() {
    assert_eq!(
        terms("東京都 x", "ja"),
        [("東".into(), 0), ("京".into(), 1), ("東京".into(), 0), ("都".into(), 2), ("京都".into(), 1), ("x".into(), 3)]
    );
    assert_eq!(texts("東、京", "ja"), ["東", "京"]);
    assert_eq!(texts("ｶﾞが", "ja"), texts("ガが", "ja"));
    assert_eq!(texts("ที่", "th"), ["ที่"]);
    let query: Vec<String> =
        query_tokens("東京都", Form::Stem(Language::NONE), 16).into_iter().map(|token| token.text).collect();
    assert_eq!(query, ["東京", "京都"]);
    assert_eq!(query_tokens("猫", Form::Stem(Language::NONE), 16).len(), 1);
}

#[test]
fn gaps_keep_phrases_apart() {
    let positions: Vec<usize> =
        terms(&format!("one{GAP}two"), "en").into_iter().map(|(_, position)| position).collect();
    assert!(positions[1] > positions[0] + 50);
}

#[test]
fn long_words_are_cut() {
    let long = "x".repeat(1 << 20);
    assert_eq!(texts(&long, "en"), ["x".repeat(LONGEST_WORD)]);
    let marks = format!("e{}", "\u{301}".repeat(1 << 16));
    assert_eq!(texts(&marks, "en"), ["e"]);
    let thai = format!("ก{}", "\u{e35}".repeat(1 << 16));
    assert!(texts(&thai, "th").iter().all(|term| term.len() <= LONGEST_WORD));
}

#[test]
fn the_stem_of_a_word_does_not_depend_on_the_words_before() {
    let words: Vec<String> = (0..20_000).map(|number| format!("walking{}", words_of(number))).collect();
    let first = texts(&words.join(" "), "en");
    for (word, stem) in words.iter().zip(&first).step_by(371) {
        assert_eq!(&texts(word, "en"), std::slice::from_ref(stem));
    }
}

/// A number in letters.
fn words_of(mut number: u32) -> String {
    let mut letters = String::new();
    while number > 0 {
        letters.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
    }
    letters
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// A word is found by typing it without accents, in every language.
    #[test]
    fn accents_need_not_be_typed(word in "[a-zäöüéèñçåøãõčšžőıłß]{1,12}", number in 0..35_u8) {
        let form = Form::Stem(Language::all().nth(usize::from(number)).unwrap());
        let typed = super::without_accents(&word);
        let mut words = Words::new(&word, form);
        let mut known = Vec::new();
        while let Some(token) = words.next_token() {
            known.push(token.text.clone());
        }
        for token in query_tokens(&typed, form, 16) {
            prop_assert!(known.contains(&token.text), "{} {:?}", token.text, known);
        }
    }

    /// Offsets are in order and on character boundaries, terms are short, positions grow, and no stemmer panics.
    #[test]
    fn any_text_gives_sound_tokens(text in ".{0,60}|[\\PC\u{300}-\u{310}\u{e30}-\u{e40}a-c' ]{0,60}", number in 0..35_u8) {
        let language = Language::all().nth(usize::from(number)).unwrap();
        let mut words = Words::new(&text, Form::Stem(language));
        let mut last = 0;
        while let Some(token) = words.next_token() {
            prop_assert!(text.get(token.offset_from..token.offset_to).is_some_and(|part| !part.is_empty()));
            prop_assert!(!token.text.is_empty() && token.text.len() <= 3 * LONGEST_WORD);
            let end = token.position + token.position_length;
            prop_assert!(end >= last);
            last = end;
        }
    }

    /// Without stemming, a text and its upper-case form have the same terms.
    #[test]
    fn case_does_not_matter(text in "[a-zäöüéèñçåøæ0-9 .,'-]{0,60}") {
        prop_assert_eq!(terms(&text, "xx"), terms(&text.to_uppercase(), "xx"));
    }

    /// A term found in a document is found again as a query.
    #[test]
    fn queries_and_documents_agree(text in "\\PC{0,40}", number in 0..35_u8) {
        let language = Language::all().nth(usize::from(number)).unwrap();
        let mut words = Words::new(&text, Form::Stem(language));
        let mut all = Vec::new();
        while let Some(token) = words.next_token() {
            all.push((token.position, token.text.clone()));
        }
        for token in query_tokens(&text, Form::Stem(language), 1_000) {
            prop_assert!(all.contains(&(token.position, token.text)));
        }
    }
}
