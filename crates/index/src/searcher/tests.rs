use proptest::prelude::*;
use store::{Document, Timestamp};

use crate::testing::{DAY, NOW, ask, found, found_set, page, page_in, settings, site};
use crate::{Hit, Indexer, Note, Ranking, Request, SearchError, Searcher};

mod languages;
mod operators;
mod shared;

#[test]
fn the_title_beats_the_body_and_rare_words_beat_common_ones() {
    let mut pages: Vec<Document> =
        (10..60).map(|number| page(number, "Some page", "the common text of every page")).collect();
    pages.push(page(1, "About herons", "A bird of the water's edge, long in the leg."));
    pages.push(page(2, "Birds", "Among the birds of this water there are herons, ducks and more of the kind."));
    pages.push(page(3, "Nothing", "common common common common common"));
    let (_folder, searcher) = site(&pages);
    assert_eq!(found(&searcher, "heron"), [1, 2]);
    let parts = |query: &str| {
        let request = Request { explain: true, ..Request::new(query, NOW) };
        searcher.search(&request).unwrap().hits[0].explanation.clone().unwrap()
    };
    let rare = parts("herons OR common").words;
    assert!(rare.iter().any(|part| part.word == "herons"), "{rare:?}");
}

#[test]
fn a_word_in_more_fields_counts_more_and_is_counted_once() {
    let mut both = page(1, "Herons", "herons");
    both.headings = vec!["Herons".into()];
    let title_only = page(2, "Herons", "other");
    let (_folder, searcher) = site(&[title_only, both, page(3, "Other", "other")]);
    assert_eq!(found(&searcher, "herons"), [1, 2]);
    let answer = ask(&searcher, "herons");
    assert!(answer.hits[0].score < 2.0 * answer.hits[1].score, "frequencies saturate together");
}

#[test]
fn words_together_beat_words_apart() {
    let apart = format!("crawler {} robot", "filler ".repeat(40));
    let near = format!("robot crawler {}", "filler ".repeat(40));
    let phrase = format!("crawler robot {}", "filler ".repeat(40));
    let (_folder, searcher) = site(&[page(1, "", &apart), page(2, "", &near), page(3, "", &phrase)]);
    assert_eq!(found(&searcher, "crawler robot"), [3, 2, 1]);
}

#[test]
fn links_freshness_and_depth_decide_between_equals() {
    let same = |number| page(number, "Same", "the same text");
    let linked = Document { links_in: 10_000, ..same(3) };
    let fresh = Document { changed_at: NOW, ..same(2) };
    let deep = Document { depth: 9, ..same(1) };
    let (_folder, searcher) = site(&[same(5), same(4), linked, fresh, deep]);
    assert_eq!(found(&searcher, "same"), [3, 2, 4, 5, 1], "equals are ordered by number");
    let flat = Ranking { links: 0.0, freshness: 0.0, depth: 0.0, ..Ranking::default() };
    let searcher = searcher.with_ranking(flat).unwrap();
    assert_eq!(found(&searcher, "same"), [1, 2, 3, 4, 5]);
}

#[test]
fn the_parts_of_a_score_make_up_the_score() {
    let mut pages: Vec<Document> = (1..30)
        .map(|number| Document {
            links_in: number * 7,
            depth: number as u16,
            changed_at: Timestamp(NOW.0 - i64::from(number) * 20 * DAY),
            ..page(
                number,
                "Robots",
                &format!("a robot visits {} pages {}", "many ".repeat(number as usize), "often ".repeat(3)),
            )
        })
        .collect();
    pages[3].description = "visiting robots".into();
    let (_folder, searcher) = site(&pages);
    let request = Request { explain: true, limit: 30, ..Request::new("robots visit", NOW) };
    let answer = searcher.search(&request).unwrap();
    assert_eq!(answer.hits.len(), 29);
    for hit in &answer.hits {
        let parts = hit.explanation.as_ref().unwrap();
        let product = parts.text * parts.proximity * parts.links * parts.freshness * parts.depth;
        assert!((product / hit.score - 1.0).abs() < 1e-4, "{parts:?} {}", hit.score);
        let words: f32 = parts.words.iter().map(|part| part.score).sum();
        assert!((words / parts.text - 1.0).abs() < 1e-4, "{parts:?}");
    }
}

#[test]
fn most_words_will_do_when_no_page_has_all() {
    let (_folder, searcher) = site(&[page(1, "", "red green blue"), page(2, "", "red yellow"), page(3, "", "black")]);
    let answer = ask(&searcher, "red green violet");
    assert_eq!(answer.hits.iter().map(|hit| hit.page.0).collect::<Vec<_>>(), [1]);
    assert_eq!(answer.notes, [Note::MostWords]);
    assert_eq!(ask(&searcher, "red green").notes, []);
    assert_eq!(ask(&searcher, "violet").total, 0);
    assert_eq!(ask(&searcher, "red violet site:elsewhere.org").total, 0, "filters are never given up");
}

