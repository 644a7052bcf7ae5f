//! Searching.

use std::collections::HashMap;
use std::num::NonZero;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::thread;
use std::time::Instant;

use store::{PageId, Timestamp};
use tantivy::collector::Collector as _;
use tantivy::query::EnableScoring;
use tantivy::query::Query as _;
use tantivy::{DocId, Executor, Index, IndexReader, TantivyError};

use crate::analysis::Language;
use crate::answer::{Answer, Count, Request};
use crate::bm25f::Statistics;
use crate::collect::{Best, Candidate, Found};
use crate::entry::cut;
use crate::plan::{Ground, Plan, Word, can_relax, plan};
use crate::query::{LONGEST_QUERY, Note, Query};
use crate::rank::Ranking;
use crate::readable::Readable;
use crate::schema::{self, Fields, column};
use crate::sound::{self, Depth};
use crate::{complete, pages, proximity, suggest};

mod hits;
#[cfg(test)]
mod tests;

/// `offset + limit` is at most this.
pub const DEEPEST: usize = 10_000;
/// So many of the best hits are looked at for words close together.
const LOOKED_AT: usize = 100;
/// Documents from which on the segments are searched by several threads.
const LONG: u64 = 50_000;
const MOST_THREADS: usize = 8;
/// Documents of a segment that are not shared among threads.
const LEAST_PIECE: DocId = 4_096;
/// With fewer hits, a misspelling is looked for.
const FEW: u64 = 5;
/// Stemmers tried for the words of a query: those of the commonest languages.
const MOST_LANGUAGES: usize = 8;
const MOST_COUNTS: usize = 20;

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// There is no index yet.
    #[error(
        "there is no search index in {0}; crawl some pages first, or make one of the pages in the archive with `oriole check --repair`"
    )]
    NoIndex(PathBuf),
    /// It is damaged, or made by another version of the program.
    #[error(
        "the search index in {folder} cannot be read: {reason}; `oriole check --repair` makes it anew from the archive"
    )]
    Broken {
        /// The folder of the index.
        folder: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The folder cannot be read.
    #[error("the search index in {folder} cannot be read: {error}")]
    Folder {
        /// The folder of the index.
        folder: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// Too far down the list.
    #[error("only the best {DEEPEST} hits can be listed: ask for a smaller offset, or narrow the query")]
    TooDeep,
    /// Anything else that went wrong inside the index.
    #[error("the search failed: {0}")]
    Engine(#[from] TantivyError),
}

impl SearchError {
    pub(crate) fn opening(folder: &Path, error: TantivyError) -> Self {
        match sound::reason(&error) {
            Some(reason) => Self::Broken { folder: folder.to_owned(), reason },
            None => error.into(),
        }
    }
}

/// The index in a folder, if there is one of this program.
pub(crate) fn open_index(folder: &Path) -> Result<Index, SearchError> {
    let failed = |error| SearchError::Folder { folder: folder.to_owned(), error };
    let broken = |reason| SearchError::Broken { folder: folder.to_owned(), reason };
    match schema::find(folder).map_err(failed)? {
        schema::Found::Other(found) => return Err(broken(sound::other_format(&found))),
        schema::Found::Ours if folder.join("meta.json").exists() => {}
        schema::Found::Nothing | schema::Found::Ours => return Err(SearchError::NoIndex(folder.to_owned())),
    }
    let files = Readable::open(folder).map_err(TantivyError::from)?;
    let index = Index::open(files).map_err(|error| SearchError::opening(folder, error))?;
    if index.schema() != schema::build().0 {
        return Err(broken("it has other fields".to_owned()));
    }
    Ok(index)
}

/// Searches an index, beside the process that writes it. Cheap to share between threads.
pub struct Searcher {
    reader: IndexReader,
    fields: Fields,
    ranking: Ranking,
    snapshot: RwLock<Arc<Snapshot>>,
    /// Threads that share long searches, once there has been one.
    threads: OnceLock<Executor>,
}

/// The index as of one commit.
struct Snapshot {
    searcher: tantivy::Searcher,
    statistics: Statistics,
    languages: Vec<Language>,
}

impl Searcher {
    /// Opens the index in a folder. It shows the last commit until [`reload`](Self::reload) is called.
    pub fn open(folder: &Path) -> Result<Self, SearchError> {
        let index = open_index(folder)?;
        let reader = sound::reader(&index, folder, Depth::Ends).map_err(|error| SearchError::opening(folder, error))?;
        let (_, fields) = schema::build();
        let ranking = Ranking::default();
        let snapshot = RwLock::new(Arc::new(Snapshot::take(&reader, &fields, &ranking)?));
        Ok(Self { reader, fields, ranking, snapshot, threads: OnceLock::new() })
    }

    /// Ranks hits otherwise.
    pub fn with_ranking(mut self, ranking: Ranking) -> Result<Self, SearchError> {
        self.ranking = ranking;
        self.retake()?;
        Ok(self)
    }

    /// Shows the newest commit from now on.
    pub fn reload(&self) -> Result<(), SearchError> {
        self.reader.reload()?;
        self.retake()
    }

    fn retake(&self) -> Result<(), SearchError> {
        let snapshot = Arc::new(Snapshot::take(&self.reader, &self.fields, &self.ranking)?);
        *self.snapshot.write().unwrap_or_else(PoisonError::into_inner) = snapshot;
        Ok(())
    }

    fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Pages in the index.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.snapshot().searcher.num_docs()
    }

    /// Is there no page in the index?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The batch of the last commit; none if there never was one. It may be later than what is shown.
    pub fn committed(&self) -> Result<Option<u64>, SearchError> {
        let metas = self.snapshot().searcher.index().load_metas()?;
        Ok(metas.payload.and_then(|payload| payload.parse().ok()))
    }

    /// Every page with the moment of its last change, in no order.
    pub fn pages(&self) -> Result<impl Iterator<Item = (PageId, Timestamp)> + use<>, SearchError> {
        Ok(pages::all(&self.snapshot().searcher)?)
    }

    /// What is being typed with its last word completed in at most so many ways, the commonest words first.
    pub fn complete(&self, text: &str, most: usize) -> Result<Vec<String>, SearchError> {
        let text = cut(text, LONGEST_QUERY);
        Ok(complete::complete(&self.snapshot().searcher, &self.fields, text, most)?)
    }

    /// Answers a request.
    pub fn search(&self, request: &Request) -> Result<Answer, SearchError> {
        let start = Instant::now();
        let deepest = request.offset.checked_add(request.limit).filter(|deepest| *deepest <= DEEPEST);
        let deepest = deepest.ok_or(SearchError::TooDeep)?;
        let snapshot = self.snapshot();
        let (query, mut notes) = Query::parse(&request.query);
        let most = if request.per_host.is_some() { DEEPEST } else { deepest.max(LOOKED_AT) };
        let run = self.run(&snapshot, &query, most, request.now, &mut notes)?;
        let did_you_mean = self.did_you_mean(&snapshot, &query, run.with_all)?;
        let hits = self.hits(&snapshot, &run, request)?;
        Ok(Answer {
            query: query.to_string(),
            notes,
            total: run.found.total,
            hits,
            hosts: commonest(run.found.hosts),
            languages: commonest(run.found.languages),
            did_you_mean,
            offset: request.offset,
            limit: request.limit,
            took: start.elapsed(),
        })
    }

    /// Finds pages with all words, or else with most of them.
    fn run(
        &self,
        snapshot: &Snapshot,
        query: &Query,
        most: usize,
        now: Timestamp,
        notes: &mut Vec<Note>,
    ) -> Result<Run, SearchError> {
        let ground = self.ground(snapshot);
        let mut planned = plan(ground, query, false)?;
        let mut found = self.collect(snapshot, &planned, most, now)?;
        notes.append(&mut planned.notes);
        let with_all = found.total;
        if with_all == 0 && can_relax(&planned, query) {
            let relaxed = plan(ground, query, true)?;
            let some = self.collect(snapshot, &relaxed, most, now)?;
            if some.total > 0 {
                (planned, found) = (relaxed, some);
                notes.push(Note::MostWords);
            }
        }
        let mut run = Run { found, with_all, words: planned.words, closeness: HashMap::new() };
        self.prefer_close(snapshot, &mut run)?;
        Ok(run)
    }

    fn ground<'a>(&'a self, snapshot: &'a Snapshot) -> Ground<'a> {
        Ground {
            searcher: &snapshot.searcher,
            fields: &self.fields,
            statistics: &snapshot.statistics,
            languages: &snapshot.languages,
            saturation: self.ranking.saturation,
        }
    }

    fn collect(&self, snapshot: &Snapshot, plan: &Plan, most: usize, now: Timestamp) -> Result<Found, SearchError> {
        let base = if plan.words.is_empty() { 1.0 } else { 0.0 };
        let best = Best { most, ranking: self.ranking, now, base, reached: Arc::default() };
        if plan.work < LONG {
            return Ok(snapshot.searcher.search(&plan.query, &best)?);
        }
        self.share(snapshot, plan, &best, LEAST_PIECE)
    }

    /// Shares the work among threads.
    fn share(&self, snapshot: &Snapshot, plan: &Plan, best: &Best, least: DocId) -> Result<Found, SearchError> {
        let searcher = &snapshot.searcher;
        let weight = plan.query.weight(EnableScoring::enabled_from_searcher(searcher))?;
        let segments = searcher.segment_readers();
        let pieces = (0..).zip(segments).flat_map(|(segment, reader)| {
            pieces(reader.max_doc(), processors() as u32, least).map(move |piece| (segment, reader, piece))
        });
        let piece = |(segment, reader, piece)| best.of_piece(&*weight, (segment, reader), piece);
        Ok(best.merge_fruits(self.threads.get_or_init(threads).map(piece, pieces)?)?)
    }

    /// Moves hits up whose words stand together. Scores only rise, and only those of the best, so the order of the rest stays right.
    fn prefer_close(&self, snapshot: &Snapshot, run: &mut Run) -> Result<(), SearchError> {
        let looked_at = run.found.best.len().min(LOOKED_AT);
        let best = &mut run.found.best[..looked_at];
        let closeness = proximity::closeness(&snapshot.searcher, &run.words, best)?;
        for (candidate, closeness) in best.iter_mut().zip(closeness) {
            candidate.score *= 1.0 + self.ranking.proximity.max(0.0) * closeness;
            run.closeness.insert(candidate.page, closeness);
        }
        best.sort_unstable_by(|a, b| b.cmp(a));
        Ok(())
    }

    fn did_you_mean(&self, snapshot: &Snapshot, query: &Query, total: u64) -> Result<Option<String>, SearchError> {
        if total >= FEW {
            return Ok(None);
        }
        let Some(better) = suggest::suggest(&snapshot.searcher, &self.fields, query)? else { return Ok(None) };
        let planned = plan(self.ground(snapshot), &better, false)?;
        let count = planned.query.count(&snapshot.searcher)? as u64;
        Ok((count > total).then(|| better.to_string()))
    }
}

/// Processors, up to a few.
fn processors() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS)
}

