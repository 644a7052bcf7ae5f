use std::fs;
use std::io::{BufReader, Write};
use std::path::Path;

use flate2::write::GzEncoder;
use proptest::prelude::*;

use super::http::dechunk;
use super::parse::read_member;
use super::*;
use crate::Timestamp;
use crate::conformance::{self, sample};

fn open(folder: &Path) -> (WarcArchive, Vec<Repair>) {
    WarcArchive::open(folder, ArchiveSettings { rotate_at: 100_000, ..ArchiveSettings::default() }).unwrap()
}

#[test]
fn conforms() {
    let fresh = &mut || -> Box<dyn FnMut() -> Box<dyn Archive>> {
        let folder = tempfile::tempdir().unwrap();
        Box::new(move || Box::new(open(folder.path()).0))
    };
    conformance::archive(fresh).unwrap();
}

fn decode(bytes: &[u8]) -> Result<Record, ReadError> {
    read_member(bytes, &Limits::default())
}

fn inflate(bytes: &[u8]) -> String {
    let mut text = Vec::new();
    std::io::copy(&mut flate2::read::MultiGzDecoder::new(bytes), &mut text).unwrap();
    String::from_utf8_lossy(&text).into_owned()
}

#[test]
fn a_record_as_it_is_written() {
    let mut head = HttpHead::response(200, "OK");
    head.push("Content-Type", b"text/plain");
    head.push("content-encoding", b"gzip");
    head.push("Transfer-Encoding", b"chunked");
    head.push("Content-Length", b"9999");
    let record = Record {
        ip: "192.0.2.7".parse().ok(),
        ..Record::response("https://a.example/x", Timestamp(1_700_000_000_123), head, b"hello\n".to_vec(), true)
    };
    let text = inflate(record.encode().bytes());
    let expected = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:ID>\r\n\
        WARC-Date: 2023-11-14T22:13:20.123Z\r\nWARC-Target-URI: https://a.example/x\r\nWARC-IP-Address: 192.0.2.7\r\n\
        WARC-Payload-Digest: sha1:6VZNHFX25EQGMKDRJ6ZM4AHXF2KPEJMP\r\n\
        Content-Type: application/http; msgtype=response\r\nContent-Length: 189\r\n\r\n\
        HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nX-Archive-Orig-content-encoding: gzip\r\n\
        X-Archive-Orig-Transfer-Encoding: chunked\r\nX-Archive-Orig-Content-Length: 9999\r\nContent-Length: 6\r\n\r\n\
        hello\n\r\n\r\n";
    let id = text.find("urn:uuid:").unwrap() + 9;
    let text = format!("{}ID{}", &text[..id], &text[id + 36..]);
    assert_eq!(text, expected);
}

#[test]
fn what_has_no_body_of_its_own_has_a_digest_of_all() {
    let head = HttpHead::response(304, "");
    let earlier = RefersTo { url: "https://a.example/x".to_owned(), at: Timestamp(1) };
    let record = Record::same("https://a.example/x", Timestamp(2), head, Digest::of(b"hello\n"), earlier);
    let text = inflate(record.encode().bytes());
    let block = Digest::of(b"HTTP/1.1 304\r\n\r\n");
    assert!(text.contains(&format!("WARC-Block-Digest: {block}\r\n")), "{text}");
    assert!(text.contains("WARC-Payload-Digest: sha1:6VZNHFX25EQGMKDRJ6ZM4AHXF2KPEJMP\r\n"), "{text}");
}

#[test]
fn a_head_that_is_true_is_left_alone() {
    let mut head = HttpHead::response(200, "OK");
    head.push("Content-Encoding", b"gzip");
    head.push("Content-Length", b"3");
    assert_eq!(head.clone().fitting(3, false), head);
    assert_eq!((head.status(), head.mime()), (Some(200), None));
}

