//! Kill -9 at random instants, under load: nothing is lost and nothing is there twice.
//!
//! `ORIOLE_KILLS=200 cargo test --release -p oriole --test cli kills -- --nocapture` for the long run.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::Folder;

/// Pages of the site. Every tenth leads to its successor, every tenth from the fifth on does not exist.
const PAGES: usize = 300;

/// Kills if nothing else is said.
const KILLS: usize = 20;

/// Longest life of a process, in milliseconds: well over a batch.
const LONGEST_LIFE: u64 = 2_500;

/// Each page changes about once in this time.
const CHANGE: Duration = Duration::from_millis(900);

const CONFIG: &str = "budget = \"unlimited\"\n[revisit]\nleast = \"200ms\"\n[requests]\nallow_private = true\ndelay = \"0\"\n\
                      connections_per_host = 8\n[archive]\nfile_size = \"1MB\"\n";

#[test]
fn after_kills_at_random_instants_everything_is_there_once() {
    let site = start_site();
    let folder = Folder::with("oriole.toml", CONFIG);
    let kills = std::env::var("ORIOLE_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(KILLS);
    let mut instants = Instants(2026);
    let (mut fetched, mut repaired) = (0, 0);
    for kill in 0..kills {
        let mut engine = folder.command(&format!("run {site}")).stderr(Stdio::piped()).spawn().unwrap();
        thread::sleep(Duration::from_millis(50 + instants.next() % LONGEST_LIFE));
        engine.kill().unwrap();
        let said = String::from_utf8(engine.wait_with_output().unwrap().stderr).unwrap();
        assert!(!said.contains("panicked") && !said.contains("ERROR") && !said.contains("error:"), "{kill}: {said}");
        repaired += usize::from(said.contains("something had to be put right"));
        let now = fetched_pages(&folder);
        assert!(now >= fetched, "{kill}: {fetched} pages had been fetched, {now} are left");
        fetched = now;
    }
    let end = folder.run("run --once");
    assert_eq!(end.code, 0, "{}", end.err);
    println!(
        "{kills} kills, {repaired} of them in the middle of a write; {} pages fetched before the last run",
        fetched
    );
    // One in twenty kills to one in five hits a write, by how busy the machine is: of twenty perhaps none.
    if kills >= 5 * KILLS {
        assert!(repaired > 0, "no kill hit a write");
    }
    everything_is_there_once(&folder, &site);
    the_archive_is_read_by_others(&folder.path("oriole-data/archive"));
}

fn fetched_pages(folder: &Folder) -> u64 {
    // A process that was killed at once has not made the folder yet.
    if !folder.path("oriole-data/oriole.db").exists() {
        return 0;
    }
    let run = folder.run("status --json");
    if run.code != 0 {
        assert!(run.err.contains("not a data folder"), "{}", run.err);
        return 0;
    }
    serde_json::from_str::<serde_json::Value>(&run.out).unwrap()["pages_fetched"].as_u64().unwrap()
}

fn everything_is_there_once(folder: &Folder, site: &str) {
    let check = folder.run("check --json");
    assert_eq!(check.code, 0, "{}{}", check.out, check.err);
    let rows = folder.run("pages --json");
    let rows: Vec<serde_json::Value> = rows.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let with = |state: &str| -> BTreeSet<String> {
        let pages = rows.iter().filter(|row| row["state"] == state);
        pages.map(|row| row["url"].as_str().unwrap().to_owned()).collect()
    };
    let urls: BTreeSet<&str> = rows.iter().map(|row| row["url"].as_str().unwrap()).collect();
    assert_eq!(urls.len(), rows.len(), "a page is there twice");
    let expected = |kind: Kind| -> BTreeSet<String> {
        (0..PAGES).filter(|page| kind_of(*page) == kind).map(|page| address(site, page)).collect()
    };
    assert_eq!(rows.len(), PAGES);
    assert_eq!(with("fetched"), expected(Kind::Page));
    assert_eq!(with("redirect"), expected(Kind::Moved));
    assert_eq!(with("gone"), expected(Kind::Missing));

    let found = folder.json(&format!("search kestrels --limit {}", 2 * PAGES));
    let hits: Vec<String> =
        found["hits"].as_array().unwrap().iter().map(|hit| hit["url"].as_str().unwrap().to_owned()).collect();
    assert_eq!(hits.iter().cloned().collect::<BTreeSet<_>>(), expected(Kind::Page));
    assert_eq!(hits.len(), expected(Kind::Page).len(), "a page is found twice");
}

/// Reads the archive with Python's warcio, which `./test` installs: every record, with its digests.
pub(super) fn the_archive_is_read_by_others(archive: &Path) {
    let Ok(python) = std::env::var("ORIOLE_TEST_PYTHON") else {
        println!("ORIOLE_TEST_PYTHON does not name a Python with warcio: the archive is not read by it");
        return;
    };
    let files = fs::read_dir(archive).unwrap().map(|entry| entry.unwrap().path());
    let files: Vec<_> = files.filter(|path| path.to_string_lossy().ends_with(".warc.gz")).collect();
    assert!(!files.is_empty());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/read_warc.py");
    let read = Command::new(python).arg(script).args(&files).output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&read.stdout), String::from_utf8_lossy(&read.stderr));
    assert!(read.status.success(), "{out}{err}");
    println!("{}", out.trim());
}

