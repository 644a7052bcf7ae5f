//! From the buffer to the index, and search in it. HTTP is unknown here.
//!
//! An [`Indexer`] writes documents into a folder and commits them in batches, or is split so that one batch is written while the
//! next is taken in; [`Searcher`]s read the last commit, also from
//! other processes. The index itself is tantivy's; ours are the way from text to terms, the query language, the ranking
//! and the snippets.

mod analysis;
mod answer;
mod bm25f;
mod collect;
mod complete;
mod draft;
mod entry;
mod indexer;
mod pages;
mod plan;
mod proximity;
mod query;
mod rank;
mod readable;
mod schema;
mod searcher;
mod snippet;
mod sound;
mod suggest;
#[cfg(test)]
mod testing;

pub use answer::{Answer, Count, Explanation, Hit, Request, WordPart};
pub use indexer::{Changes, Drafter, IndexError, Indexer, Settings, Writer};
pub use query::{Clause, Day, LONGEST_QUERY, MOST_TERMS, Note, Query, Term, What};
pub use rank::{Ranking, Weights};
pub use searcher::{DEEPEST, SearchError, Searcher};
pub use snippet::Snippet;
pub use sound::verify;
