//! Putting right what can be put right.

use std::path::Path;

use anyhow::Result;
use crawl::extract::Limits;
use index::{Indexer, Settings};
use store::DataFolder;

use super::super::reading::opening;
use super::report::{Outcome, Wrong};
use super::{check_names, existing};
use crate::config::Config;
use crate::engine::agreement::{Aside, Difference, Pace, expected, move_away_if_damaged, open_or_begin};
use crate::output::note;
use crate::progress::while_doing;

/// Makes everything in the folder agree, as far as that can be done.
pub(super) fn repair(path: &Path, config: &Config) -> Result<Outcome> {
    existing(path)?;
    let mut folder = DataFolder::open(path).map_err(opening)?;
    let mut outcome = Outcome::new(false);
    if !outcome.take(while_doing("checking the catalogue", || folder.check_catalogue(true))?) {
        return Ok(outcome);
    }
    let mut indexer = open_index(&folder, config.index.is_some(), &mut outcome)?;
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
fn open_index(folder: &DataFolder, is_wanted: bool, outcome: &mut Outcome) -> Result<Option<Indexer>> {
    let (path, catalogue) = (folder.index_path(), &folder.catalogue);
    let has_use = !expected(catalogue, None)?.is_empty() || (is_wanted && !catalogue.left_out()?.is_empty());
    if !path.exists() && !has_use {
        return Ok(None);
    }
    let damaged = while_doing("reading the search index", || move_away_if_damaged(&path))?;
    let (indexer, broken) = open_or_begin(&path, &Settings::default())?;
    for Aside { reason, name } in damaged.into_iter().chain(broken) {
        outcome.add(Wrong::index(format!("the search index cannot be read: {reason}; it is now in {name}"), true));
    }
    Ok(Some(indexer))
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
    let (has, left_out) = (indexer.pages()?, folder.catalogue.left_out()?);
    let between = || Difference { left_out, ..Difference::between(wanted, has) };
    let difference = while_doing("comparing the search index", between);
    if difference.is_empty() {
        return Ok(());
    }
    let pages = difference.to_be_indexed().len();
    let line = |done, pages| note(format_args!("indexing again: {done} of {pages} pages"));
    let mut pace = Pace::start(pages, false, line);
    let mended = difference.put_right(folder, indexer, next_batch, limits, &mut || pace.step())?;
    drop(pace);
    outcome.differs(&difference, &folder.catalogue, true)?;
    let (indexed, fetched) = (mended.indexed, mended.fetched_again);
    outcome.notes.push(format!("indexed again from the archive: {indexed}; to be fetched again: {fetched}"));
    outcome.index_pages = Some(expected(&folder.catalogue, None)?.len() as u64);
    Ok(())
}
