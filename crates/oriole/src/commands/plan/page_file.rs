//! The file of how often to visit each page. It has the columns of an input, so it can be read again as one.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};

use super::solution::Solution;
use crate::failure::Mistake;
use crate::output::OutputFile;
use crate::progress::{Count, Progress};

/// Formats of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Format {
    Csv,
    JsonLines,
    #[cfg(feature = "parquet")]
    Parquet,
}

/// The format that a file's name asks for.
pub(super) fn format_of(path: &Path) -> Result<Format, Mistake> {
    let extension = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("csv") => Ok(Format::Csv),
        Some("jsonl" | "ndjson") => Ok(Format::JsonLines),
        #[cfg(feature = "parquet")]
        Some("parquet") => Ok(Format::Parquet),
        _ => Err(Mistake::file(path.display().to_string(), "cannot tell the format; name it .csv, .jsonl or .parquet")),
    }
}

/// Writes the file.
pub(super) fn write(path: &Path, format: Format, solution: &Solution<'_>) -> Result<()> {
    let progress = Progress::start(format!("writing {}", path.display()), Count::Items(solution.pages.len() as u64));
    let mut file = OutputFile::create(path)?;
    let written = match format {
        Format::Csv => write_csv(&mut file, solution, &progress),
        Format::JsonLines => write_json_lines(&mut file, solution, &progress),
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::write(&mut file, solution, &progress),
    };
    written.with_context(|| format!("cannot write {}", path.display()))?;
    file.commit()
}

fn write_csv(file: &mut OutputFile, solution: &Solution<'_>, progress: &Progress) -> Result<()> {
    let mut writer = csv::Writer::from_writer(file);
    for row in solution.rows() {
        writer.serialize(row)?;
        progress.add(1);
    }
    writer.flush()?;
    Ok(())
}

fn write_json_lines(file: &mut OutputFile, solution: &Solution<'_>, progress: &Progress) -> Result<()> {
    for row in solution.rows() {
        serde_json::to_writer(&mut *file, &row)?;
        file.write_all(b"\n")?;
        progress.add(1);
    }
    Ok(())
}

#[cfg(feature = "parquet")]
mod parquet {
    use std::sync::Arc;

    use anyhow::Result;
    use parquet::basic::{Compression, ZstdLevel};
    use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
    use parquet::schema::parser::parse_message_type;

    use super::super::solution::{PageRow, Solution};
    use crate::output::OutputFile;
    use crate::progress::Progress;

    /// Rows per row group.
    const GROUP: usize = 1 << 17;

    pub(super) fn write(file: &mut OutputFile, solution: &Solution<'_>, progress: &Progress) -> Result<()> {
        let host = if solution.table.hosts.is_some() { "required binary host (UTF8);" } else { "" };
        let schema = format!(
            "message plan {{ required binary page (UTF8); {host} required double change_rate; required double weight; \
             required double frequency; required double visits_per_day; required double stale; }}"
        );
        let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default())).build();
        let schema = Arc::new(parse_message_type(&schema)?);
        let mut writer = SerializedFileWriter::new(file, schema, Arc::new(properties))?;
        let mut rows = solution.rows();
        loop {
            let group: Vec<PageRow<'_>> = rows.by_ref().take(GROUP).collect();
            if group.is_empty() {
                break;
            }
            let mut columns = writer.next_row_group()?;
            write_group(&mut columns, &group)?;
            columns.close()?;
            progress.add(group.len() as u64);
        }
        writer.close()?;
        Ok(())
    }

    fn write_group<W: std::io::Write + Send>(
        columns: &mut SerializedRowGroupWriter<'_, W>,
        rows: &[PageRow<'_>],
    ) -> Result<()> {
        let text = |text: &str| ByteArray::from(text.as_bytes().to_vec());
        column::<ByteArrayType, W>(columns, rows.iter().map(|row| text(row.page)))?;
        if rows.iter().any(|row| row.host.is_some()) {
            column::<ByteArrayType, W>(columns, rows.iter().map(|row| text(row.host.unwrap_or_default())))?;
        }
        column::<DoubleType, W>(columns, rows.iter().map(|row| row.change_rate))?;
        column::<DoubleType, W>(columns, rows.iter().map(|row| row.weight))?;
        column::<DoubleType, W>(columns, rows.iter().map(|row| row.frequency))?;
        column::<DoubleType, W>(columns, rows.iter().map(|row| row.visits_per_day))?;
        column::<DoubleType, W>(columns, rows.iter().map(|row| row.stale))
    }

    /// Writes the next column of the schema.
    fn column<T: DataType, W: std::io::Write + Send>(
        columns: &mut SerializedRowGroupWriter<'_, W>,
        values: impl Iterator<Item = T::T>,
    ) -> Result<()> {
        if let Some(mut writer) = columns.next_column()? {
            writer.typed::<T>().write_batch(&values.collect::<Vec<_>>(), None, None)?;
            writer.close()?;
        }
        Ok(())
    }
}
