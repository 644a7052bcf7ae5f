//! Documents become changes of the index.

use std::sync::PoisonError;

use store::{Document, PageId};
use tantivy::{Index, Segment, Term};

use super::IndexError;
use super::outdated::{Ages, Outdated};
use super::writer::Spare;
use crate::draft::{Draft, Space};
use crate::schema::Fields;

/// The half of an indexer that takes documents in.
pub struct Drafter {
    index: Index,
    fields: Fields,
    /// What was put since the last segment; the segment it becomes, and how old that is.
    draft: Option<Draft>,
    segment: Segment,
    age: u64,
    ages: Ages,
    changes: Changes,
    spare: Spare,
    memory: usize,
}

/// What is to be done to the index, in order.
#[derive(Default)]
pub struct Changes {
    pub(super) steps: Vec<Step>,
    /// Bytes of the segments among them.
    size: usize,
}

/// A change of the index.
pub(super) enum Step {
    /// The version of a page goes that is in an older segment.
    Remove(Outdated),
    /// A segment is added.
    Segment(Box<Draft>),
}

impl Drafter {
    pub(super) fn new(index: Index, fields: Fields, memory: usize, spare: Spare) -> Self {
        let (segment, ages) = (index.new_segment(), Ages::default());
        let age = ages.begin(segment.id(), 0);
        let changes = Changes::default();
        Self { index, fields, draft: None, segment, age, ages, changes, spare, memory }
    }

    /// Puts a document in the place of any earlier version of the page.
    pub fn put(&mut self, document: Document) -> Result<(), IndexError> {
        self.remove(document.page);
        let draft = match &mut self.draft {
            Some(draft) => draft,
            None => {
                let space = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let space = space.unwrap_or_else(|| Space::new(self.memory / 2));
                self.draft.insert(Draft::begin(&self.segment, self.fields, space)?)
            }
        };
        Ok(draft.add(document)?)
    }

    /// Takes a page out.
    pub fn remove(&mut self, page: PageId) {
        if self.draft.as_ref().is_some_and(|draft| draft.pages().contains(&page)) {
            self.close();
        }
        let term = Term::from_field_u64(self.fields.page, u64::from(page.0));
        let outdated = Outdated { term, before: self.age, ages: self.ages.clone() };
        self.changes.steps.push(Step::Remove(outdated));
    }

    /// The draft is a segment now, and another one begins.
    fn close(&mut self) {
        let Some(draft) = self.draft.take() else { return };
        self.changes.size += draft.size();
        self.changes.steps.push(Step::Segment(Box::new(draft)));
        self.segment = self.index.new_segment();
        self.age = self.ages.begin(self.segment.id(), self.age);
    }

    /// Whether the changes take as much memory as they may: as much again is for those that are being written.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.changes.size + self.draft.as_ref().map_or(0, Draft::size) >= self.memory / 2
    }

    /// All changes since the last time.
    #[must_use]
    pub fn take(&mut self) -> Changes {
        self.close();
        std::mem::take(&mut self.changes)
    }
}
