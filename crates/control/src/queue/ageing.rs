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
        let Some(law) = model.obsolescence().map(|law| law.reduced()) else {
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

    /// With two phases: the one whose share among pages of one age grows with that age. The shares of `gamma exp(Gamma x)`
    /// never turn back, so the sign of their derivative at zero, that of
    /// `gamma_1 (gamma Gamma)_2 - gamma_2 (gamma Gamma)_1`, decides.
    pub(super) fn tends_to(&self) -> Option<usize> {
        if self.phases() != 2 {
            return None;
        }
        let change = |to: usize| self.start[1 - to] * self.moves[(1 - to, to)] - self.start[to] * self.pace[to];
        let grows = self.start[0] * change(1) - self.start[1] * change(0);
        Some(usize::from(grows > 0.0))
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
