//! What pages matter: as the user says, or by links, depth and what readers ask for.

use std::collections::HashMap;

use store::{Ask, AskKind, Demand, PageId, Timestamp};

use super::Record;
use super::state::State;
use crate::address::PageUrl;

/// A page that is shown counts as much as this part of one that is chosen.
const SHOWN: f64 = 0.1;

/// Stands for the depth of a page whose weight the user has fixed.
const FIXED: u16 = u16::MAX;

/// How what pages matter is learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DemandSettings {
    /// Whether it is; otherwise all pages of which the user says nothing matter the same.
    pub learn: bool,
    /// Asks count half after this time, in seconds.
    pub half_life: f64,
}

impl Default for DemandSettings {
    fn default() -> Self {
        Self { learn: true, half_life: 30.0 * 86_400.0 }
    }
}

/// What a page matters before anyone has asked for it: more if many pages link to it, less if it is far from the seeds. It is 1
/// for a seed without links, and halves with every four links that lie between.
#[must_use]
pub fn prior_weight(links_in: u32, depth: u16) -> f64 {
    (1.0 + 0.25 * f64::from(links_in).ln_1p()) * (-0.25 * f64::from(depth.min(16))).exp2()
}

/// A count of asks as it is worth later.
#[must_use]
pub fn faded(asked: f64, since: Timestamp, now: Timestamp, half_life: f64) -> f64 {
    asked * (-(now.seconds() - since.seconds()).max(0.0) / half_life).exp2()
}

/// What readers ask for, and what else decides what pages matter.
#[derive(Debug, Default)]
pub(super) struct Demands {
    asked: HashMap<u32, (f32, Timestamp)>,
    /// Links from a seed to each page.
    depths: Vec<u16>,
}

impl Demands {
    pub(super) fn push(&mut self, depth: u16, is_fixed: bool) {
        self.depths.push(if is_fixed { FIXED } else { depth.min(FIXED - 1) });
    }

    /// Whether what a page matters is fixed may change.
    pub(super) fn fix(&mut self, page: u32, depth: u16, is_fixed: bool) {
        if let Some(known) = self.depths.get_mut(page as usize) {
            *known = if is_fixed { FIXED } else { depth.min(FIXED - 1) };
        }
    }

    pub(super) fn restore(&mut self, demand: Vec<Demand>) {
        self.asked = demand.into_iter().map(|demand| (demand.page.0, (demand.asked, demand.at))).collect();
    }

    /// What a page to which so many links lead matters, unless the user has fixed it.
    pub(super) fn weight(&self, page: u32, links_in: u32, now: Timestamp, settings: &DemandSettings) -> Option<f32> {
        let depth = *self.depths.get(page as usize).filter(|depth| **depth != FIXED)?;
        if !settings.learn {
            return Some(1.0);
        }
        let asked = self.asked.get(&page);
        let asked = asked.map_or(0.0, |(asked, at)| faded(f64::from(*asked), *at, now, settings.half_life));
        Some((prior_weight(links_in, depth) + asked) as f32)
    }

    /// Takes in an ask; what is known of the page then.
    fn count(&mut self, ask: &Ask, half_life: f64) -> Demand {
        let (asked, at) = self.asked.entry(ask.page.0).or_insert((0.0, ask.at));
        let now = (*at).max(ask.at);
        let more = if ask.kind == AskKind::Clicked { 1.0 } else { SHOWN };
        *asked = (faded(f64::from(*asked), *at, now, half_life) + more) as f32;
        *at = now;
        Demand { page: ask.page, asked: *asked, at: now }
    }
}

impl State {
    /// What a new page matters, and whether the user has fixed it.
    pub(super) fn first_weight(&self, url: &PageUrl, (links_in, depth): (u32, u16)) -> (f32, bool) {
        match self.weights.fixed(url) {
            Some(weight) => (weight, true),
            None if self.settings.demand.learn => (prior_weight(links_in, depth) as f32, false),
            None => (1.0, false),
        }
    }

    /// Looks again at what a page matters.
    pub(super) fn weigh(&mut self, page: PageId, now: Timestamp) {
        let links_in = self.links_in[page.0 as usize];
        if let Some(weight) = self.demands.weight(page.0, links_in, now, &self.settings.demand) {
            self.frontier.set_weight(super::freshness_page(page), weight);
        }
    }

    /// Counts what readers have asked for.
    pub(super) fn asked(&mut self, asks: &[Ask]) -> Vec<Record> {
        let Some(last) = asks.last() else { return Vec::new() };
        let (known, learn) = (self.frontier.len() as u32, self.settings.demand.learn);
        let mut counted: HashMap<PageId, Demand> = HashMap::new();
        for ask in asks.iter().filter(|ask| learn && ask.page.0 < known) {
            counted.insert(ask.page, self.demands.count(ask, self.settings.demand.half_life));
            self.linked.insert(ask.page.0);
            self.weigh(ask.page, ask.at);
        }
        let mut demand: Vec<Demand> = counted.into_values().collect();
        demand.sort_by_key(|demand| demand.page);
        vec![Record::Demand { demand, counted: last.id }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_raise_and_depth_lowers() {
        assert_eq!(prior_weight(0, 0), 1.0);
        assert_eq!(prior_weight(0, 4), 0.5);
        assert!(prior_weight(1_000, 2) > prior_weight(10, 2) && prior_weight(10, 2) > prior_weight(10, 3));
        assert!(prior_weight(u32::MAX, 0) < 7.0 && prior_weight(0, u16::MAX) > 0.06);
    }

    #[test]
    fn asks_fade() {
        let at = |seconds: i64| Timestamp(1000 * seconds);
        assert_eq!(faded(8.0, at(0), at(200), 100.0), 2.0);
        assert_eq!(faded(8.0, at(200), at(0), 100.0), 8.0);
        let mut demands = Demands::default();
        let ask = |id, seconds, kind| Ask { id, at: at(seconds), page: PageId(7), kind };
        demands.count(&ask(1, 0, AskKind::Clicked), 100.0);
        let after = demands.count(&ask(2, 100, AskKind::Shown), 100.0);
        assert!((after.asked - 0.6).abs() < 1e-6 && after.at == at(100), "{after:?}");
        let late = demands.count(&ask(3, 50, AskKind::Clicked), 100.0);
        assert!((late.asked - 1.6).abs() < 1e-6 && late.at == at(100), "{late:?}");
    }
}
