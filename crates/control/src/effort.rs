//! How much work an answer takes, roughly, for those who have to wait for it.

use crate::decision::check_levels;
use crate::model::{Model, RobotPolicy};
use crate::optimise::{ENUMERATED, MANY_MODES, PROOF_LEVELS, alike_by_modes, count};
use crate::queue::by_size::{fits_arrays, is_direct, states};
use crate::queue::{DIRECT_WORK, Sojourn};

/// What an answer takes at most, give or take a factor of a few.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Multiplications.
    pub multiplications: f64,
    /// Bytes of memory.
    pub bytes: f64,
}

/// What it takes to look at a level, however small, in multiplications.
pub(crate) const LEVEL: f64 = 20_000.0;

/// The same if what lies above it is known.
const STEP: f64 = 2_000.0;

/// The same for a jump into it, ...
const JUMP: f64 = 500.0;

/// ... and for finding out whether there is one.
const LOOK: f64 = 10.0;

/// Passes over all levels that a bound over all policies takes.
const BOUND: f64 = 60.0;

/// Passes over all levels that placing the boundary between two modes takes, wherever it is tried.
const BOUNDARY: f64 = 10.0;

/// What bounds on the measures of a policy by chains with few exact pages take at most, as they are limited in states, ...
const CERTIFIED: f64 = 3e10;

/// ... what a bound over all policies takes, ...
const BOUNDED: f64 = 1e11;

/// ... and a race between policies.
const RACE: f64 = 5e11;

/// Per state: sweeps over arrays.
const SWEPT: Effort = Effort { multiplications: 6_000.0, bytes: 50.0 };

impl Effort {
    /// Of [`solve_to`](crate::queue::solve_to).
    #[must_use]
    pub fn of_solving(model: &Model, policy: &RobotPolicy) -> Self {
        let model = &*model.for_modes(policy.robots());
        let phases = phases(model);
        if phases == 1 {
            let stages = 16.0 * (model.service().order() as f64).powi(2) * model.most_pages() as f64;
            let Self { multiplications, bytes } = pass(model, LEVEL);
            return Self { multiplications, bytes: bytes.max(stages) };
        }
        match (is_direct(model, phases), fits_arrays(model, phases)) {
            (true, _) => Self { multiplications: DIRECT_WORK, bytes: 1e8 },
            (_, true) => SWEPT.times(states(model, phases)),
            (_, false) => chains(model, CERTIFIED),
        }
    }

    /// Of the distributions of times in the system, beyond solving.
    #[must_use]
    pub fn of_times(sojourn: &Sojourn) -> Self {
        // Levels that hardly any page meets are left out.
        Self { multiplications: sojourn.work(), bytes: 0.0 }
    }

    /// Of [`optimise`](crate::optimise::optimise).
    #[must_use]
    pub fn of_optimising(model: &Model, modes: Option<&[u32]>) -> Self {
        let all: Vec<u32> = model.arrivals().iter().map(|(robots, _)| *robots).collect();
        let set = modes.unwrap_or(&all);
        let model = &*model.for_modes(set);
        if !is_dense(model) {
            return chains(model, RACE);
        }
        let (n, policies) = (set.len() as f64, count(model, set.len()));
        let (pass, passes) = match policies <= ENUMERATED {
            true if set.len() < 2 => (pass(model, LEVEL), 1.0),
            true => {
                // What lies above a level is computed once for all that agree on it.
                let level = 1.0 / n + 1.0 / (model.most_pages() as f64 + 1.0);
                (pass(model, STEP), policies as f64 * alike_by_modes(model, set).unwrap_or(level))
            }
            false => {
                let pairs = if set.len() <= MANY_MODES { n * n / 2.0 } else { 0.0 };
                (pass(model, LEVEL), BOUNDARY * pairs.max(n) + BOUND * boxes(model, n))
            }
        };
        pass.times(passes).with_bytes(4.0 * pass.bytes)
    }

    /// Of [`markov_bound`](crate::markov_bound).
    #[must_use]
    pub fn of_bounding(model: &Model) -> Self {
        let all: Vec<u32> = model.arrivals().iter().map(|(robots, _)| *robots).collect();
        let model = &*model.for_modes(&all);
        if !is_dense(model) {
            return chains(model, BOUNDED);
        }
        let (pass, modes) = (pass(model, LEVEL), model.arrivals().len());
        if modes == 1 {
            return pass;
        }
        // Every mode is looked at in every state.
        let looks: f64 = levels(model).map(|states| 3.0 * states * states).sum::<f64>() * modes as f64;
        let multiplications = BOUND * (pass.multiplications + looks);
        Self { multiplications, bytes: 4.0 * pass.bytes }
    }

    /// So many times as much work.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self { multiplications: factor * self.multiplications, bytes: factor * self.bytes }
    }

    fn with_bytes(self, bytes: f64) -> Self {
        Self { bytes, ..self }
    }
}

