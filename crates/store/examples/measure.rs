//! Measures the store: `cargo run --release -p store --example measure -- FOLDER [PAGES]`. The folder must be empty.

use std::error::Error;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Instant;

use store::{
    Archive, Batch, Catalogue, DataFolder, Filter, Host, HostId, HttpHead, NewPage, Outcome, PageChange, PageId,
    Position, Record, State, Timestamp, Values, Visit,
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

fn report(what: &str, count: u32, began: Instant) {
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "{what}: {count} in {seconds:.2} s, {:.0}/s, {:.2} us each",
        f64::from(count) / seconds,
        seconds * 1e6 / f64::from(count)
    );
}

/// New pages, 20,000 in a batch.
fn insert(data: &mut DataFolder, pages: u32, number: &mut u64) -> Result<(), Box<dyn Error>> {
    let mut seconds = 0.0;
    let mut longest = 0.0_f64;
    for from in (0..pages).step_by(20_000) {
        *number += 1;
        let new = (from..pages.min(from + 20_000)).map(new_page).collect();
        let batch = Batch { number: *number, new, hosts: vec![host()], ..Batch::default() };
        let began = Instant::now();
        data.catalogue.apply(&batch)?;
        let took = began.elapsed().as_secs_f64();
        seconds += took;
        longest = longest.max(took);
    }
    println!("new pages: {:.0}/s, longest batch of 20,000 {longest:.2} s", f64::from(pages) / seconds);
    Ok(())
}

/// Visits to pages all over the catalogue, 5,000 in a batch, with and without the journal.
fn visit(data: &mut DataFolder, pages: u32, number: &mut u64) -> Result<(), Box<dyn Error>> {
    for (what, prepare) in [("visits, applied", false), ("visits, prepared and applied", true)] {
        let began = Instant::now();
        let mut seconds = 0.0;
        for round in 0..40_u32 {
            *number += 1;
            let page = |n: u32| (n.wrapping_mul(2_654_435_761).wrapping_add(round * 7919)) % pages;
            let changes = (0..5000).map(|n| change(page(n), *number)).collect();
            let batch = Batch { number: *number, pages: changes, ..Batch::default() };
            let began = Instant::now();
            if prepare {
                data.catalogue.prepare(&batch)?;
            }
            data.catalogue.apply(&batch)?;
            seconds += began.elapsed().as_secs_f64();
        }
        println!("{what}: {:.0}/s", 200_000.0 / seconds);
        black_box(began);
    }
    Ok(())
}

fn load(folder: &Path, pages: u32) -> Result<(), Box<dyn Error>> {
    let data = DataFolder::read(folder)?;
    for _ in 0..2 {
        let began = Instant::now();
        let mut bytes = 0;
        data.catalogue.load(&mut |page| bytes += black_box(page).url.len())?;
        report("pages loaded", pages, began);
    }
    let began = Instant::now();
    black_box(data.catalogue.find(&new_page(pages - 2).url)?);
    report("looked up by address", 1, began);
    let began = Instant::now();
    let filter =
        Filter { state: Some(State::Fetched), after: Some(PageId(pages / 2)), limit: Some(100), ..Filter::default() };
    black_box(data.catalogue.list(&filter)?);
    report("listing of 100", 1, began);
    println!(
        "catalogue: {:.0} bytes a page",
        std::fs::metadata(folder.join("oriole.db"))?.len() as f64 / f64::from(pages)
    );
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
    let began = Instant::now();
    for _ in 0..2000 {
        black_box(record.encode());
    }
    report("records of 20 KB encoded", 2000, began);
    let encoded = record.encode();
    println!("of {} bytes, {} left", record.body.len(), encoded.bytes().len());
    let began = Instant::now();
    let places: Vec<Position> = (0..2000).map(|_| data.archive.append(&encoded)).collect::<Result<_, _>>()?;
    data.archive.sync()?;
    report("records appended and synced", 2000, began);
    let began = Instant::now();
    for place in places {
        black_box(data.archive.read(place)?);
    }
    report("records read", 2000, began);
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
