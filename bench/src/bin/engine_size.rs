//! The engine with many known pages: memory, time from start to the first page, and links taken in per second.
//!
//! `cargo build --release && cargo run --release -p oriole-bench --bin engine_size -- 1e6`
//!
//! Half of the pages have been visited before. A server on loopback answers for all hosts; the program `oriole` beside this one is started
//! as a user would, and the server sees when it asks for the first page.

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use crawl::address::PageUrl;
use crawl::examine::Examiner;
use crawl::fingerprint::Fingerprint;
use crawl::fleet::{FleetSettings, State};
use crawl::frontier::{Draw, Finding, Frontier, Remaining, Remembered, Settings, Task};
use crawl::scope::{Reach, Scope, ScopeRules};
use freshness::learn::{Evidence, Prior};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use store::{
    Batch, Catalogue, DataFolder, Host, HostId, NewPage, PageChange, PageId, State as Known, Timestamp, Values,
};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Hosts among which the pages are spread: 127.0.0.1, 127.0.0.2, ...
const HOSTS: usize = 100;

/// Pages written in one batch.
const BATCH: usize = 50_000;

/// Links of each page of the generated site.
const LINKS: usize = 200;

/// Decisions that are timed.
const DECISIONS: usize = 2_000_000;

fn main() -> Result<()> {
    let pages = std::env::args().nth(1).and_then(|n| n.parse::<f64>().ok()).unwrap_or(1e6) as usize;
    let folder = std::env::temp_dir().join(format!("oriole-engine-size-{}", std::process::id()));
    let program = std::env::current_exe()?.with_file_name("oriole");
    if std::env::args().nth(2).is_some_and(|part| part == "decisions") {
        return decide(pages);
    }
    let outcome = measure(pages, &folder, &program);
    std::fs::remove_dir_all(&folder)?;
    outcome
}

fn measure(pages: usize, folder: &Path, program: &Path) -> Result<()> {
    println!("{pages} pages on {HOSTS} hosts; {} threads", thread::available_parallelism().map_or(1, usize::from));
    let server = Server::start(HOSTS, pages)?;
    let known = folder.join("known");
    let seconds = timed(|| fill(&known, pages, server.port))?;
    println!("catalogue written: {seconds:.1} s, {:.0} pages/s", pages as f64 / seconds);

    let began = Instant::now();
    let mut engine = start(program, &known, &[])?;
    let first = server.first_page(began, Duration::from_secs(120));
    thread::sleep(Duration::from_secs(5));
    println!("start to first page asked for: {:.2} s", first.map_or(f64::NAN, |first| first.as_secs_f64()));
    println!("most resident memory after 5 s more: {} MiB", resident(&engine)? / 1024);
    engine.kill()?;
    engine.wait()?;

    decide(pages)?;
    intake(&known, pages, server.port)?;
    crawl_links(program, &folder.join("links"), &server)
}

fn decide(pages: usize) -> Result<()> {
    decisions(pages, "of which something is known", |rng| Evidence::from_parts(rng.random_range(0.0..5.0), 1e6))?;
    decisions(pages, "of which nothing is known", |_| Evidence::default())
}

/// What the frontier decides per second among these pages, all of them visited before: which page is next, and what its visit
/// means. Changes are found at random.
fn decisions(pages: usize, which: &str, known: impl Fn(&mut Pcg64Mcg) -> Evidence) -> Result<()> {
    let settings = Settings { budget: None, least_revisit: 0.0, delay: 0.0, connections: 64, ..Settings::default() };
    let mut frontier = Frontier::new(settings, Prior::unknown(86_400.0)?);
    let mut rng = Pcg64Mcg::seed_from_u64(2);
    let hosts: Vec<freshness::HostId> = (0..HOSTS).map(|_| frontier.add_host()).collect();
    frontier.restore((0..pages).map(|page| Remembered {
        key: page as u64,
        host: hosts[page % HOSTS],
        section: (page / HOSTS % 10) as u16,
        weight: rng.random_range(1.0..10.0),
        evidence: known(&mut rng),
        place: Remaining::Fetched(-rng.random_range(0.0..86_400.0)),
    }));
    hosts.iter().for_each(|host| frontier.rules(*host, f64::INFINITY, None));
    let (began, mut now, mut made) = (Instant::now(), 0.0, 0);
    while made < DECISIONS {
        now += 1e-4;
        match frontier.draw(now) {
            Draw::Task(Task::Page { page, host, .. }) => {
                frontier.left(host, now);
                let changed = Finding::Changed { last_modified: None };
                frontier.finish(page, now, if rng.random_bool(0.3) { changed } else { Finding::Unchanged });
                made += 1;
            }
            Draw::Task(Task::Errand { host, .. }) => frontier.left(host, now),
            Draw::Wait(_) | Draw::Idle => return Err("the frontier has nothing to do".into()),
        }
    }
    println!("decisions among {pages} pages {which}: {:.0}/s", made as f64 / began.elapsed().as_secs_f64());
    Ok(())
}

