//! Hosts: whom to be polite to, and who owns them.

use std::{borrow::Borrow, fmt};

use super::{PageUrl, UrlError};

/// Scheme, host and port of a server. Politeness is kept per host key.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostKey(Box<str>);

impl HostKey {
    /// The key of an origin that was taken from a [`PageUrl`].
    pub(super) fn from_origin(origin: &str) -> Self {
        Self(origin.into())
    }

    /// The origin: `https://example.org` or `http://example.org:8080`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The host alone; an IPv6 address keeps its brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        without_port(self.0.split_once("//").map_or("", |(_, authority)| authority))
    }

    /// The part of the host that someone registered, as [`PageUrl::registrable_domain`].
    #[must_use]
    pub fn registrable_domain(&self) -> &str {
        registrable_domain(self.host())
    }

    /// Where the host keeps its `robots.txt`.
    ///
    /// # Errors
    ///
    /// When the host name is so long that the address would be.
    pub fn robots_txt(&self) -> Result<PageUrl, UrlError> {
        PageUrl::parse(&format!("{self}/robots.txt"))
    }
}

impl fmt::Display for HostKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for HostKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl Borrow<str> for HostKey {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// The host of a normalised authority.
pub(super) fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => host,
        _ => authority,
    }
}

/// The registrable part of a host, or the host itself where there is none.
pub(super) fn registrable_domain(host: &str) -> &str {
    let last_label = host.trim_end_matches('.').rsplit('.').next().unwrap_or(host);
    let is_address = last_label.ends_with(']') || last_label.bytes().all(|b| b.is_ascii_digit());
    if is_address {
        return host;
    }
    psl::domain_str(host).unwrap_or(host)
}
