//! Certified bounds on long-run means when the phases of younger pages are chosen by an adversary.

use super::correction::{Correction, Places};
use crate::matrix::Matrix;
use crate::queue::oldest::{Oldest, add, add_product};

/// Sweeps between corrections.
const SWEEPS: usize = 3;

/// Corrections after which bounds are returned as they are: they hold all the same.
const MOST_CORRECTIONS: usize = 50;

/// A bracket may be wider by this part of the wanted accuracy because the sweeps have not settled.
const UNSETTLED: f64 = 0.02;

/// A mean below this part of the most that is ever paid need only be known as accurately as that.
const SMALL: f64 = 1e-3;

/// Values of states and means by column, found by sweeps.
struct Values {
    /// `h` by level.
    h: Vec<Vec<f64>>,
    /// `g` by column.
    g: Vec<f64>,
}

/// The decision process on a space.
pub(super) struct Bracket<'a> {
    space: &'a Oldest<'a>,
    correction: &'a Correction<'a>,
    places: Places,
    at_empty: Matrix,
}

impl<'a> Bracket<'a> {
    pub(super) fn new(space: &'a Oldest<'a>, correction: &'a Correction<'a>) -> Self {
        Self { space, correction, places: Places::new(space, correction), at_empty: space.frame.inverse(0, 0.0) }
    }

    /// Bounds by column on the means of what is paid: for any `h` the mean is at least `min_s (c + min_a Q_a h)(s)` and at most
    /// `max_s (c + max_a Q_a h)(s)`, whatever is chosen. Sweeps make `h` such that the two meet.
    pub(super) fn bounds(&self, paid: &[Vec<f64>], accuracy: f64) -> Vec<[f64; 2]> {
        let columns = paid[0].len() / self.space.frame.states(0);
        let most = largest(paid, columns);
        let mut values = Values { h: paid.iter().map(|paid| vec![0.0; paid.len()]).collect(), g: vec![0.0; columns] };
        let mut best = vec![[f64::NEG_INFINITY, f64::INFINITY]; columns];
        for _ in 0..MOST_CORRECTIONS {
            let (left_over, found) = self.examine(paid, &values);
            let slack = self.rounding(&values, &most);
            for (column, (best, [low, high])) in best.iter_mut().zip(&found).enumerate() {
                let g = values.g[column];
                *best = [best[0].max(g + low - slack[column]), best[1].min(g + high + slack[column])];
            }
            let settled = |(column, [low, high]): (usize, &[f64; 2])| {
                high - low <= UNSETTLED * accuracy * values.g[column].abs().max(SMALL * most[column])
            };
            if found.iter().enumerate().all(settled) {
                break;
            }
            self.places.correct(self.correction, &left_over, &mut values.h, &mut values.g);
            for _ in 0..SWEEPS {
                self.sweep(paid, &mut values);
            }
        }
        best
    }

    /// What is left over of `c - g + Q h`, averaged over the coarse space, and its least and most by column.
    fn examine(&self, paid: &[Vec<f64>], values: &Values) -> (Vec<Matrix>, Vec<[f64; 2]>) {
        let columns = values.g.len();
        let mut found = vec![[f64::INFINITY, f64::NEG_INFINITY]; columns];
        let averages = (0..paid.len()).map(|i| {
            let below: &[f64] = if i > 0 { &values.h[i - 1] } else { &[] };
            let left = self.space.left_over(i, below, self.right(i, paid, values), &values.h[i]);
            for left in left.chunks_exact(columns) {
                for ([low, high], left) in found.iter_mut().zip(left) {
                    *low = low.min(*left);
                    *high = high.max(*left);
                }
            }
            self.places.averaged(self.correction, i, &left, columns)
        });
        let averages = averages.collect();
        (averages, found)
    }

    /// Solves each level for its neighbours, upwards: pages come down the levels with what is known of them.
    fn sweep(&self, paid: &[Vec<f64>], values: &mut Values) {
        for i in 0..paid.len() {
            let right = self.right(i, paid, values);
            values.h[i] = if i == 0 {
                let mut h = vec![0.0; right.len()];
                add_product(&mut h, &self.at_empty, &right, values.g.len());
                h
            } else {
                self.space.solved(i, &values.h[i - 1], right, &values.h[i])
            };
        }
    }

    /// `c - g + sum_l Q_{i,i+l} h_{i+l}`.
    fn right(&self, i: usize, paid: &[Vec<f64>], values: &Values) -> Vec<f64> {
        let mut right = self.space.arrivals(i, &values.h);
        add(&mut right, 1.0, &paid[i]);
        right.chunks_exact_mut(values.g.len()).for_each(|right| add(right, -1.0, &values.g));
        right
    }

    /// More than rounding can have changed `c - g + Q h` by, by column: it is a sum of a few dozen products, each at most the
    /// fastest rate times the largest value.
    fn rounding(&self, values: &Values, most: &[f64]) -> Vec<f64> {
        let frame = self.space.frame;
        let pace = self.space.ageing.pace.iter().fold(0.0f64, |a, b| a.max(*b)) * frame.top() as f64;
        let fastest = (0..=frame.top()).map(|i| frame.pace(i)).fold(0.0, f64::max) + pace;
        let terms = (4 * frame.top() + 16 * frame.states(frame.top()) + 16) as f64;
        let largest = largest(&values.h, values.g.len());
        let size = |(column, largest): (usize, f64)| most[column] + values.g[column].abs() + 2.0 * fastest * largest;
        largest.into_iter().enumerate().map(|sizes| terms * f64::EPSILON * size(sizes)).collect()
    }
}

/// The largest absolute value by column.
fn largest(levels: &[Vec<f64>], columns: usize) -> Vec<f64> {
    let mut largest = vec![0.0f64; columns];
    for row in levels.iter().flat_map(|level| level.chunks_exact(columns)) {
        largest.iter_mut().zip(row).for_each(|(most, value)| *most = most.max(value.abs()));
    }
    largest
}
