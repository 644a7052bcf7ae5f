//! Where a chain is after a long time, by doubling short times: the work grows with the logarithm of the time.

use super::PhaseType;
use crate::matrix::Matrix;

/// Doubling starts from a time in which even the fastest phase rarely moves twice.
const SHORT: f64 = 0.25;

/// The probabilities `P_ij` of being in phase `j` after a time when in phase `i` before it; the last state is the end.
struct Passing(Matrix);

impl Passing {
    /// After the time `SHORT / pace`, for a pace no slower than the law's, as a Poisson mixture of the powers of the chain that
    /// jumps at that pace.
    fn short(law: &PhaseType, pace: f64) -> Self {
        let n = law.order();
        let jump = Matrix::from_fn(n + 1, n + 1, |i, j| match (i == n, j == n) {
            (true, _) => f64::from(u8::from(j == n)),
            (false, true) => law.exits[i] / pace,
            (false, false) => law.rates[(i, j)] / pace + f64::from(u8::from(i == j)),
        });
        let mut weight = (-SHORT).exp();
        let mut power = Matrix::identity(n + 1);
        let mut sum = power.scaled(weight);
        for k in 1..=12 {
            weight *= SHORT / f64::from(k);
            power = power.times(&jump);
            sum.add(weight, &power);
        }
        Self(sum).kept_whole()
    }

    /// After twice the time.
    fn doubled(&self) -> Self {
        Self(self.0.times(&self.0)).kept_whole()
    }

    /// Staying is what moving and ending leave: so small rates keep their relative accuracy, however much faster others are.
    fn kept_whole(mut self) -> Self {
        for i in 0..self.0.rows() {
            let row = self.0.row(i);
            let moved: f64 = row[..i].iter().chain(&row[i + 1..]).sum();
            if moved < 0.5 {
                self.0[(i, i)] = 1.0 - moved;
            }
        }
        self
    }

    /// Where a chain is that begins with the given probabilities, if it has not ended.
    fn after(&self, start: &[f64]) -> Vec<f64> {
        let n = start.len();
        (0..n).map(|j| (0..n).map(|i| start[i] * self.0[(i, j)]).sum()).collect()
    }

    fn survival(&self, start: &[f64]) -> f64 {
        self.after(start).iter().sum()
    }

    fn distribution(&self, start: &[f64]) -> f64 {
        let n = start.len();
        (0..n).map(|i| start[i] * self.0[(i, n)]).sum()
    }
}

impl PhaseType {
    /// The rate of the phase that is left soonest.
    pub(super) fn pace(&self) -> f64 {
        (0..self.order()).map(|i| -self.rates[(i, i)]).fold(0.0, f64::max)
    }

    /// `beta exp(S x)` by doubling.
    pub(super) fn after_long(&self, x: f64) -> Vec<f64> {
        let doublings = (self.pace() * x / SHORT).log2().ceil().max(0.0);
        let mut passing = Passing::short(self, SHORT * doublings.exp2() / x);
        (0..doublings as u32).for_each(|_| passing = passing.doubled());
        passing.after(&self.start)
    }

    /// Whether both are the same law: mean to a relative 1e-11, and at times doubled from 1e-3 of the fastest phase until all
    /// but 1e-20 have ended, distribution function and survival to a relative 1e-10.
    pub(super) fn is_same_law(&self, other: &Self) -> bool {
        let near = |a: f64, b: f64, part: f64| (a - b).abs() <= part * a.abs();
        if !near(self.mean(), other.mean(), 1e-11) {
            return false;
        }
        let pace = 1e3 * self.pace().max(other.pace());
        let (mut a, mut b) = (Passing::short(self, pace), Passing::short(other, pace));
        loop {
            let (ended, left) = (a.distribution(&self.start), a.survival(&self.start));
            if left < 1e-20 {
                return true;
            }
            if !near(ended, b.distribution(&other.start), 1e-10) || !near(left, b.survival(&other.start), 1e-10) {
                return false;
            }
            (a, b) = (a.doubled(), b.doubled());
        }
    }
}
