//! Answers in, meanings out.

use std::net::{IpAddr, Ipv4Addr};

use proptest::prelude::*;

use super::*;
use crate::scope::ScopeRules;

const PAGE: &str = "http://site.example/dir/page";
const NOW: Timestamp = Timestamp(1_700_000_000_000);

fn url(text: &str) -> PageUrl {
    PageUrl::parse(text).unwrap()
}

fn examiner() -> Examiner {
    let rules = ScopeRules { exclude: vec!["/private/".into()], max_depth: Some(5), ..ScopeRules::default() };
    Examiner {
        scope: Scope::new(&[url("http://site.example/")], &rules).unwrap(),
        limits: Limits::default(),
        most_bytes: 100_000,
        seed: 7,
        least_change: 0.1,
    }
}

fn answer(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Answer {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec()));
    Answer { status, headers: headers.collect(), body: body.as_ref().to_vec(), truncated: false, address: None }
}

fn html(body: &str) -> Answer {
    answer(200, &[("Content-Type", "text/html; charset=utf-8")], body)
}

/// What an answer means for a page of which nothing is known.
fn meaning(answer: Answer) -> Meaning {
    meaning_for(&Values::default(), answer)
}

fn meaning_for(known: &Values, answer: Answer) -> Meaning {
    examiner().examine((&url(PAGE), 1), known, &Ok(answer), NOW)
}

fn read(answer: Answer) -> Reading {
    match meaning(answer) {
        Meaning::Read { reading, .. } => *reading,
        other => panic!("not read: {other:?}"),
    }
}

fn failed(answer: Answer) -> Failure {
    match meaning(answer) {
        Meaning::Failed(failure) => failure,
        other => panic!("not failed: {other:?}"),
    }
}

/// The values of a page that was read with this text.
fn known(text: &str) -> Values {
    let fingerprint = read(html(text)).fingerprint;
    Values {
        state: State::Fetched,
        text_hash: Some(fingerprint.hash.to_be_bytes()),
        sketch: fingerprint.to_bytes().to_vec(),
        ..Values::default()
    }
}

/// `count` words, all different.
fn words(count: usize) -> String {
    (0..count).map(|n| format!("word{} ", n * 7919 % 100_003)).collect()
}

#[test]
fn statuses() {
    let told = |status| match meaning(answer(status, &[("Location", "/there")], "")) {
        Meaning::NotModified => "not modified",
        Meaning::Read { .. } => "read",
        Meaning::Redirect(Target::Inside(_)) => "redirect",
        Meaning::Redirect(_) => "nowhere",
        Meaning::Gone => "gone",
        Meaning::Skipped(_) => "skipped",
        Meaning::Failed(Failure { trouble: Trouble::Page, .. }) => "page failed",
        Meaning::Failed(Failure { trouble: Trouble::Perhaps, .. }) => "host failed?",
        Meaning::Failed(Failure { trouble: Trouble::Host | Trouble::Here, .. }) => "host failed",
    };
    for (status, meant) in [
        (100, "page failed"),
        // An empty body without a type is of no kind.
        (200, "skipped"),
        (204, "skipped"),
        (300, "page failed"),
        (301, "redirect"),
        (302, "redirect"),
        (303, "redirect"),
        (304, "page failed"),
        (305, "page failed"),
        (307, "redirect"),
        (308, "redirect"),
        (400, "page failed"),
        (401, "page failed"),
        (403, "page failed"),
        (404, "gone"),
        (410, "gone"),
        (418, "page failed"),
        (429, "host failed"),
        (451, "page failed"),
        (500, "host failed?"),
        (502, "host failed?"),
        (503, "host failed"),
        (504, "host failed?"),
        (999, "host failed?"),
    ] {
        assert_eq!(told(status), meant, "{status}");
    }
}

#[test]
fn only_a_copy_that_is_there_can_be_current() {
    let told = |known: &Values| matches!(meaning_for(known, answer(304, &[], "")), Meaning::NotModified);
    let fetched = known(&words(50));
    assert!(told(&fetched));
    assert!(!told(&Values::default()));
    for state in [State::Duplicate, State::Gone, State::Excluded] {
        assert!(!told(&Values { state, ..fetched.clone() }), "{state:?}");
    }
}

