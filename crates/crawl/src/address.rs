//! The address of a page: a normalised `http` or `https` URL that cannot be wrong.
//!
//! Two spellings of one address must become one page, and a page must keep its address. So a [`PageUrl`] can only be
//! made by normalising, and normalising it again changes nothing:
//!
//! - parsed as browsers parse (WHATWG): lower-case host in its ASCII form, no default port, no dot segments;
//! - no fragment, no user name or password, never more than [`MAX_LENGTH`] bytes;
//! - percent-encoding in one form: unreserved characters decoded, digits in upper case;
//! - the query keeps its order, without tracking parameters and session ids ([`Normaliser`]).

mod host;
pub(crate) mod normalise;
mod parameters;
mod resolve;
#[cfg(test)]
mod tests;

use std::{fmt, hash, str::FromStr};

use rapidhash::v3::{RapidSecrets, rapidhash_v3_seeded};
use url::Url;

pub use host::HostKey;
pub use normalise::Normaliser;
pub use resolve::Resolver;

/// Longest address kept, in bytes.
pub const MAX_LENGTH: usize = 2_048;

/// Longest text read as an address, in bytes: normalising may shorten it to [`MAX_LENGTH`].
pub(crate) const MAX_INPUT: usize = 4 * MAX_LENGTH;

/// Why a text is not the address of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// Not a URL at all, or one without a usable host.
    #[error("not a URL ({0}); write it as https://host/path")]
    Malformed(#[from] url::ParseError),
    /// A URL of another kind, such as `mailto:` or `ftp:`.
    #[error("only http and https pages can be fetched")]
    Scheme,
    /// A URL that carries a user name or a password.
    #[error("remove the user name and password from the URL")]
    Credentials,
    /// Longer than [`MAX_LENGTH`] after normalising.
    #[error("longer than {MAX_LENGTH} bytes; use a shorter URL")]
    TooLong,
}

/// The normalised address of a page.
#[derive(Clone)]
pub struct PageUrl {
    text: Box<str>,
    authority_start: u16,
    path_start: u16,
    /// Position of `?`, or the length of the text.
    path_end: u16,
}

/// Positions found while an address is written.
#[derive(Clone, Copy)]
struct Layout {
    authority_start: usize,
    path_start: usize,
    path_end: usize,
}

impl PageUrl {
    /// Reads and normalises an absolute URL by the default rules.
    ///
    /// # Errors
    ///
    /// When the text is no `http` or `https` URL, carries credentials, or is too long.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        Self::parse_with(text, &normalise::DEFAULT)
    }

    /// Reads and normalises an absolute URL by the given rules.
    ///
    /// # Errors
    ///
    /// As [`PageUrl::parse`].
    pub fn parse_with(text: &str, rules: &Normaliser) -> Result<Self, UrlError> {
        let text = resolve::trim(text);
        if text.len() > MAX_INPUT {
            return Err(UrlError::TooLong);
        }
        Self::from_url(&Url::parse(text)?, rules)
    }

    /// Resolves a link found on this page, by the default rules. For many links of one page use a [`Resolver`].
    ///
    /// # Errors
    ///
    /// As [`PageUrl::parse`].
    pub fn join(&self, href: &str) -> Result<Self, UrlError> {
        Resolver::new(self).join(href)
    }

    /// Normalises what the WHATWG parser has read.
    fn from_url(url: &Url, rules: &Normaliser) -> Result<Self, UrlError> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(UrlError::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(UrlError::Credentials);
        }
        let mut text = String::with_capacity(url.as_str().len());
        text.push_str(&url[..url::Position::BeforePath]);
        let path_start = text.len();
        text.push_str(url.path());
        let layout = Layout { authority_start: url.scheme().len() + 3, path_start, path_end: text.len() };
        rules.finish(text, layout, url.query())
    }

    /// An address from its normalised text, when it is not too long.
    fn from_layout(text: String, layout: Layout) -> Result<Self, UrlError> {
        if text.len() > MAX_LENGTH {
            return Err(UrlError::TooLong);
        }
        let narrow = |position: usize| u16::try_from(position).map_err(|_| UrlError::TooLong);
        Ok(Self {
            authority_start: narrow(layout.authority_start)?,
            path_start: narrow(layout.path_start)?,
            path_end: narrow(layout.path_end)?,
            text: text.into_boxed_str(),
        })
    }

    /// The whole address.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// `http` or `https`.
    #[must_use]
    pub fn scheme(&self) -> &str {
        &self.text[..usize::from(self.authority_start) - 3]
    }

    /// Host and, where it is not the default one, port: `example.org` or `[::1]:8080`.
    #[must_use]
    pub fn authority(&self) -> &str {
        &self.text[usize::from(self.authority_start)..usize::from(self.path_start)]
    }

    /// Host and port without a leading `www.`, by which people take two addresses for the same host.
    #[must_use]
    pub fn bare_authority(&self) -> &str {
        self.authority().strip_prefix("www.").unwrap_or(self.authority())
    }

    /// The host alone; an IPv6 address keeps its brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        host::without_port(self.authority())
    }

    /// Scheme, host and port as text, as in [`HostKey`], without copying.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.text[..usize::from(self.path_start)]
    }

    /// Scheme, host and port: the server to be polite to.
    #[must_use]
    pub fn host_key(&self) -> HostKey {
        HostKey::from_origin(self.origin())
    }

    /// The part of the host that someone registered (`example.co.uk` of `www.example.co.uk`); an address or a name
    /// without a public suffix stands for itself.
    #[must_use]
    pub fn registrable_domain(&self) -> &str {
        host::registrable_domain(self.host())
    }

    /// The path, at least `/`.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.text[usize::from(self.path_start)..usize::from(self.path_end)]
    }

    /// The query without its question mark; never empty.
    #[must_use]
    pub fn query(&self) -> Option<&str> {
        self.text.get(usize::from(self.path_end) + 1..)
    }

    /// Path and query: what a server is asked for and what `robots.txt` speaks about.
    #[must_use]
    pub fn path_and_query(&self) -> &str {
        &self.text[usize::from(self.path_start)..]
    }

    /// A 64-bit key for the set of known pages: the same for the same seed in every run and version.
    #[must_use]
    pub fn key(&self, seed: u64) -> u64 {
        rapidhash_v3_seeded(self.text.as_bytes(), &RapidSecrets::seed(seed))
    }

    fn layout(&self) -> Layout {
        Layout {
            authority_start: self.authority_start.into(),
            path_start: self.path_start.into(),
            path_end: self.path_end.into(),
        }
    }
}

impl FromStr for PageUrl {
    type Err = UrlError;

    fn from_str(text: &str) -> Result<Self, UrlError> {
        Self::parse(text)
    }
}

impl fmt::Display for PageUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for PageUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

impl PartialEq for PageUrl {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for PageUrl {}

impl PartialOrd for PageUrl {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PageUrl {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.text.cmp(&other.text)
    }
}

impl hash::Hash for PageUrl {
    fn hash<H: hash::Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl AsRef<str> for PageUrl {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

impl std::borrow::Borrow<str> for PageUrl {
    fn borrow(&self) -> &str {
        &self.text
    }
}
