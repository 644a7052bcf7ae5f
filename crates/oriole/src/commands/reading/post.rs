//! Leaving commands for the engine, whether it is running or not.

use std::collections::BTreeSet;
use std::io::{BufRead, Write};

use anyhow::{Context, Result};
use crawl::address::PageUrl;
use crawl::fleet::{SITES_NOTE, SiteRules};
use store::{Catalogue, DataFolder, SqliteCatalogue, Wish};

use super::{address, pages};
use crate::failure::{Mistake, quoted};

/// Commands written at a time.
const CHUNK: usize = 50_000;

/// The sites of which something is known.
pub(crate) fn sites(catalogue: &SqliteCatalogue) -> Result<BTreeSet<String>> {
    let rules = SiteRules::read(catalogue.note(SITES_NOTE)?.as_deref());
    let hosts = catalogue.hosts()?.into_iter().map(|host| host.name);
    Ok(hosts.chain(rules.sites.into_keys()).collect())
}

/// The addresses that were typed; `-` stands for those on standard input, one a line. Where no scheme was typed it is that of a
/// site that is known.
pub(crate) fn addresses(typed: &[String], sites: &BTreeSet<String>) -> Result<Vec<PageUrl>> {
    let mut urls = Vec::new();
    for text in typed {
        if text == "-" {
            read_lines(&mut std::io::stdin().lock(), sites, &mut urls)?;
        } else {
            urls.push(of_known_site(text, address(text)?, sites));
        }
    }
    if urls.is_empty() {
        return Err(Mistake::usage("standard input has no addresses").into());
    }
    Ok(urls)
}

/// The same address with `http` if no scheme was typed and the site is known by that alone.
fn of_known_site(typed: &str, url: PageUrl, sites: &BTreeSet<String>) -> PageUrl {
    if typed.contains("://") || sites.contains(url.origin()) {
        return url;
    }
    let plain = url.as_str().strip_prefix("https://").and_then(|rest| PageUrl::parse(&format!("http://{rest}")).ok());
    plain.filter(|plain| sites.contains(plain.origin())).unwrap_or(url)
}

/// Blank lines and those that begin with # do not count.
fn read_lines(source: &mut impl BufRead, sites: &BTreeSet<String>, urls: &mut Vec<PageUrl>) -> Result<()> {
    for (number, line) in source.lines().enumerate() {
        let line = line.context("cannot read standard input")?;
        let text = line.trim();
        if !text.is_empty() && !text.starts_with('#') {
            let wrong = |error| {
                let problem = format!("{} is not the address of a page: {error}", quoted(text));
                Mistake::line("standard input", number as u64 + 1, problem)
            };
            urls.push(of_known_site(text, super::parse_address(text).map_err(wrong)?, sites));
        }
    }
    Ok(())
}

/// Leaves the same command for all of these pages.
pub(crate) fn all(folder: &DataFolder, wish: Wish, urls: &[PageUrl]) -> Result<()> {
    let now = super::now();
    for chunk in urls.chunks(CHUNK) {
        let texts: Vec<&str> = chunk.iter().map(PageUrl::as_str).collect();
        folder.catalogue.post(now, wish, &texts).context("cannot leave a message for the engine")?;
    }
    Ok(())
}

/// Says what will become of it.
pub(crate) fn tell(folder: &DataFolder, count: usize, what: &str) -> Result<()> {
    Ok(writeln!(anstream::stdout().lock(), "{} {what} {}", pages(count), when(folder))?)
}

/// When the engine carries out commands.
pub(crate) fn when(folder: &DataFolder) -> &'static str {
    if DataFolder::is_in_use(folder.path()) { "now" } else { "when the engine next runs" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_scheme_an_address_is_that_of_a_known_site() {
        let sites = ["http://localhost:8080", "http://a.example", "https://a.example"].map(str::to_owned).into();
        let typed = ["localhost:8080/x", "https://localhost:8080/x", "a.example/y", "b.example:81", "127.0.0.1:8080/z"];
        let urls = addresses(&typed.map(str::to_owned), &sites).unwrap();
        let expected = [
            "http://localhost:8080/x",
            "https://localhost:8080/x",
            "https://a.example/y",
            "https://b.example:81/",
            "https://127.0.0.1:8080/z",
        ];
        assert_eq!(urls.iter().map(PageUrl::as_str).collect::<Vec<_>>(), expected);
        assert!(addresses(&["mailto:a@b.example".to_owned()], &sites).is_err());
    }
}
