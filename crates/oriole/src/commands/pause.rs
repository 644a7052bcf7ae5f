//! `oriole pause` and `oriole resume`: sites of which nothing is asked for a while.

use std::io::Write;

use anyhow::Result;
use crawl::address::PageUrl;
use crawl::fleet::{SITES_NOTE, SiteRules};
use store::{Catalogue, SqliteCatalogue, Wish};

use super::reading::{self, post};
use crate::cli::UrlsArgs;
use crate::failure::{Mistake, quoted};

/// Runs the command.
///
/// # Errors
/// A [`Mistake`] if an address is none or a site is not known; then nothing is changed. Otherwise if the data folder cannot be
/// written.
pub fn run(arguments: &UrlsArgs, wish: Wish) -> Result<()> {
    let folder = reading::open(&arguments.engine)?;
    let urls = post::addresses(&arguments.urls)?;
    if let Some(unknown) = unknown(&folder.catalogue, &urls)? {
        let problem = format!("the site {} is not known, so nothing was changed", quoted(unknown.origin()));
        return Err(Mistake::usage(problem).into());
    }
    post::all(&folder, wish, &urls)?;
    let sites = if urls.len() == 1 { "1 site".to_owned() } else { format!("{} sites", urls.len()) };
    let what = if wish == Wish::Pause { "to be paused" } else { "to be gone on with" };
    Ok(writeln!(anstream::stdout().lock(), "{sites} {what} {}", post::when(&folder))?)
}

/// The first of these addresses of whose site nothing is known.
fn unknown<'a>(catalogue: &SqliteCatalogue, urls: &'a [PageUrl]) -> Result<Option<&'a PageUrl>> {
    let hosts = catalogue.hosts()?;
    let rules = SiteRules::read(catalogue.note(SITES_NOTE)?.as_deref());
    let is_known = |name: &str| hosts.iter().any(|host| host.name == name) || rules.sites.contains_key(name);
    Ok(urls.iter().find(|url| !is_known(url.origin())))
}
