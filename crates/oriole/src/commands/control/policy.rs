//! The policy that was typed.

use control::{Model, RobotPolicy};

use crate::cli::PolicyArgs;
use crate::failure::Mistake;

/// The policy, checked against the model.
pub(super) fn of(model: &Model, arguments: &PolicyArgs) -> Result<RobotPolicy, Mistake> {
    if !arguments.robots.is_empty() {
        return RobotPolicy::new(model, arguments.robots.clone())
            .map_err(|error| Mistake::usage(format_args!("--robots: {error}")));
    }
    check(model.buffer(), arguments)?;
    RobotPolicy::thresholds(model, &arguments.modes, &arguments.thresholds)
        .map_err(|error| Mistake::usage(format_args!("--modes, --thresholds: {error}")))
}

/// That there are modes, and thresholds between them that a buffer of so many places can reach.
pub(super) fn check(buffer: usize, arguments: &PolicyArgs) -> Result<(), Mistake> {
    if arguments.modes.is_empty() {
        let remedy = "give --modes and --thresholds, or --robots; `oriole control optimise` finds the best";
        return Err(Mistake::usage(format_args!("say how many robots are active: {remedy}")));
    }
    if let Some(beyond) = arguments.thresholds.iter().find(|threshold| **threshold > buffer) {
        let problem = format!("--thresholds: {beyond} is more than the buffer holds; use 0 to {buffer}");
        return Err(Mistake::usage(problem));
    }
    Ok(())
}

/// In words: "3 robots with 0 to 2 pages, 1 robot with 3 to 5 pages in the system".
pub(super) fn in_words(policy: &RobotPolicy) -> String {
    let robots = policy.robots();
    let count = |robots: u32| format!("{robots} {}", if robots == 1 { "robot" } else { "robots" });
    if robots.iter().all(|r| *r == robots[0]) {
        return format!("always {}", count(robots[0]));
    }
    let mut parts: Vec<String> = Vec::new();
    let mut from = 0;
    for run in robots.chunk_by(|a, b| a == b) {
        let to = from + run.len() - 1;
        let pages = if from == to { format!("{from}") } else { format!("{from} to {to}") };
        parts.push(format!("{} with {pages}", count(run[0])));
        from = to + 1;
    }
    format!("{} pages in the system", parts.join(", "))
}
