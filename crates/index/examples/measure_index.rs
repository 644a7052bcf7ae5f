//! Measures indexing and searching on generated pages: `cargo run --release -p index --example measure_index -- 100000 2000`
//! (pages, words per page). Linux only: CPU times come from /proc.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use index::{Indexer, Request, Searcher, Settings};
use store::{Document, PageId, Timestamp};

const NOW: Timestamp = Timestamp(1_780_272_000_000);
const VOCABULARY: u64 = 200_000;

/// A small generator of random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A rank with probability about `rank^-1.1`: the hundred commonest words are half of a text, as in English.
    fn rank(&mut self) -> u64 {
        let tail = (VOCABULARY as f64).powf(-0.1);
        ((1.0 - self.fraction() * (1.0 - tail)).powf(-10.0) as u64 - 1).min(VOCABULARY - 1)
    }
}

/// The word of a rank: commoner words are shorter, many have an English ending.
fn word(rank: u64) -> String {
    const SYLLABLES: [&str; 20] = [
        "ta", "re", "no", "li", "ker", "son", "va", "mi", "dor", "el", "pu", "gra", "ist", "on", "the", "fo", "wan",
        "chi", "sa", "be",
    ];
    const ENDINGS: [&str; 8] = ["", "", "", "s", "ing", "ed", "ly", "ation"];
    let mut mixed = Random(rank).next();
    let mut word = String::new();
    let mut left = rank;
    if left < 20 {
        return SYLLABLES[left as usize].into();
    }
    while left > 0 {
        word.push_str(SYLLABLES[((left + mixed) % 20) as usize]);
        mixed /= 7;
        left /= 20;
    }
    word.push_str(if rank < 100 { "" } else { ENDINGS[(mixed % 8) as usize] });
    word
}

fn words(random: &mut Random, dictionary: &[String], count: usize) -> String {
    let mut text = String::with_capacity(count * 8);
    for number in 0..count {
        text.push_str(&dictionary[random.rank() as usize]);
        text.push_str(if number % 12 == 11 { ".\n" } else { " " });
    }
    text
}

fn page(number: u32, random: &mut Random, dictionary: &[String], count: usize) -> Document {
    Document {
        page: PageId(number),
        url: format!("https://host{}.example.org/{}/{number}", number % 100, dictionary[random.rank() as usize]),
        host: format!("host{}.example.org", number % 100),
        title: words(random, dictionary, 6),
        description: words(random, dictionary, 20),
        headings: (0..5).map(|_| words(random, dictionary, 4)).collect(),
        text: words(random, dictionary, count),
        language: Some(if number.is_multiple_of(5) { "de" } else { "en" }.into()),
        published: None,
        fetched_at: NOW,
        changed_at: Timestamp(NOW.0 - random.rank() as i64 * 10_000_000),
        links_in: random.rank() as u32,
        depth: (random.next() % 8) as u16,
    }
}

/// CPU seconds of this process (user and system, in ticks of 10 ms).
fn process_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
    after.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// CPU seconds of this thread.
fn thread_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split_whitespace().next().and_then(|time| time.parse::<f64>().ok()).unwrap_or_default() / 1e9
}

fn folder_bytes(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
}

fn segments(folder: &Path) -> usize {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter(|entry| entry.path().extension().is_some_and(|extension| extension == "store")).count()
}

fn quantiles(name: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "{name}: {} times, p50 {:.1?}, p90 {:.1?}, p99 {:.1?}, max {:.1?}",
        times.len(),
        at(0.5),
        at(0.9),
        at(0.99),
        at(1.0)
    );
}

/// Queries of one to three words of all frequencies, some with operators, some misspelt.
fn query(random: &mut Random, dictionary: &[String]) -> String {
    let count = 1 + random.next() as usize % 3;
    let mut query = words(random, dictionary, count).replace('\n', " ");
    match random.next() % 8 {
        0 => query = format!("\"{}\"", query.trim()),
        1 => query.push_str("site:host7.example.org"),
        2 => query.push_str("lang:de"),
        3 => query.push_str("OR nothingatall"),
        4 => query = query.trim().chars().rev().collect(),
        _ => {}
    }
    query
}

