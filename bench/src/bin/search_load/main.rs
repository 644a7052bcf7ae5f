//! Searches at a fixed rate while the engine crawls: how long do they take?
//!
//! `cargo build --release --workspace && target/release/search_load 100000`
//!
//! The program `oriole` beside this one crawls a generated site on loopback, with everything on and as fast as it can. Once it has
//! indexed so many pages, queries are asked at a fixed rate while the crawl goes on, from another process, as `oriole search` and
//! the server do. A query counts from the moment it was due, so that waiting for the one before counts too.

mod text;

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser;
use index::{Request, Searcher};
use text::Language;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Searches while crawling.
#[derive(Parser)]
struct Arguments {
    /// Pages indexed before the first query.
    #[arg(default_value_t = 100_000)]
    pages: u64,
    /// Words of a page.
    #[arg(long, default_value_t = 800)]
    words: usize,
    /// Queries a second.
    #[arg(long, default_value_t = 20.0)]
    rate: f64,
    /// How long queries are asked, in seconds.
    #[arg(long, default_value_t = 60.0)]
    seconds: f64,
    /// Requests a second that the crawl may make, as for `oriole run --budget`.
    #[arg(long, default_value = "unlimited")]
    budget: String,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let folder = tempfile::tempdir()?;
    let language = Arc::new(Language::new());
    let port = serve(Arc::clone(&language), arguments.words)?;
    let mut engine = Engine(start(folder.path(), port, &arguments.budget)?);
    let searcher = filled(&mut engine.0, &folder.path().join("index"), arguments.pages)?;
    let before = searcher.len();
    let (mut times, late) = ask(&searcher, &language, &arguments)?;
    searcher.reload()?;
    let crawled = (searcher.len() - before) as f64 / arguments.seconds;
    println!("{before} pages at first, {crawled:.0} more a second (budget {})", arguments.budget);
    report(&mut times, late);
    Ok(())
}

/// An engine that ends when this is dropped.
struct Engine(Child);

impl Drop for Engine {
    fn drop(&mut self) {
        // If it has ended already, all is well.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

fn start(folder: &Path, port: u16, budget: &str) -> Result<Child> {
    let program = std::env::current_exe()?.with_file_name("oriole");
    let site = format!("http://127.0.0.1:{port}/0");
    let options =
        ["--allow-private", "--delay", "0", "--connections-per-host", "64", "--robots", "64", "--log", "text"];
    let mut command = Command::new(&program);
    command.args(["run", &site, "--budget", budget]).args(options).arg("--data").arg(folder).stderr(Stdio::null());
    Ok(command
        .spawn()
        .map_err(|error| format!("{}: {error}; build it with `cargo build --release`", program.display()))?)
}

/// Waits until the engine has indexed so many pages.
fn filled(engine: &mut Child, index: &Path, pages: u64) -> Result<Searcher> {
    let began = Instant::now();
    while !index.join("meta.json").exists() {
        thread::sleep(Duration::from_millis(100));
    }
    let searcher = Searcher::open(index)?;
    while searcher.len() < pages {
        if let Some(ended) = engine.try_wait()? {
            return Err(format!("the engine has ended: {ended}").into());
        }
        thread::sleep(Duration::from_millis(200));
        searcher.reload()?;
    }
    println!("{} pages after {:.0} s", searcher.len(), began.elapsed().as_secs_f64());
    Ok(searcher)
}

/// Asks at a fixed rate. How long each took from when it was due, and the latest beginning of one.
fn ask(searcher: &Searcher, language: &Language, arguments: &Arguments) -> Result<(Vec<Duration>, Duration)> {
    let mut random = text::Random(99);
    let (mut times, mut late) = (Vec::new(), Duration::ZERO);
    let began = Instant::now();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| follow(searcher, &is_over));
        while began.elapsed().as_secs_f64() < arguments.seconds {
            let due = began + Duration::from_secs_f64(times.len() as f64 / arguments.rate);
            thread::sleep(due.saturating_duration_since(Instant::now()));
            late = late.max(due.elapsed());
            searcher.search(&Request::new(&language.query(&mut random), crawl::fleet::now()))?;
            times.push(due.elapsed());
        }
        is_over.store(true, Ordering::Relaxed);
        Ok((times, late))
    })
}

/// What was committed since is found, as in the server: looked at beside those who search.
fn follow(searcher: &Searcher, is_over: &AtomicBool) {
    let mut times = Vec::new();
    while !is_over.load(Ordering::Relaxed) {
        thread::sleep(Duration::from_secs(1));
        let began = Instant::now();
        // A commit that cannot be read now can be a second later.
        _ = searcher.reload();
        times.push(began.elapsed());
    }
    times.sort_unstable();
    println!(
        "{} commits taken up, each in {:.1?}, at most {:.1?}",
        times.len(),
        times[times.len() / 2],
        times[times.len() - 1]
    );
}

fn report(times: &mut [Duration], late: Duration) {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "{} queries: p50 {:.1?}, p90 {:.1?}, p99 {:.1?}, max {:.1?}; begun at most {late:.1?} late",
        times.len(),
        at(0.5),
        at(0.9),
        at(0.99),
        at(1.0)
    );
}

/// Serves the site. It has no end: page `n` links to some that come later.
fn serve(language: Arc<Language>, words: usize) -> Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let port = listener.local_addr()?.port();
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let language = Arc::clone(&language);
            // A connection that breaks off is of no interest.
            thread::spawn(move || _ = answer(&connection, &language, words));
        }
    });
    Ok(port)
}

fn answer(connection: &TcpStream, language: &Language, words: usize) -> std::io::Result<()> {
    // The site stands for others elsewhere: it takes no time from those who search.
    #[cfg(target_os = "linux")]
    rustix::process::nice(19)?;
    let (mut reader, mut writer) = (BufReader::new(connection), connection);
    let mut line = String::new();
    loop {
        line.clear();
        if reader.read_line(&mut line)? == 0 {
            return Ok(());
        }
        let page: Option<u64> = line.split(' ').nth(1).and_then(|path| path.strip_prefix('/')?.parse().ok());
        while line != "\r\n" {
            line.clear();
            if reader.read_line(&mut line)? == 0 {
                return Ok(());
            }
        }
        let (status, body) = match page {
            Some(page) => ("200 OK", language.page(page, words)),
            None => ("404 Not Found", String::new()),
        };
        let length = body.len();
        write!(writer, "HTTP/1.1 {status}\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n{body}")?;
    }
}
