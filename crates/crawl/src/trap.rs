//! Endless spaces: parts of a site that go on for ever without saying anything new.
//!
//! Some are seen in the address alone: paths that repeat themselves, far too many parts, calendars of the year 4000.
//! Others only show in numbers. So pages that differ in nothing but numbers, and queries of one path, are counted per
//! host. Each such *pattern* starts with a credit of pages; a page taken costs one, a page that turned out to have new
//! content brings [`GAIN`] back, up to the first credit. A pattern that keeps saying something new never runs dry, an
//! endless one ends after its credit.

mod counters;
mod shape;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use crate::{
    address::PageUrl,
    verdict::{Reason, Verdict},
};
use counters::Counters;

/// Pages of credit that one page with new content brings: a pattern goes on while a quarter of its pages is new.
pub const GAIN: u32 = 4;

/// What is still believed to be a page, and how much is remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrapLimits {
    /// Most path segments.
    pub segments: usize,
    /// Most query parameters.
    pub parameters: usize,
    /// Most digits of a number.
    pub digits: usize,
    /// Years before this one that a calendar may show.
    pub years_back: u32,
    /// Years after this one that a date may be in.
    pub years_ahead: u32,
    /// Credit of pages that differ only in numbers, and of queries with one parameter of one path.
    pub numbers: u32,
    /// Credit of calendar pages that differ only in numbers.
    pub calendar: u32,
    /// Credit of queries with several parameters of one path.
    pub queries: u32,
    /// Patterns remembered per host; the ones that spent least are forgotten first.
    pub patterns_per_host: usize,
    /// Hosts remembered; the ones that spent least are forgotten first.
    pub hosts: usize,
}

impl Default for TrapLimits {
    fn default() -> Self {
        Self {
            segments: 24,
            parameters: 16,
            digits: 32,
            years_back: 20,
            years_ahead: 2,
            numbers: 10_000,
            calendar: 1_000,
            queries: 5_000,
            patterns_per_host: 4_096,
            hosts: 100_000,
        }
    }
}

/// Keeps the crawl out of endless spaces.
#[derive(Debug)]
pub struct TrapGuard {
    limits: TrapLimits,
    year: u32,
    hosts: HashMap<Box<str>, Counters>,
    /// Room for the pattern of one page.
    pattern: Vec<u8>,
}

/// What a page is counted under: a key and the credit it starts with.
#[derive(Clone, Copy)]
struct Account {
    key: u64,
    credit: u32,
}

impl TrapGuard {
    /// A guard that has seen nothing yet, in this year.
    #[must_use]
    pub fn new(limits: TrapLimits, year: u32) -> Self {
        Self { limits, year, hosts: HashMap::new(), pattern: Vec::new() }
    }

    /// Tells the guard that a new year has begun.
    pub fn set_year(&mut self, year: u32) {
        self.year = year;
    }

    /// Whether a page that was not known before should be taken. Each page is to be asked for once.
    pub fn judge(&mut self, page: &PageUrl) -> Verdict {
        if let Some(reason) = shape::objection(page, &self.limits, self.year) {
            return Verdict::Skip(reason);
        }
        let accounts = self.accounts(page);
        if accounts.iter().all(Option::is_none) {
            return Verdict::Take;
        }
        let counters = self.counters(page);
        let is_spent = |account: Option<Account>| account.filter(|a| counters.spent(a.key) >= a.credit);
        if let Some(account) = is_spent(accounts[0]) {
            return Verdict::Skip(Reason::EndlessNumbers { limit: account.credit });
        }
        if let Some(account) = is_spent(accounts[1]) {
            return Verdict::Skip(Reason::EndlessQueries { limit: account.credit });
        }
        accounts.iter().flatten().for_each(|account| counters.spend(account.key));
        Verdict::Take
    }

    /// Tells the guard what a fetched page was worth.
    pub fn found(&mut self, page: &PageUrl, new_content: bool) {
        if !new_content {
            return;
        }
        let accounts = self.accounts(page);
        if let Some(counters) = self.hosts.get_mut(page.origin()) {
            accounts.iter().flatten().for_each(|account| counters.earn(account.key, GAIN));
        }
    }

    /// By its numbers, and by its path if it has a query. A page without numbers and query is the only one of its pattern.
    fn accounts(&mut self, page: &PageUrl) -> [Option<Account>; 2] {
        let limits = &self.limits;
        let has_numbers = shape::write_pattern(page.path_and_query(), &mut self.pattern);
        let numbers = has_numbers.then(|| {
            let credit = if shape::is_calendar(page) { limits.calendar } else { limits.numbers };
            Account { key: counters::key(&self.pattern, 0), credit }
        });
        let queries = page.query().map(|query| {
            let credit = if query.contains('&') { limits.queries } else { limits.numbers };
            Account { key: counters::key(page.path().as_bytes(), 1), credit }
        });
        [numbers, queries]
    }

    fn counters(&mut self, page: &PageUrl) -> &mut Counters {
        if !self.hosts.contains_key(page.origin()) {
            counters::make_room(&mut self.hosts, self.limits.hosts, Counters::total);
        }
        let limit = self.limits.patterns_per_host;
        self.hosts.entry(page.origin().into()).or_insert_with(|| Counters::new(limit))
    }
}
