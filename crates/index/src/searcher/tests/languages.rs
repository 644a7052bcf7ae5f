use crate::testing::{ask, found, found_set, page, page_in, site};

#[test]
fn words_are_found_in_all_their_forms_in_every_language() {
    let (_folder, searcher) = site(&[
        page_in("en", 1, "Houses", "The crawlers were visiting old houses"),
        page_in("de", 2, "Häuser", "Die Suchmaschinen besuchten alte Häuser"),
        page_in("ru", 3, "Книги", "Он читал интересные книги"),
        page_in("ja", 4, "東京", "私は東京都に住んでいます。猫が好きです。"),
        page_in("fr", 5, "Événements", "Les événements récents à l'école"),
        page_in("th", 6, "ไทย", "ภาษาไทยไม่มีช่องว่าง"),
        page_in("xx", 7, "?", "visited houses"),
    ]);
    for (query, expected) in [
        ("visit", vec![1]),
        ("house visits", vec![1]),
        ("\"visited house\"", vec![]),
        ("\"visits old house\"", vec![1]),
        ("haus", vec![2]),
        ("hauser", vec![2]),
        ("\"alten Haus\"", vec![2]),
        ("книга", vec![3]),
        ("КНИГУ", vec![3]),
        ("東京", vec![4]),
        ("東京都", vec![4]),
        ("京東", vec![]),
        ("猫", vec![4]),
        ("evenement", vec![5]),
        ("école", vec![5]),
        ("ภาษาไทย", vec![6]),
        ("houses", vec![1, 7]),
        ("haus lang:en", vec![]),
        ("house lang:en", vec![1]),
    ] {
        assert_eq!(found_set(&searcher, query), expected, "{query}");
    }
    let hit = &ask(&searcher, "haus").hits[0];
    assert_eq!(&hit.snippet.text[hit.snippet.highlights[0].clone()], "Häuser");
    let hit = &ask(&searcher, "東京").hits[0];
    assert_eq!(&hit.snippet.text[hit.snippet.highlights[0].clone()], "東京");
}

#[test]
fn a_word_scores_once_however_many_stemmers_there_are() {
    let english = page(1, "Running", "running water");
    let (_one, alone) = site(&[english.clone(), page(2, "x", "y")]);
    let others = ["de", "fr", "nl", "sv"];
    let mut pages = vec![english, page(2, "x", "y")];
    pages.extend(others.iter().zip(10..).map(|(language, number)| page_in(language, number, "x", "y")));
    let (_many, among) = site(&pages);
    assert_eq!(found(&alone, "running"), [1]);
    assert_eq!(found(&among, "running"), [1]);
    let score = |searcher| ask(searcher, "running").hits[0].score;
    assert!(score(&among) < 2.5 * score(&alone), "rarer among more pages, but not once per stemmer");
}

#[test]
fn long_queries_in_dense_scripts_fall_back_to_most_pairs() {
    let (_folder, searcher) =
        site(&[page_in("ja", 1, "", "東京の天気は晴れです"), page_in("ja", 2, "", "大阪の食べ物")]);
    let answer = ask(&searcher, "今日の東京の天気");
    assert_eq!(answer.hits.first().map(|hit| hit.page.0), Some(1));
    assert_eq!(answer.notes, [crate::Note::MostWords]);
}

#[test]
fn words_typed_without_accents_are_found() {
    for (language, written, typed) in [
        ("fr", "événements élève déjà français", "evenement eleve deja francais"),
        ("de", "Müller Straßen größte Übungen", "muller strasse grosste ubung"),
        ("es", "canción corazón años teléfonos", "cancion corazon anos telefono"),
        ("pt", "informação ações irmão", "informacao acoes irmao"),
        ("it", "città perché università", "citta perche universita"),
        ("sv", "frågor människor", "fragor manniskor"),
    ] {
        let (_folder, searcher) = site(&[page_in(language, 1, "", written)]);
        for word in typed.split(' ') {
            assert_eq!(found(&searcher, word), [1], "{language} {word}");
        }
    }
}
