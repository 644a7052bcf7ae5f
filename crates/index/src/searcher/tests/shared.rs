//! Work that is shared among threads.

use std::sync::Arc;

use proptest::prelude::*;
use store::PageId;

use crate::collect::Best;
use crate::plan::plan;
use crate::query::Query;
use crate::searcher::pieces;
use crate::testing::{NOW, page, settings};
use crate::{Indexer, Searcher};

proptest! {
    #[test]
    fn pieces_are_all_documents_once(documents in 0..100_000_u32, most in 0..9_u32, least in 1..5_000_u32) {
        let mut next = 0;
        for piece in pieces(documents, most, least) {
            prop_assert_eq!(piece.start, next);
            prop_assert!(piece.end > piece.start);
            next = piece.end;
        }
        prop_assert_eq!(next, documents);
    }
}

/// Some segments, with gaps where pages were removed.
fn searcher(folder: &std::path::Path) -> Searcher {
    let mut indexer = Indexer::open(folder, &settings()).unwrap();
    for batch in 0..3 {
        for number in (0..40).map(|number| 40 * batch + number) {
            let text =
                format!("a robot visits {} pages, and page {number} often", ["many", "few", "no"][number as usize % 3]);
            indexer.put(page(number, "Robots", &text)).unwrap();
        }
        indexer.commit(u64::from(batch) + 1).unwrap();
    }
    (0..120).step_by(7).for_each(|number| indexer.remove(PageId(number)));
    indexer.commit(4).unwrap();
    Searcher::open(folder).unwrap()
}

#[test]
fn the_same_is_found_in_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let searcher = searcher(folder.path());
    let snapshot = searcher.snapshot();
    for text in ["robot", "\"visits many pages\"", "few OR often", "robot -many", "\"page 17\"", "absent"] {
        let planned = plan(searcher.ground(&snapshot), &Query::parse(text).0, false).unwrap();
        let best = || Best { most: 10, ranking: searcher.ranking, now: NOW, base: 0.0, reached: Arc::default() };
        let whole = snapshot.searcher.search(&planned.query, &best()).unwrap();
        for least in [1, 3, 1_000] {
            let shared = searcher.share(&snapshot, &planned, &best(), least).unwrap();
            assert_eq!((shared.total, &shared.best), (whole.total, &whole.best), "{text}");
            assert_eq!((&shared.hosts, &shared.languages), (&whole.hosts, &whole.languages), "{text}");
        }
        assert_eq!(whole.total == 0, text == "absent", "{text}");
    }
}
