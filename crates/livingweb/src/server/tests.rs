use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::*;
use crate::date;
use crate::settings::{RateLaw, Replacement, Settings};

/// A clock that is set by hand.
#[derive(Clone, Default)]
struct Hand(Arc<AtomicU64>);

impl Hand {
    fn set(&self, seconds: f64) {
        self.0.store(seconds.to_bits(), Ordering::SeqCst);
    }

    fn clock(&self) -> Clock {
        let hand = self.clone();
        Clock::new(1_000_000_000.0, move || f64::from_bits(hand.0.load(Ordering::SeqCst)))
    }
}

fn settings() -> Settings {
    Settings { pages: 30, hosts: 2, rates: RateLaw::Equal, mean_interval: 5.0, ..Settings::default() }
}

async fn up(settings: &Settings, options: Options) -> (Handle, Hand) {
    let hand = Hand::default();
    (serve(World::new(settings).unwrap(), hand.clock(), options).await.unwrap(), hand)
}

/// The status line and headers, and the body; nothing if the connection ended by force.
async fn say(address: SocketAddr, request: &[u8]) -> Option<(String, String)> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    _ = stream.write_all(request).await;
    let mut answer = Vec::new();
    let read = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut answer)).await.unwrap();
    read.ok().filter(|length| *length > 0)?;
    let text = String::from_utf8(answer).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    Some((head.to_owned(), body.to_owned()))
}

async fn ask(address: SocketAddr, method: &str, path: &str, headers: &str, body: &str) -> (String, String) {
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    );
    say(address, request.as_bytes()).await.unwrap()
}

async fn get(address: SocketAddr, path: &str, headers: &str) -> (String, String) {
    ask(address, "GET", path, headers, "").await
}

fn header<'a>(head: &'a str, name: &str) -> &'a str {
    let line = head.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.strip_prefix(": ")).unwrap_or_else(|| panic!("no {name} in {head}"))
}

fn first_of(living: &Handle, host: u32) -> PageNumber {
    living.world().numbers().find(|number| living.world().page(*number).host == host).unwrap()
}

#[tokio::test]
async fn a_page_is_given_once_until_it_changes() {
    let (living, hand) = up(&settings(), Options::default()).await;
    let (number, address) = (first_of(&living, 1), living.hosts()[1]);
    let path = living.world().path(number);
    let (head, body) = get(address, &path, "").await;
    assert!(head.starts_with("HTTP/1.1 200") && body.contains("<article>"), "{head}");
    let etag = header(&head, "etag").to_owned();
    let (head, body) = get(address, &path, &format!("if-none-match: \"x\", {etag}\r\n")).await;
    assert!(head.starts_with("HTTP/1.1 304") && body.is_empty(), "{head}");
    assert_eq!(header(&head, "etag"), etag);
    let next = living.world().begin(number).next;
    assert_eq!(living.truth().pages_held, 1);
    hand.set(next + 1.0);
    let (head, new) = get(address, &path, &format!("if-none-match: {etag}\r\n")).await;
    assert!(head.starts_with("HTTP/1.1 200") && new != body && header(&head, "etag") != etag, "{head}");
    let truth = living.truth();
    let start = &truth.since_start;
    assert_eq!((start.requests, start.fetches, start.fetches_304), (3, 3, 1));
    assert_eq!(truth.hosts[0].since_start.fetches, 0);
    // Out of date for one second of all that went by.
    let stale = truth.hosts[1].since_start.stale.held.unweighted.unwrap();
    assert!((stale - 1.0 / (next + 1.0)).abs() < 1e-9, "{stale}");
}

