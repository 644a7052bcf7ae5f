//! How waiting pages age, with their phases in a convenient order.

use crate::matrix::Matrix;
use crate::model::Model;

/// The obsolescence law `(gamma, Gamma)`, reduced (law C-3), its phases ordered so that pages move to later ones wherever
/// the law allows. One phase that never ends if there is no obsolescence.
#[derive(Clone, Debug)]
pub(super) struct Ageing {
    /// `gamma`.
    pub(super) start: Vec<f64>,
    /// `Gamma` off its diagonal.
    pub(super) moves: Matrix,
    /// `Gamma_0`.
    pub(super) exits: Vec<f64>,
    /// Minus the diagonal of `Gamma`.
    pub(super) pace: Vec<f64>,
}

impl Ageing {
    pub(super) fn new(model: &Model) -> Self {
        let Some(law) = model.reduced_obsolescence() else {
            return Self { start: vec![1.0], moves: Matrix::zeros(1, 1), exits: vec![0.0], pace: vec![0.0] };
        };
        let order = in_order_of_moves(law.rates());
        let r = order.len();
        let moves = Matrix::from_fn(r, r, |i, j| if i == j { 0.0 } else { law.rates()[(order[i], order[j])] });
        let exits: Vec<f64> = order.iter().map(|&i| law.exits()[i]).collect();
        let pace = moves.row_sums().iter().zip(&exits).map(|(move_on, exit)| move_on + exit).collect();
        Self { start: order.iter().map(|&i| law.start()[i]).collect(), moves, exits, pace }
    }

    /// `R`.
    pub(super) fn phases(&self) -> usize {
        self.start.len()
    }

    /// The rate at which pages change or end their phase together, for as many pages in each.
    pub(super) fn pace_of(&self, counts: &[usize]) -> f64 {
        counts.iter().zip(&self.pace).map(|(count, pace)| *count as f64 * pace).sum()
    }

    /// Whether the likelihood of the phases, taken in the given order, grows with age ever faster from first to last: whether
    /// `f'(x)_r / f(x)_r` does not fall with `r` for the law `f(x) = gamma exp(Gamma x)` of the phase at age `x`.
    ///
    /// It is so if it is at age zero and if pages move to neighbouring phases only: then `exp(Gamma x)` is totally positive
    /// (Karlin and McGregor 1957), so that the minors of the rows `gamma Gamma` and `gamma` keep their sign.
    fn grow_with_age(&self, order: &[usize]) -> bool {
        let far = |i: usize, j: usize| i.abs_diff(j) > 1 && self.moves[(order[i], order[j])] > 0.0;
        let neighbours = (0..order.len()).all(|i| (0..order.len()).all(|j| !far(i, j)));
        neighbours && order.windows(2).all(|pair| self.growth(pair[0]) <= self.growth(pair[1]))
    }

    /// `(gamma Gamma)_r / gamma_r`; phases in which no page begins grow without limit.
    fn growth(&self, phase: usize) -> f64 {
        let into = (0..self.phases()).map(|from| self.start[from] * self.moves[(from, phase)]).sum::<f64>();
        let start = self.start[phase];
        if start > 0.0 { into / start - self.pace[phase] } else { f64::INFINITY }
    }

    /// Phases by growing likelihood with age, if there is such an order. There always is one for two phases.
    pub(super) fn by_age(&self) -> Option<Vec<usize>> {
        let mut order: Vec<usize> = (0..self.phases()).collect();
        order.sort_by(|a, b| self.growth(*a).total_cmp(&self.growth(*b)));
        self.grow_with_age(&order).then_some(order)
    }

    /// Whether no page ever moves to an earlier phase.
    pub(super) fn is_acyclic(&self) -> bool {
        (0..self.phases()).all(|i| (0..i).all(|j| self.moves[(i, j)] == 0.0))
    }
}

/// A topological order of the phases if moves have no cycle; else one that takes the phase least moved into first.
fn in_order_of_moves(rates: &Matrix) -> Vec<usize> {
    let mut left: Vec<usize> = (0..rates.rows()).collect();
    let mut order = Vec::new();
    let into = |to: usize, left: &[usize]| left.iter().filter(|&&i| i != to).map(|&i| rates[(i, to)]).sum::<f64>();
    while let Some(next) = left.iter().copied().min_by(|&a, &b| into(a, &left).total_cmp(&into(b, &left))) {
        order.push(next);
        left.retain(|&i| i != next);
    }
    order
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::queue::by_size::tests::system;

    /// The law of the phase at some ages, by small steps; signs only matter.
    fn phases_by_age(ageing: &Ageing) -> Vec<Vec<f64>> {
        let mut law = ageing.start.clone();
        let fastest = ageing.pace.iter().fold(0.0f64, |a, b| a.max(*b));
        let step = 0.01 / fastest;
        let mut laws = Vec::new();
        for n in 0..2_000 {
            if n % 100 == 0 {
                laws.push(law.clone());
            }
            let moved = ageing.moves.after(&law);
            law = (0..law.len()).map(|r| law[r] + step * (moved[r] - ageing.pace[r] * law[r])).collect();
        }
        laws
    }

    fn check(ageing: &Ageing) -> Result<(), TestCaseError> {
        let Some(order) = ageing.by_age() else { return Ok(()) };
        for ages in phases_by_age(ageing).windows(2) {
            for pair in order.windows(2) {
                let [younger, older] = [&ages[0], &ages[1]].map(|law| (law[pair[0]], law[pair[1]]));
                // Later phases gain: products compared crosswise, to rounding.
                prop_assert!(older.1 * younger.0 >= older.0 * younger.1 * (1.0 - 1e-12));
            }
        }
        Ok(())
    }

    proptest! {
        /// C-15: where phases are ordered by age, later ones gain with age; with two phases they always are.
        #[test]
        fn c15_later_phases_gain_with_age(
            (two, _) in system(2, true, 2), (three, _) in system(3, true, 2), (chain, _) in system(3, false, 2),
        ) {
            let two = Ageing::new(&two);
            prop_assert!(two.by_age().is_some());
            for ageing in [two, Ageing::new(&three), Ageing::new(&chain)] {
                check(&ageing)?;
            }
        }
    }
}