#[test]
fn redirects_lead_to_pages_of_the_crawl_only() {
    let target = |location: &str| match meaning(answer(302, &[("Location", location)], "")) {
        Meaning::Redirect(Target::Inside(to)) => Some(to.url.as_str().to_owned()),
        Meaning::Redirect(_) => None,
        other => panic!("{location}: {other:?}"),
    };
    assert_eq!(target("/there?utm_source=x#part").as_deref(), Some("http://site.example/there"));
    assert_eq!(target("other").as_deref(), Some("http://site.example/dir/other"));
    assert_eq!(target("https://www.site.example/").as_deref(), Some("https://www.site.example/"));
    let long = "x".repeat(100_000);
    for nowhere in [
        // To itself: a cookie is wanted that is never brought.
        PAGE,
        "page#again",
        "http://other.example/",
        "/private/page",
        "javascript:alert(1)",
        "data:text/html,x",
        "http://user:secret@site.example/",
        "http://",
        "http://[::1",
        &long,
    ] {
        assert_eq!(target(nowhere), None, "{nowhere}");
    }
    let outside = Meaning::Redirect(Target::Outside(url("http://other.example/")));
    assert_eq!(format!("{:?}", meaning(answer(301, &[("Location", "//other.example")], ""))), format!("{outside:?}"));
    assert!(matches!(meaning(answer(302, &[], "")), Meaning::Redirect(Target::Nowhere)));
    let odd = Answer { headers: vec![("Location".into(), b"/\xff\xfe".to_vec())], ..answer(301, &[], "") };
    assert!(matches!(meaning(odd), Meaning::Redirect(Target::Nowhere)));
}

#[test]
fn a_page_can_lead_elsewhere_by_itself() {
    let refresh = |content: &str| format!("<meta http-equiv=refresh content=\"{content}\"><p>{}", words(50));
    let leads = |content: &str| matches!(meaning(html(&refresh(content))), Meaning::Redirect(Target::Inside(_)));
    assert!(leads("0; url=/there"));
    assert!(!leads("0; url=/dir/page"), "to itself");
    assert!(!leads("0; url=http://other.example/"), "out of the crawl: then the page itself is all there is");
    assert!(!leads("30"));
}

#[test]
fn changes_count_by_their_size() {
    let text = words(200);
    let outcome = |known: &Values, body: &str| match meaning_for(known, html(body)) {
        Meaning::Read { outcome, .. } => outcome,
        other => panic!("{other:?}"),
    };
    let before = known(&text);
    assert_eq!(outcome(&Values::default(), &text), Outcome::New);
    assert_eq!(outcome(&before, &text), Outcome::Unchanged);
    assert_eq!(outcome(&before, &format!("<nav><a href=/>home</a></nav><p>{text}</p>")), Outcome::Unchanged);
    assert_eq!(outcome(&before, &text.replace("word7919 ", "another ")), Outcome::Unchanged, "one word of 200");
    assert_eq!(outcome(&before, &words(400)), Outcome::Changed);
    let damaged = Values { sketch: vec![1, 2, 3], ..before };
    assert_eq!(outcome(&damaged, &text), Outcome::New, "what cannot be compared is new");
}

#[test]
fn links_are_taken_once_inside_the_crawl_and_where_they_may_be_followed() {
    let body = "<base href='/base/'><a href=a>1</a><a href='a#x'>2</a><a href='./a?gclid=1'>3</a><a href=b rel=nofollow>4</a>\
        <a href='http://other.example/'>5</a><a href='/private/x'>6</a><a href='javascript:x()'>7</a><a href='data:,x'>8</a>\
        <a href='mailto:a@b.example'>9</a><a href='/pic.jpg'>10</a><a href='c\u{1}\u{2}d'>11</a><a href='\n/e\tf\n'>12</a>\
        <a href='//site.example/g'>13</a><a href='http://site.example:99999/'>14</a><a href='/h\0i'>15</a>";
    let reading = read(html(body));
    let mut found: Vec<&str> = reading.links.iter().map(|link| link.url.as_str()).collect();
    found.sort_unstable();
    let origin = "http://site.example";
    let wanted = ["/base/a", "/base/c%01%02d", "/ef", "/g", "/h%00i"].map(|path| format!("{origin}{path}"));
    assert_eq!(found, wanted);
    assert!(reading.page.links.is_empty(), "what was found is not kept twice");
    let deep = examiner().examine((&url(PAGE), 5), &Values::default(), &Ok(html("<a href=/x>x</a>")), NOW);
    assert!(matches!(deep, Meaning::Read { reading, .. } if reading.links.is_empty()), "deeper than allowed");
}

