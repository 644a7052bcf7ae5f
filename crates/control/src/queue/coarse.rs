//! The small chain that corrects the masses, or the values, of a large one before each sweep.

use super::ageing::Ageing;
use super::counts::Counts;
use super::direct::Chain;
use super::frame::Frame;
use crate::matrix::Matrix;

/// States of a level up to which pages are counted by phase; beyond, they are only counted.
const MOST_STATES: usize = 400;

/// The space of (pages, pages waiting in each class of phases, arrival phase, service phase): each phase is a class of its
/// own, or all are one class if that would be too large.
pub(super) struct Coarse<'a> {
    frame: &'a Frame,
    counts: Counts,
    /// `gamma`, and `Gamma` off its diagonal, by class.
    start: Vec<f64>,
    moves: Matrix,
}

/// How finely waiting pages are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Classes {
    /// By their phases, unless that would be too large.
    ByPhase,
    /// Not at all.
    One,
}

/// What the space alone does not tell of a level, by class and state.
pub(super) struct Unknown {
    /// The chance that the page waiting longest is of this class.
    pub(super) first: Vec<Vec<f64>>,
    /// The rate at which pages of this class become obsolete.
    pub(super) exits: Vec<Vec<f64>>,
}

impl<'a> Coarse<'a> {
    pub(super) fn new(frame: &'a Frame, ageing: &Ageing, classes: Classes) -> Self {
        let (top, phases) = (frame.top(), ageing.phases());
        let ways: f64 = (1..phases).map(|r| (top - 1 + r) as f64 / r as f64).product();
        if classes == Classes::ByPhase && ways * frame.states(top) as f64 <= MOST_STATES as f64 {
            let counts = Counts::new(phases, top - 1);
            return Self { frame, counts, start: ageing.start.clone(), moves: ageing.moves.clone() };
        }
        Self { frame, counts: Counts::new(1, top - 1), start: vec![1.0], moves: Matrix::zeros(1, 1) }
    }

    /// The most pages there can be.
    pub(super) fn top(&self) -> usize {
        self.frame.top()
    }

    /// States of (arrival phase, service phase) with `i` pages.
    pub(super) fn states(&self, i: usize) -> usize {
        self.frame.states(i)
    }

    /// Whether each phase is a class of its own.
    pub(super) fn by_phase(&self, ageing: &Ageing) -> bool {
        self.start.len() == ageing.phases()
    }

    pub(super) fn classes(&self) -> usize {
        self.start.len()
    }

    /// Ways to spread the waiting pages of level `i` over the classes.
    pub(super) fn ways(&self, i: usize) -> usize {
        if i == 0 { 1 } else { self.counts.ways(i - 1) }
    }

    /// The number of a way, given pages by phase.
    pub(super) fn number(&self, pages: &[usize]) -> usize {
        if self.classes() == 1 { 0 } else { self.counts.number(pages) }
    }

    /// Pages by class.
    pub(super) fn pages(&self, i: usize, number: usize) -> &[usize] {
        self.counts.counts(i - 1, number)
    }

    /// The law of the way after one more page has come.
    fn fresh_page(&self, waiting: usize) -> Matrix {
        let mut law = Matrix::zeros(self.counts.ways(waiting), self.counts.ways(waiting + 1));
        for number in 0..law.rows() {
            for (class, p) in self.start.iter().enumerate() {
                law[(number, self.counts.plus(waiting, number, class))] += p;
            }
        }
        law
    }

    fn ageing(&self, waiting: usize) -> Matrix {
        let (ways, classes) = (self.counts.ways(waiting), self.classes());
        let mut rates = Matrix::zeros(ways, ways);
        for number in 0..ways {
            for (from, to) in (0..classes).flat_map(|from| (0..classes).map(move |to| (from, to))) {
                if let Some(target) = self.counts.moved(waiting, number, from, to).filter(|target| *target != number) {
                    let pages = self.counts.counts(waiting, number)[from];
                    rates[(number, target)] += pages as f64 * self.moves[(from, to)];
                }
            }
        }
        rates
    }
}

/// The chain on that space; `unknown` for the levels from two on.
pub(super) struct Aggregate<'a> {
    pub(super) coarse: &'a Coarse<'a>,
    pub(super) unknown: &'a [Unknown],
}

impl Chain for Aggregate<'_> {
    fn top(&self) -> usize {
        self.coarse.frame.top()
    }

    fn largest_jump(&self, i: usize) -> usize {
        self.coarse.frame.up[i].len()
    }

    fn up(&self, i: usize, l: usize) -> Matrix {
        let fresh = |law: Matrix, waiting: usize| law.times(&self.coarse.fresh_page(waiting));
        let ways = (i.max(1) - 1..i + l - 1).fold(Matrix::identity(self.coarse.ways(i)), fresh);
        ways.kronecker(&self.coarse.frame.up[i][l - 1])
    }

    fn within(&self, i: usize) -> Matrix {
        let frame = &self.coarse.frame.within[i];
        if i < 2 { frame.clone() } else { self.coarse.ageing(i - 1).kronecker_sum(frame) }
    }

    fn down(&self, i: usize) -> Matrix {
        let (coarse, service) = (self.coarse, &self.coarse.frame.service[i]);
        if i < 2 {
            return service.clone();
        }
        let (n, unknown) = (service.rows(), &self.unknown[i - 2]);
        let mut down = Matrix::zeros(coarse.ways(i) * n, coarse.ways(i - 1) * n);
        for (number, class) in (0..coarse.ways(i)).flat_map(|number| (0..coarse.classes()).map(move |c| (number, c))) {
            let Some(target) = coarse.counts.minus(i - 1, number, class) else { continue };
            for s in 0..n {
                let state = number * n + s;
                down[(state, target * n + s)] += unknown.exits[class][state];
                for t in 0..n {
                    down[(state, target * n + t)] += unknown.first[class][state] * service[(s, t)];
                }
            }
        }
        down
    }
}
