//! What was measured, on the terminal and in JSON.

use std::io::Write;

use anyhow::Result;
use serde::Serialize;
use sim::{PolicyName, SimReport};

use super::scene::Scene;
use crate::output::number::{grouped, percent, short};
use crate::output::table::{Align, Table, list};

/// The results as text.
pub(super) fn text(scene: &Scene, reports: &[(PolicyName, SimReport)]) -> String {
    let mut text = list(&facts(scene));
    text.push('\n');
    text.push_str(&table(scene, reports).render());
    if too_few_visits(scene, reports) {
        text.push_str(
            "\nPages are accessed less than once per twentieth of the time measured. Copies are current at first, so \
             costs may come out too low, and intervals too narrow. Measure longer with --for.\n",
        );
    }
    text
}

fn facts(scene: &Scene) -> Vec<(&'static str, String)> {
    let config = &scene.config;
    let time = format!("{} days, after a warm-up of {}", short(config.duration), short(config.warm_up));
    let changes = match &scene.trace {
        Some(file) => format!("as recorded in {file}"),
        None => "Poisson".to_string(),
    };
    let robots = if config.robots == 1 { String::new() } else { format!(", {} robots", config.robots) };
    let bound = format!("{} of total weight {}", short(scene.bound), short(scene.total_weight));
    vec![
        ("pages", grouped(scene.pages.len())),
        ("budget", format!("{} a day{robots}", short(config.budget()))),
        ("time", time),
        ("changes", changes),
        ("seed", config.seed.to_string()),
        (if scene.trace.is_some() { "bound if Poisson" } else { "lower bound" }, bound),
    ]
}

fn table(scene: &Scene, reports: &[(PolicyName, SimReport)]) -> Table {
    use Align::{Left, Right};
    let mut table = Table::new(&[
        ("policy", Left),
        ("cost", Right),
        ("95 % within", Right),
        ("stale", Right),
        ("of bound", Right),
        ("accesses", Right),
        ("changes found", Right),
    ]);
    for (policy, report) in reports {
        table.row([
            if scene.learned && policy.can_learn() { format!("{policy}, learned") } else { policy.to_string() },
            short(report.stale_cost.mean),
            format!("+-{}", short(report.stale_cost.half_width)),
            percent(report.stale_fraction()),
            format!("{:.4}", ratio(scene, report)),
            grouped(usize::try_from(report.accesses).unwrap_or(usize::MAX)),
            grouped(usize::try_from(report.changes_detected).unwrap_or(usize::MAX)),
        ]);
    }
    table
}

/// Cost over bound; one if there is nothing to lose.
fn ratio(scene: &Scene, report: &SimReport) -> f64 {
    if scene.bound > 0.0 { report.stale_cost.mean / scene.bound } else { 1.0 }
}

fn too_few_visits(scene: &Scene, reports: &[(PolicyName, SimReport)]) -> bool {
    let visits = |report: &SimReport| report.accesses as f64 / scene.pages.len() as f64 / scene.config.batches as f64;
    reports.iter().any(|(_, report)| visits(report) < 1.0)
}

#[derive(Serialize)]
struct Answer<'a> {
    pages: usize,
    total_weight: f64,
    lower_bound: f64,
    budget_per_day: f64,
    robots: u32,
    duration_days: f64,
    warm_up_days: f64,
    seed: u64,
    trace: Option<&'a str>,
    /// False if pages are accessed so rarely that costs and intervals are not to be trusted.
    enough_accesses: bool,
    policies: Vec<Measured<'a>>,
}

#[derive(Serialize)]
struct Measured<'a> {
    policy: &'a str,
    /// Whether it had to learn the change rates.
    learned: bool,
    cost: f64,
    half_width_95: f64,
    stale: f64,
    ratio_to_bound: f64,
    accesses: u64,
    accesses_per_day: f64,
    first_accesses: u64,
    changes_detected: u64,
    changes_missed: f64,
    gone: u64,
    batch_costs: &'a [f64],
}

/// The results as one JSON object.
pub(super) fn json(mut out: impl Write, scene: &Scene, reports: &[(PolicyName, SimReport)]) -> Result<()> {
    let measured = reports.iter().map(|(policy, report)| Measured {
        policy: policy.as_str(),
        learned: scene.learned && policy.can_learn(),
        cost: report.stale_cost.mean,
        half_width_95: report.stale_cost.half_width,
        stale: report.stale_fraction(),
        ratio_to_bound: ratio(scene, report),
        accesses: report.accesses,
        accesses_per_day: report.accesses_per_day,
        first_accesses: report.first_accesses,
        changes_detected: report.changes_detected,
        changes_missed: report.changes_missed,
        gone: report.gone,
        batch_costs: &report.batch_costs,
    });
    let answer = Answer {
        pages: scene.pages.len(),
        total_weight: scene.total_weight,
        lower_bound: scene.bound,
        budget_per_day: scene.config.budget(),
        robots: scene.config.robots,
        duration_days: scene.config.duration,
        warm_up_days: scene.config.warm_up,
        seed: scene.config.seed,
        trace: scene.trace.as_deref(),
        enough_accesses: !too_few_visits(scene, reports),
        policies: measured.collect(),
    };
    serde_json::to_writer(&mut out, &answer)?;
    out.write_all(b"\n")?;
    Ok(())
}
