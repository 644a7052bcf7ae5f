//! Leaving commands for the engine, whether it is running or not.

use std::io::{BufRead, Write};

use anyhow::{Context, Result};
use crawl::address::PageUrl;
use store::{Catalogue, DataFolder, Wish};

use super::{address, pages};
use crate::failure::{Mistake, quoted};

/// Commands written at a time.
const CHUNK: usize = 50_000;

/// The addresses that were typed; `-` stands for those on standard input, one a line.
pub(crate) fn addresses(typed: &[String]) -> Result<Vec<PageUrl>> {
    let mut urls = Vec::new();
    for text in typed {
        if text == "-" {
            read_lines(&mut std::io::stdin().lock(), &mut urls)?;
        } else {
            urls.push(address(text)?);
        }
    }
    if urls.is_empty() {
        return Err(Mistake::usage("standard input has no addresses").into());
    }
    Ok(urls)
}

/// Blank lines and those that begin with # do not count.
fn read_lines(source: &mut impl BufRead, urls: &mut Vec<PageUrl>) -> Result<()> {
    for (number, line) in source.lines().enumerate() {
        let line = line.context("cannot read standard input")?;
        let text = line.trim();
        if !text.is_empty() && !text.starts_with('#') {
            let wrong = |error| {
                let problem = format!("{} is not the address of a page: {error}", quoted(text));
                Mistake::line("standard input", number as u64 + 1, problem)
            };
            urls.push(super::parse_address(text).map_err(wrong)?);
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