#[test]
fn digests_are_known_ones() {
    let empty = Digest::of(b"");
    assert_eq!(empty.to_string(), "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
    assert_eq!(Digest::parse(&empty.to_string()), Some(empty));
    assert_eq!(Digest::parse("SHA1:da39a3ee5e6b4b0d3255bfef95601890afd80709"), Some(empty));
    for wrong in ["", "sha1:", "md5:d41d8cd98f00b204e9800998ecf8427e", "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBY1"] {
        assert_eq!(Digest::parse(wrong), None, "{wrong}");
    }
}

fn head() -> impl Strategy<Value = HttpHead> {
    let value = prop::collection::vec(any::<u8>(), 0..20);
    let fields = prop::collection::vec(("[A-Za-z-]{1,12}", value), 0..6);
    (100_u16..600, "[A-Za-z ]{0,10}", fields).prop_map(|(status, reason, fields)| {
        let mut head = HttpHead::response(status, &reason);
        fields.iter().for_each(|(name, value)| head.push(name, value));
        head
    })
}

fn record() -> impl Strategy<Value = Record> {
    let body = prop::collection::vec(any::<u8>(), 0..400);
    let url = "https://[a-z]{1,8}\\.example/[a-z0-9/?=&%ä]{0,20}";
    (url, 0_i64..4_000_000_000_000, head(), body, any::<[bool; 3]>(), any::<u32>()).prop_map(
        |(url, at, head, body, [decoded, same, truncated], ip)| {
            let at = Timestamp(at);
            let earlier = RefersTo { url: url.clone(), at: Timestamp(at.0 / 2) };
            let record = match (same, truncated) {
                (true, true) => Record::same(&url, at, head, Digest::of(&body), earlier),
                (true, false) => Record::not_modified(&url, at, head, earlier),
                _ => Record::response(&url, at, head, body, decoded),
            };
            let truncated = truncated.then_some(Truncated::Disconnect);
            Record { ip: Some(std::net::Ipv4Addr::from(ip).into()), truncated, ..record }
        },
    )
}

proptest! {
    #[test]
    fn records_come_back(record in record()) {
        let encoded = record.encode();
        let expected = Record { payload: encoded.payload(), ..record };
        prop_assert_eq!(decode(encoded.bytes()).unwrap(), expected);
    }

    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(decode(&bytes).is_err());
        for record in WarcReader::new(&bytes[..], Limits::default()).unwrap() {
            let _ = record;
        }
        let _ = (HttpHead::parse(&bytes), dechunk(&bytes));
    }

    /// Damaged text of a record: never a panic, and never an endless reader.
    #[test]
    fn damaged_records_are_read(record in record(), place in any::<prop::sample::Index>(), byte in any::<u8>(), twice in any::<bool>()) {
        let mut text = Vec::new();
        std::io::copy(&mut flate2::read::GzDecoder::new(record.encode().bytes()), &mut text).unwrap();
        let place = place.index(text.len());
        text[place] = byte;
        if twice { text.extend(text.clone()) }
        let read = WarcReader::new(&text[..], Limits { header: 2000, body: 100, skipped: 1000 }).unwrap();
        prop_assert!(read.count() <= 3);
    }

    /// A changed byte of what is stored is found, or it means nothing: bits after the end of a compressed block are not read.
    #[test]
    fn damage_is_found(record in record(), place in any::<prop::sample::Index>(), change in 1_u8..) {
        let encoded = record.encode();
        let mut bytes = encoded.bytes().to_vec();
        let place = place.index(bytes.len());
        // Name, flags and time of the compressed file mean nothing to us.
        prop_assume!(!(3..10).contains(&place));
        bytes[place] ^= change;
        if let Ok(read) = decode(&bytes) {
            prop_assert_eq!(read, Record { payload: encoded.payload(), ..record });
        }
    }

    #[test]
    fn chunks_come_back(chunks in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..30), 0..5)) {
        let mut body = Vec::new();
        for chunk in &chunks {
            write!(body, "{:x};ext=1\r\n", chunk.len()).unwrap();
            body.extend_from_slice(chunk);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(b"0\r\n\r\n");
        prop_assert_eq!(dechunk(&body), Some(chunks.concat()));
    }

    /// Tools that take the encoding away and leave the header field: such a body stays as it is.
    #[test]
    fn what_has_no_chunks_stays(body in "[<!a-z\n ]{1,50}") {
        prop_assert_eq!(dechunk(body.as_bytes()), None);
    }
}

