//! BM25F of one word of a query, as a query of tantivy.

use std::sync::Arc;

use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::{Postings as _, SegmentPostings};
use tantivy::query::{EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, Score, Searcher, SegmentReader, TERMINATED, Term};

use crate::rank::Ranking;
use crate::schema::{Fields, Searched};

/// What one occurrence counts, by the coded length of the field.
pub(crate) type PerLength = [f32; 256];

/// What the whole index says about its fields.
#[derive(Clone, Debug)]
pub(crate) struct Statistics {
    pages: u64,
    per_length: [Arc<PerLength>; 5],
}

impl Statistics {
    /// `weight / (1 - b + b length / mean length)` for each field and length.
    pub(crate) fn new(searcher: &Searcher, fields: &Fields, ranking: &Ranking) -> tantivy::Result<Self> {
        let pages = searcher.segment_readers().iter().map(|reader| u64::from(reader.max_doc())).sum::<u64>();
        let mut per_length: [Arc<PerLength>; 5] = std::array::from_fn(|_| Arc::new([0.0; 256]));
        for (place, weight) in ranking.weights.all().into_iter().enumerate() {
            let mut tokens = 0;
            for reader in searcher.segment_readers() {
                tokens += reader.inverted_index(fields.terms[place])?.total_num_tokens();
            }
            let mean = (tokens as f32 / pages.max(1) as f32).max(1.0);
            let b = ranking.length.clamp(0.0, 1.0);
            let table = std::array::from_fn(|code| {
                let length = FieldNormReader::id_to_fieldnorm(code as u8) as f32;
                weight / (1.0 - b + b * length / mean).max(0.01)
            });
            per_length[place] = Arc::new(table);
        }
        Ok(Self { pages, per_length })
    }

    /// `ln(1 + (N - n + 1/2) / (n + 1/2))` for a word on `n` of `N` pages.
    fn rarity(&self, pages: u64) -> f32 {
        let (all, with) = (self.pages as f64, pages.min(self.pages) as f64);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln() as f32
    }
}

/// One term in one field.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    pub(crate) term: Term,
    pub(crate) field: Searched,
    per_length: Arc<PerLength>,
}

/// A word: all the terms it may have become in documents, in some fields.
#[derive(Clone, Debug)]
pub(crate) struct WordQuery {
    pub(crate) streams: Vec<Stream>,
    /// How many documents there are in all streams.
    pub(crate) documents: u64,
    rarity: f32,
    saturation: f32,
}

impl WordQuery {
    /// A word by the terms it may have become. Terms that are nowhere are left out.
    pub(crate) fn new(
        searcher: &Searcher,
        fields: &Fields,
        statistics: &Statistics,
        saturation: f32,
        terms: &[String],
        among: &[Searched],
    ) -> tantivy::Result<Self> {
        let mut streams = Vec::new();
        let (mut most, mut documents) = (0, 0);
        for &field in among {
            let mut pages = 0;
            for text in terms {
                let term = Term::from_field_text(fields.terms[field as usize], text);
                let with = searcher.doc_freq(&term)?;
                if with > 0 {
                    pages += with;
                    let per_length = Arc::clone(&statistics.per_length[field as usize]);
                    streams.push(Stream { term, field, per_length });
                }
            }
            most = most.max(pages);
            documents += pages;
        }
        Ok(Self { streams, documents, rarity: statistics.rarity(most), saturation })
    }

    /// The cursor in one segment.
    pub(crate) fn cursor(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<WordCursor> {
        let mut lists = Vec::new();
        for stream in &self.streams {
            let index = reader.inverted_index(stream.term.field())?;
            if let Some(postings) = index.read_postings(&stream.term, IndexRecordOption::WithFreqs)? {
                let lengths = reader.get_fieldnorms_reader(stream.term.field())?;
                lists.push(List { postings, lengths, per_length: Arc::clone(&stream.per_length), field: stream.field });
            }
        }
        let mut cursor = WordCursor { lists, doc: 0, rarity: self.rarity * boost, saturation: self.saturation };
        cursor.settle();
        Ok(cursor)
    }
}

impl Query for WordQuery {
    fn weight(&self, _: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(self.clone()))
    }
}

impl Weight for WordQuery {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> tantivy::Result<Box<dyn Scorer>> {
        Ok(Box::new(self.cursor(reader, boost)?))
    }

    fn explain(&self, reader: &SegmentReader, doc: DocId) -> tantivy::Result<Explanation> {
        let mut cursor = self.cursor(reader, 1.0)?;
        let score = if cursor.seek(doc) == doc { cursor.score() } else { 0.0 };
        Ok(Explanation::new("word", score))
    }
}

/// The postings of a term in a field of a segment.
struct List {
    postings: SegmentPostings,
    lengths: FieldNormReader,
    per_length: Arc<PerLength>,
    field: Searched,
}

impl List {
    fn frequency(&self, doc: DocId) -> f32 {
        self.postings.term_freq() as f32 * self.per_length[usize::from(self.lengths.fieldnorm_id(doc))]
    }
}

/// Walks through the pages of a segment that have the word.
pub(crate) struct WordCursor {
    lists: Vec<List>,
    doc: DocId,
    rarity: f32,
    saturation: f32,
}

impl WordCursor {
    fn settle(&mut self) -> DocId {
        self.doc = self.lists.iter().map(|list| list.postings.doc()).min().unwrap_or(TERMINATED);
        self.doc
    }

    /// Weighted frequency by field, for explanations.
    pub(crate) fn frequencies(&self) -> Vec<(Searched, f32)> {
        let here = self.lists.iter().filter(|list| list.postings.doc() == self.doc);
        here.map(|list| (list.field, list.frequency(self.doc))).collect()
    }
}

impl DocSet for WordCursor {
    fn advance(&mut self) -> DocId {
        for list in &mut self.lists {
            if list.postings.doc() == self.doc {
                list.postings.advance();
            }
        }
        self.settle()
    }

    fn seek(&mut self, target: DocId) -> DocId {
        for list in &mut self.lists {
            if list.postings.doc() < target {
                list.postings.seek(target);
            }
        }
        self.settle()
    }

    fn doc(&self) -> DocId {
        self.doc
    }

    fn size_hint(&self) -> u32 {
        self.lists.iter().map(|list| list.postings.size_hint()).max().unwrap_or(0)
    }
}

impl Scorer for WordCursor {
    /// `rarity (k1 + 1) f / (k1 + f)` for the weighted frequency `f`.
    fn score(&mut self) -> Score {
        let here = self.lists.iter().filter(|list| list.postings.doc() == self.doc);
        let f: f32 = here.map(|list| list.frequency(self.doc)).sum();
        self.rarity * (self.saturation + 1.0) * f / (self.saturation + f)
    }
}
