//! What becomes of pages.

use super::server::{Ask, Say, answer, html, not_found, page, prose, redirect};
use super::*;

fn by_path(paths: &'static [(&'static str, &'static [&'static str])]) -> impl Fn(&Ask) -> Vec<Say> + Send + Sync {
    move |ask| match paths.iter().find(|(path, _)| *path == ask.path) {
        Some((path, links)) => html(&page(path, links)),
        None => not_found(),
    }
}

#[tokio::test]
async fn every_page_is_visited_once_and_robots_txt_first() {
    let site: &[(&str, &[&str])] =
        &[("/", &["/a", "/b", "/a#x"]), ("/a", &["/", "/b", "/c"]), ("/b", &["/a"]), ("/c", &["/lost"])];
    let server = Server::start(by_path(site));
    let mut crawl = Crawl::of(&[server.url("/")]);
    crawl.run().await;
    let log = server.log();
    assert_eq!(log.requests[0].ask.path, "/robots.txt");
    for path in ["/robots.txt", "/sitemap.xml", "/", "/a", "/b", "/c", "/lost"] {
        assert_eq!(log.count(path), 1, "{path}");
    }
    assert_eq!(log.requests.len(), 7);
    assert_eq!(crawl.indexed(), ["/", "/a", "/b", "/c"].map(|path| server.url(path)));
    assert_eq!(crawl.state_of(&server.url("/lost")), Some(Known::Gone));
    let c = crawl.pages()[&server.url("/c")].0;
    assert_eq!((crawl.index[&c].title.as_str(), crawl.index[&c].depth), ("/c", 2));
    // A second crawl visits what was fetched again, and says what it has.
    crawl.run().await;
    assert_eq!((server.log().count("/c"), server.log().count("/lost")), (2, 1));
    assert_eq!(crawl.values(&server.url("/c")).visits, 2);
}

/// The keeper writes once a second, which is long for pages that change every few seconds.
#[tokio::test]
async fn a_page_is_as_old_as_its_last_reading_also_before_that_is_kept() {
    let server = Server::start(by_path(&[("/", &["/a"]), ("/a", &[])]));
    let mut crawl = Crawl::of(&[server.url("/")]);
    crawl.run().await;
    let a = crawl.pages()[&server.url("/a")].0;
    let mut state = crawl.state();
    let before = state.survey().ages[a.0 as usize];
    let (page, host) = (freshness_page(a), freshness::HostId(0));
    let order = state.prepare(Task::Page { page, host, why: crate::frontier::Why::Index }, now());
    let not_modified =
        crate::fetch::Answer { status: 304, headers: vec![], body: vec![], truncated: false, address: None };
    let at = Timestamp(now().0 + 60_000);
    state.judge(robot::examined(order.unwrap_or_else(|_| panic!("it may be visited")), Ok(not_modified), 1, at), at);
    assert!(before > 0.0);
    assert_eq!(state.survey().ages[a.0 as usize], 0.0, "it is read in a minute");
    state.kept(&[(a, at, crate::frontier::Finding::Unchanged)], 0);
    assert!(state.read_at.is_empty());
}

#[tokio::test]
async fn endless_chains_of_redirects_are_cut_also_across_restarts() {
    let server = Server::start(|ask| match ask.path.strip_prefix("/r/").and_then(|n| n.parse::<u32>().ok()) {
        Some(n) => redirect(302, &format!("/r/{}", n + 1)),
        None if ask.path == "/" => html(&page("/", &["/r/0", "/x", "/self"])),
        None if ask.path == "/x" => redirect(301, "/y"),
        None if ask.path == "/y" => redirect(307, "/x"),
        None if ask.path == "/self" => answer(302, "Location: /self\nSet-Cookie: seen=1", ""),
        None => not_found(),
    });
    let mut crawl = Crawl::of(&[server.url("/")]);
    crawl.run().await;
    let log = server.log();
    let asked = |log: &server::Log| (0..100).filter(|n| log.count(&format!("/r/{n}")) > 0).count();
    assert_eq!(asked(&log), 11, "the first and ten more");
    assert_eq!((log.count("/x"), log.count("/y"), log.count("/self")), (1, 1, 1));
    assert_eq!(crawl.values(&server.url("/r/3")).redirect_to, Some(server.url("/r/4")));
    assert_eq!(crawl.values(&server.url("/x")).state, Known::Redirect);
    assert_eq!(crawl.values(&server.url("/self")).state, Known::Redirect);
    // After a restart the chain is as long as before.
    let state = crawl.state();
    let last = crawl.pages()[&server.url("/r/10")].0;
    assert_eq!(state.hops.get(&last.0), Some(&10));
    crawl.settings.look_again = 0.0;
    crawl.run().await;
    assert_eq!(asked(&server.log()), 11);
}

