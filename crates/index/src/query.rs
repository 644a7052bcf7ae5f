//! The query language.
//!
//! ```text
//! words here              all words must be there
//! "exact phrase"          one after the other
//! a OR b                  one of the two
//! site:example.org        this host, or below this domain
//! lang:de                 in this language
//! intitle:word            in the title (also intitle:"two words")
//! inurl:word              in the address
//! after:2026-01-01        published (or else changed) on this day or later; a year or year-month will do
//! before:2026-01-01       earlier than this day
//! -anything               not that
//! ```
//!
//! There is no syntax error: what makes no sense is searched as words, and the answer says so.

use std::fmt;

use serde::Serialize;

mod day;
mod parse;
#[cfg(test)]
mod tests;

pub use day::Day;

/// Longest query, in bytes; the rest is left out.
pub const LONGEST_QUERY: usize = 1_000;
/// Most terms in a query; the rest is left out.
pub const MOST_TERMS: usize = 32;

/// A query: every clause must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Query {
    /// All of these.
    pub clauses: Vec<Clause>,
}

/// Alternatives, of which one must hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// One of these; never empty.
    pub alternatives: Vec<Term>,
}

/// One thing that is asked for, or asked to be absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// Must it be absent?
    pub negated: bool,
    /// What.
    pub what: What,
}

/// What a page must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A word, anywhere.
    Word(String),
    /// Words in a row, anywhere.
    Phrase(String),
    /// A host, or a domain above it.
    Site(String),
    /// A language code.
    Language(String),
    /// Words in the title.
    InTitle(String),
    /// Words in the address.
    InUrl(String),
    /// A date earlier than this day.
    Before(Day),
    /// A date on this day or later.
    After(Day),
}

/// What the reader of a query should know about how it was understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "note", content = "text")]
pub enum Note {
    /// The query was too long; this is where it was cut.
    Cut,
    /// This looked like an operator but made no sense; it was searched as words.
    SearchedAsWords(String),
    /// This holds nothing that can be searched.
    Ignored(String),
    /// A quotation mark has no partner.
    OpenQuote,
    /// No page has all the words; these have most of them.
    MostWords,
}

impl Query {
    /// Reads a query, with notes about odd parts. Never fails.
    #[must_use]
    pub fn parse(text: &str) -> (Self, Vec<Note>) {
        parse::parse(text)
    }
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, clause) in self.clauses.iter().enumerate() {
            if number > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{clause}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, term) in self.alternatives.iter().enumerate() {
            if number > 0 {
                f.write_str(" OR ")?;
            }
            write!(f, "{term}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negated {
            f.write_str("-")?;
        }
        match &self.what {
            What::Word(word) => f.write_str(word),
            What::Phrase(phrase) => write!(f, "\"{phrase}\""),
            What::Site(host) => write!(f, "site:{host}"),
            What::Language(code) => write!(f, "lang:{code}"),
            What::InTitle(words) => write!(f, "intitle:{}", Quoted(words)),
            What::InUrl(words) => write!(f, "inurl:{}", Quoted(words)),
            What::Before(day) => write!(f, "before:{day}"),
            What::After(day) => write!(f, "after:{day}"),
        }
    }
}

/// In quotation marks if there is a space in it.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.contains(' ') { write!(f, "\"{}\"", self.0) } else { f.write_str(self.0) }
    }
}
