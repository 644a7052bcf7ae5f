//! What pages matter.

use super::ScopeError;
use super::patterns::PatternList;
use crate::address::PageUrl;

/// What pages matter, by patterns of their addresses as in [`ScopeRules`](super::ScopeRules): the first that matches decides.
#[derive(Clone, Debug, Default)]
pub struct Weights {
    patterns: PatternList,
    weights: Vec<f32>,
}

impl Weights {
    /// Prepares patterns and their weights.
    ///
    /// # Errors
    /// When a pattern cannot be understood.
    pub fn new(written: &[(String, f32)]) -> Result<Self, ScopeError> {
        let patterns: Vec<&str> = written.iter().map(|(pattern, _)| pattern.as_str()).collect();
        let patterns = PatternList::new(&patterns)?;
        Ok(Self { patterns, weights: written.iter().map(|(_, weight)| *weight).collect() })
    }

    /// These patterns, which go before those of `self`.
    ///
    /// # Errors
    /// When a pattern cannot be understood.
    pub fn after(&self, first: &[(String, f32)]) -> Result<Self, ScopeError> {
        let rest = self.patterns.written().zip(&self.weights).map(|(pattern, weight)| (pattern.to_owned(), *weight));
        Self::new(&first.iter().cloned().chain(rest).collect::<Vec<_>>())
    }

    /// What a page matters, if a pattern says so.
    #[must_use]
    pub fn fixed(&self, page: &PageUrl) -> Option<f32> {
        self.patterns.position(page).map(|at| self.weights[at])
    }
}

impl PartialEq for Weights {
    fn eq(&self, other: &Self) -> bool {
        self.weights == other.weights && self.patterns.written().eq(other.patterns.written())
    }
}
