//! Values for tests, each different from the others.

use crate::{
    Batch, Digest, Host, HostId, HttpHead, NewPage, Outcome, PageChange, PageId, Position, Record, State, Timestamp,
    Values, Visit,
};

/// A page that has just been found, of host `n % 3`.
#[must_use]
pub fn new_page(n: u32) -> NewPage {
    NewPage {
        id: PageId(n),
        url: format!("https://host{}.example/page/{n}?q=ä", n % 3),
        host: HostId(n % 3),
        depth: (n % 7) as u16,
        found_at: Timestamp(1_700_000_000_000 + i64::from(n)),
        referrer: n.checked_sub(1).map(PageId),
        weight: 0.5 + n as f32,
        links_in: n * 2,
    }
}

/// Values with something in every column.
#[must_use]
pub fn values(n: u32) -> Values {
    Values {
        state: State::ALL[n as usize % State::ALL.len()],
        checked_at: Some(Timestamp(1_700_000_100_000 + i64::from(n))),
        changed_at: Some(Timestamp(1_700_000_000_500 + i64::from(n))),
        status: Some(200 + (n % 300) as u16),
        failures: n % 5,
        retry_at: Some(Timestamp(i64::from(n))),
        visits: n + 1,
        changes: n / 2,
        evidence_changes: 0.1 + n as f32,
        evidence_exposure: 1e-7 * n as f32,
        text_hash: Some(u128::from(n).to_be_bytes()),
        simhash: Some(u64::MAX - u64::from(n)),
        sketch: n.to_be_bytes().to_vec(),
        etag: Some(format!("\"{n}\"")),
        last_modified: Some(format!("Mon, {n}")),
        mime: Some("text/html".to_owned()),
        language: Some("de".to_owned()),
        title: Some(format!("Title\0 {n} 'quoted'")),
        bytes: Some(u64::from(n) << 33),
        duplicate_of: Some(PageId(n / 2)),
        redirect_to: Some(format!("https://elsewhere.example/{n}")),
        archive: Some(position(n)),
        archived_at: Some(Timestamp(i64::from(n) - 5)),
        digest: Some(Digest::of(&n.to_be_bytes())),
        indexed: n.is_multiple_of(2),
        published: Some(Timestamp(-i64::from(n))),
    }
}

/// A place in the archive.
#[must_use]
pub fn position(n: u32) -> Position {
    Position { file: n % 4 + 1, offset: u64::from(n) << 32, length: n + 1 }
}

/// A visit, later for greater `n`.
#[must_use]
pub fn visit(n: u32) -> Visit {
    Visit {
        at: Timestamp(1_700_000_100_000 + i64::from(n)),
        outcome: Outcome::ALL[n as usize % Outcome::ALL.len()],
        status: (n % 2 == 1).then_some(304),
        bytes: n.into(),
        milliseconds: n * 3,
        archive: n.is_multiple_of(3).then(|| position(n)),
    }
}

/// A host.
#[must_use]
pub fn host(n: u32) -> Host {
    Host {
        id: HostId(n),
        name: format!("https://host{n}.example"),
        delay: 0.25 * f64::from(n),
        failures: n,
        blocked_until: (n > 1).then_some(Timestamp(n.into())),
        pages: n * 10,
        learned: (n > 0).then(|| format!("{{\"prior\":{n}}}")),
    }
}

/// A batch with new pages and the visits to some of them.
#[must_use]
pub fn batch(number: u64, new: std::ops::Range<u32>, visited: &[u32]) -> Batch {
    let change = |n: u32| PageChange { page: PageId(n), visit: Some(visit(n)), values: values(n) };
    Batch {
        number,
        new: new.map(new_page).collect(),
        pages: visited.iter().map(|n| change(*n)).collect(),
        ..Batch::default()
    }
}

/// An answer with a body of `size` bytes that do not compress well.
#[must_use]
pub fn response(n: u32, size: usize) -> Record {
    let mut head = HttpHead::response(200, "OK");
    head.push("Content-Type", b"text/html; charset=utf-8");
    head.push("X-Odd", &[0xff, b'a', 0x80]);
    let mut noise = u64::from(n) + 1;
    let body = (0..size).map(|_| {
        noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (noise >> 56) as u8
    });
    Record::response(&new_page(n).url, Timestamp(1_700_000_000_000 + i64::from(n)), head, body.collect(), false)
}
