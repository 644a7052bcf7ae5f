//! The system with nothing decided yet: moves and rates of every state for every number of active robots.

use std::borrow::Cow;

use crate::matrix::{Absorbing, Matrix};
use crate::model::{Model, RobotPolicy};
use crate::queue::blocks::Blocks;

use super::averages::{ACTIVE, ARRIVALS, COUNTS, EMPTY, LOST, OBSOLETE, PAGES, SERVED, TIME};
use super::{DecisionError, LARGEST_LEVEL};

/// Which mode each state uses, level by level; modes by position among the model's, most robots first.
pub(crate) type Choices = Vec<Vec<usize>>;

/// The generator and all rates of the cost (2) as functions of state and mode (law C-19).
pub(crate) struct Process<'a> {
    model: &'a Model,
    /// Numbers of robots, descending.
    modes: Vec<u32>,
    levels: Vec<Level>,
    /// Moves by kind of level, then mode: levels that differ only in what leaves them share theirs.
    kinds: Vec<Vec<Moves>>,
    /// Pages that arrive in each mode, that a busy indexer takes, and that each waiting one loses, per unit of time.
    arrival_rates: Vec<f64>,
    departures: f64,
    ageing: f64,
}

/// What holds in a level whatever the mode.
struct Level {
    kind: usize,
    /// `Q_{l,l-1}` and its row sums.
    down: Matrix,
    leaving: Vec<f64>,
    /// Rates of [`COUNTS`] kinds per state; those that depend on the mode are zero here.
    counts: Matrix,
}

/// What a mode does in a level.
struct Moves {
    within: Matrix,
    /// `Q_{l,l+1}, Q_{l,l+2}, ...`.
    ups: Vec<Matrix>,
    /// Pages that arrive and pages lost, by state.
    flows: Vec<[f64; 2]>,
}

/// The moves out of a level under some choice: within it, and up by 1, 2, ...
pub(crate) struct Row<'p> {
    pub(crate) within: Cow<'p, Matrix>,
    pub(crate) ups: Cow<'p, [Matrix]>,
}

impl<'a> Process<'a> {
    /// The process of a model, unless its levels are too large.
    pub(crate) fn new(model: &'a Model) -> Result<Self, DecisionError> {
        check_size(model)?;
        let modes: Vec<u32> = model.arrivals().iter().rev().map(|(robots, _)| *robots).collect();
        let policies: Vec<RobotPolicy> = modes.iter().map(|robots| model.fixed(*robots)).collect();
        let blocks: Vec<Blocks<'_>> = policies.iter().map(|policy| Blocks::new(model, policy)).collect();
        let mut served = ServedBefore::new(&blocks[0]);
        let mut kinds = Vec::new();
        let mut names: Vec<(usize, usize)> = Vec::new();
        let mut levels = Vec::new();
        for l in 0..=blocks[0].top() {
            let name = kind_of(&blocks[0], l);
            let kind = names.iter().position(|known| *known == name).unwrap_or_else(|| {
                kinds.push(blocks.iter().map(|blocks| Moves::new(blocks, l)).collect());
                names.push(name);
                names.len() - 1
            });
            levels.push(Level::new(&blocks[0], l, kind, &mut served));
        }
        let arrival_rates = model.arrivals().iter().rev().map(|(_, bmap)| bmap.rate()).collect();
        let ageing = model.obsolescence().map_or(0.0, |law| 1.0 / law.mean());
        Ok(Self { model, modes, levels, kinds, arrival_rates, departures: 1.0 / model.service().mean(), ageing })
    }

