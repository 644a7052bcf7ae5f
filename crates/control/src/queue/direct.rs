//! The stationary law by block elimination, level by level from the top.

use super::blocks::Blocks;
use crate::matrix::{Absorbing, Matrix, stationary as stationary_of};

/// Law C-7: the stationary law by levels, and its residual.
///
/// The algorithm of ADKNS section 3 (from Klimenok et al.) written as censoring: leaving out the levels above `l`, a visit
/// to them from `i <= l` returns to `l` through `G_l`, so `Qbar_{i,l} = Q_{i,l} + Qbar_{i,l+1} G_l`. Only jumps of up to one
/// batch are not zero, so the work is O(K batch block^3). Nothing is ever subtracted: the diagonal of a censored level
/// follows from the rates out of it.
pub(super) fn stationary(blocks: &Blocks<'_>) -> (Vec<Vec<f64>>, f64) {
    let top = blocks.top();
    // into[l] holds (i, Qbar_{i,l}) for i < l, lowest first.
    let mut into: Vec<Vec<(usize, Matrix)>> = (0..=top).map(|l| jumps_into(blocks, l)).collect();
    let mut leaving: Vec<Option<Absorbing>> = (0..=top).map(|_| None).collect();
    let mut within = blocks.within(top);
    for l in (1..=top).rev() {
        let down = blocks.down(l);
        let censored = Absorbing::new(&within, &down.row_sums());
        let back = censored.solve(&down);
        within = blocks.within(l - 1);
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
        leaving[l] = Some(censored);
    }
    let mut levels = vec![stationary_of(&within)];
    for l in 1..=top {
        let mut flow = vec![0.0; blocks.down(l).rows()];
        for (i, jump) in &into[l] {
            flow.iter_mut().zip(jump.after(&levels[*i])).for_each(|(sum, rate)| *sum += rate);
        }
        levels.push(leaving[l].as_ref().map_or(flow.clone(), |censored| censored.solve_row(&flow)));
        // With hundreds of places and more pages than can be indexed the masses differ by more than a number can say.
        if levels[l].iter().any(|mass| *mass > 1e200) {
            levels.iter_mut().flatten().for_each(|mass| *mass *= 1e-200);
        }
    }
    let sum: f64 = levels.iter().flatten().sum();
    levels.iter_mut().flatten().for_each(|mass| *mass /= sum);
    let residual = residual(blocks, &levels);
    (levels, residual)
}

/// `Q_{i,l}` for all `i < l` from which a batch reaches `l`.
fn jumps_into(blocks: &Blocks<'_>, l: usize) -> Vec<(usize, Matrix)> {
    (0..l).filter(|&i| i + blocks.largest_jump(i) >= l).map(|i| (i, blocks.up(i, l - i))).collect()
}

/// The largest difference between flow into and out of a state, relative to the flow through its level.
fn residual(blocks: &Blocks<'_>, levels: &[Vec<f64>]) -> f64 {
    let mut worst = 0.0f64;
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
        for (i, jump) in jumps_into(blocks, l) {
            flow.iter_mut().zip(jump.after(&levels[i])).for_each(|(sum, rate)| *sum += rate);
        }
        if l + 1 < levels.len() {
            let down = blocks.down(l + 1).after(&levels[l + 1]);
            flow.iter_mut().zip(down).for_each(|(sum, rate)| *sum += rate);
        }
        let through: f64 = flow.iter().sum();
        let gap = flow.iter().zip(p).zip(&out).map(|((f, p), out)| (f - p * out).abs()).fold(0.0, f64::max);
        if through > 0.0 {
            worst = worst.max(gap / through);
        }
    }
    worst
}
