//! Finds pages that say the same, or nearly.
//!
//! After G. S. Manku, A. Jain and A. Das Sarma, *Detecting near-duplicates for web crawling* (2007): two hashes of 64
//! bits that differ in at most 3 bits are equal in at least one of four blocks of 16 bits, so only the pages with an
//! equal block are compared, and of those only the ones whose next block differs in at most 3 bits as well.
//! A page costs 38 bytes, besides some 10 MB for many pages. Page numbers are best without large gaps.

use super::Fingerprint;

/// Bits in which near duplicates may differ.
const MAX_DISTANCE: u32 = 3;
/// Texts with fewer words are duplicates only if they are equal: their simhash rests on too little.
const MIN_WORDS: u32 = 32;
/// Blocks of a simhash, and values of a block.
const BLOCKS: usize = 4;
const VALUES: usize = 1 << 16;
/// Pages that are listed under one value of a block. On average it is one page in 65,536; more than this many are
/// made on purpose, and are then found by their other blocks.
const MAX_LISTED: u32 = 4_096;
/// Pages in a node of a list.
const NODE: usize = 8;
/// What is allocated together, so that growing neither copies nor doubles the memory.
const CHUNK: usize = 1 << 12;
const NONE: u32 = u32::MAX;

/// A page that says the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The page that was there first.
    pub page: u32,
    /// Whether the texts are equal rather than similar.
    pub exact: bool,
}

/// What is known of the texts of some pages with consecutive numbers.
struct Texts {
    simhashes: Vec<u64>,
    /// A part of the hash of the text: equal texts have the same, others hardly ever.
    checks: Vec<u32>,
}

/// Some of the pages with the same value of a block. Only the first node of a list may have room left.
#[derive(Clone, Copy)]
struct Node {
    pages: [u32; NODE],
    /// The next block of each page's simhash, which rules out nearly all the others without looking at them.
    filters: [u16; NODE],
    next: u32,
}

/// The known texts, in memory.
pub struct NearDuplicates {
    texts: Vec<Option<Texts>>,
    nodes: Vec<Vec<Node>>,
    /// The first of the nodes that are not in use.
    free: u32,
    /// For each block and value the first node and the number of pages.
    first: Vec<u32>,
    lengths: Vec<u32>,
    pages: usize,
}

