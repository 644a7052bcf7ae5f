//! Which terms occur where, for one field.

use std::ops::Range;

use tantivy::postings::FieldSerializer;
use tantivy::{DocId, TantivyError};

use crate::analysis::{Found, Vocabulary};

/// The terms of a field, as they were found document by document.
#[derive(Default)]
pub(crate) struct Postings {
    found: Vec<Found>,
    /// Where those of each document end.
    ends: Vec<usize>,
}

/// Where a term occurs.
#[derive(Clone, Copy, Default)]
pub(crate) struct Place {
    document: DocId,
    position: u32,
}

impl Postings {
    /// Adds the next document, whose terms are given; how many there are.
    pub(super) fn add(&mut self, give: impl FnOnce(&mut Vec<Found>)) -> usize {
        let before = self.found.len();
        give(&mut self.found);
        self.ends.push(self.found.len());
        self.found.len() - before
    }

    /// Occurrences of terms.
    pub(super) fn len(&self) -> usize {
        self.found.len()
    }

    pub(super) fn size(&self) -> usize {
        self.found.len() * size_of::<Found>() + self.ends.len() * size_of::<usize>()
    }

    /// Forgets all, but not the memory it took.
    pub(super) fn clear(&mut self) {
        self.found.clear();
        self.ends.clear();
    }

    /// How often each term occurs, by its number.
    fn counts(&self, terms: usize) -> Vec<u32> {
        let mut counts = vec![0; terms];
        self.found.iter().for_each(|found| counts[found.term as usize] += 1);
        counts
    }

    /// The documents, and which of the found terms are theirs.
    fn documents(&self) -> impl Iterator<Item = (DocId, Range<usize>)> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        (0..).zip(starts.zip(&self.ends)).map(|(document, (start, end))| (document, start..*end))
    }

    /// Writes the terms in order, each with its documents in order.
    pub(super) fn write(
        &self,
        (order, vocabulary): (&Order, &Vocabulary),
        room: &mut Vec<Place>,
        has_positions: bool,
        mut into: FieldSerializer<'_>,
    ) -> Result<(), TantivyError> {
        let counts = self.counts(vocabulary.len());
        self.sort(&counts, order, room);
        let (mut places, mut steps) = (room.as_slice(), Vec::new());
        for term in order.terms.iter().filter(|term| counts[**term as usize] > 0) {
            let (of_term, others) = places.split_at(counts[*term as usize] as usize);
            places = others;
            let documents = of_term.chunk_by(|a, b| a.document == b.document);
            into.new_term(vocabulary.term(*term).as_bytes(), documents.clone().count() as u32, has_positions)?;
            for places in documents {
                steps.clear();
                if has_positions {
                    push_steps(places, &mut steps);
                }
                into.write_doc(places[0].document, steps.len() as u32, &steps);
            }
            into.close_term()?;
        }
        Ok(into.close()?)
    }

    /// Sorts places by term; documents and positions keep their order.
    fn sort(&self, counts: &[u32], order: &Order, sorted: &mut Vec<Place>) {
        let (mut next, mut sum) = (vec![0; counts.len()], 0);
        for term in order.terms.iter().map(|term| *term as usize) {
            next[term] = sum;
            sum += counts[term];
        }
        sorted.resize(self.found.len(), Place::default());
        for (document, range) in self.documents() {
            for Found { term, position } in &self.found[range] {
                let at = &mut next[*term as usize];
                sorted[*at as usize] = Place { document, position: *position };
                *at += 1;
            }
        }
    }
}

/// The distances between positions; the first is that from the beginning.
fn push_steps(places: &[Place], steps: &mut Vec<u32>) {
    let mut before = 0;
    for place in places {
        steps.push(place.position - before);
        before = place.position;
    }
}

/// All terms of a vocabulary in the order of their texts.
#[derive(Default)]
pub(crate) struct Order {
    terms: Vec<u32>,
}

impl Order {
    /// Takes in terms that are new since the last time. The others are in order already, so that this takes little time.
    pub(super) fn update(&mut self, vocabulary: &Vocabulary) {
        self.terms.extend(self.terms.len() as u32..vocabulary.len() as u32);
        self.terms.sort_by_key(|term| vocabulary.term(*term).as_bytes());
    }

    /// Forgets all terms.
    pub(super) fn clear(&mut self) {
        self.terms.clear();
    }
}
