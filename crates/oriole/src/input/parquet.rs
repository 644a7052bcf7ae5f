//! Pages from Parquet, column by column.

use std::fs::File;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;

use anyhow::Result;
use parquet::basic::{ConvertedType, LogicalType, Type as PhysicalType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

use super::csv::{called, missing, near_miss};
use super::rows::{Row, Rows};
use crate::failure::{Mistake, opening};
use crate::progress::{Count, Progress};

/// Rows decoded at a time.
const BATCH: usize = 1 << 13;

/// A column of the file: its position, the level at which a value is there, and whether its numbers have no sign.
#[derive(Clone, Copy)]
struct Column {
    position: usize,
    defined: i16,
    unsigned: bool,
}

struct Columns {
    page: Column,
    change_rate: Column,
    weight: Option<Column>,
    host: Option<Column>,
}

pub(super) fn read(path: &Path, rows: &mut Rows) -> Result<()> {
    let name = path.display().to_string();
    let file = File::open(path).map_err(|error| opening(&name, error))?;
    let damaged = |error: ParquetError| {
        Mistake::file(
            &name,
            format_args!(
                "cannot be read as Parquet ({error}); write the file again, compressed with snappy, gzip, lz4 or zstd if at all"
            ),
        )
    };
    let reader = unless_it_panics(|| SerializedFileReader::new(file)).map_err(damaged)?;
    let metadata = reader.metadata();
    let columns = columns(metadata.file_metadata().schema_descr(), rows)?;
    let total = u64::try_from(metadata.file_metadata().num_rows()).unwrap_or_default();
    let progress = Progress::start(format!("reading {name}"), Count::Items(total));
    let mut first = 1;
    for group in 0..reader.num_row_groups() {
        let group = unless_it_panics(|| reader.get_row_group(group)).map_err(damaged)?;
        let mut batches = unless_it_panics(|| Batches::open(group.as_ref(), &columns)).map_err(damaged)?;
        loop {
            let batch = unless_it_panics(|| batches.next()).map_err(damaged)?;
            if batch.pages.is_empty() {
                break;
            }
            push(&batch, first, rows)?;
            first += batch.pages.len() as u64;
            progress.add(batch.pages.len() as u64);
        }
    }
    Ok(())
}

/// The decoder trusts what a file says of itself; a damaged one can make it panic.
fn unless_it_panics<T>(decode: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| ()));
    let result = panic::catch_unwind(AssertUnwindSafe(decode));
    panic::set_hook(hook);
    result.unwrap_or_else(|_| Err(ParquetError::General("its parts contradict each other".to_string())))
}

fn columns(schema: &SchemaDescriptor, rows: &Rows) -> Result<Columns, Mistake> {
    let names: Vec<String> = schema.columns().iter().map(|column| column.path().string()).collect();
    let find = |name: &str| -> Result<Option<Column>, Mistake> {
        let mut positions = (0..names.len()).filter(|&i| names[i].split('.').next() == Some(name));
        let Some(position) = positions.next() else {
            return near_miss(&names, name).map_or(Ok(None), |problem| Err(rows.source.mistake(problem)));
        };
        if positions.next().is_some() {
            return Err(rows.source.mistake(format_args!("column `{name}` is there twice or is nested; keep one")));
        }
        let column = schema.column(position);
        let is_text = matches!(name, "page" | "url" | "host");
        let nested = column.max_rep_level() > 0 || names[position] != name;
        if nested || !if is_text { holds_text(&column) } else { holds_numbers(&column) } {
            let wanted = if is_text { "STRING" } else { "DOUBLE, FLOAT, INT32 or INT64" };
            return Err(rows.source.mistake(format_args!("column `{name}` is of another type; write it as {wanted}")));
        }
        let unsigned = matches!(column.logical_type_ref(), Some(LogicalType::Integer(kind)) if !kind.is_signed)
            || matches!(column.converted_type(), ConvertedType::UINT_32 | ConvertedType::UINT_64);
        Ok(Some(Column { position, defined: column.max_def_level(), unsigned }))
    };
    let required = |name: &str| {
        let problem = || missing(&names, name).replace("; name the columns in the first line", "");
        find(name)?.ok_or_else(|| rows.source.mistake(problem()))
    };
    Ok(Columns {
        page: required(called(&names, "page"))?,
        change_rate: required(called(&names, "change_rate"))?,
        weight: if rows.wanted.weights { find("weight")? } else { None },
        host: if rows.wanted.hosts { Some(required("host")?) } else { None },
    })
}

fn holds_text(column: &ColumnDescriptor) -> bool {
    let text = matches!(column.logical_type_ref(), None | Some(LogicalType::String | LogicalType::Enum));
    text && column.physical_type() == PhysicalType::BYTE_ARRAY
}