/// Work on chains limited in states, given for the four phases of arrival and service of the paper: a state takes as many
/// multiplications as there are of these.
fn chains(model: &Model, multiplications: f64) -> Effort {
    let phases = (model.arrivals()[0].1.phases() * model.service().order()) as f64;
    Effort { multiplications: multiplications * (phases / 4.0).clamp(1.0, 40.0), bytes: 5e8 }
}

/// Boxes of the proof that a staircase of so many modes is the best.
fn boxes(model: &Model, modes: f64) -> f64 {
    let largest = levels(model).last().unwrap_or(1.0);
    if largest <= 1.0 {
        // The number of pages is all there is to see: the first bound is the best staircase.
        return 1.0;
    }
    let levels = model.most_pages() as f64 + 1.0;
    1.0 + PROOF_LEVELS / (levels * modes * (1.0 + largest.powi(3) / LEVEL))
}

/// Phases of obsolescence that matter.
fn phases(model: &Model) -> usize {
    model.reduced_obsolescence().map_or(1, |law| law.order())
}

fn is_dense(model: &Model) -> bool {
    phases(model) == 1 || check_levels(model).is_ok()
}

/// States of each level from one page on.
fn levels(model: &Model) -> impl Iterator<Item = f64> {
    let (n, phases) = (model.arrivals()[0].1.phases() * model.service().order(), phases(model) as f64);
    (0..model.most_pages()).map(move |waiting| n as f64 * phases.powi(waiting as i32))
}

/// One pass over all levels: each is factored and applied to the one below and to the jumps into it, and takes `level` besides.
fn pass(model: &Model, level: f64) -> Effort {
    let batch = model.arrivals().iter().map(|(_, bmap)| bmap.largest_batch()).max().unwrap_or(1) as f64;
    // Jumps begin where a place is free, also if whole batches are admitted.
    let jumps = batch.min(model.buffer() as f64);
    let work = |states: f64| (0.4 + jumps) * states.powi(3) + JUMP * jumps + LOOK * batch + level;
    let space = |states: f64| (2.0 + jumps) * (8.0 * states * states + 100.0);
    Effort { multiplications: levels(model).map(work).sum(), bytes: levels(model).map(space).sum() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::examples;
    use crate::{Bmap, Matrix, PhaseType};

    /// What is a matter of a moment, and what is not.
    #[test]
    fn small_is_little_and_large_is_much() {
        let paper = examples::paper(5);
        assert!(Effort::of_solving(&paper, &paper.fixed(2)).multiplications < 1e6);
        assert!(Effort::of_optimising(&paper, None).multiplications < 1e8);
        assert!(Effort::of_bounding(&paper).multiplications < 1e8);
        // A thousand phases of service and a hundred places took 35 seconds of processor time, and 2 GB.
        let (law, one) = (PhaseType::erlang(1000, 1000.0).unwrap(), vec![(1, Bmap::poisson(1.0).unwrap())]);
        let long = Model::new(100, law, PhaseType::exponential(0.2).ok(), one, *paper.costs()).unwrap();
        let effort = Effort::of_solving(&long, &long.fixed(1));
        assert!((1e11..1e12).contains(&effort.multiplications) && (1e9..4e9).contains(&effort.bytes), "{effort:?}");
    }

    /// Three modes and 30 places: staircases that agree above a level share it, and 5,455 levels are left to be factored, where
    /// one policy has 30.
    #[test]
    fn enumeration_meets_levels_again_and_again() {
        let law = PhaseType::erlang(500, 500.0).unwrap();
        let poisson = (1..=3).map(|r| (r, Bmap::poisson(f64::from(r)).unwrap())).collect();
        let model = Model::new(30, law, None, poisson, *examples::paper(5).costs()).unwrap();
        let (one, all) = (Effort::of_solving(&model, &model.fixed(1)), Effort::of_optimising(&model, None));
        let ratio = all.multiplications / one.multiplications;
        // The empty system, which hardly counts, is not left out of the estimate: that makes up to a tenth.
        assert!((1.0..1.1).contains(&(ratio / (5_455.0 / 30.0))), "{ratio}");
    }

    /// The work of solving falls with phases that make no difference.
    #[test]
    fn merged_phases_do_not_count() {
        let d = [[[-1.5, 0.5], [0.5, -2.5]], [[1.0, 0.0], [0.0, 2.0]]];
        let d = d.map(|m| Matrix::from_fn(2, 2, |i, j| m[i][j])).to_vec();
        let robots = crate::arrivals::readings::independent(&vec![Bmap::new(d).unwrap(); 6]);
        let paper = examples::paper(5);
        let arrivals = (1..).zip(robots).collect();
        let model = Model::new(5, paper.service().clone(), None, arrivals, *paper.costs()).unwrap();
        let [one, all] = [vec![1; 6], vec![6, 5, 4, 3, 2, 1]]
            .map(|robots| Effort::of_solving(&model, &RobotPolicy::new(&model, robots).unwrap()).multiplications);
        assert!(100.0 * one < all, "{one} {all}");
    }
}
