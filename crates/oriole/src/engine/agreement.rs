//! Do catalogue and search index have the same pages?

mod anew;
mod mend;
mod pace;

#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use store::{Catalogue, CatalogueError, PageId, SqliteCatalogue, Timestamp};

pub(crate) use anew::{Aside, move_away_if_damaged, open_or_begin};
pub(crate) use mend::Mended;
pub(super) use mend::write;
pub(crate) use pace::Pace;

/// How the search index differs from what it should be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Difference {
    /// Pages it lacks.
    pub(crate) missing: Vec<PageId>,
    /// Pages of which it has another version.
    pub(crate) other: Vec<PageId>,
    /// Pages it should not have.
    pub(crate) extra: Vec<PageId>,
    /// Pages it has more than once.
    pub(crate) repeated: Vec<PageId>,
    /// Pages that were read when there was to be no index.
    pub(crate) left_out: Vec<PageId>,
}

/// The pages that the index must have, with the moment of their last change, if its last batch is `committed`. A batch that
/// was under way counts if the index has it.
pub(crate) fn expected(
    catalogue: &SqliteCatalogue,
    committed: Option<u64>,
) -> Result<HashMap<PageId, Timestamp>, CatalogueError> {
    let mut pages = HashMap::new();
    catalogue.indexed(&mut |page, at| _ = pages.insert(page, at))?;
    if let Some(batch) = catalogue.unfinished()?.filter(|batch| committed >= Some(batch.number)) {
        for change in batch.pages {
            if change.values.indexed {
                pages.insert(change.page, change.values.changed_at.unwrap_or_default());
            } else {
                pages.remove(&change.page);
            }
        }
    }
    Ok(pages)
}

impl Difference {
    /// What the index has beside what it should have.
    pub(crate) fn between(
        mut wanted: HashMap<PageId, Timestamp>,
        has: impl Iterator<Item = (PageId, Timestamp)>,
    ) -> Self {
        let mut difference = Self::default();
        let mut seen = HashSet::with_capacity(wanted.len());
        for (page, at) in has {
            if !seen.insert(page) {
                difference.repeated.push(page);
                continue;
            }
            match wanted.remove(&page) {
                None => difference.extra.push(page),
                Some(changed_at) if changed_at != at => difference.other.push(page),
                Some(_) => {}
            }
        }
        difference.missing.extend(wanted.into_keys());
        for pages in difference.lists() {
            pages.sort_unstable();
        }
        difference
    }

    fn lists(&mut self) -> [&mut Vec<PageId>; 5] {
        [&mut self.missing, &mut self.other, &mut self.extra, &mut self.repeated, &mut self.left_out]
    }

    /// What is also in another difference.
    pub(crate) fn lasting(mut self, now: &Self) -> Self {
        let mut now = now.clone();
        for (before, after) in self.lists().into_iter().zip(now.lists()) {
            before.retain(|page| after.binary_search(page).is_ok());
        }
        self
    }

    /// Whether nothing differs.
    pub(crate) fn is_empty(&self) -> bool {
        [&self.missing, &self.other, &self.extra, &self.repeated, &self.left_out].iter().all(|pages| pages.is_empty())
    }

    /// Pages whose entry must be made anew, each once.
    pub(crate) fn to_be_indexed(&self) -> Vec<PageId> {
        let wrong = [&self.missing, &self.other, &self.repeated, &self.left_out].into_iter().flatten().copied();
        let left_out: HashSet<PageId> = self.left_out.iter().copied().collect();
        let extra: HashSet<PageId> = self.extra.iter().copied().filter(|page| !left_out.contains(page)).collect();
        let mut pages: Vec<PageId> = wrong.filter(|page| !extra.contains(page)).collect();
        pages.sort_unstable();
        pages.dedup();
        pages
    }
}
