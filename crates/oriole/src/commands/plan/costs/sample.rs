//! Policies without a closed form, evaluated on a long sequence (law F-11) of all pages or a random sample of them.
//!
//! In access counts only the values `a` and decays `b` matter, and `sum a psi` is the same if all `b` and all frequencies
//! are multiplied by the same factor. So a sample in which every page keeps its `b/x` is an instance of its own whose
//! bound is the sample's share of the whole bound; what a sequence costs beyond it, in proportion, is taken for the whole.

use anyhow::Result;
use freshness::cost::{SequenceCost, even_spacing_cost};
use freshness::index::IndexPolicy;
use freshness::sequence::Stride;
use freshness::{AccessTime, HostId, Instance, Outcome, PageId, Pages, Policy, Visit};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::super::solution::Solution;
use super::at_limited_frequencies;
use crate::failure::Mistake;
use crate::output::number::grouped;
use crate::progress::{Count, Progress};

/// With more pages than this a sample is taken.
const MANY: usize = 20_000;

/// Pages in the sample.
const SAMPLE: usize = 5_000;

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

/// The sampled pages as an instance in access counts, as if accesses had been evenly spaced for ever.
struct Sample {
    /// Positions among all pages.
    pages: Vec<usize>,
    instance: Instance,
    frequencies: Vec<f64>,
    /// Accesses since the last one to each page, at the start.
    ages: Vec<f64>,
}

impl Sample {
    fn of(instance: &Instance, frequencies: &[f64], size: usize) -> Result<Self> {
        let (values, decays) = (instance.values(), instance.decays());
        let mut pages = sampled(instance.len(), size);
        if pages.iter().all(|&i| frequencies[i] == 0.0) {
            // All that is accessed was left out: take the pages that are.
            pages = (0..instance.len()).filter(|&i| frequencies[i] > 0.0).take(size).collect();
        }
        let scale = 1.0 / pages.iter().map(|&i| frequencies[i]).sum::<f64>();
        let decays: Vec<f64> = pages.iter().map(|&i| decays[i] * scale).collect();
        // In accesses the weight is a b, since the mean access time is one.
        let weights: Vec<f64> = pages.iter().zip(&decays).map(|(&i, b)| values[i] * b).collect();
        let frequencies: Vec<f64> = pages.iter().map(|&i| frequencies[i] * scale).collect();
        let ages = ages(&frequencies, &decays);
        let numbers = Pages::new(&decays, &weights).map_err(Mistake::usage)?;
        let instance = Instance::new(&numbers, &AccessTime::Constant { mean: 1.0 });
        Ok(Self { pages, instance, frequencies, ages })
    }
}

/// Ages in the middle of evenly spaced accesses, in which the phases of successive pages differ by the golden ratio, as those
/// of [`Stride`] do; pages that are never accessed have long been stale.
fn ages(frequencies: &[f64], decays: &[f64]) -> Vec<f64> {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    /// In units of the time between changes.
    const LONG: f64 = 50.0;
    let mut rank = 0.0;
    let age = |(f, b): (&f64, &f64)| {
        if *f > 0.0 {
            rank += 1.0;
            (1.0 - (rank * GOLDEN).fract()) / f
        } else if *b > 0.0 {
            LONG / b
        } else {
            0.0
        }
    };
    frequencies.iter().zip(decays).map(age).collect()
}

