//! Fewer phases, same law.

use super::PhaseType;
use crate::matrix::{Matrix, dot};

impl PhaseType {
    /// Law C-3: the same law with as few phases as found.
    ///
    /// Phases never reached are dropped and phases with the same future merged; then the degree of the transform as a
    /// rational function is the least order any representation can have. Degree one is an exponential law, whatever its
    /// phases say, and degree two always has a representation with two phases in a row, which is returned. For a higher
    /// degree the merged law is returned: it is right, and it is minimal if it has as many phases as the degree.
    #[must_use]
    pub fn reduced(&self) -> Self {
        let merged = self.without_unreached().merged();
        match merged.degree() {
            d if d >= merged.order() => merged,
            1 => merged.as_exponential(),
            2 => merged.as_two_phases().unwrap_or(merged),
            _ => merged,
        }
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

    /// Merges phases from which exit and moves to other classes have the same rates: the coarsest such partition, by
    /// splitting classes until none need be split.
    fn merged(&self) -> Self {
        let n = self.order();
        let mut class = vec![0; n];
        let mut classes = 1;
        loop {
            let profile = |i: usize| -> Vec<f64> {
                let to = |c: usize| (0..n).filter(|&j| class[j] == c && j != i).map(|j| self.rates[(i, j)]).sum();
                let elsewhere = (0..classes).map(|c| if c == class[i] { 0.0 } else { to(c) });
                std::iter::once(self.exits[i]).chain(elsewhere).collect()
            };
            let profiles: Vec<Vec<f64>> = (0..n).map(profile).collect();
            let mut firsts: Vec<usize> = Vec::new();
            let mut next = vec![0; n];
            for i in 0..n {
                let alike = |f: &usize| class[*f] == class[i] && close(&profiles[*f], &profiles[i]);
                next[i] = firsts.iter().position(alike).unwrap_or_else(|| {
                    firsts.push(i);
                    firsts.len() - 1
                });
            }
            if firsts.len() == classes {
                return self.quotient(&class, &firsts);
            }
            classes = firsts.len();
            class = next;
        }
    }

    fn quotient(&self, class: &[usize], firsts: &[usize]) -> Self {
        let m = firsts.len();
        let sum_over = |c: usize, f: &dyn Fn(usize) -> f64| (0..class.len()).filter(|&j| class[j] == c).map(f).sum();
        let off: Matrix =
            Matrix::from_fn(m, m, |a, b| if a == b { 0.0 } else { sum_over(b, &|j| self.rates[(firsts[a], j)]) });
        let exits: Vec<f64> = firsts.iter().map(|&i| self.exits[i]).collect();
        let out = off.row_sums();
        let rates = Matrix::from_fn(m, m, |a, b| if a == b { -(out[a] + exits[a]) } else { off[(a, b)] });
        Self { start: (0..m).map(|c| sum_over(c, &|j| self.start[j])).collect(), rates, exits }
    }

    /// The degree of the transform: the rank of the Hankel matrix of scaled moments `beta (-m S)^-(i+j+1) e`.
    fn degree(&self) -> usize {
        let n = self.order();
        let scaled = self.scaled(1.0 / self.mean());
        let absorbing = scaled.absorbing(0.0);
        let mut vector = vec![1.0; n];
        let moments: Vec<f64> = (0..2 * n)
            .map(|_| {
                let moment = dot(&scaled.start, &vector);
                vector = absorbing.solve_column(&vector);
                moment
            })
            .collect();
        rank(Matrix::from_fn(n, n, |i, j| moments[i + j]))
    }

    fn as_exponential(&self) -> Self {
        let rate = 1.0 / self.mean();
        Self { start: vec![1.0], rates: Matrix::from_fn(1, 1, |_, _| -rate), exits: vec![rate] }
    }

    /// Two phases in a row from three moments (Telek and Heindl 2002): rates `l1 <= l2`, started in the first with
    /// probability `p`, else in the second.
    fn as_two_phases(&self) -> Option<Self> {
        let [m1, m2, m3] = [1, 2, 3].map(|k| self.moment(k));
        // f1 = m1, f2 = m2/2, f3 = m3/6; the rates are the roots of (f1^2 - f2) r^2 ... of the denominator.
        let (f1, f2, f3) = (m1, m2 / 2.0, m3 / 6.0);
        let determinant = f1 * f1 - f2;
        // h(s) = (1 + n s)/(1 + a s + b s^2) with a = (f1 f2 - f3)/(f1^2 - f2), b = (f2^2 - f1 f3)/(f1^2 - f2).
        let (a, b) = ((f1 * f2 - f3) / determinant, (f2 * f2 - f1 * f3) / determinant);
        let root = (a * a - 4.0 * b).max(0.0).sqrt();
        let (slow, fast) = ((a + root) / 2.0, 2.0 * b / (a + root));
        // Mean p slow + fast if the slow phase comes first.
        let p = (m1 - fast) / slow;
        let law = Self::new(&[p, 1.0 - p], &two_in_a_row(1.0 / slow, 1.0 / fast)).ok()?;
        let same = |k| (law.moment(k) / self.moment(k) - 1.0).abs() < 1e-9;
        [1, 2, 3, 4, 5].into_iter().all(same).then_some(law)
    }
}

fn two_in_a_row(first: f64, second: f64) -> Matrix {
    Matrix::from_fn(2, 2, |i, j| match (i, j) {
        (0, 0) => -first,
        (0, 1) => first,
        (1, 1) => -second,
        _ => 0.0,
    })
}

fn close(a: &[f64], b: &[f64]) -> bool {
    let scale = a.iter().chain(b).fold(0.0, |m: f64, v| m.max(v.abs()));
    a.iter().zip(b).all(|(x, y)| (x - y).abs() <= 1e-12 * scale)
}

/// Rank by elimination with full pivoting; pivots below 1e-10 of the first count as zero.
fn rank(mut m: Matrix) -> usize {
    let n = m.rows();
    let mut first = 0.0;
    for k in 0..n {
        let places = (k..n).flat_map(|i| (k..n).map(move |j| (i, j)));
        let Some((row, column)) = places.max_by(|&a, &b| m[a].abs().total_cmp(&m[b].abs())) else { return k };
        let pivot = m[(row, column)];
        if k == 0 {
            first = pivot.abs();
        }
        if pivot.abs() <= 1e-10 * first {
            return k;
        }
        for j in 0..n {
            let (a, b) = (m[(k, j)], m[(row, j)]);
            (m[(k, j)], m[(row, j)]) = (b, a);
        }
        for i in 0..n {
            let (a, b) = (m[(i, k)], m[(i, column)]);
            (m[(i, k)], m[(i, column)]) = (b, a);
        }
        for i in k + 1..n {
            let factor = m[(i, k)] / pivot;
            for j in k..n {
                let above = m[(k, j)];
                m[(i, j)] -= factor * above;
            }
        }
    }
    n
}
