//! Sitemaps and feeds are read again, and what has gone is looked for elsewhere.

use super::server::{answer, html, not_found, page};
use super::*;
use crate::fetch::Answer;
use crate::frontier::{Draw, Errand, SignalKind};

fn known(catalogue: &SqliteCatalogue, path: &str) -> bool {
    let mut found = false;
    catalogue.load(&mut |page| found |= page.url.ends_with(path) && page.values.state == Known::Fetched).unwrap();
    found
}

fn urls(origin: &str, paths: &[&str]) -> String {
    let entry = |path: &&str| format!("<url><loc>{origin}{path}</loc></url>");
    format!("<urlset>{}</urlset>", paths.iter().map(entry).collect::<String>())
}

#[tokio::test]
async fn a_sitemap_is_read_again_and_only_if_it_has_changed() {
    let server = Server::start(|ask| match (ask.path.as_str(), ask.before) {
        ("/robots.txt", _) => answer(200, "", format!("Sitemap: {}/map.xml", ask.origin)),
        ("/map.xml", 0) => answer(200, "ETag: \"first\"", urls(&ask.origin, &["/old"])),
        ("/map.xml", 1) if ask.header("if-none-match") == Some("\"first\"") => answer(304, "", ""),
        ("/map.xml", _) => answer(200, "", urls(&ask.origin, &["/old", "/new"])),
        ("/" | "/old" | "/new", _) => html(&page(&ask.path, &[])),
        _ => not_found(),
    });
    let mut crawl = Crawl::of(&[server.url("/")]);
    crawl.settings.frontier.budget = Some(50.0);
    crawl.run_until(|catalogue| known(catalogue, "/new")).await;
    assert_eq!(server.log().count("/map.xml"), 3);
    assert_eq!(server.log().count("/robots.txt"), 1);
    // What was learned of it is remembered, and when it is to be read again.
    let catalogue = SqliteCatalogue::read(&crawl.catalogue()).unwrap();
    let learned = catalogue.hosts().unwrap().remove(0).learned.unwrap();
    assert!(learned.contains("/map.xml") && learned.contains("\"due\""), "{learned}");
    let state = crawl.state();
    let again = serde_json::from_str::<serde_json::Value>(&state.learned(HostId(0))).unwrap();
    let before = serde_json::from_str::<serde_json::Value>(&learned).unwrap();
    assert_eq!(again["listings"], before["listings"]);
}

/// Found by lists that were never read again: the frontier's clock was finer than the one by which they were due.
#[test]
fn a_list_that_is_not_due_yet_is_not_forgotten() {
    let mut crawl = Crawl::of(&[]);
    (crawl.settings.once, crawl.settings.frontier.revisit) = (false, true);
    SqliteCatalogue::open(&crawl.catalogue()).unwrap();
    let mut state = crawl.state();
    let url = PageUrl::parse("http://127.0.0.1:9/map.xml").unwrap();
    let host = state.host_of(&url, &mut Vec::new());
    state.frontier.rules(freshness_host(host), f64::INFINITY, None);
    state.take_listing(host, url.as_str(), false);
    let errand = Errand::Sitemap(url.as_str().into());
    let began = now();
    let later = |seconds: f64| Timestamp::from_seconds(began.seconds() + seconds);
    let drawn = |state: &mut State, at: Timestamp| {
        std::iter::from_fn(|| match state.frontier.draw(at.seconds()) {
            Draw::Task(task) => Some(task),
            _ => None,
        })
        .find(|task| matches!(task, Task::Errand { errand: drawn, .. } if *drawn == errand))
    };
    let task = drawn(&mut state, began).unwrap();
    assert!(state.prepare(task.clone(), began).is_ok());
    let answer = Answer { status: 200, headers: Vec::new(), body: Vec::new(), truncated: false, address: None };
    let listing = robot::Listing::Pages(Vec::new());
    state.errand_done(
        errand::Done { host, url: url.clone(), errand: errand.clone(), answer: Ok(answer), listing },
        began,
    );
    // It is due after a second. Early errands are put off, once; in time it is read.
    assert_eq!(drawn(&mut state, later(0.9)), None);
    let again = drawn(&mut state, later(2.0)).unwrap();
    assert!(state.prepare(again, later(0.5)).is_err());
    let again = drawn(&mut state, later(2.0)).unwrap();
    assert_eq!(drawn(&mut state, later(2.0)), None);
    assert!(state.prepare(again, later(2.0)).is_ok());
}

