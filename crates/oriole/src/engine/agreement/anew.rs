//! Making the search index anew.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use index::{IndexError, Indexer, SearchError, Settings};

use crate::engine::priority::giving_way;
use crate::failure::without_panic;

/// An index that cannot be read and was moved away.
#[derive(Debug)]
pub(crate) struct Aside {
    /// What is wrong with it.
    pub(crate) reason: String,
    /// The name of the folder it is in now.
    pub(crate) name: String,
}

/// Opens the search index. One that cannot be read is moved away and another one begun, which is empty.
///
/// # Errors
/// If it is in use, or the folder cannot be written.
pub(crate) fn open_or_begin(path: &Path, settings: &Settings) -> Result<(Indexer, Option<Aside>)> {
    fs::create_dir_all(path).with_context(|| format!("cannot make {}", path.display()))?;
    // The threads that merge are started here.
    match giving_way(|| Indexer::open(path, settings)) {
        Ok(indexer) => Ok((indexer, None)),
        Err(IndexError::Broken { reason, .. }) => {
            let aside = move_away(path, reason)?;
            Ok((giving_way(|| Indexer::open(path, settings))?, Some(aside)))
        }
        Err(error) => Err(error.into()),
    }
}

/// Moves the search index away if one of its bytes is not as it was written. Only who has the data folder for himself may.
///
/// # Errors
/// If the folder cannot be read or written.
pub(crate) fn move_away_if_damaged(path: &Path) -> Result<Option<Aside>> {
    match without_panic(|| index::verify(path)) {
        Some(Ok(()) | Err(SearchError::NoIndex(_))) => Ok(None),
        Some(Err(SearchError::Broken { reason, .. })) => move_away(path, reason).map(Some),
        Some(Err(error)) => Err(error.into()),
        None => move_away(path, "it makes no sense".to_owned()).map(Some),
    }
}

fn move_away(path: &Path, reason: String) -> Result<Aside> {
    let aside = free(path);
    fs::rename(path, &aside).with_context(|| format!("cannot move {} away", path.display()))?;
    let name = aside.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Aside { reason, name })
}

/// A name beside `path` that is free.
fn free(path: &Path) -> PathBuf {
    let name = |number: u32| path.with_extension(format!("broken-{number}"));
    (1..).map(name).find(|path| !path.exists()).unwrap_or_else(|| name(0))
}
