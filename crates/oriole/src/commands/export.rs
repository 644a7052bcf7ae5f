//! `oriole export`: pages and copies for other tools.

#[cfg(feature = "parquet")]
mod parquet;
mod warc;

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use crawl::extract::Limits;
use serde::Serialize;
use store::{Catalogue, DataFolder, Timestamp};

use super::reading::{self, Beliefs, Row, Selection};
use crate::cli::{ExportArgs, ExportFormat, WhichArgs};
use crate::engine::copies::read_copy;
use crate::failure::Mistake;
use crate::output::{OutputFile, json, stdout, warn};
use crate::progress::{Count, Progress};

/// Warnings of one kind that are printed; of more only the number is told.
const MOST_WARNINGS: u64 = 5;

/// Runs the command.
///
/// # Errors
/// A [`Mistake`] if options do not go together or there is no data folder; otherwise if something cannot be read or written.
pub fn run(arguments: &ExportArgs) -> Result<()> {
    check(arguments)?;
    let folder = reading::open(&arguments.engine)?;
    let now = reading::now();
    let pages = Selection::new(&folder.catalogue, &arguments.which, now)?;
    let progress = progress(&folder, &arguments.which, &arguments.out)?;
    let mut job = Job { folder: &folder, pages, beliefs: Beliefs::new(&folder.catalogue)?, now, progress, arguments };
    if arguments.out == Path::new("-") {
        let mut out = stdout();
        job.write(&mut out)?;
        return Ok(out.flush()?);
    }
    let mut file = OutputFile::create(&arguments.out)?;
    match arguments.format {
        #[cfg(feature = "parquet")]
        ExportFormat::Parquet => parquet::write(&mut file, &mut job),
        _ => job.write(&mut file),
    }
    .with_context(|| format!("cannot write {}", arguments.out.display()))?;
    file.commit()
}

fn check(arguments: &ExportArgs) -> Result<(), Mistake> {
    let format = arguments.format;
    if arguments.text && format != ExportFormat::Jsonl {
        return Err(Mistake::usage("--text needs --format jsonl"));
    }
    if arguments.all && format != ExportFormat::Warc {
        return Err(Mistake::usage("--all needs --format warc"));
    }
    #[cfg(feature = "parquet")]
    if format == ExportFormat::Parquet && arguments.out == Path::new("-") {
        return Err(Mistake::usage("Parquet is not written to standard output; name a file with --out"));
    }
    Ok(())
}

/// A bar of all pages, if all are meant.
fn progress(folder: &DataFolder, which: &WhichArgs, out: &Path) -> Result<Progress> {
    let WhichArgs { host, state, stale, changed_since } = which;
    let all = host.is_empty() && state.is_empty() && stale.is_none() && changed_since.is_none();
    let count = if all { Count::Items(folder.catalogue.counts()?.pages()) } else { Count::Unknown };
    Ok(Progress::start(format!("writing {}", out.display()), count))
}

/// An export under way.
struct Job<'a> {
    folder: &'a DataFolder,
    pages: Selection<'a>,
    beliefs: Beliefs<'a>,
    now: Timestamp,
    progress: Progress,
    arguments: &'a ExportArgs,
}

/// A row with the main text of the page.
#[derive(Serialize)]
struct WithText {
    #[serde(flatten)]
    row: Row,
    text: Option<String>,
}

impl Job<'_> {
    fn write(&mut self, out: &mut impl Write) -> Result<()> {
        match self.arguments.format {
            ExportFormat::Jsonl if self.arguments.text => self.with_text(out),
            ExportFormat::Jsonl => self.each_row(|row| Ok(out.write_all(json::line(&row)?.as_bytes())?)),
            ExportFormat::Csv => {
                let mut writer = csv::Writer::from_writer(out);
                self.each_row(|row| Ok(writer.serialize(row.for_csv())?))?;
                Ok(writer.flush()?)
            }
            ExportFormat::Warc => warc::write(self, out),
            #[cfg(feature = "parquet")]
            ExportFormat::Parquet => Ok(()),
        }
    }

    fn each_row(&mut self, mut each: impl FnMut(Row) -> Result<()>) -> Result<()> {
        let (beliefs, progress, now) = (&mut self.beliefs, &self.progress, self.now);
        self.pages.for_each(|page| {
            progress.add(1);
            each(Row::new(page, beliefs, now)?)
        })
    }

    fn with_text(&mut self, out: &mut impl Write) -> Result<()> {
        let limits = Limits::default();
        let mut unreadable = Unreadable::default();
        let (beliefs, progress, now) = (&mut self.beliefs, &self.progress, self.now);
        let archive = &self.folder.archive;
        self.pages.for_each(|page| {
            progress.add(1);
            let text = unreadable.note(&page.url, read_copy(archive, &page, &limits)).flatten();
            let row = WithText { row: Row::new(page, beliefs, now)?, text: text.map(|page| page.text) };
            Ok(out.write_all(json::line(&row)?.as_bytes())?)
        })?;
        unreadable.tell();
        Ok(())
    }
}

/// Copies that cannot be read do not end an export, but are told.
#[derive(Default)]
struct Unreadable {
    count: u64,
}

impl Unreadable {
    fn note<T>(&mut self, url: &str, read: Result<T>) -> Option<T> {
        let error = match read {
            Ok(read) => return Some(read),
            Err(error) => error,
        };
        self.count += 1;
        if self.count <= MOST_WARNINGS {
            let url = crate::output::foreign::printable(url);
            warn(format_args!("the copy of {url} cannot be read: {error:#}"));
        }
        None
    }

    fn tell(&self) {
        if self.count > MOST_WARNINGS {
            warn(format_args!("{} copies cannot be read in all; run `oriole check`", self.count));
        }
    }
}
