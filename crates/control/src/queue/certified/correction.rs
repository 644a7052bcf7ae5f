//! Values corrected on a coarse space between sweeps.

use crate::matrix::{Absorbing, Matrix, dot};
use crate::queue::ageing::Ageing;
use crate::queue::coarse::{Aggregate, Classes, Coarse, Unknown};
use crate::queue::direct::Elimination;
use crate::queue::frame::Frame;
use crate::queue::oldest::{Oldest, add};

/// The coarse chain that corrects values, as if waiting pages were in random order.
pub(in crate::queue) struct Correction<'a> {
    coarse: Coarse<'a>,
    elimination: Elimination,
    /// The share of its life that a page spends in each phase.
    shares: Vec<f64>,
}

impl<'a> Correction<'a> {
    pub(in crate::queue) fn new(frame: &'a Frame, ageing: &Ageing, classes: Classes) -> Self {
        let (coarse, shares) = (Coarse::new(frame, ageing, classes), shares(ageing));
        let elimination = eliminated(&coarse, ageing, &shares);
        Self { coarse, elimination, shares }
    }

    /// Goes on with the chain of another frame, with the same states.
    pub(in crate::queue) fn follow(&mut self, frame: &Frame, ageing: &Ageing) {
        self.elimination = eliminated(&Coarse::new(frame, ageing, Classes::ByPhase), ageing, &self.shares);
    }
}

fn eliminated(coarse: &Coarse<'_>, ageing: &Ageing, shares: &[f64]) -> Elimination {
    let unknown: Vec<Unknown> = (2..=coarse.top()).map(|i| in_random_order(coarse, ageing, shares, i)).collect();
    Elimination::new(&Aggregate { coarse, unknown: &unknown })
}

/// Where the rows of a space lie in the coarse one.
pub(in crate::queue) struct Places {
    /// By level and row: the number of its way in the coarse space, and its chance given that way.
    places: Vec<Vec<(usize, f64)>>,
}

impl Places {
    pub(in crate::queue) fn new(space: &Oldest<'_>, correction: &Correction<'_>) -> Self {
        let chances = space.chances(&correction.shares);
        let places = (1..).zip(&chances).map(|(i, chances)| places(space, &correction.coarse, i, chances));
        Self { places: std::iter::once(vec![(0, 1.0)]).chain(places).collect() }
    }

    /// The chances of the rows of level `i`, given their ways.
    pub(in crate::queue) fn chances(&self, i: usize) -> impl Iterator<Item = f64> {
        self.places[i].iter().map(|(_, chance)| *chance)
    }

    /// What is left over on level `i`, averaged over the coarse space.
    pub(in crate::queue) fn averaged(
        &self,
        correction: &Correction<'_>,
        i: usize,
        left: &[f64],
        columns: usize,
    ) -> Matrix {
        let places = &self.places[i];
        let width = left.len() / places.len();
        let mut sum = vec![0.0; correction.coarse.ways(i) * width];
        for (left, (number, chance)) in left.chunks_exact(width).zip(places) {
            add(&mut sum[number * width..][..width], *chance, left);
        }
        Matrix::from_fn(sum.len() / columns, columns, |state, column| sum[state * columns + column])
    }

    /// Adds to values `h` and means `g` what makes the averages of what is left over vanish, were nothing chosen.
    pub(in crate::queue) fn correct(
        &self,
        correction: &Correction<'_>,
        left_over: &[Matrix],
        h: &mut [Vec<f64>],
        g: &mut [f64],
    ) {
        let (more, means) = correction.elimination.values(left_over);
        add(g, 1.0, &means);
        for (i, (values, places)) in h.iter_mut().zip(&self.places).enumerate() {
            let width = values.len() / places.len();
            for (values, (number, _)) in values.chunks_exact_mut(width).zip(places) {
                add(values, 1.0, &more[i].entries()[number * width..][..width]);
            }
        }
    }
}

/// The share of its life that a page spends in each phase.
fn shares(ageing: &Ageing) -> Vec<f64> {
    let times = Absorbing::new(&ageing.moves, &ageing.exits).solve_row(&ageing.start);
    let life: f64 = times.iter().sum();
    times.iter().map(|time| time / life).collect()
}

/// What the coarse chain does not know of level `i`, in random order.
fn in_random_order(coarse: &Coarse<'_>, ageing: &Ageing, shares: &[f64], i: usize) -> Unknown {
    let n = coarse.states(i);
    let exit = |class: usize| if coarse.by_phase(ageing) { ageing.exits[class] } else { dot(shares, &ageing.exits) };
    let by_class = |part: &dyn Fn(usize, f64) -> f64| -> Vec<Vec<f64>> {
        let pages = |class: usize, state: usize| coarse.pages(i, state / n)[class] as f64;
        let states = |class: usize| (0..coarse.ways(i) * n).map(|state| part(class, pages(class, state))).collect();
        (0..coarse.classes()).map(states).collect()
    };
    Unknown {
        first: by_class(&|_, pages| pages / (i - 1) as f64),
        exits: by_class(&|class, pages| pages * exit(class)),
    }
}

/// Where the rows of level `i` lie in the coarse space.
fn places(space: &Oldest<'_>, coarse: &Coarse<'_>, i: usize, chances: &[f64]) -> Vec<(usize, f64)> {
    let number = |row: usize| coarse.number(space.pages(i, row));
    let mut totals = vec![0.0; coarse.ways(i)];
    chances.iter().enumerate().for_each(|(row, chance)| totals[number(row)] += chance);
    let share = |(row, chance): (usize, &f64)| (number(row), chance / totals[number(row)]);
    chances.iter().enumerate().map(share).collect()
}
