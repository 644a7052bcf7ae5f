//! Large products and solutions, a few columns at a time: what is worked on stays near the processor.
//!
//! Sums are taken in the same order as for small matrices, so results are the same to the last bit.

use super::{Absorbing, Matrix};
use crate::parallel;

/// Columns of a panel; matrices with fewer are not cut.
pub(super) const WIDE: usize = 16;

/// Multiplications from which more than one processor is worth its while: some milliseconds.
const SHARED: usize = 10_000_000;

type Row = [f64; WIDE];

/// Some columns of a matrix; beyond the last of them there are zeros.
pub(super) struct Panel(Vec<Row>);

impl Panel {
    /// `factors * self`.
    pub(super) fn weighted(&self, factors: &Matrix) -> Self {
        let row = |i: usize| sum([0.0; WIDE], factors.row(i).iter().zip(&self.0));
        Self((0..factors.rows()).map(row).collect())
    }

    /// The `Y` with `A Y = self`.
    pub(super) fn solved(mut self, a: &Absorbing) -> Self {
        for i in (0..a.size).rev() {
            let (here, onward) = self.0.split_at_mut(i + 1);
            here[i] = sum(here[i], a.factors.row(i)[i + 1..].iter().zip(&*onward).rev());
        }
        for k in 0..a.size {
            let own = self.0[k].map(|entry| entry / a.factors[(k, k)]);
            self.0[k] = sum(own, a.factors.row(k)[..k].iter().zip(&self.0));
        }
        self
    }
}

/// A row plus a weighted sum of others.
fn sum<'a>(mut total: Row, parts: impl Iterator<Item = (&'a f64, &'a Row)>) -> Row {
    for (factor, row) in parts.filter(|(factor, _)| **factor != 0.0) {
        for (sum, entry) in total.iter_mut().zip(row) {
            *sum += factor * entry;
        }
    }
    total
}

impl Matrix {
    /// All columns, worked on panel by panel; a panel takes about `rows^2` multiplications for each of its columns.
    pub(super) fn panels(&self, work: impl Fn(Panel) -> Panel + Sync) -> Vec<Panel> {
        let firsts: Vec<usize> = (0..self.columns).step_by(WIDE).collect();
        let of = |first: &usize| {
            let mut panel = vec![[0.0; WIDE]; self.rows];
            let width = WIDE.min(self.columns - first);
            for (i, row) in panel.iter_mut().enumerate() {
                row[..width].copy_from_slice(&self.row(i)[*first..first + width]);
            }
            work(Panel(panel))
        };
        if self.rows * self.rows * self.columns < SHARED {
            return firsts.iter().map(of).collect();
        }
        parallel::map(&firsts, of)
    }

    /// The matrix of so many columns that panels hold.
    pub(super) fn from_panels(columns: usize, panels: &[Panel]) -> Self {
        let rows = panels.first().map_or(0, |panel| panel.0.len());
        let mut whole = Self::zeros(rows, columns);
        for (n, panel) in panels.iter().enumerate() {
            let width = WIDE.min(columns - n * WIDE);
            for (i, row) in panel.0.iter().enumerate() {
                let start = i * columns + n * WIDE;
                whole.entries[start..start + width].copy_from_slice(&row[..width]);
            }
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Any numbers, some of them zero.
    fn some(rows: usize, columns: usize) -> Matrix {
        Matrix::from_fn(rows, columns, |i, j| ((i * 37 + j * 101 + i * j) % 17) as f64 / 7.0)
    }

    fn columns(m: &Matrix, from: usize, to: usize) -> Matrix {
        Matrix::from_fn(m.rows(), to - from, |i, j| m[(i, from + j)])
    }

    /// C-1: by panels or, a few columns at a time, without: the same to the last bit. The second size is shared by processors.
    #[test]
    fn c1_panels_change_nothing() {
        for (size, wide) in [(19, 37), (150, 500)] {
            let (left, right) = (some(size, size), some(size, wide));
            let absorbing = Absorbing::new(&left, &vec![0.3; size]);
            let (product, solution) = (left.times(&right), absorbing.solve(&right));
            for from in (0..wide).step_by(7) {
                let to = wide.min(from + 7);
                assert_eq!(columns(&product, from, to), left.times(&columns(&right, from, to)));
                assert_eq!(columns(&solution, from, to), absorbing.solve(&columns(&right, from, to)));
            }
        }
    }
}
