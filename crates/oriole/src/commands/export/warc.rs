//! Copies as one WARC file.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::Result;
use store::{Catalogue, Page, Position, Record};

use super::{Job, Unreadable};
use crate::output::warn;

/// Writes the last full copy of each page, or all records of its visits that are remembered.
pub(super) fn write(job: &mut Job<'_>, out: &mut impl Write) -> Result<()> {
    let info = [
        ("software", concat!("oriole/", env!("CARGO_PKG_VERSION"))),
        ("format", "WARC File Format 1.1"),
        ("conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"),
    ];
    out.write_all(Record::info(job.now, &info).encode().bytes())?;
    let mut unreadable = Unreadable::default();
    let mut copies = 0_u64;
    let (folder, progress, all) = (job.folder, &job.progress, job.arguments.all);
    job.pages.for_each(|page| {
        progress.add(1);
        let visits = if all { folder.catalogue.history(page.id)? } else { Vec::new() };
        for position in positions(&page, visits.iter().filter_map(|visit| visit.archive)) {
            let copied = folder.archive.copy(position).map_err(anyhow::Error::from);
            if let Some(bytes) = unreadable.note(&page.url, copied) {
                out.write_all(&bytes)?;
                copies += 1;
            }
        }
        Ok(())
    })?;
    unreadable.tell();
    if copies == 0 {
        warn(format_args!("none of these pages has a copy in the archive; was it switched off with --no-archive?"));
    }
    Ok(())
}

/// In the order in which they were written, so that what is referred to comes first.
fn positions(page: &Page, visits: impl Iterator<Item = Position>) -> BTreeSet<Position> {
    page.values.archive.into_iter().chain(visits).collect()
}
