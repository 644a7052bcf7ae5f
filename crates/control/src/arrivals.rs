//! Batch Markovian arrival processes, and what "r robots active" may mean.

mod alike;

use rand::{Rng, RngExt};
use thiserror::Error;

use crate::matrix::{Absorbing, Matrix, dot, stationary};
use crate::number::{count, plain};
use crate::phase_type::{choose, closure};
pub(crate) use alike::merged;

/// A batch Markovian arrival process: a chain whose moves bring `k` pages at the rates of `D_k`, `k = 0, 1, ...`.
#[derive(Clone, Debug, PartialEq)]
pub struct Bmap {
    d: Vec<Matrix>,
}

/// What is wrong with an arrival process.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum BmapError {
    /// At least `D_0` and `D_1` are needed.
    #[error(
        "an arrival process needs D_0 and at least one of D_1, D_2, ...; {} given",
        count(*got, "matrix was", "matrices were")
    )]
    TooFew {
        /// Number of matrices.
        got: usize,
    },
    /// The matrices are not all square and of one size.
    #[error("D_{k} is {rows} x {columns}, but D_0 has {size} rows; all must be square and of one size")]
    Size {
        /// Which matrix.
        k: usize,
        /// Its rows.
        rows: usize,
        /// Its columns.
        columns: usize,
        /// Rows of `D_0`.
        size: usize,
    },
    /// An entry is impossible.
    #[error("D_{k}, row {row}, column {column}: {} {problem}", plain(.value))]
    Entry {
        /// Which matrix.
        k: usize,
        /// Row, from 1.
        row: usize,
        /// Column, from 1.
        column: usize,
        /// The entry.
        value: f64,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The rows of the sum do not vanish.
    #[error(
        "row {row} of D_0 + D_1 + ... sums to {sum}, not to 0; {} the diagonal entry of D_0 by {}",
        if *sum > 0.0 { "lower" } else { "raise" },
        sum.abs()
    )]
    RowSum {
        /// Row, from 1.
        row: usize,
        /// Its sum.
        sum: f64,
        /// The sum relative to the rate of leaving the phase.
        relative: f64,
    },
    /// Some phases cannot be reached from others.
    #[error("phase {to} cannot be reached from phase {from}: the process must be irreducible")]
    Reducible {
        /// Phase, from 1.
        from: usize,
        /// Phase, from 1.
        to: usize,
    },
    /// Nothing ever arrives.
    #[error("no page ever arrives: D_1, D_2, ... are all zero")]
    NoArrivals,
}

/// How far row sums may be from zero, relative to the rate of leaving the phase, to pass as rounding.
const ROUNDING: f64 = 1e-9;

/// Row sums this near to zero, relatively, are those of a process that was already put right: nothing is changed, so that a
/// process that is written and read again stays the same to the last bit.
const NOTHING: f64 = 1e-14;

impl Bmap {
    /// From `D_0, D_1, ...`.
    ///
    /// # Errors
    /// Says which matrix, row and column is wrong, and how. Row sums off by rounding are repaired in the diagonal of `D_0`.
    pub fn new(d: Vec<Matrix>) -> Result<Self, BmapError> {
        Self::repaired(d, ROUNDING).map(|(bmap, _)| bmap)
    }

    /// The same, repairing row sums that are off by up to `tolerance` relative to the rate of leaving the phase; also says
    /// how far off the worst was.
    ///
    /// # Errors
    /// As for [`Bmap::new`].
    pub fn repaired(mut d: Vec<Matrix>, tolerance: f64) -> Result<(Self, f64), BmapError> {
        check_entries(&d)?;
        let w = d[0].rows();
        let mut worst = 0.0f64;
        for row in 0..w {
            let own = d[0][(row, row)];
            let others: f64 = d.iter().map(|m| m.row(row).iter().filter(|rate| **rate > 0.0).sum::<f64>()).sum();
            let sum = others + own;
            let relative = sum / others.max(-own);
            if relative.abs() > tolerance {
                return Err(BmapError::RowSum { row: row + 1, sum, relative });
            }
            worst = worst.max(relative.abs());
            if relative.abs() > NOTHING {
                d[0][(row, row)] = -others;
            }
        }
        let bmap = Self { d };
        bmap.check_irreducible()?;
        if bmap.d[1..].iter().all(|m| m.entries().iter().all(|rate| *rate == 0.0)) {
            return Err(BmapError::NoArrivals);
        }
        Ok((bmap, worst))
    }