/// The costs of the two, each with how it was found.
pub(super) fn index_and_stride(solution: &Solution<'_>) -> Result<[(f64, String); 2]> {
    let Solution { instance, allocation, .. } = solution;
    let bound_host = |page: usize| match (&solution.hosts, &solution.table.hosts) {
        (Some(answer), Some(hosts)) => Some(hosts.of_page[page]).filter(|host| answer.bound[*host as usize]),
        _ => None,
    };
    let sampled = if instance.len() > MANY { SAMPLE } else { instance.len() };
    let excess = index_and_stride_over_bound(instance, &allocation.frequencies, sampled, bound_host)?;
    let unavoidable = instance.unavoidable_cost();
    let mut method = format!("sequence of {} accesses", grouped(Window::for_pages(sampled).accesses as usize));
    if sampled < instance.len() {
        method += &format!(" on a sample of {} pages", grouped(sampled));
    }
    let limited =
        [if solution.hosts.is_some() { ", within the host limit" } else { "" }, at_limited_frequencies(solution)];
    let mut index = 0;
    Ok(excess.map(|ratio| {
        index += 1;
        (unavoidable + (allocation.cost - unavoidable) * ratio, method.clone() + limited[index - 1])
    }))
}

/// What the two cost, over the bound for the given frequencies and apart from what no policy can avoid, on a sample of so
/// many pages. `bound_host` is the host of a page if its limit binds: the index then keeps as far between accesses to it as
/// the frequencies say.
pub(crate) fn index_and_stride_over_bound(
    instance: &Instance,
    frequencies: &[f64],
    size: usize,
    bound_host: impl Fn(usize) -> Option<u32>,
) -> Result<[f64; 2]> {
    let sample = Sample::of(instance, frequencies, size)?;
    let hosts: Vec<Option<u32>> = sample.pages.iter().map(|&page| bound_host(page)).collect();
    let index = evaluate(&sample, "index", index(&sample, &hosts));
    // Law F-19 at the optimal frequencies.
    let mut stride = Stride::new(&sample.frequencies).map_err(Mistake::usage)?;
    let stride = evaluate(&sample, "stride", || stride.next());
    Ok([index, stride])
}

/// Law F-17. `None` if every host is closed just then.
fn index(sample: &Sample, hosts: &[Option<u32>]) -> impl FnMut() -> Option<PageId> {
    let last = hosts.iter().flatten().max().map_or(0, |host| *host as usize + 1);
    // Host 0 is for all pages on hosts whose limit does not bind.
    let mut shares = vec![0.0; last + 1];
    let numbers: Vec<u32> = hosts.iter().map(|host| host.map_or(0, |host| host + 1)).collect();
    let mut policy = IndexPolicy::new();
    // The index in access counts at distance d is that in continuous time at age d + 1/2, to second order in b.
    policy.set_lead(0.5);
    let (values, decays) = (sample.instance.values(), sample.instance.decays());
    for (page, &host) in (0_u32..).zip(&numbers) {
        let i = page as usize;
        shares[host as usize] += sample.frequencies[i];
        policy.insert(PageId(page), decays[i], values[i] * decays[i], HostId(host), Some(-sample.ages[i]));
    }
    // When each host opens again. Parts of an access are carried over, or a host would get less than its share.
    let mut opens = vec![0.0_f64; shares.len()];
    let mut now = 0.0;
    move || {
        now += 1.0;
        let page = policy.draw(now)?;
        policy.record(Visit { page, at: now, outcome: Outcome::Unchanged });
        let host = numbers[page.0 as usize] as usize;
        if host > 0 {
            opens[host] = opens[host].max(now - 1.0) + 1.0 / shares[host];
            policy.close_host(HostId(host as u32), opens[host]);
        }
        Some(page)
    }
}

/// The cost of a sequence of the sample over the sample's bound; where it yields no page an access goes by unused.
fn evaluate(sample: &Sample, name: &str, mut next: impl FnMut() -> Option<PageId>) -> f64 {
    let window = Window::for_pages(sample.pages.len());
    let total = window.warm_up + window.accesses;
    let progress = Progress::start(format!("cost of {name}"), Count::Items(total));
    let mut measured = SequenceCost::with_ages(&sample.instance, window.warm_up, &sample.ages);
    for access in 0..total {
        match next() {
            Some(page) => measured.access(page),
            None => measured.idle(),
        }
        if access % 1024 == 0 {
            progress.add(1024);
        }
    }
    measured.cost() / even_spacing_cost(&sample.instance, &sample.frequencies)
}
