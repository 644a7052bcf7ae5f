//! Policy iteration over all states, and a bound that holds whatever the iteration did.

use std::borrow::Cow;

use super::averages::COUNTS;
use super::passage::{Ascent, Table, ascent, descent, without_above, without_below};
use super::process::{Choices, Process};
use crate::matrix::{Absorbing, Matrix, dot, stationary};

/// Which modes may be used: with `l` pages those at the positions `ranges[l]` of `set`, both ends included.
pub(crate) struct Allowed<'a> {
    pub(crate) set: Cow<'a, [usize]>,
    pub(crate) ranges: Vec<(usize, usize)>,
}

impl Allowed<'_> {
    /// All modes in all states.
    pub(crate) fn everything(process: &Process<'_>) -> Self {
        let set: Vec<usize> = (0..process.modes().len()).collect();
        Self { ranges: vec![(0, set.len() - 1); process.top() + 1], set: Cow::Owned(set) }
    }

    pub(crate) fn modes(&self, l: usize) -> &[usize] {
        let (first, last) = self.ranges[l];
        &self.set[first..=last]
    }

    /// The same choices, each replaced by the first allowed mode where it is not allowed.
    pub(crate) fn admit(&self, choices: &Choices) -> Choices {
        let admit = |l: usize, mode: usize| if self.modes(l).contains(&mode) { mode } else { self.modes(l)[0] };
        choices.iter().enumerate().map(|(l, choice)| choice.iter().map(|mode| admit(l, *mode)).collect()).collect()
    }
}

/// The end of a policy iteration.
pub(crate) struct Iterated {
    /// No policy with the allowed modes, however it chooses, has less on average: the certificate of law C-20.
    pub(crate) gain: f64,
    pub(crate) choices: Choices,
}

/// Far more than any model has needed.
const MOST_ROUNDS: usize = 100;

/// Minimises the average of the priced rates over all policies that see the whole state.
///
/// For any function `h` of the state, the least of `c(s, a) + sum_s' q(s, s'; a) h(s')` over states and allowed modes is a
/// lower bound on the average of every policy. So the result is certified even if the iteration stops early, as it does when
/// it meets a policy with more than one recurrent class.
pub(crate) fn minimise(
    process: &Process<'_>,
    prices: &[f64; COUNTS],
    allowed: &Allowed<'_>,
    start: &Choices,
) -> Iterated {
    let mut best = Iterated { gain: f64::NEG_INFINITY, choices: allowed.admit(start) };
    let mut choices = best.choices.clone();
    for _ in 0..MOST_ROUNDS {
        let values = relative_values(process, prices, &choices, process.balance(&choices));
        let Some(values) = values.or_else(|| relative_values(process, prices, &choices, 0)) else { break };
        let (gain, better) = improve(process, prices, allowed, &choices, &values);
        let done = better == choices;
        best = Iterated { gain: best.gain.max(gain), choices };
        if done {
            break;
        }
        choices = better;
    }
    best
}

/// The solution of `c + Q h = gain e`. `None` if there is more than one recurrent class.
///
/// `home` should be the level where the system tends to be. It is reached from above by descents and from below by ascents:
/// along the drift no passage takes long, and little is lost when the gain is taken off its cost.
pub(crate) fn relative_values(
    process: &Process<'_>,
    prices: &[f64; COUNTS],
    choices: &Choices,
    home: usize,
) -> Option<Vec<Vec<f64>>> {
    let counts = |l: usize| {
        let cost = |state: usize| dot(&process.counts_of(l, state, choices[l][state]), prices);
        Matrix::from_fn(process.states(l), 2, |state, column| if column == 0 { cost(state) } else { 1.0 })
    };
    let row = |l: usize, below: Option<&Ascent>| {
        without_below(process, l, process.mixed_row(l, &choices[l]), counts(l), below)
    };
    let mut below: Vec<Ascent> = Vec::new();
    for l in 0..home {
        let (row, counts) = row(l, below.last());
        below.push(ascent(process, l, &row, counts));
    }
    let mut above = vec![Table::empty(); choices.len()];
    for l in (home + 1..choices.len()).rev() {
        above[l] = descent(process, l, &process.mixed_row(l, &choices[l]), counts(l), &above[l + 1..]);
    }
    let (row, counts) = row(home, below.last());
    let (within, totals) = without_above(&row, counts, &above[home + 1..]);
    let average = totals.entries.after(&stationary(&within));
    let gain = average[0] / average[1];
    let mut values = vec![Vec::new(); choices.len()];
    values[home] = values_at_home(&within, &totals.entries, gain);
    for l in home + 1..choices.len() {
        values[l] = values_before(&above[l], &values[l - 1..l], gain);
    }
    for l in (0..home).rev() {
        values[l] = values_before(&below[l], &values[l + 1..], gain);
    }
    let lifted = below.iter().chain(&above).any(|table| table.lift > 0);
    let finite = values.iter().flatten().all(|value| value.is_finite());
    (finite && !lifted).then_some(values)
}

