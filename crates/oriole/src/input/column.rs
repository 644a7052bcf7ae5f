//! Numbers in a column of a CSV file.

use std::path::Path;

use anyhow::Result;

use super::compression::Input;
use super::{Source, csv};
use crate::failure::Mistake;

/// Columns of numbers that were read, and where.
#[derive(Debug)]
pub struct Columns {
    /// The values of the column asked for.
    pub values: Vec<f64>,
    /// Those of the optional second column, if it is there.
    pub second: Option<Vec<f64>>,
    source: Source,
    lines: Vec<u64>,
}

impl Columns {
    /// A mistake in the row of a value, counted from 0.
    #[must_use]
    pub fn mistake_at(&self, row: usize, problem: impl std::fmt::Display) -> Mistake {
        self.source.mistake_at(self.lines.get(row).copied().unwrap_or(1), problem)
    }

    /// A mistake in the file as a whole.
    #[must_use]
    pub fn mistake(&self, problem: impl std::fmt::Display) -> Mistake {
        self.source.mistake(problem)
    }
}

/// Reads finite numbers from the column `name` of a CSV file, or from its only column, with or without a header; and those
/// of the column `second` if there is one.
///
/// # Errors
/// If the file cannot be read or has no such column, or a value is not a finite number.
pub fn read_columns(path: &Path, name: &str, second: Option<&str>) -> Result<Columns> {
    let input = Input::open(path)?;
    let source = Source { name: input.name().to_string(), has_lines: true };
    let mut records = csv::Records::new(input, source.clone());
    let header = records.header()?;
    let mut columns = Columns { values: Vec::new(), second: None, source: source.clone(), lines: Vec::new() };
    let place = match (header.len(), header[0].parse::<f64>()) {
        (1, Ok(first)) => {
            columns.values.push(first);
            columns.lines.push(1);
            0
        }
        (1, Err(_)) => 0,
        _ => csv::required(&header, name, &source)?,
    };
    let other = second.and_then(|second| header.iter().position(|column| column == second).map(|at| (second, at)));
    let mut others = Vec::new();
    while let Some((line, record)) = records.next()? {
        let number = |column: usize, name: &str| {
            let number = csv::number(record, column, name).map_err(|problem| source.mistake_at(line, problem))?;
            let finite = number.filter(|number| number.is_finite());
            finite.ok_or_else(|| source.mistake_at(line, format_args!("{name} must be a finite number; give one")))
        };
        columns.values.push(number(place, name)?);
        columns.lines.push(line);
        if let Some((second, at)) = other {
            others.push(number(at, second)?);
        }
    }
    columns.second = other.map(|_| others);
    Ok(columns)
}
