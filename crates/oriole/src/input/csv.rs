//! Pages from CSV.

use std::io::{Chain, Read};

use anyhow::Result;
use csv::{ByteRecord, ErrorKind, Reader, ReaderBuilder, Terminator};

use super::compression::Input;
use super::lines::ShortLines;
use super::rows::{Row, Rows};
use super::{Source, nearest};
use crate::failure::{Mistake, quoted};

/// Where the columns are.
struct Columns {
    page: usize,
    change_rate: usize,
    weight: Option<usize>,
    host: Option<usize>,
}

pub(super) fn read(input: Input, rows: &mut Rows) -> Result<()> {
    let mut records = Records::new(input, rows.source.clone());
    let header = records.header()?;
    let columns = Columns {
        page: required(&header, called(&header, "page"), &rows.source)?,
        change_rate: required(&header, called(&header, "change_rate"), &rows.source)?,
        weight: if rows.wanted.weights { weight(&header, &rows.source)? } else { None },
        host: if rows.wanted.hosts { Some(required(&header, "host", &rows.source)?) } else { None },
    };
    while let Some((line, record)) = records.next()? {
        let row = row(record, &columns).map_err(|problem| rows.source.mistake_at(line, problem))?;
        rows.push(line, &row)?;
    }
    Ok(())
}

fn row<'a>(record: &'a ByteRecord, columns: &Columns) -> Result<Row<'a>, String> {
    let weight = columns.weight.map(|column| number(record, column, "weight")).transpose()?.flatten();
    let change_rate = number(record, columns.change_rate, "change_rate")?;
    Ok(Row {
        page: text(record, columns.page, "page")?,
        change_rate: change_rate
            .ok_or("change_rate is empty; give the changes per day, 0 if the page never changes")?,
        weight: weight.unwrap_or(1.0),
        host: columns.host.map(|column| text(record, column, "host")).transpose()?,
    })
}

/// A line put after the last one. If it comes out as the end of a field, a quote was never closed.
const END: &[u8] = b"\n\0end\n";

/// The records of a CSV file, each with the line it begins on. Blank lines are passed over.
pub(super) struct Records {
    source: Source,
    reader: Reader<Chain<ShortLines<Input>, &'static [u8]>>,
    record: ByteRecord,
    fields: Option<usize>,
}

impl Records {
    pub(super) fn new(input: Input, source: Source) -> Self {
        // Every record ends in a line feed, the last one too, so that lines can be counted back from its end. A carriage
        // return before it is a blank at the end of the last field.
        let input = ShortLines::new(input).chain(END);
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .terminator(Terminator::Any(b'\n'))
            .buffer_capacity(1 << 18)
            .from_reader(input);
        Self { source, reader, record: ByteRecord::new(), fields: None }
    }

    /// The names of the columns, without the mark that some programs put before UTF-8.
    pub(super) fn header(&mut self) -> Result<Vec<String>> {
        let Some((_, record)) = self.next()? else {
            return Err(self.source.mistake("is empty; give a header line and rows below it").into());
        };
        let names = record.iter().map(|name| String::from_utf8_lossy(name).trim().to_string());
        let mut names: Vec<String> = names.collect();
        if let Some(rest) = names[0].strip_prefix('\u{feff}') {
            names[0] = rest.trim_matches('"').to_string();
        }
        Ok(names)
    }

    /// The next record and its line.
    pub(super) fn next(&mut self) -> Result<Option<(u64, &ByteRecord)>> {
        while self.read()? {
            if self.record.len() == 1 && self.record[0].trim_ascii().is_empty() {
                continue;
            }
            if self.record.len() == 1 && &self.record[0] == END.trim_ascii() {
                return Ok(None);
            }
            let line = self.line();
            if self.record.as_slice().ends_with(END) {
                let problem = "a quote is opened here and never closed; close it, or write quotes in a text twice";
                return Err(self.source.mistake_at(line, problem).into());
            }
            let (len, expected) = (self.record.len(), *self.fields.get_or_insert(self.record.len()));
            if len != expected {
                let problem = format!("has {len} fields, but the header has {expected}; quote fields with commas");
                return Err(self.source.mistake_at(line, problem).into());
            }
            return Ok(Some((line, &self.record)));
        }
        Ok(None)
    }

