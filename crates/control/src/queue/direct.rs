//! Chains by levels, solved by block elimination from the top.

use super::blocks::Blocks;
use crate::matrix::{Absorbing, Matrix, stationary as stationary_of};

/// A chain by levels that falls one level at a time and rises by any number.
pub(super) trait Chain {
    /// The highest level.
    fn top(&self) -> usize;
    /// The most levels it rises at once from `i`.
    fn largest_jump(&self, i: usize) -> usize;
    /// Rates from `i` to `i + l`.
    fn up(&self, i: usize, l: usize) -> Matrix;
    /// Rates within `i`; what stands on the diagonal is of no account.
    fn within(&self, i: usize) -> Matrix;
    /// Rates from `i >= 1` to `i - 1`.
    fn down(&self, i: usize) -> Matrix;
}

impl Chain for Blocks<'_> {
    fn top(&self) -> usize {
        self.top()
    }

    fn largest_jump(&self, i: usize) -> usize {
        self.largest_jump(i)
    }

    fn up(&self, i: usize, l: usize) -> Matrix {
        self.up(i, l)
    }

    fn within(&self, i: usize) -> Matrix {
        self.within(i)
    }

    fn down(&self, i: usize) -> Matrix {
        self.down(i)
    }
}

/// Law C-7: a chain with its levels left out one after another, from the top.
///
/// The algorithm of ADKNS section 3 (from Klimenok et al.) written as censoring: leaving out the levels above `l`, a visit
/// to them from `i <= l` returns to `l` through `G_l`, so `Qbar_{i,l} = Q_{i,l} + Qbar_{i,l+1} G_l`. Only jumps of up to one
/// batch are not zero, so the work is O(K batch block^3). Nothing is ever subtracted: the diagonal of a censored level
/// follows from the rates out of it.
pub(super) struct Elimination {
    /// `into[l]` holds `(i, Qbar_{i,l})` for `i < l`, lowest first.
    into: Vec<Vec<(usize, Matrix)>>,
    /// `-Qbar_{l,l}`, factored, and `G_{l-1}`, for `l = 1, 2, ...`.
    above: Vec<(Absorbing, Matrix)>,
    /// `Qbar_{0,0}`.
    bottom: Matrix,
}

impl Elimination {
    pub(super) fn new(chain: &impl Chain) -> Self {
        let top = chain.top();
        let most = most_levels(chain);
        let mut into: Vec<Vec<(usize, Matrix)>> = (0..=top).map(|l| jumps_into(chain, l, most)).collect();
        let mut above = Vec::new();
        let mut within = chain.within(top);
        for l in (1..=top).rev() {
            let down = chain.down(l);
            let censored = Absorbing::new(&within, &down.row_sums());
            let back = censored.solve(&down);
            within = chain.within(l - 1);
            let (below, here) = into.split_at_mut(l);
            for (i, jump) in &here[0] {
                let round_trip = jump.times(&back);
                if *i == l - 1 {
                    within.add(1.0, &round_trip);
                } else if let Some((_, sum)) = below[l - 1].iter_mut().find(|(from, _)| from == i) {
                    sum.add(1.0, &round_trip);
                } else {
                    below[l - 1].push((*i, round_trip));
                }
            }
            above.push((censored, back));
        }
        above.reverse();
        Self { into, above, bottom: within }
    }

    /// The stationary law by levels.
    pub(super) fn stationary(&self) -> Vec<Vec<f64>> {
        let mut levels = vec![stationary_of(&self.bottom)];
        for (l, (censored, back)) in (1..).zip(&self.above) {
            let mut flow = vec![0.0; back.rows()];
            for (i, jump) in &self.into[l] {
                flow.iter_mut().zip(jump.after(&levels[*i])).for_each(|(sum, rate)| *sum += rate);
            }
            levels.push(censored.solve_row(&flow));
            // With hundreds of places and more pages than can be indexed the masses differ by more than a number can say.
            if levels[l].iter().any(|mass| *mass > 1e200) {
                levels.iter_mut().flatten().for_each(|mass| *mass *= 1e-200);
            }
        }
        let sum: f64 = levels.iter().flatten().sum();
        levels.iter_mut().flatten().for_each(|mass| *mass /= sum);
        levels
    }
}

impl Elimination {
    /// Relative values: the `h` and `g` with `Q h = g e - costs`, `h` zero in the first state, for each column of costs.
    ///
    /// Level by level `h_l = (-Qbar_{l,l})^-1 (cbar_l - g tbar_l) + G_{l-1} h_{l-1}`, where `cbar_l` is what is paid and
    /// `tbar_l` the time that passes until the chain, on its way above `l`, is back.
    pub(super) fn values(&self, costs: &[Matrix]) -> (Vec<Matrix>, Vec<f64>) {
        let columns = costs[0].columns();
        let with_time =
            |m: &Matrix| Matrix::from_fn(m.rows(), columns + 1, |s, c| if c < columns { m[(s, c)] } else { 1.0 });
        let mut paid: Vec<Matrix> = costs.iter().map(with_time).collect();
        for l in (1..costs.len()).rev() {
            let (censored, _) = &self.above[l - 1];
            let here = censored.solve(&paid[l]);
            self.into[l].iter().for_each(|(i, jump)| paid[*i].add(1.0, &jump.times(&here)));
            paid[l] = here;
        }
        let per_visit = paid[0].after(&stationary_of(&self.bottom));
        let g: Vec<f64> = per_visit[..columns].iter().map(|cost| cost / per_visit[columns]).collect();
        let net = |m: &Matrix| Matrix::from_fn(m.rows(), columns, |s, c| m[(s, c)] - g[c] * m[(s, columns)]);
        let mut values = vec![self.values_at_bottom(&net(&paid[0]))];
        for (l, (_, back)) in (1..).zip(&self.above) {
            let mut here = net(&paid[l]);
            here.add(1.0, &back.times(&values[l - 1]));
            values.push(here);
        }
        (values, g)
    }

