//! Putting right what can be put right.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use crawl::extract::Limits;
use index::{IndexError, Indexer, Settings};
use store::DataFolder;

use super::super::reading::opening;
use super::report::{Outcome, Wrong};
use super::{check_names, existing};
use crate::config::Config;
use crate::engine::agreement::{Difference, expected};
use crate::progress::{Count, Progress, while_doing};

/// Makes everything in the folder agree, as far as that can be done.
pub(super) fn repair(path: &Path, config: &Config) -> Result<Outcome> {
    existing(path)?;
    let mut folder = DataFolder::open(path).map_err(opening)?;
    let mut outcome = Outcome::new(false);
    if !outcome.take(while_doing("checking the catalogue", || folder.check_catalogue(true))?) {
        return Ok(outcome);
    }
    let mut indexer = open_index(&folder, &mut outcome)?;
    let recovery = folder.recover(indexer.as_ref().and_then(Indexer::committed))?;
    if !recovery.is_clean() {
        outcome.notes.extend(recovery.to_string().lines().map(str::to_owned));
    }
    let report = while_doing("checking catalogue and archive", || folder.check(true))?;
    outcome.take(report);
    check_names(&folder.catalogue, &mut outcome)?;
    if let Some(indexer) = &mut indexer {
        let mut next_batch = recovery.next_batch;
        mend_index(&mut folder, indexer, &mut next_batch, &config.limits, &mut outcome)?;
    }
    Ok(outcome)
}

/// The search index; one that cannot be read is moved away, and another one begun.
fn open_index(folder: &DataFolder, outcome: &mut Outcome) -> Result<Option<Indexer>> {
    let path = folder.index_path();
    if !path.exists() && expected(&folder.catalogue, None)?.is_empty() {
        return Ok(None);
    }
    match Indexer::open(&path, &Settings::default()) {
        Ok(indexer) => Ok(Some(indexer)),
        Err(IndexError::Engine(error)) => {
            let aside = aside(&path);
            fs::rename(&path, &aside).with_context(|| format!("cannot move {} away", path.display()))?;
            let name = aside.file_name().unwrap_or_default().to_string_lossy().into_owned();
            outcome.add(Wrong::index(format!("the search index cannot be read ({error}); it is now in {name}"), true));
            Ok(Some(Indexer::open(&path, &Settings::default())?))
        }
        Err(error) => Err(error.into()),
    }
}

/// A name beside `path` that is free.
fn aside(path: &Path) -> std::path::PathBuf {
    let name = |number: u32| path.with_extension(format!("broken-{number}"));
    (1..).map(name).find(|path| !path.exists()).unwrap_or_else(|| name(0))
}

fn mend_index(
    folder: &mut DataFolder,
    indexer: &mut Indexer,
    next_batch: &mut u64,
    limits: &Limits,
    outcome: &mut Outcome,
) -> Result<()> {
    let wanted = expected(&folder.catalogue, indexer.committed())?;
    outcome.index_pages = Some(wanted.len() as u64);
    let has = indexer.pages()?;
    let difference = while_doing("comparing the search index", || Difference::between(wanted, has));
    if difference.is_empty() {
        return Ok(());
    }
    let pages = difference.missing.len() + difference.other.len() + difference.repeated.len();
    let progress = Progress::start("indexing again", Count::Items(pages as u64));
    let mended = difference.put_right(folder, indexer, next_batch, limits, &mut |pages| progress.add(pages as u64))?;
    outcome.differs(&difference, &folder.catalogue, true)?;
    let (indexed, fetched) = (mended.indexed, mended.fetched_again);
    outcome.notes.push(format!("indexed again from the archive: {indexed}; to be fetched again: {fetched}"));
    outcome.index_pages = outcome.index_pages.map(|pages| pages - fetched as u64);
    Ok(())
}
