//! The web itself: which pages there are, when each changes, what each says. No clock: time is a parameter.

mod history;
mod population;
mod weights;

use std::collections::BTreeSet;

use crate::prose;
use crate::settings::{Changes, Settings, SettingsError};

pub use history::Cursor;

/// The number of a page, the same for its whole life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageNumber(pub u32);

/// A page of the living web.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Page {
    /// The host that serves it, from 0.
    pub host: u32,
    /// The list of its host on which it is.
    pub list: u32,
    /// Its true change rate, per second.
    pub rate: f64,
    /// Its weight class; see [`World::classes`].
    pub class: u32,
    /// When it appears.
    pub from: f64,
    /// When it goes.
    pub until: f64,
    /// Paragraphs of its text.
    pub paragraphs: u32,
}

impl Page {
    /// Whether it is there.
    #[must_use]
    pub fn is_alive(&self, now: f64) -> bool {
        self.from <= now && now < self.until
    }
}

/// A web that changes. The same settings make the same web, whatever is asked of it and when.
#[derive(Clone, Debug)]
pub struct World {
    seed: u64,
    hosts: u32,
    changes: Changes,
    pages: Vec<Page>,
    classes: Vec<f64>,
    /// Pages of every list of every host.
    lists: Vec<Vec<Vec<PageNumber>>>,
    /// When pages come or go, in order.
    turns: Vec<f64>,
}

impl World {
    /// Makes the web.
    ///
    /// # Errors
    /// Says which setting is wrong and what is allowed.
    pub fn new(settings: &Settings) -> Result<Self, SettingsError> {
        settings.check()?;
        let (pages, classes) = population::pages(settings);
        let mut lists = vec![Vec::new(); settings.hosts as usize];
        for (number, page) in (0..).map(PageNumber).zip(&pages) {
            let of_host: &mut Vec<Vec<PageNumber>> = &mut lists[page.host as usize];
            if of_host.len() <= page.list as usize {
                of_host.resize(page.list as usize + 1, Vec::new());
            }
            of_host[page.list as usize].push(number);
        }
        let times = pages.iter().flat_map(|page| [page.from, page.until]);
        // Positive numbers are ordered as their bits are.
        let turns: BTreeSet<u64> = times.filter(|at| *at > 0.0 && at.is_finite()).map(f64::to_bits).collect();
        let turns = turns.into_iter().map(f64::from_bits).collect();
        let (seed, hosts, changes) = (settings.seed, settings.hosts, settings.changes.clone());
        Ok(Self { seed, hosts, changes, pages, classes, lists, turns })
    }

    /// Where its random numbers come from.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Number of hosts.
    #[must_use]
    pub fn hosts(&self) -> usize {
        self.hosts as usize
    }

    /// All pages there ever are, in order of their numbers.
    #[must_use]
    pub fn pages(&self) -> &[Page] {
        &self.pages
    }

    /// One page.
    ///
    /// # Panics
    /// If there is none of this number.
    #[must_use]
    pub fn page(&self, number: PageNumber) -> &Page {
        &self.pages[number.0 as usize]
    }

    /// The numbers of all pages.
    pub fn numbers(&self) -> impl Iterator<Item = PageNumber> + use<> {
        (0..self.pages.len() as u32).map(PageNumber)
    }

    /// The weight of each class. Pages of class `k` are below `/w{k}/`.
    #[must_use]
    pub fn classes(&self) -> &[f64] {
        &self.classes
    }

    /// What it costs that the copy of a page is out of date.
    #[must_use]
    pub fn weight(&self, number: PageNumber) -> f64 {
        self.classes[self.page(number).class as usize]
    }

    /// The lists of a host, each with its pages, also those that have gone or are still to come.
    #[must_use]
    pub fn lists(&self, host: usize) -> &[Vec<PageNumber>] {
        self.lists.get(host).map_or(&[], Vec::as_slice)
    }

    /// When pages come or go after the start, in order.
    #[must_use]
    pub fn turns(&self) -> &[f64] {
        &self.turns
    }

    /// The path of a page: `/w3/amber-harbour-17.html`.
    #[must_use]
    pub fn path(&self, number: PageNumber) -> String {
        format!("/w{}/{}-{}.html", self.page(number).class, prose::slug(self.seed, number), number.0)
    }

    /// The page at a path of a host, whether or not it is there now.
    #[must_use]
    pub fn find(&self, host: usize, path: &str) -> Option<PageNumber> {
        let digits = path.strip_suffix(".html")?.rsplit_once('-')?.1;
        let number = PageNumber(digits.parse().ok().filter(|number| (*number as usize) < self.pages.len())?);
        (self.page(number).host as usize == host && self.path(number) == path).then_some(number)
    }
}

#[cfg(test)]
mod tests;