/// Writes `count` records, and gives the ends of all.
fn write_some(folder: &Path, count: u32) -> Vec<u64> {
    let (mut archive, repairs) = open(folder);
    assert_eq!(repairs, []);
    let mut ends = vec![0];
    for n in 0..count {
        let place = archive.append(&sample::response(n, 50).encode()).unwrap();
        ends.extend([place.offset, place.offset + u64::from(place.length)]);
    }
    archive.sync().unwrap();
    ends.sort_unstable();
    ends.dedup();
    ends
}

/// The file is cut at every possible place: what is left is always the whole records before it, and the index fits.
#[test]
fn a_torn_end_is_cut_off_wherever_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let ends = write_some(folder.path(), 2);
    let (warc, cdxj) = (folder.path().join(file_name(1)), folder.path().join(cdxj_name(1)));
    let (bytes, lines) = (fs::read(&warc).unwrap(), fs::read_to_string(&cdxj).unwrap());
    for length in 0..bytes.len() {
        fs::write(&warc, &bytes[..length]).unwrap();
        match length % 3 {
            0 => fs::write(&cdxj, &lines).unwrap(),
            1 => fs::write(&cdxj, &lines.as_bytes()[..length.min(lines.len())]).unwrap(),
            _ => fs::remove_file(&cdxj).unwrap_or_default(),
        }
        let (archive, repairs) = open(folder.path());
        let whole = *ends.iter().rfind(|end| **end <= length as u64).unwrap();
        assert_eq!(archive.lengths(), Lengths::from([(1, whole)]));
        assert_eq!(fs::metadata(&warc).unwrap().len(), whole);
        let cut = Repair::Cut { file: 1, bytes: length as u64 - whole };
        assert_eq!(repairs.contains(&cut), whole < length as u64, "{repairs:?}");
        let captures = ends.iter().filter(|end| **end <= whole).count().saturating_sub(2);
        let expected: String = lines.split_inclusive('\n').take(captures).collect();
        assert_eq!(fs::read_to_string(&cdxj).unwrap_or_default(), expected, "cut at {length}");
    }
}

/// Bad bytes in the middle are no torn end: nothing behind them is lost.
#[test]
fn damage_in_the_middle_is_not_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let ends = write_some(folder.path(), 5);
    let warc = folder.path().join(file_name(1));
    let mut bytes = fs::read(&warc).unwrap();
    for byte in &mut bytes[ends[2] as usize + 20..ends[2] as usize + 60] {
        *byte ^= 0x55;
    }
    fs::write(&warc, &bytes).unwrap();
    fs::remove_file(folder.path().join(cdxj_name(1))).unwrap();
    let (archive, repairs) = open(folder.path());
    assert_eq!(repairs, [Repair::Index { file: 1 }]);
    assert_eq!(archive.lengths()[&1], bytes.len() as u64);
    let mut found = Vec::new();
    scan(&warc, 0, &mut |scanned| found.push((scanned.offset, scanned.length, scanned.record.is_ok()))).unwrap();
    let expected: Vec<_> = ends.windows(2).enumerate().map(|(n, two)| (two[0], two[1] - two[0], n != 2)).collect();
    assert_eq!(found, expected);
}

#[test]
fn closed_files_have_a_sorted_index() {
    let folder = tempfile::tempdir().unwrap();
    let (mut archive, _) = open(folder.path());
    for n in (0..20).rev() {
        archive.append(&sample::response(n, 20_000).encode()).unwrap();
    }
    archive.sync().unwrap();
    let text = fs::read_to_string(folder.path().join(cdxj_name(1))).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.len() >= 4 && lines.is_sorted(), "{text}");
    assert!(lines[0].starts_with("example,host"), "{text}");
    let open_file = fs::read_to_string(folder.path().join(cdxj_name(archive.next - 1))).unwrap();
    assert!(!open_file.is_empty(), "readable while open");
    let path = folder.path().join(file_name(2));
    let first = scan_first(&path);
    assert_eq!((first.kind, first.mime.as_deref()), (Kind::Info, Some("application/warc-fields")));
    assert!(inflate(&fs::read(&path).unwrap()).contains("WARC-Filename: oriole-000002.warc.gz\r\n"));
}

