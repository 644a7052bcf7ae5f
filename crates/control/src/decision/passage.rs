//! What is counted between visits to neighbouring levels: long-run averages without the stationary law.
//!
//! The levels above `l` matter only through what happens from `l + 1` until `l` is entered again, and those below only through
//! what happens until it is left upwards. Both are small tables that depend only on the modes used on their side, so a change
//! of policy in one place is evaluated in O(batch) operations on blocks (law C-17).

use std::borrow::Cow;

use super::averages::Averages;
use super::process::{Choices, Process, Row};
use crate::matrix::{Absorbing, Matrix, stationary};

/// Chances of where a passage ends, and beside them what is counted on the way, in units of `LIFT^lift`: a passage against the
/// drift through hundreds of levels takes longer than a number can say.
#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) entries: Matrix,
    pub(crate) lift: i32,
}

const LIFT: f64 = 1e100;

/// `[G_l | C_l]`: for every state with `l` pages the chances of where `l - 1` pages are first left, and what is counted until.
pub(crate) type Descent = Table;

/// `[X_1 | X_2 | ... | C]`: for every state with `l` pages, where there are first `l + 1, l + 2, ...`, and what is counted until.
pub(crate) type Ascent = Table;

impl Table {
    /// Counts alone.
    pub(crate) fn of(entries: Matrix) -> Self {
        Self { entries, lift: 0 }
    }

    pub(crate) fn empty() -> Self {
        Self::of(Matrix::zeros(0, 0))
    }

    /// Adds the last columns of a product with a table.
    fn add_counts(&mut self, product: &Matrix, lift: i32) {
        if lift > self.lift {
            self.entries = self.entries.scaled(LIFT.powi(self.lift - lift));
            self.lift = lift;
        }
        let factor = if lift == self.lift { 1.0 } else { LIFT.powi(lift - self.lift) };
        self.entries.add_columns(factor, product, product.columns() - self.entries.columns());
    }

    /// The table of a passage whose last `columns` columns are counts in units of `LIFT^lift`.
    fn passage(mut entries: Matrix, columns: usize, lift: i32) -> Self {
        let places = || (0..entries.rows()).map(|i| entries.row(i));
        let first = entries.columns() - columns;
        if places().flat_map(|row| &row[first..]).all(|count| count.abs() < LIFT) {
            return Self { entries, lift };
        }
        for i in 0..entries.rows() {
            for j in first..entries.columns() {
                entries[(i, j)] /= LIFT;
            }
        }
        Self { entries, lift: lift + 1 }
    }
}

/// The level alone, with everything above it left out: rates within it and counts between visits.
///
/// `above[j]` is the descent from `j + 1` levels higher. With `A_j = Q_{l,l+j} + A_{j+1} G_{l+j+1}` a visit above begun by a
/// jump to `l + j` or higher passes `l + j`; nothing is subtracted.
pub(crate) fn without_above(row: &Row<'_>, mut counts: Table, above: &[Descent]) -> (Matrix, Table) {
    let mut through: Option<Matrix> = None;
    for (up, descent) in row.ups.iter().zip(above).rev() {
        let jump = match &through {
            None => Cow::Borrowed(up),
            Some(higher) => {
                let mut sum = up.clone();
                sum.add_columns(1.0, higher, 0);
                Cow::Owned(sum)
            }
        };
        let product = jump.times(&descent.entries);
        counts.add_counts(&product, descent.lift);
        through = Some(product);
    }
    let mut within = row.within.clone().into_owned();
    if let Some(back) = through {
        within.add_columns(1.0, &back, 0);
    }
    (within, counts)
}

/// The descent from level `l >= 1`.
pub(crate) fn descent(process: &Process<'_>, l: usize, row: &Row<'_>, counts: Matrix, above: &[Descent]) -> Descent {
    let (within, counts) = without_above(row, Table::of(counts), above);
    let right = process.down(l).beside(&[&counts.entries]);
    let entries = Absorbing::new(&within, process.leaving(l)).solve(&right);
    Table::passage(entries, counts.entries.columns(), counts.lift)
}

