//! `oriole control optimise`: which thresholds are best, and how far are they from the best policy of any kind?

mod report;

use anyhow::Result;
use control::optimise::{Constrained, Limit, Measure, Optimum};
use control::optimise::{ConstrainedError, OptimiseError, constrained, optimise};
use control::{MarkovBound, Model, RobotPolicy, markov_bound, solve};

use super::{draw, print};
use crate::cli::{LimitText, OptimiseArgs};
use crate::failure::Mistake;
use crate::model_file::read_model;
use crate::output::number::short;
use crate::output::{note, warn};
use crate::plot::chart::{Chart, Curve};
use crate::progress::while_doing;

/// Thresholds drawn at most for each pair of modes.
const DRAWN: usize = 100;

/// Curves drawn at most.
const CURVES: usize = 7;

/// The answer.
struct Answer<'a> {
    limits: &'a [LimitText],
    optimum: Optimum,
    constrained: Option<Constrained>,
    /// `None` if the model is too large for it.
    bound: Option<MarkovBound>,
}

pub(super) fn run(arguments: &OptimiseArgs) -> Result<()> {
    let model = read_model(&arguments.model.model, arguments.model.repair)?;
    let modes = (!arguments.modes.is_empty()).then_some(arguments.modes.as_slice());
    let limits: Vec<Limit> = arguments.limit.iter().map(|text| text.limit).collect();
    let optimum = while_doing("searching", || optimise(&model, modes)).map_err(mistake)?;
    let within = || constrained(&model, modes, Measure::Cost, &limits).map_err(refused);
    let constrained = (!limits.is_empty()).then(|| while_doing("searching within limits", within)).transpose()?;
    let bound = match while_doing("bounding all policies", || markov_bound(&model)) {
        Ok(bound) => Some(bound),
        Err(error) => {
            note(format_args!("no bound over all policies: {error}"));
            None
        }
    };
    if let Some(path) = &arguments.plot {
        draw(path, &while_doing("drawing", || picture(&model, modes))?)?;
    }
    let answer = Answer { limits: &arguments.limit, optimum, constrained, bound };
    print(arguments.json, &report::json(&model, &answer), || report::text(&model, &answer))
}

fn mistake(error: OptimiseError) -> Mistake {
    Mistake::usage(error)
}

fn refused(error: ConstrainedError) -> Mistake {
    match error {
        ConstrainedError::Infeasible { measure, reached, at_most } => Mistake::usage(format_args!(
            "no threshold policy keeps the limits: the one that comes nearest has {} {}, not {at_most}; raise that limit",
            report::name(measure),
            short(reached)
        )),
        error => Mistake::usage(error),
    }
}

/// Cost against threshold for each pair of modes: figure 1 of ADKNS.
pub(in crate::commands) fn picture(model: &Model, modes: Option<&[u32]>) -> Result<Chart> {
    let all: Vec<u32> = model.arrivals().iter().map(|(robots, _)| *robots).rev().collect();
    let modes = modes.unwrap_or(&all);
    let pairs = modes.iter().enumerate().flat_map(|(i, more)| modes[i + 1..].iter().map(|fewer| [*more, *fewer]));
    let pairs: Vec<[u32; 2]> = pairs.collect();
    if pairs.len() > CURVES {
        warn(format_args!(
            "there are {} pairs of modes; the first {CURVES} are drawn, choose with --modes",
            pairs.len()
        ));
    }
    let step = model.buffer().div_ceil(DRAWN);
    let curve = |pair: &[u32; 2]| -> Result<Curve> {
        let cost = |threshold: usize| -> Result<(f64, f64)> {
            let policy = RobotPolicy::thresholds(model, pair, &[threshold]).map_err(Mistake::usage)?;
            Ok((threshold as f64, solve(model, &policy).cost))
        };
        let points = (0..model.buffer()).step_by(step).map(cost).collect::<Result<_>>()?;
        Ok(Curve { name: format!("{} or {} robots", pair[0], pair[1]), points, dots: true })
    };
    Ok(Chart {
        title: "Cost against the threshold between two numbers of robots".to_string(),
        x_label: "threshold: pages up to which more robots are active",
        y_label: "cost",
        curves: pairs.iter().take(CURVES).map(curve).collect::<Result<_>>()?,
    })
}