#[tokio::test]
async fn a_page_that_vanishes_is_removed_when_that_is_confirmed() {
    let server = Server::start(|ask| match (ask.path.as_str(), ask.before) {
        ("/", _) => html(&page("/", &["/a", "/b"])),
        ("/a", 0) | ("/b", 0 | 2..) => html(&page(&ask.path, &[])),
        _ => not_found(),
    });
    let (a, b) = (server.url("/a"), server.url("/b"));
    let mut crawl = Crawl::of(&[server.url("/")]);
    crawl.run().await;
    assert!(crawl.is_indexed(&a) && crawl.is_indexed(&b));
    crawl.run().await;
    assert!(crawl.is_indexed(&a) && crawl.is_indexed(&b), "once is no proof");
    assert_eq!(crawl.values(&a).status, Some(404));
    crawl.run().await;
    assert_eq!((crawl.state_of(&a), crawl.is_indexed(&a)), (Some(Known::Gone), false));
    assert_eq!((crawl.state_of(&b), crawl.is_indexed(&b)), (Some(Known::Fetched), true));
}

#[tokio::test]
async fn a_failure_is_no_proof_that_a_page_is_gone() {
    let server = Server::start(|ask| match (ask.path.as_str(), ask.before) {
        ("/", 0) => html(&page("/", &[])),
        ("/", 1) => answer(500, "", ""),
        _ => not_found(),
    });
    let mut crawl = Crawl::of(&[server.url("/")]);
    crawl.run().await;
    crawl.run().await;
    assert_eq!(server.log().count("/"), 3, "it was tried again after the failure");
    assert!(crawl.is_indexed(&server.url("/")), "not there once");
    crawl.run().await;
    assert!(!crawl.is_indexed(&server.url("/")), "not there twice");
}

#[tokio::test]
async fn servers_are_asked_for_changes_only() {
    let server = Server::start(|ask| {
        let tag = ask.header("if-none-match");
        match ask.path.as_str() {
            "/" => html(&page("/", &["/same", "/new", "/noindex"])),
            "/same" if tag == Some("\"1\"") => answer(304, "ETag: \"1\"", ""),
            "/same" => answer(200, "Content-Type: text/html\nETag: \"1\"", page("/same", &[])),
            "/new" => answer(200, "Content-Type: text/html\nETag: \"2\"", page(&format!("new {}", ask.before), &[])),
            "/noindex" if tag.is_some() => answer(304, "", ""),
            "/noindex" if ask.before == 0 => {
                answer(200, "Content-Type: text/html\nETag: \"3\"\nX-Robots-Tag: noindex", page("/noindex", &[]))
            }
            "/noindex" => answer(200, "Content-Type: text/html\nETag: \"4\"", page("/noindex", &[])),
            _ => not_found(),
        }
    });
    let mut crawl = Crawl::of(&[server.url("/")]);
    crawl.run().await;
    assert_eq!(crawl.state_of(&server.url("/noindex")), Some(Known::Excluded));
    crawl.run().await;
    let same = crawl.values(&server.url("/same"));
    assert_eq!((same.state, same.status, same.changes, same.indexed), (Known::Fetched, Some(304), 0, true));
    let new = crawl.values(&server.url("/new"));
    assert_eq!((new.changes, new.indexed), (1, true));
    let id = crawl.pages()[&server.url("/new")].0;
    assert_eq!(crawl.index[&id].title, "new 1");
    // Of what is not shown it is not enough to know that it has not changed.
    assert!(crawl.is_indexed(&server.url("/noindex")));
}

#[tokio::test]
async fn one_of_several_pages_that_say_the_same_is_shown() {
    let text = prose("twins");
    let server = Server::start(move |ask| match ask.path.as_str() {
        "/" => html(&page("/", &["/hidden", "/one", "/two", "/three", "/empty/1", "/empty/2"])),
        "/hidden" => answer(200, "Content-Type: text/html\nX-Robots-Tag: noindex", &text),
        "/one" | "/two" | "/three" => html(&text),
        "/empty/1" | "/empty/2" => html(&format!("<title>{}</title>", ask.path)),
        _ => not_found(),
    });
    let mut crawl = Crawl::of(&[server.url("/")]);
    crawl.run().await;
    let indexed = crawl.indexed();
    let twins = ["/one", "/two", "/three"].iter().filter(|path| indexed.contains(&server.url(path))).count();
    assert_eq!(twins, 1, "{indexed:?}");
    assert_eq!(crawl.state_of(&server.url("/hidden")), Some(Known::Excluded));
    for path in ["/empty/1", "/empty/2"] {
        assert!(indexed.contains(&server.url(path)), "pages without text have nothing in common");
    }
}

