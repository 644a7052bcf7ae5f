//! Do catalogue and search index have the same pages?

use std::collections::HashMap;

use anyhow::{Context, Result};
use index::Indexer;
use store::{Archive, Batch, Catalogue, CatalogueError, DataFolder, PageChange, PageId, Timestamp};

/// Pages put right in one batch.
const MANY: usize = 10_000;

/// Where catalogue and index differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Difference {
    /// Pages that the index has and the catalogue does not count on.
    pub(crate) surplus: Vec<PageId>,
    /// Pages that the catalogue counts on and the index does not have, or not as they were last read.
    pub(crate) missing: Vec<PageId>,
}

impl Difference {
    /// Compares the pages of the index, each with the moment of its last change, with the catalogue.
    ///
    /// # Errors
    /// If the catalogue cannot be read.
    pub(crate) fn between(
        catalogue: &dyn Catalogue,
        index: impl Iterator<Item = (PageId, Timestamp)>,
    ) -> Result<Self, CatalogueError> {
        let mut surplus: HashMap<PageId, Timestamp> = index.collect();
        let mut missing = Vec::new();
        catalogue.indexed(&mut |page, changed_at| {
            if surplus.remove(&page) != Some(changed_at) {
                missing.push(page);
            }
        })?;
        let mut surplus: Vec<PageId> = surplus.into_keys().collect();
        surplus.sort();
        Ok(Self { surplus, missing })
    }

    /// Both have the same.
    pub(crate) fn is_none(&self) -> bool {
        self.surplus.is_empty() && self.missing.is_empty()
    }

    /// Makes both agree: what the index has too much is taken out, what it lacks is to be fetched again.
    ///
    /// # Errors
    /// If one of them cannot be written.
    pub(crate) fn put_right(&self, folder: &mut DataFolder, indexer: &mut Indexer, next_batch: &mut u64) -> Result<()> {
        self.surplus.iter().chain(&self.missing).for_each(|page| indexer.remove(*page));
        for pages in self.missing.chunks(MANY) {
            let changes = pages.iter().map(|page| unread(folder, *page)).collect::<Result<Vec<_>>>()?;
            let pages = changes.into_iter().flatten().collect();
            write(folder, Batch { pages, ..Batch::default() }, next_batch)?;
        }
        // The last batch says that both agree.
        indexer.commit(*next_batch)?;
        write(folder, Batch::default(), next_batch)
    }
}

/// Writes a batch that brings nothing to archive and index.
///
/// # Errors
/// If the catalogue cannot be written.
pub(super) fn write(folder: &mut DataFolder, mut batch: Batch, next_batch: &mut u64) -> Result<()> {
    batch.number = *next_batch;
    batch.archive = folder.archive.lengths();
    *next_batch += 1;
    folder.catalogue.apply(&batch).context("the catalogue cannot be written")
}

/// A page as if it had not been read yet, but with what is known of how often it changes.
fn unread(folder: &DataFolder, page: PageId) -> Result<Option<PageChange>> {
    let known = folder.catalogue.page(page)?;
    Ok(known.map(|known| {
        let mut values = known.values;
        (values.indexed, values.text_hash, values.simhash) = (false, None, None);
        (values.etag, values.last_modified, values.retry_at) = (None, None, None);
        values.sketch = Vec::new();
        PageChange { page, visit: None, values }
    }))
}
