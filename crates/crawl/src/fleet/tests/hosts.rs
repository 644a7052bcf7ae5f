//! What hosts allow, and what is done when they are in trouble.

use super::server::{Say, answer, html, not_found, page, raw, redirect};
use super::*;

/// A server with two pages, of which one is forbidden if this answer is understood.
fn with_robots_txt(robots_txt: impl Fn(usize) -> Vec<Say> + Send + Sync + 'static) -> Server {
    Server::start(move |ask| match ask.path.as_str() {
        "/robots.txt" => robots_txt(ask.before),
        "/" => html(&page("/", &["/open", "/closed"])),
        "/open" | "/closed" => html(&page(&ask.path, &[])),
        _ => not_found(),
    })
}

const CLOSED: &str = "User-agent: *\nDisallow: /closed\n";

async fn visited(server: &Server) -> (bool, bool) {
    let mut crawl = Crawl::of(&[server.url("/")]);
    crawl.run().await;
    let closed = crawl.state_of(&server.url("/closed"));
    let log = server.log();
    assert_eq!(closed == Some(Known::Excluded), log.count("/open") > log.count("/closed"), "{closed:?}");
    (log.count("/open") > 0, log.count("/closed") > 0)
}

#[tokio::test]
async fn robots_txt_of_every_status() {
    let all = (true, true);
    let some = (true, false);
    let nothing = (false, false);
    for (status, wanted) in [
        (200, some),
        (206, some),
        (301, all),
        (400, all),
        (401, all),
        (403, all),
        (404, all),
        (410, all),
        (429, nothing),
        (500, nothing),
        (502, nothing),
        (503, nothing),
        (504, nothing),
    ] {
        let server = with_robots_txt(move |_| answer(status, "Content-Type: text/plain", CLOSED));
        assert_eq!(visited(&server).await, wanted, "{status}");
        let asked = server.log().count("/robots.txt");
        assert_eq!(asked, if wanted == nothing { 3 } else { 1 }, "{status}");
    }
}

#[tokio::test]
async fn robots_txt_of_every_shape() {
    let text = |body: Vec<u8>| move |_: usize| answer(200, "Content-Type: text/plain", &body);
    let plain = |start: &[u8], end: &[u8]| [start, CLOSED.as_bytes(), end].concat();
    let gzip = zstd::stream::encode_all(CLOSED.as_bytes(), 3).unwrap();
    let huge = plain(b"", &b"# and so on\n".repeat(1_000_000));
    for (name, server, wanted) in [
        ("with a byte order mark", with_robots_txt(text(plain(b"\xef\xbb\xbf", b""))), (true, false)),
        ("12 MB long", with_robots_txt(text(huge)), (true, false)),
        ("binary", with_robots_txt(text(vec![0xff; 1000])), (true, true)),
        ("empty", with_robots_txt(text(Vec::new())), (true, true)),
        ("compressed", with_robots_txt(move |_| answer(200, "Content-Encoding: zstd", &gzip)), (true, false)),
        (
            "not compressed as it says",
            with_robots_txt(|_| answer(200, "Content-Encoding: gzip", CLOSED)),
            (false, false),
        ),
        (
            "broken off",
            with_robots_txt(|_| raw("HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\nUser-agent")),
            (false, false),
        ),
        ("reset", with_robots_txt(|_| vec![Say::Reset]), (false, false)),
        ("silent", with_robots_txt(|_| vec![Say::Wait(Duration::from_secs(1)), Say::Close]), (false, false)),
        ("at last", with_robots_txt(|before| answer(if before < 2 { 503 } else { 200 }, "", CLOSED)), (true, false)),
    ] {
        assert_eq!(visited(&server).await, wanted, "{name}");
    }
}

#[tokio::test]
async fn robots_txt_may_be_elsewhere() {
    let elsewhere = Server::start(|ask| match ask.path.as_str() {
        "/rules" => answer(200, "", CLOSED),
        _ => not_found(),
    });
    let there = elsewhere.url("/rules");
    let server = with_robots_txt(move |_| redirect(301, &there));
    assert_eq!(visited(&server).await, (true, false));
    let log = elsewhere.log();
    assert_eq!(
        (log.count("/rules"), log.requests.len()),
        (1, 1),
        "nothing else is wanted of a host that is not crawled"
    );
    for (hops, wanted) in [(1, (true, false)), (5, (true, false)), (6, (true, true)), (99, (true, true))] {
        let server = Server::start(move |ask| match ask.path.as_str() {
            "/robots.txt" => redirect(302, "/1"),
            "/" => html(&page("/", &["/open", "/closed"])),
            "/open" | "/closed" => html(&page(&ask.path, &[])),
            path => match path[1..].parse::<u32>() {
                Ok(n) if n == hops => answer(200, "", CLOSED),
                Ok(n) => redirect(302, &format!("/{}", n + 1)),
                Err(_) => not_found(),
            },
        });
        assert_eq!(visited(&server).await, wanted, "{hops} hops");
    }
}

