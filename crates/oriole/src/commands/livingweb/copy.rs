//! What a data folder has of the living web.

use std::path::Path;

use anyhow::Result;
use livingweb::{CopyReport, Handle};
use store::{Catalogue, DataFolder, State};

use crate::failure::opening_folder;

/// How much of the copy in a data folder is out of date: the stored `ETag` tells the version.
pub(super) fn judge(living: &Handle, data: &Path) -> Result<CopyReport> {
    let folder = DataFolder::read(data).map_err(opening_folder)?;
    let mut copies = Vec::new();
    folder.catalogue.load(&mut |page| {
        // A page that could not be read lately is still there as it was.
        let has_copy = matches!(page.values.state, State::Fetched | State::Duplicate | State::Failed);
        if let Some(etag) = page.values.etag.filter(|_| has_copy) {
            copies.push((page.url, etag));
        }
    })?;
    Ok(living.judge(copies.iter().map(|(url, etag)| (url.as_str(), etag.as_str()))))
}
