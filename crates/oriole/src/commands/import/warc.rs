//! Copies that were fetched elsewhere.

use std::io::Write;

use anyhow::Result;
use store::{Limits, OpenError, WarcReader};

use super::super::reading::opening;
use crate::config::Config;
use crate::engine::{Importer, Tally};
use crate::failure::reading;
use crate::input::Input;
use crate::output::number::grouped;
use crate::output::warn;

/// Takes in every answer of a WARC file. The data folder must not be in use.
pub(super) fn read(input: Input, config: &Config) -> Result<()> {
    let name = input.name().to_owned();
    let mut importer = Importer::open(config).map_err(|error| match error.downcast::<OpenError>() {
        Ok(error) => opening(error),
        Err(error) => error,
    })?;
    let records = WarcReader::new(input, Limits::default()).map_err(|error| reading(&name, error))?;
    for (number, record) in records.enumerate() {
        match record {
            Ok(record) => importer.take(record)?,
            Err(error) => warn(format_args!("{name}: record {}: {error}; what follows was left out", number + 1)),
        }
    }
    let Tally { taken, older, refused, others } = importer.finish()?;
    let whole = |number: u64| grouped(number as usize);
    let mut text = format!("{name}: {} answers taken in", whole(taken));
    let rest = [
        (older, "older than the last visit"),
        (refused, "not of pages that may be taken in"),
        (others, "other records"),
    ];
    for (count, what) in rest.into_iter().filter(|(count, _)| *count > 0) {
        text.push_str(&format!(", {} {what}", whole(count)));
    }
    Ok(writeln!(anstream::stdout().lock(), "{text}")?)
}
