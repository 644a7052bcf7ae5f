//! Writing what the user asked for.

pub mod age;
mod atomic_file;
pub mod foreign;
pub mod json;
pub mod number;
pub mod table;

use std::io::{self, BufWriter, Write};

pub use atomic_file::{OutputFile, abandon};

/// Standard output through a large buffer. Flush it before it is dropped, or an error is lost.
#[must_use]
pub fn stdout() -> BufWriter<impl Write> {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// Prints a warning.
pub fn warn(message: impl std::fmt::Display) {
    let style = anstyle::Style::new().bold().fg_color(Some(anstyle::AnsiColor::Yellow.into()));
    // If nobody can be told, nobody is.
    let _ = writeln!(anstream::stderr(), "{style}warning:{style:#} {message}");
}

/// Prints something that is good to know.
pub fn note(message: impl std::fmt::Display) {
    let style = anstyle::Style::new().bold().fg_color(Some(anstyle::AnsiColor::Cyan.into()));
    let _ = writeln!(anstream::stderr(), "{style}note:{style:#} {message}");
}