    /// The `h` with `Qbar_{0,0} h = -net`, zero in the first state.
    fn values_at_bottom(&self, net: &Matrix) -> Matrix {
        let others = net.rows() - 1;
        let rates = Matrix::from_fn(others, others, |i, j| self.bottom[(i + 1, j + 1)]);
        let leaving: Vec<f64> = (1..=others).map(|i| self.bottom[(i, 0)]).collect();
        let right = Matrix::from_fn(others, net.columns(), |i, c| net[(i + 1, c)]);
        let solved = Absorbing::new(&rates, &leaving).solve(&right);
        Matrix::from_fn(net.rows(), net.columns(), |i, c| if i == 0 { 0.0 } else { solved[(i - 1, c)] })
    }
}

/// Law C-7: the stationary law by levels, and its residual.
pub(super) fn stationary(blocks: &Blocks<'_>) -> (Vec<Vec<f64>>, f64) {
    let levels = Elimination::new(blocks).stationary();
    let residual = residual(blocks, &levels);
    (levels, residual)
}

/// The most levels the chain rises at once, from wherever.
fn most_levels(chain: &impl Chain) -> usize {
    (0..=chain.top()).map(|i| chain.largest_jump(i)).max().unwrap_or(0)
}

/// `Q_{i,l}` for all `i < l` from which a batch of at most `most` pages reaches `l`.
fn jumps_into(chain: &impl Chain, l: usize, most: usize) -> Vec<(usize, Matrix)> {
    (l.saturating_sub(most)..l).filter(|&i| i + chain.largest_jump(i) >= l).map(|i| (i, chain.up(i, l - i))).collect()
}

/// The largest difference between flow into and out of a state, relative to the flow through its level.
fn residual(blocks: &Blocks<'_>, levels: &[Vec<f64>]) -> f64 {
    let mut worst = 0.0f64;
    let most = most_levels(blocks);
    for (l, p) in levels.iter().enumerate() {
        let mut within = blocks.within(l);
        let mut out = vec![0.0; p.len()];
        let mut add = |rates: Vec<f64>| out.iter_mut().zip(rates).for_each(|(sum, rate)| *sum += rate);
        if l > 0 {
            add(blocks.down(l).row_sums());
        }
        for jump in 1..=blocks.largest_jump(l) {
            add(blocks.up(l, jump).row_sums());
        }
        for s in 0..p.len() {
            within[(s, s)] = 0.0;
        }
        add(within.row_sums());
        let mut flow = within.after(p);
        for (i, jump) in jumps_into(blocks, l, most) {
            flow.iter_mut().zip(jump.after(&levels[i])).for_each(|(sum, rate)| *sum += rate);
        }
        if l + 1 < levels.len() {
            let down = blocks.down(l + 1).after(&levels[l + 1]);
            flow.iter_mut().zip(down).for_each(|(sum, rate)| *sum += rate);
        }
        let through: f64 = flow.iter().sum();
        let gap = flow.iter().zip(p).zip(&out).map(|((f, p), out)| (f - p * out).abs()).fold(0.0, f64::max);
        // Numbers near the smallest there are have lost their digits, and nothing depends on them.
        if through > 1e-290 {
            worst = worst.max(gap / through);
        }
    }
    worst
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::queue::by_size::tests::system;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        /// C-7: `Q h = g e - c`, checked state by state, and `g` is the stationary mean.
        #[test]
        fn c7_values_balance((model, policy) in system(2, true, 3), seed in prop::collection::vec(-1.0f64..1.0, 64)) {
            let blocks = Blocks::new(&model, &policy);
            let elimination = Elimination::new(&blocks);
            let levels = elimination.stationary();
            let cost = |i: usize, s: usize, c: usize| seed[(7 * i + 3 * s + 11 * c) % 64];
            let costs: Vec<Matrix> =
                levels.iter().enumerate().map(|(i, p)| Matrix::from_fn(p.len(), 2, |s, c| cost(i, s, c))).collect();
            let (h, g) = elimination.values(&costs);
            for column in 0..2 {
                let mean: f64 = (0..levels.len()).map(|i| (0..levels[i].len()).map(|s| levels[i][s] * cost(i, s, column)).sum::<f64>()).sum();
                prop_assert!((g[column] - mean).abs() < 1e-11);
                for i in 0..levels.len() {
                    for s in 0..levels[i].len() {
                        let gain = |block: Matrix, to: usize| (0..block.columns()).filter(|&t| to != i || t != s)
                            .map(|t| block[(s, t)] * (h[to][(t, column)] - h[i][(s, column)])).sum::<f64>();
                        let down = if i > 0 { gain(blocks.down(i), i - 1) } else { 0.0 };
                        let up: f64 = (1..=blocks.largest_jump(i)).map(|l| gain(blocks.up(i, l), i + l)).sum();
                        let left = cost(i, s, column) - g[column] + down + up + gain(blocks.within(i), i);
                        prop_assert!(left.abs() < 1e-9, "{left}");
                    }
                }
            }
        }
    }
}
