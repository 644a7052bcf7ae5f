//! What the pages of a running engine change: settings, sites, and whom it tells of changes.

mod hooks;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Folder;
use super::site::server::{Server, html, not_found, page};

/// A site of three pages that change at every visit.
pub(super) fn restless_site() -> Server {
    Server::start(|ask| match ask.path.as_str() {
        "/" => html(&page(&format!("{} {}", ask.origin, ask.before), &["/one", "/two"])),
        "/one" | "/two" => html(&page(&format!("{}{} {}", ask.origin, ask.path, ask.before), &[])),
        _ => not_found(),
    })
}

/// An engine with its pages, ended with the test.
pub(super) struct Engine {
    child: Child,
    pub(super) address: SocketAddr,
}

impl Engine {
    pub(super) fn start(folder: &Folder, arguments: &str) -> Self {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let command = format!("run {arguments} --listen {free} --allow-private --delay 0 --log text");
        let child = folder.command(&command).stderr(std::process::Stdio::null()).spawn().unwrap();
        let engine = Self { child, address: free };
        until("the server answers", || TcpStream::connect(free).is_ok());
        engine
    }

    fn ask(&self, method: &str, target: &str, body: Option<&Value>) -> (u16, String) {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let body = body.map_or_else(String::new, Value::to_string);
        let head = format!(
            "{method} {target} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let status = text.split(' ').nth(1).unwrap().parse().unwrap();
        (status, text.split_once("\r\n\r\n").unwrap().1.to_owned())
    }

    fn end(mut self) {
        let killed = std::process::Command::new("kill").arg(self.child.id().to_string()).status().unwrap();
        assert!(killed.success());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

pub(super) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}");
        thread::sleep(Duration::from_millis(100));
    }
}

/// What `oriole status` says as soon as it is this.
pub(super) fn status(folder: &Folder, engine: &Engine, what: &str, is_so: impl Fn(&Value) -> bool) {
    until(what, || {
        let said: Value = serde_json::from_str(&folder.run("status --json").out).unwrap_or_default();
        said["pid"] == engine.child.id() && is_so(&said)
    });
}

pub(super) const DAY: f64 = 86_400.0;

#[test]
fn settings_are_applied_to_the_engine_and_outlive_it() {
    let site = restless_site();
    let folder = Folder::with(
        "oriole.toml",
        format!("seeds = [\"{}\"]\nbudget = \"4/s\"\n[revisit]\nleast = \"0\"\n", site.url("/")),
    );
    let engine = Engine::start(&folder, "");
    status(&folder, &engine, "the file holds", |said| {
        said["budget_per_day"] == 4.0 * DAY && said["buffer_capacity"] == 64
    });
    let wanted = json!({"budget": 2.5, "robots": 3, "fixed": true, "buffer": 7});
    let (code, text) = engine.ask("POST", "/api/v1/what-if", Some(&wanted));
    let changes: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, changes["now"].as_array().unwrap().len()), (200, 2), "{text}");
    assert_eq!(changes["at_next_start"], json!(["buffer.places"]));
    status(&folder, &engine, "the engine obeys", |said| {
        said["budget_per_day"] == 2.5 * DAY
            && said["robots_max"] == 3
            && said["control"]["rule"] == "fixed"
            && said["buffer_capacity"] == 64
    });
    let (_, page) = engine.ask("GET", "/what-if", None);
    assert!(page.contains("64 places now and 7 from the next start"), "{page}");
    let (code, page) = engine.ask("GET", "/dashboard", None);
    assert!(code == 200 && page.contains("The engine is running, started"), "{page}");
    engine.end();

    let engine = Engine::start(&folder, "");
    status(&folder, &engine, "it is remembered", |said| {
        said["budget_per_day"] == 2.5 * DAY && said["robots_max"] == 3 && said["buffer_capacity"] == 7
    });
    engine.end();
    let engine = Engine::start(&folder, "--budget 9/s");
    status(&folder, &engine, "a flag goes before it", |said| {
        said["budget_per_day"] == 9.0 * DAY && said["robots_max"] == 3
    });
    let (code, text) = engine.ask("POST", "/api/v1/what-if", Some(&json!({"forget": true})));
    assert_eq!(code, 200, "{text}");
    status(&folder, &engine, "robots are decided again", |said| {
        said["control"]["rule"] == "thresholds" && said["robots_max"] == 16
    });
    engine.end();
    let engine = Engine::start(&folder, "");
    status(&folder, &engine, "the file holds again", |said| {
        said["budget_per_day"] == 4.0 * DAY && said["buffer_capacity"] == 64
    });
    engine.end();
}

#[test]
fn events_tell_how_things_are() {
    let site = restless_site();
    let folder = Folder::new();
    let engine = Engine::start(&folder, &site.url("/"));
    let mut stream = TcpStream::connect(engine.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    write!(stream, "GET /api/v1/events HTTP/1.1\r\nHost: {}\r\n\r\n", engine.address).unwrap();
    let (mut text, mut bytes) = (String::new(), [0; 4096]);
    while text.matches("event: status").count() < 2 {
        let read = stream.read(&mut bytes).unwrap();
        assert!(read > 0, "{text}");
        text.push_str(&String::from_utf8_lossy(&bytes[..read]));
    }
    assert!(text.contains("text/event-stream") && text.contains("\"robots_max\":16"), "{text}");
    until("there is a history", || {
        let (_, text) = engine.ask("GET", "/api/v1/history?range=recent", None);
        let history: Value = serde_json::from_str(&text).unwrap();
        history["points"].as_array().unwrap().iter().any(|point| point["requests"].is_number())
    });
    engine.end();
}

#[test]
fn sites_are_paused_resumed_added_and_removed() {
    let (site, other) = (restless_site(), restless_site());
    let folder = Folder::with("oriole.toml", format!("seeds = [\"{}\"]\n[revisit]\nleast = \"0\"\n", site.url("/")));
    let engine = Engine::start(&folder, "");
    until("the site is crawled", || site.log().count("/one") > 1);
    let paused = folder.run(&format!("pause {}", site.url("/")));
    assert_eq!((paused.code, paused.out.as_str()), (0, "1 site to be paused now\n"), "{}", paused.err);
    let shows = |engine: &Engine, words: &str| {
        until(words, || engine.ask("GET", "/sites", None).1.contains(words));
    };
    shows(&engine, "paused");
    thread::sleep(Duration::from_millis(500));
    let asked = site.log().requests.len();
    engine.end();
    let engine = Engine::start(&folder, "");
    shows(&engine, "paused");
    thread::sleep(Duration::from_secs(1));
    assert_eq!(site.log().requests.len(), asked, "nothing is asked, also after a restart");
    let unknown = folder.run("pause http://nobody.example/");
    assert!(unknown.code == 2 && unknown.err.contains("is not known"), "{}", unknown.err);
    assert_eq!(folder.run(&format!("resume {}", site.url("/"))).code, 0);
    until("it is gone on with", || site.log().requests.len() > asked);

    let order = |action: &str, url: String| {
        let (code, text) = engine.ask("POST", "/api/v1/sites", Some(&json!({"action": action, "site": url})));
        assert_eq!(code, 202, "{text}");
    };
    order("add", other.url("/"));
    until("the other site is crawled", || other.log().count("/two") > 0);
    shows(&engine, other.url("/").trim_end_matches('/'));
    order("remove", other.url("/"));
    let told = || folder.run(&format!("page {} --json", other.url("/two"))).out;
    let state = || serde_json::from_str::<Value>(&told()).ok().map(|page| page["state"].clone());
    until("its pages are out", || state() == Some("excluded".into()));
    engine.end();
}
