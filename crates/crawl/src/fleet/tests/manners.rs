//! Politeness, as servers see it, and what must never be visited.

use std::net::Ipv4Addr;

use super::server::{Log, Say, answer, html, not_found, page, redirect};
use super::*;

/// What clocks and schedulers may take from a delay, in seconds.
const TOLERANCE: f64 = 0.005;

fn with_pages(count: usize, robots_txt: &'static str) -> Server {
    Server::start(move |ask| match ask.path.as_str() {
        "/robots.txt" => redirect(301, "/rules"),
        "/rules" => answer(200, "", robots_txt),
        "/sitemap.xml" => redirect(301, "/map"),
        "/" => {
            let links: Vec<String> = (0..count).map(|n| format!("/p{n}")).collect();
            html(&page("/", &links.iter().map(String::as_str).collect::<Vec<_>>()))
        }
        path if path.starts_with("/p") => [vec![Say::Wait(Duration::from_millis(20))], html(&page(path, &[]))].concat(),
        _ => not_found(),
    })
}

async fn logs(servers: &[&Server], delay: f64, connections: u32) -> Vec<Log> {
    let seeds: Vec<String> = servers.iter().map(|server| server.url("/")).collect();
    let mut crawl = Crawl::of(&seeds);
    (crawl.settings.frontier.delay, crawl.settings.frontier.connections) = (delay, connections);
    crawl.fetch.idle_connections = connections as usize;
    crawl.run().await;
    servers.iter().map(|server| server.log()).collect()
}

#[tokio::test]
async fn one_request_at_a_time_and_never_sooner_than_the_delay() {
    let (one, two) = (with_pages(5, ""), with_pages(8, ""));
    for log in logs(&[&one, &two], 0.1, 8).await {
        assert_eq!((log.most_at_a_time(), log.most_connections()), (1, 1));
        assert!(log.least_gap() >= 0.1 - TOLERANCE, "{}", log.least_gap());
        let (first, last) = (log.requests[0].began, log.requests[log.requests.len() - 1].began);
        assert!(last - first < 0.16 * log.requests.len() as f64, "no time is wasted either: {}", last - first);
    }
    assert_eq!((one.log().count("/p4"), two.log().count("/p7")), (1, 1));
}

#[tokio::test]
async fn a_longer_delay_that_a_host_asks_for_is_kept() {
    let (slow, fast) = (with_pages(4, "User-agent: *\nCrawl-delay: 0.3"), with_pages(4, ""));
    let logs = logs(&[&slow, &fast], 0.05, 1).await;
    // What comes before the rules are known cannot obey them.
    let after: Vec<f64> = logs[0].requests.iter().map(|seen| seen.began).skip(1).collect();
    let least = after.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    assert!(least >= 0.3 - TOLERANCE, "{least}");
    assert!(logs[1].requests.last().unwrap().began < logs[0].requests.last().unwrap().began);
}

#[tokio::test]
async fn without_a_delay_as_many_requests_as_allowed_and_no_more() {
    let server = with_pages(40, "");
    let log = logs(&[&server], 0.0, 4).await.remove(0);
    assert_eq!(log.most_at_a_time(), 4);
    assert!(log.most_connections() <= 5, "{}", log.most_connections());
}

#[tokio::test]
async fn nothing_leads_into_a_private_network() {
    let private = Server::start_at("127.0.0.2", |_| html("secret"));
    let (port, there) = (private.port(), private.url("/"));
    let robots_txt = private.url("/robots.txt");
    // The only loopback address that counts as public in this test.
    let public = Server::start(move |ask| match ask.path.as_str() {
        "/robots.txt" => redirect(301, &robots_txt),
        "/" => html(&page("/", &[&there, "/redirect", "/name", "/decimal", "/mapped", "/open"])),
        "/redirect" => redirect(302, &there),
        "/name" => redirect(302, &format!("http://localhost:{port}/")),
        "/decimal" => redirect(302, &format!("http://2130706434:{port}/")),
        "/mapped" => redirect(302, &format!("http://[::ffff:127.0.0.2]:{port}/")),
        "/open" => html(&page("/open", &[])),
        _ => not_found(),
    });
    let mut crawl = Crawl::of(&[public.url("/")]).anywhere();
    crawl.fetch.allow_private = false;
    crawl.fetch.public = Some(Ipv4Addr::LOCALHOST.into());
    crawl.run().await;
    assert_eq!(private.log().connections.len(), 0, "{:?}", private.log());
    // Where the rules are cannot be said, so nothing may be visited.
    assert_eq!(crawl.indexed(), Vec::<String>::new());
    assert_eq!(public.log().count("/"), 0);
}

#[tokio::test]
async fn pages_of_a_private_network_are_not_fetched() {
    let private = Server::start_at("127.0.0.2", |_| html("secret"));
    let (port, there) = (private.port(), private.url("/"));
    let public = Server::start(move |ask| match ask.path.as_str() {
        "/" => html(&page("/", &[&there, "/redirect", "/name", "/decimal", "/mapped", "/open"])),
        "/redirect" => redirect(302, &there),
        "/name" => redirect(302, &format!("http://localhost:{port}/")),
        "/decimal" => redirect(302, &format!("http://2130706434:{port}/")),
        "/mapped" => redirect(302, &format!("http://[::ffff:127.0.0.2]:{port}/")),
        "/open" => html(&page("/open", &[])),
        _ => not_found(),
    });
    let mut crawl = Crawl::of(&[public.url("/")]).anywhere();
    crawl.fetch.allow_private = false;
    crawl.fetch.public = Some(Ipv4Addr::LOCALHOST.into());
    crawl.run().await;
    assert_eq!(private.log().connections.len(), 0, "{:?}", private.log());
    assert_eq!(crawl.indexed(), ["/", "/open"].map(|path| public.url(path)));
    for path in ["/redirect", "/name", "/decimal", "/mapped"] {
        assert_eq!(crawl.state_of(&public.url(path)), Some(Known::Redirect), "{path}");
    }
}
