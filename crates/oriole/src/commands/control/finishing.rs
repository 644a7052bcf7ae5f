//! `oriole control solve` and `optimise` for robots that finish what they have begun.

use anyhow::Result;
use control::finishing::Best;
use control::{Finishing, RobotPolicy};
use serde::Serialize;

use super::{policy, print, solve};
use crate::cli::{OptimiseArgs, PolicyArgs, SolveArgs};
use crate::failure::Mistake;
use crate::output::number::short;
use crate::output::table::{Align, Table, list};
use crate::output::warn;
use crate::progress::while_doing;

/// What a policy does.
pub(super) fn solve(system: &Finishing, arguments: &SolveArgs) -> Result<()> {
    let policy = wanted(system, &arguments.policy)?;
    let measures = while_doing("solving", || system.solve(&policy)).map_err(Mistake::usage)?;
    solve::print_exact(&policy, measures, arguments.json)
}

/// The policy, checked against the system.
fn wanted(system: &Finishing, arguments: &PolicyArgs) -> Result<RobotPolicy, Mistake> {
    if !arguments.robots.is_empty() {
        let policy = system.policy(arguments.robots.clone());
        return policy.map_err(|error| Mistake::usage(format_args!("--robots: {error}")));
    }
    policy::check(system.buffer(), arguments)?;
    let policy = system.thresholds(&arguments.modes, &arguments.thresholds);
    policy.map_err(|error| Mistake::usage(format_args!("--modes, --thresholds: {error}")))
}

/// The best numbers of robots.
pub(super) fn optimise(system: &Finishing, arguments: &OptimiseArgs) -> Result<()> {
    let is_given = [
        ("--modes", !arguments.modes.is_empty()),
        ("--limit", !arguments.limit.is_empty()),
        ("--pareto", !arguments.pareto.is_empty()),
        ("--sees", arguments.sees.is_some()),
        ("--plot", arguments.plot.is_some()),
        ("--minimise", arguments.minimise.measure != control::optimise::Measure::Cost),
    ];
    if let Some((option, _)) = is_given.into_iter().find(|(_, is_given)| *is_given) {
        let problem = "is for robots that stop at once; with [fetch] leave it out";
        return Err(Mistake::usage(format_args!("{option} {problem}")).into());
    }
    let best = while_doing("searching", || system.optimise()).map_err(Mistake::usage)?;
    if !best.is_settled {
        warn(format_args!("the search ended before its time; the best of {} policies is shown", best.tried));
    }
    print(arguments.json, &Answer::new(&best), || text(&best))
}

#[derive(Serialize)]
struct Answer<'a> {
    /// Robots wanted for 0, 1, ..., K documents.
    robots: &'a [u32],
    #[serde(flatten)]
    measures: solve::Figures<'a>,
    fixed: Vec<Fixed>,
    /// Policies solved.
    tried: usize,
    /// Whether no move of one threshold is an improvement.
    settled: bool,
}

#[derive(Serialize)]
struct Fixed {
    robots: u32,
    cost: f64,
}

impl<'a> Answer<'a> {
    fn new(best: &'a Best) -> Self {
        Self {
            robots: best.policy.robots(),
            measures: solve::Figures::of(&best.measures),
            fixed: best.fixed.iter().map(|(robots, cost)| Fixed { robots: *robots, cost: *cost }).collect(),
            tried: best.tried,
            settled: best.is_settled,
        }
    }
}

fn text(best: &Best) -> String {
    let mut text = list(&[
        ("best policy", policy::in_words(&best.policy)),
        ("cost", short(best.measures.cost)),
        ("robots at work", short(best.measures.active_robots)),
        ("policies tried", best.tried.to_string()),
    ]);
    let mut table = Table::new(&[("always", Align::Right), ("cost", Align::Right)]);
    for (robots, cost) in &best.fixed {
        table.row([robots.to_string(), short(*cost)]);
    }
    text.push('\n');
    text.push_str(&table.render());
    text
}
