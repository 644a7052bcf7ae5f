//! How long the general-weight optimum takes, against one pass of `exp` over the same data.
//!
//! `cargo run --release -p oriole-bench --bin solve -- 1e6 1e7 1e8`

use std::hint::black_box;
use std::time::Instant;

use freshness::allocation::{PartialSums, frequencies, solve_exact};
use freshness::{AccessTime, Instance, Pages};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

fn main() {
    let sizes: Vec<usize> =
        std::env::args().skip(1).filter_map(|n| n.parse::<f64>().ok()).map(|n| n as usize).collect();
    let sizes = if sizes.is_empty() { vec![1_000_000, 10_000_000] } else { sizes };
    println!("threads: {}", std::thread::available_parallelism().map_or(1, usize::from));
    println!("| pages | step | seconds | ns per page | times one exp pass |");
    println!("|---|---|---|---|---|");
    for n in sizes {
        measure(n);
    }
}

/// Log-normal change rates and, independently, weights; one access per ten pages and day.
fn measure(n: usize) {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let mut lognormal = |sigma: f64| -> Vec<f64> {
        (0..n).map(|_| (sigma * rng.sample::<f64, _>(rand_distr::StandardNormal)).exp()).collect()
    };
    let (rates, weights) = (lognormal(2.0), lognormal(1.5));
    let Ok(pages) = Pages::new(&rates, &weights) else { return };
    let Ok(law) = AccessTime::exponential(10.0 / n as f64) else { return };

    let exp = timed(|| rates.iter().map(|mu| (-mu).exp()).sum::<f64>()).1;
    let row = |step: &str, seconds: f64| {
        let ns = seconds / n as f64 * 1e9;
        println!("| {n} | {step} | {seconds:.3} | {ns:.1} | {:.1} |", seconds / exp);
    };
    row("one exp per page, one thread", exp);
    let (sums, binned) = timed(|| PartialSums::of(&pages, &law));
    let (rough, root) = timed(|| sums.multiplier());
    row("binned solve", binned + root);
    let (instance, prepare) = timed(|| Instance::new(&pages, &law));
    row("prepare values and decays", prepare);
    let (exact, solve) = timed(|| solve_exact(&instance));
    row("exact multiplier", solve);
    let (x, fill) = timed(|| frequencies(&instance, &exact));
    row("frequencies", fill);
    row("exact solve, all three", prepare + solve + fill);
    let sum: f64 = x.iter().sum();
    println!(
        "binned multiplier off by {:.1e}, sum of frequencies by {:.1e}",
        rough.value() / exact.value() - 1.0,
        sum - 1.0
    );
    println!("beside the input: {} bytes per page", (instance.values().len() * 16 + x.len() * 8) / n);
}

fn timed<T>(f: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = black_box(f());
    (result, start.elapsed().as_secs_f64())
}
