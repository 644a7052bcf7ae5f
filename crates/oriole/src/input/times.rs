//! Measured access times.

use std::path::Path;

use anyhow::Result;
use freshness::AccessTime;

use super::compression::Input;
use super::{Source, csv};
use crate::units::SECONDS_PER_DAY;

/// The law of the times in a CSV file: its column `seconds`, or its only column, with or without a header.
///
/// # Errors
/// If the file cannot be read or a time is not a finite number of at least 0.
pub fn read_times(path: &Path) -> Result<AccessTime> {
    let input = Input::open(path)?;
    let source = Source { name: input.name().to_string(), has_lines: true };
    let mut records = csv::Records::new(input, source.clone());
    let header = records.header()?;
    let mut sample = Vec::new();
    let column = match (header.len(), header[0].parse::<f64>()) {
        (1, Ok(first)) => {
            sample.push(checked(Some(first), &source, 1)?);
            0
        }
        (1, Err(_)) => 0,
        _ => csv::required(&header, "seconds", &source)?,
    };
    while let Some((line, record)) = records.next()? {
        let seconds = csv::number(record, column, "seconds").map_err(|problem| source.mistake_at(line, problem))?;
        sample.push(checked(seconds, &source, line)?);
    }
    let law = AccessTime::empirical(&sample)
        .map_err(|error| source.mistake(format_args!("{error}; give times in seconds")))?;
    Ok(law)
}

fn checked(seconds: Option<f64>, source: &Source, line: u64) -> Result<f64> {
    match seconds {
        Some(seconds) if seconds >= 0.0 && seconds.is_finite() => Ok(seconds / SECONDS_PER_DAY),
        Some(seconds) => {
            let problem = format!("seconds is {seconds}; give a finite number of at least 0");
            Err(source.mistake_at(line, problem).into())
        }
        None => Err(source.mistake_at(line, "seconds is empty; give a number").into()),
    }
}