    pub(crate) fn model(&self) -> &'a Model {
        self.model
    }

    /// Numbers of robots, descending.
    pub(crate) fn modes(&self) -> &[u32] {
        &self.modes
    }

    /// The most pages there can be.
    pub(crate) fn top(&self) -> usize {
        self.levels.len() - 1
    }

    /// States with `l` pages.
    pub(crate) fn states(&self, l: usize) -> usize {
        self.levels[l].counts.rows()
    }

    /// Service phase of a state with `l` pages; zero for all if there is none.
    pub(crate) fn service_phase(&self, l: usize, state: usize) -> usize {
        let phases = if l == 0 { 1 } else { self.model.service().order() };
        let inner = self.states(l) / self.states(0);
        state % inner / (inner / phases)
    }

    /// Number of service phases that can be told apart with `l` pages.
    pub(crate) fn service_phases(&self, l: usize) -> usize {
        if l == 0 { 1 } else { self.model.service().order() }
    }

    /// `Q_{l,l-1}`.
    pub(crate) fn down(&self, l: usize) -> &Matrix {
        &self.levels[l].down
    }

    /// The rate at which each state with `l` pages goes down by one.
    pub(crate) fn leaving(&self, l: usize) -> &[f64] {
        &self.levels[l].leaving
    }

    fn moves(&self, l: usize, mode: usize) -> &Moves {
        &self.kinds[self.levels[l].kind][mode]
    }

    /// The moves of all states of a level in one mode.
    pub(crate) fn row(&self, l: usize, mode: usize) -> Row<'_> {
        let moves = self.moves(l, mode);
        Row { within: Cow::Borrowed(&moves.within), ups: Cow::Borrowed(&moves.ups) }
    }

    /// The moves when every state of a level has its own mode.
    pub(crate) fn mixed_row(&self, l: usize, choice: &[usize]) -> Row<'_> {
        if choice.iter().all(|mode| *mode == choice[0]) {
            return self.row(l, choice[0]);
        }
        let within = Matrix::from_fn(choice.len(), choice.len(), |i, j| self.moves(l, choice[i]).within[(i, j)]);
        let jumps = choice.iter().map(|mode| self.moves(l, *mode).ups.len()).max().unwrap_or(0);
        let up = |jump: usize| {
            Matrix::from_fn(choice.len(), self.states(l + jump + 1), |i, j| {
                self.moves(l, choice[i]).ups.get(jump).map_or(0.0, |up| up[(i, j)])
            })
        };
        Row { within: Cow::Owned(within), ups: Cow::Owned((0..jumps).map(up).collect()) }
    }

    /// The rates of a state in a mode, of each of the [`COUNTS`] kinds.
    pub(crate) fn counts_of(&self, l: usize, state: usize, mode: usize) -> [f64; COUNTS] {
        let mut counts: [f64; COUNTS] = std::array::from_fn(|kind| self.levels[l].counts[(state, kind)]);
        let [arrivals, lost] = self.moves(l, mode).flows[state];
        counts[ARRIVALS] = arrivals;
        counts[LOST] = lost;
        counts[ACTIVE] = f64::from(self.modes[mode]);
        counts
    }

    /// The rates of all states of a level, by state and kind.
    pub(crate) fn counts(&self, l: usize, choice: impl Fn(usize) -> usize) -> Matrix {
        let mut counts = self.levels[l].counts.clone();
        for state in 0..counts.rows() {
            let mode = choice(state);
            [counts[(state, ARRIVALS)], counts[(state, LOST)]] = self.moves(l, mode).flows[state];
            counts[(state, ACTIVE)] = f64::from(self.modes[mode]);
        }
        counts
    }

    /// The level from which the system is as likely to fall as to rise, roughly: where pages stop arriving faster than they
    /// leave.
    pub(crate) fn balance(&self, choices: &Choices) -> usize {
        let falls = |l: usize| self.arrival_rates[choices[l][0]] <= self.departures + self.ageing * l as f64;
        (0..self.top()).find(|l| falls(*l)).unwrap_or(self.top())
    }

    /// One mode everywhere.
    pub(crate) fn always(&self, mode: usize) -> Choices {
        (0..=self.top()).map(|l| vec![mode; self.states(l)]).collect()
    }
}

pub(super) fn check_size(model: &Model) -> Result<(), DecisionError> {
    let phases = model.reduced_obsolescence().map_or(1, |law| law.order()) as f64;
    let others = (model.service().order() * model.arrivals()[0].1.phases()) as f64;
    let states = others * phases.powf((model.most_pages() - 1) as f64);
    if states <= LARGEST_LEVEL as f64 {
        return Ok(());
    }
    Err(DecisionError::TooLarge { states, waiting: others <= LARGEST_LEVEL as f64 })
}

impl Level {
    /// Levels must be made one after the other.
    fn new(blocks: &Blocks<'_>, l: usize, kind: usize, served: &mut ServedBefore) -> Self {
        let inner = blocks.inner_states(l);
        let states = blocks.w() * inner;
        let down = if l == 0 { Matrix::zeros(states, 0) } else { blocks.down(l) };
        let mut counts = Matrix::zeros(states, COUNTS);
        for state in 0..states {
            counts[(state, TIME)] = 1.0;
            if l == 0 {
                counts[(state, EMPTY)] = 1.0;
                continue;
            }
            let (code, waiting) = (state % inner, blocks.waiting_states(l - 1));
            counts[(state, SERVED)] = blocks.model().service().exits()[code / waiting];
            counts[(state, OBSOLETE)] = ageing(blocks, code % waiting, l - 1);
            counts[(state, PAGES)] = 1.0 + served.behind(blocks, l, code);
        }
        served.passed(blocks, l);
        Self { kind, leaving: down.row_sums(), down, counts }
    }
}

