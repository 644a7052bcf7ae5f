//! What an answer means for the page that was asked for.
//!
//! Pure work on one page, done away from the network and beside other pages: decompression, extraction, comparison with the copy
//! held, and the links that belong to the crawl. What it means for other pages is decided where all of them are known.

use store::{Outcome, State, Timestamp, Values};

use crate::address::{PageUrl, Resolver};
use crate::date;
use crate::directives::Directives;
use crate::extract::{ExtractError, Extracted, Limits, extract};
use crate::fetch::{Answer, FetchError, retry_after};
use crate::fingerprint::{Change, Fingerprint};
use crate::scope::Scope;

/// What is needed to examine answers.
#[derive(Clone, Debug)]
pub struct Examiner {
    /// Which links belong to the crawl.
    pub scope: Scope,
    /// How much is taken from one page.
    pub limits: Limits,
    /// Most bytes of a body after decompression.
    pub most_bytes: usize,
    /// Key of the hash of addresses.
    pub seed: u64,
    /// The share of the main text that must differ for a page to count as changed.
    pub least_change: f64,
}

/// A link that belongs to the crawl.
#[derive(Clone, Debug, PartialEq)]
pub struct FoundLink {
    /// Where it leads.
    pub url: PageUrl,
    /// The hash of that.
    pub key: u64,
}

/// A page that was read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Its content.
    pub page: Extracted,
    /// Its main text in short.
    pub fingerprint: Fingerprint,
    /// What it allows.
    pub directives: Directives,
    /// The page it says should be shown instead of it, if that is another one.
    pub canonical: Option<PageUrl>,
    /// Links that belong to the crawl and may be followed.
    pub links: Vec<FoundLink>,
    /// Its feeds.
    pub feeds: Vec<PageUrl>,
}

/// What an answer means.
#[derive(Clone, Debug)]
pub enum Meaning {
    /// The copy is current: the server says so.
    NotModified,
    /// The page was read.
    Read {
        /// What was found: `New`, `Changed` or `Unchanged`.
        outcome: Outcome,
        /// The page.
        reading: Box<Reading>,
    },
    /// It leads elsewhere.
    Redirect(Target),
    /// It does not exist.
    Gone,
    /// It is of a kind that is not read.
    Skipped(ExtractError),
    /// Nothing was learned.
    Failed(Failure),
}

/// Where a redirect leads.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// To a page of the crawl.
    Inside(FoundLink),
    /// To a page that does not belong to the crawl.
    Outside(PageUrl),
    /// To itself, or to no address at all.
    Nowhere,
}

/// Why nothing was learned of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// In words.
    pub reason: String,
    /// What the user can do about it.
    pub remedy: &'static str,
    /// How many seconds the server asks to be left alone.
    pub retry_after: Option<f64>,
    /// Whose trouble it is.
    pub trouble: Trouble,
}

/// Whose trouble a failure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The page's own.
    Page,
    /// Perhaps the host's: so it is if it happens again.
    Perhaps,
    /// The host's, or we are trouble to it.
    Host,
    /// The host may not be visited as things are set here.
    Here,
}

impl Examiner {
    /// What the answer to a visit of `url`, `depth` links away from a seed, means, given what is known of the page.
    #[must_use]
    pub fn examine(
        &self,
        (url, depth): (&PageUrl, u16),
        known: &Values,
        answer: &Result<Answer, FetchError>,
        now: Timestamp,
    ) -> Meaning {
        let answer = match answer {
            Ok(answer) => answer,
            Err(error) => return Meaning::Failed(unanswered(error)),
        };
        match answer.status {
            304 if known.state == State::Fetched && known.text_hash.is_some() => Meaning::NotModified,
            200..=299 => self.read((url, depth), known, answer),
            301 | 302 | 303 | 307 | 308 => Meaning::Redirect(self.target(url, depth, answer.header("location"))),
            404 | 410 => Meaning::Gone,
            _ => Meaning::Failed(refused(answer, now)),
        }
    }

    fn read(&self, (url, depth): (&PageUrl, u16), known: &Values, answer: &Answer) -> Meaning {
        let body = match answer.decoded(self.most_bytes) {
            Ok(body) => body,
            Err(error) => return Meaning::Failed(undecodable(&error.to_string())),
        };
        let page = match extract(&body, answer.content_type(), url.as_str(), &self.limits) {
            Ok(page) => page,
            Err(error) => return Meaning::Skipped(error),
        };
        let refresh = page.refresh.as_deref().map(|to| self.target(url, depth, Some(to)));
        if let Some(target @ Target::Inside(_)) = refresh {
            return Meaning::Redirect(target);
        }
        let fingerprint = Fingerprint::of(&page.text);
        let outcome = self.compare(known, &fingerprint);
        let reading = self.reading((url, depth), answer, page, fingerprint);
        Meaning::Read { outcome, reading: Box::new(reading) }
    }

    /// Whether the main text has changed, by as much as counts.
    fn compare(&self, known: &Values, fingerprint: &Fingerprint) -> Outcome {
        match remembered(known) {
            None => Outcome::New,
            Some(before) if Change::between(&before, fingerprint, self.least_change).counts() => Outcome::Changed,
            Some(_) => Outcome::Unchanged,
        }
    }

