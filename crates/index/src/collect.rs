//! One walk over all hits: their number, the best of them, and how many each host and language has.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use store::Timestamp;
use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::{Column, ColumnValues, StrColumn};
use tantivy::query::Weight;
use tantivy::{DocAddress, DocId, Score, SegmentOrdinal, SegmentReader};

use crate::rank::{Merits, Ranking};
use crate::schema::column;

/// So many of the commonest hosts and languages of what is walked through at a time are counted exactly.
const MOST_FACETS: usize = 200;

/// Hits whose hosts and languages are looked up together.
const TOGETHER: usize = 64;

/// Room for what rounding does to a bound.
const ROUNDING: f32 = 1.0001;

/// A hit by its score; better ones are greater, and of equals the one with the smaller page number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub(crate) score: f32,
    /// The part of the score that is due to the text.
    pub(crate) text: f32,
    pub(crate) page: u64,
    pub(crate) at: DocAddress,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.score.total_cmp(&other.score).then(other.page.cmp(&self.page)).then(other.at.cmp(&self.at))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate {}

/// What the walk found.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) total: u64,
    /// Best first.
    pub(crate) best: Vec<Candidate>,
    pub(crate) hosts: HashMap<String, u64>,
    pub(crate) languages: HashMap<String, u64>,
}

/// Columns that the score of a page depends on.
pub(crate) struct MeritColumns {
    links_in: Arc<dyn ColumnValues<u64>>,
    depth: Arc<dyn ColumnValues<u64>>,
    date: Arc<dyn ColumnValues<i64>>,
    changed_at: Arc<dyn ColumnValues<i64>>,
}

impl MeritColumns {
    pub(crate) fn open(reader: &SegmentReader) -> tantivy::Result<Self> {
        let columns = reader.fast_fields();
        Ok(Self {
            links_in: columns.column_first_or_default(column::LINKS_IN)?,
            depth: columns.column_first_or_default(column::DEPTH)?,
            date: columns.column_first_or_default(column::DATE)?,
            changed_at: columns.column_first_or_default(column::CHANGED_AT)?,
        })
    }

    /// Merits that no page of the segment exceeds.
    fn best(&self) -> Merits {
        let moment = Timestamp(self.date.max_value().max(self.changed_at.max_value()));
        Merits { links_in: self.links_in.max_value(), depth: 0, moment }
    }

    pub(crate) fn get(&self, doc: DocId) -> Merits {
        Merits {
            links_in: self.links_in.get_val(doc),
            depth: self.depth.get_val(doc),
            moment: Timestamp(self.date.get_val(doc).max(self.changed_at.get_val(doc))),
        }
    }
}

/// Collects the best hits.
pub(crate) struct Best {
    /// How many.
    pub(crate) most: usize,
    pub(crate) ranking: Ranking,
    pub(crate) now: Timestamp,
    /// The score of the text is at least this: 1 for queries without words, whose hits differ by merit only.
    pub(crate) base: f32,
    /// A score that so many hits of one segment have reached: no other hit need be looked at that has less.
    pub(crate) reached: Arc<Reached>,
}

/// The largest of some scores, none of which is negative.
#[derive(Debug, Default)]
pub(crate) struct Reached(AtomicU32);

impl Reached {
    /// Less than any score if there is none.
    fn get(&self) -> f32 {
        match self.0.load(Ordering::Relaxed) {
            0 => f32::NEG_INFINITY,
            bits => f32::from_bits(bits),
        }
    }

    /// Numbers that are not negative are ordered like their bits.
    fn raise(&self, score: f32) {
        self.0.fetch_max(score.max(0.0).to_bits(), Ordering::Relaxed);
    }
}

/// The walk through one segment.
pub(crate) struct BestOfSegment {
    segment: SegmentOrdinal,
    most: usize,
    ranking: Ranking,
    now: Timestamp,
    base: f32,
    /// The largest factor by which merits multiply a score.
    largest: f32,
    /// Hits with a lower score are none of the best.
    least: f32,
    reached: Arc<Reached>,
    total: u64,
    heap: BinaryHeap<Reverse<Candidate>>,
    pages: Arc<dyn ColumnValues<u64>>,
    merits: MeritColumns,
    /// Hits that are not yet in the tallies.
    waiting: Vec<DocId>,
    hosts: Tally,
    languages: Tally,
}

impl Collector for Best {
    type Fruit = Found;
    type Child = BestOfSegment;