    /// A Poisson process.
    ///
    /// # Errors
    /// If `rate` is not positive and finite.
    pub fn poisson(rate: f64) -> Result<Self, BmapError> {
        Self::new(vec![Matrix::from_fn(1, 1, |_, _| -rate), Matrix::from_fn(1, 1, |_, _| rate)])
    }

    /// A process of single arrivals made a batch process: batches of `k` with probability `sizes[k - 1]`.
    #[must_use]
    pub fn with_batches(&self, sizes: &[f64]) -> Self {
        let mut all = Matrix::zeros(self.phases(), self.phases());
        self.d[1..].iter().for_each(|m| all.add(1.0, m));
        let batches = sizes.iter().map(|p| all.scaled(*p));
        Self { d: std::iter::once(self.d[0].clone()).chain(batches).collect() }
    }

    fn check_irreducible(&self) -> Result<(), BmapError> {
        let (generator, w) = (self.generator(), self.phases());
        let reached = |from: usize, moves: &dyn Fn(usize, usize) -> bool| closure(w, |i| i == from, moves);
        let ahead = |i: usize, j: usize| i != j && generator[(i, j)] > 0.0;
        // All phases are reached from the first, and the first from all.
        if let Some(to) = reached(0, &ahead).iter().position(|reached| !reached) {
            return Err(BmapError::Reducible { from: 1, to: to + 1 });
        }
        match reached(0, &|i, j| ahead(j, i)).iter().position(|reaches| !reaches) {
            Some(from) => Err(BmapError::Reducible { from: from + 1, to: 1 }),
            None => Ok(()),
        }
    }

    /// `D_0, D_1, ...`.
    #[must_use]
    pub fn matrices(&self) -> &[Matrix] {
        &self.d
    }

    /// Number of phases.
    #[must_use]
    pub fn phases(&self) -> usize {
        self.d[0].rows()
    }

    /// The largest batch.
    #[must_use]
    pub fn largest_batch(&self) -> usize {
        self.d.len() - 1
    }

    /// `D(1) = D_0 + D_1 + ...`.
    #[must_use]
    pub fn generator(&self) -> Matrix {
        let mut sum = self.d[0].clone();
        self.d[1..].iter().for_each(|m| sum.add(1.0, m));
        sum
    }

    /// `theta`, the stationary law of the phases.
    #[must_use]
    pub fn phase_law(&self) -> Vec<f64> {
        stationary(&self.generator())
    }

    /// Law C-4: the fundamental rate `lambda = theta sum k D_k e`, pages per unit of time.
    #[must_use]
    pub fn rate(&self) -> f64 {
        let theta = self.phase_law();
        (1..).zip(&self.d[1..]).map(|(k, m)| f64::from(k) * dot(&theta, &m.row_sums())).sum()
    }

    /// The rate at which anything happens, a batch or a change of phase: `theta` times minus the diagonal of `D_0`.
    #[must_use]
    pub fn pace(&self) -> f64 {
        self.phase_law().iter().enumerate().map(|(i, p)| -self.d[0][(i, i)] * p).sum()
    }

    /// Law C-4: the rate of batches `lambda_g = theta (-D_0) e`.
    #[must_use]
    pub fn batch_rate(&self) -> f64 {
        dot(&self.phase_law(), &self.batch_rates())
    }

    /// The rate at which batches come in each phase.
    pub(crate) fn batch_rates(&self) -> Vec<f64> {
        let mut rates = vec![0.0; self.phases()];
        for m in &self.d[1..] {
            rates.iter_mut().zip(m.row_sums()).for_each(|(sum, rate)| *sum += rate);
        }
        rates
    }

    /// `-D_0`, factored.
    fn between(&self) -> Absorbing {
        Absorbing::new(&self.d[0], &self.batch_rates())
    }