#[tokio::test]
async fn rules_hold_while_the_file_cannot_be_had_also_after_a_restart() {
    let server = with_robots_txt(|before| answer(if before == 0 { 200 } else { 500 }, "", CLOSED));
    let mut crawl = Crawl::of(&[server.url("/")]);
    crawl.run().await;
    crawl.age_robots_txt();
    crawl.run().await;
    let log = server.log();
    assert_eq!((log.count("/robots.txt"), log.count("/open"), log.count("/closed")), (2, 2, 0));
}

#[tokio::test]
async fn robots_txt_that_is_not_old_is_not_read_again_after_a_restart() {
    let server = with_robots_txt(|_| answer(200, "", CLOSED));
    let mut crawl = Crawl::of(&[server.url("/")]);
    crawl.run().await;
    crawl.run().await;
    let asked = |path: &str| server.log().count(path);
    let seen = || ["/robots.txt", "/sitemap.xml", "/open", "/closed"].map(asked);
    assert_eq!(seen(), [1, 1, 2, 0]);
    assert_eq!(crawl.state_of(&server.url("/closed")), Some(Known::Excluded));
    crawl.age_robots_txt();
    crawl.run().await;
    assert_eq!(seen(), [2, 2, 3, 0]);
}

#[tokio::test]
async fn what_fails_is_tried_again_and_given_up() {
    let server = Server::start(|ask| match (ask.path.as_str(), ask.before) {
        ("/", _) => html(&page("/", &["/twice", "/always", "/reset", "/lie", "/refused"])),
        ("/twice", 0 | 1) | ("/always", _) => answer(500, "", "trouble"),
        ("/twice", _) => html(&page("/twice", &[])),
        ("/reset", _) => vec![Say::Bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf".to_vec()), Say::Reset],
        ("/lie", _) => answer(200, "Content-Encoding: br", "plain"),
        ("/refused", _) => answer(403, "", "no"),
        _ => not_found(),
    });
    let mut crawl = Crawl::of(&[server.url("/")]);
    crawl.run().await;
    let log = server.log();
    assert!(crawl.is_indexed(&server.url("/twice")));
    for path in ["/twice", "/always", "/reset", "/lie", "/refused"] {
        assert_eq!(log.count(path), 3, "{path}");
    }
    for path in ["/always", "/reset", "/lie", "/refused"] {
        let values = crawl.values(&server.url(path));
        assert_eq!((values.state, values.failures), (Known::Failed, 3), "{path}");
    }
}

#[tokio::test]
async fn a_server_that_asks_to_be_left_alone_is() {
    let server = Server::start(|ask| match (ask.path.as_str(), ask.before) {
        ("/", _) => html(&page("/", &["/storm", "/a", "/b", "/c"])),
        ("/storm", 0) => answer(429, "Retry-After: 1", "slower"),
        ("/sitemap.xml", _) => answer(503, "Retry-After: 1", "busy"),
        ("/storm" | "/a" | "/b" | "/c", _) => html(&page(&ask.path, &[])),
        _ => not_found(),
    });
    let mut crawl = Crawl::of(&[server.url("/")]);
    crawl.settings.frontier.connections = 1;
    crawl.run().await;
    let log = server.log();
    assert_eq!(crawl.indexed().len(), 5);
    for (position, seen) in log.requests.iter().enumerate() {
        let asked = seen.ask.path == "/sitemap.xml" || (seen.ask.path == "/storm" && seen.ask.before == 0);
        if let Some(next) = log.requests.get(position + 1).filter(|_| asked) {
            assert!(
                next.began - seen.began >= 0.99,
                "{} came {} s after {}",
                next.ask.path,
                next.began - seen.began,
                seen.ask.path
            );
        }
    }
}

#[tokio::test]
async fn failures_at_the_same_time_are_one() {
    let server = Server::start(|ask| match ask.path.as_str() {
        "/" => {
            let links: Vec<String> = (0..8).map(|n| format!("/p{n}")).collect();
            html(&page("/", &links.iter().map(String::as_str).collect::<Vec<_>>()))
        }
        "/robots.txt" | "/sitemap.xml" => not_found(),
        path if ask.before == 0 => [vec![Say::Wait(Duration::from_millis(100))], answer(503, "", path)].concat(),
        path => html(&page(path, &[])),
    });
    let mut crawl = Crawl::of(&[server.url("/")]);
    let began = Instant::now();
    crawl.settings.retry = 0.2;
    crawl.run().await;
    assert_eq!(crawl.indexed().len(), 9);
    // Eight failures in a row would be a wait of 25 seconds.
    assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_host_that_is_dead_or_slow_holds_up_nobody() {
    let slow = Server::start(|_| vec![Say::Wait(Duration::from_secs(30)), Say::Close]);
    let (dead, far) = ("http://127.0.0.1:9/".to_owned(), slow.url("/"));
    let links = [dead.clone(), far.clone(), "/a".to_owned()];
    let server = Server::start(move |ask| match ask.path.as_str() {
        "/" => html(&page("/", &links.each_ref().map(String::as_str))),
        "/a" => html(&page("/a", &[])),
        _ => not_found(),
    });
    let mut crawl = Crawl::of(&[server.url("/")]).anywhere();
    crawl.settings.frontier.connections = 2;
    crawl.run().await;
    let a = server.log().of("/a").next().unwrap().began;
    assert!(a - server.log().requests[0].began < 0.3);
    for url in [&dead, &far] {
        assert_eq!(crawl.state_of(url), Some(Known::Known), "what was never asked for is not said to have failed");
    }
    assert_eq!(slow.log().count("/robots.txt"), 3);
}

#[tokio::test]
async fn sitemaps_and_feeds_name_pages() {
    let gzip = |text: &str| {
        use std::io::Write;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(text.as_bytes()).unwrap();
        encoder.finish().unwrap()
    };
    let server = Server::start(move |ask| {
        let origin = &ask.origin;
        let entry = |path: &str| format!("<url><loc>{origin}{path}</loc><lastmod>2026-11-15</lastmod></url>");
        let urls =
            |paths: &[&str]| format!("<urlset>{}</urlset>", paths.iter().map(|path| entry(path)).collect::<String>());
        match ask.path.as_str() {
            "/robots.txt" => {
                answer(200, "", format!("Sitemap: {origin}/index.xml\nSitemap: http://other.example/map.xml"))
            }
            "/index.xml" => answer(
                200,
                "",
                format!(
                    "<sitemapindex><sitemap><loc>{origin}/map.xml.gz</loc></sitemap><sitemap><loc>{origin}/list.txt</loc></sitemap>\
                 <sitemap><loc>{origin}/index.xml</loc></sitemap><sitemap><loc>http://127.0.0.9/x.xml</loc></sitemap></sitemapindex>"
                ),
            ),
            "/map.xml.gz" => answer(200, "", gzip(&urls(&["/in-map", "/lost", "/private"]))),
            "/list.txt" => redirect(302, "/moved.txt"),
            "/moved.txt" => answer(200, "", format!("{origin}/in-list\nhttp://other.example/no\nnonsense\n")),
            "/" => html(&format!("<link rel=alternate type='application/atom+xml' href=/feed.atom>{}", page("/", &[]))),
            "/feed.atom" => answer(200, "", format!("<feed><entry><link href='{origin}/in-feed'/></entry></feed>")),
            "/in-map" | "/in-list" | "/in-feed" => html(&page(&ask.path, &[])),
            _ => not_found(),
        }
    });
    let mut crawl = Crawl::of(&[server.url("/")]);
    crawl.rules.exclude = vec!["/private".into()];
    crawl.run().await;
    let wanted = ["/", "/in-feed", "/in-list", "/in-map"].map(|path| server.url(path));
    assert_eq!(crawl.indexed(), wanted);
    assert_eq!(crawl.state_of(&server.url("/lost")), Some(Known::Gone));
    assert_eq!(server.log().count("/private"), 0);
    assert_eq!(server.log().count("/index.xml"), 1, "also if it names itself");
    assert_eq!(server.log().count("/sitemap.xml"), 0, "there are others");
}

/// Lists that lead elsewhere send no robot to hosts that are not crawled, nor past the rules of those that are.
#[tokio::test]
async fn lists_are_followed_only_where_robots_may_go() {
    let outside = Server::start_at("127.0.0.2", |_| answer(200, "", "<urlset></urlset>"));
    let other = Server::start(|ask| match ask.path.as_str() {
        "/robots.txt" => answer(200, "", "User-agent: *\nDisallow: /closed\n"),
        "/" => html(&page("/", &[])),
        "/open.xml" => answer(200, "", format!("<urlset><url><loc>{}/listed</loc></url></urlset>", ask.origin)),
        _ => html(&page(&ask.path, &[])),
    });
    let (away, open, closed) = (outside.url("/expensive"), other.url("/open.xml"), other.url("/closed.xml"));
    let server = Server::start(move |ask| match ask.path.as_str() {
        "/robots.txt" => {
            let names = ["away", "open", "closed", "private"];
            let lists: String = names.iter().map(|name| format!("Sitemap: {}/{name}.xml\n", ask.origin)).collect();
            // The rules of the other host are known by then.
            [
                vec![Say::Wait(Duration::from_millis(200))],
                answer(200, "", format!("User-agent: *\nDisallow: /priv/\n{lists}")),
            ]
            .concat()
        }
        "/away.xml" => redirect(302, &away),
        "/open.xml" => redirect(302, &open),
        "/closed.xml" => redirect(302, &closed),
        "/private.xml" => redirect(302, "/priv/list.xml"),
        "/" => html(&format!("<link rel=alternate type='application/atom+xml' href=/feed>{}", page("/", &[]))),
        "/feed" => redirect(302, &away),
        _ => not_found(),
    });
    let mut crawl = Crawl::of(&[server.url("/"), other.url("/")]);
    crawl.run().await;
    assert_eq!(outside.log().connections.len(), 0, "{:?}", outside.log());
    assert_eq!((other.log().count("/open.xml"), other.log().count("/closed.xml")), (1, 0));
    assert_eq!(server.log().count("/priv/list.xml"), 0);
    assert!(crawl.indexed().contains(&other.url("/listed")), "{:?}", crawl.indexed());
    let hosts = SqliteCatalogue::read(&crawl.catalogue()).unwrap().hosts().unwrap();
    assert_eq!(hosts.len(), 2, "no other host is remembered");
}

#[tokio::test]
async fn pages_do_not_wait_for_sitemaps() {
    let server = Server::start(move |ask| {
        let origin = &ask.origin;
        let all = || (0..50).map(|n| format!("<sitemap><loc>{origin}/{n}.xml</loc></sitemap>")).collect::<String>();
        match ask.path.as_str() {
            "/robots.txt" => answer(200, "", format!("Sitemap: {origin}/0.xml")),
            "/" => html(&page("/", &["/a", "/b", "/c"])),
            path if path.ends_with(".xml") => answer(200, "", format!("<sitemapindex>{}</sitemapindex>", all())),
            path => html(&page(path, &[])),
        }
    });
    let mut crawl = Crawl::of(&[server.url("/")]);
    crawl.settings.frontier.connections = 1;
    crawl.run().await;
    let log = server.log();
    assert_eq!(log.requests.len(), 1 + 4 + 50, "each sitemap once");
    let last = log.requests.iter().rposition(|seen| !seen.ask.path.ends_with(".xml"));
    assert!(last.is_some_and(|last| last < 12), "{last:?}");
}

#[tokio::test]
async fn a_sitemap_is_guessed_after_a_page_was_read() {
    let server = Server::start(|ask| match ask.path.as_str() {
        "/" => html(&page("/", &[])),
        "/sitemap.xml" => answer(200, "", format!("{}/listed", ask.origin)),
        "/listed" => html(&page("/listed", &[])),
        _ => not_found(),
    });
    let lost = Server::start(|_| not_found());
    let mut crawl = Crawl::of(&[server.url("/"), lost.url("/")]);
    crawl.run().await;
    let asked = |server: &Server| server.log().requests.iter().map(|seen| seen.ask.path.clone()).collect::<Vec<_>>();
    assert_eq!(asked(&server), ["/robots.txt", "/", "/sitemap.xml", "/listed"]);
    assert_eq!(asked(&lost), ["/robots.txt", "/"]);
}

#[test]
fn a_page_that_is_not_wanted_while_it_is_fetched_stays_out() {
    let crawl = Crawl::of(&["http://site.example/".to_owned()]);
    let mut keeper = SqliteCatalogue::open(&crawl.catalogue()).unwrap();
    let mut state = crawl.state();
    let url = PageUrl::parse("http://site.example/").unwrap();
    let mut batch = Batch { number: 1, ..Batch::default() };
    for record in state.seed(std::slice::from_ref(&url), now()) {
        match record {
            Record::New(pages) => batch.new.extend(pages),
            Record::Host(host) => batch.hosts.push(host),
            other => panic!("{other:?}"),
        }
    }
    keeper.apply(&batch).unwrap();
    let (page, host) = (freshness::PageId(0), freshness::HostId(0));
    let Draw::Task(Task::Errand { .. }) = state.frontier.draw(0.0) else { panic!("no errand") };
    state.frontier.left(host, 0.0);
    state.frontier.rules(host, f64::INFINITY, None);
    let Draw::Task(Task::Page { .. }) = state.frontier.draw(1.0) else { panic!("no page") };
    assert!(state.frontier.is_out(page));
    assert!(state.command(Wish::Remove, url.as_str(), now()).is_empty(), "not before its visit is over");
    assert!(state.command(Wish::Add, url.as_str(), now()).is_empty());
    assert!(state.unwanted.is_empty(), "the last word holds");
    assert!(state.command(Wish::Remove, url.as_str(), now()).is_empty());
    let records = state.kept(&[(PageId(0), now(), Finding::First)], 1);
    let [Record::Visit(visit)] = &records[..] else { panic!("{records:?}") };
    assert_eq!((visit.change.values.state, visit.finding), (Known::Excluded, Finding::Never));
    assert!(state.frontier.is_out(page), "until that is kept");
    state.kept(&[(PageId(0), now(), Finding::Never)], 0);
    assert!(state.frontier.is_forgotten(page));
}

/// New pages are kept in mind until they have been visited; of too many, only those that nobody else remembers.
#[test]
fn new_pages_are_kept_in_mind_but_not_all() {
    let crawl = Crawl::of(&["http://site.example/".to_owned()]);
    drop(SqliteCatalogue::open(&crawl.catalogue()).unwrap());
    let mut state = crawl.state();
    let urls = |from: u32, to: u32| {
        (from..to).map(|n| PageUrl::parse(&format!("http://site.example/{n}")).unwrap()).collect::<Vec<_>>()
    };
    state.seed(&urls(0, 1_000), now());
    state.kept(&[(PageId(3), now(), Finding::First)], 900);
    assert!(!state.fresh.contains_key(&3), "it was visited");
    assert_eq!(state.fresh.len(), 999);
    state.seed(&urls(1_000, 40_000), now());
    state.kept(&[], 30_000);
    state.kept(&[(PageId(4), now(), Finding::First)], 0);
    assert_eq!(state.fresh.len(), 10_000, "those that the catalogue does not have");
    assert!(state.known_of(PageId(30_000)).is_some());
}

/// What hubs say of known pages is heard; of others only so many an hour are taken up, and of unknown hosts none.
#[test]
fn hubs_cannot_fill_the_catalogue() {
    let crawl = Crawl::of(&["http://site.example/".to_owned()]);
    drop(SqliteCatalogue::open(&crawl.catalogue()).unwrap());
    let mut state = crawl.state();
    state.seed(&[PageUrl::parse("http://site.example/").unwrap()], now());
    let urls = |part: &str, host: &str| (0..5_000).map(|n| format!("http://{host}/{part}/{n}")).collect::<Vec<_>>();
    let hour = Timestamp(3_600_000 * 400_000);
    let new = |state: &mut State, part: &str, at: Timestamp| {
        let before = state.frontier.len();
        state.announced(&urls(part, "site.example"), at);
        state.frontier.len() - before
    };
    assert_eq!([new(&mut state, "a", hour), new(&mut state, "b", Timestamp(hour.0 + 3_599_999))], [200, 0]);
    assert_eq!(new(&mut state, "c", Timestamp(hour.0 + 3_600_000)), 200);
    assert!(state.announced(&urls("a", "www.site.example"), hour).is_empty());
    state.pinged(&urls("d", "site.example"), hour);
    assert_eq!(state.frontier.len(), 1 + 400 + 5_000, "who has the key may tell of all");
}
