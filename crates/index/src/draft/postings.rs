//! Which terms occur where, for one field.

use tantivy::postings::FieldSerializer;
use tantivy::{DocId, TantivyError};

use crate::analysis::{TermSequence, Vocabulary};

/// Where a term occurs.
#[derive(Clone, Copy, Default)]
pub(crate) struct Place {
    document: DocId,
    position: u32,
}

/// Writes the terms of a field in order, each with its documents in order.
pub(super) fn write(
    found: &TermSequence,
    (order, vocabulary): (&Order, &Vocabulary),
    room: &mut Vec<Place>,
    has_positions: bool,
    mut into: FieldSerializer<'_>,
) -> Result<(), TantivyError> {
    let mut counts = vec![0; vocabulary.len()];
    found.terms().for_each(|term| counts[term as usize] += 1);
    sort(found, &counts, order, room);
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
fn sort(found: &TermSequence, counts: &[u32], order: &Order, sorted: &mut Vec<Place>) {
    let (mut next, mut sum) = (vec![0_u32; counts.len()], 0);
    for term in order.terms.iter().map(|term| *term as usize) {
        next[term] = sum;
        sum += counts[term];
    }
    if sorted.len() < found.len() {
        sorted.resize(found.len(), Place::default());
    }
    found.iter().for_each(|(document, term, position)| {
        let at = &mut next[term as usize];
        sorted[*at as usize] = Place { document, position };
        *at += 1;
    });
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
