//! The list of pages in the index.

use store::{PageId, Timestamp};
use tantivy::Searcher;

use crate::schema::column;

/// Every page with the moment of its last change.
pub(crate) fn all(searcher: &Searcher) -> tantivy::Result<impl Iterator<Item = (PageId, Timestamp)> + use<>> {
    let mut segments = Vec::new();
    for reader in searcher.segment_readers() {
        let columns = reader.fast_fields();
        let pages = columns.column_first_or_default::<u64>(column::PAGE)?;
        let changes = columns.column_first_or_default::<i64>(column::CHANGED_AT)?;
        segments.push((reader.clone(), pages, changes));
    }
    Ok(segments.into_iter().flat_map(|(reader, pages, changes)| {
        (0..reader.max_doc())
            .filter(move |&doc| !reader.is_deleted(doc))
            .map(move |doc| (PageId(pages.get_val(doc) as u32), Timestamp(changes.get_val(doc))))
    }))
}
