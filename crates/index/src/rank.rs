//! What makes a hit a good one.
//!
//! ```text
//! score = text * proximity * links * freshness * depth
//! ```
//!
//! `text` is BM25F (Robertson, Zaragoza, Taylor 2004: "Simple BM25 extension to multiple weighted fields"): the frequencies of
//! a word in the fields are weighted, normalised by the length of each field and added up *before* they saturate, so that a
//! word in title, heading and body counts more than once but not as three words. The other factors are 1 for a page without
//! merit and only a little more for the best, so that they decide between pages whose text answers about equally well.

use serde::{Deserialize, Serialize};
use store::Timestamp;

const DAY: f64 = 86_400_000.0;

/// How much a word counts in each field, relative to the body.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Weights {
    /// The author's own words for what the page is about: strongest.
    pub title: f32,
    /// What a section is about.
    pub headings: f32,
    /// Written for search engines, often well, sometimes to please them.
    pub description: f32,
    /// The text itself.
    pub body: f32,
    /// Words in addresses are chosen with care but are few and often technical.
    pub url: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self { title: 5.0, headings: 2.5, description: 1.5, body: 1.0, url: 1.5 }
    }
}

impl Weights {
    pub(crate) fn all(&self) -> [f32; 5] {
        [self.title, self.headings, self.description, self.body, self.url]
    }
}

/// How hits are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ranking {
    /// How much a word counts in each field.
    pub weights: Weights,
    /// How soon repetition of a word stops to count (k1 of BM25).
    pub saturation: f32,
    /// How much long texts are held to be merely long (b of BM25), 0 to 1.
    pub length: f32,
    /// Gain of a page that has the words of the query next to each other and in order.
    pub proximity: f32,
    /// Gain per tenfold number of links to a page.
    pub links: f32,
    /// Gain of a page that changed just now.
    pub freshness: f32,
    /// Days after which half of that gain is left.
    pub half_life: f32,
    /// Loss per link from a seed, up to ten.
    pub depth: f32,
}

impl Default for Ranking {
    fn default() -> Self {
        Self {
            weights: Weights::default(),
            saturation: 1.2,
            length: 0.75,
            proximity: 0.5,
            links: 0.08,
            freshness: 0.15,
            half_life: 180.0,
            depth: 0.01,
        }
    }
}

/// What is known of a page besides its text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Merits {
    pub(crate) links_in: u64,
    pub(crate) depth: u64,
    /// The later of publication and last change.
    pub(crate) moment: Timestamp,
}

/// The factors of a score that do not depend on the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Factors {
    pub(crate) links: f32,
    pub(crate) freshness: f32,
    pub(crate) depth: f32,
}

impl Factors {
    pub(crate) fn product(self) -> f32 {
        self.links * self.freshness * self.depth
    }
}

impl Ranking {
    /// Links from a billion pages are as good as it gets.
    const MOST_LINKS: f32 = 9.0;

    pub(crate) fn factors(&self, merits: &Merits, now: Timestamp) -> Factors {
        let tens = ((merits.links_in as f32) + 1.0).log10().min(Self::MOST_LINKS);
        let age = (now.0.saturating_sub(merits.moment.0) as f64 / DAY).max(0.0) as f32;
        Factors {
            links: 1.0 + self.links.max(0.0) * tens,
            freshness: 1.0 + self.freshness.max(0.0) * (-age / self.half_life.max(0.01)).exp2(),
            depth: 1.0 / (1.0 + self.depth.max(0.0) * merits.depth.min(10) as f32),
        }
    }
}
