use serde::{Deserialize, Serialize};

use crate::{Position, Timestamp};

/// What a visit found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Outcome {
    /// The first copy.
    New,
    /// The main text has changed.
    Changed,
    /// The main text is the same.
    Unchanged,
    /// The server says that nothing has changed (304).
    NotModified,
    /// The page does not exist (any more).
    Gone,
    /// Not to be visited or shown.
    Excluded,
    /// It leads to another page.
    Redirect,
    /// It says the same as another page.
    Duplicate,
    /// Of a kind that is not indexed.
    Skipped,
    /// No answer, or none that can be used.
    Failed,
    /// The copy found no place in the buffer; the page goes back to the frontier.
    Lost,
    /// The copy became obsolete in the buffer; the page goes back to the frontier.
    Obsolete,
}

impl Outcome {
    /// All outcomes.
    pub const ALL: [Self; 12] = [
        Self::New,
        Self::Changed,
        Self::Unchanged,
        Self::NotModified,
        Self::Gone,
        Self::Excluded,
        Self::Redirect,
        Self::Duplicate,
        Self::Skipped,
        Self::Failed,
        Self::Lost,
        Self::Obsolete,
    ];

    /// The word that stands for it in the catalogue.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Changed => "changed",
            Self::Unchanged => "unchanged",
            Self::NotModified => "not modified",
            Self::Gone => "gone",
            Self::Excluded => "excluded",
            Self::Redirect => "redirect",
            Self::Duplicate => "duplicate",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
            Self::Lost => "lost",
            Self::Obsolete => "obsolete",
        }
    }

    /// The outcome of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.name() == name)
    }
}

/// One visit to a page.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Visit {
    /// When.
    pub at: Timestamp,
    /// What it found.
    pub outcome: Outcome,
    /// HTTP status; none if there was no answer.
    pub status: Option<u16>,
    /// Bytes received.
    pub bytes: u64,
    /// How long it took.
    pub milliseconds: u32,
    /// Where the archive has the record of it.
    pub archive: Option<Position>,
}