    fn read(&mut self) -> Result<bool> {
        self.reader.read_byte_record(&mut self.record).map_err(|error| {
            let message = error.to_string();
            match error.into_kind() {
                ErrorKind::Io(error) => self.source.failure(error),
                _ => self.source.mistake(message).into(),
            }
        })
    }

    /// The line on which the record begins: the reader's own count is that of any blank lines before it.
    fn line(&self) -> u64 {
        let start = self.record.position().map_or(1, csv::Position::line);
        let end = self.reader.position().line() - 1;
        if end == start {
            return start;
        }
        let inside = self.record.as_slice().iter().filter(|byte| **byte == b'\n').count() as u64;
        start.max(end.saturating_sub(inside))
    }
}

/// Names of columns in a message.
const SHOWN: usize = 12;

/// What a column is called: as wanted, or as in a file of `oriole export`.
pub(super) fn called<'a>(header: &[String], column: &'a str) -> &'a str {
    let exported = match column {
        "page" => "url",
        "change_rate" => "changes_per_day",
        _ => column,
    };
    let has = |wanted: &str| header.iter().any(|name| name == wanted);
    if !has(column) && has(exported) { exported } else { column }
}

/// The position of a column that must be there.
pub(super) fn required(header: &[String], column: &str, source: &Source) -> Result<usize, Mistake> {
    optional(header, column, source)?.ok_or_else(|| source.mistake_at(1, missing(header, column)))
}

/// The position of a column that may be there, once.
fn optional(header: &[String], column: &str, source: &Source) -> Result<Option<usize>, Mistake> {
    let mut positions = header.iter().enumerate().filter(|(_, name)| *name == column).map(|(position, _)| position);
    let first = positions.next();
    if positions.next().is_some() {
        return Err(source.mistake_at(1, format_args!("column `{column}` is there twice; keep one")));
    }
    Ok(first)
}

/// The position of the weights, if there are any. A name that is nearly theirs is a mistake, not another column.
fn weight(header: &[String], source: &Source) -> Result<Option<usize>, Mistake> {
    match (optional(header, "weight", source)?, near_miss(header, "weight")) {
        (None, Some(problem)) => Err(source.mistake_at(1, problem)),
        (found, _) => Ok(found),
    }
}

/// What to do about a name that is nearly that of an optional column.
pub(super) fn near_miss(header: &[String], column: &str) -> Option<String> {
    let name = header.iter().find(|name| *name != column && nearest(name, [column]).is_some())?;
    Some(format!("{} looks like `{column}`; rename it, or to something else if it is not", quoted(name)))
}

/// "there is no column `x`", with the nearest name that is there.
pub(super) fn missing(header: &[String], column: &str) -> String {
    let found = header.iter().map(String::as_str);
    // The nearest to what we want, said the other way round: which of theirs is our name misspelt?
    let part = |name: &str| name.len() > 2 && column.contains(&name.to_lowercase());
    let near = found.clone().find(|name| nearest(name, [column]).is_some() || part(name));
    let remedy = match near {
        Some(name) => format!("did you mean {}? rename it to `{column}`", quoted(name)),
        None if header.len() == 1 && header[0].contains([';', '\t', '|']) => {
            "separate the columns by commas".to_string()
        }
        None => {
            let more = if header.len() > SHOWN { ", ..." } else { "" };
            let shown = found.take(SHOWN).map(quoted).collect::<Vec<_>>().join(", ");
            format!("found {shown}{more}; name the columns in the first line")
        }
    };
    format!("there is no column `{column}`; {remedy}")
}

pub(super) fn text<'a>(record: &'a ByteRecord, column: usize, name: &str) -> Result<&'a str, String> {
    let bytes = record.get(column).unwrap_or_default();
    let text = std::str::from_utf8(bytes).map_err(|_| format!("{name} is not UTF-8; save the file as UTF-8"))?;
    Ok(text.trim())
}

/// A number, or `None` if the field is empty.
pub(super) fn number(record: &ByteRecord, column: usize, name: &str) -> Result<Option<f64>, String> {
    let text = text(record, column, name)?;
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| format!("{name} is not a number ({}); write it like 0.25 or 1e-3", quoted(text)))
}
