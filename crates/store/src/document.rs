use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// A page, by its number in the catalogue. Numbers are given in the order of discovery and never used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PageId(pub u32);

/// What was found on a page: what robots deliver to the buffer and the indexer takes from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// The page.
    pub page: PageId,
    /// Its address, normalised.
    pub url: String,
    /// Host, with the port if it is not the usual one.
    pub host: String,
    /// The title; empty if it has none.
    pub title: String,
    /// The description that the page gives of itself; empty if it has none.
    pub description: String,
    /// Headings, in order.
    pub headings: Vec<String>,
    /// The main text, without boilerplate.
    pub text: String,
    /// Two letters of ISO 639-1, if the language is known.
    pub language: Option<String>,
    /// When the page says it was published.
    pub published: Option<Timestamp>,
    /// When this version was fetched.
    pub fetched_at: Timestamp,
    /// When it last changed, as far as is known.
    pub changed_at: Timestamp,
    /// Links to it from other pages known so far.
    pub links_in: u32,
    /// Links from a seed to it.
    pub depth: u16,
}
