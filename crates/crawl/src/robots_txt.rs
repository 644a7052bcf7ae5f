//! What a site allows us to fetch: the robots exclusion protocol, RFC 9309.
//!
//! A [`RobotsTxt`] is made once per host and asked for every link, so the rules are prepared for asking. Beyond the RFC
//! it reads `Crawl-delay` and `Sitemap`, and accepts the slips that the best-known open parser accepts: a missing
//! colon, misspelt names, a byte order mark, `index.html` for a folder.
//!
//! What the caller keeps to:
//! - redirects of `robots.txt` are followed for up to [`MAX_REDIRECTS`] hops, also to other hosts;
//! - an answer is used for at most [`CACHE_TIME`];
//! - while the file cannot be had ([`RobotsTxt::unreachable`]), the last good copy stays in force; without one nothing
//!   may be fetched. After [`UNREACHABLE_LIMIT`] of this the host counts as having no file.

mod lines;
mod pattern;
mod rules;
#[cfg(test)]
mod tests;

use std::time::Duration;

pub(crate) use pattern::{Pattern, comparable_path, comparable_text};

use lines::Field;
use rules::{RuleList, RuleSet};

/// Bytes of a file that are read; the rest is ignored (RFC 9309, section 2.5, asks for at least this many).
pub const MAX_BYTES: usize = 500 * 1_024;

/// Hops to follow when `robots.txt` is redirected (section 2.3.1.2).
pub const MAX_REDIRECTS: usize = 5;

/// How long an answer may be used (section 2.4).
pub const CACHE_TIME: Duration = Duration::from_secs(24 * 3_600);

/// How long a file may be unreachable before the host counts as having none (section 2.3.1.4).
pub const UNREACHABLE_LIMIT: Duration = Duration::from_secs(30 * 24 * 3_600);

/// Longest delay between two fetches that a site can ask for.
pub const MAX_DELAY: Duration = Duration::from_secs(3_600);

/// Most sitemaps that are taken from one file.
pub const MAX_SITEMAPS: usize = 1_000;

/// What one site says to one crawler.
#[derive(Debug, Clone, Default)]
pub struct RobotsTxt {
    rules: RuleSet,
    delay: Option<Duration>,
    sitemaps: Vec<String>,
}

impl RobotsTxt {
    /// Reads a file for the crawler that calls itself `product_token` (see [`is_product_token`]). Never fails: what
    /// cannot be read is skipped.
    #[must_use]
    pub fn parse(bytes: &[u8], product_token: &str) -> Self {
        let mut reader = Reader::new(product_token);
        for (field, value) in lines::read(bytes) {
            reader.take(field, value);
        }
        reader.finish()
    }

    /// What the answer to the request for `robots.txt` means, by its final status (section 2.3.1).
    ///
    /// A redirect that is left after [`MAX_REDIRECTS`] hops counts like a missing file, and so does every status
    /// 4xx; on 429 the caller waits as asked before it comes here.
    #[must_use]
    pub fn from_answer(status: u16, body: &[u8], product_token: &str) -> Self {
        match status {
            200..=299 => Self::parse(body, product_token),
            300..=499 => Self::allow_all(),
            _ => Self::unreachable(),
        }
    }

    /// A host without rules.
    #[must_use]
    pub fn allow_all() -> Self {
        Self::default()
    }

    /// A host whose file cannot be had, because of a server or network error: nothing may be fetched (section 2.3.1.4).
    #[must_use]
    pub fn unreachable() -> Self {
        let mut rules = RuleList::default();
        rules.disallow(b"/");
        Self { rules: rules.prepare(), ..Self::default() }
    }

    /// Whether a page may be fetched, by its path and query as in
    /// [`PageUrl::path_and_query`](crate::address::PageUrl::path_and_query). The file itself always may.
    #[must_use]
    pub fn allows(&self, path_and_query: &str) -> bool {
        path_and_query == "/robots.txt" || self.rules.allow(path_and_query)
    }

    /// The delay between two fetches that the site asks for, at most [`MAX_DELAY`].
    #[must_use]
    pub fn delay(&self) -> Option<Duration> {
        self.delay
    }

    /// The sitemaps that the file names, as written; they are for every crawler.
    #[must_use]
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }
}

