//! Small dense matrices, and systems of equations solved without a single subtraction.

mod panels;

use std::ops::{Index, IndexMut};

use panels::WIDE;

/// A dense matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    entries: Vec<f64>,
}

impl Index<(usize, usize)> for Matrix {
    type Output = f64;

    fn index(&self, (row, column): (usize, usize)) -> &f64 {
        &self.entries[row * self.columns + column]
    }
}

impl IndexMut<(usize, usize)> for Matrix {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut f64 {
        &mut self.entries[row * self.columns + column]
    }
}

impl Matrix {
    /// All zeros.
    #[must_use]
    pub fn zeros(rows: usize, columns: usize) -> Self {
        Self { rows, columns, entries: vec![0.0; rows * columns] }
    }

    /// Ones on the diagonal.
    #[must_use]
    pub fn identity(size: usize) -> Self {
        Self::from_fn(size, size, |i, j| f64::from(u8::from(i == j)))
    }

    /// Entry by entry.
    #[must_use]
    pub fn from_fn(rows: usize, columns: usize, f: impl Fn(usize, usize) -> f64) -> Self {
        let entries = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j))).map(|(i, j)| f(i, j)).collect();
        Self { rows, columns, entries }
    }

    /// From rows; `None` if they differ in length.
    #[must_use]
    pub fn from_rows(rows: &[Vec<f64>]) -> Option<Self> {
        let columns = rows.first().map_or(0, Vec::len);
        rows.iter().all(|row| row.len() == columns).then(|| Self { rows: rows.len(), columns, entries: rows.concat() })
    }

    /// One row.
    #[must_use]
    pub fn row_vector(entries: &[f64]) -> Self {
        Self { rows: 1, columns: entries.len(), entries: entries.to_vec() }
    }

    /// One column.
    #[must_use]
    pub fn column_vector(entries: &[f64]) -> Self {
        Self { rows: entries.len(), columns: 1, entries: entries.to_vec() }
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// A row.
    #[must_use]
    pub fn row(&self, row: usize) -> &[f64] {
        &self.entries[row * self.columns..(row + 1) * self.columns]
    }

    /// All entries, row by row.
    #[must_use]
    pub fn entries(&self) -> &[f64] {
        &self.entries
    }

    /// `self * other`.
    ///
    /// # Panics
    /// If the inner sizes differ.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        assert_eq!(self.columns, other.rows, "sizes fit");
        if self.rows.min(other.columns) >= WIDE {
            return Self::from_panels(other.columns, &other.panels(|panel| panel.weighted(self)));
        }
        let mut product = Self::zeros(self.rows, other.columns);
        for i in 0..self.rows {
            let into = &mut product.entries[i * other.columns..(i + 1) * other.columns];
            for (k, &factor) in self.row(i).iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
                for (sum, entry) in into.iter_mut().zip(other.row(k)) {
                    *sum += factor * entry;
                }
            }
        }
        product
    }

    /// `row * self`.
    ///
    /// # Panics
    /// If the sizes differ.
    #[must_use]
    pub fn after(&self, row: &[f64]) -> Vec<f64> {
        assert_eq!(row.len(), self.rows, "sizes fit");
        let mut product = vec![0.0; self.columns];
        for (i, &factor) in row.iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
            for (sum, entry) in product.iter_mut().zip(self.row(i)) {
                *sum += factor * entry;
            }
        }
        product
    }

    /// `self * column`.
    ///
    /// # Panics
    /// If the sizes differ.
    #[must_use]
    pub fn before(&self, column: &[f64]) -> Vec<f64> {
        assert_eq!(column.len(), self.columns, "sizes fit");
        (0..self.rows).map(|i| dot(self.row(i), column)).collect()
    }

    /// `self += factor * other`.
    ///
    /// # Panics
    /// If the sizes differ.
    pub fn add(&mut self, factor: f64, other: &Self) {
        assert_eq!((self.rows, self.columns), (other.rows, other.columns), "sizes fit");
        for (sum, entry) in self.entries.iter_mut().zip(&other.entries) {
            *sum += factor * entry;
        }
    }

    /// `self += factor *` as many columns of `other` as it has, from `offset` on.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn add_columns(&mut self, factor: f64, other: &Self, offset: usize) {
        assert_eq!(self.rows, other.rows, "sizes fit");
        for i in 0..self.rows {
            let from = &other.row(i)[offset..offset + self.columns];
            let into = &mut self.entries[i * self.columns..(i + 1) * self.columns];
            into.iter_mut().zip(from).for_each(|(sum, entry)| *sum += factor * entry);
        }
    }

    /// Matrices with as many rows side by side, the first of them `self`.
    ///
    /// # Panics
    /// If they differ in rows.
    #[must_use]
    pub fn beside(&self, others: &[&Self]) -> Self {
        assert!(others.iter().all(|other| other.rows == self.rows), "sizes fit");
        let columns = self.columns + others.iter().map(|other| other.columns).sum::<usize>();
        let mut entries = Vec::with_capacity(self.rows * columns);
        for i in 0..self.rows {
            entries.extend_from_slice(self.row(i));
            others.iter().for_each(|other| entries.extend_from_slice(other.row(i)));
        }
        Self { rows: self.rows, columns, entries }
    }

    /// `factor * self`.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Self { entries: self.entries.iter().map(|entry| factor * entry).collect(), ..*self }
    }

    /// The Kronecker product.
    #[must_use]
    pub fn kronecker(&self, other: &Self) -> Self {
        let mut product = Self::zeros(self.rows * other.rows, self.columns * other.columns);
        for i in 0..product.rows {
            let (row, from) = (self.row(i / other.rows), other.row(i % other.rows));
            for (j, &factor) in row.iter().enumerate().filter(|(_, factor)| **factor != 0.0) {
                let start = i * product.columns + j * other.columns;
                let into = &mut product.entries[start..start + other.columns];
                into.iter_mut().zip(from).for_each(|(entry, other)| *entry = factor * other);
            }
        }
        product
    }

    /// The Kronecker sum of square matrices, `self (x) I + I (x) other`.
    #[must_use]
    pub fn kronecker_sum(&self, other: &Self) -> Self {
        let mut sum = self.kronecker(&Self::identity(other.rows));
        sum.add(1.0, &Self::identity(self.rows).kronecker(other));
        sum
    }

    /// The sum of each row.
    #[must_use]
    pub fn row_sums(&self) -> Vec<f64> {
        (0..self.rows).map(|i| self.row(i).iter().sum()).collect()
    }
}

