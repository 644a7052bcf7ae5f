//! `oriole import`: addresses and copies from files.

mod addresses;
mod list;
mod warc;

use std::io::{BufRead, Read};
use std::path::Path;

use anyhow::Result;
use crawl::sitemap;
use store::{DataFolder, OpenError};

use super::reading::opening;
use crate::cli::ImportArgs;
use crate::config::Config;
use crate::failure::{Mistake, reading};
use crate::input::Input;
use crate::output::{note, warn};
use addresses::Addresses;

/// Bytes of a sitemap that are read. The protocol allows fifty million.
const MOST_BYTES: u64 = 1 << 30;

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Warc,
    Xml,
    List,
}

/// Runs the command.
///
/// # Errors
/// A [`Mistake`] if a file is none of the kinds that are understood; otherwise if something cannot be read or written.
pub fn run(arguments: &ImportArgs) -> Result<()> {
    let config = Config::load(&arguments.engine, None, std::env::vars_os())?;
    // A data folder is not made for files that are not there.
    for path in arguments.files.iter().filter(|path| *path != Path::new("-") && !path.exists()) {
        Input::open(path)?;
    }
    let folder = open_or_make(&config.data)?;
    let mut addresses = None;
    for path in &arguments.files {
        let mut input = Input::open(path)?;
        let kind = kind_of(&mut input)?;
        if kind == Kind::Warc {
            warc::read(input, &config)?;
            continue;
        }
        let addresses = match &mut addresses {
            Some(addresses) => addresses,
            none => none.insert(Addresses::new(&folder)?),
        };
        match kind {
            Kind::Xml => read_sitemap(input, addresses)?,
            _ => list::read(input, addresses)?,
        }
        addresses.end_of_file()?;
    }
    Ok(())
}

/// The data folder, which is made if it is not there.
fn open_or_make(path: &Path) -> Result<DataFolder> {
    match DataFolder::read(path) {
        Err(OpenError::Absent(_)) => {
            DataFolder::open(path).map_err(opening)?.recover(None)?;
            note(format_args!("made the data folder {}", path.display()));
            DataFolder::read(path).map_err(opening)
        }
        opened => opened.map_err(opening),
    }
}

/// What the file is, by its beginning.
fn kind_of(input: &mut Input) -> Result<Kind> {
    let name = input.name().to_owned();
    let start = input.fill_buf().map_err(|error| reading(&name, error))?;
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start).trim_ascii_start();
    Ok(match start {
        start if start.starts_with(b"WARC/") => Kind::Warc,
        // As XML begins, also in UTF-16.
        start if start.starts_with(b"<") || start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") => {
            Kind::Xml
        }
        _ => Kind::List,
    })
}

fn read_sitemap(input: Input, addresses: &mut Addresses<'_>) -> Result<()> {
    let name = input.name().to_owned();
    let mut bytes = Vec::new();
    input.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|error| reading(&name, error))?;
    addresses.begin(&name);
    let limits = sitemap::Limits { entries: usize::MAX, bytes: MOST_BYTES as usize };
    let mut entries = Vec::new();
    let report = sitemap::read(&bytes, &limits, |entry| entries.push(entry.loc));
    let report = report.map_err(|error| Mistake::file(&name, error))?;
    if report.is_index {
        let problem = format!("lists {} other sitemaps and no pages; fetch and import those", report.entries);
        return Err(Mistake::file(&name, problem).into());
    }
    for (number, entry) in entries.iter().enumerate() {
        addresses.take(entry, format_args!("entry {}", number + 1))?;
    }
    if let Some(warning) = report.warning {
        let what = match warning {
            sitemap::Warning::Truncated => "ends in the middle",
            sitemap::Warning::TooManyEntries | sitemap::Warning::TooLong => "is too long and was cut",
        };
        warn(format_args!("{name}: {what}; what comes before was taken"));
    }
    Ok(())
}
