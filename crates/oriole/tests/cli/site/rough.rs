//! Pages on a host whose answers are slow, broken or monstrous.

use std::time::Duration;

use super::server::{answer, html, page, raw};
use super::{FAILED, FOUND, Say, Table, Wanted};

/// Bytes of a page that are read.
pub(in super::super) const MOST_BYTES: usize = 2 << 20;

/// Longest time without a byte, and for a whole answer.
pub(in super::super) const SILENCE: Duration = Duration::from_millis(1_000);
pub(in super::super) const TOTAL: Duration = Duration::from_millis(2_000);

pub(super) fn table() -> Table {
    let mut table = Table::default();
    slow(&mut table);
    broken(&mut table);
    monstrous(&mut table);
    refused(&mut table);
    table
}

fn after(wait: Duration, says: Vec<Say>) -> Vec<Say> {
    [vec![Say::Wait(wait)], says].concat()
}

fn slow(table: &mut Table) {
    table.page("after 20 ms", "/after/20ms", FOUND, |_| after(Duration::from_millis(20), html(&page("20 ms", &[]))));
    table.page("after half a second", "/after/500ms", FOUND, |_| after(SILENCE / 2, html(&page("500 ms", &[]))));
    table.page("after 30 seconds", "/after/30s", FAILED, |_| after(Duration::from_secs(30), html(&page("30 s", &[]))));
    table.page("head, then nothing", "/after/head", FAILED, |_| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 50\r\n\r\n<p>so";
        [vec![Say::Bytes(head.into())], vec![Say::Wait(Duration::from_secs(30)), Say::Close]].concat()
    });
    table.page("drop by drop", "/drip", FAILED, |_| drip(100, SILENCE / 4));
    table.page("drop by drop, but in time", "/drip/fast", FOUND, |_| drip(20, Duration::from_millis(30)));
}

/// A page in so many pieces.
fn drip(pieces: usize, pause: Duration) -> Vec<Say> {
    let body = page(&format!("drip of {pieces}"), &[]);
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n", body.len());
    let mut says = vec![Say::Bytes(head.into_bytes())];
    for piece in body.as_bytes().chunks(body.len().div_ceil(pieces)) {
        says.extend([Say::Bytes(piece.to_vec()), Say::Wait(pause)]);
    }
    says
}

fn chunked(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n{body}")
}