/// The row and counts of level `l` with everything below it left out.
pub(crate) fn without_below<'p>(
    process: &Process<'_>,
    l: usize,
    row: Row<'p>,
    counts: Matrix,
    below: Option<&Ascent>,
) -> (Row<'p>, Table) {
    let mut counts = Table::of(counts);
    let Some(ascent) = below else { return (row, counts) };
    let via = process.down(l).times(&ascent.entries);
    let mut within = row.within.into_owned();
    within.add_columns(1.0, &via, 0);
    let mut ups = row.ups.into_owned();
    let (mut offset, mut jump) = (within.columns(), 0);
    while offset < via.columns() - counts.entries.columns() {
        if jump == ups.len() {
            ups.push(Matrix::zeros(within.rows(), process.states(l + jump + 1)));
        }
        ups[jump].add_columns(1.0, &via, offset);
        offset += ups[jump].columns();
        jump += 1;
    }
    counts.add_counts(&via, ascent.lift);
    (Row { within: Cow::Owned(within), ups: Cow::Owned(ups) }, counts)
}

/// The ascent from a level whose lower levels are left out already; it takes for ever if the level cannot be left upwards.
pub(crate) fn ascent(process: &Process<'_>, l: usize, row: &Row<'_>, counts: Table) -> Ascent {
    let Some((first, others)) = row.ups.split_first() else {
        let states = if l < process.top() { process.states(l + 1) } else { 0 };
        let never = |_: usize, column: usize| if column < states { 0.0 } else { f64::INFINITY };
        return Table::of(Matrix::from_fn(process.states(l), states + counts.entries.columns(), never));
    };
    let mut leaving = vec![0.0; first.rows()];
    for up in row.ups.iter() {
        leaving.iter_mut().zip(up.row_sums()).for_each(|(sum, rate)| *sum += rate);
    }
    let parts: Vec<&Matrix> = others.iter().chain([&counts.entries]).collect();
    let entries = Absorbing::new(&row.within, &leaving).solve(&first.beside(&parts));
    Table::passage(entries, counts.entries.columns(), counts.lift)
}

/// Long-run averages under any policy. `None` if there is more than one recurrent class.
pub(crate) fn evaluate(process: &Process<'_>, choices: &Choices) -> Option<Averages> {
    let mut above = vec![Table::empty(); choices.len()];
    for l in (1..choices.len()).rev() {
        above[l] = level_descent(process, l, &choices[l], &above[l + 1..]);
    }
    joined(process, 0, &choices[0], None, &above[1..])
}

/// The descent from a level under a choice for its states.
pub(crate) fn level_descent(process: &Process<'_>, l: usize, choice: &[usize], above: &[Descent]) -> Descent {
    descent(process, l, &process.mixed_row(l, choice), process.counts(l, |state| choice[state]), above)
}

/// The ascent from a level under a choice for its states.
pub(crate) fn level_ascent(process: &Process<'_>, l: usize, choice: &[usize], below: Option<&Ascent>) -> Ascent {
    let counts = process.counts(l, |state| choice[state]);
    let (row, counts) = without_below(process, l, process.mixed_row(l, choice), counts, below);
    ascent(process, l, &row, counts)
}

/// A level with all others left out: rates within it and counts between visits.
fn alone(
    process: &Process<'_>,
    l: usize,
    choice: &[usize],
    below: Option<&Ascent>,
    above: &[Descent],
) -> (Matrix, Table) {
    let counts = process.counts(l, |state| choice[state]);
    let (row, counts) = without_below(process, l, process.mixed_row(l, choice), counts, below);
    without_above(&row, counts, above)
}

/// Long-run averages from what happens below, in and above a level. `None` if its states do not all reach one another.
pub(crate) fn joined(
    process: &Process<'_>,
    l: usize,
    choice: &[usize],
    below: Option<&Ascent>,
    above: &[Descent],
) -> Option<Averages> {
    let (within, totals) = alone(process, l, choice, below, above);
    let averages = Averages::from_totals(&totals.entries.after(&stationary(&within)));
    averages.is_finite().then_some(averages)
}

/// The law of the states of a level while the system is in it.
pub(crate) fn level_law(
    process: &Process<'_>,
    l: usize,
    choice: &[usize],
    below: Option<&Ascent>,
    above: &[Descent],
) -> Vec<f64> {
    stationary(&alone(process, l, choice, below, above).0)
}
