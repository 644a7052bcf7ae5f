//! `oriole control optimise`: which thresholds are best, and how far are they from the best policy of any kind?

mod curve;
mod observed;
mod report;

use anyhow::Result;
use control::decision::{DecisionError, check_levels};
use control::optimise::{Constrained, Limit, Measure, Optimum};
use control::optimise::{ConstrainedError, OptimiseError, constrained, markov_bound_within, optimise};
use control::queue::cost_to;
use control::{Effort, MarkovBound, Model, ObservedPolicy, RobotPolicy, Sees, best_observed, markov_bound};

use super::patience::while_waiting;
use super::{FEWER_MODES, FEWER_PHASES, draw, finishing, print};
use crate::cli::{LimitText, MeasureText, OptimiseArgs, SeesText};
use crate::failure::Mistake;
use crate::model_file::{System, read_system};
use crate::output::number::short;
use crate::output::{note, warn};
use crate::plot::chart::{Chart, Curve};
use crate::plot::check_name;

/// Thresholds drawn at most for each pair of modes.
const DRAWN: usize = 100;

/// Curves drawn at most.
const CURVES: usize = 7;

/// Costs that are only bounded are drawn as the middle of bounds no further apart than this part of them, if that can be done.
const DRAWN_TO: f64 = 0.002;

/// The answer.
struct Answer<'a> {
    /// The modes to choose from, if they were given.
    modes: Option<&'a [u32]>,
    limits: &'a [LimitText],
    minimise: MeasureText,
    optimum: Optimum,
    /// If there are limits, or something else than the cost is minimised.
    constrained: Option<Constrained>,
    /// What no policy of any kind within the limits undercuts, if that is known.
    within: Option<f64>,
    /// `None` if the model is too large for it.
    bound: Option<MarkovBound>,
    /// The best policy that sees what was asked for.
    observed: Option<(SeesText, ObservedPolicy)>,
}

pub(super) fn run(arguments: &OptimiseArgs) -> Result<()> {
    arguments.plot.as_deref().map(check_name).transpose()?;
    let model = match read_system(&arguments.model.model, arguments.model.repair)? {
        System::AtOnce(model) => model,
        System::Finishing(system) => return finishing::optimise(&system, arguments),
    };
    let modes = (!arguments.modes.is_empty()).then_some(arguments.modes.as_slice());
    if !arguments.pareto.is_empty() {
        return curve::run(&model, modes, arguments);
    }
    if arguments.sees.is_some() {
        check_levels(&model).map_err(unseen)?;
    }
    let limits: Vec<Limit> = arguments.limit.iter().map(|text| text.limit).collect();
    let minimise = arguments.minimise.measure;
    let effort = Effort::of_optimising(&model, modes);
    let optimum =
        while_waiting("searching", effort, remedy(&model, modes), || optimise(&model, modes))?.map_err(mistake)?;
    let plain = limits.is_empty() && minimise == Measure::Cost;
    let constrained = (!plain).then(|| within(&model, modes, minimise, &limits)).transpose()?;
    let bound = bound("bounding all policies", &model, || markov_bound(&model));
    let within = bound.as_ref().zip(constrained.as_ref()).and_then(|(_, found)| {
        let of = || markov_bound_within(&model, minimise, &limits, &found.best.averages);
        self::bound("bounding all policies within limits", &model, of).flatten()
    });
    let observed = arguments.sees.map(|sees| observed(&model, sees)).transpose()?;
    if let Some(path) = &arguments.plot {
        let points = (CURVES * DRAWN.min(model.buffer())) as f64;
        let effort = Effort::of_solving(&model, &model.fixed(model.arrivals()[0].0)).times(points);
        let remedy = "leave out --plot";
        draw(path, &while_waiting("drawing", effort, remedy, || picture(&model, modes))??)?;
    }
    let (limits, minimise) = (&arguments.limit, arguments.minimise);
    let answer = Answer { modes, limits, minimise, optimum, constrained, within, bound, observed };
    print(arguments.json, &report::json(&model, &answer), || report::text(&model, &answer))
}

/// What makes a search less work.
fn remedy(model: &Model, modes: Option<&[u32]>) -> &'static str {
    if modes.map_or(model.arrivals().len(), <[u32]>::len) > 3 { FEWER_MODES } else { FEWER_PHASES }
}

fn within(model: &Model, modes: Option<&[u32]>, minimise: Measure, limits: &[Limit]) -> Result<Constrained> {
    // Prices are tried, and several times as many policies.
    let effort = Effort::of_optimising(model, modes).times(4.0);
    let found = || constrained(model, modes, minimise, limits);
    Ok(while_waiting("searching within limits", effort, remedy(model, modes), found)?.map_err(refused)?)
}

/// A bound, unless it cannot be had: then a note says why.
fn bound<T, E: std::fmt::Display>(what: &str, model: &Model, of: impl FnOnce() -> Result<T, E>) -> Option<T> {
    let remedy = "describe service or arrivals with fewer phases";
    let found = while_waiting(what, Effort::of_bounding(model), remedy, of).map_err(no_bound).ok()?;
    found.map_err(no_bound).ok()
}

fn observed(model: &Model, sees: SeesText) -> Result<(SeesText, ObservedPolicy), Mistake> {
    let seen = match sees {
        SeesText::Pages => Sees::Pages,
        SeesText::SizeClass => Sees::PagesAndService,
    };
    let effort = Effort::of_bounding(model).times(model.arrivals().len() as f64);
    let what = "searching policies of any shape";
    let found =
        while_waiting(what, effort, "describe service or arrivals with fewer phases", || best_observed(model, seen))?;
    found.map(|policy| (sees, policy)).map_err(unseen)
}

fn unseen(error: DecisionError) -> Mistake {
    Mistake::usage(format_args!("--sees: {error}"))
}

fn no_bound(error: impl std::fmt::Display) {
    note(format_args!("no bound over all policies: {error}"));
}

fn mistake(error: OptimiseError) -> Mistake {
    Mistake::usage(error)
}

fn refused(error: ConstrainedError) -> Mistake {
    match error {
        ConstrainedError::Infeasible { measure, reached, at_most } => Mistake::usage(format_args!(
            "no threshold policy keeps the limits: the one that comes nearest has {} {}, not {}; raise that limit",
            report::name(measure),
            short(reached),
            short(at_most)
        )),
        error => Mistake::usage(error),
    }
}

/// Cost against threshold for each pair of modes: figure 1 of ADKNS.
pub(in crate::commands) fn picture(model: &Model, modes: Option<&[u32]>) -> Result<Chart> {
    let all: Vec<u32> = model.arrivals().iter().map(|(robots, _)| *robots).rev().collect();
    let modes = modes.unwrap_or(&all);
    if modes.len() < 2 {
        return Err(
            Mistake::usage("--plot: there is one number of robots, so no threshold to draw the cost against").into()
        );
    }
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
            let [low, high] = cost_to(model, &policy, DRAWN_TO).map_err(Mistake::usage)?;
            Ok((threshold as f64, f64::midpoint(low, high)))
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
