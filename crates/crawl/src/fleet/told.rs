//! What sitemaps and feeds tell of pages: a signal of a change, or by silence that there was none (laws F-29 and F-30).

use rapidhash::RapidHashMap;
use store::{HostId, PageId, Timestamp};

use super::listings::kind;
use super::state::State;
use super::{Record, freshness_host, freshness_page};
use crate::examine::FoundLink;
use crate::frontier::{Errand, Finding, SignalKind};

/// Many lists give no more than the day.
const DAY: i64 = 86_400;

/// Dates are in whole seconds: what is said to have happened at one happened between it and the next.
const SECOND: f64 = 1.0;

/// What a reading of a list has brought.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    /// The worth of what is new.
    pub(super) news: f64,
    /// From when on it tells of all that has changed.
    pub(super) from: f64,
}

impl Default for Told {
    /// Nothing, of all time.
    fn default() -> Self {
        Self { news: 0.0, from: f64::NEG_INFINITY }
    }
}

/// The pages that a list names.
#[derive(Default)]
struct Named {
    /// Pages of its host, with the date of the last change that it gives.
    known: RapidHashMap<freshness::PageId, i64>,
    /// Pages not known yet.
    unknown: Vec<(FoundLink, Option<i64>)>,
}

/// The time of which a list tells, by its dates.
#[derive(Clone, Copy, Debug)]
struct Dates {
    from: f64,
    until: f64,
    step: f64,
}

impl Dates {
    /// A sitemap names all pages with the dates of their last changes, a feed the newest changes.
    fn of(dates: impl Iterator<Item = i64> + Clone, kind: SignalKind) -> Option<Self> {
        let (oldest, newest) = (dates.clone().min()? as f64, dates.clone().max()? as f64);
        let from = if kind == SignalKind::Feed { oldest } else { f64::NEG_INFINITY };
        let are_days = dates.into_iter().all(|at| at.rem_euclid(DAY) == 0);
        Some(Self { from, until: newest, step: if are_days { DAY as f64 } else { SECOND } })
    }
}

impl State {
    /// Pages that a sitemap or feed names: unknown ones are taken up, and a date after the last visit is a signal, once.
    pub(super) fn told_of(
        &mut self,
        (host, errand): (HostId, &Errand),
        pages: Vec<(FoundLink, Option<i64>)>,
        now: Timestamp,
    ) -> (Vec<Record>, Told) {
        let kind = kind(matches!(errand, Errand::Feed(_)));
        let Named { known, unknown } = self.named(host, pages, now);
        let dates = Dates::of(known.values().copied().chain(unknown.iter().filter_map(|(_, at)| *at)), kind);
        let known_until = self.told_until(host, errand).unwrap_or(f64::INFINITY);
        if let Some((list, dates)) = self.list_of(host, errand).zip(dates) {
            self.frontier.list_tells(list);
            known.keys().for_each(|page| self.frontier.tells_of(list, *page));
            self.frontier.list_told(list, (dates.from, dates.until), dates.step);
        }
        let mut told = Told { news: 0.0, from: dates.map_or(f64::NEG_INFINITY, |dates| dates.from) };
        for (page, changed) in known {
            let since = self.frontier.visited(page).unwrap_or(known_until).min(known_until);
            if self.heed(page, kind, changed) || changed as f64 > known_until {
                told.news += self.worth_telling(page, (host, kind), now.seconds() - since);
            }
        }
        let before = self.frontier.len() as u32;
        let unknown: Vec<_> = unknown.into_iter().map(|(link, _)| link).collect();
        let records = self.meet(&unknown, None, 1, now);
        let new = before..self.frontier.len() as u32;
        told.news += new.map(|page| f64::from(self.frontier.weight(freshness::PageId(page)))).sum::<f64>();
        (records, told)
    }