/// `sum a_i b_i`.
#[must_use]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// The matrix `A = diag(leaving_i + sum_j rates_ij) - rates` of a chain that ends, factored without a subtraction
/// (law C-1, after Grassmann, Taksar and Heyman): `A = (I - V) D (I - R)` with `V` strictly upper and `R` strictly lower
/// triangular, both non-negative. Solutions for non-negative right sides keep their relative accuracy component by
/// component, however close to singular the matrix is.
#[derive(Clone, Debug)]
pub struct Absorbing {
    size: usize,
    /// `V` above the diagonal, `R` below, `D` on it.
    factors: Matrix,
}

impl Absorbing {
    /// Factors the matrix of a chain with the given rates between states (the diagonal is ignored) and out of them.
    ///
    /// States from which the chain never ends make entries of `D` zero and solutions infinite.
    #[must_use]
    pub fn new(rates: &Matrix, leaving: &[f64]) -> Self {
        let size = rates.rows;
        let mut f = rates.clone();
        let mut leaving = leaving.to_vec();
        for k in (0..size).rev() {
            let total = leaving[k] + f.row(k)[..k].iter().sum::<f64>();
            leaving[k] /= total;
            f.entries[k * size..k * size + k].iter_mut().for_each(|rate| *rate /= total);
            f[(k, k)] = total;
            for i in 0..k {
                let via = f[(i, k)];
                if via == 0.0 {
                    continue;
                }
                leaving[i] += via * leaving[k];
                let (above, below) = f.entries.split_at_mut(k * size);
                let row = &mut above[i * size..i * size + k];
                // The diagonal is of no account until its turn comes.
                row.iter_mut().zip(&below[..k]).for_each(|(rate, onward)| *rate += via * onward);
                f[(i, k)] = via / total;
            }
        }
        Self { size, factors: f }
    }

    /// The `Y` with `A Y = right`.
    #[must_use]
    pub fn solve(&self, right: &Matrix) -> Matrix {
        if right.columns >= WIDE {
            return Matrix::from_panels(right.columns, &right.panels(|panel| panel.solved(self)));
        }
        let mut y = right.clone();
        let columns = y.columns;
        let add_row = |y: &mut Matrix, into: usize, factor: f64, from: usize| {
            if factor != 0.0 {
                for c in 0..columns {
                    y.entries[into * columns + c] += factor * y.entries[from * columns + c];
                }
            }
        };
        for i in (0..self.size).rev() {
            self.onward(i).rev().for_each(|(k, factor)| add_row(&mut y, i, factor, k));
        }
        for k in 0..self.size {
            let pace = self.factors[(k, k)];
            y.entries[k * columns..(k + 1) * columns].iter_mut().for_each(|entry| *entry /= pace);
            self.back(k).for_each(|(j, factor)| add_row(&mut y, k, factor, j));
        }
        y
    }

