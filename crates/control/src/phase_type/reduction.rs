//! Fewer phases, same law.

use super::PhaseType;
use crate::matrix::{Matrix, dot};
use crate::partition::{Partition, Profile, near, same};

/// Laws of more phases are only merged: comparing them takes the cube of their number.
const MOST_COMPARED: usize = 100;

impl PhaseType {
    /// Law C-3: the same law with as few phases as found.
    ///
    /// Phases never reached are dropped, phases with the same future merged, and phases with the same past likewise. A law that
    /// still has more than one or two phases is held against the exponential law and the law of two phases in a row that it
    /// would have to be; either is returned only if it proves to be the same law at all time scales.
    #[must_use]
    pub fn reduced(&self) -> Self {
        let merged = self.without_unreached().merged_both_ways();
        if merged.order() > MOST_COMPARED {
            return merged;
        }
        let simpler = merged.as_exponential().or_else(|| merged.as_two_phases());
        simpler.unwrap_or(merged)
    }

    fn without_unreached(&self) -> Self {
        let n = self.order();
        let moves = |i: usize, j: usize| i != j && self.rates[(i, j)] > 0.0;
        let reached = super::closure(n, |i| self.start[i] > 0.0, moves);
        let kept: Vec<usize> = (0..n).filter(|&i| reached[i]).collect();
        Self {
            start: kept.iter().map(|&i| self.start[i]).collect(),
            rates: Matrix::from_fn(kept.len(), kept.len(), |i, j| self.rates[(kept[i], kept[j])]),
            exits: kept.iter().map(|&i| self.exits[i]).collect(),
        }
    }

    /// Merges by future and by past in turn until neither helps.
    fn merged_both_ways(self) -> Self {
        let ahead = self.merged();
        let back = ahead.reversed().merged();
        if back.order() < ahead.order() { back.merged_both_ways() } else { ahead }
    }

    /// The chain run backwards from its end: with `m = beta (-S)^-1`, the mean time in each phase, it starts with
    /// probability `m_i S_0i`, moves from `i` to `j` at rate `m_j S_ji / m_i` and ends at rate `beta_i / m_i`. Its law is the same.
    fn reversed(&self) -> Self {
        let n = self.order();
        let m = self.absorbing(0.0).solve_row(&self.start);
        let exits: Vec<f64> = (0..n).map(|i| self.start[i] / m[i]).collect();
        let off = Matrix::from_fn(n, n, |i, j| if i == j { 0.0 } else { m[j] * self.rates[(j, i)] / m[i] });
        Self { start: (0..n).map(|i| m[i] * self.exits[i]).collect(), rates: with_diagonal(&off, &exits), exits }
    }

    /// Merges phases from which exit and moves to other classes have the same rates.
    fn merged(&self) -> Self {
        let moves = self.moves();
        // Exits are also compared to the rounding of what they are the difference of.
        let rounding = |a: usize, b: usize| 2.0 * f64::EPSILON * self.rates[(a, a)].min(self.rates[(b, b)]).abs();
        let partition = Partition::coarsest(
            self.order(),
            |i, class| profile(i, &moves[i], class),
            |(a, to), (b, other)| near(self.exits[a], self.exits[b], rounding(a, b)) && same(to, other),
        );
        self.quotient(&partition)
    }

    /// From each phase, where it moves and at which rate.
    fn moves(&self) -> Vec<Vec<(usize, f64)>> {
        let from = |i: usize| self.rates.row(i).iter().copied().enumerate().filter(|(_, rate)| *rate > 0.0).collect();
        (0..self.order()).map(from).collect()
    }

    fn quotient(&self, Partition { class, firsts }: &Partition) -> Self {
        let mut start = vec![0.0; firsts.len()];
        class.iter().zip(&self.start).for_each(|(c, p)| start[*c] += p);
        let mut off = Matrix::zeros(firsts.len(), firsts.len());
        for (a, first) in firsts.iter().enumerate() {
            let others = class.iter().zip(self.rates.row(*first)).filter(|(c, _)| **c != a);
            others.for_each(|(c, rate)| off[(a, *c)] += rate);
        }
        let exits: Vec<f64> = firsts.iter().map(|&i| self.exits[i]).collect();
        Self { start, rates: with_diagonal(&off, &exits), exits }
    }