    /// Law C-4: the variance of the time between batches, `2 theta (-D_0)^-1 e / lambda_g - 1/lambda_g^2`.
    #[must_use]
    pub fn variance(&self) -> f64 {
        let rate = self.batch_rate();
        2.0 * dot(&self.phase_law(), &self.times_to_batch()) / rate - 1.0 / (rate * rate)
    }

    /// The `k`-th moment of the time between batches.
    #[must_use]
    pub fn interval_moment(&self, k: u32) -> f64 {
        let between = self.between();
        let mut vector = vec![1.0; self.phases()];
        for factor in 1..=k {
            vector = between.solve_column(&vector).iter().map(|v| f64::from(factor) * v).collect();
        }
        dot(&self.phases_after_batch(), &vector)
    }

    /// The mean time until the next batch from each phase, `(-D_0)^-1 e`.
    pub(crate) fn times_to_batch(&self) -> Vec<f64> {
        self.between().solve_column(&vec![1.0; self.phases()])
    }

    /// The law of the phase just after a batch, `theta (D(1) - D_0)/lambda_g`.
    pub(crate) fn phases_after_batch(&self) -> Vec<f64> {
        let (theta, rate) = (self.phase_law(), self.batch_rate());
        let mut after = vec![0.0; self.phases()];
        for m in &self.d[1..] {
            after.iter_mut().zip(m.after(&theta)).for_each(|(sum, mass)| *sum += mass / rate);
        }
        after
    }

    /// Law C-4: the correlation of two times between batches that are `lag` apart. With `P = (-D_0)^-1 (D(1) - D_0)` it is
    /// `(lambda_g theta P^lag (-D_0)^-1 e - 1)/(lambda_g^2 v)`; lag one is the formula of ADKNS section 2.
    #[must_use]
    pub fn correlation(&self, lag: u32) -> f64 {
        let (theta, rate, between) = (self.phase_law(), self.batch_rate(), self.between());
        let mut vector = self.times_to_batch();
        for _ in 0..lag {
            let arrivals = self.d[1..].iter().map(|m| m.before(&vector));
            let sum = arrivals.reduce(|a, b| a.iter().zip(b).map(|(x, y)| x + y).collect()).unwrap_or_default();
            vector = between.solve_column(&sum);
        }
        (rate * dot(&theta, &vector) - 1.0) / (rate * rate * self.variance())
    }

    /// Everything `factor` times as fast.
    #[must_use]
    pub fn sped_up(&self, factor: f64) -> Self {
        Self { d: self.d.iter().map(|m| m.scaled(factor)).collect() }
    }

    /// Law C-5: two independent processes at once, by Kronecker sums.
    #[must_use]
    pub fn superposed(&self, other: &Self) -> Self {
        let (w, v) = (self.phases(), other.phases());
        let d = (0..self.d.len().max(other.d.len())).map(|k| {
            let mine = self.d.get(k).map(|m| m.kronecker(&Matrix::identity(v)));
            let theirs = other.d.get(k).map(|m| Matrix::identity(w).kronecker(m));
            let mut sum = Matrix::zeros(w * v, w * v);
            mine.iter().chain(&theirs).for_each(|m| sum.add(1.0, m));
            sum
        });
        Self { d: d.collect() }
    }

    /// The same phases, every batch kept with probability `kept`, else dropped unseen.
    #[must_use]
    pub fn thinned(&self, kept: f64) -> Self {
        let mut silent = self.d[0].scaled(kept);
        silent.add(1.0 - kept, &self.generator());
        let batches = self.d[1..].iter().map(|m| m.scaled(kept));
        Self { d: std::iter::once(silent).chain(batches).collect() }
    }

    /// The same phases, nothing delivered.
    fn silenced(&self) -> Self {
        Self { d: vec![self.generator()] }
    }

