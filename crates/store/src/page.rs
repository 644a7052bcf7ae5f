use serde::{Deserialize, Serialize};

use crate::{Digest, HostId, PageId, Position, Timestamp};

/// Longest sketch that is kept of a page, in bytes. A longer one is cut.
pub const MOST_SKETCH: usize = 4096;

/// What is known of a page after its last visit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum State {
    /// Found, but not visited yet.
    #[default]
    Known,
    /// There is a copy.
    Fetched,
    /// The server says that it does not exist (any more).
    Gone,
    /// Not to be visited or shown: `robots_txt`, noindex, or the user's wish.
    Excluded,
    /// It leads to another page.
    Redirect,
    /// It says the same as another page.
    Duplicate,
    /// Visited, but of a kind that is not indexed.
    Skipped,
    /// The visits have failed so far.
    Failed,
}

impl State {
    /// All states.
    pub const ALL: [Self; 8] = [
        Self::Known,
        Self::Fetched,
        Self::Gone,
        Self::Excluded,
        Self::Redirect,
        Self::Duplicate,
        Self::Skipped,
        Self::Failed,
    ];

    /// The word that stands for it in the catalogue.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Known => "known",
            Self::Fetched => "fetched",
            Self::Gone => "gone",
            Self::Excluded => "excluded",
            Self::Redirect => "redirect",
            Self::Duplicate => "duplicate",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
        }
    }

    /// The state of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

/// A page that has just been found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewPage {
    /// Its number.
    pub id: PageId,
    /// Its address, normalised.
    pub url: String,
    /// Its host.
    pub host: HostId,
    /// Links from a seed to it.
    pub depth: u16,
    /// When it was found.
    pub found_at: Timestamp,
    /// The page that led to it; none for a seed.
    pub referrer: Option<PageId>,
    /// What it costs that its copy is out of date.
    pub weight: f32,
    /// Links to it known so far.
    pub links_in: u32,
}

/// A page as the catalogue has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// Its number.
    pub id: PageId,
    /// Its address, normalised.
    pub url: String,
    /// Its host.
    pub host: HostId,
    /// When it was found.
    pub found_at: Timestamp,
    /// The page that led to it; none for a seed.
    pub referrer: Option<PageId>,
    /// Links from a seed to it, what it costs that its copy is out of date, and links to it.
    pub standing: Standing,
    /// What visits have found.
    pub values: Values,
}

/// What links and readers say about a page. It changes without a visit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// Links from a seed to it.
    pub depth: u16,
    /// What it costs that its copy is out of date.
    pub weight: f32,
    /// Links to it from other pages known so far.
    pub links_in: u32,
}

/// What visits have found on a page: the values of its columns after the last one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Values {
    /// What is known of it.
    pub state: State,
    /// When it was last visited.
    pub checked_at: Option<Timestamp>,
    /// When it last changed, as far as is known.
    pub changed_at: Option<Timestamp>,
    /// HTTP status of the last answer.
    pub status: Option<u16>,
    /// Visits that failed since the last that did not.
    pub failures: u32,
    /// Not to be visited before.
    pub retry_at: Option<Timestamp>,
    /// Visits so far.
    pub visits: u32,
    /// Visits that found it changed.
    pub changes: u32,
    /// What the visits say about its change rate: changes ...
    pub evidence_changes: f32,
    /// ... seen in this much time.
    pub evidence_exposure: f32,
    /// Hash of the main text.
    pub text_hash: Option<[u8; 16]>,
    /// Hash of the main text that is near for texts that are near.
    pub simhash: Option<u64>,
    /// Sketch of the main text, for the size of a change; at most [`MOST_SKETCH`] bytes.
    pub sketch: Vec<u8>,
    /// `ETag` of the last answer.
    pub etag: Option<String>,
    /// `Last-Modified` of the last answer, as received.
    pub last_modified: Option<String>,
    /// Media type.
    pub mime: Option<String>,
    /// Two letters of ISO 639-1.
    pub language: Option<String>,
    /// The title.
    pub title: Option<String>,
    /// Size of the body in bytes.
    pub bytes: Option<u64>,
    /// The page that says the same and is shown instead.
    pub duplicate_of: Option<PageId>,
    /// Where it leads to.
    pub redirect_to: Option<String>,
    /// Where the archive has the last full copy.
    pub archive: Option<Position>,
    /// When that copy was fetched.
    pub archived_at: Option<Timestamp>,
    /// Digest of its body, by which a later visit knows that it need not be stored again.
    pub digest: Option<Digest>,
    /// The search index has it.
    pub indexed: bool,
    /// When it says it was published.
    pub published: Option<Timestamp>,
}

impl Values {
    /// Whether it was removed: nobody wants it visited again, nor its copies shown. (A page that its host excludes is asked for
    /// again later.)
    #[must_use]
    pub fn is_removed(&self) -> bool {
        self.state == State::Excluded && self.retry_at.is_none()
    }
}