/// Servers whose clocks are ahead, or that have no lists: what they say of the last change is no signal of any list.
#[test]
fn what_a_visit_finds_is_no_word_of_a_list() {
    let crawl = Crawl::of(&[]);
    SqliteCatalogue::open(&crawl.catalogue()).unwrap();
    let mut state = crawl.state();
    let page = PageId(0);
    state.seed(&[PageUrl::parse("http://127.0.0.1:9/").unwrap()], now());
    let at = now().seconds().floor() + 0.5;
    let told = |state: &mut State, changed: f64| {
        state.visit_told(page, at, Finding::Changed { last_modified: Some(changed) });
        state.told.len()
    };
    assert_eq!([at - 0.5, at + 7200.0].map(|changed| told(&mut state, changed)), [0, 0], "there is no list");
    let list = state.frontier.add_list(SignalKind::Feed);
    state.frontier.tells_of(list, freshness_page(page));
    // Only what happened in the second of the visit may be told again.
    assert_eq!([at - 3.5, at - 0.5, at + 7200.0].map(|changed| told(&mut state, changed)), [0, 1, 1]);
    state.visit_told(page, at + 10.0, Finding::Unchanged);
    assert!(state.told.is_empty());
}

/// Found by trust that was lost at every restart: pages that are visited in the second of their change seemed to have been told of
/// falsely, as it was forgotten that the visit had found it.
#[tokio::test]
async fn after_a_restart_lists_tell_nothing_new_of_what_visits_have_found() {
    let server = Server::start(|ask| match ask.path.as_str() {
        "/" => html(&page("/", &[])),
        _ => not_found(),
    });
    let mut crawl = Crawl::of(&[server.url("/")]);
    crawl.run().await;
    let mut state = crawl.state();
    let visited = state.frontier.visited(freshness_page(PageId(0))).unwrap();
    let (list, second) = (Errand::Sitemap(server.url("/map.xml").into()), visited.floor() as i64);
    let mut told = |changed: i64| {
        let link = state.examiner.link(&server.url("/")).unwrap();
        state.told_of((HostId(0), &list), vec![(link, Some(changed))], Timestamp::from_seconds(visited + 10.0));
        state.told.len()
    };
    assert_eq!([second - 1, second, second + 1].map(&mut told), [0, 0, 1]);
}

/// Signals of a host's pages that have been learned from.
fn signals(catalogue: &SqliteCatalogue, host: HostId) -> usize {
    let known = catalogue.hosts().unwrap().into_iter().find(|known| known.id == host);
    let learned = known.and_then(|known| Learned::read(&known.learned?));
    learned.map_or(0, |learned| learned.signals.len())
}

#[tokio::test]
async fn a_sitemap_speaks_for_its_own_host_only() {
    let other = Server::start(|ask| match ask.path.as_str() {
        "/" => html(&page("/", &[])),
        _ => not_found(),
    });
    let theirs = other.url("/");
    let server = Server::start(move |ask| match ask.path.as_str() {
        "/robots.txt" => answer(200, "", format!("Sitemap: {}/map.xml", ask.origin)),
        "/map.xml" => {
            let entry = |page: &str| format!("<url><loc>{page}</loc><lastmod>{}</lastmod></url>", now());
            answer(200, "", format!("<urlset>{}{}</urlset>", entry(&format!("{}/", ask.origin)), entry(&theirs)))
        }
        "/" => html(&page("/", &[])),
        _ => not_found(),
    });
    let mut crawl = Crawl::of(&[other.url("/"), server.url("/")]);
    crawl.settings.frontier.budget = Some(50.0);
    let reads = || (server.log().count("/map.xml"), other.log().count("/"));
    crawl.run_until(|catalogue| signals(catalogue, HostId(1)) > 0 && reads().0 > 1 && reads().1 > 3).await;
    let catalogue = SqliteCatalogue::read(&crawl.catalogue()).unwrap();
    assert_eq!(signals(&catalogue, HostId(0)), 0);
}

#[tokio::test]
async fn where_a_page_has_gone_its_successor_is_looked_for() {
    let server = Server::start(|ask| match (ask.path.as_str(), ask.before) {
        ("/", _) => html(&page("/", &["/list"])),
        ("/list", 0) => html(&page("/list", &["/old"])),
        ("/list", _) => html(&page("/list", &["/new"])),
        ("/old", 0) | ("/new", _) => html(&page(&ask.path, &[])),
        _ => not_found(),
    });
    let mut crawl = Crawl::of(&[server.url("/")]);
    // Too slow to visit anything but what is worth most: a page that changes often, which the list has not done yet.
    crawl.settings.frontier.budget = Some(10.0);
    crawl.settings.weights = crate::scope::Weights::new(&[("/old".into(), 1e6), ("/list".into(), 1e-6)]).unwrap();
    crawl.settings.frontier.reserve = 0.0;
    crawl.run_until(|catalogue| known(catalogue, "/new")).await;
    let log = server.log();
    assert_eq!(log.count("/list"), 2);
    let (gone, list) = (log.of("/old").nth(1).unwrap().began, log.of("/list").nth(1).unwrap().began);
    assert!(gone < list && list < gone + 0.5, "{gone} {list}");
}