/// The documents of a segment in pieces, so that no thread has much to do alone.
fn pieces(documents: DocId, most: u32, least: DocId) -> impl Iterator<Item = Range<DocId>> {
    let length = documents.div_ceil(most.max(1)).max(least);
    (0..documents.div_ceil(length)).map(move |number| number * length..documents.min((number + 1) * length))
}

/// One thread for each processor.
fn threads() -> Executor {
    match processors() {
        1 => Executor::single_thread(),
        // If there are no threads, the one that asks does it alone.
        count => Executor::multi_thread(count, "search-").unwrap_or_else(|_| Executor::single_thread()),
    }
}

/// What a query found, and by which words.
struct Run {
    found: Found,
    /// Pages with all words.
    with_all: u64,
    words: Vec<Word>,
    closeness: HashMap<u64, f32>,
}

impl Run {
    fn best(&self) -> &[Candidate] {
        &self.found.best
    }
}

impl Snapshot {
    fn take(reader: &IndexReader, fields: &Fields, ranking: &Ranking) -> Result<Self, TantivyError> {
        let searcher = reader.searcher();
        let statistics = Statistics::new(&searcher, fields, ranking)?;
        let languages = stemmers(&searcher, fields)?;
        Ok(Self { searcher, statistics, languages })
    }
}