#[test]
fn what_a_page_allows() {
    let meta = |content: &str| format!("<meta name=robots content='{content}'><a href=/x>x</a><p>{}", words(50));
    let directives = |headers: &[(&str, &str)], body: &str| {
        let headers: Vec<(&str, &str)> = headers.iter().copied().chain([("Content-Type", "text/html")]).collect();
        let reading = read(answer(200, &headers, body));
        (reading.directives, reading.links.len())
    };
    let (all, links) = directives(&[], &meta("all"));
    assert_eq!((all, links), (Directives::default(), 1));
    let (both, links) = directives(&[("X-Robots-Tag", "noarchive"), ("x-robots-tag", "nofollow")], &meta("noindex"));
    assert!(both.noindex && both.nofollow && both.noarchive && links == 0);
    let (others, links) = directives(&[("X-Robots-Tag", "otherbot: noindex, nofollow")], &meta("index"));
    assert_eq!((others, links), (Directives::default(), 1));
    assert!(directives(&[("X-Robots-Tag", "oriole: noindex")], &meta("")).0.noindex);
    assert!(directives(&[], &meta("none")).0.noindex);
    let (ended, _) = directives(&[("X-Robots-Tag", "unavailable_after: 2020-01-01")], &meta(""));
    assert!(!ended.may_index(NOW.0 / 1000));
}

#[test]
fn the_page_to_be_shown_instead() {
    let canonical = |href: &str| {
        let reading = read(html(&format!("<link rel=canonical href='{href}'><p>{}", words(50))));
        reading.canonical.map(|to| to.as_str().to_owned())
    };
    assert_eq!(canonical("/best").as_deref(), Some("http://site.example/best"));
    for none in [PAGE, "page?utm_medium=x", "http://other.example/best", "/private/best", "", "http://["] {
        assert_eq!(canonical(none), None, "{none}");
    }
}

#[test]
fn feeds_and_kinds() {
    let feed = "<link rel=alternate type='application/rss+xml' href=/feed.xml><p>text";
    assert_eq!(read(html(feed)).feeds, [url("http://site.example/feed.xml")]);
    for kind in ["image/png", "video/mp4", "application/zip", "application/json"] {
        let told = meaning(answer(200, &[("Content-Type", kind)], "\u{1}\u{2}"));
        assert!(matches!(&told, Meaning::Skipped(ExtractError::Unsupported { .. })), "{kind}: {told:?}");
    }
    let text = read(answer(200, &[("Content-Type", "text/plain")], "plain words"));
    assert_eq!(text.page.text, "plain words");
}

#[test]
fn bodies_are_decompressed_within_limits() {
    let body = zstd::stream::encode_all(words(50).as_bytes(), 3).unwrap();
    let headers = [("Content-Type", "text/html"), ("Content-Encoding", "zstd")];
    assert_eq!(read(answer(200, &headers, &body)).page.text, words(50).trim());
    let long = zstd::stream::encode_all(words(100_000).as_bytes(), 3).unwrap();
    let start = read(answer(200, &headers, &long)).page.text;
    assert!(words(100_000).starts_with(&start) && start.len() > 90_000, "the start of what is too long is read");
    let bomb = zstd::stream::encode_all(&vec![0; 10_000_000][..], 3).unwrap();
    assert!(matches!(meaning(answer(200, &headers, bomb)), Meaning::Skipped(_)));
    let lie = failed(answer(200, &headers, "not compressed"));
    assert_eq!(lie.trouble, Trouble::Page);
    let unknown = failed(answer(200, &[("Content-Encoding", "compress")], "x"));
    assert!(unknown.reason.contains("not asked for"), "{}", unknown.reason);
}