    fn for_segment(&self, segment: SegmentOrdinal, reader: &SegmentReader) -> tantivy::Result<BestOfSegment> {
        let merits = MeritColumns::open(reader)?;
        Ok(BestOfSegment {
            segment,
            most: self.most,
            ranking: self.ranking,
            now: self.now,
            base: self.base,
            largest: self.ranking.factors(&merits.best(), self.now).product() * ROUNDING,
            least: self.reached.get(),
            reached: Arc::clone(&self.reached),
            total: 0,
            heap: BinaryHeap::new(),
            pages: reader.fast_fields().column_first_or_default(column::PAGE)?,
            merits,
            waiting: Vec::with_capacity(TOGETHER),
            hosts: Tally::open(reader, column::HOST)?,
            languages: Tally::open(reader, column::LANGUAGE)?,
        })
    }

    fn requires_scoring(&self) -> bool {
        true
    }

    fn merge_fruits(&self, fruits: Vec<Found>) -> tantivy::Result<Found> {
        let mut whole = Found::default();
        for found in fruits {
            whole.total += found.total;
            whole.best.extend(found.best);
            for (into, from) in [(&mut whole.hosts, found.hosts), (&mut whole.languages, found.languages)] {
                from.into_iter().for_each(|(name, count)| *into.entry(name).or_default() += count);
            }
        }
        whole.best.sort_unstable_by(|a, b| b.cmp(a));
        whole.best.truncate(self.most);
        Ok(whole)
    }
}

impl Best {
    /// The hits among some documents of a segment.
    pub(crate) fn of_piece(
        &self,
        weight: &dyn Weight,
        (segment, reader): (SegmentOrdinal, &SegmentReader),
        documents: Range<DocId>,
    ) -> tantivy::Result<Found> {
        let mut hits = weight.scorer(reader, 1.0)?;
        let mut found = self.for_segment(segment, reader)?;
        let alive = reader.alive_bitset();
        let mut document = hits.doc();
        if document < documents.start {
            document = hits.seek(documents.start);
        }
        while document < documents.end {
            if alive.is_none_or(|alive| alive.is_alive(document)) {
                found.collect(document, hits.score());
            }
            document = hits.advance();
        }
        Ok(found.harvest())
    }
}

impl SegmentCollector for BestOfSegment {
    type Fruit = Found;

    fn collect(&mut self, doc: DocId, score: Score) {
        self.total += 1;
        self.waiting.push(doc);
        if self.waiting.len() == TOGETHER {
            self.tally();
        }
        let text = score + self.base;
        if text * self.largest < self.least {
            return;
        }
        let score = text * self.ranking.factors(&self.merits.get(doc), self.now).product();
        if score >= self.least {
            self.keep(doc, text, score);
        }
    }

    fn harvest(mut self) -> Found {
        self.tally();
        Found {
            total: self.total,
            best: self.heap.into_iter().map(|candidate| candidate.0).collect(),
            hosts: self.hosts.names(),
            languages: self.languages.names(),
        }
    }
}

impl BestOfSegment {
    fn keep(&mut self, doc: DocId, text: f32, score: f32) {
        let at = DocAddress::new(self.segment, doc);
        self.heap.push(Reverse(Candidate { score, text, page: self.pages.get_val(doc), at }));
        if self.heap.len() > self.most {
            self.heap.pop();
        }
        if let Some(Reverse(worst)) = self.heap.peek().filter(|_| self.heap.len() == self.most) {
            self.least = self.least.max(worst.score);
            self.reached.raise(self.least);
        }
    }

    fn tally(&mut self) {
        self.hosts.count(&self.waiting);
        self.languages.count(&self.waiting);
        self.waiting.clear();
    }
}

/// Counts the values of a text column.
struct Tally {
    column: Option<(StrColumn, Column<u64>)>,
    counts: Vec<u64>,
}

impl Tally {
    fn open(reader: &SegmentReader, name: &str) -> tantivy::Result<Self> {
        let column = reader.fast_fields().str(name)?.map(|column| (column.clone(), column.ords().clone()));
        let values = column.as_ref().map_or(0, |(column, _)| column.num_terms());
        Ok(Self { column, counts: vec![0; values] })
    }

    /// Counts the values of some documents, at most [`TOGETHER`].
    fn count(&mut self, documents: &[DocId]) {
        let Some((_, ords)) = &self.column else { return };
        let mut values = [None; TOGETHER];
        let values = &mut values[..documents.len()];
        ords.first_vals(documents, values);
        for value in values.iter().flatten() {
            if let Some(count) = self.counts.get_mut(*value as usize) {
                *count += 1;
            }
        }
    }

    fn names(self) -> HashMap<String, u64> {
        let Some((column, _)) = self.column else { return HashMap::new() };
        let mut counted: Vec<(u64, u64)> = self.counts.into_iter().zip(0..).filter(|(count, _)| *count > 0).collect();
        counted.sort_unstable_by(|a, b| b.cmp(a));
        counted.truncate(MOST_FACETS);
        let mut names = HashMap::new();
        for (count, value) in counted {
            let mut name = String::new();
            if column.ord_to_str(value, &mut name).unwrap_or(false) {
                names.insert(name, count);
            }
        }
        names
    }
}