#[tokio::test]
async fn when_the_page_that_is_shown_goes_another_takes_its_place() {
    let text = prose("twins");
    let server = Server::start(move |ask| match (ask.path.as_str(), ask.before) {
        ("/", _) => html(&page("/", &["/first"])),
        ("/first", 0) => html(&format!("<p>{text}</p><a href=/second>next</a>")),
        ("/first", _) => redirect(301, "/moved"),
        ("/second" | "/moved", _) => html(&format!("<p>{text}</p>")),
        _ => not_found(),
    });
    let mut crawl = Crawl::of(&[server.url("/")]);
    crawl.run().await;
    assert_eq!(crawl.state_of(&server.url("/second")), Some(Known::Duplicate));
    crawl.run().await;
    assert_eq!(crawl.state_of(&server.url("/first")), Some(Known::Redirect));
    let shown = ["/second", "/moved"].map(|path| crawl.is_indexed(&server.url(path)));
    assert!(shown == [true, false] || shown == [false, true], "{shown:?}");
}

#[tokio::test]
async fn a_page_is_not_hidden_by_one_that_cannot_be_shown() {
    let canonical = |to: &str, name: &str| html(&format!("<link rel=canonical href='{to}'>{}", page(name, &[])));
    let server = Server::start(move |ask| match ask.path.as_str() {
        "/" => html(&page("/", &["/to-lost", "/to-moved", "/loop/a", "/loop/b", "/copy", "/original"])),
        "/to-lost" => canonical("/lost", "x"),
        "/to-moved" => canonical("/moved", "y"),
        "/moved" => redirect(301, "/original"),
        "/loop/a" => canonical("/loop/b", "z"),
        "/loop/b" => canonical("/loop/a", "zz"),
        "/copy" => canonical("/original", "v"),
        "/original" => html(&page("w", &[])),
        _ => not_found(),
    });
    let mut crawl = Crawl::of(&[server.url("/")]);
    crawl.run().await;
    assert_eq!(crawl.state_of(&server.url("/lost")), Some(Known::Gone));
    for path in ["/to-lost", "/to-moved", "/original"] {
        assert!(crawl.is_indexed(&server.url(path)), "{path}");
    }
    assert_eq!(crawl.state_of(&server.url("/copy")), Some(Known::Duplicate));
    let shown = ["/loop/a", "/loop/b"].map(|path| crawl.is_indexed(&server.url(path)));
    assert!(shown == [true, false] || shown == [false, true], "{shown:?}");
    // The same after a restart.
    let before = crawl.indexed();
    crawl.run().await;
    assert_eq!(crawl.indexed(), before);
}

#[tokio::test]
async fn a_page_that_finds_no_place_in_the_buffer_is_fetched_again() {
    let server = Server::start(|ask| match ask.path.strip_prefix("/p") {
        Some(_) => html(&page(&ask.path, &[])),
        None if ask.path == "/" => {
            let links: Vec<String> = (0..40).map(|n| format!("/p{n}")).collect();
            html(&page("/", &links.iter().map(String::as_str).collect::<Vec<_>>()))
        }
        None => not_found(),
    });
    let mut crawl = Crawl::of(&[server.url("/")]);
    crawl.places = 1;
    crawl.run().await;
    assert_eq!(crawl.indexed().len(), 41);
}

#[tokio::test]
async fn a_changed_configuration_holds_for_known_pages() {
    let server = Server::start(|ask| match ask.path.as_str() {
        "/" => html(&page("/", &["/keep", "/drop", "/seed-moved"])),
        "/drop/seed" => redirect(302, "/drop/target"),
        path => html(&page(path, &[])),
    });
    let mut crawl = Crawl::of(&[server.url("/"), server.url("/drop/given"), server.url("/drop/seed")]);
    crawl.run().await;
    let all = ["/", "/drop", "/drop/given", "/drop/target", "/keep", "/seed-moved"].map(|path| server.url(path));
    assert_eq!(crawl.indexed(), all);
    crawl.rules.exclude = vec!["/drop*".into()];
    crawl.run().await;
    let left = ["/", "/drop/given", "/keep", "/seed-moved"].map(|path| server.url(path));
    assert_eq!(crawl.indexed(), left, "what was given stays");
    let log = server.log();
    assert_eq!(["/drop", "/drop/target", "/drop/given", "/keep"].map(|path| log.count(path)), [1, 1, 2, 2]);
    let values = crawl.values(&server.url("/drop"));
    assert_eq!((values.state, values.retry_at.is_some()), (Known::Excluded, true), "it is looked at again");
    // And back.
    crawl.rules.exclude.clear();
    crawl.run().await;
    assert_eq!(crawl.indexed(), all);
}
