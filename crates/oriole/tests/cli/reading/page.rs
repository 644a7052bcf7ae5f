use super::*;

#[test]
fn all_that_is_known() {
    let site = Site::new();
    let shown = |url: &str| {
        let run = site.run(&format!("page {url}"));
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{url}");
        assert!(!run.out.contains(['\x1b', '\u{9b}', '\u{202e}']), "{url}");
        site.steady(&run.out)
    };
    insta::assert_snapshot!("page", shown(DOCS));
    insta::assert_snapshot!("page_duplicate", shown("https://docs.example.org/errors?print=1"));
    insta::assert_snapshot!("page_failed", shown("docs.example.org/broken"));
    for (url, part) in
        [("errors", "Errors �[2J�and�31m"), ("new", "as soon as its host allows"), ("old", "none, unless")]
    {
        let text = shown(&format!("{DOCS}{url}"));
        assert!(text.contains(part), "{text}");
    }
    assert!(shown("http://BLOG.example.net:8080/vogel#part").contains("Der Pirol"), "the address is normalised");
}

#[test]
fn for_programs() {
    let site = Site::new();
    let mut page = site.json(&format!("page {DOCS}"));
    let (low, high) = (&page["changes_per_day_interval"][0], &page["changes_per_day_interval"][1]);
    let rate = page["changes_per_day"].as_f64().unwrap();
    assert!(low.as_f64().unwrap() < rate && rate < high.as_f64().unwrap(), "{page}");
    assert!(page["next_visit"]["in_words"].as_str().unwrap().contains("at the latest"), "{page}");
    // What depends on the second is tested elsewhere.
    for changing in ["probability_current", "changes_per_day_interval"] {
        page[changing] = "[tested elsewhere]".into();
    }
    page["next_visit"]["index"] = "[tested elsewhere]".into();
    let latest = Timestamp(site.ago(3).0 + 30 * DAY).to_string();
    let text = serde_json::to_string_pretty(&page).unwrap().replace(&latest, "[30 days after the last visit]");
    insta::assert_snapshot!("page_json", site.steady(&text));
    assert_eq!(site.json(&format!("page {DOCS} --visits 0"))["history"], serde_json::json!([]));
}

/// The next visit is when the index, (c/mu) G(mu t) with G(x) = 1 - (1 + x) e^-x, reaches the level.
#[test]
fn the_next_visit_is_when_the_index_reaches_the_level() {
    let site = Site::new();
    let rate = site.json(&format!("page {DOCS}"))["changes_per_day"].as_f64().unwrap() / 86_400.0;
    let age = 10.0 * 86_400.0;
    let level = (1.0 - (1.0 + rate * age) * (-rate * age).exp()) / rate;
    drop(engine(&site.data(), &format!("{{\"index_level\": {level}}}")));
    let page = site.json(&format!("page {DOCS}"));
    let next = &page["next_visit"];
    let due = Timestamp::parse(next["at"].as_str().unwrap()).unwrap();
    assert!((due.0 - site.ago(3).0 - 10 * DAY).abs() < 60_000, "{next}");
    assert_eq!((&next["why"], &next["waits_for"]), (&"index".into(), &"index".into()));
    let text = site.run(&format!("page {DOCS}")).out;
    assert!(text.contains("in 10 d; a visit is worth ") && !text.contains("sooner"), "{text}");
    // What a sitemap says between visits only the running engine knows.
    let learned = r#"{"median_rate": 4e-7, "spread": 2.0, "signals": {
        "sitemap": {"recall": 0.9, "false_rate": 1e-9, "seen": []}, "feed": {"recall": 0.01, "false_rate": 1e-9, "seen": []}}}"#;
    let database = rusqlite::Connection::open(site.data().join("oriole.db")).unwrap();
    assert_eq!(database.execute("UPDATE hosts SET learned = ?1 WHERE id = 0", [learned]).unwrap(), 1);
    drop(database);
    let text = site.run(&format!("page {DOCS}")).out;
    assert!(text.contains("in 10 d by age alone (sooner if a sitemap tells of a change, later while"), "{text}");
    // Others are worth more for longer than a page may be left.
    drop(engine_again(&site.data(), 3, &format!("{{\"index_level\": {}}}", 1.0 / rate)));
    let next = &site.json(&format!("page {DOCS}"))["next_visit"];
    assert_eq!(
        (&next["why"], &next["at"]),
        (&"overdue".into(), &Timestamp(site.ago(3).0 + 30 * DAY).to_string().into())
    );
}

#[test]
fn pages_that_are_not_known() {
    let site = Site::new();
    let run = site.run("page https://docs.example.org/absent");
    assert_eq!((run.code, run.out.as_str()), (2, ""));
    assert_eq!(run.err, "error: the page `https://docs.example.org/absent` is not known; `oriole add` makes it so\n");
    let run = site.run("page mailto:someone@example.org");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("only http and https pages can be fetched"), "{}", run.err);
}