/// The values from which a passage with the given table starts, from those where it may end.
fn values_before(table: &Table, ends: &[Vec<f64>], gain: f64) -> Vec<f64> {
    let value = |row: &[f64]| {
        let (chances, counts) = row.split_at(row.len() - 2);
        chances.iter().zip(ends.iter().flatten()).map(|(chance, value)| chance * value).sum::<f64>() + counts[0]
            - gain * counts[1]
    };
    (0..table.entries.rows()).map(|state| value(table.entries.row(state))).collect()
}

/// The values in a level with all others left out, zero in its first state.
fn values_at_home(within: &Matrix, totals: &Matrix, gain: f64) -> Vec<f64> {
    let n = within.rows();
    let others = Matrix::from_fn(n - 1, n - 1, |i, j| within[(i + 1, j + 1)]);
    let to_first: Vec<f64> = (1..n).map(|i| within[(i, 0)]).collect();
    let right: Vec<f64> = (1..n).map(|i| totals[(i, 0)] - gain * totals[(i, 1)]).collect();
    let mut values = vec![0.0];
    values.extend(Absorbing::new(&others, &to_first).solve_column(&right));
    values
}

/// The certified bound that belongs to the values, and the choices that are best given them; a choice is kept unless another
/// is better by more than rounding.
fn improve(
    process: &Process<'_>,
    prices: &[f64; COUNTS],
    allowed: &Allowed<'_>,
    choices: &Choices,
    values: &[Vec<f64>],
) -> (f64, Choices) {
    let mut least = f64::INFINITY;
    let mut better = choices.clone();
    for l in 0..values.len() {
        for state in 0..values[l].len() {
            let (mut lowest, scale) = drift(process, prices, values, (l, state), choices[l][state]);
            let margin = 1e-12 * scale;
            for &mode in allowed.modes(l) {
                let (value, _) = drift(process, prices, values, (l, state), mode);
                if value < lowest - margin {
                    lowest = value;
                    better[l][state] = mode;
                }
                least = least.min(value);
            }
        }
    }
    (least, better)
}

/// `c(s, a) + sum_s' q(s, s'; a) (h(s') - h(s))`, and the sum of the sizes of its terms.
pub(crate) fn drift(
    process: &Process<'_>,
    prices: &[f64; COUNTS],
    values: &[Vec<f64>],
    (l, state): (usize, usize),
    mode: usize,
) -> (f64, f64) {
    let own = values[l][state];
    let cost = dot(&process.counts_of(l, state, mode), prices);
    let (mut sum, mut scale) = (cost, cost.abs());
    let mut add = |rates: &[f64], level: &[f64]| {
        for (rate, value) in rates.iter().zip(level) {
            let term = rate * (value - own);
            sum += term;
            scale += term.abs();
        }
    };
    let row = process.row(l, mode);
    add(row.within.row(state), &values[l]);
    for (jump, up) in row.ups.iter().enumerate() {
        add(up.row(state), &values[l + jump + 1]);
    }
    if l > 0 {
        add(process.down(l).row(state), &values[l - 1]);
    }
    (sum, scale)
}