fn scan_first(path: &Path) -> Record {
    let mut first = None;
    scan(path, 0, &mut |scanned| first = first.take().or(scanned.record.ok())).unwrap();
    first.unwrap()
}

/// A file that lacks what the catalogue counts on is not continued: its places belong to lost records.
#[test]
fn a_short_file_is_not_continued() {
    let folder = tempfile::tempdir().unwrap();
    let ends = write_some(folder.path(), 3);
    let full = Lengths::from([(1, ends[3])]);
    let warc = fs::OpenOptions::new().write(true).open(folder.path().join(file_name(1))).unwrap();
    warc.set_len(ends[2]).unwrap();
    let (mut archive, _) = open(folder.path());
    assert_eq!(archive.cut(&full).unwrap(), [Repair::Short { file: 1, bytes: ends[3] - ends[2] }]);
    let place = archive.append(&sample::response(9, 10).encode()).unwrap();
    assert!(place.file > 1);
    archive.sync().unwrap();
}

#[test]
fn files_of_other_tools() {
    let text = "WARC/1.0\nwarc-type: response\nWARC-Date: 2020-01-02T03:04:05Z\n\
        WARC-Target-URI: <http://a.example/>\nContent-Type:application/http;msgtype=response\n\
        Content-Length: 79\n\nHTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\nleft over bytes\n\n\n\
        \r\nWARC/1.1\r\nWARC-Type: unheard-of\r\nWARC-Date: 2020-01-02T03:04:05.678901Z\r\nContent-Length: 0\r\n\r\n\r\n\r\n";
    let mut whole = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    whole.write_all(text.as_bytes()).unwrap();
    for bytes in [text.as_bytes().to_vec(), whole.finish().unwrap()] {
        let records: Vec<_> = WarcReader::new(BufReader::new(&bytes[..]), Limits::default()).unwrap().collect();
        assert_eq!(records.len(), 2);
        let first = records[0].as_ref().unwrap();
        assert_eq!((first.url.as_str(), first.body.as_slice()), ("http://a.example/", b"abcde".as_slice()));
        assert_eq!((first.kind, first.at), (Kind::Response, Timestamp::parse("2020-01-02T03:04:05Z").unwrap()));
        assert_eq!(records[1].as_ref().unwrap().kind, Kind::Other);
    }
}

#[test]
fn hostile_files_are_bounded() {
    let limits = Limits { header: 1000, body: 10, skipped: 50 };
    let read = |text: &str| WarcReader::new(text.as_bytes(), limits).unwrap().next().unwrap();
    let head = "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n";
    let cut = read(&format!("{head}Content-Length: 20\r\n\r\n01234567890123456789")).unwrap();
    assert_eq!((cut.body.as_slice(), cut.truncated), (b"0123456789".as_slice(), Some(Truncated::Length)));
    for (text, wrong) in [
        (format!("{head}Content-Length: 18446744073709551615\r\n\r\n0123456789"), "a body is longer than allowed"),
        (format!("{head}Content-Length: 10\r\n\r\n012"), "ends in the middle of a record"),
        (format!("{head}Content-Length: -1\r\n\r\n"), "Content-Length is missing or makes no sense"),
        (format!("{head}X: {}\r\n\r\n", "x".repeat(2000)), "a header is longer than allowed"),
        ("\r\n".repeat(2000), "a header is longer than allowed"),
        ("GIF89a\n".to_owned(), "not a WARC record"),
    ] {
        assert_eq!(read(&text).unwrap_err().to_string(), wrong);
    }
}
