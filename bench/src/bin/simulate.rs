//! How fast policies are simulated: a million pages, ten million accesses, one core.
//!
//! `cargo run --release -p oriole-bench --bin simulate -- [PAGES [ACCESSES [POLICY...]]]`

use std::error::Error;
use std::time::Instant;

use freshness::allocation::optimum;
use freshness::learn::Prior;
use freshness::{AccessTime, Instance, Pages};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use sim::{Config, Learning, Page, PolicyName, Scheduler, SimReport, Simulation};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let pages = arguments.next().map_or(Ok(1e6), |n| n.parse::<f64>())? as usize;
    let accesses = arguments.next().map_or(Ok(1e7), |n| n.parse::<f64>())?;
    let named: Vec<PolicyName> = arguments.map(|name| name.parse()).collect::<Result<_, _>>()?;
    let policies = if named.is_empty() { PolicyName::ALL.to_vec() } else { named };

    let pages = lognormal_pages(pages);
    // One access per page and day; a sixth of the time is warm-up.
    let budget = pages.len() as f64;
    let config = Config::new(AccessTime::exponential(1.0 / budget)?, accesses / budget / 1.2);
    let bound = bound(&pages, &config)?;
    println!("{} pages, {accesses:.0} accesses, lower bound {bound:.1}, seed {}", pages.len(), config.seed);
    println!("| policy | seconds | ns per access | stale cost | 95% | over the bound |");
    println!("|---|---|---|---|---|---|");
    let simulation = Simulation::new(&pages, config)?;
    let learning = Learning { prior: Prior::unknown(1.0)?, reserve: 0.03 };
    for name in policies {
        measure(&simulation, name.as_str(), &mut *name.build(simulation.config(), None), bound);
        if name.can_learn() {
            let mut policy = name.build(simulation.config(), Some(learning));
            measure(&simulation, "index, rates learned", &mut *policy, bound);
        }
    }
    Ok(())
}

fn measure(simulation: &Simulation<'_>, name: &str, policy: &mut dyn Scheduler, bound: f64) {
    let start = Instant::now();
    let report = simulation.run(policy);
    let seconds = start.elapsed().as_secs_f64();
    let SimReport { stale_cost: cost, accesses, .. } = report;
    let ns = seconds * 1e9 / (accesses as f64 * 1.2);
    let ratio = cost.mean / bound;
    println!("| {name} | {seconds:.2} | {ns:.0} | {:.1} | {:.1} | {ratio:.4} |", cost.mean, cost.half_width);
}

/// Log-normal change rates (median one in ten days) and, independently, weights.
fn lognormal_pages(n: usize) -> Vec<Page> {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let mut lognormal = |sigma: f64| (sigma * rng.sample::<f64, _>(rand_distr::StandardNormal)).exp();
    (0..n).map(|_| Page::new(0.1 * lognormal(1.5), lognormal(1.0))).collect()
}

fn bound(pages: &[Page], config: &Config) -> Result<f64, Box<dyn Error>> {
    let rates: Vec<f64> = pages.iter().map(|page| page.change_rate).collect();
    let weights: Vec<f64> = pages.iter().map(|page| page.weight).collect();
    Ok(optimum(&Instance::new(&Pages::new(&rates, &weights)?, &config.access_time)).cost)
}
