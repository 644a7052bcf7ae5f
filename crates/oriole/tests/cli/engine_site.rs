//! The engine against a web of hosts that do everything wrong, seen from both sides.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::kills::the_archive_is_read_by_others;
use super::site::hosts::{ASKED_DELAY, ASKED_WAIT, with_pages};
use super::site::server::{Log, Server, html, not_found, page};
use super::site::{Hosts, cases, hosts, rough};
use super::{Folder, Run};

/// What clocks and schedulers may take from a delay, in seconds.
const TOLERANCE: f64 = 0.01;

/// How long a request may be on its way, in seconds.
const ON_ITS_WAY: f64 = 0.05;

fn config(hosts: &Hosts) -> String {
    let seeds: Vec<String> = hosts.seeds().iter().map(|seed| format!("{seed:?}")).collect();
    format!(
        "seeds = [{}]\nbudget = \"unlimited\"\nrobots = 64\n\
         [requests]\nallow_private = true\ndelay = \"0\"\nconnections_per_host = 8\nca_files = [\"ca.pem\"]\n\
         connect_timeout = \"{silence}ms\"\nsilence_timeout = \"{silence}ms\"\ntimeout = \"{total}ms\"\n\
         max_bytes = \"{}B\"\nretry = \"50ms\"\ntries = {}\n[pages]\nmax_links = 400\n",
        seeds.join(", "),
        rough::MOST_BYTES,
        super::site::TRIES,
        silence = rough::SILENCE.as_millis(),
        total = rough::TOTAL.as_millis(),
    )
}

/// Every known page, by its address.
fn rows(folder: &Folder) -> BTreeMap<String, Value> {
    let listed = folder.run("pages --json");
    assert_eq!(listed.code, 0, "{}", listed.err);
    let rows = listed.out.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let rows: Vec<(String, Value)> = rows.map(|row| (row["url"].as_str().unwrap().to_owned(), row)).collect();
    let count = rows.len();
    let rows: BTreeMap<String, Value> = rows.into_iter().collect();
    assert_eq!(rows.len(), count, "a page is known twice");
    rows
}

fn ended(run: &Run) {
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(!run.err.contains("panicked") && !run.err.contains("ERROR"), "{}", run.err);
}

#[test]
fn every_nasty_case_ends_as_it_must() {
    let hosts = hosts();
    let folder = Folder::with("oriole.toml", config(&hosts));
    folder.write("ca.pem", &hosts.authority.pem);
    let began = Instant::now();
    ended(&folder.run("run --once"));
    let elapsed = began.elapsed();
    let pages = rows(&folder);
    let mut complaints = hosts.well_served.complaints(&pages);
    complaints.extend(hosts.rough.complaints(&pages));
    complaints.extend(of_hosts(&hosts, &pages));
    complaints.extend(of_limits(&hosts, &pages));
    complaints.extend(of_search(&folder, &pages));
    assert!(complaints.is_empty(), "{} complaints:\n{}", complaints.len(), complaints.join("\n"));
    // Whatever waits for ever on one of the hosts would take minutes.
    assert!(elapsed < Duration::from_secs(180), "{elapsed:?}");
    println!("{} pages on {} hosts in {elapsed:.1?}", pages.len(), hosts.seeds().len());
    again(&folder, &hosts);
    let check = folder.run("check --json");
    assert_eq!(check.code, 0, "{}{}", check.out, check.err);
    the_archive_is_read_by_others(&folder.path("oriole-data/archive"));
    let known = rows(&folder).len();
    assert!(
        known <= pages.len() + 1,
        "{known} pages are known after three crawls, {} were after the first",
        pages.len()
    );
}

fn state<'a>(rows: &'a BTreeMap<String, Value>, url: &str) -> Option<&'a str> {
    rows.get(url).and_then(|row| row["state"].as_str())
}

