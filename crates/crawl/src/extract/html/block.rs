//! The text of a page in blocks.

use super::region::Regions;
use crate::extract::cut;
use crate::extract::space::{Place, place, plain_words, printable, words_in};

/// A run of text between two block-level tags.
#[derive(Clone, Copy, Debug)]
pub(in crate::extract) struct Block {
    start: u32,
    end: u32,
    /// Words, counted as for [`Extracted::words`](crate::extract::Extracted::words).
    pub(in crate::extract) words: u32,
    /// Bytes that are the text of links.
    pub(in crate::extract) link_bytes: u32,
    /// Where it stands.
    pub(in crate::extract) regions: Regions,
    /// 1 to 6 for a heading, otherwise 0.
    pub(in crate::extract) heading: u8,
}

impl Block {
    /// Its length in bytes.
    pub(in crate::extract) fn bytes(&self) -> u32 {
        self.end - self.start
    }

    /// Its text.
    pub(in crate::extract) fn text<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start as usize..self.end as usize]
    }
}

/// Bytes of text for which room is made before there is any.
const MOST_ROOM: usize = 64 << 10;

/// Gathers text into blocks, with white space collapsed.
pub(super) struct Blocks {
    text: String,
    blocks: Vec<Block>,
    limit: usize,
    /// Where the block in work starts.
    start: usize,
    /// The heading that the text belongs to, or 0.
    pub(super) heading: u8,
    regions: Regions,
    run: Run,
    /// Line breaks since the last word.
    breaks: u8,
}

/// The state of the block in work.
#[derive(Clone, Copy, Default)]
struct Run {
    words: u32,
    link_bytes: u32,
    /// Bytes since the last white space, and whether all are ASCII.
    bytes: u32,
    beyond_ascii: bool,
    /// The white space that is due before the next word.
    space: Option<char>,
}

/// A place in the text, to look or go back to.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    at: usize,
    start: usize,
    run: Run,
}

impl Mark {
    /// Whether the block had text before the mark.
    pub(super) fn is_inside_block(self) -> bool {
        self.at > self.start
    }
}

impl Blocks {
    /// `limit` is in bytes of text and below 2^32. The page has so many bytes.
    pub(super) fn new(limit: usize, page: usize) -> Self {
        Self {
            text: String::with_capacity(limit.min(page).min(MOST_ROOM)),
            blocks: Vec::with_capacity(64),
            limit: limit.min(u32::MAX as usize),
            start: 0,
            heading: 0,
            regions: Regions::NONE,
            run: Run::default(),
            breaks: 0,
        }
    }

    /// Adds running text.
    pub(super) fn push(&mut self, text: &str, regions: Regions, in_link: bool, keep_lines: bool) {
        let text = cut(text, self.limit.saturating_sub(self.text.len() + 2));
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            match place(bytes, at) {
                Place::Space(length) => {
                    let line = keep_lines && bytes[at] == b'\n';
                    self.separate(if line { '\n' } else { ' ' });
                    at += length;
                }
                Place::Nothing(length) => at += length,
                Place::Word => {
                    let before = self.text.len();
                    self.begin_words(regions);
                    let end = self.count_words(bytes, at);
                    self.text.push_str(&text[at..end]);
                    at = end;
                    if in_link {
                        self.run.link_bytes += (self.text.len() - before) as u32;
                    }
                }
            }
        }
    }

    /// Counts the words from a place on that are separated by single spaces, and gives their end.
    fn count_words(&mut self, bytes: &[u8], start: usize) -> usize {
        let mut at = self.count_plain_words(bytes, start);
        loop {
            let (word, mut all_bits) = (at, 0);
            loop {
                at += printable(bytes, at);
                if at == bytes.len() || place(bytes, at) != Place::Word {
                    break;
                }
                all_bits |= bytes[at];
                at += 1;
            }
            self.run.bytes += (at - word) as u32;
            self.run.beyond_ascii |= !all_bits.is_ascii();
            if bytes.get(at) != Some(&b' ') || at + 1 == bytes.len() || place(bytes, at + 1) != Place::Word {
                return at;
            }
            self.end_run();
            at += 1;
        }
    }

    /// Counts words of ASCII, and gives the start of the last, which is yet to be counted.
    fn count_plain_words(&mut self, bytes: &[u8], start: usize) -> usize {
        let words = plain_words(bytes, start);
        if words.spaces > 0 {
            // The first word may go on from a text before.
            self.run.bytes += (words.first_end - start) as u32;
            self.end_run();
            self.run.words += words.spaces - 1;
        }
        words.last
    }

    /// Writes the white space that is due.
    fn begin_words(&mut self, regions: Regions) {
        if self.text.len() == self.start {
            self.regions = regions;
        } else if let Some(space) = self.run.space {
            self.text.push(space);
        }
        self.run.space = None;
        self.breaks = 0;
    }

    /// Makes sure that white space follows what is there.
    pub(super) fn separate(&mut self, space: char) {
        self.end_run();
        if self.run.space != Some('\n') {
            self.run.space = Some(space);
        }
    }

    fn end_run(&mut self) {
        if self.run.bytes > 0 {
            self.run.words += words_in(self.run.bytes, !self.run.beyond_ascii);
            self.run.bytes = 0;
            self.run.beyond_ascii = false;
        }
    }

    /// A line break; two of them separate blocks.
    pub(super) fn line_break(&mut self, keep_lines: bool) {
        self.breaks += 1;
        if self.breaks >= 2 {
            self.end_block();
        }
        self.separate(if keep_lines { '\n' } else { ' ' });
    }

    /// A table cell: large ones are blocks of their own, small ones share the block of their row.
    pub(super) fn cell(&mut self) {
        let bytes = (self.text.len() - self.start) as u32;
        if self.run.words >= 12 || self.run.link_bytes * 2 > bytes {
            self.end_block();
        }
        self.separate(' ');
    }

    /// Ends the block in work and gives its text, if it has one.
    pub(super) fn end_block(&mut self) -> Option<&str> {
        self.end_run();
        let (start, end) = (self.start, self.text.len());
        let run = std::mem::take(&mut self.run);
        self.breaks = 0;
        if start == end {
            return None;
        }
        self.blocks.push(Block {
            start: start as u32,
            end: end as u32,
            words: run.words,
            link_bytes: run.link_bytes,
            regions: self.regions,
            heading: self.heading,
        });
        self.text.push('\n');
        self.start = self.text.len();
        Some(&self.text[start..end])
    }

    /// Where the block in work stands.
    pub(super) fn regions(&self) -> Regions {
        self.regions
    }

    pub(super) fn mark(&self) -> Mark {
        Mark { at: self.text.len(), start: self.start, run: self.run }
    }

    /// The text since a mark.
    pub(super) fn since(&self, mark: Mark) -> &str {
        &self.text[mark.at..]
    }

    /// Takes back the text since a mark, if it is all in the block in work.
    pub(super) fn retract(&mut self, mark: Mark) {
        if mark.start == self.start {
            self.text.truncate(mark.at);
            self.run = mark.run;
        }
    }

    /// All text and its blocks.
    pub(super) fn finish(mut self) -> (String, Vec<Block>) {
        self.end_block();
        (self.text, self.blocks)
    }
}