/// Searches now and then until told to stop. Gives the times and the CPU used.
fn search(folder: &Path, dictionary: &[String], stop: &AtomicBool, pause: Duration) -> (Vec<Duration>, f64) {
    let mut random = Random(99);
    let mut times = Vec::new();
    while !folder.join("meta.json").exists() {
        std::thread::sleep(pause);
    }
    let searcher = Searcher::open(folder).expect("the index opens");
    let mut reloaded = Instant::now();
    while !stop.load(Ordering::Relaxed) {
        if reloaded.elapsed() > Duration::from_secs(1) {
            searcher.reload().expect("the index reloads");
            reloaded = Instant::now();
        }
        let answer = searcher.search(&Request::new(&query(&mut random, dictionary), NOW)).expect("the search works");
        times.push(answer.took);
        std::thread::sleep(pause);
    }
    (times, thread_seconds())
}

fn index(folder: &Path, dictionary: &[String], pages: u32, count: usize) -> f64 {
    let mut indexer = Indexer::open(folder, &Settings::default()).expect("the index opens");
    let mut random = Random(1);
    let (mut generating, mut bytes, mut most_segments) = (0.0, 0_u64, 0);
    let mut commits = Vec::new();
    let start = Instant::now();
    let mut last = Instant::now();
    for number in 0..pages {
        let before = thread_seconds();
        let document = page(number, &mut random, dictionary, count);
        generating += thread_seconds() - before;
        bytes += document.text.len() as u64;
        indexer.put(document).expect("the page is taken");
        if last.elapsed() > Duration::from_secs(1) || number + 1 == pages {
            let commit = Instant::now();
            indexer.commit(u64::from(number)).expect("the commit works");
            commits.push(commit.elapsed());
            most_segments = most_segments.max(segments(folder));
            last = Instant::now();
        }
    }
    let wall = start.elapsed().as_secs_f64();
    println!("{pages} pages of {} bytes in {wall:.1} s: {:.0}/s", bytes / u64::from(pages), f64::from(pages) / wall);
    println!("segment files at most {most_segments}, at the end {}", segments(folder));
    quantiles("commits", &mut commits);
    indexer.finish().expect("merges end");
    println!("segments after merges {}, {} bytes per page", segments(folder), folder_bytes(folder) / u64::from(pages));
    generating
}

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|number| number.parse::<usize>().ok());
    let pages = numbers.next().unwrap_or(100_000) as u32;
    let count = numbers.next().unwrap_or(2_000);
    let folder = std::env::temp_dir().join(format!("oriole-measure-{}", std::process::id()));
    let dictionary: Vec<String> = (0..VOCABULARY).map(word).collect();
    let stop = AtomicBool::new(false);
    let before = process_seconds();
    let (generating, (mut times, searching)) = std::thread::scope(|scope| {
        let searches = scope.spawn(|| search(&folder, &dictionary, &stop, Duration::from_millis(20)));
        let generating = index(&folder, &dictionary, pages, count);
        stop.store(true, Ordering::Relaxed);
        (generating, searches.join().expect("searches end"))
    });
    let cpu = process_seconds() - before - generating - searching;
    println!("indexing with merges: {:.0} us CPU per page", cpu * 1e6 / f64::from(pages));
    quantiles("searches while indexing", &mut times);
    let quiet = AtomicBool::new(false);
    let (mut times, _) = std::thread::scope(|scope| {
        let searches = scope.spawn(|| search(&folder, &dictionary, &quiet, Duration::ZERO));
        std::thread::sleep(Duration::from_secs(10));
        quiet.store(true, Ordering::Relaxed);
        searches.join().expect("searches end")
    });
    quantiles("searches after", &mut times);
    let _ = std::fs::remove_dir_all(&folder);
}
