mod published;
mod rfc9309;

use std::time::Duration;

use proptest::prelude::*;

use super::{
    lines::{Field, read},
    pattern::comparable_path,
    *,
};
use crate::address::PageUrl;

/// A file, who asks, and what that crawler may and may not fetch (paths with query).
struct Case {
    says: &'static str,
    file: &'static str,
    agent: &'static str,
    allowed: &'static [&'static str],
    refused: &'static [&'static str],
}

fn check(cases: &[Case]) {
    for case in cases {
        let robots_txt = RobotsTxt::parse(case.file.as_bytes(), case.agent);
        for (paths, expected) in [(case.allowed, true), (case.refused, false)] {
            for path in paths {
                assert_eq!(robots_txt.allows(path), expected, "{}: {} asks for {path}", case.says, case.agent);
                // The same as an address, which is how the crawler asks.
                let page = PageUrl::parse(&format!("http://foo.bar{path}")).unwrap();
                let asked = page.path_and_query();
                assert_eq!(robots_txt.allows(asked), expected, "{}: {} asks for {page}", case.says, case.agent);
            }
        }
    }
}

fn delay(file: &str) -> Option<Duration> {
    RobotsTxt::parse(file.as_bytes(), "FooBot").delay()
}

#[test]
fn delays_are_read_and_limited() {
    let seconds = |text: &str| delay(&format!("user-agent: *\ncrawl-delay: {text}\n"));
    assert_eq!(seconds("10"), Some(Duration::from_secs(10)));
    assert_eq!(seconds("0.5"), Some(Duration::from_millis(500)));
    assert_eq!(seconds(".25 # often"), Some(Duration::from_millis(250)));
    assert_eq!(seconds("3s"), Some(Duration::from_secs(3)));
    assert_eq!(seconds("0"), Some(Duration::ZERO));
    assert_eq!(seconds(&"9".repeat(400)), Some(MAX_DELAY));
    for wrong in ["", "-1", "soon", "1.2.3", "inf", "NaN"] {
        assert_eq!(seconds(wrong), None, "{wrong}");
    }
}

#[test]
fn a_delay_is_for_those_its_group_names() {
    assert_eq!(delay("crawl-delay: 5\n"), None);
    assert_eq!(delay("user-agent: BarBot\ncrawl-delay: 5\ndisallow: /x\nuser-agent: *\ndisallow: /\n"), None);
    assert_eq!(delay("user-agent: *\ncrawl-delay: 5\ndisallow: /x\nuser-agent: FooBot\ndisallow: /y\n"), None);
    let own = "user-agent: *\ncrawl-delay: 5\ndisallow: /x\nuser-agent: FooBot\ncrawl-delay: 2\nallow: /\n";
    assert_eq!(delay(own), Some(Duration::from_secs(2)));
    let twice = "user-agent: FooBot\ncrawl-delay: 3\nallow: /\nuser-agent: FooBot\ncrawl-delay: 2\n";
    assert_eq!(delay(twice), Some(Duration::from_secs(3)));
}

#[test]
fn status_decides() {
    let file = b"user-agent: *\ndisallow: /private\n";
    let answer = |status| RobotsTxt::from_answer(status, file, "FooBot");
    for status in [200, 204, 299] {
        assert!(answer(status).allows("/") && !answer(status).allows("/private"), "{status}");
    }
    for status in [301, 308, 400, 401, 403, 404, 410, 429, 499] {
        assert!(answer(status).allows("/private"), "{status}");
    }
    for status in [0, 100, 500, 503, 599, 600] {
        assert!(!answer(status).allows("/") && answer(status).allows("/robots.txt"), "{status}");
    }
}

#[test]
fn only_whole_lines_within_the_limit_count() {
    let head = "user-agent: *\ndisallow: /first\n";
    let padding = "#".repeat(MAX_BYTES - head.len() - 30);
    let file = format!("{head}{padding}\ndisallow: /second\ndisallow: /third-is-cut\n");
    assert!(file.len() > MAX_BYTES);
    let robots_txt = RobotsTxt::parse(file.as_bytes(), "FooBot");
    assert!(!robots_txt.allows("/first") && !robots_txt.allows("/second"));
    assert!(robots_txt.allows("/third-is-cut") && robots_txt.allows("/t"));
}

#[test]
fn a_crawler_may_have_digits_in_its_name() {
    let file = b"user-agent: Foo2/1.0\ndisallow: /\n";
    assert!(!RobotsTxt::parse(file, "foo2").allows("/"));
    assert!(RobotsTxt::parse(file, "foo3").allows("/"));
}

#[test]
fn patterns_of_stars_come_to_an_end() {
    let stars = format!("user-agent: *\ndisallow: /{}b$\ndisallow: /{}c\n", "*a".repeat(5_000), "*".repeat(8_000));
    let robots_txt = RobotsTxt::parse(stars.as_bytes(), "FooBot");
    let path = format!("/{}", "a".repeat(100_000));
    // Matching that goes back and tries again would not end.
    assert!(robots_txt.allows(&path));
    assert!(!robots_txt.allows(&format!("{path}c")));
}

