//! Policies without a closed form, evaluated on a long sequence (law F-11) of all pages or a random sample of them.
//!
//! In access counts only the values `a` and decays `b` matter, and `sum a psi` is the same if all `b` and all frequencies
//! are multiplied by the same factor. So a sample in which every page keeps its `b/x` is an instance of its own whose
//! bound is the sample's share of the whole bound; what a sequence costs beyond it, in proportion, is taken for the whole.

use anyhow::Result;
use freshness::cost::{SequenceCost, even_spacing_cost};
use freshness::index::IndexPolicy;
use freshness::sequence::Stride;
use freshness::special::phi;
use freshness::{AccessTime, HostId, Instance, Outcome, PageId, Pages, Policy, Visit};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::super::solution::Solution;
use super::at_limited_frequencies;
use crate::failure::Mistake;
use crate::output::number::grouped;
use crate::progress::{Count, Progress};

/// With more pages than this a sample is taken.
const SAMPLE: usize = 20_000;

/// Accesses to a page in the warm-up; those to a page expected to have fewer are taken to be evenly spaced.
const ENOUGH: f64 = 4.0;

/// Length of the sequence.
struct Window {
    warm_up: u64,
    accesses: u64,
}

impl Window {
    fn for_pages(pages: usize) -> Self {
        let pages = pages as u64;
        Self { warm_up: (20 * pages).max(50_000), accesses: (40 * pages).max(200_000) }
    }

    /// By how much a page of this value and decay that is never accessed is measured to cost too little: it costs `a b`.
    fn flattery(&self, value: f64, decay: f64) -> f64 {
        let (start, length) = (self.warm_up as f64, self.accesses as f64);
        value * (decay - (phi(decay * (start + length)) - phi(decay * start)) / length)
    }
}

/// Positions of `size` of `total` things, each set of them equally likely, in order; always the same ones.
pub(crate) fn sampled(total: usize, size: usize) -> Vec<usize> {
    let mut rng = Pcg64Mcg::seed_from_u64(0x0421_01e5);
    let mut wanted = size.min(total);
    let chosen = (0..total).filter(|position| {
        let take = rng.random_range(0..total - position) < wanted;
        wanted -= usize::from(take);
        take
    });
    chosen.collect()
}

/// The sampled pages as an instance in access counts.
struct Sample {
    /// Positions among all pages.
    pages: Vec<usize>,
    decays: Vec<f64>,
    /// `a b`, of which the value is restored by dividing by the decay.
    weights: Vec<f64>,
    frequencies: Vec<f64>,
}

impl Sample {
    fn of(instance: &Instance, frequencies: &[f64], size: usize) -> Self {
        let (values, decays) = (instance.values(), instance.decays());
        let mut pages = sampled(instance.len(), size);
        if pages.iter().all(|&i| frequencies[i] == 0.0) {
            // All that is accessed was left out: take the pages that are.
            pages = (0..instance.len()).filter(|&i| frequencies[i] > 0.0).take(size).collect();
        }
        let scale = 1.0 / pages.iter().map(|&i| frequencies[i]).sum::<f64>();
        Self {
            decays: pages.iter().map(|&i| decays[i] * scale).collect(),
            weights: pages.iter().map(|&i| values[i] * decays[i] * scale).collect(),
            frequencies: pages.iter().map(|&i| frequencies[i] * scale).collect(),
            pages,
        }
    }

    /// The pages for which `keep` holds, the others without weight.
    fn instance(&self, keep: impl Fn(f64) -> bool) -> Result<Instance> {
        let kept = |(c, f): (&f64, &f64)| if keep(*f) { *c } else { 0.0 };
        let weights: Vec<f64> = self.weights.iter().zip(&self.frequencies).map(kept).collect();
        let pages = Pages::new(&self.decays, &weights).map_err(Mistake::usage)?;
        Ok(Instance::new(&pages, &AccessTime::Constant { mean: 1.0 }))
    }
}

/// The costs of the two, each with how it was found.
pub(super) fn index_and_stride(solution: &Solution<'_>) -> Result<[(f64, String); 2]> {
    let Solution { instance, allocation, .. } = solution;
    let excess = index_and_stride_over_bound(instance, &allocation.frequencies, SAMPLE, |page| price(solution, page))?;
    let unavoidable = instance.unavoidable_cost();
    let sampled = SAMPLE.min(instance.len());
    let mut method = format!("sequence of {} accesses", grouped(Window::for_pages(sampled).accesses as usize));
    if sampled < instance.len() {
        method += &format!(" on a sample of {} pages", grouped(sampled));
    }
    method += at_limited_frequencies(solution);
    Ok(excess.map(|ratio| (unavoidable + (allocation.cost - unavoidable) * ratio, method.clone())))
}