/// Whether a name can be addressed in a `robots.txt`: letters, `-` and `_` only (section 2.2.1).
#[must_use]
pub fn is_product_token(name: &str) -> bool {
    !name.is_empty() && leading_token(name.as_bytes()).len() == name.len()
}

fn leading_token(name: &[u8]) -> &[u8] {
    let end = name.iter().position(|b| !(b.is_ascii_alphabetic() || matches!(b, b'-' | b'_')));
    &name[..end.unwrap_or(name.len())]
}

/// All rules for one addressee: the groups that name it, taken together (section 2.2.1).
#[derive(Default)]
struct Addressed {
    is_named: bool,
    rules: RuleList,
    delay: Option<Duration>,
}

/// The group that is being read.
#[derive(Default)]
struct Group {
    is_for_us: bool,
    is_for_all: bool,
    /// A user-agent line after a rule begins a new group; other lines, known or not, end none (section 2.2.4).
    has_rules: bool,
    delay: Option<Duration>,
}

struct Reader<'a> {
    product_token: &'a str,
    us: Addressed,
    all: Addressed,
    group: Group,
    sitemaps: Vec<String>,
}

impl<'a> Reader<'a> {
    fn new(product_token: &'a str) -> Self {
        let (us, all) = (Addressed::default(), Addressed::default());
        Self { product_token, us, all, group: Group::default(), sitemaps: Vec::new() }
    }

    fn take(&mut self, field: Field, value: &[u8]) {
        match field {
            Field::UserAgent => self.begin_or_extend_group(value),
            Field::Allow => self.add_rule(|rules| rules.allow(value)),
            Field::Disallow => self.add_rule(|rules| rules.disallow(value)),
            Field::CrawlDelay => self.group.delay = self.group.delay.max(read_delay(value)),
            Field::Sitemap if self.sitemaps.len() < MAX_SITEMAPS && !value.is_empty() => {
                self.sitemaps.push(String::from_utf8_lossy(value).into_owned());
            }
            Field::Sitemap => {}
        }
    }

    fn begin_or_extend_group(&mut self, name: &[u8]) {
        if self.group.has_rules {
            self.end_group();
        }
        if matches!(name, [b'*'] | [b'*', b' ' | b'\t', ..]) {
            self.group.is_for_all = true;
            self.all.is_named = true;
        } else if self.is_us(name) {
            self.group.is_for_us = true;
            self.us.is_named = true;
        }
    }

    /// Whether a user-agent line means us: by its leading token, so that `Name/1.0` and `Name rest` mean `Name`.
    fn is_us(&self, name: &[u8]) -> bool {
        let token = self.product_token.as_bytes();
        let word = name.split(|b| matches!(b, b' ' | b'\t' | b'/')).next().unwrap_or_default();
        !token.is_empty() && [leading_token(name), word].iter().any(|said| said.eq_ignore_ascii_case(token))
    }

    fn add_rule(&mut self, add: impl FnOnce(&mut RuleList)) {
        self.group.has_rules = true;
        if self.group.is_for_us {
            add(&mut self.us.rules);
        } else if self.group.is_for_all && !self.us.is_named {
            add(&mut self.all.rules);
        }
    }

    fn end_group(&mut self) {
        let group = std::mem::take(&mut self.group);
        if group.is_for_us {
            self.us.delay = self.us.delay.max(group.delay);
        }
        if group.is_for_all {
            self.all.delay = self.all.delay.max(group.delay);
        }
    }

    /// Our own groups, or those for everyone if none is ours.
    fn finish(mut self) -> RobotsTxt {
        self.end_group();
        let addressed = if self.us.is_named { self.us } else { self.all };
        RobotsTxt { rules: addressed.rules.prepare(), delay: addressed.delay, sitemaps: self.sitemaps }
    }
}

/// Seconds, perhaps with a fraction, perhaps with something behind them.
fn read_delay(value: &[u8]) -> Option<Duration> {
    let end = value.iter().position(|b| !(b.is_ascii_digit() || *b == b'.')).unwrap_or(value.len());
    let seconds: f64 = std::str::from_utf8(&value[..end]).ok()?.parse().ok()?;
    Some(Duration::from_secs_f64(seconds.min(MAX_DELAY.as_secs_f64())))
}
