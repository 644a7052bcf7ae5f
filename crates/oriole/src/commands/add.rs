//! `oriole add`: pages that the engine takes up, or visits soon.

use anyhow::Result;
use store::Wish;

use super::reading::{self, post};
use crate::cli::UrlsArgs;

/// Runs the command.
///
/// # Errors
/// A [`Mistake`](crate::failure::Mistake) if an address is none; then nothing is added. Otherwise if the data folder cannot
/// be written.
pub fn run(arguments: &UrlsArgs) -> Result<()> {
    let folder = reading::open(&arguments.engine)?;
    let urls = post::addresses(&arguments.urls, &post::sites(&folder.catalogue)?)?;
    post::all(&folder, Wish::Add, &urls)?;
    post::tell(&folder, urls.len(), "to be visited")
}
