//! Bounds on what a policy costs and does, for comparing many.

use super::rates::{Guess, Rate};
use super::{MOST_STATES, System, TooLarge, guess, relative_width};
use crate::decision::Averages;
use crate::model::{Model, RobotPolicy};
use crate::queue::ageing::Ageing;
use crate::queue::by_size::is_direct;
use crate::queue::coarse::Classes;
use crate::queue::frame::Frame;
use crate::queue::guided::size;
use crate::queue::{Measures, Method, Solved, solve};

/// What is certain of a policy.
#[derive(Clone, Debug)]
pub(crate) struct Appraisal {
    /// The least and the most that it can cost.
    pub(crate) cost: [f64; 2],
    /// Averages that are at least as good and at least as bad as the true ones: ratios of them bound the true ratios. Only if
    /// they were asked for.
    pub(crate) averages: Option<[Averages; 2]>,
    /// Where the cost was made linear.
    guess: Option<Guess>,
}

/// Bounds on the cost alone that are at most `accuracy` apart, relative to it, if that can be done; twice the same number if dense
/// blocks allow an exact solution. Cheaper than [`solve_to`](crate::queue::solve_to) where many policies are compared.
///
/// # Errors
/// If there are too many phases and places even for bounds.
pub fn cost_to(model: &Model, policy: &RobotPolicy, accuracy: f64) -> Result<[f64; 2], TooLarge> {
    let model = &*model.for_modes(policy.robots());
    let phases = Ageing::new(model).phases();
    if is_direct(model, phases) {
        return Ok([solve(model, policy).cost; 2]);
    }
    if size(model, 1) > MOST_STATES {
        return Err(TooLarge { phases, places: model.buffer(), states: size(model, 1) });
    }
    let mut oldest = 1;
    let mut known = appraise(model, policy, (oldest, accuracy), None, false);
    while relative_width(known.cost) > accuracy
        && oldest + 2 < model.most_pages()
        && size(model, oldest + 1) <= MOST_STATES
    {
        oldest += 1;
        known = appraise(model, policy, (oldest, accuracy), Some(&known), false);
    }
    Ok(known.cost)
}

/// With up to so many states sweeps cost less than eliminating a coarse space by phases.
const FEW_STATES: f64 = 10_000.0;

/// Law C-15 for the cost, and for all averages if `wanted`, with so many exact pages. An earlier appraisal, of the same policy or
/// of another, saves work.
pub(crate) fn appraise(
    model: &Model,
    policy: &RobotPolicy,
    (oldest, accuracy): (usize, f64),
    earlier: Option<&Appraisal>,
    wanted: bool,
) -> Appraisal {
    let (frame, ageing) = (Frame::new(model, policy), Ageing::new(model));
    let few = size(model, oldest) <= FEW_STATES;
    let system = System::new(model, policy, &frame, &ageing, if few { Classes::One } else { Classes::ByPhase });
    let near = earlier.and_then(|earlier| earlier.guess);
    let near = near.unwrap_or_else(|| guess(&system.means(oldest, &[Rate::Served, Rate::PagesIndexed], accuracy)));
    let cost = [Rate::Served, Rate::PagesIndexed, Rate::Cost(near)];
    let others = [Rate::Arrivals, Rate::Lost, Rate::Obsolete, Rate::Robots, Rate::Level(0)];
    let rates: Vec<Rate> = cost.into_iter().chain(others.into_iter().filter(|_| wanted)).collect();
    let means = system.means(oldest, &rates, accuracy);
    Appraisal {
        cost: system.cost(near, &means),
        averages: wanted.then(|| [side(&means, 0), side(&means, 1)]),
        guess: Some(guess(&means)),
    }
}

/// The good end (0) or the bad end (1) of the means, in the order of [`appraise`]: few pages that wait, are lost or obsolete, and
/// many that come and are served, or the other way round.
fn side(means: &[[f64; 2]], end: usize) -> Averages {
    Averages {
        served: means[0][1 - end],
        pages: means[1][end],
        arrivals: means[3][1 - end],
        lost: means[4][end].max(0.0),
        obsolete: means[5][end].max(0.0),
        robots: means[6][end],
        empty: means[7][end].max(0.0),
    }
}

impl Appraisal {
    /// Of what was solved, exactly or between bounds.
    pub(crate) fn of(solved: &Solved) -> Self {
        let [good, bad] = match &solved.method {
            Method::Certified { bounds, .. } => [&bounds.low, &bounds.high],
            Method::Direct | Method::MatrixFree { .. } => [&solved.measures; 2],
        };
        let averages = [averages(good, bad), averages(bad, good)];
        Self { cost: [good.cost, bad.cost], averages: Some(averages), guess: None }
    }
}

/// Averages with what should be small taken from the first measures, and what should be large from the others.
fn averages(small: &Measures, large: &Measures) -> Averages {
    let served = large.p_success * large.arrival_rate;
    Averages {
        arrivals: large.arrival_rate,
        lost: small.p_loss * large.arrival_rate,
        obsolete: small.p_obsolete * large.arrival_rate,
        served,
        robots: small.active_robots,
        pages: small.sojourn_served * served,
        empty: small.p_starvation,
    }
}