    /// The exponential law of the same mean, if that is the law.
    fn as_exponential(&self) -> Option<Self> {
        let rate = 1.0 / self.mean();
        let law = Self { start: vec![1.0], rates: Matrix::from_fn(1, 1, |_, _| -rate), exits: vec![rate] };
        (self.order() > 1 && same_law(self, &law)).then_some(law)
    }

    /// Two phases in a row, the slow one first and left out with some probability (Telek and Heindl 2002), if that is the law.
    ///
    /// Its transform is `(1 + n s)/(1 + a s + b s^2)`, where `a - n` is the mean, `a (a - n) - b` half the second moment and
    /// `n/b` the density at zero: the mean and the density say what is slow and what is fast, so neither hides the other.
    fn as_two_phases(&self) -> Option<Self> {
        let (mean, half_second) = (self.mean(), self.moment(2) / 2.0);
        let density = dot(&self.start, &self.exits);
        let b = (half_second - mean * mean) / (density * mean - 1.0);
        let n = density * b;
        let a = mean + n;
        let root = (a * a - 4.0 * b).max(0.0).sqrt();
        let (slow, fast) = ((a + root) / 2.0, 2.0 * b / (a + root));
        let left_out = (n / slow).min(1.0);
        let law = Self::new(&[1.0 - left_out, left_out], &two_in_a_row(1.0 / slow, 1.0 / fast)).ok()?;
        (self.order() > 2 && same_law(self, &law)).then_some(law)
    }
}

/// The rates at which phase `i` with the given moves goes to classes other than its own.
fn profile(i: usize, moves: &[(usize, f64)], class: &[usize]) -> Profile {
    let mut to = Profile::new();
    let others = moves.iter().filter(|(j, _)| class[*j] != class[i]);
    others.for_each(|(j, rate)| *to.entry((0, class[*j])).or_default() += rate);
    to
}

/// Whether both are the same law: mean to a relative 1e-11, and at times doubled from 1e-3 of the fastest phase until all but
/// 1e-20 have ended, distribution function and survival to a relative 1e-10.
fn same_law(a: &PhaseType, b: &PhaseType) -> bool {
    let near = |a: f64, b: f64, part: f64| (a - b).abs() <= part * a.abs();
    if !near(a.mean(), b.mean(), 1e-11) {
        return false;
    }
    let pace = 1e3 * a.pace().max(b.pace());
    let (mut of_a, mut of_b) = (a.passing(pace), b.passing(pace));
    for k in 0.. {
        let [(ended, left), other] =
            [(a, &mut of_a), (b, &mut of_b)].map(|(law, passing)| split(law, passing.doubled(k)));
        if left < 1e-20 {
            break;
        }
        if !near(ended, other.0, 1e-10) || !near(left, other.1, 1e-10) {
            return false;
        }
    }
    true
}

/// The chances of having ended and not, from the probabilities of moves.
fn split(law: &PhaseType, moves: &Matrix) -> (f64, f64) {
    let n = law.order();
    let to = |columns: std::ops::Range<usize>| {
        (0..n).map(|i| law.start[i] * moves.row(i)[columns.clone()].iter().sum::<f64>()).sum()
    };
    (to(n..n + 1), to(0..n))
}

/// A matrix with the diagonal that makes rows and exits sum to zero.
fn with_diagonal(off: &Matrix, exits: &[f64]) -> Matrix {
    let out = off.row_sums();
    Matrix::from_fn(off.rows(), off.rows(), |i, j| if i == j { -(out[i] + exits[i]) } else { off[(i, j)] })
}

fn two_in_a_row(first: f64, second: f64) -> Matrix {
    Matrix::from_fn(2, 2, |i, j| match (i, j) {
        (0, 0) => -first,
        (0, 1) => first,
        (1, 1) => -second,
        _ => 0.0,
    })
}

#[cfg(test)]
mod tests;
