//! Goes on where the engine was when it last ran.

use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use crawl::address::PageUrl;
use crawl::examine::Examiner;
use crawl::fleet::{Record, State};
use crawl::scope::Scope;
use freshness::learn::Prior;
use index::Indexer;
use store::{Batch, Catalogue, DataFolder, IndexState, Timestamp};
use tokio::sync::mpsc::UnboundedSender;

use super::agreement::{Aside, Difference, Mended, Pace, expected, move_away_if_damaged, open_or_begin, write};
use crate::config::Config;
use crate::failure::{Mistake, opening_folder};
use crate::units::SECONDS_PER_DAY;

/// Notes in the catalogue: all seeds so far, the key of the hash of addresses, and since when pages are visited once.
const SEEDS: &str = "seeds";
const HASH_KEY: &str = "hash_key";
const PASS: &str = "pass_since";

/// An index of so many bytes is read in a few seconds.
const QUICKLY_READ: u64 = 2 << 30;

/// What the engine goes on with.
pub(super) struct Resumed {
    pub(super) folder: DataFolder,
    pub(super) indexer: Option<Indexer>,
    pub(super) next_batch: u64,
    seeds: Vec<PageUrl>,
    hash_key: u64,
    /// Since when every page is being visited once, if that is wanted.
    pass: Option<Timestamp>,
}

/// The pass in which every page is visited once is over.
pub(super) fn pass_over() -> Record {
    Record::Note(PASS.to_owned(), String::new())
}

/// Where the work comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// From seeds and what is known.
    Known,
    /// Whoever opens the folder brings it.
    Given,
}

/// Opens the data folder and puts right what an unhappy end has left.
///
/// # Errors
/// If it cannot be used, or there is nothing to crawl.
pub(super) fn open(config: &Config, work: Work) -> Result<Resumed> {
    if work == Work::Known && config.seeds.is_empty() && !config.data.exists() {
        return Err(nothing_to_crawl());
    }
    let opened = DataFolder::open_with(&config.data, config.archive.clone().unwrap_or_default());
    let mut folder = opened.map_err(opening_folder)?;
    let mut indexer = open_index(config, &folder)?;
    let recovery = folder.recover(indexer.as_ref().and_then(Indexer::committed))?;
    if !recovery.is_clean() {
        tracing::warn!("something had to be put right: {}", recovery.to_string().replace('\n', "; "));
    }
    let mut next_batch = recovery.next_batch;
    if let Some(indexer) = &mut indexer {
        agree(config, &mut folder, indexer, &mut next_batch, recovery.index)?;
    }
    if config.index.is_none() {
        indexer = None;
    }
    let (seeds, hash_key, pass) = notes(config, &mut folder, &mut next_batch)?;
    if work == Work::Known && is_idle(&seeds, &folder)? {
        return Err(nothing_to_crawl());
    }
    Ok(Resumed { folder, indexer, next_batch, seeds, hash_key, pass })
}

/// Sees to it that the search index has what it should have, also what was read when there was to be none.
fn agree(
    config: &Config,
    folder: &mut DataFolder,
    indexer: &mut Indexer,
    next_batch: &mut u64,
    state: IndexState,
) -> Result<()> {
    if config.index.is_none() && state == IndexState::Agrees {
        return Ok(());
    }
    let left_out = if config.index.is_some() { folder.catalogue.left_out()? } else { Vec::new() };
    let difference =
        Difference { left_out, ..Difference::between(expected(&folder.catalogue, None)?, indexer.pages()?) };
    if difference.is_empty() && state == IndexState::Agrees {
        return Ok(());
    }
    let pages = difference.to_be_indexed().len();
    tracing::warn!(pages, "the search index is being put right");
    let line = |done, pages| tracing::info!(done, pages, "indexing again");
    let mut pace = Pace::start(pages, config.log.format.is_some(), line);
    let mended = difference.put_right(folder, indexer, next_batch, &config.limits, &mut || pace.step())?;
    drop(pace);
    let Mended { removed, indexed, fetched_again } = mended;
    tracing::warn!(removed, indexed, fetched_again, "the search index is right again");
    Ok(())
}

