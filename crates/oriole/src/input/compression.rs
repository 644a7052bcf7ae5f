//! Opens an input and undoes its compression, recognised by its first bytes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;

use crate::failure::{Mistake, opening, reading};
use crate::progress::{Count, Progress};

const BUFFER: usize = 1 << 18;

/// The contents of an input, decompressed, with progress.
pub(crate) struct Input {
    name: String,
    contents: BufReader<Box<dyn Read>>,
    _progress: Progress,
}

impl Input {
    /// Opens a file, or standard input if `path` is `-`.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let (name, raw, count) = if path == Path::new("-") {
            ("standard input".to_string(), Box::new(io::stdin()) as Box<dyn Read>, Count::Unknown)
        } else {
            let name = path.display().to_string();
            let file = File::open(path).map_err(|error| opening(&name, error))?;
            let metadata = file.metadata().map_err(|error| opening(&name, error))?;
            if metadata.is_dir() {
                return Err(Mistake::file(name, "is a folder; name a file in it").into());
            }
            let count = if metadata.is_file() { Count::Bytes(metadata.len()) } else { Count::Unknown };
            (name, Box::new(file) as Box<dyn Read>, count)
        };
        let progress = Progress::start(format!("reading {name}"), count);
        let raw = BufReader::with_capacity(BUFFER, Counted { inner: raw, read: progress.counter() });
        let plain = decompress(raw).map_err(|error| reading(&name, error))?;
        Ok(Self { name, contents: BufReader::with_capacity(BUFFER, plain), _progress: progress })
    }

    /// What messages call the input.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Whether the input begins with these bytes.
    pub(super) fn starts_with(&mut self, mark: &[u8]) -> Result<bool> {
        let bytes = self.contents.fill_buf().map_err(|error| reading(&self.name, error))?;
        Ok(bytes.starts_with(mark))
    }

    /// Whether the first byte that is not blank is `{`. Blanks before it are consumed, except line ends.
    pub(super) fn starts_with_brace(&mut self) -> Result<bool> {
        loop {
            let bytes = self.contents.fill_buf().map_err(|error| reading(&self.name, error))?;
            let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
            let blanks = bytes.iter().take_while(|byte| blank(byte)).count();
            if blanks == 0 {
                let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
                return Ok(first == Some(&b'{'));
            }
            self.contents.consume(blanks);
        }
    }
}

impl Read for Input {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.contents.read(into)
    }
}

impl BufRead for Input {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.contents.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.contents.consume(amount);
    }
}

fn decompress(mut raw: BufReader<Counted>) -> io::Result<Box<dyn Read>> {
    let start = raw.fill_buf()?;
    if start.starts_with(&[0x1f, 0x8b]) {
        return Ok(Box::new(flate2::bufread::MultiGzDecoder::new(raw)));
    }
    if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        return Ok(Box::new(zstd::stream::read::Decoder::with_buffer(raw)?));
    }
    Ok(Box::new(raw))
}

/// Counts the bytes that are read.
struct Counted {
    inner: Box<dyn Read>,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(into)?;
        self.read.fetch_add(length as u64, Ordering::Relaxed);
        Ok(length)
    }
}
