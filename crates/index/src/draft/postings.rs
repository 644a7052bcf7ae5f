//! Which terms occur where, for one field.

use tantivy::postings::FieldSerializer;
use tantivy::{DocId, TantivyError};

use crate::analysis::{Gather, Vocabulary};

/// Postings that are read together.
const AT_A_TIME: usize = 64;

/// A term in a document.
#[derive(Clone, Copy)]
struct Posting {
    term: u32,
    document: DocId,
    /// Where its steps begin; they end where those of the next one begin.
    steps: u32,
}

/// The terms of a field, document by document.
#[derive(Default)]
pub(crate) struct Postings {
    postings: Vec<Posting>,
    steps: Vec<u32>,
    /// Occurrences of terms.
    pub(super) tokens: u64,
}

/// The terms of one document are added.
pub(super) struct OfDocument<'a> {
    postings: &'a mut Postings,
    document: DocId,
}

impl Gather for OfDocument<'_> {
    #[inline]
    fn term(&mut self, term: u32, steps: impl Iterator<Item = u32>) {
        let Postings { postings, steps: all, .. } = &mut *self.postings;
        postings.push(Posting { term, document: self.document, steps: all.len() as u32 });
        all.extend(steps);
    }
}

impl Postings {
    pub(super) fn of(&mut self, document: DocId) -> OfDocument<'_> {
        OfDocument { postings: self, document }
    }

    pub(super) fn size(&self) -> usize {
        self.postings.len() * size_of::<Posting>() + self.steps.len() * size_of::<u32>()
    }

    /// Forgets all, but not the memory it took.
    pub(super) fn clear(&mut self) {
        self.postings.clear();
        self.steps.clear();
        self.tokens = 0;
    }

    /// Writes the terms in order, each with its documents in order.
    pub(super) fn write(
        &self,
        ranks: &Ranks,
        order: &mut Order,
        vocabulary: &Vocabulary,
        has_positions: bool,
        mut into: FieldSerializer<'_>,
    ) -> Result<(), TantivyError> {
        self.sort(ranks, order);
        let mut postings = order.sorted.chunks(AT_A_TIME).flat_map(|numbers| self.read(numbers));
        for (term, range) in ranks.terms.iter().zip(order.starts.windows(2)).filter(|(_, range)| range[0] < range[1]) {
            let documents = range[1] - range[0];
            into.new_term(vocabulary.term(*term).as_bytes(), documents, has_positions)?;
            for (document, start, end) in postings.by_ref().take(documents as usize) {
                let steps = if has_positions { &self.steps[start..end] } else { &[] };
                into.write_doc(document, steps.len() as u32, steps);
            }
            into.close_term()?;
        }
        Ok(into.close()?)
    }

    /// Documents of postings, and where their steps are. They lie far apart: reading many of them at a time, and the beginnings of
    /// their steps, lets the processor fetch them all together instead of waiting for each.
    fn read(&self, numbers: &[u32]) -> impl Iterator<Item = (DocId, usize, usize)> + use<> {
        let mut read = [(0, 0, 0); AT_A_TIME];
        for (read, number) in read.iter_mut().zip(numbers) {
            let Posting { document, steps, .. } = self.postings[*number as usize];
            let end = self.postings.get(*number as usize + 1).map_or(self.steps.len(), |next| next.steps as usize);
            *read = (document, steps as usize, end);
        }
        let first = |(_, start, _): &(DocId, usize, usize)| self.steps.get(*start).copied().unwrap_or(0);
        std::hint::black_box(read[..numbers.len()].iter().map(first).fold(0, u32::wrapping_add));
        read.into_iter().take(numbers.len())
    }

    /// Sorts postings by rank; documents keep their order.
    fn sort(&self, ranks: &Ranks, order: &mut Order) {
        let Order { starts, next, sorted } = order;
        starts.clear();
        starts.resize(ranks.terms.len() + 1, 0);
        for posting in &self.postings {
            starts[ranks.of[posting.term as usize] as usize + 1] += 1;
        }
        let mut sum = 0;
        for start in &mut *starts {
            sum += *start;
            *start = sum;
        }
        next.clone_from(starts);
        sorted.resize(self.postings.len(), 0);
        for (number, posting) in (0..).zip(&self.postings) {
            let place = &mut next[ranks.of[posting.term as usize] as usize];
            sorted[*place as usize] = number;
            *place += 1;
        }
    }
}

/// The postings of a field by rank.
#[derive(Default)]
pub(crate) struct Order {
    /// Where those of each rank begin.
    starts: Vec<u32>,
    next: Vec<u32>,
    /// The numbers of all postings.
    sorted: Vec<u32>,
}

/// The order of the terms that occur in a segment.
pub(super) struct Ranks {
    /// Terms by rank.
    terms: Vec<u32>,
    /// Ranks by term.
    of: Vec<u32>,
}

impl Ranks {
    pub(super) fn of(fields: &[Postings], vocabulary: &Vocabulary) -> Self {
        let (mut terms, mut of) = (Vec::new(), vec![u32::MAX; vocabulary.len()]);
        for posting in fields.iter().flat_map(|field| &field.postings) {
            if std::mem::replace(&mut of[posting.term as usize], 0) == u32::MAX {
                terms.push(posting.term);
            }
        }
        terms.sort_unstable_by_key(|term| vocabulary.term(*term).as_bytes());
        for (rank, term) in (0..).zip(&terms) {
            of[*term as usize] = rank;
        }
        Self { terms, of }
    }
}