#[test]
fn pages_of_hits_follow_each_other() {
    let pages: Vec<Document> =
        (0..150).map(|number| page(number, "page", &"word ".repeat(1 + number as usize % 40))).collect();
    let (_folder, searcher) = site(&pages);
    let all = searcher.search(&Request { limit: 200, ..Request::new("word page", NOW) }).unwrap();
    assert_eq!((all.total, all.hits.len()), (150, 150));
    assert!(all.hits.is_sorted_by(|a, b| a.score > b.score || (a.score == b.score && a.page < b.page)));
    let mut listed = Vec::new();
    for offset in (0..160).step_by(7) {
        let part = searcher.search(&Request { offset, limit: 7, ..Request::new("word page", NOW) }).unwrap();
        listed.extend(part.hits.iter().map(|hit| hit.page));
    }
    assert_eq!(listed, all.hits.iter().map(|hit| hit.page).collect::<Vec<_>>());
    let deep = Request { offset: 9_995, limit: 6, ..Request::new("word", NOW) };
    assert!(matches!(searcher.search(&deep), Err(SearchError::TooDeep)));
    let overflow = Request { offset: usize::MAX, limit: 6, ..Request::new("word", NOW) };
    assert!(matches!(searcher.search(&overflow), Err(SearchError::TooDeep)));
}

#[test]
fn hosts_and_languages_are_counted_and_hosts_collapsed() {
    let of_host = |number: u32, host: &str, language: &str| Document {
        host: host.into(),
        links_in: 100 - number,
        ..page_in(language, number, "x", "word")
    };
    let (_folder, searcher) = site(&[
        of_host(1, "a.org", "de"),
        of_host(2, "a.org", "de"),
        of_host(3, "a.org", "fr"),
        of_host(4, "b.org", "de"),
        Document { language: None, ..of_host(5, "c.org:8080", "de") },
    ]);
    let answer = ask(&searcher, "word");
    let counts =
        |counts: &[crate::Count]| counts.iter().map(|count| (count.value.clone(), count.count)).collect::<Vec<_>>();
    assert_eq!(counts(&answer.hosts), [("a.org".into(), 3), ("b.org".into(), 1), ("c.org:8080".into(), 1)]);
    assert_eq!(counts(&answer.languages), [("de".into(), 3), ("fr".into(), 1)]);
    let request = Request { per_host: Some(1), ..Request::new("word", NOW) };
    let hits = searcher.search(&request).unwrap().hits;
    assert_eq!(hits.iter().map(|hit| hit.page.0).collect::<Vec<_>>(), [1, 4, 5]);
    assert_eq!((hits[2].host.as_str(), hits[2].language.as_deref()), ("c.org:8080", None));
}

#[test]
fn a_misspelt_word_is_recognised() {
    let mut pages: Vec<Document> =
        (0..20).map(|number| page(number, "Freshness", "crawlers visiting München often")).collect();
    pages.push(page(30, "", "crawelrs is a word of one page"));
    let (_folder, searcher) = site(&pages);
    assert_eq!(ask(&searcher, "freshnes").did_you_mean.as_deref(), Some("freshness"));
    assert_eq!(ask(&searcher, "visits").did_you_mean, None, "the stem is the same");
    assert_eq!(ask(&searcher, "fershness visiting").did_you_mean.as_deref(), Some("freshness visiting"));
    assert_eq!(ask(&searcher, "vissiting -absent").did_you_mean.as_deref(), Some("visiting -absent"));
    assert_eq!(ask(&searcher, "Crawelrs").did_you_mean.as_deref(), Some("crawlers"));
    assert_eq!(ask(&searcher, "munchen").total, 20);
    assert_eq!(ask(&searcher, "mühcnen").did_you_mean.as_deref(), Some("münchen"));
    assert_eq!(ask(&searcher, "crawlers").did_you_mean, None);
    assert_eq!(ask(&searcher, "zzzzqqqq").did_you_mean, None);
}

