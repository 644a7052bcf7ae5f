//! The stationary law, level by level and without a subtraction (law C-7 for levels that differ in size).

use super::chain::{Chain, Level, matrix};
use crate::matrix::{Absorbing, Matrix, stationary as of_one};

/// The probability of each state by number of documents, and the largest imbalance of flow relative to the flow through a state.
pub(super) fn stationary(chain: &Chain) -> (Vec<Vec<f64>>, f64) {
    let levels = &chain.levels;
    let (factored, first) = censored(levels);
    let mut law = vec![of_one(&first)];
    for (below, factored) in levels.iter().zip(&factored) {
        let arriving = flow(&law[law.len() - 1], &below.up, factored.states);
        law.push(factored.absorbing.solve_row(&arriving));
    }
    let total: f64 = law.iter().flatten().sum();
    law.iter_mut().flatten().for_each(|mass| *mass /= total);
    let residual = residual(levels, &law);
    (law, residual)
}

/// A level above the lowest, watched while the chain is in it or above.
struct Factored {
    states: usize,
    absorbing: Absorbing,
}

/// Levels 1, 2, ... factored, and the rates of the chain watched while there are no documents.
fn censored(levels: &[Level]) -> (Vec<Factored>, Matrix) {
    let mut factored = Vec::new();
    let mut back: Option<Matrix> = None;
    for (documents, level) in levels.iter().enumerate().rev() {
        let states = level.states.len();
        let mut within = matrix(&level.within, states);
        if let Some(back) = &back {
            let above = levels[documents + 1].states.len();
            within.add(1.0, &matrix(&level.up, above).times(back));
        }
        if documents == 0 {
            factored.reverse();
            return (factored, within);
        }
        let down = matrix(&level.down, levels[documents - 1].states.len());
        let absorbing = Absorbing::new(&within, &down.row_sums());
        back = Some(absorbing.solve(&down));
        factored.push(Factored { states, absorbing });
    }
    (factored, Matrix::zeros(0, 0))
}

/// Flow along some rates into so many states.
fn flow(masses: &[f64], rates: &[Vec<(usize, f64)>], states: usize) -> Vec<f64> {
    let mut flow = vec![0.0; states];
    for (mass, rates) in masses.iter().zip(rates) {
        rates.iter().for_each(|(to, rate)| flow[*to] += mass * rate);
    }
    flow
}

fn residual(levels: &[Level], law: &[Vec<f64>]) -> f64 {
    let mut largest: f64 = 0.0;
    for (documents, level) in levels.iter().enumerate() {
        let states = level.states.len();
        let mut into = flow(&law[documents], &level.within, states);
        let mut add = |from: Vec<f64>| into.iter_mut().zip(from).for_each(|(sum, more)| *sum += more);
        if documents > 0 {
            add(flow(&law[documents - 1], &levels[documents - 1].up, states));
        }
        if let Some(above) = levels.get(documents + 1) {
            add(flow(&law[documents + 1], &above.down, states));
        }
        for state in 0..states {
            let out: f64 = [&level.within, &level.up, &level.down]
                .iter()
                .flat_map(|rates| &rates[state])
                .map(|(_, rate)| rate)
                .sum();
            let out = out * law[documents][state];
            largest = largest.max((into[state] - out).abs() / out.max(f64::MIN_POSITIVE));
        }
    }
    largest
}
