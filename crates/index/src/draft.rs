//! A segment of the index in the making.
//!
//! Tantivy's own writer looks every word up among all terms of the segment and follows a list of its places through memory. Here
//! documents leave their terms by number, one after the other; they are sorted once when the segment is complete, and written with
//! tantivy's serialisers. The files are the same.

mod postings;

use std::collections::{BTreeMap, HashSet};
use std::panic::resume_unwind;
use std::thread;

use store::{Document, PageId};
use tantivy::directory::TerminatingWrite;
use tantivy::fastfield::FastFieldsWriter;
use tantivy::fieldnorm::{FieldNormReaders, FieldNormsSerializer, FieldNormsWriter};
use tantivy::index::{SegmentComponent, SegmentMeta};
use tantivy::postings::InvertedIndexSerializer;
use tantivy::schema::{Field, Schema};
use tantivy::store::{Compressor, StoreWriter};
use tantivy::{DocId, Segment, TantivyError};

use crate::analysis::{Language, TermSequence, Vocabulary, clean_code};
use crate::entry::{Entry, Texts};
use crate::schema::{Fields, Searched};
use crate::suggest;
use postings::{Order, Place};

/// Terms that are kept from segment to segment.
const MOST_TERMS: usize = 1 << 18;

/// What one segment leaves to a later one: the words it has learned, and memory, which costs more when it is new than what is
/// done with it.
#[derive(Default)]
pub(crate) struct Space {
    vocabulary: Vocabulary,
    /// By [`Searched`], and words as written.
    terms: [TermSequence; 6],
    order: Order,
}

impl Space {
    /// For a draft that may take so many bytes. Most of them are terms of bodies: they need not be moved as they become more.
    pub(crate) fn new(bytes: usize) -> Self {
        let mut space = Self::default();
        space.terms[Searched::Body as usize].reserve(bytes / 4);
        space
    }
}

/// Memory for the writing of a segment.
#[derive(Default)]
pub(crate) struct Room(Vec<Place>);

/// What is known of the documents of a segment.
pub(crate) struct Draft {
    segment: Segment,
    schema: Schema,
    fields: Fields,
    fast: FastFieldsWriter,
    norms: FieldNormsWriter,
    space: Space,
    /// Documents by page, site and language.
    marks: [BTreeMap<Vec<u8>, Vec<DocId>>; 3],
    pages: HashSet<PageId>,
    /// What is stored, and bytes of it.
    entries: Vec<Entry>,
    stored: usize,
}

impl Draft {
    pub(crate) fn begin(segment: &Segment, fields: Fields, space: Space) -> Result<Self, TantivyError> {
        let schema = segment.schema();
        let tokenizers = segment.index().fast_field_tokenizer().clone();
        Ok(Self {
            fast: FastFieldsWriter::from_schema_and_tokenizer_manager(&schema, tokenizers)?,
            norms: FieldNormsWriter::for_schema(&schema),
            segment: segment.clone(),
            schema,
            fields,
            space,
            marks: Default::default(),
            pages: HashSet::new(),
            entries: Vec::new(),
            stored: 0,
        })
    }

    /// The pages of which a version is in it.
    pub(crate) fn pages(&self) -> &HashSet<PageId> {
        &self.pages
    }

    /// Bytes of memory it takes.
    pub(crate) fn size(&self) -> usize {
        self.space.terms.iter().map(TermSequence::size).sum::<usize>() + self.fast.mem_usage() + self.stored
    }

    /// Takes a document whose page is not in it.
    pub(crate) fn add(&mut self, document: Document) -> Result<(), TantivyError> {
        let (texts, number) = (Texts::of(&document), self.entries.len() as DocId);
        let Space { terms, vocabulary, .. } = &mut self.space;
        let language = document.language.as_deref().and_then(clean_code);
        let stemmed = language.as_deref().map_or(Language::NONE, Language::from_code);
        for ((field, text), terms) in self.fields.terms.into_iter().zip(texts.searched()).zip(&mut *terms) {
            let before = terms.len();
            vocabulary.stems(text, stemmed, terms);
            self.norms.record(number, field, (terms.len() - before) as u32);
        }
        vocabulary.surface(texts.written(), suggest::is_useless, &mut terms[5]);
        terms.iter_mut().for_each(TermSequence::end_document);
        let page = document.page;
        let entry = Entry::new(document, language, &self.fields);
        self.mark(&entry, page);
        self.fast.add_document(&entry)?;
        self.pages.insert(page);
        self.stored += entry.size();
        self.entries.push(entry);
        Ok(())
    }