fn broken(table: &mut Table) {
    let head =
        |length: usize| format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {length}\r\n\r\n");
    table.page("reset before the answer", "/reset/at-once", FAILED, |_| vec![Say::Reset]);
    table.page("reset in the middle of the body", "/reset/body", FAILED, move |_| {
        vec![
            Say::Bytes(format!("{}{}", head(9_999), page("half", &[])).into_bytes()),
            Say::Wait(Duration::from_millis(50)),
            Say::Reset,
        ]
    });
    table
        .page("length too long", "/length/long", FAILED, move |_| raw(format!("{}{}", head(9_999), page("long", &[]))));
    table.page("length too short", "/length/short", Wanted { title: Some("short"), ..FOUND }, move |_| {
        let body = page("short", &[]);
        raw(format!("{}{body}and more than was said", head(body.len())))
    });
    table.page("length that is no number", "/length/none", FAILED, |_| {
        raw("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nx")
    });
    table.page("two lengths", "/length/two", FAILED, |_| {
        raw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx")
    });
    table.page("no length at all", "/length/unsaid", FOUND, |_| {
        raw(format!("HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n{}", page("unsaid", &[])))
    });
    table.page("chunks", "/chunks/good", FOUND, |_| {
        let body = page("chunks", &[]);
        vec![Say::Bytes(chunked(&format!("{:x};x=y\r\n{body}\r\n0\r\nTrailer: x\r\n\r\n", body.len())).into_bytes())]
    });
    table.page("chunk of no length", "/chunks/size", FAILED, |_| raw(chunked("5\r\nhello\r\nzz\r\n")));
    table.page("chunk that is cut", "/chunks/cut", FAILED, |_| raw(chunked("ff\r\nhello")));
    table.page("chunks without an end", "/chunks/end", FAILED, |_| raw(chunked("5\r\nhello\r\n")));
    table.page("chunk of too great a length", "/chunks/huge", FAILED, |_| {
        raw(chunked("ffffffffffffffffff\r\nhello\r\n"))
    });
    table.page("no status", "/head/none", FAILED, |_| raw("hello\r\n\r\n"));
    table.page("status that is no number", "/head/status", FAILED, |_| raw("HTTP/1.1 OK 200\r\n\r\n"));
    table.page("HTTP/0.9", "/head/0.9", FAILED, |_| raw(page("old", &[])));
    table.page("HTTP/7.3", "/head/7.3", FAILED, |_| raw(format!("HTTP/7.3 200 OK\r\n\r\n{}", page("new", &[]))));
    table.page("nothing", "/head/empty", FAILED, |_| vec![Say::Close]);
    table.page("null byte in a header", "/head/null", FAILED, |_| {
        raw("HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 0\r\n\r\n")
    });
    table.page("hints before the answer", "/head/hints", FOUND, |_| {
        [vec![Say::Bytes(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n".to_vec())], html(&page("hints", &[]))]
            .concat()
    });
    table
        .page("not compressed as it says", "/encoding/lie", FAILED, |_| answer(200, "Content-Encoding: gzip", "plain"));
    table.page("compressed as nobody asked", "/encoding/unknown", FAILED, |_| {
        answer(200, "Content-Encoding: lzma", "x")
    });
    table.page("compressed and cut", "/encoding/cut", FAILED, |_| {
        let body = super::gzip(page("cut", &[]));
        answer(200, "Content-Type: text/html\nContent-Encoding: gzip", &body[..body.len() / 2])
    });
}

fn monstrous(table: &mut Table) {
    table.page("100 MB", "/huge", Wanted { title: Some("huge"), ..FOUND }, |_| {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 104857600\r\n\r\n";
        let start = page("huge", &[]);
        let rest = (100 << 20) - start.len();
        vec![Say::Bytes(format!("{head}{start}").into_bytes()), Say::Repeat(vec![b'x'; 1 << 16], rest >> 16)]
    });
    table.page("without end", "/endless", Wanted { title: Some("endless"), ..FOUND }, |_| {
        let start = page("endless", &[]);
        let head = chunked(&format!("{:x}\r\n{start}\r\n", start.len()));
        let chunk = format!("10000\r\n{}\r\n", "y".repeat(1 << 16));
        vec![Say::Bytes(head.into_bytes()), Say::Repeat(chunk.into_bytes(), 1 << 20)]
    });
    table.page("100,000 headers", "/headers/many", FAILED, |_| {
        let headers: String = (0..100_000).map(|n| format!("X-{n}: {n}\r\n")).collect();
        raw(format!("HTTP/1.1 200 OK\r\n{headers}Content-Length: 0\r\n\r\n"))
    });
    table.page("a header of 1 MB", "/headers/long", FAILED, |_| {
        raw(format!("HTTP/1.1 200 OK\r\nX: {}\r\nContent-Length: 0\r\n\r\n", "x".repeat(1 << 20)))
    });
    table.page("headers without end", "/headers/endless", FAILED, |_| {
        vec![Say::Bytes(b"HTTP/1.1 200 OK\r\n".to_vec()), Say::Repeat(b"X-More: and more\r\n".repeat(1_000), 100_000)]
    });
}

fn refused(table: &mut Table) {
    for (name, path, status) in [
        ("bad request", "/status/400", 400),
        ("password wanted", "/status/401", 401),
        ("forbidden", "/status/403", 403),
        ("legal reasons", "/status/451", 451),
        ("server error", "/status/500", 500),
        ("bad gateway", "/status/502", 502),
        ("no status of this world", "/status/999", 999),
    ] {
        table.page(name, path, FAILED, move |_| answer(status, "Content-Type: text/html", page("refusal", &[])));
    }
    table.page("server error at first", "/status/once", Wanted { asked: 2..=2, ..FOUND }, |ask| match ask.before {
        0 => answer(500, "", "trouble"),
        _ => html(&page("recovered", &[])),
    });
}
