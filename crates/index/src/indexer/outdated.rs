//! Versions of a page that a newer one takes the place of.
//!
//! Tantivy applies a deletion to every segment that is there at the next commit, also to one with the newer version, unless it has
//! made that segment itself. So deletions are told apart by age: one is for the segments that were complete when it was wanted.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tantivy::index::SegmentId;
use tantivy::query::{EmptyScorer, EnableScoring, Explanation, Query, Scorer, TermQuery, Weight};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, Score, SegmentReader, TantivyError, Term};

/// Segments whose age is remembered. A deletion is applied at one of the next two commits.
const REMEMBERED: u64 = 1_000;

/// The order in which segments were begun. Others are older than all of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Ages(Arc<Mutex<HashMap<SegmentId, u64>>>);

impl Ages {
    /// A segment is begun; its age.
    pub(super) fn begin(&self, segment: SegmentId, last: u64) -> u64 {
        let mut ages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let age = last + 1;
        ages.retain(|_, known| *known + REMEMBERED > age);
        ages.insert(segment, age);
        age
    }

    fn of(&self, segment: SegmentId) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&segment).copied().unwrap_or(0)
    }
}

/// Documents with a term, in segments that were begun before one.
#[derive(Clone, Debug)]
pub(super) struct Outdated {
    pub(super) term: Term,
    pub(super) before: u64,
    pub(super) ages: Ages,
}

impl Query for Outdated {
    fn weight(&self, scoring: EnableScoring<'_>) -> Result<Box<dyn Weight>, TantivyError> {
        let with_term = TermQuery::new(self.term.clone(), IndexRecordOption::Basic).weight(scoring)?;
        Ok(Box::new(OutdatedWeight { with_term, before: self.before, ages: self.ages.clone() }))
    }
}

struct OutdatedWeight {
    with_term: Box<dyn Weight>,
    before: u64,
    ages: Ages,
}

impl Weight for OutdatedWeight {
    fn scorer(&self, reader: &SegmentReader, boost: Score) -> Result<Box<dyn Scorer>, TantivyError> {
        match self.ages.of(reader.segment_id()) < self.before {
            true => self.with_term.scorer(reader, boost),
            false => Ok(Box::new(EmptyScorer)),
        }
    }

    fn explain(&self, reader: &SegmentReader, document: DocId) -> Result<Explanation, TantivyError> {
        self.with_term.explain(reader, document)
    }
}