/// The stemmers of the documents in the index, of the commonest languages.
fn stemmers(searcher: &tantivy::Searcher, fields: &Fields) -> Result<Vec<Language>, TantivyError> {
    let mut pages: HashMap<String, u64> = HashMap::new();
    for reader in searcher.segment_readers() {
        let index = reader.inverted_index(fields.language)?;
        let mut codes = index.terms().stream()?;
        while let Some((code, info)) = codes.next() {
            if let Ok(code) = std::str::from_utf8(code) {
                *pages.entry(code.to_owned()).or_default() += u64::from(info.doc_freq);
            }
        }
    }
    let mut languages: Vec<Language> = Vec::new();
    for Count { value, .. } in sorted(pages) {
        let language = Language::from_code(&value);
        if language != Language::NONE && !languages.contains(&language) && languages.len() < MOST_LANGUAGES {
            languages.push(language);
        }
    }
    Ok(languages)
}

/// Commonest first, then by name.
fn sorted(counts: HashMap<String, u64>) -> Vec<Count> {
    let mut counts: Vec<Count> = counts.into_iter().map(|(value, count)| Count { value, count }).collect();
    counts.sort_unstable_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
    counts
}

fn commonest(counts: HashMap<String, u64>) -> Vec<Count> {
    let mut counts = sorted(counts);
    counts.truncate(MOST_COUNTS);
    counts
}

/// The value of a text column for a page.
fn text_value(reader: &tantivy::SegmentReader, name: &str, doc: u32) -> Result<Option<String>, TantivyError> {
    let Some(values) = reader.fast_fields().str(name)? else { return Ok(None) };
    let Some(value) = values.ords().first(doc) else { return Ok(None) };
    let mut text = String::new();
    Ok(values.ord_to_str(value, &mut text)?.then_some(text))
}

/// The host of a page.
fn host_of(searcher: &tantivy::Searcher, candidate: &Candidate) -> Result<String, TantivyError> {
    let reader = searcher.segment_reader(candidate.at.segment_ord);
    Ok(text_value(reader, column::HOST, candidate.at.doc_id)?.unwrap_or_default())
}
