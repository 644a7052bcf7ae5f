//! Hosts: what they say in `/robots.txt`, and how they behave as a whole.

use std::time::Duration;

use super::server::{Server, answer, html, not_found, page, raw, redirect};
use super::tls::{Authority, Flaw, TlsServer};
use super::{Say, Site, cases, rough};

const CLOSED: &str = "User-agent: *\nDisallow: /closed\n";

/// A host whose rules say that one of two pages is closed, if they are understood.
pub(in super::super) struct Ruled {
    pub(in super::super) name: &'static str,
    pub(in super::super) server: Server,
    /// Whether the open and the closed page are visited.
    pub(in super::super) visited: (bool, bool),
}

/// All hosts of the test.
pub(in super::super) struct Hosts {
    pub(in super::super) well_served: Site,
    pub(in super::super) rough: Site,
    pub(in super::super) ruled: Vec<Ruled>,
    /// Asks to be left alone at first.
    pub(in super::super) storm: Server,
    /// Wants more time between requests.
    pub(in super::super) slow: Server,
    /// Accepts connections and says nothing.
    pub(in super::super) silent: Server,
    pub(in super::super) authority: Authority,
    pub(in super::super) second_version: TlsServer,
    pub(in super::super) distrusted: Vec<(&'static str, TlsServer)>,
}

/// The time between requests that a host asks for, in seconds.
pub(in super::super) const ASKED_DELAY: f64 = 0.4;

/// How long a host asks to be left alone, in seconds.
pub(in super::super) const ASKED_WAIT: f64 = 1.0;

/// Starts all of them.
pub(in super::super) fn hosts() -> Hosts {
    let authority = Authority::new();
    Hosts {
        well_served: cases::table().serve(),
        rough: rough::table().serve(),
        ruled: ruled(),
        storm: storm(),
        slow: with_pages(4, &format!("User-agent: *\nCrawl-delay: {ASKED_DELAY}")),
        silent: Server::start(|_| vec![Say::Wait(Duration::from_secs(60)), Say::Close]),
        second_version: TlsServer::start(&authority, Flaw::None),
        distrusted: vec![
            ("a certificate of nobody we know", TlsServer::start(&Authority::new(), Flaw::None)),
            ("a certificate that has expired", TlsServer::start(&authority, Flaw::Expired)),
            ("a certificate for another host", TlsServer::start(&authority, Flaw::Name)),
        ],
        authority,
    }
}

impl Hosts {
    /// Where the crawl begins.
    pub(in super::super) fn seeds(&self) -> Vec<String> {
        let servers = [&self.well_served.server, &self.rough.server, &self.storm, &self.slow, &self.silent];
        let mut seeds: Vec<String> = servers.map(|server| server.url("/")).into();
        seeds.extend(self.ruled.iter().map(|host| host.server.url("/")));
        seeds.push(self.second_version.url("/"));
        seeds.extend(self.distrusted.iter().map(|(_, server)| server.url("/")));
        seeds.extend(["http://127.0.0.1:9/".to_owned(), "http://no-such-name.invalid/".to_owned()]);
        seeds
    }
}

/// A host with a home page and so many others.
pub(in super::super) fn with_pages(count: usize, robots_txt: &str) -> Server {
    let robots_txt = robots_txt.to_owned();
    Server::start(move |ask| match ask.path.as_str() {
        "/robots.txt" => answer(200, "Content-Type: text/plain", &robots_txt),
        "/" => {
            let links: Vec<String> = (0..count).map(|n| format!("/page/{n}")).collect();
            html(&page("home", &links.iter().map(String::as_str).collect::<Vec<_>>()))
        }
        path if path.starts_with("/page/") => html(&page(path, &[])),
        _ => not_found(),
    })
}

/// The first three pages asked for are refused, in turn with 429 and 503.
fn storm() -> Server {
    let refusals = std::sync::atomic::AtomicUsize::new(0);
    Server::start(move |ask| match ask.path.as_str() {
        "/" => html(&page("storm", &["/a", "/b", "/c", "/d"])),
        "/a" | "/b" | "/c" | "/d" => {
            let refused = refusals.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            match refused {
                0 | 2 => answer(429, &format!("Retry-After: {ASKED_WAIT}"), "slower, please"),
                1 => answer(503, &format!("Retry-After: {ASKED_WAIT}"), "not now"),
                _ => html(&page(&ask.path, &[])),
            }
        }
        _ => not_found(),
    })
}

fn host(
    name: &'static str,
    visited: (bool, bool),
    robots_txt: impl Fn(usize) -> Vec<Say> + Send + Sync + 'static,
) -> Ruled {
    let server = Server::start(move |ask| match ask.path.as_str() {
        "/robots.txt" => robots_txt(ask.before),
        "/moved" => answer(200, "", CLOSED),
        "/" => html(&page("ruled", &["/open", "/closed"])),
        "/open" | "/closed" => html(&page(&ask.path, &[])),
        _ => not_found(),
    });
    Ruled { name, server, visited }
}

fn ruled() -> Vec<Ruled> {
    let (all, some, none) = ((true, true), (true, false), (false, false));
    let status = |status: u16| move |_: usize| answer(status, "Content-Type: text/plain", CLOSED);
    let text = |start: &[u8], end: &[u8]| {
        let body = [start, CLOSED.as_bytes(), end].concat();
        move |_: usize| answer(200, "Content-Type: text/plain", &body)
    };
    vec![
        host("200", some, status(200)),
        host("301 to another path", some, |_| redirect(301, "/moved")),
        host("301 to itself", all, |_| redirect(301, "/robots.txt")),
        host("401", all, status(401)),
        host("403", all, status(403)),
        host("404", all, status(404)),
        host("429", none, status(429)),
        host("500", none, status(500)),
        host("503", none, status(503)),
        host("503 at first", some, |before| answer(if before == 0 { 503 } else { 200 }, "", CLOSED)),
        host("no answer in time", none, |_| vec![Say::Wait(2 * rough::SILENCE), Say::Close]),
        host("reset", none, |_| vec![Say::Reset]),
        host("12 MB", some, text(b"", &b"# and so on\n".repeat(1_000_000))),
        host("with a byte order mark", some, text(b"\xef\xbb\xbf", b"")),
        host("bytes that are no text", all, |_| answer(200, "", vec![0xff; 1_000])),
        host("a page instead", all, |_| html(&page("home", &[]))),
        host("cut off", none, |_| raw("HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\nUser-agent: *\n")),
    ]
}