#[test]
fn a_word_that_is_being_typed_is_completed() {
    let pages = [
        page(1, "Orioles", "an oriole, two orioles and an orifice"),
        page(2, "Oriole", "the golden oriole"),
        page(3, "München", "orientation in münchen"),
    ];
    let (_folder, searcher) = site(&pages);
    let complete = |text: &str| searcher.complete(text, 3).unwrap();
    assert_eq!(complete("ori"), ["oriole", "orientation", "orifice"]);
    assert_eq!(complete("golden ORIO"), ["golden oriole", "golden orioles"]);
    assert_eq!(complete("mün"), ["münchen"]);
    for nothing in ["", " ", "oriole ", "site:ori", "\"ori", "zz", "a-b", "\u{2003}"] {
        assert!(complete(nothing).is_empty(), "{nothing}");
    }
}

#[test]
fn hits_say_what_is_known_of_them() {
    let published = Timestamp(NOW.0 - 9 * DAY);
    let mut one = page(1, "A <b>title</b>", "Robots & pages <script>alert(1)</script>");
    one.published = Some(published);
    let (_folder, searcher) = site(&[one.clone()]);
    let hit = &ask(&searcher, "robots").hits[0];
    assert_eq!((hit.url.as_str(), hit.title.as_str()), ("https://example.org/1", "A <b>title</b>"));
    assert_eq!((hit.published, hit.changed_at, hit.fetched_at), (Some(published), one.changed_at, one.fetched_at));
    assert_eq!(hit.snippet.text, "Robots & pages <script>alert(1)</script>");
    assert_eq!(&hit.snippet.text[hit.snippet.highlights[0].clone()], "Robots");
    let json = serde_json::to_value(ask(&searcher, "robots")).unwrap();
    assert_eq!(json["hits"][0]["snippet"]["highlights"][0]["end"], 6);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// No query fails, and hits agree with their number.
    #[test]
    fn any_query_is_answered(
        query in "\\PC{0,60}|([-:\" ]|OR|red|gr[e]{2}n|site:|lang:en|intitle:|inurl:|before:2026|after:|é|東京|c\\+\\+|x_y){0,25}"
    ) {
        thread_local! {
            static SITE: (tempfile::TempDir, crate::Searcher) = site(&[
                page(1, "Red", "red green x_y c++"), page_in("ja", 2, "東京", "東京都 green"), page_in("de", 3, "Grün", "rot grün red"),
            ]);
        }
        SITE.with(|(_, searcher)| {
            let answer = searcher.search(&Request { explain: true, ..Request::new(&query, NOW) }).unwrap();
            prop_assert_eq!(answer.total as usize, answer.hits.len());
            prop_assert!(answer.hits.iter().all(|hit| hit.score.is_finite()));
            Ok(())
        })?;
    }
}

#[test]
fn a_long_query_is_bounded() {
    let (_folder, searcher) = site(&[page(1, "", "word")]);
    let answer = ask(&searcher, &"東京都庁舎".repeat(10_000));
    assert!(answer.notes.contains(&Note::Cut));
    let answer = ask(&searcher, &"\"a b c d e f g h i j k l m n o p q r s t\" ".repeat(100));
    assert!(answer.notes.contains(&Note::Cut));
    assert!(found_set(&searcher, "").is_empty());
    assert_eq!(ask(&searcher, "+++").notes, [Note::Ignored("+++".into())]);
}

/// Hits that cannot be among the best are passed over, in one segment and from one to the next; the best are the same as if all
/// had been looked at.
#[test]
fn nothing_good_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let mut indexer = Indexer::open(folder.path(), &settings()).unwrap();
    let mut random = 1_u32;
    let mut below = |most: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) % most
    };
    for number in 0..2_000 {
        let text = format!("{}{}", "heron ".repeat(1 + below(9) as usize), "other ".repeat(below(90) as usize));
        let changed_at = Timestamp(NOW.0 - i64::from(below(900)) * DAY);
        let host = format!("{}.example.org", below(5));
        let merits =
            Document { links_in: 1 << below(20), depth: below(9) as u16, changed_at, host, ..page(number, "", &text) };
        indexer.put(merits).unwrap();
        if number % 300 == 299 {
            indexer.commit(u64::from(number)).unwrap();
        }
    }
    indexer.commit(2_000).unwrap();
    let searcher = Searcher::open(folder.path()).unwrap();
    let some = searcher.search(&Request::new("heron", NOW)).unwrap();
    let all = searcher.search(&Request { limit: 2_000, ..Request::new("heron", NOW) }).unwrap();
    let best = |hits: &[Hit]| hits[..some.hits.len()].iter().map(|hit| (hit.page, hit.score)).collect::<Vec<_>>();
    assert_eq!(best(&some.hits), best(&all.hits));
    assert_eq!((some.total, all.hits.len()), (2_000, 2_000));
    let of_hosts: u64 = some.hosts.iter().map(|host| host.count).sum();
    assert_eq!((of_hosts, some.hosts.len(), some.languages[0].count), (2_000, 5, 2_000));
}
