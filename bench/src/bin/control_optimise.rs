//! How long robot policies take to evaluate and to optimise.
//!
//! `cargo run --release -p oriole-bench --bin control_optimise`

use std::hint::black_box;
use std::time::Instant;

use control::model::examples;
use control::optimise::optimise;
use control::{Bmap, Costs, Model, PhaseType, RobotPolicy, Sees, best_observed, markov_bound, solve};

fn main() {
    println!("| task | seconds | result |");
    println!("|---|---|---|");
    let paper = examples::paper(5);
    row("paper, K = 5: all mode sets and thresholds", || format!("{:.6}", best(&paper)));
    row("paper, K = 5: bound over all policies", || bound(&paper));
    let crawler = examples::measured_crawler();
    row("measured crawler, K = 20: all mode sets and thresholds", || format!("{:.4}", best(&crawler)));
    row("measured crawler, K = 20: bound over all policies", || bound(&crawler));
    row("measured crawler, K = 20: policy on pages and size class", || seen(&crawler));
    let large = examples::paper(1000);
    if let Ok(policy) = RobotPolicy::thresholds(&large, &[3, 1], &[3]) {
        row("paper, K = 1000: one policy, all measures", || format!("{:.9}", solve(&large, &policy).cost));
    }
    row("paper, K = 1000: best thresholds, all 11 sets of 4 modes", || optimum(&large, None));
    row("paper, K = 1000: best thresholds, modes 4, 3, 2, 1", || optimum(&large, Some(&[4, 3, 2, 1])));
    row("paper, K = 1000: bound over all policies", || bound(&large));
    if let Some(sixteen) = sixteen_robots(1000) {
        row("16 Poisson robots, nothing ages, K = 1000: best thresholds", || optimum(&sixteen, None));
        row("16 Poisson robots, nothing ages, K = 1000: bound over all policies", || bound(&sixteen));
    }
    if let Some(sixteen) = bursty_robots(1000) {
        row("16 bursty robots, K = 1000: best thresholds", || optimum(&sixteen, None));
    }
}

fn row(task: &str, work: impl Fn() -> String) {
    let start = Instant::now();
    let result = black_box(work());
    println!("| {task} | {:.4} | {result} |", start.elapsed().as_secs_f64());
}

fn best(model: &Model) -> f64 {
    optimise(model, None).map_or(f64::NAN, |optimum| optimum.best.measures.cost)
}

fn optimum(model: &Model, modes: Option<&[u32]>) -> String {
    optimise(model, modes).map_or_else(
        |error| error.to_string(),
        |optimum| {
            let best = optimum.best;
            format!("{:?} {:?} {:.9}, none below {:.9}", best.modes, best.thresholds, best.measures.cost, best.lower)
        },
    )
}

fn bound(model: &Model) -> String {
    markov_bound(model).map_or_else(
        |error| error.to_string(),
        |bound| format!("{:.6}, reached {:.6}", bound.lower, bound.reached.map_or(f64::NAN, |reached| reached.mixed)),
    )
}

fn seen(model: &Model) -> String {
    best_observed(model, Sees::PagesAndService)
        .map_or_else(|error| error.to_string(), |policy| format!("{:.4}", policy.cost))
}

const COSTS: Costs = Costs { loss: 20.0, obsolete: 0.0, sojourn: 1.0, robot: 0.2, starvation: 40.0 };

fn sixteen_robots(buffer: usize) -> Option<Model> {
    let arrivals: Option<Vec<(u32, Bmap)>> =
        (1..=16).map(|r| Bmap::poisson(0.13 * f64::from(r)).ok().map(|bmap| (r, bmap))).collect();
    Model::new(buffer, PhaseType::exponential(1.0).ok()?, None, arrivals?, COSTS).ok()
}

/// Each mode the arrivals of the measured crawler at its own speed, pages of two sizes.
fn bursty_robots(buffer: usize) -> Option<Model> {
    let crawler = examples::measured_crawler();
    let one = crawler.arrivals_of(1)?;
    let arrivals = (1..=16).map(|r| (r, one.sped_up(f64::from(r)))).collect();
    Model::new(buffer, crawler.service().clone(), crawler.obsolescence().cloned(), arrivals, *crawler.costs()).ok()
}
