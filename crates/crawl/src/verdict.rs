//! Whether a page is taken into the crawl, and if not, why not, in words for the user.

use std::sync::Arc;

/// What is done with a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The page belongs to the crawl.
    Take,
    /// The page is left out.
    Skip(Reason),
}

impl Verdict {
    /// Whether the page belongs to the crawl.
    #[must_use]
    pub fn is_take(&self) -> bool {
        *self == Self::Take
    }
}

/// Why a page is left out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// Not on a host of the seeds.
    #[error("on another host than the seeds")]
    OtherHost,
    /// Not in a domain of the seeds.
    #[error("in another domain than the seeds")]
    OtherDomain,
    /// Not below a seed.
    #[error("not below the path of a seed")]
    OutsidePrefix,
    /// No include pattern matches.
    #[error("no include pattern matches")]
    NotIncluded,
    /// An exclude pattern matches.
    #[error("excluded by the pattern {pattern}")]
    Excluded {
        /// The pattern as written.
        pattern: Arc<str>,
    },
    /// Too many links away from the seeds.
    #[error("{depth} links away from a seed, more than {limit}")]
    TooDeep {
        /// Links from a seed to the page.
        depth: u32,
        /// Most that are followed.
        limit: u32,
    },
    /// The site has as many pages as it may.
    #[error("the site already has {limit} pages")]
    SiteFull {
        /// Most pages of one site.
        limit: u64,
    },
    /// The name says that this is no text.
    #[error("a file of type {extension}, not a page")]
    Binary {
        /// The extension, in lower case.
        extension: &'static str,
    },
    /// The same path segments follow each other again and again.
    #[error("the path repeats itself")]
    RepeatingPath,
    /// More folders than any page has.
    #[error("more than {limit} folders in the path")]
    TooManySegments {
        /// Most path segments.
        limit: usize,
    },
    /// More query parameters than any page has.
    #[error("more than {limit} query parameters")]
    TooManyParameters {
        /// Most query parameters.
        limit: usize,
    },
    /// A number longer than any counter.
    #[error("a number of more than {limit} digits")]
    LongNumber {
        /// Most digits.
        limit: usize,
    },
    /// A calendar page far away from today.
    #[error("a date in the year {year}, far from today")]
    DistantDate {
        /// The year.
        year: u32,
    },
    /// Too many pages that differ only in numbers, without new content.
    #[error("more than {limit} pages that differ only in numbers, and little new in them")]
    EndlessNumbers {
        /// Pages taken without new content.
        limit: u32,
    },
    /// Too many queries of one page, without new content.
    #[error("more than {limit} queries of one page, and little new in them")]
    EndlessQueries {
        /// Pages taken without new content.
        limit: u32,
    },
}