/// A date in whole seconds is believed unless the page changed twice within one of them.
#[tokio::test]
async fn dates_are_believed_where_they_can_be() {
    let (living, hand) = up(&Settings { mean_interval: 0.7, ..settings() }, Options::default()).await;
    let (mut given, mut held) = (0, 0);
    for step in 1..=60 {
        hand.set(f64::from(step) * 3.0);
        let number = PageNumber(step % 30);
        let host = living.world().page(number).host as usize;
        let path = living.world().path(number);
        let mut cursor = living.world().begin(number);
        living.world().follow(number, &mut cursor, f64::from(step) * 3.0);
        let second = |time: f64| (1e9 + time).floor();
        let since = date::http(second(cursor.last) as i64);
        let (head, _) = get(living.hosts()[host], &path, &format!("if-modified-since: {since}\r\n")).await;
        let is_certain = second(cursor.before_last) < second(cursor.last);
        assert_eq!(head.starts_with("HTTP/1.1 304"), is_certain, "{head}");
        assert_eq!(header(&head, "last-modified"), since);
        *if is_certain { &mut held } else { &mut given } += 1;
        let before = date::http(second(cursor.last) as i64 - 1);
        let (head, _) = get(living.hosts()[host], &path, &format!("if-modified-since: {before}\r\n")).await;
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    }
    assert!(given > 10 && held > 10, "{given} {held}");
}

#[tokio::test]
async fn looking_is_not_fetching() {
    let (living, _) = up(&settings(), Options::default()).await;
    let path = living.world().path(first_of(&living, 0));
    let (head, body) = ask(living.hosts()[0], "HEAD", &path, "", "").await;
    assert!(head.starts_with("HTTP/1.1 200") && body.is_empty(), "{head}");
    for path in ["/", "/robots.txt", "/sitemap.xml", "/feed.xml", "/list/1.html"] {
        assert!(get(living.hosts()[0], path, "").await.0.starts_with("HTTP/1.1 200"), "{path}");
    }
    let truth = living.truth();
    assert_eq!((truth.since_start.requests, truth.since_start.fetches, truth.pages_held), (6, 0, 0));
}

#[tokio::test]
async fn slow_hosts_say_so() {
    let (living, _) = up(&settings(), Options { slow_hosts: 1, ..Options::default() }).await;
    assert!(get(living.hosts()[0], "/robots.txt", "").await.1.contains("Crawl-delay: 1\n"));
    assert!(!get(living.hosts()[1], "/robots.txt", "").await.1.contains("Crawl-delay"));
}

#[tokio::test]
async fn pages_that_have_gone_are_not_found() {
    let replacements = vec![Replacement { share: 0.5, at: 10.0 }];
    let (living, hand) = up(&Settings { replacements, ..settings() }, Options::default()).await;
    let world = living.world();
    let gone = world.numbers().find(|number| world.page(*number).until == 10.0).unwrap();
    let new = world.numbers().find(|number| world.page(*number).from == 10.0).unwrap();
    let fetch = async |number: PageNumber| {
        get(living.hosts()[world.page(number).host as usize], &world.path(number), "").await.0
    };
    assert!(fetch(gone).await.starts_with("HTTP/1.1 200") && fetch(new).await.starts_with("HTTP/1.1 404"));
    hand.set(11.0);
    assert_eq!(living.truth().stale_now.held.unweighted, Some(1.0));
    assert!(fetch(gone).await.starts_with("HTTP/1.1 404") && fetch(new).await.starts_with("HTTP/1.1 200"));
    let truth = living.truth();
    assert_eq!((truth.stale_now.held.unweighted, truth.pages, truth.pages_held), (Some(0.0), 30, 1));
}

#[tokio::test]
async fn faults_are_as_frequent_as_they_should_be_and_always_the_same() {
    let faults = Faults { error: 0.3, reset: 0.3, slow: 0.0 };
    let mut seen = Vec::new();
    for _ in 0..2 {
        let (living, _) = up(&settings(), Options { faults, ..Options::default() }).await;
        let path = living.world().path(first_of(&living, 0));
        let mut kinds = String::new();
        for _ in 0..60 {
            let request = format!("GET {path} HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n");
            let answer = say(living.hosts()[0], request.as_bytes()).await;
            kinds.push(answer.map_or('r', |(head, _)| if head.starts_with("HTTP/1.1 200") { 'f' } else { 'e' }));
        }
        let truth = living.truth();
        assert_eq!(truth.since_start.fetches as usize, kinds.matches('f').count());
        assert_eq!(truth.since_start.fetches_spoilt as usize, 60 - kinds.matches('f').count());
        // 18 expected of each, standard deviation 3.5.
        assert!((6..=30).contains(&kinds.matches('e').count()) && (6..=30).contains(&kinds.matches('r').count()));
        seen.push(kinds);
    }
    assert_eq!(seen[0], seen[1]);
}