impl Default for NearDuplicates {
    fn default() -> Self {
        Self {
            texts: Vec::new(),
            nodes: Vec::new(),
            free: NONE,
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
        let mut best: Option<(u32, u32)> = None;
        for block in 0..BLOCKS {
            let filter = filter(text.simhash, block);
            for (page, of_page) in self.listed(place(text.simhash, block)) {
                if (of_page ^ filter).count_ones() > MAX_DISTANCE {
                    continue;
                }
                let Some((simhash, check)) = self.text(page) else { continue };
                let distance = (simhash ^ text.simhash).count_ones();
                if distance == 0 && check == text.hash as u32 {
                    return Some(Duplicate { page, exact: true });
                }
                let near = distance <= MAX_DISTANCE && text.words >= MIN_WORDS;
                if near && best.is_none_or(|best| (distance, page) < best) {
                    best = Some((distance, page));
                }
            }
        }
        best.map(|(_, page)| Duplicate { page, exact: false })
    }

    /// Adds a page unless a known one says the same, which is then given. Remove the page's old text before.
    pub fn admit(&mut self, page: u32, text: &Fingerprint) -> Option<Duplicate> {
        let duplicate = self.find(text);
        if duplicate.is_none() {
            self.insert(page, text);
        }
        duplicate
    }

    pub(super) fn insert(&mut self, page: u32, text: &Fingerprint) {
        let mut listed = false;
        for block in 0..BLOCKS {
            listed |= self.list(page, place(text.simhash, block), filter(text.simhash, block));
        }
        if listed {
            self.remember(page, text);
            self.pages += 1;
        }
    }

    /// Forgets a page, given the text that it was added with. False if it was not known.
    pub fn remove(&mut self, page: u32, text: &Fingerprint) -> bool {
        if self.text(page) != Some((text.simhash, text.hash as u32)) {
            return false;
        }
        let mut removed = false;
        for block in 0..BLOCKS {
            removed |= self.unlist(page, place(text.simhash, block));
        }
        self.pages -= usize::from(removed);
        removed
    }

    /// Simhash and check of a page.
    fn text(&self, page: u32) -> Option<(u64, u32)> {
        let texts = self.texts.get(page as usize / CHUNK)?.as_ref()?;
        Some((texts.simhashes[page as usize % CHUNK], texts.checks[page as usize % CHUNK]))
    }

    fn remember(&mut self, page: u32, text: &Fingerprint) {
        let (chunk, place) = (page as usize / CHUNK, page as usize % CHUNK);
        if self.texts.len() <= chunk {
            self.texts.resize_with(chunk + 1, || None);
        }
        let texts =
            self.texts[chunk].get_or_insert_with(|| Texts { simhashes: vec![0; CHUNK], checks: vec![0; CHUNK] });
        texts.simhashes[place] = text.simhash;
        texts.checks[place] = text.hash as u32;
    }

    fn node(&self, number: u32) -> &Node {
        &self.nodes[number as usize / CHUNK][number as usize % CHUNK]
    }

    fn node_mut(&mut self, number: u32) -> &mut Node {
        &mut self.nodes[number as usize / CHUNK][number as usize % CHUNK]
    }

    /// The pages of a list with their filters.
    fn listed(&self, place: usize) -> impl Iterator<Item = (u32, u16)> {
        let mut number = self.first[place];
        let mut left = in_first(self.lengths[place]);
        std::iter::from_fn(move || {
            if number == NONE {
                return None;
            }
            let node = self.node(number);
            left -= 1;
            let listed = (node.pages[left], node.filters[left]);
            if left == 0 {
                (number, left) = (node.next, NODE);
            }
            Some(listed)
        })
    }

    /// Adds a page to a list, unless it is too long.
    fn list(&mut self, page: u32, place: usize, filter: u16) -> bool {
        let length = self.lengths[place];
        if length >= MAX_LISTED {
            return false;
        }
        if (length as usize).is_multiple_of(NODE) {
            self.first[place] = self.new_node(self.first[place]);
        }
        let node = self.node_mut(self.first[place]);
        node.pages[length as usize % NODE] = page;
        node.filters[length as usize % NODE] = filter;
        self.lengths[place] += 1;
        true
    }

    /// Takes a page from a list; the last one that was added fills its place.
    fn unlist(&mut self, page: u32, place: usize) -> bool {
        let Some((number, slot)) = self.slot(page, place) else { return false };
        let first = self.first[place];
        let last = in_first(self.lengths[place]) - 1;
        let Node { pages, filters, next } = *self.node(first);
        let node = self.node_mut(number);
        node.pages[slot] = pages[last];
        node.filters[slot] = filters[last];
        self.lengths[place] -= 1;
        if last == 0 {
            self.first[place] = next;
            self.node_mut(first).next = self.free;
            self.free = first;
        }
        true
    }

    /// Node and place of a page in a list.
    fn slot(&self, page: u32, place: usize) -> Option<(u32, usize)> {
        let mut number = self.first[place];
        let mut used = in_first(self.lengths[place]);
        while number != NONE {
            let node = self.node(number);
            if let Some(slot) = node.pages[..used].iter().position(|listed| *listed == page) {
                return Some((number, slot));
            }
            number = node.next;
            used = NODE;
        }
        None
    }

    fn new_node(&mut self, next: u32) -> u32 {
        let node = Node { pages: [NONE; NODE], filters: [0; NODE], next };
        if self.free != NONE {
            let number = self.free;
            self.free = self.node(number).next;
            *self.node_mut(number) = node;
            return number;
        }
        if self.nodes.last().is_none_or(|chunk| chunk.len() == CHUNK) {
            self.nodes.push(Vec::with_capacity(CHUNK));
        }
        let full = (self.nodes.len() - 1) * CHUNK;
        self.nodes.last_mut().map_or(NONE, |chunk| {
            chunk.push(node);
            (full + chunk.len() - 1) as u32
        })
    }
}

/// Pages in the first node of a list.
fn in_first(length: u32) -> usize {
    if length == 0 { 0 } else { (length as usize - 1) % NODE + 1 }
}

/// Where the list of a block's value begins.
fn place(simhash: u64, block: usize) -> usize {
    block * VALUES + (simhash >> (16 * block)) as usize % VALUES
}

/// The block after this one.
fn filter(simhash: u64, block: usize) -> u16 {
    (simhash >> (16 * ((block + 1) % BLOCKS))) as u16
}
