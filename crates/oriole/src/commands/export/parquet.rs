//! Pages as columns.

use std::sync::Arc;

use anyhow::Result;
use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::super::reading::{Moment, Row};
use super::Job;
use crate::output::OutputFile;

/// Rows per row group.
const GROUP: usize = 1 << 15;

/// What a column is and where its values come from.
enum Values {
    Text(fn(&Row) -> Option<&str>),
    Moment(fn(&Row) -> Option<Moment>),
    Whole(fn(&Row) -> Option<i64>),
    Small(fn(&Row) -> Option<i32>),
    Real(fn(&Row) -> Option<f64>),
    Flag(fn(&Row) -> bool),
}

use Values::{Flag, Moment as Time, Real, Small, Text, Whole};

/// The columns, in the order of the other formats. Moments are milliseconds since 1970, UTC.
const COLUMNS: &[(&str, Values)] = &[
    ("id", Whole(|row| Some(row.id.into()))),
    ("url", Text(|row| Some(&row.url))),
    ("host", Text(|row| Some(&row.host))),
    ("state", Text(|row| Some(row.state))),
    ("status", Small(|row| row.status.map(i32::from))),
    ("title", Text(|row| row.title.as_deref())),
    ("language", Text(|row| row.language.as_deref())),
    ("mime", Text(|row| row.mime.as_deref())),
    ("bytes", Whole(|row| row.bytes.map(|bytes| bytes as i64))),
    ("found_at", Time(|row| Some(row.found_at))),
    ("checked_at", Time(|row| row.checked_at)),
    ("changed_at", Time(|row| row.changed_at)),
    ("published", Time(|row| row.published)),
    ("visits", Whole(|row| Some(row.visits.into()))),
    ("changes", Whole(|row| Some(row.changes.into()))),
    ("changes_per_day", Real(|row| Some(row.changes_per_day))),
    ("probability_current", Real(|row| row.probability_current)),
    ("indexed", Flag(|row| row.indexed)),
    ("failures", Whole(|row| Some(row.failures.into()))),
    ("retry_at", Time(|row| row.retry_at)),
    ("depth", Small(|row| Some(row.depth.into()))),
    ("links_in", Whole(|row| Some(row.links_in.into()))),
    ("weight", Real(|row| Some(row.weight.into()))),
    ("referrer", Whole(|row| row.referrer.map(Into::into))),
    ("duplicate_of", Whole(|row| row.duplicate_of.map(Into::into))),
    ("redirect_to", Text(|row| row.redirect_to.as_deref())),
    ("etag", Text(|row| row.etag.as_deref())),
    ("last_modified", Text(|row| row.last_modified.as_deref())),
    ("archive_file", Text(|row| row.archive_file.as_deref())),
    ("archive_offset", Whole(|row| row.archive_offset.map(|offset| offset as i64))),
    ("archive_length", Whole(|row| row.archive_length.map(Into::into))),
    ("archived_at", Time(|row| row.archived_at)),
    ("digest", Text(|row| row.digest.as_deref())),
    ("text_hash", Text(|row| row.text_hash.as_deref())),
    ("simhash", Text(|row| row.simhash.as_deref())),
];

fn schema() -> String {
    let column = |(name, values): &(&str, Values)| {
        let (kind, meaning) = match values {
            Text(_) => ("binary", " (UTF8)"),
            Time(_) => ("int64", " (TIMESTAMP(MILLIS,true))"),
            Whole(_) => ("int64", ""),
            Small(_) => ("int32", ""),
            Real(_) => ("double", ""),
            Flag(_) => ("boolean", ""),
        };
        format!("optional {kind} {name}{meaning}; ")
    };
    format!("message pages {{ {}}}", COLUMNS.iter().map(column).collect::<String>())
}

/// Writes the pages of a job.
pub(super) fn write(file: &mut OutputFile, job: &mut Job<'_>) -> Result<()> {
    let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
    let schema = Arc::new(parse_message_type(&schema())?);
    let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties))?;
    let mut rows = Vec::new();
    job.each_row(|row| {
        rows.push(row);
        if rows.len() == GROUP {
            write_group(&mut writer, &rows)?;
            rows.clear();
        }
        Ok(())
    })?;
    if !rows.is_empty() {
        write_group(&mut writer, &rows)?;
    }
    writer.close()?;
    Ok(())
}

fn write_group(writer: &mut SerializedFileWriter<&mut OutputFile>, rows: &[Row]) -> Result<()> {
    let mut group = writer.next_row_group()?;
    for (_, values) in COLUMNS {
        let text = |text: &str| ByteArray::from(text.as_bytes().to_vec());
        match values {
            Text(of) => column::<ByteArrayType>(&mut group, rows.iter().map(|row| of(row).map(text)))?,
            Time(of) => column::<Int64Type>(&mut group, rows.iter().map(|row| of(row).map(|at| at.0.0)))?,
            Whole(of) => column::<Int64Type>(&mut group, rows.iter().map(of))?,
            Small(of) => column::<Int32Type>(&mut group, rows.iter().map(of))?,
            Real(of) => column::<DoubleType>(&mut group, rows.iter().map(of))?,
            Flag(of) => column::<BoolType>(&mut group, rows.iter().map(|row| Some(of(row))))?,
        }
    }
    group.close()?;
    Ok(())
}

/// Writes the next column of the schema; what is absent has level 0.
fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, &mut OutputFile>,
    values: impl Iterator<Item = Option<T::T>>,
) -> Result<()> {
    let (mut levels, mut present) = (Vec::new(), Vec::new());
    for value in values {
        levels.push(i16::from(value.is_some()));
        present.extend(value);
    }
    if let Some(mut writer) = group.next_column()? {
        writer.typed::<T>().write_batch(&present, Some(&levels), None)?;
        writer.close()?;
    }
    Ok(())
}