/// Links handed to the dispatcher, four of five known: the rate at which it takes them in.
fn intake(folder: &Path, pages: usize, port: u16) -> Result<()> {
    let rules = ScopeRules { reach: Reach::Anywhere, ..ScopeRules::default() };
    let examiner = Examiner {
        scope: Scope::new(&[], &rules)?,
        limits: crawl::extract::Limits::default(),
        most_bytes: 1 << 20,
        seed: 7,
        least_change: 0.0,
    };
    let settings = FleetSettings {
        frontier: Settings::default(),
        product_token: "Oriole".into(),
        obsolete_after: 600.0,
        learned_obsolescence: false,
        retry: 60.0,
        tries: 3,
        look_again: 1e6,
        archive: false,
        index: false,
        once: false,
        weights: Default::default(),
        demand: Default::default(),
    };
    let catalogue = DataFolder::read(folder)?.catalogue;
    let now = crawl::fleet::now();
    let began = Instant::now();
    let mut state = State::restore(catalogue, Arc::new(examiner), settings, Prior::unknown(86_400.0)?, (now, None))?;
    println!("state restored in this process: {:.2} s", began.elapsed().as_secs_f64());
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let links: Vec<PageUrl> = (0..1_000_000)
        .map(|_| PageUrl::parse(&address(port, rng.random_range(0..pages + pages / 4))))
        .collect::<std::result::Result<_, _>>()?;
    let began = Instant::now();
    let mut new = 0;
    for found in links.chunks(LINKS) {
        new += state.seed(found, now).len();
    }
    let rate = links.len() as f64 / began.elapsed().as_secs_f64();
    println!("links taken in by the dispatcher: {rate:.0}/s ({new} records)");
    Ok(())
}

/// A whole crawl of a site in which every page has many links: links fetched, parsed and taken in per second.
fn crawl_links(program: &Path, folder: &Path, server: &Server) -> Result<()> {
    let before = server.pages.load(Ordering::Relaxed);
    let site = format!("http://127.0.0.1:{}/page/0", server.port);
    let options = [site.as_str(), "--no-index", "--no-archive", "--connections-per-host", "64", "--for", "20s"];
    let began = Instant::now();
    start(program, folder, &options)?.wait()?;
    let pages = server.pages.load(Ordering::Relaxed) - before;
    let seconds = began.elapsed().as_secs_f64();
    let rate = pages as f64 / seconds;
    println!("crawl without index and archive: {rate:.0} pages/s, {:.0} links/s", rate * LINKS as f64);
    Ok(())
}

fn start(program: &Path, folder: &Path, more: &[&str]) -> Result<Child> {
    let options = ["--allow-private", "--delay", "0", "--budget", "unlimited", "--robots", "64", "--log", "text"];
    let mut command = Command::new(program);
    // The pages that are known lie on hosts that no seed names.
    command.env("ORIOLE_SCOPE_REACH", "anywhere");
    command.arg("run").args(more).args(options).arg("--data").arg(folder).stderr(Stdio::null());
    command
        .spawn()
        .map_err(|error| format!("{}: {error}; build it with `cargo build --release`", program.display()).into())
}

/// Most memory that was ever resident, in KiB.
fn resident(process: &Child) -> Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id()))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

fn address(port: u16, page: usize) -> String {
    format!("http://127.0.0.{}:{port}/page/{page}", page % HOSTS + 1)
}

/// Writes a catalogue in which every other page has been visited.
fn fill(folder: &Path, pages: usize, port: u16) -> Result<()> {
    let mut folder = DataFolder::open(folder)?;
    let mut next = folder.recover(None)?.next_batch;
    let now = crawl::fleet::now();
    let mut batch = Batch { hosts: (0..HOSTS).map(|host| host_of(host, port)).collect(), ..Batch::default() };
    for page in 0..pages {
        let (id, host) = (PageId(page as u32), HostId((page % HOSTS) as u32));
        let url = address(port, page);
        batch.new.push(NewPage { id, url, host, depth: 1, found_at: now, referrer: None, weight: 1.0, links_in: 1 });
        if page % 2 == 0 {
            batch.pages.push(PageChange { page: id, visit: None, values: visited(page, now) });
        }
        if batch.new.len() == BATCH || page + 1 == pages {
            batch.number = next;
            next += 1;
            folder.catalogue.apply(&batch)?;
            batch = Batch::default();
        }
    }
    Ok(())
}

