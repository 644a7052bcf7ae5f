//! Law C-22, two arrival phases: the belief as a chain on points.
//!
//! The belief about two phases is one number `p`, the probability of the first. While nothing is delivered it drifts by
//! `p' = (pi D_0)_1 - p pi D_0 e`, `pi = (p, 1-p)`; at a batch of `k` pages, which comes at rate `pi D_k e`, it jumps to
//! `(pi D_k)_1/(pi D_k e)`. On points `0, h, 2h, ..., 1` the drift becomes moves to the next point at rate `|p'|/h`, and a jump
//! between two points goes to either with the probability that keeps its mean. That is a batch Markovian process again, with
//! the points as its phases, and one that can be seen: the system with it in place of the arrivals is a model like any other.

use crate::arrivals::{Bmap, BmapError};
use crate::matrix::Matrix;

/// Moves to neighbours that are always possible, relative to the largest rate: the chain stays irreducible.
const LEAST_MOVE: f64 = 1e-9;

/// Where `p` lies among `points` evenly spaced points of `[0, 1]`: the point below, and the share of the one above it that keeps
/// the mean.
pub(super) fn place(p: f64, points: usize) -> (usize, f64) {
    let last = points - 1;
    let place = p.clamp(0.0, 1.0) * last as f64;
    let below = (place as usize).min(last - 1);
    (below, place - below as f64)
}

/// The process of the belief about the phase of `bmap`, which has two.
pub(super) fn belief_process(bmap: &Bmap, points: usize) -> Result<Bmap, BmapError> {
    let (silent, batches) = (&bmap.matrices()[0], &bmap.matrices()[1..]);
    let steps = (points - 1) as f64;
    let pace = f64::max(-silent[(0, 0)], -silent[(1, 1)]);
    let mut d = vec![Matrix::zeros(points, points); bmap.matrices().len()];
    for at in 0..points {
        let p = at as f64 / steps;
        let pi = [p, 1.0 - p];
        let onward = silent.after(&pi);
        let drift = onward[0] - p * (onward[0] + onward[1]);
        for (next, rate) in [(at.wrapping_sub(1), -drift), (at + 1, drift)] {
            if next < points {
                d[0][(at, next)] = f64::max(rate * steps, LEAST_MOVE * pace);
            }
        }
        for (k, batch) in (1..).zip(batches) {
            let onward = batch.after(&pi);
            let rate = onward[0] + onward[1];
            if rate > 0.0 {
                let (below, share) = place(onward[0] / rate, points);
                d[k][(at, below)] = rate * (1.0 - share);
                d[k][(at, below + 1)] = rate * share;
            }
        }
        let leaving: f64 = d.iter().map(|m| m.row(at).iter().sum::<f64>()).sum();
        d[0][(at, at)] = -leaving;
    }
    Bmap::new(d)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::examples;

    /// The mean of the belief is the law of the phases, so pages and batches come as often as before. Only the moves that keep
    /// the chain irreducible, 1e-9 of all, disturb that.
    #[test]
    fn c22_belief_has_the_rates_of_the_arrivals() {
        for (robots, bmap) in examples::paper(5).arrivals().iter().chain(examples::measured_crawler().arrivals()) {
            for points in [2, 7, 51] {
                let seen = belief_process(bmap, points).unwrap();
                assert!((seen.rate() / bmap.rate() - 1.0).abs() < 1e-6, "{robots} {points}: {}", seen.rate());
                assert!((seen.batch_rate() / bmap.batch_rate() - 1.0).abs() < 1e-6, "{robots} {points}");
            }
        }
    }

    #[test]
    fn places_keep_the_mean() {
        for p in [0.0, 0.3, 0.5, 0.999, 1.0] {
            let (below, share) = place(p, 11);
            assert!(((below as f64 + share) / 10.0 - p).abs() < 1e-15 && below < 10 && (0.0..=1.0).contains(&share));
        }
    }
}
