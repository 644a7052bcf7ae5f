use store::{Document, Timestamp};
use tempfile::TempDir;

use crate::Searcher;
use crate::testing::{DAY, NOW, found_set, page, page_in, site};

fn small_web() -> (TempDir, Searcher) {
    let at = |number, host: &str, path: &str, title: &str, text: &str| Document {
        url: format!("https://{host}/{path}"),
        host: host.into(),
        ..page(number, title, text)
    };
    let mut dated = at(5, "news.example.com", "2026/storm%20warning", "Storm", "a red storm");
    dated.published = Some(Timestamp(NOW.0 - 10 * DAY));
    site(&[
        at(1, "docs.example.org", "guide/install", "Install guide", "red green blue"),
        at(2, "example.org", "about", "About", "green red"),
        at(3, "example.org:8080", "about", "About ports", "blue green and red"),
        at(4, "notexample.org", "x", "Other", "red"),
        dated,
        Document { host: "beispiel.de".into(), ..page_in("de", 6, "Rot", "rot und red") },
    ])
}

#[test]
fn each_operator_does_what_it_says() {
    let (_folder, searcher) = small_web();
    for (query, expected) in [
        ("red", vec![1, 2, 3, 4, 5, 6]),
        ("red green", vec![1, 2, 3]),
        ("\"red green\"", vec![1]),
        ("\"green red\"", vec![2]),
        ("-\"red green\" red green", vec![2, 3]),
        ("storm OR blue", vec![1, 3, 5]),
        ("red storm OR blue", vec![1, 3, 5]),
        ("red -green", vec![4, 5, 6]),
        ("red OR -green", vec![1, 2, 3, 4, 5, 6]),
        ("site:example.org", vec![1, 2, 3]),
        ("site:docs.example.org", vec![1]),
        ("site:example.org:8080", vec![3]),
        ("site:https://Example.ORG/about", vec![1, 2, 3]),
        ("site:org red", vec![1, 2, 3, 4]),
        ("red -site:example.org", vec![4, 5, 6]),
        ("site:xample.org", vec![]),
        ("lang:de", vec![6]),
        ("red -lang:en", vec![6]),
        ("intitle:install", vec![1]),
        ("intitle:\"install guide\"", vec![1]),
        ("intitle:\"guide install\"", vec![]),
        ("red -intitle:about", vec![1, 4, 5, 6]),
        ("inurl:about", vec![2, 3]),
        ("inurl:warning", vec![5]),
        ("inurl:guide/install", vec![1]),
        ("red -inurl:about", vec![1, 4, 5, 6]),
        ("after:2026-05-01", vec![5]),
        ("before:2026-05-01 red", vec![1, 2, 3, 4, 6]),
        ("before:2026 after:2025-06 red", vec![1, 2, 3, 4, 6]),
        ("red -before:2026-05", vec![5]),
        ("-red", vec![]),
        ("-storm", vec![1, 2, 3, 4, 6]),
        ("-storm -green", vec![4, 6]),
    ] {
        assert_eq!(found_set(&searcher, query), expected, "{query}");
    }
}

#[test]
fn phrases_do_not_cross_headings_and_compounds_are_phrases() {
    let mut one = page(1, "", "call os_path_join or don't");
    one.headings = vec!["First part".into(), "Second piece".into()];
    let (_folder, searcher) = site(&[one, page(2, "", "join the path os")]);
    assert!(found_set(&searcher, "\"part second\"").is_empty());
    assert_eq!(found_set(&searcher, "\"second piece\""), [1]);
    assert_eq!(found_set(&searcher, "os_path_join"), [1]);
    assert_eq!(found_set(&searcher, "DON’T"), [1]);
    assert_eq!(found_set(&searcher, "path"), [1, 2]);
}