    fn reading(
        &self,
        (url, depth): (&PageUrl, u16),
        answer: &Answer,
        mut page: Extracted,
        fingerprint: Fingerprint,
    ) -> Reading {
        let token = &self.limits.product_token;
        let headers = answer.all("x-robots-tag").map(|value| Directives::from_header(value, token, date::parse));
        let metas = page.meta_robots.iter().map(|content| Directives::from_meta(content, date::parse));
        let directives = headers.chain(metas).fold(Directives::default(), Directives::and);
        let base = page.base.as_deref().and_then(|base| url.join(base).ok()).unwrap_or_else(|| url.clone());
        let resolver = Resolver::new(&base);
        let resolved = |href: &str| resolver.join(href).ok();
        let canonical = page.canonical.as_deref().and_then(resolved).filter(|to| to != url && self.belongs(to, depth));
        let feeds = page.feeds.iter().filter_map(|href| resolved(href)).collect();
        let links = if directives.nofollow { Vec::new() } else { self.links(&page, &resolver, depth) };
        page.links = Vec::new();
        Reading { page, fingerprint, directives, canonical, links, feeds }
    }

    /// The links that belong to the crawl, each once.
    fn links(&self, page: &Extracted, resolver: &Resolver<'_>, depth: u16) -> Vec<FoundLink> {
        let followed = page.links.iter().filter(|link| !link.nofollow);
        let resolved = followed.filter_map(|link| resolver.join(&link.href).ok());
        let inside = resolved.filter(|to| self.belongs(to, depth.saturating_add(1)));
        let mut links: Vec<FoundLink> = inside.map(|url| FoundLink { key: url.key(self.seed), url }).collect();
        links.sort_by_key(|link| link.key);
        links.dedup_by_key(|link| link.key);
        links
    }

    /// The page at an absolute address that a sitemap or feed names, if it belongs to the crawl.
    #[must_use]
    pub fn link(&self, address: &str) -> Option<FoundLink> {
        let url = PageUrl::parse(address).ok().filter(|url| self.belongs(url, 1))?;
        Some(FoundLink { key: url.key(self.seed), url })
    }

    fn belongs(&self, url: &PageUrl, depth: u16) -> bool {
        self.scope.judge(url, u32::from(depth)).is_take()
    }

    /// A target of a redirect counts as deep as the page itself.
    fn target(&self, url: &PageUrl, depth: u16, to: Option<&str>) -> Target {
        let Some(target) = to.and_then(|to| url.join(to).ok()).filter(|to| to != url) else { return Target::Nowhere };
        if !self.belongs(&target, depth) {
            return Target::Outside(target);
        }
        Target::Inside(FoundLink { key: target.key(self.seed), url: target })
    }
}

/// The main text that was last read, in short.
#[must_use]
pub fn remembered(known: &Values) -> Option<Fingerprint> {
    let bytes: &[u8; Fingerprint::BYTES] = known.sketch.as_slice().try_into().ok()?;
    Some(Fingerprint::from_bytes(bytes))
}

/// Why an answer from which something was to be learned says nothing.
#[must_use]
pub fn failure_of(answer: &Result<Answer, FetchError>, now: Timestamp) -> Failure {
    match answer {
        Ok(answer) if answer.status < 400 => undecodable("the answer cannot be decompressed"),
        Ok(answer) => refused(answer, now),
        Err(error) => unanswered(error),
    }
}

fn undecodable(reason: &str) -> Failure {
    let remedy = "see what the server sends";
    Failure { reason: reason.to_owned(), remedy, retry_after: None, trouble: Trouble::Page }
}

fn unanswered(error: &FetchError) -> Failure {
    let (trouble, remedy) = match error {
        FetchError::Request(_) => (Trouble::Page, "see whether the address is right"),
        FetchError::Answer(_) => (Trouble::Perhaps, "see what the server sends"),
        FetchError::Timeout => (Trouble::Perhaps, "see whether the server is overloaded, or ask it less often"),
        FetchError::Files => (Trouble::Page, "allow more with `ulimit -n`, or have fewer robots"),
        FetchError::Private(_) => (Trouble::Here, "allow it with --allow-private if it is yours"),
        FetchError::Name(_) => (Trouble::Host, "see whether the name is right and the network is up"),
        FetchError::Connect(_) => (Trouble::Host, "see whether the server runs and can be reached from here"),
    };
    let reason = match error {
        FetchError::Private(address) => format!("{address} is a private address"),
        error => error.to_string(),
    };
    Failure { reason, remedy, retry_after: None, trouble }
}

/// How many seconds a server that is overloaded asks to be left alone; 0 if it does not say for how long.
#[must_use]
pub fn wait_asked(answer: &Result<Answer, FetchError>, now: Timestamp) -> Option<f64> {
    let answer = answer.as_ref().ok().filter(|answer| matches!(answer.status, 429 | 503))?;
    Some(asked(answer, now).unwrap_or(0.0))
}

fn asked(answer: &Answer, now: Timestamp) -> Option<f64> {
    let read_date = |text: &str| date::parse(text).map(|seconds| seconds as f64);
    let wait = retry_after(answer.header("retry-after")?, now.seconds(), read_date)?;
    Some(wait.as_secs_f64())
}

/// An answer that is neither a page nor a redirect nor the news that there is none.
fn refused(answer: &Answer, now: Timestamp) -> Failure {
    let reason = format!("the server answered with status {}", answer.status);
    let (trouble, remedy) = match answer.status {
        429 | 503 => (Trouble::Host, "ask it less often: a longer delay, fewer connections"),
        500.. => (Trouble::Perhaps, "the server is in trouble; try again later"),
        401 | 403 => (Trouble::Page, "ask the operator of the site whether it may be crawled"),
        _ => (Trouble::Page, "see what the server says"),
    };
    Failure { reason, remedy, retry_after: asked(answer, now), trouble }
}

#[cfg(test)]
mod tests;
