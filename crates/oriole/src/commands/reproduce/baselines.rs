//! What others do, simulated on the first example: controllers that know no model, thresholds, and the belief.

use anyhow::{Context, Result};
use control::controller::baselines::{Aimd, CoDel, Fixed, Hysteresis, Pid, PidGains, Proportional, Range};
use control::controller::{BeliefController, Controller};
use control::model::examples::paper;
use control::optimise::optimise;
use control::{BeliefFilter, BeliefPolicy, Model, RobotPolicy};
use sim::{Estimate, QueueConfig, QueueSimulation};

use super::check::{Check, Part};

/// Time simulated for each try, and for what is kept; seeds likewise. They differ, so that luck in the search does not count.
const SEARCH: (f64, u64) = (1e4, 2);
const MEASURED: (f64, u64) = (2e5, 1);

/// The belief is asked at least so often.
const PERIOD: f64 = 0.05;

const SEARCHED: &str = "simulated for 200,000 units of time, seed 1, with the 95% interval; the parameters are the best of those \
                        tried for 10,000 units, seed 2: fixed 1 to 4; hysteresis between 3 or 4 and 1 robots, down from 2 to 5 \
                        pages, up again at least 2 below; proportional from 3 or 4 robots to 1 at 4 or 5 pages; AIMD up to 3 or 4 \
                        robots, periods 0.1 to 2; CoDel likewise, targets 0.1 to 1, intervals 0.1 to 1; PID around 1 to 3 pages, \
                        gains 0.5 to 2";

/// A controller with its parameters in words.
type Try = (String, Box<dyn Controller>);

pub(super) fn baselines() -> Result<Part> {
    let model = paper(5);
    let mut checks = Vec::new();
    for tries in [fixed(), aimd(), codel(), proportional(), pid(), hysteresis()] {
        checks.push(best_of(&model, tries)?);
    }
    let best = optimise(&model, None)?.best;
    let mut thresholds = RobotPolicy::thresholds(&model, &best.modes, &best.thresholds)?;
    let exact = "the best thresholds, 63.5425 by the solver, simulated in the same way";
    let what = "thresholds, 3 robots up to 2 pages, then 1";
    checks.push(Check::simulated(what, run(&model, MEASURED, &mut thresholds)?, exact));
    checks.push(belief(&model)?);
    Ok(Part::new("baselines", "Beyond the paper: controllers on the first example, simulated", checks))
}

fn run(model: &Model, (duration, seed): (f64, u64), controller: &mut dyn Controller) -> Result<Estimate> {
    let config = QueueConfig { seed, ..QueueConfig::new(duration) };
    Ok(QueueSimulation::new(model, config)?.run(controller).cost)
}

/// The cheapest of the tries in the search, measured.
fn best_of(model: &Model, tries: Vec<(Try, Try)>) -> Result<Check> {
    let mut best: Option<(f64, Try)> = None;
    for ((_, mut tried), fresh) in tries {
        let cost = run(model, SEARCH, &mut *tried)?.mean;
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, fresh));
        }
    }
    let (_, (what, mut controller)) = best.context("nothing was tried")?;
    Ok(Check::simulated(what, run(model, MEASURED, &mut *controller)?, SEARCHED))
}

/// One controller to try and one, as new, to measure.
fn twice<C: Controller + Clone + 'static>(what: String, controller: C) -> (Try, Try) {
    let one = || -> Try { (what.clone(), Box::new(controller.clone())) };
    (one(), one())
}

fn ranges() -> [Range; 2] {
    [3, 4].map(|most| Range { least: 1, most })
}

fn fixed() -> Vec<(Try, Try)> {
    (1..=4).map(|robots| twice(format!("fixed number, {robots} robots"), Fixed(robots))).collect()
}

fn aimd() -> Vec<(Try, Try)> {
    let all = ranges().into_iter().flat_map(|range| [0.1, 0.2, 0.5, 1.0, 2.0].map(|period| (range, period)));
    let named = |(range, period): (Range, f64)| {
        twice(format!("AIMD, up to {} robots, period {period}", range.most), Aimd::new(range, period))
    };
    all.map(named).collect()
}

fn codel() -> Vec<(Try, Try)> {
    let mut all = Vec::new();
    for (range, target) in ranges().into_iter().flat_map(|range| [0.1, 0.3, 1.0].map(|target| (range, target))) {
        for interval in [0.1, 0.3, 1.0] {
            let what = format!("CoDel, up to {} robots, target {target}, interval {interval}", range.most);
            all.push(twice(what, CoDel::new(range, target, interval)));
        }
    }
    all
}

fn proportional() -> Vec<(Try, Try)> {
    let all = ranges().into_iter().flat_map(|range| [4, 5].map(|buffer| (range, buffer)));
    let named = |(range, buffer): (Range, usize)| {
        let what = format!("proportional, {} robots at 0 pages to 1 at {buffer}", range.most);
        twice(what, Proportional { range, buffer })
    };
    all.map(named).collect()
}

fn pid() -> Vec<(Try, Try)> {
    let mut all = Vec::new();
    for (range, target) in ranges().into_iter().flat_map(|range| [1.0, 2.0, 3.0].map(|target| (range, target))) {
        for gain in [0.5, 1.0, 2.0] {
            let gains = PidGains { proportional: gain, integral: 0.2 * gain, derivative: 0.1 * gain };
            let what = format!("PID, up to {} robots, {target} pages, gain {gain}", range.most);
            all.push(twice(what, Pid::new(range, target, gains, 0.1)));
        }
    }
    all
}

fn hysteresis() -> Vec<(Try, Try)> {
    let mut all = Vec::new();
    for (on, high) in [3, 4].into_iter().flat_map(|on| (2..=5).map(move |high| (on, high))) {
        for low in 0..=high - 2 {
            let what = format!("hysteresis, {on} robots from {low} pages down, 1 from {high} up");
            all.push(twice(what, Hysteresis::new(on, 1, low, high)));
        }
    }
    all
}

fn belief(model: &Model) -> Result<Check> {
    let filter = BeliefFilter::new(model, 1)?;
    let mut controller = BeliefController::new(filter, BeliefPolicy::new(model)?, PERIOD);
    let follows = "the best policy on the number of pages and the belief about the hidden arrival phase, which follows from when \
                   batches came and how large they were; simulated in the same way, asked every 0.05; no policy that \
                   sees the phase itself costs less than 53.9179";
    Ok(Check::simulated("pages and belief", run(model, MEASURED, &mut controller)?, follows))
}