    /// Dates to come say nothing, and of pages of other hosts a list can only say that they are there.
    fn named(&self, host: HostId, pages: Vec<(FoundLink, Option<i64>)>, now: Timestamp) -> Named {
        let mut named = Named::default();
        let own = self.hosts[host.0 as usize].key.as_str();
        for (link, changed) in pages {
            let changed = changed.filter(|at| *at as f64 <= now.seconds());
            match self.frontier.find(link.key) {
                None => {
                    let changed = changed.filter(|_| link.url.origin() == own);
                    named.unknown.push((link, changed));
                }
                Some(page) if self.frontier.is_of(page, freshness_host(host)) => {
                    let Some(changed) = changed else { continue };
                    // A feed may name a page more than once.
                    named.known.entry(page).and_modify(|at| *at = changed.max(*at)).or_insert(changed);
                }
                Some(_) => {}
            }
        }
        named
    }

    /// A list says that a page has changed then: a signal if that is after the last visit, and was not known. Whether it was.
    fn heed(&mut self, page: freshness::PageId, kind: SignalKind, changed: i64) -> bool {
        // Of a visit before a restart it is not remembered which change in its second it has found.
        let after = |visited: f64| changed as f64 + if visited < self.began { 0.0 } else { SECOND } > visited;
        if !self.frontier.visited(page).is_some_and(after) {
            return false;
        }
        let told = self.told.entry((page.0, kind as u8)).or_insert(i64::MIN);
        if changed <= *told {
            return false;
        }
        *told = changed;
        // What happened after a visit that is not kept yet is signalled when it is.
        if self.read_at.get(&page.0).is_none_or(|read| changed as f64 <= *read) {
            self.frontier.signal(page, kind);
        }
        true
    }

    /// Law F-29: what it is worth to be told that a page has changed in this time: nothing if it changes too often to be visited then.
    /// Changes that a visit has found before the list was read are worth as much: a list that is read more often tells of them first.
    fn worth_telling(&self, page: freshness::PageId, (host, kind): (HostId, SignalKind), tau: f64) -> f64 {
        let host = freshness_host(host);
        let telling = self.frontier.signal_learner(host, kind).map_or(0.0, |learner| learner.model().telling(tau));
        let weight = f64::from(self.frontier.weight(page));
        let most = weight / self.frontier.estimate(page).mean();
        if most >= self.frontier.price_of(host) { telling * weight } else { 0.0 }
    }

    /// A visit at that time is over. What lists have told of before it is done with; what they have told of after it is a signal.
    pub(super) fn visit_told(&mut self, page: PageId, at: f64, finding: Finding) {
        // A list that gives the date of the change that the visit found tells nothing new, nor one that gives the second of a visit
        // that found a change without a date.
        let found = match finding {
            Finding::Changed { last_modified } => {
                Some(last_modified.filter(|changed| *changed <= at).unwrap_or(at) as i64)
            }
            Finding::Later(_) => return,
            _ => None,
        };
        for kind in [SignalKind::Sitemap, SignalKind::Feed] {
            let key = (page.0, kind as u8);
            let found = found.filter(|_| self.frontier.is_told_of(freshness_page(page), kind));
            let told = self.told.get(&key).copied().max(found);
            match told.filter(|changed| *changed as f64 + SECOND > at) {
                None => _ = self.told.remove(&key),
                Some(changed) => {
                    self.told.insert(key, changed);
                    if changed as f64 > at {
                        self.frontier.signal(freshness_page(page), kind);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_time_a_list_tells() {
        let of = |dates: &[i64], kind| Dates::of(dates.iter().copied(), kind).map(|at| (at.from, at.until, at.step));
        assert_eq!(of(&[], SignalKind::Sitemap), None);
        assert_eq!(of(&[5, 90_000, 7], SignalKind::Sitemap), Some((f64::NEG_INFINITY, 90_000.0, 1.0)));
        assert_eq!(of(&[5, 90_000, 7], SignalKind::Feed), Some((5.0, 90_000.0, 1.0)));
        assert_eq!(of(&[DAY, 3 * DAY], SignalKind::Feed), Some((DAY as f64, 3.0 * DAY as f64, DAY as f64)));
    }
}