#[tokio::test]
async fn slow_bodies_arrive_whole() {
    let faults = Faults { slow: 1.0, ..Faults::default() };
    let (living, _) = up(&settings(), Options { faults, ..Options::default() }).await;
    let number = first_of(&living, 0);
    let began = std::time::Instant::now();
    let (_, body) = get(living.hosts()[0], &living.world().path(number), "").await;
    assert!(began.elapsed() > Duration::from_secs(2));
    assert_eq!(body, crate::site::page(living.world(), &living.state.origins, number, 0));
}

#[tokio::test]
async fn latency_is_waited_for() {
    let latency = Some(AccessTime::constant(0.2).unwrap());
    let (living, _) = up(&settings(), Options { latency, ..Options::default() }).await;
    let began = std::time::Instant::now();
    get(living.hosts()[0], "/", "").await;
    assert!(began.elapsed() > Duration::from_millis(190));
}

#[tokio::test]
async fn hostile_requests_do_no_harm() {
    let (living, _) = up(&settings(), Options::default()).await;
    let huge = format!("GET / HTTP/1.1\r\nx: {}\r\n\r\n", "y".repeat(1 << 20));
    let many: String = (0..5_000).map(|i| format!("h{i}: v\r\n")).collect();
    let requests = [
        b"\0\xff\r\n\r\n".to_vec(),
        b"GET\r\n\r\n".to_vec(),
        b"GET /../../etc/passwd HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n".to_vec(),
        b"GET /w0/%00%ff-99999999999999999999.html HTTP/1.1\r\nconnection: close\r\n\r\n".to_vec(),
        b"GET /list/99999999999999999999.html HTTP/1.1\r\nconnection: close\r\n\r\n".to_vec(),
        b"POST / HTTP/1.1\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n".to_vec(),
        huge.into_bytes(),
        format!("GET / HTTP/1.1\r\n{many}\r\n").into_bytes(),
    ];
    for address in [living.hosts()[0], living.admin()] {
        for request in &requests {
            if let Some((head, _)) = say(address, request).await {
                assert!(head.starts_with("HTTP/1.1 4"), "{head}");
            }
        }
    }
    let query = format!("{}?a=1", living.world().path(first_of(&living, 0)));
    assert!(get(living.hosts()[0], &query, "").await.0.starts_with("HTTP/1.1 404"));
    assert!(get(living.hosts()[0], "/living/truth", "").await.0.starts_with("HTTP/1.1 404"));
    assert!(get(living.hosts()[0], "/", "").await.0.starts_with("HTTP/1.1 200"));
    assert_eq!(living.truth().since_start.fetches, 0);
}

#[tokio::test]
async fn a_crawler_says_what_it_holds() {
    let (living, hand) = up(&settings(), Options::default()).await;
    hand.set(100.0);
    let pages = living.pages();
    let line = |i: usize, version: u64| format!("{{\"url\": \"{}\", \"version\": {version}}}\n", pages[i].url);
    let said = line(0, pages[0].version) + "\n" + &line(1, 0);
    let (head, body) = ask(living.admin(), "POST", "/living/hold", "", &said).await;
    assert!(head.starts_with("HTTP/1.1 200") && body == "{\"held\":2}\n", "{head} {body}");
    assert!(pages[1].version > 0);
    assert_eq!(living.truth().stale_now.held.unweighted, Some(0.5));
    // From now on what is fetched says nothing.
    get(living.hosts()[1], &living.world().path(PageNumber(1)), "").await;
    assert_eq!(living.truth().stale_now.held.unweighted, Some(0.5));
    let (_, listed) = get(living.admin(), "/living/pages", "").await;
    let rows: Vec<Value> = listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 30);
    assert_eq!((&rows[1]["copy_version"], &rows[2]["copy_version"]), (&Value::from(0), &Value::Null));
    let wrong = [
        ("{\"url\": \"http://example.org/\", \"version\": 1}".to_owned(), "line 1: there is no page"),
        (line(0, 0) + "{", "line 2: EOF"),
        (line(0, u64::MAX), "1 of 1 versions are not there yet"),
        ("{\"url\": 3}".to_owned(), "line 1: invalid type"),
    ];
    for (said, problem) in wrong {
        let (head, body) = ask(living.admin(), "POST", "/living/hold", "", &said).await;
        assert!(head.starts_with("HTTP/1.1 400") && body.contains(problem), "{head} {body}");
    }
}

