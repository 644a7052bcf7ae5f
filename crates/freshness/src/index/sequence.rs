//! The access sequence of the index policy.

use crate::instance::Instance;
use crate::policy::{HostId, Outcome, PageId, Policy, Visit};

use super::IndexPolicy;
use super::value::discrete_index;

/// The sequence in which the index policy accesses the pages of an [`Instance`], without end.
///
/// Time is the number of accesses, so page `i` has rate `b_i` and weight `a_i b_i`. No page has been accessed before
/// the first step; a page that is worth no access never appears. Measured against the lower bound of law F-3, the
/// long-run cost is within 0.5% from a thousand pages on, and as a rule from a hundred on; not if one page needs much
/// of all accesses.
#[derive(Debug)]
pub struct IndexSequence {
    order: Order,
    accesses: u64,
}

#[derive(Debug)]
enum Order {
    Exact(Exact),
    Scalable(Box<IndexPolicy>),
}

/// Value, decay and last access of every page.
#[derive(Debug)]
struct Exact {
    pages: Vec<(f64, f64, f64)>,
}

impl IndexSequence {
    /// The sequence by [`IndexPolicy`]: about a microsecond per access for any number of pages.
    #[must_use]
    pub fn new(instance: &Instance) -> Self {
        let mut policy = IndexPolicy::new();
        // Time is that of completion; the next completion is one later.
        policy.set_lead(0.5);
        policy.reserve(instance.len());
        for (page, (a, b)) in (0..).zip(instance.values().iter().zip(instance.decays())) {
            policy.insert(PageId(page), *b, a * b, HostId(0), None);
        }
        Self { order: Order::Scalable(Box::new(policy)), accesses: 0 }
    }

    /// The sequence by comparing the [discrete index](discrete_index) of all pages at every access.
    #[must_use]
    pub fn exact(instance: &Instance) -> Self {
        let numbers = instance.values().iter().zip(instance.decays());
        let pages = numbers.map(|(&a, &b)| (a, b, f64::NEG_INFINITY)).collect();
        Self { order: Order::Exact(Exact { pages }), accesses: 0 }
    }
}

impl Iterator for IndexSequence {
    type Item = PageId;

    fn next(&mut self) -> Option<PageId> {
        self.accesses += 1;
        let now = self.accesses as f64;
        match &mut self.order {
            Order::Exact(exact) => exact.access(now),
            Order::Scalable(policy) => {
                let page = policy.draw(now)?;
                policy.record(Visit { page, at: now, outcome: Outcome::Unchanged });
                Some(page)
            }
        }
    }
}

impl Exact {
    fn access(&mut self, now: f64) -> Option<PageId> {
        let mut best: Option<(usize, f64)> = None;
        for (i, &(a, b, last)) in self.pages.iter().enumerate() {
            let index = discrete_index(a, b, now - last);
            if best.is_none_or(|(_, largest)| index > largest) {
                best = Some((i, index));
            }
        }
        let (i, _) = best?;
        self.pages[i].2 = now;
        Some(PageId(i as u32))
    }
}