/// What is said in `/robots.txt`, overload, delays, certificates, and hosts that are not there.
fn of_hosts(hosts: &Hosts, rows: &BTreeMap<String, Value>) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut expect = |name: &str, got: String, wanted: String| {
        if got != wanted {
            complaints.push(format!("{name}: {got}, not {wanted}"));
        }
    };
    for host in &hosts.ruled {
        let log = host.server.log();
        let visited = (log.count("/open") > 0, log.count("/closed") > 0);
        expect(&format!("robots.txt: {}", host.name), format!("{visited:?}"), format!("{:?}", host.visited));
        let closed = state(rows, &host.server.url("/closed"));
        let is_excluded = host.visited == (true, false);
        expect(
            &format!("robots.txt: {}", host.name),
            (closed == Some("excluded")).to_string(),
            is_excluded.to_string(),
        );
    }
    for (name, server) in &hosts.distrusted {
        expect(name, format!("{:?}", server.seen()), "[]".into());
        expect(name, format!("{:?}", state(rows, &server.url("/"))), "Some(\"known\")".into());
    }
    let second = &hosts.second_version;
    let versions = second.seen().iter().all(|(version, _)| *version == hyper::Version::HTTP_2);
    expect("HTTP/2", versions.to_string(), "true".into());
    for (path, wanted) in [("/", "fetched"), ("/next", "fetched"), ("/reset", "failed")] {
        expect("HTTP/2", format!("{:?}", state(rows, &second.url(path))), format!("{:?}", Some(wanted)));
    }
    for url in [hosts.silent.url("/"), "http://127.0.0.1:9/".into(), "http://no-such-name.invalid/".into()] {
        expect(&url, format!("{:?}", state(rows, &url)), "Some(\"known\")".into());
    }
    let pages = ["/", "/a", "/b", "/c", "/d"].map(|path| state(rows, &hosts.storm.url(path)));
    expect("429 storm", format!("{pages:?}"), format!("{:?}", [Some("fetched"); 5]));
    complaints.extend(too_soon(hosts));
    complaints
}

/// Requests that came before the time that a host asked for.
fn too_soon(hosts: &Hosts) -> Vec<String> {
    let mut complaints = Vec::new();
    let storm = hosts.storm.log();
    let refused =
        storm.requests.iter().filter(|seen| !["/", "/robots.txt", "/sitemap.xml"].contains(&seen.ask.path.as_str()));
    // What was on its way when the first was refused could not know.
    let refused: Vec<f64> = refused.take(3).filter_map(|seen| seen.ended).map(|end| end + ON_ITS_WAY).collect();
    for end in refused {
        let sooner = storm
            .requests
            .iter()
            .filter(|seen| seen.began > end && seen.began < end + ASKED_WAIT - ON_ITS_WAY - TOLERANCE);
        complaints.extend(
            sooner.map(|seen| format!("429 storm: {} was asked for {} s after 429", seen.ask.path, seen.began - end)),
        );
    }
    let slow: Vec<f64> = hosts.slow.log().requests.iter().map(|seen| seen.began).collect();
    let least = slow.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    if least < ASKED_DELAY - TOLERANCE || hosts.slow.log().count("/page/3") != 1 {
        complaints.push(format!("Crawl-delay: {least} s between two requests, {} requests", slow.len()));
    }
    complaints
}

/// What must not take more than its share.
fn of_limits(hosts: &Hosts, rows: &BTreeMap<String, Value>) -> Vec<String> {
    let mut complaints = Vec::new();
    let (good, rough) = (&hosts.well_served.server, &hosts.rough.server);
    let calendar = rows.keys().filter(|url| url.starts_with(&good.url("/calendar/"))).count();
    if !(100..=cases::MOST_OF_CALENDAR).contains(&calendar) {
        complaints.push(format!("endless calendar: {calendar} pages"));
    }
    let many = rows.keys().filter(|url| url.starts_with(&good.url("/many/"))).count();
    if !(300..=400).contains(&many) {
        complaints.push(format!("100,000 links: {many} pages"));
    }
    for path in ["/huge", "/endless", "/headers/endless"] {
        let sent = rough.log().of(path).map(|seen| seen.bytes_sent).max().unwrap_or(0);
        // What was on its way when the connection was closed comes on top.
        if sent > 8 * rough::MOST_BYTES {
            complaints.push(format!("{path}: {sent} bytes were sent"));
        }
    }
    if let Some(url) = rows.keys().find(|url| url.contains("127.0.0.3") || url.len() > 2_048) {
        complaints.push(format!("{url} is known"));
    }
    // The rough one does not see when the other end gives up.
    let most = good.log().most_at_a_time();
    if most > 8 {
        complaints.push(format!("{most} requests at a time"));
    }
    for server in [good, rough] {
        let log = server.log();
        let wrong = log.requests.iter().find(|seen| seen.method != "GET" || seen.ask.header("cookie").is_some());
        complaints.extend(wrong.map(|seen| format!("asked {seen:?}")));
    }
    complaints
}

/// What is found is what the catalogue says, and in the right letters.
fn of_search(folder: &Folder, rows: &BTreeMap<String, Value>) -> Vec<String> {
    let mut complaints = Vec::new();
    let hits = |query: &str| -> Vec<String> {
        let run = folder.command("search --json --limit 1000").arg(query).output().unwrap();
        let found: Value = serde_json::from_slice(&run.stdout).unwrap();
        found["hits"].as_array().unwrap().iter().map(|hit| hit["url"].as_str().unwrap().to_owned()).collect()
    };
    for (query, count) in
        [("Übergrößenträger", 5), ("日本語", 1), ("robin", 1), ("intitle:twice", 1), ("intitle:huge", 1)]
    {
        let found = hits(query);
        if found.len() != count {
            complaints.push(format!("search for {query} finds {found:?}"));
        }
    }
    let status = folder.json("status");
    let indexed = rows.values().filter(|row| row["indexed"] == true).count() as u64;
    if status["pages_indexed"].as_u64() != Some(indexed) {
        complaints.push(format!("{} pages are indexed, not {indexed}", status["pages_indexed"]));
    }
    complaints
}

