//! Speed, memory and cost of the index policy: `cargo run --release -p oriole-bench --bin index_policy [--huge] [--cells N]`.

use std::time::Instant;

use freshness::index::IndexPolicy;
use freshness::special::{g_inverse, phi};
use freshness::{HostId, Outcome, PageId, Policy, Visit};
use rand::SeedableRng;
use rand_distr::{Distribution, LogNormal};
use rand_pcg::Pcg64Mcg;

/// Changes per access, over all pages together.
const Q: f64 = 1.0;

/// Rates and weights of `n` pages, independent lognormal.
struct Population {
    rates: Vec<f32>,
    weights: Vec<f32>,
}

impl Population {
    fn new(n: usize) -> Self {
        let mut rng = Pcg64Mcg::seed_from_u64(1);
        let Ok(law) = LogNormal::new(0.0f32, 1.0) else { unreachable!("the spread is positive") };
        let scale = (Q / (n as f64 * 0.5f64.exp())) as f32;
        let rates = (0..n).map(|_| scale * law.sample(&mut rng)).collect();
        let weights = (0..n).map(|_| law.sample(&mut rng)).collect();
        Self { rates, weights }
    }

    fn pages(&self) -> impl Iterator<Item = (f64, f64)> {
        self.rates.iter().zip(&self.weights).map(|(&rate, &weight)| (f64::from(rate), f64::from(weight)))
    }

    /// Lower bound of the cost at one access per unit of time (laws F-3, F-6), by bisection on the multiplier.
    fn bound(&self) -> f64 {
        let frequency = |mu: f64, c: f64, lambda: f64| mu / g_inverse(lambda * mu / c, 1.0 - lambda * mu / c);
        let (mut low, mut high) = (-50.0f64, 50.0f64);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            let used: f64 = self.pages().map(|(mu, c)| frequency(mu, c, middle.exp())).sum();
            if used > 1.0 { low = middle } else { high = middle }
        }
        let cost = |(mu, c): (f64, f64)| match frequency(mu, c, low.exp()) {
            0.0 => c,
            x => c / mu * x * phi(mu / x),
        };
        self.pages().map(cost).sum()
    }
}

/// Makes `accesses` accesses from time `now` on, one per unit of time.
fn run(policy: &mut IndexPolicy, now: f64, accesses: usize, mut seen: impl FnMut(PageId, f64)) -> f64 {
    let mut now = now;
    for _ in 0..accesses {
        now += 1.0;
        if let Some(page) = policy.draw(now) {
            seen(page, now);
            policy.record(Visit { page, at: now, outcome: Outcome::Unchanged });
        }
    }
    now
}

/// Exact expected cost of what is accessed over `accesses` accesses, over the lower bound.
fn cost_ratio(policy: &mut IndexPolicy, population: &Population, now: f64, accesses: usize) -> f64 {
    let n = population.rates.len();
    let pages: Vec<_> = population.pages().collect();
    let mut last = vec![f64::NEG_INFINITY; n];
    let start = run(policy, now, accesses, |page, now| last[page.0 as usize] = now);
    let mut stale = 0.0;
    let since = |i: usize, last: f64, now: f64| {
        let (mu, c) = pages[i];
        if last == f64::NEG_INFINITY {
            return c * (now - start);
        }
        c / mu * (phi(mu * (now - last)) - phi(mu * (start.max(last) - last)))
    };
    let end = run(policy, start, accesses, |page, now| {
        let i = page.0 as usize;
        stale += since(i, last[i], now);
        last[i] = now;
    });
    stale += (0..n).map(|i| since(i, last[i], end)).sum::<f64>();
    stale / (end - start) / population.bound()
}

/// Resident memory of this process in bytes, where the system tells.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<f64>().ok()).unwrap_or(f64::NAN) * 1024.0
}

fn measure(n: usize, cells: u32) {
    let population = Population::new(n);
    let before = resident();
    let mut policy = IndexPolicy::with_resolution(cells);
    policy.reserve(n);
    let clock = Instant::now();
    for (page, (rate, weight)) in (0..).zip(population.pages()) {
        policy.insert(PageId(page), rate, weight, HostId(0), None);
    }
    let insert = clock.elapsed().as_nanos() as f64 / n as f64;
    let clock = Instant::now();
    let now = run(&mut policy, 0.0, n, |_, _| {});
    let first = clock.elapsed().as_nanos() as f64 / n as f64;
    let bytes = (resident() - before) / n as f64;

    let now = run(&mut policy, now, n, |_, _| {});
    let accesses = n.clamp(2_000_000, 20_000_000);
    let compared = policy.comparisons();
    let clock = Instant::now();
    let now = run(&mut policy, now, accesses, |_, _| {});
    let steady = clock.elapsed().as_nanos() as f64 / accesses as f64;
    let compared = (policy.comparisons() - compared) as f64 / accesses as f64;
    print!("{n:>11} {insert:>8.0} {first:>8.0} {steady:>8.0} {compared:>9.2} {bytes:>7.1}");
    if n <= 100_000 {
        print!(" {:>9.5}", cost_ratio(&mut policy, &population, now, 40 * n));
    }
    println!();
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let after = |name: &str| arguments.iter().skip_while(|argument| *argument != name).nth(1);
    let cells = after("--cells").and_then(|value| value.parse().ok()).unwrap_or(8);
    println!("one host, lognormal rates and weights, {cells} cells per octave");
    println!("      pages  ns/insert ns/first ns/draw compared  bytes/page cost/bound");
    let mut sizes = vec![100_000, 1_000_000, 10_000_000];
    if arguments.iter().any(|argument| argument == "--huge") {
        sizes.push(100_000_000);
    }
    for n in sizes {
        measure(n, cells);
    }
}
