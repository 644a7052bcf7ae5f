//! Addresses on their way to the engine.

use std::collections::HashSet;
use std::fmt::Arguments;
use std::io::Write;

use anyhow::Result;
use crawl::address::PageUrl;
use store::{Catalogue, DataFolder, Wish};

use super::super::reading::{pages, parse_address, post};
use crate::failure::{Mistake, quoted};
use crate::output::number::grouped;
use crate::output::warn;
use crate::progress::while_doing;

/// Addresses that are given to the engine at a time.
const CHUNK: usize = 50_000;

/// Wrong addresses of a file that are told one by one.
const MOST_TOLD: u64 = 5;

/// Takes addresses to the engine, each once, and only those that are not known.
pub(super) struct Addresses<'a> {
    folder: &'a DataFolder,
    /// Hashes of the addresses that are known or have been taken.
    seen: HashSet<u64>,
    waiting: Vec<PageUrl>,
    file: String,
    counts: Counts,
}

/// What became of the addresses of a file.
#[derive(Default)]
struct Counts {
    taken: usize,
    known: usize,
    wrong: u64,
}

impl<'a> Addresses<'a> {
    /// Knows the pages of the catalogue.
    pub(super) fn new(folder: &'a DataFolder) -> Result<Self> {
        let mut seen = HashSet::new();
        let key = |url: &str| PageUrl::parse(url).map(|url| url.key(0)).ok();
        while_doing("looking at the pages known", || folder.catalogue.each_url(&mut |url| seen.extend(key(url))))?;
        Ok(Self { folder, seen, waiting: Vec::new(), file: String::new(), counts: Counts::default() })
    }

    /// What follows is in this file.
    pub(super) fn begin(&mut self, file: &str) {
        (self.file, self.counts) = (file.to_owned(), Counts::default());
    }

    /// Takes an address, which stands at this place of the file.
    pub(super) fn take(&mut self, text: &str, place: Arguments<'_>) -> Result<()> {
        let url = match parse_address(text) {
            Ok(url) => url,
            Err(error) => {
                self.counts.wrong += 1;
                if self.counts.wrong <= MOST_TOLD {
                    warn(format_args!(
                        "{}: {place}: {} is not the address of a page: {error}",
                        self.file,
                        quoted(text)
                    ));
                }
                return Ok(());
            }
        };
        if !self.seen.insert(url.key(0)) {
            self.counts.known += 1;
            return Ok(());
        }
        self.counts.taken += 1;
        self.waiting.push(url);
        if self.waiting.len() == CHUNK { self.post() } else { Ok(()) }
    }

    fn post(&mut self) -> Result<()> {
        post::all(self.folder, Wish::Add, &self.waiting)?;
        self.waiting.clear();
        Ok(())
    }

    /// Fails if nothing in the file was an address.
    pub(super) fn some_or(&self, file: &str) -> Result<()> {
        let Counts { taken, known, wrong } = self.counts;
        if taken + known == 0 && wrong > 0 {
            let problem = "has no addresses; give a list with one address a line, a sitemap, or a WARC file";
            return Err(Mistake::file(file, problem).into());
        }
        Ok(())
    }

    /// The file has been read: what is in it is given to the engine, and told.
    pub(super) fn end_of_file(&mut self) -> Result<()> {
        self.post()?;
        let Counts { taken, known, wrong } = self.counts;
        let when = post::when(self.folder);
        let mut text = format!("{}: {} to be visited {when}", self.file, pages(taken));
        if known > 0 {
            text.push_str(&format!(", {} known already or repeated", grouped(known)));
        }
        if wrong > 0 {
            text.push_str(&format!(", {} not addresses of pages", grouped(wrong as usize)));
        }
        Ok(writeln!(anstream::stdout().lock(), "{text}")?)
    }
}