    /// Row `i` of `V`.
    fn onward(&self, i: usize) -> impl DoubleEndedIterator<Item = (usize, f64)> {
        (i + 1..self.size).zip(self.factors.row(i)[i + 1..].iter().copied())
    }

    /// Row `k` of `R`.
    fn back(&self, k: usize) -> impl DoubleEndedIterator<Item = (usize, f64)> {
        self.factors.row(k)[..k].iter().copied().enumerate()
    }

    /// The column `y` with `A y = right`.
    #[must_use]
    pub fn solve_column(&self, right: &[f64]) -> Vec<f64> {
        self.solve(&Matrix::column_vector(right)).entries
    }

    /// The row `x` with `x A = left`.
    #[must_use]
    pub fn solve_row(&self, left: &[f64]) -> Vec<f64> {
        let (n, f) = (self.size, &self.factors);
        let mut x = left.to_vec();
        for k in (0..n).rev() {
            for j in 0..k {
                x[j] += x[k] * f[(k, j)];
            }
        }
        for k in 0..n {
            x[k] /= f[(k, k)];
        }
        for k in 0..n {
            for i in 0..k {
                // V_ik was divided by D_k, and x_k by it too.
                x[k] += x[i] * f[(i, k)];
            }
        }
        x
    }
}

/// The stationary law of an irreducible chain with the given rates (the diagonal is ignored), without a subtraction.
#[must_use]
pub fn stationary(rates: &Matrix) -> Vec<f64> {
    let n = rates.rows;
    let mut f = rates.clone();
    for k in (1..n).rev() {
        let total: f64 = f.row(k)[..k].iter().sum();
        for i in 0..k {
            let via = f[(i, k)] / total;
            f[(i, k)] = via;
            if via == 0.0 {
                continue;
            }
            let (above, below) = f.entries.split_at_mut(k * n);
            // The diagonal is of no account.
            let row = above[i * n..i * n + k].iter_mut();
            row.zip(&below[..k]).for_each(|(rate, onward)| *rate += via * onward);
        }
    }
    let mut p = vec![1.0];
    for k in 1..n {
        p.push((0..k).map(|i| p[i] * f[(i, k)]).sum());
    }
    let sum: f64 = p.iter().sum();
    p.iter().map(|mass| mass / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn matrix(size: usize) -> impl Strategy<Value = Matrix> {
        prop::collection::vec(0.0f64..10.0, size * size).prop_map(move |entries| Matrix {
            rows: size,
            columns: size,
            entries,
        })
    }

    /// The matrix itself, for multiplying back.
    fn expanded(rates: &Matrix, leaving: &[f64]) -> Matrix {
        let total = |i: usize| leaving[i] + (0..rates.rows).filter(|&j| j != i).map(|j| rates[(i, j)]).sum::<f64>();
        Matrix::from_fn(rates.rows, rates.rows, |i, j| if i == j { total(i) } else { -rates[(i, j)] })
    }

    proptest! {
        /// C-1: multiplying back gives the right side; 1e-12 covers six states with rates up to 10.
        #[test]
        fn c1_solutions_solve(rates in matrix(6), leaving in prop::collection::vec(0.01f64..5.0, 6), side in prop::collection::vec(0.0f64..1.0, 6)) {
            let a = expanded(&rates, &leaving);
            let factored = Absorbing::new(&rates, &leaving);
            for (back, wanted) in a.before(&factored.solve_column(&side)).iter().zip(&side) {
                prop_assert!((back - wanted).abs() < 1e-11);
            }
            for (back, wanted) in a.after(&factored.solve_row(&side)).iter().zip(&side) {
                prop_assert!((back - wanted).abs() < 1e-11);
            }
        }

        #[test]
        fn c1_stationary_law_is_in_balance(rates in matrix(5)) {
            let p = stationary(&rates);
            prop_assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            let flow = expanded(&rates, &[0.0; 5]).after(&p);
            prop_assert!(flow.iter().all(|f| f.abs() < 1e-12));
        }
    }

    #[test]
    fn kronecker_sum_of_generators_is_that_of_independent_chains() {
        let a = Matrix::from_rows(&[vec![-1.0, 1.0], vec![2.0, -2.0]]).unwrap();
        let b = Matrix::from_rows(&[vec![-3.0, 3.0], vec![5.0, -5.0]]).unwrap();
        let p = stationary(&a.kronecker_sum(&b));
        let (pa, pb) = (stationary(&a), stationary(&b));
        for i in 0..4 {
            assert!((p[i] - pa[i / 2] * pb[i % 2]).abs() < 1e-15);
        }
        assert!(Matrix::from_rows(&[vec![1.0], vec![1.0, 2.0]]).is_none());
    }
}
