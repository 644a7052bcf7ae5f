//! Include and exclude patterns: globs and regular expressions.

use std::sync::Arc;

use regex::bytes::{Regex, RegexBuilder};

use crate::{
    address::PageUrl,
    robots_txt::{Pattern, comparable_path, comparable_text},
};

/// Most memory of a compiled regular expression, in bytes.
const MAX_REGEX: usize = 1 << 20;

/// Why a pattern cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ScopeError {
    /// A regular expression with a mistake, or one that would grow too large.
    #[error("the pattern {pattern} is no regular expression: {error}")]
    Regex {
        /// The pattern as written.
        pattern: String,
        /// What is wrong with it.
        error: regex::Error,
    },
    /// A glob that could match nothing.
    #[error("begin the pattern {pattern:?} with /, *, http://, https:// or re:")]
    Glob {
        /// The pattern as written.
        pattern: String,
    },
}

/// Patterns, of which one is enough.
#[derive(Clone, Debug, Default)]
pub(super) struct PatternList(Vec<(Arc<str>, Kind)>);

#[derive(Clone, Debug)]
enum Kind {
    Path(Pattern),
    Address(Pattern),
    Regex(Regex),
}

impl PatternList {
    pub(super) fn new(written: &[impl AsRef<str>]) -> Result<Self, ScopeError> {
        let prepare = |text: &str| Ok((Arc::from(text), Kind::new(text)?));
        written.iter().map(|text| prepare(text.as_ref())).collect::<Result<_, _>>().map(Self)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The patterns as written.
    pub(super) fn written(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(written, _)| &**written)
    }

    /// The first pattern that the page matches, as written.
    pub(super) fn first_match(&self, page: &PageUrl) -> Option<Arc<str>> {
        self.position(page).map(|at| Arc::clone(&self.0[at].0))
    }

    /// Which pattern is the first that the page matches.
    pub(super) fn position(&self, page: &PageUrl) -> Option<usize> {
        if self.is_empty() {
            return None;
        }
        let path = comparable_path(page.path_and_query());
        let address = comparable_text(page.as_str());
        let matches = |kind: &Kind| match kind {
            Kind::Path(pattern) => pattern.matches(&path),
            Kind::Address(pattern) => pattern.matches(&address),
            Kind::Regex(regex) => regex.is_match(page.as_str().as_bytes()),
        };
        self.0.iter().position(|(_, kind)| matches(kind))
    }
}

impl Kind {
    fn new(written: &str) -> Result<Self, ScopeError> {
        if let Some(regex) = written.strip_prefix("re:") {
            // Addresses are ASCII, so the tables of Unicode are not needed.
            let built = RegexBuilder::new(regex).unicode(false).size_limit(MAX_REGEX).build();
            return built.map(Self::Regex).map_err(|error| ScopeError::Regex { pattern: written.to_owned(), error });
        }
        match written {
            _ if written.starts_with(['/', '*']) => Ok(Self::Path(Pattern::new(written.as_bytes()))),
            _ if written.starts_with("http") => Ok(Self::Address(Pattern::new(written.as_bytes()))),
            _ => Err(ScopeError::Glob { pattern: written.to_owned() }),
        }
    }
}
