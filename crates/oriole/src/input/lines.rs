//! A limit on the length of lines, so that what has no lines is not read for ever.

use std::io::{self, BufRead, Read};

use thiserror::Error;

/// The longest line, in bytes.
pub(super) const LONGEST: usize = 1 << 20;

/// A line that is longer than [`LONGEST`].
#[derive(Clone, Copy, Debug, Error)]
#[error("is longer than 1 MiB; give a text file with one record a line")]
pub(super) struct LongLine {
    /// The line, from 1.
    pub(super) line: u64,
}

impl LongLine {
    /// The long line that an error speaks of.
    pub(super) fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

/// Reads on only as long as lines are short.
pub(super) struct ShortLines<R> {
    inner: R,
    /// The line that is being read, from 1, and how much of it has been.
    line: u64,
    length: usize,
}

impl<R> ShortLines<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, line: 1, length: 0 }
    }

    fn count(&mut self, bytes: &[u8]) -> io::Result<()> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.length += part.len();
            if self.length > LONGEST {
                return Err(io::Error::new(io::ErrorKind::InvalidData, LongLine { line: self.line }));
            }
            if part.ends_with(b"\n") {
                (self.line, self.length) = (self.line + 1, 0);
            }
        }
        Ok(())
    }
}

impl<R: Read> Read for ShortLines<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(into)?;
        self.count(&into[..length])?;
        Ok(length)
    }
}

/// The next line with its end, put into `text`; its length, 0 at the end of the input.
pub(super) fn next_line(input: &mut impl BufRead, line: u64, text: &mut Vec<u8>) -> io::Result<usize> {
    text.clear();
    let length = input.take(LONGEST as u64 + 1).read_until(b'\n', text)?;
    if length > LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, LongLine { line }));
    }
    Ok(length)
}
