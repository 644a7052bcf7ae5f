//! Counts of pages per pattern, in bounded memory.

use std::{collections::HashMap, hash::Hash};

use rapidhash::v3::{RapidSecrets, rapidhash_v3_seeded};

/// How much the patterns of one host have spent.
#[derive(Debug)]
pub(super) struct Counters {
    spent: HashMap<u64, u32>,
    limit: usize,
}

impl Counters {
    pub(super) fn new(limit: usize) -> Self {
        Self { spent: HashMap::new(), limit }
    }

    pub(super) fn spent(&self, key: u64) -> u32 {
        self.spent.get(&key).copied().unwrap_or_default()
    }

    pub(super) fn spend(&mut self, key: u64) {
        if !self.spent.contains_key(&key) {
            make_room(&mut self.spent, self.limit, |spent| u64::from(*spent));
        }
        let spent = self.spent.entry(key).or_default();
        *spent = spent.saturating_add(1);
    }

    pub(super) fn earn(&mut self, key: u64, gain: u32) {
        if let Some(spent) = self.spent.get_mut(&key) {
            *spent = spent.saturating_sub(gain);
        }
    }

    pub(super) fn total(&self) -> u64 {
        self.spent.values().map(|spent| u64::from(*spent)).sum()
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.spent.len()
    }
}

/// Makes room for one more entry in a full map: the lightest go, at least half of all, so that this is rare. An entry
/// that has spent nothing is as good as none, so little is lost.
pub(super) fn make_room<K: Eq + Hash, V>(map: &mut HashMap<K, V>, limit: usize, weight: impl Fn(&V) -> u64) {
    if map.len() < limit.max(1) {
        return;
    }
    let mut lightest = 0_u64;
    while map.len() > limit / 2 {
        map.retain(|_, value| weight(value) > lightest);
        lightest = lightest.saturating_mul(2).saturating_add(1);
    }
}

/// A key of a pattern; `kind` keeps numbers and paths apart.
pub(super) fn key(pattern: &[u8], kind: u64) -> u64 {
    static SECRETS: [RapidSecrets; 2] = [RapidSecrets::seed(0x7261_7074), RapidSecrets::seed(0x7472_6170)];
    rapidhash_v3_seeded(pattern, &SECRETS[usize::from(kind > 0)])
}