/// Numbers, and not times or decimals in disguise.
fn holds_numbers(column: &ColumnDescriptor) -> bool {
    use ConvertedType as C;
    let plain = matches!(column.logical_type_ref(), None | Some(LogicalType::Integer(_)))
        && matches!(
            column.converted_type(),
            C::NONE | C::INT_8 | C::INT_16 | C::INT_32 | C::INT_64 | C::UINT_8 | C::UINT_16 | C::UINT_32 | C::UINT_64
        );
    use PhysicalType as P;
    plain && matches!(column.physical_type(), P::DOUBLE | P::FLOAT | P::INT32 | P::INT64)
}

/// Some rows, column by column; an absent column is empty.
struct Batch {
    pages: Vec<Option<ByteArray>>,
    change_rates: Vec<Option<f64>>,
    weights: Vec<Option<f64>>,
    hosts: Vec<Option<ByteArray>>,
}

/// The columns of a row group, read side by side.
struct Batches {
    page: (ColumnReader, Column),
    change_rate: (ColumnReader, Column),
    weight: Option<(ColumnReader, Column)>,
    host: Option<(ColumnReader, Column)>,
}

impl Batches {
    fn open(group: &dyn RowGroupReader, columns: &Columns) -> Result<Self, ParquetError> {
        let open = |column: Column| Ok::<_, ParquetError>((group.get_column_reader(column.position)?, column));
        Ok(Self {
            page: open(columns.page)?,
            change_rate: open(columns.change_rate)?,
            weight: columns.weight.map(open).transpose()?,
            host: columns.host.map(open).transpose()?,
        })
    }

    fn next(&mut self) -> Result<Batch, ParquetError> {
        Ok(Batch {
            pages: texts(&mut self.page)?,
            change_rates: numbers(&mut self.change_rate)?,
            weights: self.weight.as_mut().map_or(Ok(Vec::new()), numbers)?,
            hosts: self.host.as_mut().map_or(Ok(Vec::new()), texts)?,
        })
    }
}

fn texts((reader, column): &mut (ColumnReader, Column)) -> Result<Vec<Option<ByteArray>>, ParquetError> {
    match reader {
        ColumnReader::ByteArrayColumnReader(reader) => values(reader, *column, |text| text),
        _ => Err(ParquetError::General("columns page and host must be strings".to_string())),
    }
}

fn numbers((reader, column): &mut (ColumnReader, Column)) -> Result<Vec<Option<f64>>, ParquetError> {
    match reader {
        ColumnReader::DoubleColumnReader(reader) => values(reader, *column, |number| number),
        ColumnReader::FloatColumnReader(reader) => values(reader, *column, f64::from),
        ColumnReader::Int32ColumnReader(reader) => values(reader, *column, |number| match column.unsigned {
            true => f64::from(number.cast_unsigned()),
            false => f64::from(number),
        }),
        ColumnReader::Int64ColumnReader(reader) => values(reader, *column, |number| match column.unsigned {
            true => number.cast_unsigned() as f64,
            false => number as f64,
        }),
        _ => Err(ParquetError::General("columns change_rate and weight must be numbers".to_string())),
    }
}

/// The next values of a column, with the nulls put back in their places.
fn values<T: DataType, V>(
    reader: &mut ColumnReaderImpl<T>,
    column: Column,
    convert: impl Fn(T::T) -> V,
) -> Result<Vec<Option<V>>, ParquetError> {
    let (mut found, mut levels) = (Vec::with_capacity(BATCH), Vec::new());
    reader.read_records(BATCH, Some(&mut levels), None, &mut found)?;
    let mut found = found.into_iter().map(convert);
    if column.defined == 0 {
        return Ok(found.map(Some).collect());
    }
    Ok(levels.into_iter().map(|level| if level == column.defined { found.next() } else { None }).collect())
}

fn push(batch: &Batch, first: u64, rows: &mut Rows) -> Result<(), Mistake> {
    for (offset, page) in batch.pages.iter().enumerate() {
        let position = first + offset as u64;
        let wrong = |problem: &str| rows.source.mistake_at(position, problem);
        let change_rate = batch.change_rates.get(offset).copied().flatten();
        let row = Row {
            page: text(page.as_ref()).ok_or_else(|| wrong("page is not UTF-8; write it as a string"))?,
            change_rate: change_rate.ok_or_else(|| wrong("change_rate is null; give the changes per day"))?,
            weight: batch.weights.get(offset).copied().flatten().unwrap_or(1.0),
            host: match batch.hosts.get(offset) {
                Some(host) => {
                    Some(text(host.as_ref()).ok_or_else(|| wrong("host is not UTF-8; write it as a string"))?)
                }
                None => None,
            },
        };
        rows.push(position, &row)?;
    }
    Ok(())
}

/// A string, empty for null; `None` if it is not UTF-8.
fn text(bytes: Option<&ByteArray>) -> Option<&str> {
    match bytes {
        Some(bytes) => std::str::from_utf8(bytes.data()).ok().map(str::trim),
        None => Some(""),
    }
}
