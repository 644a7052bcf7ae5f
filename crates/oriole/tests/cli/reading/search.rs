use super::*;

#[test]
fn the_hits() {
    let site = Site::new();
    let run = site.run("search error handling");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    insta::assert_snapshot!("search", run.out);
    let run = site.run("search error --color always --limit 1");
    assert!(run.out.contains("\x1b[1m"), "matches are in bold: {}", run.out);
}

/// Nothing that a page says reaches the terminal as a command, and programs get it in full.
#[test]
fn what_strangers_write_is_only_text() {
    let site = Site::new();
    for command in ["search errors", "pages", "search errors --json", "pages --json"] {
        let run = site.run(command);
        assert!(!run.out.contains(['\x1b', '\u{9b}']), "{command}: {:?}", run.out);
        assert!(command.contains("--json") || !run.out.contains('\u{202e}'), "{command}: {:?}", run.out);
    }
    let title = site.json("search intitle:errors")["hits"][0]["title"].clone();
    assert_eq!(title, HOSTILE);
}

#[test]
fn the_contract() {
    let site = Site::new();
    let answer = site.json("search error handling");
    assert_eq!((answer["total"].as_u64(), answer["hits"].as_array().unwrap().len()), (Some(2), 2));
    assert_eq!(answer["hosts"][0]["value"], "docs.example.org");
    assert_eq!(answer["languages"][0]["value"], "en");
    let hits = answer["hits"].as_array().unwrap();
    let hit = hits.iter().find(|hit| hit["url"] == DOCS).unwrap();
    assert_eq!(hit["title"], "Handbook");
    assert_eq!(hit["checked_at"], site.ago(3).to_string(), "of the catalogue, not of the index");
    assert_eq!(hit["changed_at"], site.ago(50).to_string());
    assert_eq!((&hit["language"], &hit["host"]), (&"en".into(), &"docs.example.org".into()));
    assert!(hit["score"].as_f64().unwrap() > 0.0);
    let snippet: Vec<char> = hit["snippet"].as_str().unwrap().chars().collect();
    let ranges = hit["highlights"].as_array().unwrap();
    let words = ranges.iter().map(|range| {
        let place = |end: usize| range[end].as_u64().unwrap() as usize;
        snippet[place(0)..place(1)].iter().collect::<String>()
    });
    assert_eq!(words.collect::<Vec<_>>(), ["error", "handling"]);
}

/// e^(-rate * age) by hand, with the rate that `oriole pages` shows.
#[test]
fn the_probability_of_being_current() {
    let site = Site::new();
    for (query, hours) in [("handbook", 3.5), ("pirol", 400.5)] {
        let hit = &site.json(&format!("search {query}"))["hits"][0];
        let url = hit["url"].as_str().unwrap();
        let pages = site.run("pages --json").out;
        let row = pages.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let row = row.into_iter().find(|row| row["url"] == url).unwrap();
        let rate = row["changes_per_day"].as_f64().unwrap();
        let current = hit["probability_current"].as_f64().unwrap();
        // The test itself takes some seconds at most.
        assert!((current - (-rate * hours / 24.0).exp()).abs() < 1e-3, "{url}: {current}, {rate}/day");
    }
    // Two changes in 450 hours, and no evidence but a host that hardly changes.
    let rate = |host: &str| -> f64 {
        let row = site.run(&format!("pages --host {host} --limit 1 --json")).out;
        serde_json::from_str::<serde_json::Value>(&row).unwrap()["changes_per_day"].as_f64().unwrap()
    };
    assert!((0.05..0.12).contains(&rate("docs.example.org")), "{}", rate("docs.example.org"));
    assert!((0.002..0.003).contains(&rate("blog.example.net")), "{}", rate("blog.example.net"));
}

#[test]
fn nothing_found_is_no_failure() {
    let site = Site::new();
    let run = site.run("search xylophone");
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    assert_eq!(run.out, "nothing found for xylophone\n");
    let answer = site.json("search xylophone");
    assert_eq!((&answer["total"], &answer["hits"]), (&0.into(), &serde_json::json!([])));
    let run = site.run("search handbok");
    assert!(run.out.contains("did you mean: handbook"), "{}", run.out);
    let run = site.run("search error --offset 50");
    assert_eq!(run.out.lines().next(), Some("2 pages for error, none from 50 on"));
}

#[test]
fn operators_pages_and_explanations() {
    let site = Site::new();
    let urls = |query: &str, options: &str| -> Vec<String> {
        let run = site.run_with("search", query, &format!("{options} --json"));
        let answer: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        answer["hits"].as_array().unwrap().iter().map(|hit| hit["url"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(urls("lang:de vogel", ""), ["http://blog.example.net:8080/vogel"]);
    assert_eq!(urls("\"error handling\"", ""), [DOCS]);
    assert_eq!(urls("error -birds", ""), ["https://docs.example.org/errors"]);
    let both = urls("error", "");
    assert_eq!(both.len(), 2);
    assert_eq!(urls("error", "--limit 1 --offset 1"), both[1..]);
    assert_eq!(urls("error", "--per-host 1"), both[..1]);
    let run = site.run("search error --explain --limit 1");
    assert!(run.out.contains("score ") && run.out.contains(" * freshness "), "{}", run.out);
    let run = site.run("search error --limit 10000 --offset 1");
    assert_eq!(run.code, 2);
    assert!(run.err.contains("only the best 10000 hits can be listed"), "{}", run.err);
}

#[test]
fn beside_a_running_engine() {
    let site = Site::new();
    let _engine = engine(&site.data(), "{}");
    assert_eq!(site.json("search error")["total"], 2);
}