/// Random numbers, the same in every run.
struct Instants(u64);

impl Instants {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Page,
    Moved,
    Missing,
}

fn kind_of(page: usize) -> Kind {
    match page % 10 {
        3 => Kind::Moved,
        5 => Kind::Missing,
        _ => Kind::Page,
    }
}

fn address(site: &str, page: usize) -> String {
    if page == 0 { site.to_owned() } else { format!("{site}page-{}", name(page)) }
}

/// Without digits, so that no page looks like one of an endless number.
fn name(page: usize) -> String {
    page.to_string().bytes().map(|digit| char::from(digit - b'0' + b'a')).collect()
}

pub(super) fn start_site() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let site = format!("http://{}/", listener.local_addr().unwrap());
    let began = Instant::now();
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            // A connection that breaks off is what this test is about.
            thread::spawn(move || _ = answer(&connection, began));
        }
    });
    site
}

fn answer(connection: &TcpStream, began: Instant) -> std::io::Result<()> {
    let (mut reader, mut writer) = (BufReader::new(connection), connection);
    loop {
        let mut lines = (&mut reader).lines();
        let Some(request) = lines.next().transpose()? else { return Ok(()) };
        while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
        let path = request.split(' ').nth(1).unwrap_or("/").to_owned();
        let page = (0..PAGES).find(|page| address("/", *page) == path);
        let (status, body) = match page.map(|page| (page, kind_of(page))) {
            Some((page, Kind::Page)) => ("200 OK".to_owned(), body(page, began.elapsed())),
            Some((page, Kind::Moved)) => (format!("301 Moved\r\nLocation: {}", address("/", page + 1)), String::new()),
            _ => ("404 Not Found".to_owned(), String::new()),
        };
        let length = body.len();
        write!(writer, "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n{body}")?;
    }
}

/// A page with links to others and a text of its own, which is another one every now and then.
fn body(page: usize, elapsed: Duration) -> String {
    let version = (elapsed + CHANGE.mul_f64(page as f64 / PAGES as f64)).as_millis() / CHANGE.as_millis();
    let mut words = Instants(page as u64 * 1_000_003 + version as u64);
    let text: String = (0..150).map(|_| format!("{} ", name(10_000 + words.next() as usize % 90_000))).collect();
    let to = [page + 1, page + 2, page * 7].map(|to| to % PAGES);
    let links: String = to.iter().map(|to| format!("<a href=\"{}\">{}</a> ", address("/", *to), name(*to))).collect();
    format!("<html lang=en><title>{}</title><main><p>Of kestrels: {text}</p>{links}</main>", name(page))
}
