//! Independent random accesses.

use rand::{Rng, RngExt};

use super::{SequenceError, normalised};
use crate::policy::PageId;

/// Every access goes to page `i` with probability `f_i`, whatever went before (CLW section 4; law F-9 gives the cost).
///
/// Walker's alias method with Vose's tables: column `k` holds page `k` up to a threshold and one other page above it, so
/// a draw is one column and one comparison.
#[derive(Clone, Debug)]
pub struct Randomised<R> {
    columns: Vec<Column>,
    rng: R,
}

#[derive(Clone, Copy, Debug)]
struct Column {
    threshold: f64,
    below: u32,
    above: u32,
}

impl<R: Rng> Randomised<R> {
    /// With the given frequencies and source of random numbers.
    ///
    /// # Errors
    /// If a frequency is not from 0 to 1 or they do not sum to one.
    pub fn new(frequencies: &[f64], rng: R) -> Result<Self, SequenceError> {
        Ok(Self { columns: alias_table(&normalised(frequencies)?), rng })
    }
}

/// Columns of equal height: each starts with one page's `n f` and, if that is below one, is filled from a page above one.
fn alias_table(pages: &[(u32, f64)]) -> Vec<Column> {
    let n = pages.len() as f64;
    let start = |&(page, f): &(u32, f64)| Column { threshold: n * f, below: page, above: page };
    let mut columns: Vec<Column> = pages.iter().map(start).collect();
    let (mut small, mut large): (Vec<usize>, Vec<usize>) =
        (0..columns.len()).partition(|&k| columns[k].threshold < 1.0);
    while let (Some(&giver), Some(taker)) = (large.last(), small.pop()) {
        columns[taker].above = columns[giver].below;
        columns[giver].threshold -= 1.0 - columns[taker].threshold;
        if columns[giver].threshold < 1.0 {
            large.pop();
            small.push(giver);
        }
    }
    // What is left is full but for rounding, and has no other page to give way to.
    columns
}

impl<R: Rng> Iterator for Randomised<R> {
    type Item = PageId;

    fn next(&mut self) -> Option<PageId> {
        let column = self.columns[self.rng.random_range(0..self.columns.len())];
        let below = self.rng.random::<f64>() < column.threshold;
        Some(PageId(if below { column.below } else { column.above }))
    }
}
