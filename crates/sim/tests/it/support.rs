//! Formulas written down once more, straight from CLW and without the library's, and small sequences to simulate.

use freshness::{AccessTime, PageId};
use rand::RngExt;
use rand_pcg::Pcg64Mcg;
use sim::{Config, Estimate, Page, Sequence, Sequenced, SimReport, Simulation};

/// Rates spread like a lognormal law with the given sigma, by its quantiles; every page worth 1.
pub fn spread_pages(n: usize, mean_rate: f64, sigma: f64) -> Vec<Page> {
    let raw: Vec<f64> = (0..n).map(|i| (sigma * normal_quantile((i as f64 + 0.5) / n as f64)).exp()).collect();
    let mean = raw.iter().sum::<f64>() / n as f64;
    raw.iter().map(|rate| Page::new(mean_rate * rate / mean, 1.0)).collect()
}

/// A rough inverse of the normal law (the logistic one scaled); only used to spread rates.
fn normal_quantile(p: f64) -> f64 {
    (p / (1.0 - p)).ln() / 1.702
}

/// CLW Theorem 3.3 with equality: `r = 1 - (f/(mu E[X])) (1 - h^(1/f))`.
pub fn even_spacing_stale(h: f64, q: f64, f: f64) -> f64 {
    1.0 - f / q * (1.0 - h.powf(1.0 / f))
}

/// CLW Lemma 4.1: `r = 1 - (f/(mu E[X])) (1 - f h/(1 - h + f h))`.
pub fn randomised_stale(h: f64, q: f64, f: f64) -> f64 {
    1.0 - f / q * (1.0 - f * h / (1.0 - h + f * h))
}

/// CLW (3) and Lemma 3.1 for the window `warm_up..warm_up + accesses` of any sequence: page `i` goes from age `d0` to `d1`
/// with expected stale time `E[X] (d1 - d0) - (h^d0 - h^d1)/mu`.
pub fn sequence_cost(pages: &[Page], law: &AccessTime, sequence: Sequence, warm_up: usize, accesses: usize) -> f64 {
    let h: Vec<f64> = pages.iter().map(|page| law.transform(page.change_rate)).collect();
    let mean = law.mean();
    let stale = |i: usize, d0: usize, d1: usize| {
        let fresh = (h[i].powf(d0 as f64) - h[i].powf(d1 as f64)) / pages[i].change_rate;
        (d1 - d0) as f64 * mean - fresh
    };
    let mut last = vec![0; pages.len()];
    let mut cost = 0.0;
    for (n, PageId(i)) in sequence.take(warm_up + accesses).enumerate() {
        let (i, n) = (i as usize, n + 1);
        if n > warm_up {
            cost += pages[i].weight * stale(i, warm_up.saturating_sub(last[i]), n - last[i]);
        }
        last[i] = n;
    }
    for i in 0..pages.len() {
        let end = warm_up + accesses - last[i];
        cost += pages[i].weight * stale(i, warm_up.saturating_sub(last[i]), end);
    }
    cost / (accesses as f64 * mean)
}

/// One page after the other.
pub fn round_robin(pages: usize) -> Sequence {
    Box::new((0..pages as u32).cycle().map(PageId))
}

/// Independent draws with the given frequencies.
pub fn randomised(frequencies: &[f64], seed: u128) -> Sequence {
    let sums: Vec<f64> = frequencies
        .iter()
        .scan(0.0, |sum, f| {
            *sum += f;
            Some(*sum)
        })
        .collect();
    let mut rng = Pcg64Mcg::new(seed);
    Box::new(std::iter::repeat_with(move || {
        let u = rng.random::<f64>() * sums[sums.len() - 1];
        PageId(sums.partition_point(|sum| *sum <= u) as u32)
    }))
}

/// One cycle of the golden-ratio sequence (CLW section 5): page `i` owns `counts[i]` consecutive `j`, in order of
/// `frac(j/phi)`.
pub fn golden_cycle(counts: &[usize]) -> Vec<PageId> {
    let owners = counts.iter().enumerate().flat_map(|(i, &count)| std::iter::repeat_n(PageId(i as u32), count));
    let inverse_phi = (5f64.sqrt() - 1.0) / 2.0;
    let mut placed: Vec<_> = owners.enumerate().map(|(j, page)| ((j as f64 * inverse_phi).fract(), page)).collect();
    placed.sort_by(|a, b| a.0.total_cmp(&b.0));
    placed.into_iter().map(|(_, page)| page).collect()
}

/// Next turn one period after the last, the earliest first.
pub fn stride(frequencies: &[f64]) -> Sequence {
    let mut due: Vec<f64> = frequencies.iter().map(|f| 0.5 / f).collect();
    let periods: Vec<f64> = frequencies.iter().map(|f| 1.0 / f).collect();
    Box::new(std::iter::repeat_with(move || {
        let next = argmax(due.iter().map(|due| -due));
        due[next] += periods[next];
        PageId(next as u32)
    }))
}

/// The index `a [1 - h^d (1 + d (1 - h))]`, `a = c/(mu E[X])`, of every page at every access (law F-17).
pub fn index_sequence(pages: &[Page], law: &AccessTime) -> Sequence {
    let constants: Vec<(f64, f64)> =
        pages.iter().map(|p| (p.weight / (p.change_rate * law.mean()), law.transform(p.change_rate))).collect();
    let mut last = vec![0.0; pages.len()];
    let mut n = 0.0;
    Box::new(std::iter::repeat_with(move || {
        n += 1.0;
        let index = |(i, (a, h)): (usize, &(f64, f64))| {
            let d: f64 = n - last[i];
            a * (1.0 - h.powf(d) * (1.0 + d * (1.0 - h)))
        };
        let next = argmax(constants.iter().enumerate().map(index));
        last[next] = n;
        PageId(next as u32)
    }))
}

fn argmax(values: impl Iterator<Item = f64>) -> usize {
    values.enumerate().fold((0, f64::NEG_INFINITY), |best, (i, v)| if v > best.1 { (i, v) } else { best }).0
}

/// Simulates a sequence that does not depend on the pages.
pub fn simulate(pages: &[Page], config: Config, sequence: impl Fn() -> Sequence + 'static) -> SimReport {
    let mut policy = Sequenced::new(move |_| sequence());
    Simulation::new(pages, config).unwrap().run(&mut policy)
}

/// Within 1.5 half-widths of the 95% interval, which is the 99.5% interval at 19 degrees of freedom: each comparison has
/// one chance in 200 to fail under a new seed although the formula is right.
pub fn agrees(estimate: Estimate, formula: f64) -> bool {
    (estimate.mean - formula).abs() <= 1.5 * estimate.half_width
}
