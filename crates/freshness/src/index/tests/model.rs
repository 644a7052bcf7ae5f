//! The policy against a list of pages that is searched, under any operations in any order.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::support::visit;
use crate::index::{IndexPolicy, continuous_index};
use crate::policy::{HostId, Outcome, PageId, Policy, Visit};

#[derive(Clone, Debug)]
enum Step {
    Insert(u32, f64, f64, u32, Option<f64>),
    Remove(u32),
    SetRate(u32, f64),
    SetWeight(u32, f64),
    LookOlder(u32, f64),
    Close(u32, f64),
    CloseForEver(u32),
    Open(u32),
    Wait(f64),
    Draw,
    Record(usize, u8),
    Release(usize),
}

const HOSTS: u32 = 6;

fn steps(pages: u32) -> impl Strategy<Value = Vec<Step>> {
    let id = 0..pages;
    let rate = prop_oneof![1 => Just(0.0), 9 => (-4.0f64..4.0).prop_map(f64::exp2)];
    let weight = prop_oneof![1 => Just(0.0), 9 => (-4.0f64..4.0).prop_map(f64::exp2)];
    let last = prop_oneof![1 => Just(None), 2 => (-9.0f64..0.0).prop_map(Some)];
    let any_page = (id.clone(), rate.clone(), weight.clone(), 0..HOSTS, last);
    let step = prop_oneof![
        8 => any_page.prop_map(|(page, rate, weight, host, last)| Step::Insert(page, rate, weight, host, last)),
        1 => id.clone().prop_map(Step::Remove),
        2 => (id.clone(), rate).prop_map(|(page, rate)| Step::SetRate(page, rate)),
        2 => (id.clone(), weight).prop_map(|(page, weight)| Step::SetWeight(page, weight)),
        2 => (id, prop_oneof![Just(f64::INFINITY), 0.0f64..5.0]).prop_map(|(page, by)| Step::LookOlder(page, by)),
        3 => (0..HOSTS, 0.0f64..4.0).prop_map(|(host, time)| Step::Close(host, time)),
        1 => (0..HOSTS).prop_map(Step::CloseForEver),
        2 => (0..HOSTS).prop_map(Step::Open),
        2 => (0.0f64..1.0).prop_map(Step::Wait),
        10 => Just(Step::Draw),
        6 => (0..64usize, 0..8u8).prop_map(|(k, outcome)| Step::Record(k, outcome)),
        2 => (0..64usize).prop_map(Step::Release),
    ];
    prop::collection::vec(step, 1..400)
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    rate: f64,
    weight: f64,
    host: u32,
    last: f64,
    out: bool,
}

#[derive(Default)]
struct Model {
    pages: BTreeMap<u32, Entry>,
    closed: BTreeMap<u32, f64>,
    out: Vec<PageId>,
    now: f64,
}

impl Model {
    fn drawable(&self) -> impl Iterator<Item = (&u32, &Entry)> {
        let open = |host: u32| !self.closed.get(&host).is_some_and(|&until| until > self.now);
        self.pages.iter().filter(move |(_, entry)| !entry.out && open(entry.host))
    }

    fn index(&self, entry: &Entry) -> f64 {
        continuous_index(entry.rate, entry.weight, self.now - entry.last)
    }

    /// Checks a draw and takes note of it.
    fn drew(&mut self, page: Option<PageId>) -> Result<(), TestCaseError> {
        self.closed.retain(|_, until| *until > self.now);
        let Some(PageId(id)) = page else {
            prop_assert!(self.drawable().next().is_none(), "a page may be drawn, none was");
            return Ok(());
        };
        prop_assert!(self.drawable().any(|(&page, _)| page == id), "{} may not be drawn", id);
        if let Some(entry) = self.pages.get_mut(&id) {
            entry.out = true;
        }
        self.out.push(PageId(id));
        Ok(())
    }

    fn change(&mut self, page: u32, change: impl FnOnce(&mut Entry)) {
        self.pages.entry(page).and_modify(change);
    }

    /// A page handed out, if it still is.
    fn take_out(&mut self, k: usize) -> Option<PageId> {
        if self.out.is_empty() {
            return None;
        }
        Some(self.out.swap_remove(k % self.out.len()))
    }

    fn insert(&mut self, page: u32, rate: f64, weight: f64, host: u32, last: Option<f64>) {
        let out = self.pages.get(&page).is_some_and(|entry| entry.out);
        let last = last.unwrap_or(f64::NEG_INFINITY);
        self.pages.insert(page, Entry { rate, weight, host, last, out });
    }