fn host_of(host: usize, port: u16) -> Host {
    let name = format!("http://127.0.0.{}:{port}", host + 1);
    Host { id: HostId(host as u32), name, delay: 0.0, failures: 0, blocked_until: None, pages: 0, learned: None }
}

/// Values of a page that was visited some days ago.
fn visited(page: usize, now: Timestamp) -> Values {
    let text = Fingerprint::of(&sentence(page));
    let at = Timestamp(now.0 - 86_400_000 * (1 + page as i64 % 20));
    Values {
        state: Known::Fetched,
        checked_at: Some(at),
        changed_at: Some(at),
        status: Some(200),
        visits: 5,
        changes: 1,
        evidence_changes: 1.0,
        evidence_exposure: 1e6,
        // The folder has no index: with a hash the engine would see to it that it gets one of these pages.
        text_hash: None,
        simhash: Some(text.simhash),
        sketch: text.to_bytes().to_vec(),
        title: Some(format!("Page {page}")),
        bytes: Some(10_000),
        ..Values::default()
    }
}

/// A text unlike that of any other page.
fn sentence(page: usize) -> String {
    let mut rng = Pcg64Mcg::seed_from_u64(page as u64);
    (0..40).map(|_| format!("w{} ", rng.random_range(0..50_000))).collect()
}

/// Answers for all hosts, with pages full of links.
struct Server {
    port: u16,
    pages: Arc<AtomicU64>,
    first: Arc<OnceLock<Instant>>,
}

impl Server {
    fn start(hosts: usize, known: usize) -> Result<Self> {
        let first = TcpListener::bind("127.0.0.1:0")?;
        let port = first.local_addr()?.port();
        let mut listeners = vec![first];
        for host in 2..=hosts {
            listeners.push(TcpListener::bind(format!("127.0.0.{host}:{port}"))?);
        }
        let server = Self { port, pages: Arc::default(), first: Arc::default() };
        for listener in listeners {
            let (pages, first) = (Arc::clone(&server.pages), Arc::clone(&server.first));
            thread::spawn(move || {
                for connection in listener.incoming().flatten() {
                    let (pages, first) = (Arc::clone(&pages), Arc::clone(&first));
                    // A connection that breaks off is of no interest.
                    thread::spawn(move || _ = answer(&connection, known, &pages, &first));
                }
            });
        }
        Ok(server)
    }

    /// How long it took until the first page was asked for.
    fn first_page(&self, began: Instant, patience: Duration) -> Option<Duration> {
        while began.elapsed() < patience {
            if let Some(first) = self.first.get() {
                return Some(*first - began);
            }
            thread::sleep(Duration::from_millis(5));
        }
        None
    }
}

fn answer(connection: &TcpStream, known: usize, pages: &AtomicU64, first: &OnceLock<Instant>) -> std::io::Result<()> {
    let (mut reader, mut writer) = (BufReader::new(connection), connection);
    let mut line = String::new();
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let page = line.split(' ').nth(1).and_then(|path| path.strip_prefix("/page/")).and_then(|n| n.parse().ok());
        while line != "\r\n" {
            line.clear();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
        }
        let (status, body) = match page {
            Some(page) => {
                first.get_or_init(Instant::now);
                pages.fetch_add(1, Ordering::Relaxed);
                ("200 OK", page_of(page, known))
            }
            None => ("404 Not Found", String::new()),
        };
        let length = body.len();
        write!(writer, "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n{body}")?;
    }
}

fn page_of(page: usize, known: usize) -> String {
    let mut rng = Pcg64Mcg::seed_from_u64(page as u64);
    let mut body = format!("<title>Page {page}</title><p>{}</p>", sentence(page));
    for _ in 0..LINKS {
        let to = rng.random_range(0..known);
        body.push_str(&format!("<a href=\"/page/{to}\">to {to}</a> "));
    }
    body
}

fn timed(work: impl FnOnce() -> Result<()>) -> Result<f64> {
    let began = Instant::now();
    work()?;
    Ok(began.elapsed().as_secs_f64())
}
