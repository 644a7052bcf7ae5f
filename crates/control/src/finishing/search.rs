//! The best numbers of robots (law C-30).

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::chain::Chain;
use super::{Finishing, FinishingError};
use crate::model::RobotPolicy;
use crate::phase_type::PhaseType;
use crate::queue::Measures;

/// Multiplications after which a search ends with the best it has found.
const MOST_WORK: f64 = 2e10;

/// With more robots than this, only some numbers of them are looked at first.
const FEW_ROBOTS: u32 = 16;

/// A policy must be better by this part to be preferred: less is rounding.
const ROUNDING: f64 = 1e-10;

/// Policies whose costs differ by no more than this part are alike.
const ALIKE: f64 = 1e-9;

/// The best numbers of robots wanted, the fewer the more documents there are.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// Robots wanted for 0, 1, ..., K documents.
    pub policy: RobotPolicy,
    /// All measures.
    pub measures: Measures,
    /// The cost of every fixed number of robots, ascending, that could be solved.
    pub fixed: Vec<(u32, f64)>,
    /// Policies solved.
    pub tried: usize,
    /// Whether no move of one threshold is an improvement; else the search ended for want of time.
    pub is_settled: bool,
}

/// Searches a simpler system first, in which fetches are exponential, and goes on from what is best there.
pub(super) fn best(model: &Finishing) -> Result<Best, FinishingError> {
    let simple = (model.fetch.order() > 1).then(|| PhaseType::exponential(1.0 / model.fetch.mean()).ok()).flatten();
    let guess = simple.and_then(|fetch| {
        let simple = model.fetching(fetch);
        let mut search = Search::new(&simple);
        search.fixed();
        search.descend(&coarse_steps(model.buffer));
        search.best.map(|(staircase, _)| staircase)
    });
    let mut search = Search::new(model);
    let fixed = search.fixed();
    let steps = if let Some(staircase) = guess {
        search.consider(staircase);
        vec![1]
    } else {
        coarse_steps(model.buffer)
    };
    let is_settled = search.descend(&steps);
    search.tidy();
    let tried = search.costs.len();
    let Some((staircase, _)) = search.best else { return Err(too_large(model)) };
    let policy = model.policy(staircase.wanted(model))?;
    let measures = model.solve(&policy)?;
    Ok(Best { policy, measures, fixed, tried, is_settled })
}

/// Why not even one robot can be solved.
fn too_large(model: &Finishing) -> FinishingError {
    let one = model.fixed(1).and_then(|policy| model.solve(&policy));
    one.err().unwrap_or(FinishingError::NeverBegins)
}

/// Steps in which thresholds are moved: from a quarter of the places down to one.
fn coarse_steps(places: usize) -> Vec<usize> {
    let mut steps = vec![1];
    while 8 * steps[steps.len() - 1] <= places {
        steps.push(2 * steps[steps.len() - 1]);
    }
    steps.reverse();
    steps
}

/// The least number of documents with which robot `robot`, from 0, is not wanted under any policy.
fn most_documents(model: &Finishing, robot: usize) -> usize {
    if model.reserve { model.buffer.saturating_sub(robot) } else { model.buffer + 1 }
}

/// A policy that wants fewer robots the more documents there are: with fewer than `up_to[r]` documents more than `r` robots.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Staircase {
    up_to: Vec<usize>,
}

impl Staircase {
    fn fixed(model: &Finishing, robots: u32) -> Self {
        let up_to = |robot: usize| if robot < robots as usize { most_documents(model, robot) } else { 0 };
        Self { up_to: (0..model.most() as usize).map(up_to).collect() }
    }

    fn wanted(&self, model: &Finishing) -> Vec<u32> {
        let wanted = |documents: usize| self.up_to.iter().filter(|up_to| **up_to > documents).count() as u32;
        (0..=model.buffer).map(wanted).collect()
    }

    /// The same with robot `robot` wanted with fewer than `up_to` documents, and others as far as it takes.
    fn moved(&self, robot: usize, up_to: usize) -> Self {
        let entry = |(other, before): (usize, &usize)| match other.cmp(&robot) {
            Ordering::Less => (*before).max(up_to),
            Ordering::Equal => up_to,
            Ordering::Greater => (*before).min(up_to),
        };
        Self { up_to: self.up_to.iter().enumerate().map(entry).collect() }
    }
}

/// What has been tried so far.
struct Search<'a> {
    model: &'a Finishing,
    /// Costs by robots really wanted; infinite if a policy cannot be solved.
    costs: BTreeMap<Vec<u32>, f64>,
    best: Option<(Staircase, f64)>,
    work: f64,
}

