//! Exact expected costs of given sequences of accesses.

use super::Sum;
use crate::instance::Instance;
use crate::policy::PageId;
use crate::special::phi;

/// Law F-11 (CLW Lemma 3.1 with (3)): the exact cost of repeating `schedule` for ever.
///
/// With `n` the length of the schedule and `d` the distances between successive accesses to page `i`, around the end,
/// `psi = (1/n) sum phi(b d)`. A page that does not occur is never accessed and has `psi = b`; the empty schedule accesses
/// none.
///
/// # Panics
/// If the schedule names a page that the instance does not have.
#[must_use]
pub fn cyclic_cost(instance: &Instance, schedule: &[u32]) -> f64 {
    const NEVER: i64 = i64::MIN;
    let (values, decays) = (instance.values(), instance.decays());
    let n = schedule.len() as i64;
    let mut last = vec![NEVER; instance.len()];
    for (position, &page) in (0..).zip(schedule) {
        last[page as usize] = position - n;
    }
    let absent = (0..instance.len()).filter(|&i| last[i] == NEVER).map(|i| values[i] * decays[i]).collect::<Sum>();
    let mut stale = Sum::default();
    for (position, &page) in (0..).zip(schedule) {
        let i = page as usize;
        let gap = position - last[i];
        stale.add(values[i] * phi(decays[i] * gap as f64));
        last[i] = position;
    }
    instance.unavoidable_cost() + absent.total() + stale.total() / n.max(1) as f64
}

/// Law F-11 over a window: the expected cost of accesses `warm_up + 1 ..= warm_up + accesses` of a sequence that need
/// not be cyclic. See [`SequenceCost`] for what is assumed; the window ends early if the sequence does.
///
/// # Panics
/// If the sequence names a page that the instance does not have.
pub fn sequence_cost(
    instance: &Instance,
    sequence: impl IntoIterator<Item = PageId>,
    warm_up: u64,
    accesses: u64,
) -> f64 {
    let mut cost = SequenceCost::new(instance, warm_up);
    let mut sequence = sequence.into_iter();
    for _ in 0..warm_up.saturating_add(accesses) {
        let Some(page) = sequence.next() else { break };
        cost.access(page);
    }
    cost.cost()
}

/// Law F-11 for a sequence that is being drawn: the expected cost since the end of a warm-up.
///
/// The age of a page is the number of accesses, to whatever page, since its own last one. While its age grows from `d0`
/// to `d1` it adds `phi(b d1) - phi(b d0)`. Every copy is taken to be current at the start, unless it is told its age, so the
/// age of a page not yet accessed counts from there; the warm-up should be long enough for every page that matters to have
/// been accessed.
///
/// Eight bytes per page, constant time per access.
#[derive(Clone, Debug)]
pub struct SequenceCost<'a> {
    instance: &'a Instance,
    warm_up: u64,
    /// Accesses so far.
    now: u64,
    /// Number of the last access to each page; not positive if it was before the start.
    last: Vec<f64>,
    stale: Sum,
}

impl<'a> SequenceCost<'a> {
    /// Before the first access; the window opens after `warm_up` accesses.
    #[must_use]
    pub fn new(instance: &'a Instance, warm_up: u64) -> Self {
        Self { instance, warm_up, now: 0, last: vec![0.0; instance.len()], stale: Sum::default() }
    }

    /// The same with pages that were accessed before the start, each so many accesses ago.
    ///
    /// # Panics
    /// If there is not one age per page.
    #[must_use]
    pub fn with_ages(instance: &'a Instance, warm_up: u64, ages: &[f64]) -> Self {
        assert_eq!(ages.len(), instance.len(), "there must be one age per page");
        Self { last: ages.iter().map(|age| -age).collect(), ..Self::new(instance, warm_up) }
    }

    /// An access goes by unused.
    pub fn idle(&mut self) {
        self.now += 1;
    }

    /// The next access goes to `page`.
    ///
    /// # Panics
    /// If the instance does not have the page.
    pub fn access(&mut self, page: PageId) {
        let i = page.0 as usize;
        self.now += 1;
        if self.now > self.warm_up {
            self.stale.add(self.since_last_access(i));
        }
        self.last[i] = self.now as f64;
    }

    /// The expected cost over the window so far; not a number while the window is empty.
    #[must_use]
    pub fn cost(&self) -> f64 {
        if self.now <= self.warm_up {
            return f64::NAN;
        }
        let mut stale = self.stale;
        for i in 0..self.last.len() {
            stale.add(self.since_last_access(i));
        }
        self.instance.unavoidable_cost() + stale.total() / (self.now - self.warm_up) as f64
    }

    /// What page `i` has added within the window since its last access: `a (phi(v + u) - phi(v))`, `v` its decay before
    /// the window opened and `u` since, which is `a (phi(u) + (1 - e^-v)(1 - e^-u))`.
    fn since_last_access(&self, i: usize) -> f64 {
        let (a, b) = (self.instance.values()[i], self.instance.decays()[i]);
        let from = self.last[i].max(self.warm_up as f64);
        let u = b * (self.now as f64 - from);
        if from == self.last[i] {
            return a * phi(u);
        }
        let v = b * (from - self.last[i]);
        a * (phi(u) + (-v).exp_m1() * (-u).exp_m1())
    }
}
