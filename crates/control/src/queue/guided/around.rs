//! What surrounds a level while it is looked at.

use super::{COLUMNS, Guided, Prices};
use crate::queue::oldest::add;

/// Level `i`: what does not depend on the mode, and what arrivals lead to.
pub(super) struct Around {
    pub(super) i: usize,
    /// `c - g + Q_{i,i-1} h` by row, state and column, for what is paid in all modes.
    pub(super) common: Vec<f64>,
    /// By jump: values of the level reached, averaged over the phases of the pages that come, by row and state.
    pub(super) above: Vec<Vec<f64>>,
    /// What is paid besides, by mode and state.
    pub(super) paid: Vec<Vec<f64>>,
}

impl Around {
    pub(super) fn new(guided: &Guided<'_>, i: usize, prices: Prices) -> Self {
        let space = guided.space;
        let mut common = space.filled(i, COLUMNS, |row, s, column| paid(guided, prices, (i, row, s), column));
        common.chunks_exact_mut(COLUMNS).for_each(|common| add(common, -1.0, &guided.g));
        if i > 0 {
            space.add_departures(i, &mut common, &guided.h[i - 1]);
        }
        let jumps = guided.allowed[i].iter().map(|mode| guided.frames[*mode].up[i].len()).max().unwrap_or(0);
        let above = (1..=jumps).map(|l| expected(guided, i, l)).collect();
        let modes = 0..guided.frames.len();
        Self { i, common, above, paid: modes.map(|mode| paid_in(guided, i, mode)).collect() }
    }
}

/// Values of level `i + l`, averaged over the phases of `l` fresh pages.
fn expected(guided: &Guided<'_>, i: usize, l: usize) -> Vec<f64> {
    let mut values = guided.h[i + l].clone();
    for level in (i.max(1)..i + l).rev() {
        values = guided.space.fresh_page_expected(level, &values);
    }
    values
}

/// What is paid in a state of level `i` whatever the mode, by column.
fn paid(guided: &Guided<'_>, Prices { y, t }: Prices, (i, row, s): (usize, usize, usize), column: usize) -> f64 {
    let costs = guided.model.costs();
    if i == 0 {
        return if column == 0 { costs.starvation } else { 0.0 };
    }
    let m = s % guided.model.service().order();
    // Prospects are found without a subtraction: this is far more than rounding can have changed them by.
    let pages = guided.prospects.indexed(i, row, m)[0] * (1.0 - 1e-11);
    let served = guided.model.service().exits()[m];
    match column {
        0 => costs.obsolete * guided.space.exit(i, row) + y * (pages - t * served),
        1 => pages,
        _ => served,
    }
}

/// What is paid for lost pages and active robots, by state.
fn paid_in(guided: &Guided<'_>, i: usize, mode: usize) -> Vec<f64> {
    let (costs, arrivals) = (guided.model.costs(), guided.model.arrivals());
    let robots = f64::from(arrivals[arrivals.len() - 1 - mode].0);
    let (_, lost) = &guided.frames[mode].arriving_and_lost[i];
    let states = guided.frames[mode].states(i);
    (0..states).map(|s| costs.loss * lost[s * lost.len() / states] + costs.robot * robots).collect()
}
