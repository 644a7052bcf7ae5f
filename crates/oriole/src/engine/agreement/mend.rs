//! Making catalogue and search index agree.

use anyhow::{Context, Result};
use crawl::address::PageUrl;
use crawl::extract::{Extracted, Limits};
use index::Indexer;
use store::{Archive, Batch, Catalogue, DataFolder, Document, Page, PageChange, PageId, Values};

use super::Difference;
use crate::engine::copies::read_copy;

/// Pages put right in one batch.
const MANY: usize = 1_000;

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mended {
    /// Pages taken out of the index.
    pub(crate) removed: usize,
    /// Pages indexed again from their copies.
    pub(crate) indexed: usize,
    /// Pages without a copy, which are fetched again.
    pub(crate) fetched_again: usize,
}

impl Difference {
    /// Makes both agree: what the index has too much is taken out; what it lacks is indexed again from the archive or, where
    /// there is no copy, fetched again. `each` is called for each page that is done. If the process ends in between, they still
    /// differ.
    ///
    /// # Errors
    /// If one of them cannot be written.
    pub(crate) fn put_right(
        &self,
        folder: &mut DataFolder,
        indexer: &mut Indexer,
        next_batch: &mut u64,
        limits: &Limits,
        each: &mut dyn FnMut(),
    ) -> Result<Mended> {
        self.extra.iter().for_each(|page| indexer.remove(*page));
        let mut mended = Mended { removed: self.extra.len(), ..Mended::default() };
        for chunk in self.to_be_indexed().chunks(MANY) {
            let pages = index_again(folder, indexer, chunk, limits, each)?;
            let fetched_again = pages.iter().filter(|change| !change.values.indexed).count();
            mended.fetched_again += fetched_again;
            mended.indexed += chunk.len() - fetched_again;
            write(folder, Batch { pages, ..Batch::default() }, next_batch)?;
        }
        // The last batch says that both agree.
        indexer.commit(*next_batch)?;
        write(folder, Batch::default(), next_batch)?;
        Ok(mended)
    }
}

/// Writes a batch that brings nothing to archive and index.
///
/// # Errors
/// If the catalogue cannot be written.
pub(in crate::engine) fn write(folder: &mut DataFolder, mut batch: Batch, next_batch: &mut u64) -> Result<()> {
    batch.number = *next_batch;
    batch.archive = folder.archive.lengths();
    *next_batch += 1;
    folder.catalogue.apply(&batch).context("the catalogue cannot be written")
}

/// Puts pages into the index from their copies. Those that have none are to be fetched again. What changes in the catalogue is
/// returned.
fn index_again(
    folder: &DataFolder,
    indexer: &mut Indexer,
    pages: &[PageId],
    limits: &Limits,
    each: &mut dyn FnMut(),
) -> Result<Vec<PageChange>> {
    let mut changes = Vec::new();
    for page in pages {
        each();
        let Some(page) = folder.catalogue.page(*page)? else { continue };
        match current_copy(folder, &page, limits) {
            Some(copy) => {
                changes.extend((!page.values.indexed).then(|| shown(&page)));
                indexer.put(document(page, copy))?;
            }
            None => {
                indexer.remove(page.id);
                changes.push(unread(page));
            }
        }
    }
    Ok(changes)
}

/// The copy, if it is not older than what was indexed.
fn current_copy(folder: &DataFolder, page: &Page, limits: &Limits) -> Option<Extracted> {
    if page.values.archived_at < page.values.changed_at {
        return None;
    }
    read_copy(&folder.archive, page, limits).ok().flatten()
}

fn document(page: Page, copy: Extracted) -> Document {
    let Page { id, url, found_at, standing, values, .. } = page;
    let host = PageUrl::parse(&url).map(|url| url.authority().to_owned()).unwrap_or_default();
    Document {
        page: id,
        url,
        host,
        title: copy.title.unwrap_or_default(),
        description: copy.description.unwrap_or_default(),
        headings: copy.headings,
        text: copy.text,
        language: copy.language.map(|language| language.as_str().to_owned()),
        published: values.published,
        fetched_at: values.archived_at.unwrap_or(found_at),
        changed_at: values.changed_at.unwrap_or(found_at),
        links_in: standing.links_in,
        depth: standing.depth,
    }
}

/// A page that the index has from now on.
fn shown(page: &Page) -> PageChange {
    PageChange { page: page.id, visit: None, values: Values { indexed: true, ..page.values.clone() } }
}

/// A page as if it had not been read yet, so that it is visited soon, but with what is known of how often it changes.
fn unread(page: Page) -> PageChange {
    let mut values = page.values;
    (values.indexed, values.text_hash, values.simhash) = (false, None, None);
    (values.etag, values.last_modified, values.retry_at) = (None, None, None);
    values.sketch = Vec::new();
    PageChange { page: page.id, visit: None, values }
}
