//! `--pareto`: how much of one measure must be given for another.

use std::collections::BTreeMap;

use anyhow::Result;
use control::optimise::{ThresholdPolicy, pareto};
use control::{Effort, Model};
use serde::Serialize;

use super::super::patience::while_waiting;
use super::super::{draw, print};
use super::report::words;
use super::{mistake, remedy};
use crate::cli::{MeasureText, OptimiseArgs};
use crate::failure::Mistake;
use crate::output::number::{grouped, short};
use crate::output::table::{Align, Table};
use crate::plot::chart::{Chart, Curve};

/// Rows of the table, and dots of the picture, at most.
const SHOWN: usize = 40;

#[derive(Serialize)]
struct Answer {
    pareto: Vec<Point>,
}

#[derive(Serialize)]
struct Point {
    modes: Vec<u32>,
    thresholds: Vec<usize>,
    /// The two measures, and the cost.
    #[serde(flatten)]
    measures: BTreeMap<&'static str, f64>,
}

pub(super) fn run(model: &Model, modes: Option<&[u32]>, arguments: &OptimiseArgs) -> Result<()> {
    let [first, second] = arguments.pareto[..] else {
        return Err(Mistake::usage("--pareto: give two measures, like p_loss,active_robots").into());
    };
    let effort = Effort::of_optimising(model, modes).times(10.0);
    let found = || pareto(model, modes, first.measure, second.measure);
    let found = while_waiting("searching", effort, remedy(model, modes), found)?.map_err(mistake)?;
    let answer = Answer { pareto: found.iter().map(|policy| point(model, policy, [first, second])).collect() };
    if let Some(path) = &arguments.plot {
        draw(path, &picture(&answer, first, second))?;
    }
    print(arguments.json, &answer, || text(model, &answer, first, second))
}

fn point(model: &Model, policy: &ThresholdPolicy, measures: [MeasureText; 2]) -> Point {
    let costs = model.costs();
    let cost = ("cost", policy.averages.cost(costs));
    let measures = measures.map(|text| (text.name, text.measure.of(&policy.averages, costs)));
    let measures = measures.into_iter().chain([cost]).collect();
    Point { modes: policy.modes.clone(), thresholds: policy.thresholds.clone(), measures }
}

fn text(model: &Model, answer: &Answer, first: MeasureText, second: MeasureText) -> String {
    use Align::{Left, Right};
    let mut table = Table::new(&[(first.name, Right), (second.name, Right), ("cost", Right), ("policy", Left)]);
    let step = answer.pareto.len().div_ceil(SHOWN).max(1);
    // Every few, and the last.
    let shown = |n: usize| n.is_multiple_of(step) || n + 1 == answer.pareto.len();
    for (_, point) in answer.pareto.iter().enumerate().filter(|(n, _)| shown(*n)) {
        let [a, b, cost] = [first.name, second.name, "cost"].map(|name| short(point.measures[name]));
        table.row([a, b, cost, words(&point.modes, &point.thresholds, model.buffer())]);
    }
    let all = grouped(answer.pareto.len());
    let more =
        if step > 1 { format!("\nOne in {step} of {all} policies; --json has them all.\n") } else { String::new() };
    format!("{}{more}", table.render())
}

fn picture(answer: &Answer, first: MeasureText, second: MeasureText) -> Chart {
    let dots = answer.pareto.len() <= SHOWN;
    let points = answer.pareto.iter().map(|point| (point.measures[first.name], point.measures[second.name]));
    Chart {
        title: format!("The least {} for every {}", second.name, first.name),
        x_label: first.name,
        y_label: second.name,
        curves: vec![Curve { name: "best threshold policies".to_string(), points: points.collect(), dots }],
    }
}
