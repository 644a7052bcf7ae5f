//! Small sites for tests.

use store::{Document, PageId, Timestamp};
use tempfile::TempDir;

use crate::{Answer, Indexer, Request, Searcher, Settings};

/// 2026-06-01.
pub(crate) const NOW: Timestamp = Timestamp(1_780_272_000_000);
pub(crate) const DAY: i64 = 86_400_000;

/// A page in English on example.org, a year old.
pub(crate) fn page(number: u32, title: &str, text: &str) -> Document {
    let year_ago = Timestamp(NOW.0 - 365 * DAY);
    Document {
        page: PageId(number),
        url: format!("https://example.org/{number}"),
        host: "example.org".into(),
        title: title.into(),
        description: String::new(),
        headings: Vec::new(),
        text: text.into(),
        language: Some("en".into()),
        published: None,
        fetched_at: NOW,
        changed_at: year_ago,
        links_in: 0,
        depth: 1,
    }
}

/// The same in another language.
pub(crate) fn page_in(language: &str, number: u32, title: &str, text: &str) -> Document {
    Document { language: Some(language.into()), ..page(number, title, text) }
}

pub(crate) fn settings() -> Settings {
    Settings { memory: 15_000_000 }
}

/// An index with some pages.
pub(crate) fn site(pages: &[Document]) -> (TempDir, Searcher) {
    let folder = tempfile::tempdir().unwrap();
    let mut indexer = Indexer::open(folder.path(), &settings()).unwrap();
    for page in pages {
        indexer.put(page.clone()).unwrap();
    }
    indexer.commit(1).unwrap();
    let searcher = Searcher::open(folder.path()).unwrap();
    (folder, searcher)
}

pub(crate) fn ask(searcher: &Searcher, query: &str) -> Answer {
    searcher.search(&Request::new(query, NOW)).unwrap()
}

/// The numbers of the pages found, best first.
pub(crate) fn found(searcher: &Searcher, query: &str) -> Vec<u32> {
    ask(searcher, query).hits.iter().map(|hit| hit.page.0).collect()
}

/// The numbers of the pages found, sorted.
pub(crate) fn found_set(searcher: &Searcher, query: &str) -> Vec<u32> {
    let mut found = found(searcher, query);
    found.sort_unstable();
    found
}
