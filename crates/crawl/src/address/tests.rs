use proptest::prelude::*;
use url::Url;

use super::*;

fn page(text: &str) -> PageUrl {
    PageUrl::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn one_page_has_one_address() {
    let cases = [
        ("http://example.org", "http://example.org/"),
        ("  HTTP://Example.ORG:80/a b\n", "http://example.org/a%20b"),
        ("https://example.org:443/#top", "https://example.org/"),
        ("https://example.org:8443", "https://example.org:8443/"),
        ("https://b\u{fc}cher.example/stra\u{df}e", "https://xn--bcher-kva.example/stra%C3%9Fe"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://[2001:DB8:0::1]:8080/", "http://[2001:db8::1]:8080/"),
        ("http://e.org/a/./b/../c/%2e%2e/d", "http://e.org/a/d"),
        ("http://e.org/../../x", "http://e.org/x"),
        ("http://e.org\\a\\b", "http://e.org/a/b"),
        ("http://e.org/%7ejoe/%41%2d%2f%c3%a9", "http://e.org/~joe/A-%2F%C3%A9"),
        ("http://e.org/%", "http://e.org/%"),
        ("http://e.org/%%361", "http://e.org/%%361"),
        ("http://e.org/%4%31", "http://e.org/%4%31"),
        ("http://e.org/a//b", "http://e.org/a//b"),
        ("http://e.org/?", "http://e.org/"),
        ("http://e.org/?b=2&a=1", "http://e.org/?b=2&a=1"),
        ("http://e.org/?a=%7e&b='", "http://e.org/?a=~&b=%27"),
        ("http://e.org/?utm_source=x&a=1&utm_medium=y&b&gclid=z", "http://e.org/?a=1&b"),
        ("http://e.org/?%75tm_source=x", "http://e.org/"),
        ("http://e.org/?utm_source=x&", "http://e.org/"),
        ("http://e.org/?&&a", "http://e.org/?&&a"),
        ("http://e.org/a;jsessionid=0A1B?x=1", "http://e.org/a?x=1"),
        ("http://e.org/a;v=1;JSESSIONID=0A1B;w=2/b", "http://e.org/a;v=1;w=2/b"),
        ("http://e.org/..;jsessionid=1/b", "http://e.org/..;jsessionid=1/b"),
        ("http://e.org/(S(lit3py55t21z5v55vlm25s55))/a.aspx", "http://e.org/a.aspx"),
        ("http://e.org/f(x)/a", "http://e.org/f(x)/a"),
        ("http://e.org/?PHPSESSID=1&p=2", "http://e.org/?p=2"),
        ("http://e.org/?sid=0123456789abcdef0123456789abcdef", "http://e.org/"),
        ("http://e.org/?sid=12", "http://e.org/?sid=12"),
    ];
    for (written, normal) in cases {
        assert_eq!(page(written).as_str(), normal, "{written}");
    }
}

#[test]
fn what_is_no_page_is_refused() {
    let refused = |text: &str| PageUrl::parse(text).unwrap_err();
    assert_eq!(refused("ftp://e.org/"), UrlError::Scheme);
    assert_eq!(refused("mailto:a@e.org"), UrlError::Scheme);
    assert_eq!(refused("http://user@e.org/"), UrlError::Credentials);
    assert_eq!(refused("http://:secret@e.org/"), UrlError::Credentials);
    for text in ["", "e.org/a", "/a", "http://", "http://a b/", "http://e.org:99999/", "http://[::1/"] {
        assert!(matches!(refused(text), UrlError::Malformed(_)), "{text}");
    }
}

#[test]
fn length_is_limited_after_normalising() {
    let fits = format!("http://e.org/{}", "a".repeat(MAX_LENGTH - 13));
    assert_eq!(page(&fits).as_str().len(), MAX_LENGTH);
    assert_eq!(PageUrl::parse(&format!("{fits}a")), Err(UrlError::TooLong));
    assert_eq!(page(&format!("{fits}?utm_source=x")).as_str(), fits);
    assert_eq!(page("http://e.org/").join(&"a".repeat(MAX_LENGTH)), Err(UrlError::TooLong));
    assert_eq!(page("http://e.org/").join(&format!("#{}", "a".repeat(100_000))), Ok(page("http://e.org/")));
}

#[test]
fn parts_are_where_they_belong() {
    let url = page("https://www.example.co.uk:8443/a/b?c=d");
    assert_eq!((url.scheme(), url.authority(), url.host()), ("https", "www.example.co.uk:8443", "www.example.co.uk"));
    assert_eq!((url.origin(), url.path(), url.query()), ("https://www.example.co.uk:8443", "/a/b", Some("c=d")));
    assert_eq!((url.path_and_query(), url.registrable_domain()), ("/a/b?c=d", "example.co.uk"));
    let key = url.host_key();
    assert_eq!((key.as_str(), key.host()), ("https://www.example.co.uk:8443", "www.example.co.uk"));
    assert_eq!(key.robots_txt().unwrap().as_str(), "https://www.example.co.uk:8443/robots.txt");
    assert_eq!(page("http://e.org/").query(), None);
}

#[test]
fn a_host_key_tells_schemes_and_ports_apart() {
    let key = |text: &str| page(text).host_key();
    assert_eq!(key("http://e.org/a"), key("HTTP://E.org:80/b?c"));
    assert_ne!(key("http://e.org/"), key("https://e.org/"));
    assert_ne!(key("http://e.org/"), key("http://e.org:8080/"));
}

#[test]
fn domains_are_those_someone_registered() {
    let cases = [
        ("http://a.b.example.com/", "example.com"),
        ("http://someone.github.io/", "someone.github.io"),
        ("http://localhost/", "localhost"),
        ("http://192.168.1.7/", "192.168.1.7"),
        ("http://[::1]/", "[::1]"),
        ("http://com/", "com"),
        ("http://wiki.intranet/", "wiki.intranet"),
    ];
    for (url, domain) in cases {
        assert_eq!(page(url).registrable_domain(), domain, "{url}");
    }
}

#[test]
fn links_are_resolved() {
    let base = page("https://e.org/a/b/c.html?x=1");
    let cases = [
        ("", "https://e.org/a/b/c.html?x=1"),
        ("#top", "https://e.org/a/b/c.html?x=1"),
        ("d.html", "https://e.org/a/b/d.html"),
        (" d.html ", "https://e.org/a/b/d.html"),
        ("d #x", "https://e.org/a/b/d%20"),
        ("./", "https://e.org/a/b/"),
        ("..", "https://e.org/a/"),
        ("../../../../d", "https://e.org/d"),
        (".hidden", "https://e.org/a/b/.hidden"),
        ("...", "https://e.org/a/b/..."),
        ("d/../e/.", "https://e.org/a/b/e/"),
        ("/", "https://e.org/"),
        ("/d//e", "https://e.org/d//e"),
        ("?y=2", "https://e.org/a/b/c.html?y=2"),
        ("?", "https://e.org/a/b/c.html"),
        ("//other.org", "https://other.org/"),
        ("//other.org?q", "https://other.org/?q"),
        ("http://other.org/x/../y", "http://other.org/y"),
        ("HTTPS://Other.org/x", "https://other.org/x"),
        ("https:d", "https://e.org/a/b/d"),
        ("http://1.2/", "http://1.0.0.2/"),
        ("1:2", "https://e.org/a/b/1:2"),
        ("d\n/e", "https://e.org/a/b/d/e"),
        ("\\d", "https://e.org/d"),
        ("d%2ehtml", "https://e.org/a/b/d.html"),
        ("%2e%2e/d", "https://e.org/a/d"),
        ("f\u{e9}", "https://e.org/a/b/f%C3%A9"),
    ];
    for (href, target) in cases {
        assert_eq!(base.join(href).unwrap().as_str(), target, "{href:?}");
    }
    for href in ["mailto:a@e.org", "javascript:void(0)", "tel:+1", "data:text/html,x", "java\nscript:x"] {
        assert_eq!(base.join(href), Err(UrlError::Scheme), "{href:?}");
    }
    assert_eq!(base.join("http://u:p@e.org/"), Err(UrlError::Credentials));
}

#[test]
fn further_rules_can_be_asked_for() {
    let rules = Normaliser::new().merge_slashes(true).drop_parameter("ref");
    let url = PageUrl::parse_with("http://e.org//a///b/?ref=1&refs=2&a=//", &rules).unwrap();
    assert_eq!(url.as_str(), "http://e.org/a/b/?refs=2&a=//");
    assert_eq!(Resolver::with(&url, &rules).join("c//d?ref").unwrap().as_str(), "http://e.org/a/b/c/d");
}

#[test]
fn keys_are_stable_and_depend_on_the_seed() {
    let url = page("https://example.org/");
    assert_eq!(url.key(1), page("HTTPS://EXAMPLE.ORG").key(1));
    assert_ne!(url.key(1), url.key(2));
    assert_ne!(url.key(1), page("https://example.org/a").key(1));
    // Kept with the pages: a change of this value would make every known page unknown.
    assert_eq!(url.key(7), KEY_OF_EXAMPLE_ORG_WITH_SEED_7);
}

const KEY_OF_EXAMPLE_ORG_WITH_SEED_7: u64 = 3_291_517_970_683_170_680;

/// Prints the time per link: `cargo test -p crawl --lib measure -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn measure_links() {
    let base = page("https://docs.example.org/3/library/asyncio-task.html");
    type Make = fn(usize) -> String;
    let kinds: [(&str, Make); 6] = [
        ("relative", |i| format!("../reference/page{i}.html#section-{i}")),
        ("rooted", |i| format!("/3/library/module{i}.html")),
        ("other host", |i| format!("https://www.example{i}.com/path/to/page.html")),
        ("query", |i| format!("/search?q=word{i}&page=2&utm_source=feed")),
        ("escaped", |i| format!("/wiki/Z%C3%BCrich_{i}")),
        ("non-ASCII (parser)", |i| format!("/wiki/Z\u{fc}rich_{i}")),
    ];
    for (name, make) in kinds {
        let hrefs: Vec<String> = (0..1_000).map(make).collect();
        let ns = |join: &dyn Fn(&Resolver<'_>, &str) -> u64| {
            let run = || {
                let resolver = Resolver::new(&base);
                let started = std::time::Instant::now();
                let sum = hrefs.iter().fold(0, |sum, href| sum ^ join(&resolver, href));
                std::hint::black_box(sum);
                started.elapsed().as_nanos() / 1_000
            };
            (0..500).map(|_| run()).min().unwrap()
        };
        let join = ns(&|resolver, href| resolver.join(href).unwrap().as_str().len() as u64);
        let keyed = ns(&|resolver, href| resolver.join(href).unwrap().key(7));
        let parser = ns(&|resolver, href| resolver.join_any(href).unwrap().as_str().len() as u64);
        println!("{name:20} join {join:5} ns, join and key {keyed:5} ns, always through the parser {parser:5} ns");
    }
}

/// Pieces of which nasty links are made.
fn hrefs() -> impl Strategy<Value = String> {
    const PIECES: &[&str] = &[
        "/",
        "/",
        ".",
        "..",
        "a",
        "B",
        "%",
        "%2e",
        "%2E",
        "%41",
        "%2f",
        "%36",
        "%c3%a9",
        "?",
        "&",
        "=",
        "#",
        ":",
        ";",
        "\\",
        " ",
        "\t",
        "\n",
        "\u{e9}",
        "\u{3002}",
        "'",
        "\"",
        "<",
        "|",
        "[",
        "]",
        "{",
        "^",
        "`",
        "@",
        "!",
        "$",
        "(",
        ")",
        "*",
        "+",
        ",",
        "~",
        "_",
        "-",
        "0",
        "7",
        "x",
        "//",
        "http:",
        "https://",
        "HTTP://",
        "ftp:",
        "e.org",
        "E.ORG",
        "e.org:80",
        "xn--",
        "xn--bcher-kva",
        "1.2.3.4",
        "0x1",
        "[::1]",
        "utm_source=x",
        ";jsessionid=1",
        "sid=",
        "(S(lit3py55t21z5v55vlm25s55))",
        "0123456789abcdef0123456789abcdef",
        "\u{0}",
        "\u{ad}",
        "\u{ff0e}",
    ];
    prop_oneof![
        8 => prop::collection::vec(prop::sample::select(PIECES), 0..12).prop_map(|pieces| pieces.concat()),
        1 => any::<String>(),
    ]
}

fn bases() -> impl Strategy<Value = PageUrl> {
    let written = hrefs().prop_map(|rest| format!("http://e.org/{rest}"));
    prop_oneof![Just("https://e.org/a/b/c?d".to_owned()), Just("http://e.org:8080/".to_owned()), written]
        .prop_filter_map("no page", |text| PageUrl::parse(&text).ok())
}

/// Whether a segment looks like `C:`. The parser (url 2.5.8) keeps it against `..`, as is right for files only; we do not.
fn has_drive_letter(text: &str) -> bool {
    text.split(['/', '\\', '?', '#']).any(|segment| {
        let kept: String = segment.chars().filter(|c| *c > ' ').collect();
        kept.len() == 2 && kept.ends_with([':', '|'])
    })
}

/// Enough to find what a thousand did not: an escape behind a stray percent sign behind a session id.
const CASES: u32 = 20_000;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(CASES))]

    #[test]
    fn normalising_twice_changes_nothing(base in bases(), href in hrefs()) {
        for found in [PageUrl::parse(&href), base.join(&href)].into_iter().flatten() {
            let again = page(found.as_str());
            prop_assert_eq!(again.as_str(), found.as_str());
            let parsed = Url::parse(found.as_str()).unwrap();
            prop_assert_eq!(parsed.as_str(), found.as_str());
            prop_assert_eq!((parsed.path(), parsed.query(), parsed.host_str()), (found.path(), found.query(), Some(found.host())));
            prop_assert!(found.as_str().len() <= MAX_LENGTH && found.as_str().is_ascii());
        }
    }

    #[test]
    fn plain_links_resolve_as_the_parser_resolves_them(base in bases(), href in hrefs()) {
        if has_drive_letter(&format!("{base}/{href}")) {
            return Ok(());
        }
        let resolver = Resolver::new(&base);
        prop_assert_eq!(resolver.join(&href).ok(), resolver.join_any(&href).ok());
    }

    #[test]
    fn slashes_are_merged_once_and_for_all(href in hrefs()) {
        let rules = Normaliser::new().merge_slashes(true);
        if let Ok(found) = PageUrl::parse_with(&format!("http://e.org/{href}"), &rules) {
            prop_assert!(!found.path().contains("//"));
            prop_assert_eq!(PageUrl::parse_with(found.as_str(), &rules), Ok(found));
        }
    }
}
