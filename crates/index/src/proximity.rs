//! Where on a page the words of a query stand, and how close together. Looked at for the best hits only: positions are costly
//! to read.

use tantivy::postings::{Postings as _, SegmentPostings};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet as _, Searcher, SegmentReader};

use crate::collect::Candidate;
use crate::plan::Word;
use crate::schema::Searched;

#[cfg(test)]
mod tests;

/// Words and positions that are looked at.
const MOST_WORDS: usize = 8;
const MOST_POSITIONS: usize = 500;
/// Words close together but not as in the query count less.
const LOOSE: f32 = 0.8;

/// For each candidate, 1 if the words stand in a row as in the query, less the further they are apart, 0 if some are missing.
pub(crate) fn closeness(searcher: &Searcher, words: &[Word], candidates: &[Candidate]) -> tantivy::Result<Vec<f32>> {
    let mut closeness = vec![0.0_f32; candidates.len()];
    if words.len() < 2 {
        return Ok(closeness);
    }
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_unstable_by_key(|&place| candidates[place].at);
    let words = &words[..words.len().min(MOST_WORDS)];
    for group in order.chunk_by(|&a, &b| candidates[a].at.segment_ord == candidates[b].at.segment_ord) {
        let Some(&first) = group.first() else { continue };
        let reader = searcher.segment_reader(candidates[first].at.segment_ord);
        for field in [Searched::Title, Searched::Body] {
            let mut lists = open(reader, words, field)?;
            if lists.iter().any(Vec::is_empty) {
                continue;
            }
            for &place in group {
                let found = of_places(&places(&mut lists, candidates[place].at.doc_id), words.len());
                closeness[place] = closeness[place].max(found);
            }
        }
    }
    Ok(closeness)
}

/// The positions of the words in the body of a page, in order, with the number of the word.
pub(crate) fn places_in_body(reader: &SegmentReader, words: &[Word], doc: DocId) -> tantivy::Result<Vec<(u32, usize)>> {
    Ok(places(&mut open(reader, words, Searched::Body)?, doc))
}

/// For each word its postings in a field.
fn open(reader: &SegmentReader, words: &[Word], field: Searched) -> tantivy::Result<Vec<Vec<SegmentPostings>>> {
    let mut lists = Vec::new();
    for word in words {
        let mut list = Vec::new();
        for stream in word.query.streams.iter().filter(|stream| stream.field == field) {
            let index = reader.inverted_index(stream.term.field())?;
            list.extend(index.read_postings(&stream.term, IndexRecordOption::WithFreqsAndPositions)?);
        }
        lists.push(list);
    }
    Ok(lists)
}

fn places(lists: &mut [Vec<SegmentPostings>], doc: DocId) -> Vec<(u32, usize)> {
    let mut places: Vec<(u32, usize)> = Vec::new();
    let mut positions = Vec::new();
    for (word, list) in lists.iter_mut().enumerate() {
        for postings in list {
            if postings.doc() < doc {
                postings.seek(doc);
            }
            if postings.doc() == doc {
                postings.positions(&mut positions);
                places.extend(positions.iter().take(MOST_POSITIONS).map(|&position| (position, word)));
            }
        }
    }
    places.sort_unstable();
    places
}

/// Closeness by the sorted places of `n` words.
fn of_places(places: &[(u32, usize)], n: usize) -> f32 {
    let in_row = |window: &[(u32, usize)]| {
        window.iter().enumerate().all(|(step, &(position, word))| word == step && position == window[0].0 + step as u32)
    };
    if places.windows(n).any(in_row) {
        return 1.0;
    }
    shortest_window(places, n).map_or(0.0, |length| LOOSE * n as f32 / length.max(n as u32) as f32)
}

/// Words in the shortest stretch of text that has all `n`.
fn shortest_window(places: &[(u32, usize)], n: usize) -> Option<u32> {
    let mut counts = vec![0_usize; n];
    let mut missing = n;
    let mut start = 0;
    let mut shortest = None;
    for &(end, word) in places {
        missing -= usize::from(counts[word] == 0);
        counts[word] += 1;
        while missing == 0 {
            let (begin, first) = places[start];
            let length = end - begin + 1;
            shortest = Some(shortest.map_or(length, |known: u32| known.min(length)));
            counts[first] -= 1;
            missing += usize::from(counts[first] == 0);
            start += 1;
        }
    }
    shortest
}
