//! What is asked and what is answered.

use std::time::Duration;

use serde::Serialize;
use store::{PageId, Timestamp};

use crate::query::Note;
use crate::snippet::Snippet;

/// A search.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The query, as typed.
    pub query: String,
    /// Hits to leave out at the top.
    pub offset: usize,
    /// Hits to give; with the offset at most 10,000.
    pub limit: usize,
    /// Most hits of one host, if there is a limit. Looked for among the best 10,000.
    pub per_host: Option<usize>,
    /// Length of snippets in bytes, about.
    pub snippet: usize,
    /// Give the parts of each score.
    pub explain: bool,
    /// The present moment, for the freshness of hits.
    pub now: Timestamp,
}

impl Request {
    /// The first ten hits for a query.
    #[must_use]
    pub fn new(query: &str, now: Timestamp) -> Self {
        Self { query: query.to_owned(), offset: 0, limit: 10, per_host: None, snippet: 200, explain: false, now }
    }
}

/// What was found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Answer {
    /// The query as it was understood.
    pub query: String,
    /// What the reader should know about that.
    pub notes: Vec<Note>,
    /// Pages found.
    pub total: u64,
    /// The hits asked for, best first.
    pub hits: Vec<Hit>,
    /// The hosts with most of the pages found.
    pub hosts: Vec<Count>,
    /// Their languages, where known.
    pub languages: Vec<Count>,
    /// A query that finds more, if this one found little and looks misspelt.
    pub did_you_mean: Option<String>,
    /// Hits left out at the top.
    pub offset: usize,
    /// Hits asked for.
    pub limit: usize,
    /// Time spent.
    pub took: Duration,
}

/// How many of the pages found have something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Count {
    /// What they have.
    pub value: String,
    /// How many.
    pub count: u64,
}

/// A page that was found.
#[derive(Clone, Debug, Serialize)]
pub struct Hit {
    /// The page.
    pub page: PageId,
    /// Its address.
    pub url: String,
    /// Its title; empty if it has none.
    pub title: String,
    /// Why it was found.
    pub snippet: Snippet,
    /// How good it is; to be compared within one answer only.
    pub score: f32,
    /// Its language, if known.
    pub language: Option<String>,
    /// Its host.
    pub host: String,
    /// When it says it was published.
    pub published: Option<Timestamp>,
    /// When it last changed.
    pub changed_at: Timestamp,
    /// When it was fetched.
    pub fetched_at: Timestamp,
    /// The parts of the score, if asked for.
    pub explanation: Option<Explanation>,
}

/// The parts of a score: `text * proximity * links * freshness * depth`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// What the words count together.
    pub text: f32,
    /// What each word counts.
    pub words: Vec<WordPart>,
    /// Words close together.
    pub proximity: f32,
    /// Links to the page.
    pub links: f32,
    /// Changed or published of late.
    pub freshness: f32,
    /// Near a seed.
    pub depth: f32,
}

/// What one word counts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WordPart {
    /// The word.
    pub word: String,
    /// What it counts.
    pub score: f32,
    /// Its frequency by field, weighted and normalised by length.
    pub fields: Vec<(&'static str, f32)>,
}
