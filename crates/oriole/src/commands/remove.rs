//! `oriole remove`: pages that the engine forgets and does not visit again.

use std::collections::HashSet;

use anyhow::Result;
use crawl::address::PageUrl;
use store::{Catalogue, SqliteCatalogue, Wish};

use super::reading::{self, post};
use crate::cli::UrlsArgs;
use crate::failure::{Mistake, quoted};

/// So many addresses are looked up one by one; for more all pages are gone through once.
const FEW: usize = 4;

/// Runs the command.
///
/// # Errors
/// A [`Mistake`] if an address is none or a page is not known; then nothing is removed. Otherwise if the data folder cannot
/// be written.
pub fn run(arguments: &UrlsArgs) -> Result<()> {
    let folder = reading::open(&arguments.engine)?;
    let urls = post::addresses(&arguments.urls, &post::sites(&folder.catalogue)?)?;
    if let Some(unknown) = unknown(&folder.catalogue, &urls)? {
        let problem = format!("the page {} is not known, so nothing was removed", quoted(unknown.as_str()));
        return Err(Mistake::usage(problem).into());
    }
    post::all(&folder, Wish::Remove, &urls)?;
    post::tell(&folder, urls.len(), "to be removed")
}

/// The first of these pages that neither the catalogue knows nor the inbox.
fn unknown<'a>(catalogue: &SqliteCatalogue, urls: &'a [PageUrl]) -> Result<Option<&'a PageUrl>> {
    let mut missing: HashSet<&str> = urls.iter().map(PageUrl::as_str).collect();
    if missing.len() <= FEW {
        for url in missing.clone() {
            if catalogue.find(url)?.is_some() {
                missing.remove(url);
            }
        }
    } else {
        catalogue.each_url(&mut |url| _ = missing.remove(url))?;
    }
    if !missing.is_empty() {
        let added = catalogue.inbox(0, u32::MAX)?;
        added.iter().filter(|command| command.wish == Wish::Add).for_each(|command| _ = missing.remove(&*command.url));
    }
    Ok(urls.iter().find(|url| missing.contains(url.as_str())))
}
