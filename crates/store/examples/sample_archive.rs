//! Writes a small archive, for tools of others to read: `cargo run -p store --example sample_archive -- FOLDER`,
//! then `warcio check FOLDER/*.warc.gz`.

use std::error::Error;
use std::path::Path;

use store::{Archive, ArchiveSettings, Digest, HttpHead, Record, RefersTo, Timestamp, Truncated, WarcArchive};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("give the folder to write to")?;
    let settings = ArchiveSettings { rotate_at: 20_000, ..ArchiveSettings::default() };
    let (mut archive, _) = WarcArchive::open(Path::new(&folder), settings)?;
    for n in 0..100 {
        for record in records(n) {
            archive.append(&record.encode())?;
        }
    }
    archive.sync()?;
    Ok(())
}

/// One visit of each kind.
fn records(n: i64) -> Vec<Record> {
    let url = format!("https://www.example.org/seite/{n}?b=2&a=%C3%A4");
    let at = Timestamp(1_760_000_000_000 + n * 86_400_123);
    let later = Timestamp(at.0 + 3_600_000);
    let body: Vec<u8> = (0..500 + 40 * n).map(|k| (k * k * (n + 7) % 251) as u8).collect();
    let mut head = HttpHead::response(200, "OK");
    head.push("content-type", b"text/html; charset=iso-8859-1");
    head.push("content-encoding", b"br");
    head.push("x-odd", b"caf\xe9 \xff");
    let earlier = RefersTo { url: url.clone(), at };
    let mut asked = HttpHead::request("GET", &format!("/seite/{n}?b=2&a=%C3%A4"));
    asked.push("host", b"www.example.org");
    let same = Record::same(&url, later, head.clone(), Digest::of(&body), earlier.clone());
    let answer = Record {
        ip: "192.0.2.1".parse().ok(),
        truncated: (n % 10 == 0).then_some(Truncated::Length),
        ..Record::response(&url, at, head, body, true)
    };
    let mut unchanged = HttpHead::response(304, "Not Modified");
    unchanged.push("etag", b"\"1\"");
    vec![
        Record::request(&url, at, asked, Vec::new()),
        answer,
        same,
        Record::not_modified(&url, Timestamp(later.0 + 1), unchanged, earlier),
    ]
}
