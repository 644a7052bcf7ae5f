//! Which pages belong to the crawl.
//!
//! The user names seeds and rules; every link is judged by them. Nothing is remembered between two links.

mod extensions;
mod patterns;
#[cfg(test)]
mod tests;
mod weights;

use rapidhash::RapidHashSet;

use crate::{
    address::PageUrl,
    verdict::{Reason, Verdict},
};
use patterns::PatternList;

pub use patterns::ScopeError;
pub use weights::Weights;

/// How far the crawl goes beyond the seeds themselves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reach {
    /// All pages of the seeds' hosts. `http` and `https`, with and without `www.`, are one host; other ports are others.
    #[default]
    Host,
    /// All hosts of the seeds' registrable domains.
    Domain,
    /// The pages in the folder of a seed and below.
    Prefix,
    /// Wherever links lead.
    Anywhere,
}

/// What the user asks for.
///
/// Patterns are globs as in `robots.txt` (`*` for anything, `$` for the end), compared with path and query if they begin
/// with `/` or `*` and with the whole address if they begin with `http`; or, after `re:`, regular expressions that are
/// searched in the whole address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScopeRules {
    /// How far the crawl goes.
    pub reach: Reach,
    /// If there are any, a page must match one of them.
    pub include: Vec<String>,
    /// A page must match none of them, included or not.
    pub exclude: Vec<String>,
    /// Most links from a seed to a page.
    pub max_depth: Option<u32>,
    /// Most pages of one site.
    pub max_pages_per_site: Option<u64>,
    /// Extensions that are fetched although they are usually no pages.
    pub allow_extensions: Vec<String>,
}

/// The rules, prepared for judging.
#[derive(Clone, Debug)]
pub struct Scope {
    reach: Reach,
    seeds: RapidHashSet<PageUrl>,
    /// Hosts, domains or folders, by reach.
    places: RapidHashSet<Box<str>>,
    include: PatternList,
    exclude: PatternList,
    max_depth: Option<u32>,
    max_pages_per_site: Option<u64>,
    allow_extensions: Vec<String>,
}

impl Scope {
    /// Prepares the rules for these seeds.
    ///
    /// # Errors
    ///
    /// When a pattern cannot be understood.
    pub fn new(seeds: &[PageUrl], rules: &ScopeRules) -> Result<Self, ScopeError> {
        let mut scope = Self {
            reach: rules.reach,
            places: RapidHashSet::default(),
            seeds: RapidHashSet::default(),
            include: PatternList::new(&rules.include)?,
            exclude: PatternList::new(&rules.exclude)?,
            max_depth: rules.max_depth,
            max_pages_per_site: rules.max_pages_per_site,
            allow_extensions: rules.allow_extensions.iter().map(|e| e.to_ascii_lowercase()).collect(),
        };
        scope.add_seeds(seeds);
        Ok(scope)
    }

    /// Goes on from these seeds, too.
    pub fn add_seeds(&mut self, seeds: &[PageUrl]) {
        let reach = self.reach;
        let place = |seed: &PageUrl| match reach {
            Reach::Host => Some(seed.bare_authority().into()),
            Reach::Domain => Some(seed.registrable_domain().into()),
            Reach::Prefix => folders(seed).next().map(Into::into),
            Reach::Anywhere => None,
        };
        self.places.extend(seeds.iter().filter_map(place));
        self.seeds.extend(seeds.iter().cloned());
    }

    /// Whether a page that is `depth` links away from a seed belongs to the crawl. A seed does unless it is excluded.
    #[must_use]
    pub fn judge(&self, page: &PageUrl, depth: u32) -> Verdict {
        match self.objection(page, depth) {
            Some(reason) => Verdict::Skip(reason),
            None => Verdict::Take,
        }
    }

    /// Whether something at this address is where the crawl goes, be it a page or not.
    #[must_use]
    pub fn reaches(&self, url: &PageUrl) -> bool {
        self.exclude.first_match(url).is_none() && self.out_of_reach(url).is_none()
    }

    /// Whether the crawl begins with this page.
    #[must_use]
    pub fn is_seed(&self, page: &PageUrl) -> bool {
        self.seeds.contains(page)
    }

    /// Whether a site that has `pages` pages may have one more. What a site is says [`Scope::site`].
    #[must_use]
    pub fn judge_site(&self, pages: u64) -> Verdict {
        match self.max_pages_per_site {
            Some(limit) if pages >= limit => Verdict::Skip(Reason::SiteFull { limit }),
            _ => Verdict::Take,
        }
    }

    /// The site of a page: its registrable domain if whole domains are crawled, else its host.
    #[must_use]
    pub fn site<'a>(&self, page: &'a PageUrl) -> &'a str {
        if self.reach == Reach::Domain { page.registrable_domain() } else { page.bare_authority() }
    }

    fn objection(&self, page: &PageUrl, depth: u32) -> Option<Reason> {
        if let Some(pattern) = self.exclude.first_match(page) {
            return Some(Reason::Excluded { pattern });
        }
        if self.is_seed(page) {
            return None;
        }
        if let Some(limit) = self.max_depth.filter(|limit| depth > *limit) {
            return Some(Reason::TooDeep { depth, limit });
        }
        if let Some(reason) = self.out_of_reach(page) {
            return Some(reason);
        }
        if let Some(extension) = extensions::of_no_page(page.path()).filter(|e| !self.allows_extension(e)) {
            return Some(Reason::Binary { extension });
        }
        let is_included = self.include.is_empty() || self.include.first_match(page).is_some();
        (!is_included).then_some(Reason::NotIncluded)
    }

    fn out_of_reach(&self, page: &PageUrl) -> Option<Reason> {
        let (is_within, reason) = match self.reach {
            Reach::Host => (self.places.contains(page.bare_authority()), Reason::OtherHost),
            Reach::Domain => (self.places.contains(page.registrable_domain()), Reason::OtherDomain),
            Reach::Prefix => (folders(page).any(|folder| self.places.contains(folder)), Reason::OutsidePrefix),
            Reach::Anywhere => return None,
        };
        (!is_within).then_some(reason)
    }

    fn allows_extension(&self, extension: &str) -> bool {
        self.allow_extensions.iter().any(|allowed| allowed.trim_start_matches('.') == extension)
    }
}

/// The folders a page is in, innermost first, each with its host: `e.org/a/b/`, `e.org/a/`, `e.org/`.
fn folders(page: &PageUrl) -> impl Iterator<Item = &str> {
    let (_, address) = page.as_str().split_once("//").unwrap_or_default();
    let address = address.strip_prefix("www.").unwrap_or(address);
    let end = address.find('?').unwrap_or(address.len());
    memchr::memrchr_iter(b'/', &address.as_bytes()[..end]).map(move |at| &address[..=at])
}