#[tokio::test]
async fn the_truth_is_told_as_json() {
    let (living, hand) = up(&settings(), Options::default()).await;
    get(living.hosts()[0], &living.world().path(first_of(&living, 0)), "").await;
    hand.set(10.0);
    let (head, _) = ask(living.admin(), "POST", "/living/reset", "", "").await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    hand.set(30.0);
    let (_, body) = get(living.admin(), "/living/truth", "").await;
    let told: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(told, serde_json::to_value(living.truth()).unwrap());
    assert_eq!((&told["window"]["seconds"], &told["window"]["fetches"]), (&Value::from(20.0), &Value::from(0)));
    assert_eq!((&told["window"]["expected"], &told["since_start"]["fetches"]), (&Value::Null, &Value::from(1)));
    assert!(told["since_start"]["expected"]["weighted"]["bound"].as_f64().unwrap() > 0.9);
    assert!(get(living.admin(), "/living/reset", "").await.0.starts_with("HTTP/1.1 405"));
    assert!(get(living.admin(), "/", "").await.0.starts_with("HTTP/1.1 404"));
}

#[tokio::test]
async fn copies_of_another_run_say_nothing() {
    let (living, _) = up(&settings(), Options::default()).await;
    let (page, number) = (living.pages().remove(0), PageNumber(0));
    let (own, other) = (living.state.run.etag(number, 0), Run::new(99, 0.0).etag(number, 0));
    assert_eq!(living.judge([(page.url.as_str(), own.as_str())].into_iter()).pages_held, 1);
    assert_eq!(living.judge([(page.url.as_str(), other.as_str())].into_iter()).pages_held, 0);
}

#[tokio::test]
async fn ports_that_cannot_be_are_refused() {
    let world = || World::new(&settings()).unwrap();
    let (living, _) = up(&settings(), Options::default()).await;
    let port = living.hosts()[0].port();
    let taken = serve(world(), Clock::starting_now(), Options { port, ..Options::default() }).await;
    assert!(matches!(taken, Err(ServeError::Listen { .. })));
    let beyond = serve(world(), Clock::starting_now(), Options { port: 65_535, ..Options::default() }).await;
    assert!(matches!(beyond, Err(ServeError::Ports { .. })));
    let address = living.hosts()[0];
    living.shutdown().await;
    assert!(TcpStream::connect(address).await.is_err());
}

/// What a page of others could have a browser ask is refused where the truth is told.
#[tokio::test]
async fn the_truth_is_told_to_no_other_site() {
    let (living, _) = up(&settings(), Options::default()).await;
    let admin = living.admin();
    for (headers, status) in [
        (format!("host: {admin}"), "200"),
        ("host: localhost:1".to_owned(), "200"),
        (format!("host: {admin}\r\norigin: http://{admin}"), "200"),
        ("host: evil.example".to_owned(), "403"),
        (format!("host: {admin}\r\norigin: http://evil.example"), "403"),
        (format!("host: {admin}\r\norigin: null"), "403"),
    ] {
        for (method, path) in [("GET", "/living/truth"), ("POST", "/living/reset"), ("POST", "/living/hold")] {
            let request =
                format!("{method} {path} HTTP/1.1\r\n{headers}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
            let (head, _) = say(admin, request.as_bytes()).await.unwrap();
            assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{method} {path} {headers}: {head}");
        }
    }
}
