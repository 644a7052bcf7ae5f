//! Finds pages that say the same, or nearly.
//!
//! After G. S. Manku, A. Jain and A. Das Sarma, *Detecting near-duplicates for web crawling* (2007): two hashes of 64
//! bits that differ in at most 3 bits are equal in at least one of four blocks of 16 bits, so only the pages with an
//! equal block are compared. A page costs 32 bytes; 2 MiB are taken from the start.

use super::Fingerprint;

/// Bits in which near duplicates may differ.
const MAX_DISTANCE: u32 = 3;
/// Texts with fewer words are duplicates only if they are equal: their simhash rests on too little.
const MIN_WORDS: u32 = 32;
/// Blocks of a simhash, and values of a block.
const BLOCKS: usize = 4;
const VALUES: usize = 1 << 16;
/// Pages that are linked under one value of a block. On average it is one page in 65,536; more than this many are
/// made on purpose, and are then found by their other blocks.
const MAX_CHAIN: u32 = 4_096;
/// Records that are allocated together, so that growing neither copies nor doubles the memory.
const CHUNK: usize = 1 << 14;
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Record {
    simhash: u64,
    /// A part of the hash of the text: equal texts have the same, others hardly ever.
    check: u32,
    page: u32,
    /// The next record with the same value of each block.
    next: [u32; BLOCKS],
}

/// A page that says the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The page that was there first.
    pub page: u32,
    /// Whether the texts are equal rather than similar.
    pub exact: bool,
}

/// The known texts, in memory.
pub struct NearDuplicates {
    chunks: Vec<Vec<Record>>,
    free: Vec<u32>,
    /// For each block and value the first record and the number of records.
    first: Vec<u32>,
    lengths: Vec<u32>,
    pages: usize,
}

impl Default for NearDuplicates {
    fn default() -> Self {
        Self {
            chunks: Vec::new(),
            free: Vec::new(),
            first: vec![NONE; BLOCKS * VALUES],
            lengths: vec![0; BLOCKS * VALUES],
            pages: 0,
        }
    }
}

impl NearDuplicates {
    /// Knows no page.
    pub fn new() -> Self {
        Self::default()
    }

    /// Number of pages that are known.
    pub fn len(&self) -> usize {
        self.pages
    }

    /// Whether no page is known.
    pub fn is_empty(&self) -> bool {
        self.pages == 0
    }

    /// The known page that says the same as this text: an equal one if there is one, otherwise the most similar one.
    pub fn find(&self, text: &Fingerprint) -> Option<Duplicate> {
        let limit = if text.words < MIN_WORDS { 0 } else { MAX_DISTANCE };
        let mut best: Option<(u32, u32)> = None;
        for block in 0..BLOCKS {
            for record in self.chain(place(text.simhash, block), block) {
                let distance = (record.simhash ^ text.simhash).count_ones();
                if distance == 0 && record.check == text.hash as u32 {
                    return Some(Duplicate { page: record.page, exact: true });
                }
                if limit > 0 && distance <= limit && best.is_none_or(|best| (distance, record.page) < best) {
                    best = Some((distance, record.page));
                }
            }
        }
        best.map(|(_, page)| Duplicate { page, exact: false })
    }

    /// Adds a page unless a known one says the same, which is then given.
    pub fn admit(&mut self, page: u32, text: &Fingerprint) -> Option<Duplicate> {
        let duplicate = self.find(text);
        if duplicate.is_none() {
            self.insert(page, text);
        }
        duplicate
    }

    /// Forgets a page, given the text that it was added with. False if it was not known.
    pub fn remove(&mut self, page: u32, text: &Fingerprint) -> bool {
        let mut removed = None;
        for block in 0..BLOCKS {
            removed = self.unlink(page, text, block).or(removed);
        }
        self.free.extend(removed);
        self.pages -= usize::from(removed.is_some());
        removed.is_some()
    }

    pub(super) fn insert(&mut self, page: u32, text: &Fingerprint) {
        let places: [usize; BLOCKS] = std::array::from_fn(|block| place(text.simhash, block));
        if places.iter().all(|place| self.lengths[*place] >= MAX_CHAIN) {
            return;
        }
        let mut record = Record { simhash: text.simhash, check: text.hash as u32, page, next: [NONE; BLOCKS] };
        let number = self.free.pop().unwrap_or_else(|| self.allocate(record));
        for (place, next) in places.into_iter().zip(&mut record.next) {
            if self.lengths[place] < MAX_CHAIN {
                self.lengths[place] += 1;
                *next = std::mem::replace(&mut self.first[place], number);
            }
        }
        *self.record_mut(number) = record;
        self.pages += 1;
    }

    fn allocate(&mut self, record: Record) -> u32 {
        if self.chunks.last().is_none_or(|chunk| chunk.len() == CHUNK) {
            self.chunks.push(Vec::with_capacity(CHUNK));
        }
        let full = (self.chunks.len() - 1) * CHUNK;
        let chunk = self.chunks.len() - 1;
        self.chunks[chunk].push(record);
        (full + self.chunks[chunk].len() - 1) as u32
    }

    fn record(&self, number: u32) -> &Record {
        &self.chunks[number as usize / CHUNK][number as usize % CHUNK]
    }

    fn record_mut(&mut self, number: u32) -> &mut Record {
        &mut self.chunks[number as usize / CHUNK][number as usize % CHUNK]
    }

    /// The records with the same value of a block.
    fn chain(&self, place: usize, block: usize) -> impl Iterator<Item = &Record> {
        let mut number = self.first[place];
        std::iter::from_fn(move || {
            if number == NONE {
                return None;
            }
            let record = self.record(number);
            number = record.next[block];
            Some(record)
        })
    }

    /// Takes a page out of the chain of one block and gives the number of its record.
    fn unlink(&mut self, page: u32, text: &Fingerprint, block: usize) -> Option<u32> {
        let place = place(text.simhash, block);
        let (mut before, mut number) = (NONE, self.first[place]);
        while number != NONE {
            let record = *self.record(number);
            if record.page == page && record.simhash == text.simhash && record.check == text.hash as u32 {
                if before == NONE {
                    self.first[place] = record.next[block];
                } else {
                    self.record_mut(before).next[block] = record.next[block];
                }
                self.lengths[place] -= 1;
                return Some(number);
            }
            (before, number) = (number, record.next[block]);
        }
        None
    }
}

/// Where the chain of a block's value begins.
fn place(simhash: u64, block: usize) -> usize {
    block * VALUES + (simhash >> (16 * block)) as usize % VALUES
}