impl<'a> Search<'a> {
    fn new(model: &'a Finishing) -> Self {
        Self { model, costs: BTreeMap::new(), best: None, work: 0.0 }
    }

    /// Tries all fixed numbers of robots.
    fn fixed(&mut self) -> Vec<(u32, f64)> {
        let costs = (1..=self.model.most()).map(|robots| (robots, self.consider(Staircase::fixed(self.model, robots))));
        costs.collect::<Vec<_>>().into_iter().filter(|(_, cost)| cost.is_finite()).collect()
    }

    /// What a policy costs. If it is the best so far, it is kept.
    fn consider(&mut self, staircase: Staircase) -> f64 {
        let wanted = self.model.kept(&staircase.wanted(self.model));
        let cost = match self.costs.get(&wanted) {
            Some(cost) => *cost,
            None => self.solve(wanted),
        };
        let least = self.best.as_ref().map_or(f64::INFINITY, |(_, least)| *least);
        if cost < least - ROUNDING * least.abs() || (self.best.is_none() && cost.is_finite()) {
            self.best = Some((staircase, cost));
        }
        cost
    }

    fn solve(&mut self, wanted: Vec<u32>) -> f64 {
        let solved = Chain::new(self.model, &wanted).ok().map(|chain| {
            self.work += chain.work();
            let (law, residual) = super::eliminate::stationary(&chain);
            super::measures::of(self.model, &chain, &law, residual).cost
        });
        let cost = solved.filter(|cost| cost.is_finite()).unwrap_or(f64::INFINITY);
        self.costs.insert(wanted, cost);
        cost
    }

    /// Moves thresholds by each of the steps until no move helps. Whether that came to its end.
    fn descend(&mut self, steps: &[usize]) -> bool {
        for step in steps {
            while let Some(before) = self.best.clone() {
                self.round(&before.0, *step);
                if self.work > MOST_WORK {
                    return false;
                }
                if self.best.as_ref() == Some(&before) {
                    break;
                }
            }
        }
        true
    }

    /// Tries to move each threshold of the best policy, up and down.
    fn round(&mut self, best: &Staircase, step: usize) {
        let mut now = best.clone();
        for robot in self.robots(best) {
            let at = now.up_to[robot];
            let least = usize::from(robot == 0);
            let moves =
                [at.saturating_sub(step).max(least), (at + step).min(most_documents(self.model, robot)), least, 1];
            for up_to in moves.into_iter().filter(|up_to| *up_to != at && *up_to <= most_documents(self.model, robot)) {
                self.consider(now.moved(robot, up_to));
                if self.work > MOST_WORK {
                    return;
                }
            }
            if let Some((found, _)) = &self.best {
                now = found.clone();
            }
        }
    }

    /// Of policies that cost the same takes the one that wants the fewest robots: thresholds that are hardly ever reached.
    fn tidy(&mut self) {
        let Some((mut now, least)) = self.best.clone() else { return };
        let most = least + ALIKE * least.abs();
        for robot in (0..now.up_to.len()).rev() {
            let above = now.up_to.get(robot + 1).copied().unwrap_or(0).max(usize::from(robot == 0));
            let (mut fails, mut holds) = (above, now.up_to[robot]);
            if self.consider(now.moved(robot, above)) <= most {
                holds = above;
            }
            while fails + 1 < holds {
                let middle = usize::midpoint(fails, holds);
                let is_alike = self.consider(now.moved(robot, middle)) <= most;
                *(if is_alike { &mut holds } else { &mut fails }) = middle;
            }
            now = now.moved(robot, holds);
        }
        self.best = Some((now, least));
    }

    /// Robots whose thresholds are moved: all if they are few, else some, and those next to them that are wanted already.
    fn robots(&self, best: &Staircase) -> Vec<usize> {
        let most = self.model.most() as usize;
        if most <= FEW_ROBOTS as usize {
            return (0..most).collect();
        }
        let in_steps = |robot: usize| {
            let robots = robot + 1;
            let octave = robots.next_power_of_two();
            robots <= 4 || robots == octave || 4 * robots == 3 * octave || robots == most
        };
        let is_edge = |robot: usize| {
            let at = best.up_to[robot];
            let differs = |other: Option<&usize>| other.is_some_and(|other| *other != at);
            differs(best.up_to.get(robot + 1)) || (robot > 0 && differs(best.up_to.get(robot - 1)))
        };
        (0..most).filter(|robot| in_steps(*robot) || is_edge(*robot)).collect()
    }
}
