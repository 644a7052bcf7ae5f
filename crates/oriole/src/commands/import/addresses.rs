//! Addresses on their way to the engine.

use std::collections::HashSet;
use std::fmt::{Arguments, Display};
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

/// After so many addresses it is decided whether a file is a list of them.
const MANY: usize = 1_000_000;

/// Wrong addresses of a file that are told one by one.
const MOST_TOLD: usize = 5;

/// Takes addresses to the engine, each once, and only those that are not known.
pub(super) struct Addresses<'a> {
    folder: &'a DataFolder,
    /// Hashes of the addresses that are known or have been taken.
    seen: HashSet<u64>,
    waiting: Vec<PageUrl>,
    file: String,
    counts: Counts,
    /// What is wrong with the first wrong addresses of the file.
    wrong: Vec<String>,
    /// Addresses of the file have been given to the engine.
    is_begun: bool,
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
        Ok(Self {
            folder,
            seen,
            waiting: Vec::new(),
            file: String::new(),
            counts: Counts::default(),
            wrong: Vec::new(),
            is_begun: false,
        })
    }

    /// What follows is in this file.
    pub(super) fn begin(&mut self, file: &str) {
        (self.file, self.counts) = (file.to_owned(), Counts::default());
        self.wrong.clear();
        self.is_begun = false;
    }

    /// Takes an address, which stands at this place of the file.
    pub(super) fn take(&mut self, text: &str, place: Arguments<'_>) -> Result<()> {
        match parse_address(text) {
            Ok(url) => self.take_page(url)?,
            Err(error) => self.refuse(text, place, &error),
        }
        Ok(())
    }

    /// Takes the address of a page.
    pub(super) fn take_page(&mut self, url: PageUrl) -> Result<()> {
        if !self.seen.insert(url.key(0)) {
            self.counts.known += 1;
            return Ok(());
        }
        self.counts.taken += 1;
        self.waiting.push(url);
        if self.waiting.len() < MANY {
            return Ok(());
        }
        self.mostly_right()?;
        self.is_begun = true;
        self.post()
    }

    /// Counts what is no address.
    pub(super) fn refuse(&mut self, text: &str, place: Arguments<'_>, why: &dyn Display) {
        self.counts.wrong += 1;
        if self.wrong.len() < MOST_TOLD {
            self.wrong.push(format!("{place}: {} is not the address of a page: {why}", quoted(text)));
        }
    }

    fn post(&mut self) -> Result<()> {
        for chunk in self.waiting.chunks(CHUNK) {
            post::all(self.folder, Wish::Add, chunk)?;
        }
        self.waiting.clear();
        Ok(())
    }

    /// Fails if more is wrong in the file than right: then it is something else, and nothing of it is taken.
    pub(super) fn mostly_right(&self) -> Result<()> {
        let Counts { taken, known, wrong } = self.counts;
        if self.is_begun || wrong as usize <= taken + known {
            return Ok(());
        }
        let first = self.wrong.first().map(String::as_str).unwrap_or_default();
        let problem = format!("is no list of addresses, a sitemap or a WARC file; nothing was taken; {first}");
        Err(Mistake::file(self.file.as_str(), problem).into())
    }

    /// The file has been read: what is in it is given to the engine, and told.
    pub(super) fn end_of_file(&mut self) -> Result<()> {
        for wrong in &self.wrong {
            warn(format_args!("{}: {wrong}", self.file));
        }
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
