use serde::{Deserialize, Serialize};

use crate::{PageId, Timestamp};

/// How a reader came across a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskKind {
    /// It was among the results of a search.
    Shown,
    /// It was chosen.
    Clicked,
}

impl AskKind {
    /// As it is written.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Shown => "shown",
            Self::Clicked => "clicked",
        }
    }
}

/// A reader has asked for a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Its number.
    pub id: u64,
    /// When.
    pub at: Timestamp,
    /// The page.
    pub page: PageId,
    /// How.
    pub kind: AskKind,
}

/// How often readers have asked for a page: old asks count less.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Demand {
    /// The page.
    pub page: PageId,
    /// How often.
    pub asked: f32,
    /// As of then.
    pub at: Timestamp,
}
