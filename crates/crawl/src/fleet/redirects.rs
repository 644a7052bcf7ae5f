//! Pages that lead to others that lead to others: chains are cut.

use std::collections::HashMap;

use rapidhash::RapidHashMap;
use store::{PageId, State as Known, Timestamp};

use super::Record;
use super::state::State;
use crate::examine::FoundLink;

/// Redirects that are followed one after the other.
const MOST_REDIRECTS: u8 = 10;

impl State {
    /// Takes up the target of a redirect, unless it is the end of a long chain.
    pub(super) fn follow(&mut self, (page, depth): (PageId, u16), to: &FoundLink, now: Timestamp) -> Vec<Record> {
        let hops = self.hops.get(&page.0).copied().unwrap_or(0);
        if hops >= MOST_REDIRECTS {
            return Vec::new();
        }
        let is_new = self.frontier.find(to.key).is_none();
        let records = self.meet_new(std::slice::from_ref(to), Some(page), depth, now);
        if let Some(target) = self.frontier.find(to.key).filter(|_| is_new) {
            self.hops.insert(target.0, hops + 1);
        }
        records
    }
}

/// Which pages redirects led to, as the catalogue remembers.
#[derive(Default)]
pub(super) struct Redirects {
    targets: HashMap<u32, String>,
    hops: RapidHashMap<u32, u8>,
}

impl Redirects {
    /// Takes in a page, in the order in which pages were found.
    pub(super) fn take(&mut self, page: &store::Page) {
        let led = page.referrer.filter(|from| self.targets.get(&from.0) == Some(&page.url));
        if let Some(from) = led {
            let before = self.hops.get(&from.0).copied().unwrap_or(0);
            self.hops.insert(page.id.0, before.saturating_add(1));
        }
        if let Some(to) = &page.values.redirect_to {
            self.targets.insert(page.id.0, to.clone());
        }
    }

    /// Redirects in a row that led to the pages that may lead further.
    pub(super) fn of_open_pages(mut self, states: &[Known]) -> RapidHashMap<u32, u8> {
        self.hops.retain(|page, _| matches!(states.get(*page as usize), Some(Known::Known | Known::Redirect)));
        self.hops
    }
}