    fn mark(&mut self, entry: &Entry, page: PageId) {
        let (number, [pages, sites, languages]) = (self.entries.len() as DocId, &mut self.marks);
        pages.entry(u64::from(page.0).to_be_bytes().to_vec()).or_default().push(number);
        self.norms.record(number, self.fields.page, 1);
        for site in entry.sites() {
            sites.entry(site.as_bytes().to_vec()).or_default().push(number);
        }
        if let Some(language) = entry.language() {
            languages.entry(language.as_bytes().to_vec()).or_default().push(number);
            self.norms.record(number, self.fields.language, 1);
        }
    }

    /// Writes the files of the segment: what is stored beside the others.
    pub(crate) fn finish(mut self, room: &mut Room) -> Result<(SegmentMeta, Space), TantivyError> {
        let entries = std::mem::take(&mut self.entries);
        let (segment, schema, documents) = (self.segment.clone(), self.schema.clone(), entries.len() as DocId);
        let space = thread::scope(|scope| {
            let store = thread::Builder::new().name("stored".to_owned());
            let stored = store.spawn_scoped(scope, || write_store(&segment, &schema, entries))?;
            let space = self.write_terms(documents, room);
            stored.join().unwrap_or_else(|panic| resume_unwind(panic))?;
            space
        })?;
        Ok((segment.with_max_doc(documents).meta().clone(), space))
    }

    fn write_terms(self, documents: DocId, room: &mut Room) -> Result<Space, TantivyError> {
        let Self { segment, fields, mut fast, mut norms, mut space, marks, .. } = self;
        let Space { terms, order, vocabulary } = &mut space;
        norms.fill_up_to_max_doc(documents);
        norms.serialize(FieldNormsSerializer::from_write(segment.open_write(SegmentComponent::FieldNorms)?)?, None)?;
        let norms = FieldNormReaders::open(segment.open_read(SegmentComponent::FieldNorms)?)?;
        let mut index = InvertedIndexSerializer::open(&segment)?;
        order.update(vocabulary);
        let names = fields.terms.into_iter().chain([fields.surface]);
        for (field, found) in names.zip(&mut *terms) {
            let has_positions = field != fields.surface;
            let into = index.new_field(field, found.len() as u64, norms.get_field(field)?)?;
            postings::write(found, (order, vocabulary), &mut room.0, has_positions, into)?;
            found.clear();
        }
        for (field, documents) in [fields.page, fields.site, fields.language].into_iter().zip(&marks) {
            write_marks(&mut index, field, documents, &norms)?;
        }
        index.close()?;
        let mut columns = segment.open_write(SegmentComponent::FastFields)?;
        fast.serialize(&mut columns, None)?;
        columns.terminate()?;
        if vocabulary.len() > MOST_TERMS {
            *vocabulary = Vocabulary::new();
            order.clear();
        }
        Ok(space)
    }
}

/// Writes what is stored. It is compressed when segments are merged: many texts are replaced before that, and a crawl does not wait
/// for it.
fn write_store(segment: &Segment, schema: &Schema, entries: Vec<Entry>) -> Result<(), TantivyError> {
    let (file, block) = (segment.open_write(SegmentComponent::Store)?, segment.index().settings().docstore_blocksize);
    let mut store = StoreWriter::new(file, Compressor::None, block, false)?;
    for entry in entries {
        store.store(&entry, schema)?;
    }
    Ok(store.close()?)
}

/// Documents by what they have, without positions.
fn write_marks(
    index: &mut InvertedIndexSerializer,
    field: Field,
    marks: &BTreeMap<Vec<u8>, Vec<DocId>>,
    norms: &FieldNormReaders,
) -> Result<(), TantivyError> {
    let tokens: usize = marks.values().map(Vec::len).sum();
    let mut into = index.new_field(field, tokens as u64, norms.get_field(field)?)?;
    for (mark, documents) in marks {
        into.new_term(mark, documents.len() as u32, false)?;
        documents.iter().for_each(|document| into.write_doc(*document, 1, &[]));
        into.close_term()?;
    }
    Ok(into.close()?)
}
