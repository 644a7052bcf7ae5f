//! How long large systems with truly phase-type obsolescence take to solve.
//!
//! `cargo run --release -p oriole-bench --bin control_large -- [places ...]`

use std::time::Instant;

use control::model::examples;
use control::queue::{Method, solve_to};
use control::{Model, PhaseType, RobotPolicy};

/// The bounds wanted where an exact solution is too large.
const ACCURACY: f64 = 0.01;

fn main() {
    let places: Vec<usize> = std::env::args().skip(1).filter_map(|k| k.parse().ok()).collect();
    let places = if places.is_empty() { vec![12, 16, 20, 40] } else { places };
    println!("threads: {}", std::thread::available_parallelism().map_or(1, usize::from));
    println!("| law | policy | K | seconds | cost | method | residual or width | peak MiB |");
    println!("|---|---|---|---|---|---|---|---|");
    for places in places {
        for (law, name) in [(erlang(), "Erlang-2"), (hyper_exponential(), "hyper-exponential")] {
            let Some(law) = law else { continue };
            let arrivals = examples::paper_arrivals();
            let model = Model::new(places, examples::paper_service(), Some(law), arrivals, examples::PAPER_COSTS);
            let Ok(model) = model else { continue };
            if let Ok(policy) = RobotPolicy::thresholds(&model, &[3, 1], &[2]) {
                measure(name, "3 to 2 pages, then 1", &model, &policy);
            }
            measure(name, "always 4", &model, &model.fixed(4));
        }
    }
}

/// Mean 5, squared variation 1/2.
fn erlang() -> Option<PhaseType> {
    PhaseType::erlang(2, 0.4).ok()
}

/// Mean 5, start (0.9, 0.1), first rate 1.
fn hyper_exponential() -> Option<PhaseType> {
    PhaseType::hyper_exponential(&[0.9, 0.1], &[1.0, 0.1 / 4.1]).ok()
}

fn measure(law: &str, policy_name: &str, model: &Model, policy: &RobotPolicy) {
    let start = Instant::now();
    let solved = match solve_to(model, policy, ACCURACY) {
        Ok(solved) => solved,
        Err(error) => return println!("| {law} | {policy_name} | {} | | | {error} | | |", model.buffer()),
    };
    let seconds = start.elapsed().as_secs_f64();
    let (method, quality) = match &solved.method {
        Method::Direct => ("direct".to_owned(), solved.measures.residual),
        Method::MatrixFree { sweeps } => (format!("{sweeps} sweeps"), solved.measures.residual),
        Method::Certified { oldest, bounds } => {
            let (low, high) = (bounds.low.cost, bounds.high.cost);
            (format!("{oldest} oldest exact: {low:.4} to {high:.4}"), bounds.relative_width())
        }
    };
    println!(
        "| {law} | {policy_name} | {} | {seconds:.2} | {:.8} | {method} | {quality:.1e} | {} |",
        model.buffer(),
        solved.measures.cost,
        peak_mebibytes().map_or("?".to_owned(), |peak| peak.to_string()),
    );
}

/// The most memory this program has held so far, as Linux counts it.
fn peak_mebibytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? / 1024)
}
