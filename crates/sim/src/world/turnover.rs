//! Pages that come and go.

use std::collections::VecDeque;

use freshness::PageId;
use rand::RngExt;
use rand_pcg::Pcg64Mcg;

use crate::config::Config;
use crate::page::Page;
use crate::random::{Stream, exponential, stream};

/// When and which pages appear after the start: those planned, and those drawn at random.
pub(super) struct Births {
    rng: Pcg64Mcg,
    /// In order of appearance.
    planned: VecDeque<(f64, PageId)>,
    arrivals: f64,
    drop_rate: f64,
    population: Vec<Page>,
    next_arrival: f64,
}

impl Births {
    pub fn new(pages: &[Page], config: &Config) -> Self {
        let turnover = config.turnover.clone().unwrap_or_default();
        let mut rng = stream(config.seed, Stream::Turnover);
        let next_arrival = exponential(&mut rng, turnover.arrivals);
        let draws_from_start = turnover.arrivals > 0.0 && turnover.population.is_empty();
        let population = if draws_from_start { pages.to_vec() } else { turnover.population };
        Self {
            rng,
            planned: planned(pages),
            arrivals: turnover.arrivals,
            drop_rate: turnover.drop_rate,
            population,
            next_arrival,
        }
    }

    /// When the page is dropped: as planned, or earlier at random.
    pub fn end_of_life(&mut self, page: &Page) -> f64 {
        page.until.min(page.from + exponential(&mut self.rng, self.drop_rate))
    }

    pub fn next(&self) -> f64 {
        self.planned.front().map_or(f64::INFINITY, |(at, _)| *at).min(self.next_arrival)
    }

    /// The planned page that is due, if it comes before the next one at random.
    pub fn take_planned(&mut self) -> Option<PageId> {
        let (at, _) = self.planned.front()?;
        if *at > self.next_arrival {
            return None;
        }
        self.planned.pop_front().map(|(_, id)| id)
    }

    /// The page that arrives at random now.
    pub fn draw(&mut self) -> Page {
        let model = self.population[self.rng.random_range(0..self.population.len())];
        let page = Page { from: self.next_arrival, until: f64::INFINITY, ..model };
        self.next_arrival += exponential(&mut self.rng, self.arrivals);
        Page { until: self.end_of_life(&page), ..page }
    }
}

fn planned(pages: &[Page]) -> VecDeque<(f64, PageId)> {
    let numbered = pages.iter().enumerate().map(|(i, page)| (page.from, PageId(i as u32)));
    let mut planned: Vec<_> = numbered.filter(|(from, _)| *from > 0.0).collect();
    planned.sort_by(|a, b| a.0.total_cmp(&b.0));
    planned.into()
}
