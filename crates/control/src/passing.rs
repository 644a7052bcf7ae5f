//! Where a chain that ends is after a time, short or long: the work grows with the logarithm of the time.

use crate::matrix::Matrix;

/// Doubling starts from a time in which even the fastest state rarely moves twice.
const SHORT: f64 = 0.25;

/// Terms of a Poisson mixture of mean [`SHORT`] at most; the rest is below 1e-17.
const TERMS: u32 = 12;

/// A chain looked at by a clock at least as fast as its fastest state. States of the chain come first, then its ends, which
/// are never left.
#[derive(Debug)]
pub(crate) struct Passing {
    /// Probabilities of a move at a tick of the clock.
    jump: Matrix,
    clock: f64,
    states: usize,
    /// Probabilities `P_ij` of being in `j` after `2^k SHORT/clock` when in `i` before, for `k = 0, 1, ...`
    powers: Vec<Matrix>,
}

impl Passing {
    /// The chain with the given rates between its states (the diagonal is ignored) and to its ends.
    pub(crate) fn new(rates: &Matrix, ends: &Matrix, clock: f64) -> Self {
        let (n, all) = (rates.rows(), rates.rows() + ends.columns());
        let jump = Matrix::from_fn(all, all, |i, j| match (i < n, j < n) {
            (true, true) if i != j => rates[(i, j)] / clock,
            (true, false) => ends[(i, j - n)] / clock,
            _ => 0.0,
        });
        let stays = |i: usize| (1.0 - jump.row(i).iter().sum::<f64>()).max(0.0);
        let jump = Matrix::from_fn(all, all, |i, j| if i == j { stays(i) } else { jump[(i, j)] });
        let mut passing = Self { jump, clock, states: n, powers: Vec::new() };
        let rows = (0..all).map(|i| passing.soon(&unit(all, i), SHORT)).collect::<Vec<_>>();
        passing.powers.push(kept_whole(Matrix::from_fn(all, all, |i, j| rows[i][j]), n));
        passing
    }

    /// Where the chain is after `ticks` of the clock on average, no more than [`SHORT`]: a Poisson mixture of powers.
    fn soon(&self, state: &[f64], ticks: f64) -> Vec<f64> {
        let mut weight = (-ticks).exp();
        let mut power = state.to_vec();
        let mut sum: Vec<f64> = power.iter().map(|mass| weight * mass).collect();
        for k in 1..=TERMS {
            weight *= ticks / f64::from(k);
            power = self.jump.after(&power);
            sum.iter_mut().zip(&power).for_each(|(sum, mass)| *sum += weight * mass);
        }
        sum
    }

    /// Probabilities of being in `j` after `2^k SHORT/clock` when in `i` before.
    pub(crate) fn doubled(&mut self, k: usize) -> &Matrix {
        while self.powers.len() <= k {
            let last = &self.powers[self.powers.len() - 1];
            self.powers.push(kept_whole(last.times(last), self.states));
        }
        &self.powers[k]
    }

    /// Where a chain is after `time`, states and ends, that is in its states with the given masses now.
    pub(crate) fn after(&mut self, state: &[f64], time: f64) -> Vec<f64> {
        let mut steps = (self.clock * time / SHORT).floor();
        let mut now = state.to_vec();
        now.resize(self.jump.rows(), 0.0);
        now = self.soon(&now, (self.clock * time - SHORT * steps).clamp(0.0, SHORT));
        let mut k = 0;
        // Masses that have all but ended need not be followed.
        while steps > 0.0 && now[..state.len()].iter().any(|mass| *mass > f64::MIN_POSITIVE) {
            let half = (0.5 * steps).floor();
            if steps > 2.0 * half {
                now = self.doubled(k).after(&now);
            }
            (steps, k) = (half, k + 1);
        }
        now
    }
}

/// Makes the rows of the first `states` states whole. Staying is what moving leaves, and being in any state what ending leaves:
/// so small rates keep their relative accuracy, however much faster others are. Without it every doubling would double the
/// rounding of the sums. Where little is left it is only that little.
fn kept_whole(mut m: Matrix, states: usize) -> Matrix {
    for i in 0..states {
        let (row, ended) = (m.row(i), m.row(i)[states..].iter().sum::<f64>());
        let left: f64 = row[..states].iter().sum();
        let moved: f64 = row[..i].iter().chain(&row[i + 1..]).sum();
        if moved < 0.5 {
            m[(i, i)] = 1.0 - moved;
        } else if ended < 0.5 {
            (0..states).for_each(|j| m[(i, j)] *= (1.0 - ended) / left);
        }
    }
    m
}

fn unit(size: usize, at: usize) -> Vec<f64> {
    (0..size).map(|i| f64::from(u8::from(i == at))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two states that change places a billion times before they end, and a third that ends slower still. The first two
    /// are one state as far as their end goes.
    #[test]
    fn stiff_chains_in_closed_form() {
        let rates = Matrix::from_rows(&[vec![0.0, 1e9, 0.0], vec![1e9, 0.0, 0.0], vec![0.0, 0.0, 0.0]]).unwrap();
        let ends = Matrix::from_rows(&[vec![0.3, 0.0], vec![0.3, 0.0], vec![0.0, 1e-9]]).unwrap();
        let mut passing = Passing::new(&rates, &ends, 1e9 + 1.0);
        for time in [0.0f64, 1e-12, 3e-9, 0.7, 5.0, 1e3, 4e8, 1e10] {
            let now = passing.after(&[0.4, 0.2, 0.4], time);
            let (fast, slow) = (-0.3 * time, -1e-9 * time);
            let wanted = [0.6 * fast.exp(), 0.4 * slow.exp(), -0.6 * fast.exp_m1(), -0.4 * slow.exp_m1()];
            let got = [now[0] + now[1], now[2], now[3], now[4]];
            for (got, wanted) in got.iter().zip(wanted) {
                // Some forty doublings, each with a rounding.
                assert!((got - wanted).abs() <= 1e-12 * wanted.max(1e-20), "{time}: {got} {wanted}");
            }
        }
    }
}
