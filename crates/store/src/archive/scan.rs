//! Walking through a file record by record.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::parse::{Limits, ReadError, read_member};
use super::record::Record;

/// After so many places that look like the beginning of a record and are none, the rest of a file is given up. A page
/// may contain bytes made for this.
const MOST_ATTEMPTS: usize = 1000;

/// What [`scan`] found at a place.
#[derive(Debug)]
pub struct Scanned {
    /// Where it begins.
    pub offset: u64,
    /// How long it is.
    pub length: u64,
    /// The record, or what is wrong with these bytes.
    pub record: Result<Record, ReadError>,
}

/// Walks through a file of compressed records from `offset` on. Damaged bytes are passed over to the next record; the
/// bytes after the last whole record are reported once.
///
/// # Errors
/// If the file cannot be read.
pub fn scan(path: &Path, offset: u64, each: &mut dyn FnMut(Scanned)) -> io::Result<()> {
    let mut file = File::open(path)?;
    let end = file.metadata()?.len();
    let mut at = offset;
    while at < end {
        let (record, length) = member_at(&mut file, at)?;
        let length = match &record {
            Ok(_) => length,
            Err(_) => next_member(&mut file, at + 1, end)? - at,
        };
        each(Scanned { offset: at, length, record });
        at += length;
    }
    Ok(())
}

/// The record at `offset` and the length of its compressed bytes.
fn member_at(file: &mut File, offset: u64) -> io::Result<(Result<Record, ReadError>, u64)> {
    file.seek(SeekFrom::Start(offset))?;
    let mut counted = Counted { inner: BufReader::with_capacity(1 << 16, file), count: 0 };
    let record = read_member(&mut counted, &Limits::default());
    Ok((record, counted.count))
}

/// The next place from `offset` on where a whole record begins, or `end`.
fn next_member(file: &mut File, offset: u64, end: u64) -> io::Result<u64> {
    const WINDOW: usize = 1 << 16;
    let mut from = offset;
    let mut attempts = 0;
    while from < end && attempts < MOST_ATTEMPTS {
        file.seek(SeekFrom::Start(from))?;
        let mut window = Vec::new();
        file.by_ref().take(WINDOW as u64).read_to_end(&mut window)?;
        for place in (0..window.len()).filter(|place| window[*place..].starts_with(&[0x1f, 0x8b, 8])) {
            let candidate = from + place as u64;
            if member_at(file, candidate)?.0.is_ok() {
                return Ok(candidate);
            }
            attempts += 1;
        }
        // A window overlaps the next by the two bytes that a beginning may have in it.
        let step = if window.len() == WINDOW { WINDOW - 2 } else { window.len().max(1) };
        from += step as u64;
    }
    Ok(end)
}

/// Counts the bytes taken.
struct Counted<R> {
    inner: R,
    count: u64,
}

impl<R: BufRead> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.count += read as u64;
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.count += amount as u64;
        self.inner.consume(amount);
    }
}