fn is_idle(seeds: &[PageUrl], folder: &DataFolder) -> Result<bool> {
    let catalogue = &folder.catalogue;
    Ok(seeds.is_empty() && catalogue.counts()?.pages() == 0 && catalogue.inbox(0, 1)?.is_empty())
}

fn nothing_to_crawl() -> anyhow::Error {
    let problem = "there is nothing to crawl yet; name a site, as in `oriole run https://docs.example.org/`, or list seeds \
                   in the configuration";
    Mistake::usage(problem).into()
}

/// The index, if one is wanted or there is one that has a say in what was completed.
fn open_index(config: &Config, folder: &DataFolder) -> Result<Option<Indexer>> {
    let path = folder.index_path();
    if config.index.is_none() && !path.join("meta.json").exists() {
        return Ok(None);
    }
    let settings = config.index.clone().unwrap_or_default();
    let damaged = if is_quickly_read(&path) { move_away_if_damaged(&path)? } else { None };
    let (indexer, aside) = open_or_begin(&path, &settings)?;
    if let Some(Aside { reason, name }) = damaged.or(aside) {
        tracing::warn!("the search index cannot be read: {reason}; it is now in {name}, and another one is begun");
    }
    Ok(Some(indexer))
}

/// Whether all of the index can be read in a few seconds: then damage in the middle of a file is found before it does harm.
fn is_quickly_read(path: &Path) -> bool {
    let Ok(files) = std::fs::read_dir(path) else { return false };
    let lengths = files.filter_map(|file| Some(file.ok()?.metadata().ok()?.len()));
    lengths.sum::<u64>() <= QUICKLY_READ
}

/// Reads what is noted, and notes what is new.
fn notes(
    config: &Config,
    folder: &mut DataFolder,
    next_batch: &mut u64,
) -> Result<(Vec<PageUrl>, u64, Option<Timestamp>)> {
    let catalogue = &folder.catalogue;
    let mut seeds: Vec<PageUrl> = match catalogue.note(SEEDS)? {
        Some(text) => serde_json::from_str::<Vec<String>>(&text)
            .with_context(|| format!("the note `{SEEDS}` in the catalogue is damaged"))?
            .iter()
            .filter_map(|url| PageUrl::parse(url).ok())
            .collect(),
        None => Vec::new(),
    };
    let new = config.seeds.iter().filter(|seed| !seeds.contains(seed)).cloned().collect::<Vec<_>>();
    seeds.extend(new);
    let hash_key = match catalogue.note(HASH_KEY)? {
        Some(text) => text.parse().with_context(|| format!("the note `{HASH_KEY}` in the catalogue is damaged"))?,
        None => RandomState::new().hash_one("oriole"),
    };
    let pass = catalogue.note(PASS)?.and_then(|text| Timestamp::parse(&text));
    let pass = config.once.then(|| pass.unwrap_or_else(crawl::fleet::now));
    let texts: Vec<&str> = seeds.iter().map(PageUrl::as_str).collect();
    let mut notes =
        vec![(SEEDS.to_owned(), serde_json::to_string(&texts)?), (HASH_KEY.to_owned(), hash_key.to_string())];
    notes.push((PASS.to_owned(), pass.map_or(String::new(), |since| since.to_string())));
    write(folder, Batch { notes, ..Batch::default() }, next_batch)?;
    Ok((seeds, hash_key, pass))
}

impl Resumed {
    /// What the fleet knows, with the seeds taken up.
    ///
    /// # Errors
    /// If the catalogue cannot be read or a pattern not be understood.
    pub(super) fn state(&self, config: &Config, records: &UnboundedSender<Record>) -> Result<State> {
        let scope = Scope::new(&self.seeds, &config.scope).map_err(Mistake::usage)?;
        let examiner = Examiner {
            scope,
            limits: config.limits.clone(),
            most_bytes: config.fetch.most_bytes,
            seed: self.hash_key,
            least_change: config.least_change,
        };
        let catalogue = DataFolder::read(&config.data)?.catalogue;
        let prior = Prior::unknown(SECONDS_PER_DAY)?;
        let now = crawl::fleet::now();
        let mut state = State::restore(catalogue, Arc::new(examiner), config.fleet.clone(), prior, (now, self.pass))?;
        for record in state.seed(&self.seeds, now) {
            _ = records.send(record);
        }
        Ok(state)
    }
}