impl Moves {
    fn new(blocks: &Blocks<'_>, l: usize) -> Self {
        let sums: Vec<Vec<f64>> = blocks.arrivals(l).matrices().iter().map(Matrix::row_sums).collect();
        let flow = |nu: usize| {
            let batches = || sums.iter().enumerate().skip(1);
            let arrivals = batches().map(|(k, rates)| k as f64 * rates[nu]).sum();
            let lost = batches().map(|(k, rates)| (k - blocks.admitted(l, k)) as f64 * rates[nu]).sum();
            [arrivals, lost]
        };
        let inner = blocks.inner_states(l);
        Self {
            within: blocks.within(l),
            ups: (1..=blocks.largest_jump(l)).map(|jump| blocks.up(l, jump)).collect(),
            flows: (0..blocks.w() * inner).map(|state| flow(state / inner)).collect(),
        }
    }
}

/// Levels of one kind have the same moves up and within: with one phase of obsolescence all that leave the same room to the
/// largest batch, else each is its own.
fn kind_of(blocks: &Blocks<'_>, l: usize) -> (usize, usize) {
    let model = blocks.model();
    let batch = model.arrivals().iter().map(|(_, bmap)| bmap.largest_batch()).max().unwrap_or(1);
    let room = model.buffer().saturating_sub(l).min(batch);
    if blocks.r() == 1 { (l.min(1), room) } else { (l, room) }
}

/// The rate at which any of the waiting pages becomes obsolete.
fn ageing(blocks: &Blocks<'_>, mut code: usize, waiting: usize) -> f64 {
    let r = blocks.r();
    if r == 1 {
        return waiting as f64 * blocks.gamma_exits[0];
    }
    let mut sum = 0.0;
    for _ in 0..waiting {
        sum += blocks.gamma_exits[code % r];
        code /= r;
    }
    sum
}

/// Chances of pages in the system to be served.
struct ServedBefore {
    /// By how many are before a page, and the state that it finds.
    chances: Vec<Vec<f64>>,
    /// With one phase of obsolescence: sums over all pages behind the first, by service phase.
    sums: Vec<f64>,
}

impl ServedBefore {
    fn new(blocks: &Blocks<'_>) -> Self {
        Self { chances: served_chances(blocks), sums: vec![0.0; blocks.m()] }
    }

    /// How many of the pages behind the first will be served, of `l` in a state.
    fn behind(&self, blocks: &Blocks<'_>, l: usize, code: usize) -> f64 {
        if blocks.r() == 1 {
            return self.sums[code];
        }
        (1..l).map(|j| self.chances[j][code / blocks.waiting_states(l - 1 - j)]).sum()
    }

    /// Goes on from `l` pages to one more.
    fn passed(&mut self, blocks: &Blocks<'_>, l: usize) {
        if blocks.r() == 1 && (1..self.chances.len()).contains(&l) {
            self.sums.iter_mut().zip(&self.chances[l]).for_each(|(sum, chance)| *sum += chance);
        }
    }
}

/// For a page with `j` before it the chance to be served, by service phase and obsolescence phases of those waiting before it
/// and its own: `v_j = (-A_j)^-1 B v_{j-1}`, as (20) at `u = 0`.
fn served_chances(blocks: &Blocks<'_>) -> Vec<Vec<f64>> {
    let service = blocks.model().service();
    let (m, r) = (blocks.m(), blocks.r());
    let mut chances = vec![vec![1.0; m]];
    for j in 1..blocks.top() {
        // With one page before it the page itself goes to the server; else those before it move up.
        let step = if j == 1 {
            let restart = Matrix::column_vector(service.exits()).times(&Matrix::row_vector(service.start()));
            restart.kronecker(&Matrix::column_vector(&vec![1.0; r]))
        } else {
            blocks.departures(j - 1).kronecker(&Matrix::identity(r))
        };
        let mut leaving = step.row_sums();
        leaving.iter_mut().enumerate().for_each(|(s, rate)| *rate += blocks.gamma_exits[s % r]);
        let stay = Absorbing::new(&blocks.inner(j), &leaving);
        let ahead: &[f64] = &chances[j - 1];
        chances.push(stay.solve_column(&step.before(ahead)));
    }
    chances
}
