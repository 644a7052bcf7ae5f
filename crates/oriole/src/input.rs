//! Reading what the user gives us.

mod column;
mod compression;
mod csv;
mod jsonl;
mod lines;
mod names;
#[cfg(feature = "parquet")]
mod parquet;
mod rows;
mod times;
pub mod trace;

use std::io;
use std::path::{Path, PathBuf};

use anyhow::Result;

pub use column::{Columns, read_columns};
pub use names::{Interner, Names};
pub use rows::{Hosts, PageTable};
pub use times::read_times;

use crate::failure::{Mistake, reading};
pub(crate) use compression::Input;
use lines::LongLine;
use rows::Rows;

/// Which of the optional columns matter. Those that do not are not even looked at.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// `weight`.
    pub weights: bool,
    /// `host`; every page must have one.
    pub hosts: bool,
}

/// An input, for messages about it.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    has_lines: bool,
}

impl Source {
    fn mistake_at(&self, position: u64, problem: impl std::fmt::Display) -> Mistake {
        if self.has_lines {
            return Mistake::line(&self.name, position, problem);
        }
        Mistake::Row { file: self.name.clone(), row: position, problem: problem.to_string() }
    }

    /// An error while reading.
    fn failure(&self, error: io::Error) -> anyhow::Error {
        match LongLine::of(&error) {
            Some(long) => self.mistake_at(long.line, long).into(),
            None => reading(&self.name, error),
        }
    }

    fn mistake(&self, problem: impl std::fmt::Display) -> Mistake {
        Mistake::file(&self.name, problem)
    }

    /// "line" or "row".
    fn position_word(&self) -> &'static str {
        if self.has_lines { "line" } else { "row" }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Format {
    Csv,
    JsonLines,
    Parquet,
}

/// Reads pages from a file, or from standard input if `path` is `-`.
///
/// # Errors
/// A [`Mistake`] with file, line and remedy if the contents are wrong.
pub fn read_pages(path: &Path, wanted: Wanted) -> Result<PageTable> {
    let is_stdin = path == Path::new("-");
    let format = if is_stdin { None } else { Some(format_of(path)?) };
    if format == Some(Format::Parquet) {
        return read_parquet(path, wanted);
    }
    let mut input = Input::open(path)?;
    let format = match format {
        Some(format) => format,
        None if input.starts_with(b"PAR1")? => {
            return Err(Mistake::file(input.name(), "Parquet cannot be piped; give the name of the file").into());
        }
        None if input.starts_with_brace()? => Format::JsonLines,
        None => Format::Csv,
    };
    let mut rows = Rows::new(Source { name: input.name().to_string(), has_lines: true }, wanted);
    match format {
        Format::JsonLines => jsonl::read(input, &mut rows)?,
        Format::Csv | Format::Parquet => csv::read(input, &mut rows)?,
    }
    rows.finish()
}

#[cfg(feature = "parquet")]
fn read_parquet(path: &Path, wanted: Wanted) -> Result<PageTable> {
    let mut rows = Rows::new(Source { name: path.display().to_string(), has_lines: false }, wanted);
    parquet::read(path, &mut rows)?;
    rows.finish()
}

#[cfg(not(feature = "parquet"))]
fn read_parquet(path: &Path, _wanted: Wanted) -> Result<PageTable> {
    let problem = "this program was built without Parquet; give CSV or JSON Lines";
    Err(Mistake::file(path.display().to_string(), problem).into())
}

/// The format by the name of a file, whatever it is compressed with.
fn format_of(path: &Path) -> Result<Format, Mistake> {
    let extension = |path: &Path| path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let mut bare = PathBuf::from(path);
    if matches!(extension(&bare).as_deref(), Some("gz" | "zst")) {
        bare.set_extension("");
    }
    match extension(&bare).as_deref() {
        Some("parquet") if bare != path => {
            let problem = "Parquet is compressed inside; undo the compression around it";
            Err(Mistake::file(path.display().to_string(), problem))
        }
        Some("csv") => Ok(Format::Csv),
        Some("jsonl" | "ndjson") => Ok(Format::JsonLines),
        Some("parquet") => Ok(Format::Parquet),
        other => {
            let what = other.map_or_else(|| "no extension".to_string(), |ending| format!("the extension .{ending}"));
            let remedy =
                "name it .csv, .jsonl, .ndjson or .parquet (.gz and .zst may follow), or pipe it in and give -";
            Err(Mistake::file(path.display().to_string(), format_args!("has {what}; {remedy}")))
        }
    }
}

/// The known name nearest to a wrong one, if any is near.
#[must_use]
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = wrong.trim().to_lowercase().replace([' ', '-'], "_");
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&wrong, &name.to_lowercase()), name))
        .min()
        .filter(|(distance, name)| *distance <= 1.max(name.len() / 3))
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests;