/// Two more crawls: what has changed is seen, and what is gone goes when that is confirmed.
fn again(folder: &Folder, hosts: &Hosts) {
    let good = &hosts.well_served.server;
    let shown = |rows: &BTreeMap<String, Value>, path: &str| rows[&good.url(path)]["indexed"] == true;
    ended(&folder.run("run --once"));
    let second = rows(folder);
    for path in ["/etag", "/dated"] {
        let row = &second[&good.url(path)];
        assert_eq!((row["status"].as_u64(), row["changes"].as_u64()), (Some(304), Some(0)), "{path}");
        assert_eq!(good.log().count(path), 2, "{path}");
        assert!(shown(&second, path), "{path}");
    }
    let changed = &second[&good.url("/changes")];
    assert_eq!((changed["changes"].as_u64(), changed["title"].as_str()), (Some(1), Some("version 1")));
    for path in ["/vanishes", "/flickers"] {
        assert!(shown(&second, path), "{path}: missing once is no proof");
    }
    assert_eq!(state(&second, &good.url("/moves")), Some("redirect"));
    assert_eq!(state(&second, &good.url("/hides")), Some("excluded"));
    assert!(!shown(&second, "/moves") && !shown(&second, "/hides"));
    ended(&folder.run("run --once"));
    let third = rows(folder);
    assert_eq!(state(&third, &good.url("/vanishes")), Some("gone"));
    assert!(!shown(&third, "/vanishes") && shown(&third, "/flickers"));
}

#[test]
fn politeness_as_servers_see_it() {
    let servers: Vec<_> = (2..6).map(|pages| with_pages(pages, "")).collect();
    let folder = Folder::new();
    let seeds: Vec<String> = servers.iter().map(|server| server.url("/")).collect();
    ended(&folder.run(&format!(
        "run --once --allow-private --delay 200ms --connections-per-host 8 --budget unlimited {}",
        seeds.join(" ")
    )));
    for (server, pages) in servers.iter().zip(2..) {
        let log = server.log();
        assert_eq!(log.requests.len(), pages + 3, "all pages, the home page, robots.txt and the sitemap");
        assert_eq!((log.most_at_a_time(), log.most_connections()), (1, 1));
        assert!(log.least_gap() >= 0.2 - TOLERANCE, "{} s between two requests", log.least_gap());
    }
    let last = |log: &Log| log.requests.last().unwrap().began;
    let (first, all) = (servers[0].log(), servers[3].log());
    assert!(last(&first) < last(&all), "hosts are visited beside each other");
}

#[test]
fn hosts_with_addresses_of_version_six() {
    if std::net::TcpListener::bind("[::1]:0").is_err() {
        println!("this machine has no IPv6: it is not tried");
        return;
    }
    let server = Server::start_at("::1", |ask| match ask.path.as_str() {
        "/" => html(&page("six", &[])),
        _ => not_found(),
    });
    let folder = Folder::new();
    ended(&folder.run(&format!("run --once --allow-private --delay 0 {}", server.url("/"))));
    assert_eq!(state(&rows(&folder), &server.url("/")), Some("fetched"));
}

#[test]
fn a_proxy_is_asked_for_everything() {
    let proxy = Server::start(|ask| match ask.path.as_str() {
        "http://docs.example.test/" => html(&page("home", &["/next"])),
        "http://docs.example.test/next" => html(&page("next", &[])),
        _ => not_found(),
    });
    let folder = Folder::with("oriole.toml", format!("[requests]\nproxy = {:?}\n", proxy.origin()));
    ended(&folder.run("run --once --delay 0 http://docs.example.test/"));
    for path in ["/robots.txt", "/", "/next"] {
        let url = format!("http://docs.example.test{path}");
        assert_eq!(proxy.log().count(&url), 1, "{url}");
    }
    assert_eq!(state(&rows(&folder), "http://docs.example.test/next"), Some("fetched"));
}

#[test]
fn private_addresses_are_refused_unless_they_are_allowed() {
    let server = with_pages(1, "");
    let folder = Folder::new();
    let named = format!("http://localhost:{}/", server.port());
    let run = folder.run(&format!("run --once --delay 0 {} {named}", server.url("/")));
    assert_eq!(run.code, 1, "{}", run.err);
    assert!(run.err.contains("127.0.0.1 is a private address; allow it"), "{}", run.err);
    assert_eq!(server.log().connections.len(), 0);
    for url in [server.url("/"), named] {
        assert_eq!(state(&rows(&folder), &url), Some("known"));
    }
}