    fn record(&mut self, visit: Visit) {
        if visit.outcome == Outcome::Gone {
            self.pages.remove(&visit.page.0);
        }
        self.change(visit.page.0, |entry| (entry.last, entry.out) = (visit.at, false));
    }
}

fn apply(policy: &mut IndexPolicy, model: &mut Model, step: &Step) -> Result<(), TestCaseError> {
    match *step {
        Step::Insert(page, rate, weight, host, last) => {
            policy.insert(PageId(page), rate, weight, HostId(host), last);
            model.insert(page, rate, weight, host, last);
        }
        Step::Remove(page) => prop_assert_eq!(policy.remove(PageId(page)), model.pages.remove(&page).is_some()),
        Step::SetRate(page, rate) => {
            policy.set_rate(PageId(page), rate);
            model.change(page, |entry| entry.rate = rate);
        }
        Step::SetWeight(page, weight) => {
            policy.set_weight(PageId(page), weight);
            model.change(page, |entry| entry.weight = weight);
        }
        Step::LookOlder(page, by) => {
            policy.look_older(PageId(page), by);
            model.change(page, |entry| entry.last -= by);
        }
        Step::Wait(time) => model.now += time,
        Step::Draw => model.drew(policy.draw(model.now))?,
        Step::Record(k, outcome) => {
            if let Some(page) = model.take_out(k) {
                let outcome = if outcome == 0 { Outcome::Gone } else { Outcome::Unchanged };
                let visit = Visit { outcome, ..visit(page, model.now) };
                policy.record(visit);
                model.record(visit);
            }
        }
        Step::Release(k) => {
            if let Some(page) = model.take_out(k) {
                policy.release(page);
                model.change(page.0, |entry| entry.out = false);
            }
        }
        Step::Close(..) | Step::CloseForEver(_) | Step::Open(_) => gate(policy, model, step),
    }
    Ok(())
}

fn gate(policy: &mut IndexPolicy, model: &mut Model, step: &Step) {
    match *step {
        Step::Close(host, time) => {
            policy.close_host(HostId(host), model.now + time);
            model.closed.insert(host, model.now + time);
        }
        Step::CloseForEver(host) => {
            policy.close_host(HostId(host), f64::INFINITY);
            model.closed.insert(host, f64::INFINITY);
        }
        Step::Open(host) => {
            policy.open_host(HostId(host));
            model.closed.remove(&host);
        }
        _ => {}
    }
}

/// What must hold after every step.
fn compare(policy: &IndexPolicy, model: &Model) -> Result<(), TestCaseError> {
    prop_assert_eq!(policy.len(), model.pages.len());
    let opening = model.closed.values().copied().filter(|until| until.is_finite()).min_by(f64::total_cmp);
    prop_assert_eq!(policy.next_opening(), opening);
    for (&page, entry) in &model.pages {
        let (index, expected) = (policy.index(PageId(page), model.now), model.index(entry));
        let close = |index: f64| index == expected || (index - expected).abs() <= 1e-5 * expected;
        prop_assert!(index.is_some_and(close), "{} {:?} {}", page, index, expected);
    }
    Ok(())
}

/// At the end everything is opened and drawn: no page is lost, none comes twice.
fn drain(policy: &mut IndexPolicy, model: &mut Model) -> Result<(), TestCaseError> {
    for host in 0..HOSTS {
        gate(policy, model, &Step::Open(host));
    }
    let waiting = model.drawable().count();
    for _ in 0..waiting {
        let page = policy.draw(model.now);
        prop_assert!(page.is_some());
        model.drew(page)?;
    }
    prop_assert_eq!(policy.draw(model.now), None);
    Ok(())
}

fn agree(pages: u32, resolution: u32, steps: &[Step]) -> Result<(), TestCaseError> {
    let mut policy = IndexPolicy::with_resolution(resolution);
    let mut model = Model::default();
    for step in steps {
        apply(&mut policy, &mut model, step)?;
        compare(&policy, &model)?;
    }
    for page in 0..pages {
        prop_assert_eq!(policy.contains(PageId(page)), model.pages.contains_key(&page));
    }
    drain(&mut policy, &mut model)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Few pages: every operation hits pages in every state.
    #[test]
    fn agrees_with_a_list_of_pages(steps in steps(12)) {
        agree(12, 8, &steps)?;
    }

    /// Many cells: the heap is in use.
    #[test]
    fn agrees_with_a_list_of_pages_in_many_cells(steps in steps(300)) {
        agree(300, 64, &steps)?;
    }
}