#[test]
fn servers_say_how_long_to_wait() {
    let wait = |status, value: &str| failed(answer(status, &[("Retry-After", value)], "")).retry_after;
    assert_eq!(wait(429, "120"), Some(120.0));
    assert_eq!(wait(503, "Tue, 14 Nov 2023 22:14:20 GMT"), Some(60.0));
    assert_eq!(wait(503, "Tue, 14 Nov 2000 22:14:20 GMT"), Some(0.0));
    assert_eq!(wait(500, "999999999999"), Some(86_400.0));
    assert_eq!(wait(503, "soon"), None);
    assert_eq!(wait_asked(&Ok(answer(429, &[("Retry-After", "7")], "")), NOW), Some(7.0));
    assert_eq!(wait_asked(&Ok(answer(503, &[], "")), NOW), Some(0.0));
    assert_eq!(wait_asked(&Ok(answer(404, &[("Retry-After", "7")], "")), NOW), None);
    assert_eq!(wait_asked(&Err(FetchError::Timeout), NOW), None);
}

#[test]
fn no_answer_is_the_trouble_of_the_host_or_the_page() {
    let trouble = |error| match examiner().examine((&url(PAGE), 1), &Values::default(), &Err(error), NOW) {
        Meaning::Failed(failure) => failure.trouble,
        other => panic!("{other:?}"),
    };
    assert_eq!(trouble(FetchError::Request("x".into())), Trouble::Page);
    assert_eq!(trouble(FetchError::Files), Trouble::Page);
    assert_eq!(trouble(FetchError::Answer("x".into())), Trouble::Perhaps);
    assert_eq!(trouble(FetchError::Timeout), Trouble::Perhaps);
    assert_eq!(trouble(FetchError::Connect("x".into())), Trouble::Host);
    assert_eq!(trouble(FetchError::Name("x".into())), Trouble::Host);
    assert_eq!(trouble(FetchError::Private(IpAddr::V4(Ipv4Addr::LOCALHOST))), Trouble::Here);
}

fn any_answer() -> impl Strategy<Value = Answer> {
    let piece = prop::sample::select(vec![
        "<a href='",
        "'>",
        "<base href='",
        "/x",
        "http://site.example/",
        "//other.example",
        "<meta name=robots content='",
        "noindex",
        "nofollow,",
        "<link rel=canonical href='",
        "<meta http-equiv=refresh content='0;url=",
        "<p>",
        "word ",
        "<title>",
        "\0",
        "%PDF-1.4",
        "<?xml",
        "\u{feff}",
        "&#0;",
        "<![CDATA[",
    ]);
    let markup = prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat().into_bytes());
    let body = prop_oneof![markup, any::<Vec<u8>>()];
    let name = prop::sample::select(vec![
        "location",
        "content-type",
        "content-encoding",
        "x-robots-tag",
        "retry-after",
        "etag",
        "x-other",
    ]);
    let value = prop_oneof![
        Just(b"text/html".to_vec()),
        Just(b"gzip".to_vec()),
        Just(b"/y".to_vec()),
        Just(b"http://a.example/".to_vec()),
        any::<Vec<u8>>(),
    ];
    let headers = prop::collection::vec((name, value), 0..6)
        .prop_map(|headers| headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect());
    let status = prop_oneof![Just(200u16), Just(301), Just(304), 100u16..1000];
    (status, headers, body, any::<bool>()).prop_map(|(status, headers, body, truncated)| Answer {
        status,
        headers,
        body,
        truncated,
        address: None,
    })
}

proptest! {
    /// Whatever a server says, only pages of the crawl come out of it, each once, and never the page itself as its own target.
    #[test]
    fn nothing_leads_out_of_the_crawl(answer in any_answer(), depth in 0u16..8) {
        let (examiner, page) = (examiner(), url(PAGE));
        let belongs = |url: &PageUrl, depth: u16| examiner.scope.judge(url, u32::from(depth)).is_take();
        match examiner.examine((&page, depth), &Values::default(), &Ok(answer), NOW) {
            Meaning::Redirect(Target::Inside(to)) => prop_assert!(to.url != page && belongs(&to.url, depth)),
            Meaning::Read { outcome, reading } => {
                prop_assert_eq!(outcome, Outcome::New);
                prop_assert!(reading.links.windows(2).all(|pair| pair[0].key < pair[1].key));
                prop_assert!(reading.links.iter().all(|link| belongs(&link.url, depth + 1)));
                prop_assert!(reading.links.iter().all(|link| link.key == link.url.key(examiner.seed)));
                prop_assert!(!reading.directives.nofollow || reading.links.is_empty());
                prop_assert!(reading.canonical.is_none_or(|to| to != page && belongs(&to, depth)));
            }
            Meaning::NotModified => prop_assert!(false, "there is no copy"),
            _ => {}
        }
    }
}