/// What the two cost, over the bound for the given frequencies and apart from what no policy can avoid, on a sample of so
/// many pages. `price` is what the weight of a page is multiplied by for the index.
pub(crate) fn index_and_stride_over_bound(
    instance: &Instance,
    frequencies: &[f64],
    size: usize,
    price: impl Fn(usize) -> f64,
) -> Result<[f64; 2]> {
    let sample = Sample::of(instance, frequencies, size);
    let index = evaluate(&sample, "index", index(&sample, price))?;
    // Law F-19 at the optimal frequencies.
    let mut stride = Stride::new(&sample.frequencies).map_err(Mistake::usage)?;
    let stride = evaluate(&sample, "stride", || stride.next())?;
    Ok([index, stride])
}

/// Law F-17, with the multiplier of a host's limit as the price of its accesses.
fn index(sample: &Sample, price: impl Fn(usize) -> f64) -> impl FnMut() -> Option<PageId> {
    let mut policy = IndexPolicy::new();
    // The index in access counts at distance d is that in continuous time at age d + 1/2, to second order in b.
    policy.set_lead(0.5);
    let pages = sample.decays.iter().zip(&sample.weights).zip(&sample.frequencies);
    for (page, ((&b, &c), &f)) in (0_u32..).zip(pages) {
        let weight = c * price(sample.pages[page as usize]);
        policy.insert(PageId(page), b, weight, HostId(0), Some(-in_balance(page, f)));
    }
    let mut now = 0.0;
    move || {
        now += 1.0;
        let page = policy.draw(now)?;
        policy.record(Visit { page, at: now, outcome: Outcome::Unchanged });
        Some(page)
    }
}

/// `1/lambda_H`, in units of that of the budget.
fn price(solution: &Solution<'_>, page: usize) -> f64 {
    match (&solution.hosts, &solution.table.hosts) {
        (Some(answer), Some(hosts)) => {
            let host = hosts.of_page[page] as usize;
            let base = if solution.allocation.multiplier > 0.0 { solution.allocation.multiplier } else { 1.0 };
            base / answer.multipliers[host]
        }
        _ => 1.0,
    }
}

/// An age as if accesses had been evenly spaced at frequency `f` for ever; the phases of successive pages differ by the
/// golden ratio, so that pages alike are not all of an age.
fn in_balance(page: u32, f: f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let phase = (f64::from(page) * GOLDEN).fract();
    if f > 0.0 { (phase / f).min(1e300) } else { phase }
}

/// The cost of a sequence of the sample over the sample's bound.
///
/// Copies are current when a sequence begins. That flatters pages accessed so rarely that the warm-up is too short for
/// them, which are taken to be accessed evenly spaced, and pages never accessed at all, which are taken to be stale.
fn evaluate(sample: &Sample, name: &str, mut next: impl FnMut() -> Option<PageId>) -> Result<f64> {
    let window = Window::for_pages(sample.pages.len());
    let is_rare = |f: f64| f > 0.0 && f * (window.warm_up as f64) < ENOUGH;
    let (counted, rare) = (sample.instance(|f| !is_rare(f))?, sample.instance(is_rare)?);
    let bound = even_spacing_cost(&sample.instance(|_| true)?, &sample.frequencies);
    let total = window.warm_up + window.accesses;
    let progress = Progress::start(format!("cost of {name}"), Count::Items(total));
    let mut measured = SequenceCost::new(&counted, window.warm_up);
    let mut accessed = vec![false; sample.pages.len()];
    for access in 0..total {
        let Some(page) = next() else { break };
        measured.access(page);
        accessed[page.0 as usize] = true;
        if access % 1024 == 0 {
            progress.add(1024);
        }
    }
    let never = (0..accessed.len()).filter(|&i| !accessed[i]);
    let flattery: f64 = never.map(|i| window.flattery(counted.values()[i], counted.decays()[i])).sum();
    // The pages counted here have no weight there, and the other way round.
    let rare_frequencies: Vec<f64> = sample.frequencies.iter().map(|&f| if is_rare(f) { f } else { 0.0 }).collect();
    Ok((measured.cost() + flattery + even_spacing_cost(&rare, &rare_frequencies)) / bound)
}
