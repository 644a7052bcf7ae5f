//! Measures the store: `cargo run --release -p store --example measure -- FOLDER [PAGES]`. The folder must be empty.

use std::error::Error;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use store::{
    Archive, Batch, Catalogue, DataFolder, Filter, Host, HostId, HttpHead, NewPage, Outcome, PageChange, PageId,
    Position, Record, RefersTo, State, Timestamp, Values, Visit,
};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("give an empty folder")?);
    let pages = arguments.next().map_or(Ok(1_000_000), |text| text.parse())?;
    let mut data = DataFolder::open(&folder)?;
    data.recover(None)?;
    let mut number = 0;
    insert(&mut data, pages, &mut number)?;
    visit(&mut data, pages, &mut number)?;
    load(&folder, pages)?;
    encode(&mut data)?;
    Ok(())
}

/// Time that has passed, and time that a processor worked for us: the second does not depend on what else runs.
struct Watch {
    began: Instant,
    worked: Option<f64>,
}

impl Watch {
    fn start() -> Self {
        Self { began: Instant::now(), worked: worked() }
    }

    fn report(&self, what: &str, count: u32) {
        let (wall, count) = (self.began.elapsed().as_secs_f64(), f64::from(count));
        let cpu = worked().zip(self.worked).map_or(f64::NAN, |(now, then)| now - then);
        println!(
            "{what}: {:.0}/s, {:.2} us each, {:.2} us of CPU",
            count / wall,
            wall * 1e6 / count,
            cpu * 1e6 / count
        );
    }
}

/// Seconds that this thread has run, where the system says so.
fn worked() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? / 1e9)
}

/// New pages, 20,000 in a batch.
fn insert(data: &mut DataFolder, pages: u32, number: &mut u64) -> Result<(), Box<dyn Error>> {
    let watch = Watch::start();
    for from in (0..pages).step_by(20_000) {
        *number += 1;
        let new = (from..pages.min(from + 20_000)).map(new_page).collect();
        data.catalogue.apply(&Batch { number: *number, new, hosts: vec![host()], ..Batch::default() })?;
    }
    watch.report("new pages", pages);
    Ok(())
}

/// Visits, 5,000 in a batch: first visits in the order of discovery, then to pages all over the catalogue.
fn visit(data: &mut DataFolder, pages: u32, number: &mut u64) -> Result<(), Box<dyn Error>> {
    for (what, scattered, prepare) in [
        ("first visits in order, applied", false, false),
        ("visits all over, applied", true, false),
        ("visits all over, prepared and applied", true, true),
    ] {
        let watch = Watch::start();
        for round in 0..40 {
            *number += 1;
            let place = |n: u32| if scattered { n.wrapping_mul(2_654_435_761) } else { n };
            let changes = (0..5000).map(|n| change(place(round * 5000 + n) % pages, *number)).collect();
            let batch = Batch { number: *number, pages: changes, ..Batch::default() };
            if prepare {
                data.catalogue.prepare(&batch)?;
            }
            data.catalogue.apply(&batch)?;
        }
        watch.report(what, 200_000);
    }
    Ok(())
}

fn load(folder: &Path, pages: u32) -> Result<(), Box<dyn Error>> {
    let data = DataFolder::read(folder)?;
    let watch = Watch::start();
    data.catalogue.load(&mut |page| drop(black_box(page)))?;
    watch.report("pages loaded", pages);
    let watch = Watch::start();
    black_box(data.catalogue.find(&new_page(pages - 2).url)?);
    watch.report("looked up by address", 1);
    let watch = Watch::start();
    let (states, after, limit) = (vec![State::Fetched], Some(PageId(pages / 2)), Some(100));
    black_box(data.catalogue.list(&Filter { states, after, limit, ..Filter::default() })?);
    watch.report("listing of 100", 1);
    let bytes = std::fs::metadata(folder.join("oriole.db"))?.len();
    println!("catalogue: {:.0} bytes a page", bytes as f64 / f64::from(pages));
    Ok(())
}

/// Records of 20 KB of text, encoded, appended and read.
fn encode(data: &mut DataFolder) -> Result<(), Box<dyn Error>> {
    let words = ["search", "engine", "fresh", "<p>", "</p>", "robot", "page", "index", "<a href=\"/x\">", "</a>"];
    let mut noise = 1_u64;
    let mut body = String::new();
    while body.len() < 20_000 {
        noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        body.push_str(words[(noise >> 60) as usize % words.len()]);
        body.push_str(&format!(" {:x} ", noise >> 48));
    }
    let mut head = HttpHead::response(200, "OK");
    head.push("content-type", b"text/html");
    let record =
        Record::response("https://www.example.org/a/b", Timestamp(1_760_000_000_000), head, body.into(), false);
    let watch = Watch::start();
    for _ in 0..2000 {
        black_box(record.encode());
    }
    watch.report("records of 20 KB encoded", 2000);
    let head = HttpHead::response(304, "Not Modified");
    let earlier = RefersTo { url: record.url.clone(), at: record.at };
    let unchanged = Record::not_modified(&record.url, record.at, head, earlier);
    let watch = Watch::start();
    for _ in 0..2000 {
        black_box(unchanged.encode());
    }
    watch.report("revisit records encoded", 2000);
    let encoded = record.encode();
    println!("of {} bytes, {} left", record.body.len(), encoded.bytes().len());
    let watch = Watch::start();
    let places: Vec<Position> = (0..2000).map(|_| data.archive.append(&encoded)).collect::<Result<_, _>>()?;
    data.archive.sync()?;
    watch.report("records appended and synced", 2000);
    let watch = Watch::start();
    for place in places {
        black_box(data.archive.read(place)?);
    }
    watch.report("records read", 2000);
    Ok(())
}

fn host() -> Host {
    Host {
        id: HostId(1),
        name: "https://www.example.org".to_owned(),
        delay: 1.0,
        failures: 0,
        blocked_until: None,
        pages: 0,
        learned: None,
    }
}

fn new_page(n: u32) -> NewPage {
    NewPage {
        id: PageId(n),
        url: format!("https://www.example.org/documents/section-{}/page-{n}.html?lang=en", n % 1000),
        host: HostId(1),
        depth: 3,
        found_at: Timestamp(1_760_000_000_000),
        referrer: Some(PageId(n / 10)),
        weight: 1.0,
        links_in: 1,
    }
}

fn change(page: u32, batch: u64) -> PageChange {
    let at = Timestamp(1_760_000_000_000 + batch as i64 * 1000);
    let archive = Some(Position { file: 1, offset: u64::from(page) << 10, length: 5000 });
    let values = Values {
        state: State::Fetched,
        checked_at: Some(at),
        changed_at: Some(at),
        status: Some(200),
        visits: 1,
        text_hash: Some([7; 16]),
        simhash: Some(u64::from(page)),
        sketch: vec![7; 128],
        etag: Some("\"0123456789abcdef\"".to_owned()),
        last_modified: Some("Mon, 01 Jan 2026 00:00:00 GMT".to_owned()),
        mime: Some("text/html".to_owned()),
        language: Some("en".to_owned()),
        title: Some("A title of the usual length, more or less".to_owned()),
        bytes: Some(20_000),
        archive,
        archived_at: Some(at),
        indexed: true,
        ..Values::default()
    };
    let visit = Visit { at, outcome: Outcome::Changed, status: Some(200), bytes: 20_000, milliseconds: 40, archive };
    PageChange { page: PageId(page), visit: Some(visit), values }
}