    /// From a phase: how long until the next event, how many pages it brings (zero if none), and the phase after it.
    pub fn step<R: Rng + ?Sized>(&self, phase: usize, rng: &mut R) -> (f64, usize, usize) {
        let pace = -self.d[0][(phase, phase)];
        let wait: f64 = rng.sample(rand_distr::Exp1);
        let mut mark = rng.random::<f64>() * pace;
        for (k, m) in self.d.iter().enumerate() {
            let row: Vec<f64> = m.row(phase).iter().map(|rate| rate.max(0.0)).collect();
            let sum: f64 = row.iter().sum();
            if mark < sum {
                return (wait / pace, k, choose(&row, mark));
            }
            mark -= sum;
        }
        (wait / pace, 0, phase)
    }
}

/// The arrival process for 1, 2, ..., N active robots, in each of the four readings of ADKNS section 2 (law C-5).
pub mod readings {
    use super::{Bmap, BmapError, Matrix};

    /// Reading 1: robots are independent; robot `l` delivers as `robots[l - 1]`, the first `r` are active.
    ///
    /// The phases of robots that are not active keep moving: a Kronecker *sum* over them too, where ADKNS print a product.
    #[must_use]
    pub fn independent(robots: &[Bmap]) -> Vec<Bmap> {
        // The silent ones after each robot, last first.
        let mut silent: Vec<Option<Bmap>> = vec![None];
        for robot in robots.iter().skip(1).rev() {
            let after = silent.last().cloned().flatten();
            silent.push(Some(after.map_or_else(|| robot.silenced(), |after| robot.silenced().superposed(&after))));
        }
        let mut all: Vec<Bmap> = Vec::with_capacity(robots.len());
        let mut active: Option<Bmap> = None;
        for (robot, silent) in robots.iter().zip(silent.iter().rev()) {
            let now = active.take().map_or_else(|| robot.clone(), |before| before.superposed(robot));
            all.push(silent.as_ref().map_or_else(|| now.clone(), |silent| now.superposed(silent)));
            active = Some(now);
        }
        all
    }

    /// Reading 2: one process of all robots together, of which a batch is kept with probability `kept[r - 1]`.
    #[must_use]
    pub fn thinned(all: &Bmap, kept: &[f64]) -> Vec<Bmap> {
        kept.iter().map(|q| all.thinned(*q)).collect()
    }

    /// Reading 3: one chain that marks each batch with the robot that brings it; `by_robot[l - 1]` is `D_1, D_2, ...` of
    /// robot `l`, `silent` is `D_0`.
    ///
    /// # Errors
    /// If the matrices with all robots active are not an arrival process.
    pub fn marked(silent: &Matrix, by_robot: &[Vec<Matrix>]) -> Result<Vec<Bmap>, BmapError> {
        let largest = by_robot.iter().map(Vec::len).max().unwrap_or(0);
        let sum = |matrices: &mut dyn Iterator<Item = &Matrix>| {
            let mut sum = Matrix::zeros(silent.rows(), silent.columns());
            matrices.for_each(|m| sum.add(1.0, m));
            sum
        };
        let with_active = |active: usize| {
            let mut d0 = silent.clone();
            d0.add(1.0, &sum(&mut by_robot[active..].iter().flatten()));
            let batches = (0..largest).map(|k| sum(&mut by_robot[..active].iter().filter_map(|robot| robot.get(k))));
            Bmap::new(std::iter::once(d0).chain(batches).collect())
        };
        (1..=by_robot.len()).map(with_active).collect()
    }
}

fn check_entries(d: &[Matrix]) -> Result<(), BmapError> {
    if d.len() < 2 || d[0].rows() == 0 {
        return Err(BmapError::TooFew { got: d.len() });
    }
    let size = d[0].rows();
    for (k, m) in d.iter().enumerate() {
        if (m.rows(), m.columns()) != (size, size) {
            return Err(BmapError::Size { k, rows: m.rows(), columns: m.columns(), size });
        }
        for row in 0..size {
            for column in 0..size {
                let value = m[(row, column)];
                let diagonal = k == 0 && row == column;
                let problem = match value {
                    v if !v.is_finite() => "is not a finite number",
                    v if diagonal && v >= 0.0 => "must be negative: it is minus the rate of leaving the phase",
                    v if !diagonal && v < 0.0 => "must not be negative",
                    _ => continue,
                };
                return Err(BmapError::Entry { k, row: row + 1, column: column + 1, value, problem });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
