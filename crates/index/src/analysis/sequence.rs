//! The terms of documents in the order in which they occur.

use tantivy::DocId;

/// Marks a step that is not to the next position.
const STEP: u32 = 1 << 31;

/// The terms of documents, one after the other, by number: four bytes for each, as nearly all are one position after the last.
#[derive(Default)]
pub(crate) struct TermSequence {
    /// Terms, each after the step to its position unless that is the next one.
    entries: Vec<u32>,
    /// Where those of each document end.
    ends: Vec<usize>,
    steps: usize,
    next: u32,
}

impl TermSequence {
    /// Makes room for so many bytes.
    pub(crate) fn reserve(&mut self, bytes: usize) {
        self.entries.reserve(bytes / size_of::<u32>());
    }

    /// A term of the document that has not ended.
    #[inline]
    pub(super) fn push(&mut self, term: u32, position: u32) {
        if position != self.next {
            self.entries.push(position.wrapping_sub(self.next) | STEP);
            self.steps += 1;
        }
        self.entries.push(term);
        self.next = position + 1;
    }

    /// A term whose position does not matter.
    pub(super) fn push_anywhere(&mut self, term: u32) {
        self.push(term, self.next);
    }

    /// The document has no more terms.
    pub(crate) fn end_document(&mut self) {
        self.ends.push(self.entries.len());
        self.next = 0;
    }

    /// Occurrences of terms.
    pub(crate) fn len(&self) -> usize {
        self.entries.len() - self.steps
    }

    /// Bytes of memory.
    pub(crate) fn size(&self) -> usize {
        size_of_val(self.entries.as_slice()) + size_of_val(self.ends.as_slice())
    }

    /// Forgets all, but not the memory it took.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.ends.clear();
        (self.steps, self.next) = (0, 0);
    }

    /// The terms without their places.
    pub(crate) fn terms(&self) -> impl Iterator<Item = u32> {
        self.entries.iter().copied().filter(|entry| entry & STEP == 0)
    }

    /// Documents, terms and positions.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (DocId, u32, u32)> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let documents = (0..).zip(starts.zip(&self.ends));
        documents.flat_map(|(document, (start, end))| {
            let mut next = 0_u32;
            self.entries[start..*end].iter().filter_map(move |entry| {
                if entry & STEP != 0 {
                    // A step is a number of 31 bits that may be negative.
                    next = next.wrapping_add_signed((entry << 1).cast_signed() >> 1);
                    return None;
                }
                next += 1;
                Some((document, *entry, next - 1))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// What is put in comes out.
        #[test]
        fn nothing_is_lost(documents in prop::collection::vec(prop::collection::vec((0..9_u32, 0..1_000_000_u32), 0..9), 0..9)) {
            let (mut sequence, mut expected) = (TermSequence::default(), Vec::new());
            for (number, document) in (0..).zip(&documents) {
                document.iter().for_each(|(term, position)| sequence.push(*term, *position));
                expected.extend(document.iter().map(|(term, position)| (number, *term, *position)));
                sequence.end_document();
            }
            prop_assert_eq!(sequence.len(), expected.len());
            prop_assert_eq!(sequence.terms().collect::<Vec<_>>(), expected.iter().map(|(_, term, _)| *term).collect::<Vec<_>>());
            prop_assert_eq!(sequence.iter().collect::<Vec<_>>(), expected);
        }
    }
}
