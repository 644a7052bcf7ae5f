//! What can go wrong, sorted by whose move it is.

use std::fmt::Display;
use std::io;
use std::panic::{self, AssertUnwindSafe};

use thiserror::Error;

/// Something the user can put right: wrong usage or bad input. The program ends with exit code 2.
///
/// Every other error is a failed job and ends with exit code 1.
#[derive(Debug, Error)]
pub enum Mistake {
    /// The options do not make sense together.
    #[error("{0}")]
    Usage(String),
    /// An input is wrong as a whole.
    #[error("{}: {problem}", printable(file))]
    File {
        /// The input, as the user named it.
        file: String,
        /// What is wrong and what to do.
        problem: String,
    },
    /// One line of an input is wrong.
    #[error("{}:{line}: {problem}", printable(file))]
    Line {
        /// The input, as the user named it.
        file: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong and what to do.
        problem: String,
    },
    /// One row of an input without lines is wrong.
    #[error("{}: row {row}: {problem}", printable(file))]
    Row {
        /// The input, as the user named it.
        file: String,
        /// The row, from 1.
        row: u64,
        /// What is wrong and what to do.
        problem: String,
    },
}

impl Mistake {
    /// Wrong usage.
    pub fn usage(problem: impl Display) -> Self {
        Self::Usage(problem.to_string())
    }

    /// An input that is wrong as a whole.
    pub fn file(file: impl Into<String>, problem: impl Display) -> Self {
        Self::File { file: file.into(), problem: problem.to_string() }
    }

    /// A wrong line of an input.
    pub fn line(file: impl Into<String>, line: u64, problem: impl Display) -> Self {
        Self::Line { file: file.into(), line, problem: problem.to_string() }
    }
}

/// A file's name without control characters.
fn printable(name: &str) -> String {
    let shown = |letter: char| if letter.is_control() { letter.escape_debug().to_string() } else { letter.to_string() };
    name.chars().map(shown).collect()
}

/// Foreign text for a message: in backticks, without control characters, and not too long.
#[must_use]
pub fn quoted(text: &str) -> String {
    const LONGEST: usize = 80;
    let shown: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    let more = if text.chars().nth(LONGEST).is_some() { "..." } else { "" };
    format!("`{shown}{more}`")
}

/// An error while reading `file`: damaged contents are a mistake, anything else a failed job.
pub fn reading(file: &str, error: io::Error) -> anyhow::Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => {
            Mistake::file(file, "ends in the middle of its compressed data; fetch or write the file again").into()
        }
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::Other => {
            Mistake::file(file, format_args!("is damaged: {error}; fetch or write the file again")).into()
        }
        _ => anyhow::Error::new(error).context(format!("cannot read {file}")),
    }
}

/// An error while opening `file`, which the user named: a mistake if it is not there or may not be read.
pub fn opening(file: &str, error: io::Error) -> anyhow::Error {
    match error.kind() {
        io::ErrorKind::NotFound => Mistake::file(file, "no such file").into(),
        io::ErrorKind::PermissionDenied => Mistake::file(file, "no permission to read it").into(),
        _ => anyhow::Error::new(error).context(format!("cannot open {file}")),
    }
}

/// A folder that is not there, busy or of another version is for the user to put right.
pub fn opening_folder(error: store::OpenError) -> anyhow::Error {
    match error {
        store::OpenError::Absent(_) | store::OpenError::InUse(_) | store::OpenError::Catalogue(_) => {
            Mistake::usage(error).into()
        }
        error => error.into(),
    }
}

/// The exit code an error asks for; `None` if the reader of our output has gone, which is nobody's fault.
#[must_use]
pub fn exit_code(error: &anyhow::Error) -> Option<u8> {
    let closed_pipe = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(closed_pipe) {
        return None;
    }
    Some(if error.downcast_ref::<Mistake>().is_some() { 2 } else { 1 })
}

/// What comes of reading files that may be damaged with a library that panics then; none if it does. Nothing is printed.
pub(crate) fn without_panic<T>(read: impl FnOnce() -> T) -> Option<T> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let read = panic::catch_unwind(AssertUnwindSafe(read));
    panic::set_hook(hook);
    read.ok()
}