/// Prints the time per path: `cargo test -p crawl --lib measure -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn measure_rules() {
    // A thousand rules each, and then as many as fit.
    let literal: String = (0..1_000).map(|i| format!("disallow: /section{}/page{i}\n", i % 40)).collect();
    let wild: String = (0..1_000).map(|i| format!("disallow: /*/page{i}$\n")).collect();
    let mixed: String = (0..500).map(|i| format!("disallow: /s{i}/\nallow: /s{i}/*.html$\n")).collect();
    let hostile: String = (0..30_000).map(|i| format!("allow: /*a{i}\n")).collect();
    let files =
        [("literal", literal), ("literal and folder", mixed), ("all begin with /*", wild), ("30,000 /*", hostile)];
    for (name, rules) in files {
        let file = format!("user-agent: *\n{rules}");
        let started = std::time::Instant::now();
        let robots_txt = RobotsTxt::parse(file.as_bytes(), "FooBot");
        let parse = started.elapsed().as_micros();
        let paths: Vec<String> = (0..20).map(|i| format!("/s{i}/docs/page{i}.html")).collect();
        let run = || {
            let started = std::time::Instant::now();
            std::hint::black_box(paths.iter().filter(|path| robots_txt.allows(path)).count());
            started.elapsed().as_nanos() / 20
        };
        let ask = (0..200).map(|_| run()).min().unwrap();
        println!("rules {name:20} {ask:6} ns per path, parsed in {parse} us");
    }
}

/// Whether a pattern in comparable form matches, by the table of all prefixes: slow and plain.
fn matches_by_table(pattern: &[u8], path: &[u8]) -> bool {
    let (pattern, is_anchored) = pattern.strip_suffix(b"$").map_or((pattern, false), |open| (open, true));
    let mut reached = vec![false; path.len() + 1];
    reached[0] = true;
    for token in pattern {
        if *token == b'*' {
            let first = reached.iter().position(|r| *r).unwrap_or(reached.len());
            reached.iter_mut().skip(first).for_each(|r| *r = true);
        } else {
            let step = |at: usize| at > 0 && reached[at - 1] && path[at - 1] == *token;
            reached = (0..=path.len()).map(step).collect();
        }
    }
    if is_anchored { reached[path.len()] } else { reached.contains(&true) }
}

/// The strongest rule by trying all of them.
fn allows_by_trying(rules: &[(bool, String)], path: &str) -> bool {
    let octets = |is_allowed: bool| {
        let of_kind = rules.iter().filter(|(allowed, pattern)| *allowed == is_allowed && !pattern.is_empty());
        of_kind.filter(|(_, p)| matches_by_table(p.as_bytes(), path.as_bytes())).map(|(_, p)| p.len()).max()
    };
    octets(true) >= octets(false)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn prepared_rules_answer_as_all_rules_tried(
        rules in prop::collection::vec((any::<bool>(), "/[ab/*]{0,6}[$]?"), 0..12),
        paths in prop::collection::vec("/[ab/]{0,8}", 1..8),
    ) {
        let line = |(is_allowed, path): &(bool, String)| format!("{}: {path}\n", if *is_allowed { "allow" } else { "disallow" });
        let file: String = rules.iter().map(line).collect();
        let robots_txt = RobotsTxt::parse(format!("user-agent: *\n{file}").as_bytes(), "FooBot");
        for path in &paths {
            prop_assert_eq!(robots_txt.allows(path), allows_by_trying(&rules, path), "{} in {}", path, file);
        }
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..600), path in any::<String>()) {
        let mut file = b"user-agent: *\ndisallow: /".to_vec();
        file.extend(&bytes);
        for text in [&bytes, &file] {
            let robots_txt = RobotsTxt::parse(text, "FooBot");
            prop_assert_eq!(robots_txt.allows(&path), robots_txt.clone().allows(&path));
            prop_assert!(robots_txt.delay() <= Some(MAX_DELAY));
            prop_assert!(robots_txt.allows("/robots.txt"));
        }
    }

    #[test]
    fn a_path_disallowed_as_written_is_refused(path in "/[!-~&&[^*$#.?\\\\]]{0,20}([?]q[!-~&&[^*$#]]{0,9})?") {
        // Written as a rule, then asked for as the address that a link with this text leads to.
        let robots_txt = RobotsTxt::parse(format!("user-agent: *\ndisallow: {path}\n").as_bytes(), "FooBot");
        prop_assert!(!robots_txt.allows(&path));
        let page = PageUrl::parse(&format!("http://foo.bar{path}")).unwrap();
        prop_assert!(!robots_txt.allows(page.path_and_query()), "{}", page);
    }

    #[test]
    fn the_comparable_form_is_final(path in any::<String>()) {
        let once = comparable_path(&path).into_owned();
        prop_assert!(once.starts_with(b"/") && once.is_ascii());
        if !path.contains('%') {
            let again = comparable_path(std::str::from_utf8(&once).unwrap()).into_owned();
            prop_assert_eq!(again, once);
        }
    }
}
