//! One level of the arrays: what flows into it, and its exact solution.

use crate::matrix::Matrix;
use crate::parallel::map;
use crate::queue::ageing::Ageing;
use crate::queue::coarse::{Coarse, Unknown};
use crate::queue::frame::Frame;

/// About as many numbers as a block of codes that is worked on at once should have, to stay in the nearest cache.
const BLOCK: usize = 2048;

/// Level `i >= 1`. A code has `i - 1` digits, the oldest page first; codes with the same leading digits form a block.
#[derive(Debug)]
pub(super) struct Level<'a> {
    frame: &'a Frame,
    ageing: &'a Ageing,
    i: usize,
    /// Digits before a block, and within it.
    outer: usize,
    inner: usize,
    /// Blocks by the sum of their digits: each is fed by those of smaller sums only, if ageing has no cycles.
    stages: Vec<Vec<usize>>,
    /// The key of each code within a block.
    keys: Vec<usize>,
    /// By key: `(pace I - Q_{i,i})^-1`, the number of the way in the coarse space, the rate of obsolescence, that of any change.
    inverses: Vec<Matrix>,
    numbers: Vec<usize>,
    exits: Vec<f64>,
    paces: Vec<f64>,
    /// Whether the last page is watched: then its obsolescence does not lead to the level below, but ends what is looked at.
    watched: bool,
}

/// What a level is needed for.
pub(super) enum Purpose<'c> {
    /// The stationary law, corrected on a coarse space.
    Stationary(&'c Coarse<'c>),
    /// The fate of the last page, ended at a rate by other causes too.
    Watched(f64),
}

impl<'a> Level<'a> {
    pub(super) fn new(frame: &'a Frame, ageing: &'a Ageing, purpose: &Purpose<'_>, i: usize) -> Self {
        let (r, n, waiting) = (ageing.phases(), frame.states(i), i - 1);
        let inner = (0..waiting).take_while(|&digits| n * r.pow(digits as u32 + 1) <= BLOCK).count();
        let outer = waiting - inner;
        let pages: Vec<Option<Vec<usize>>> = (0..i.pow(r as u32 - 1)).map(|key| pages(key, r, waiting)).collect();
        let (ended, watched) = if let Purpose::Watched(rate) = purpose { (*rate, true) } else { (0.0, false) };
        let number =
            |pages: &Vec<usize>| if let Purpose::Stationary(coarse) = purpose { coarse.number(pages) } else { 0 };
        let inverse = |pages: &Vec<usize>| frame.inverse(i, ageing.pace_of(pages) + ended);
        let exit = |pages: &Vec<usize>| pages.iter().zip(&ageing.exits).map(|(count, exit)| *count as f64 * exit).sum();
        let mut level = Self {
            frame,
            ageing,
            i,
            outer,
            inner,
            stages: vec![Vec::new(); outer * (r - 1) + 1],
            keys: Vec::new(),
            inverses: pages.iter().map(|p| p.as_ref().map_or(Matrix::zeros(0, 0), inverse)).collect(),
            numbers: pages.iter().map(|p| p.as_ref().map_or(0, number)).collect(),
            exits: pages.iter().map(|p| p.as_ref().map_or(0.0, exit)).collect(),
            paces: pages.iter().map(|p| p.as_ref().map_or(0.0, |pages| ageing.pace_of(pages))).collect(),
            watched,
        };
        level.keys = (0..r.pow(inner as u32)).map(|code| level.key(code, inner)).collect();
        for block in 0..level.blocks() {
            let sum: usize = level.digits(block, outer).sum();
            level.stages[sum].push(block);
        }
        level
    }

    fn r(&self) -> usize {
        self.ageing.phases()
    }

    fn n(&self) -> usize {
        self.frame.states(self.i)
    }

    fn blocks(&self) -> usize {
        self.r().pow(self.outer as u32)
    }

    fn block_len(&self) -> usize {
        self.n() * self.keys.len()
    }

    pub(super) fn len(&self) -> usize {
        self.block_len() * self.blocks()
    }

    /// Digits of a code, the last first.
    fn digits(&self, code: usize, digits: usize) -> impl Iterator<Item = usize> + use<> {
        let r = self.r();
        (0..digits as u32).map(move |place| code / r.pow(place) % r)
    }

    /// How many pages are in each phase but the first, as one number: keys of parts of a code add up.
    fn key(&self, code: usize, digits: usize) -> usize {
        self.digits(code, digits).filter(|digit| *digit > 0).map(|digit| self.i.pow(digit as u32 - 1)).sum()
    }

    /// The keys of all codes, in order.
    fn all_keys(&self) -> impl Iterator<Item = usize> {
        let outer = (0..self.blocks()).map(|block| self.key(block, self.outer));
        outer.flat_map(|outer| self.keys.iter().map(move |inner| outer + inner))
    }

    /// Masses on the coarse space, and what it does not tell.
    pub(super) fn aggregated(&self, coarse: &Coarse<'_>, p: &[f64]) -> (Vec<f64>, Unknown) {
        let (n, r, classes) = (self.n(), self.r(), if self.i > 1 { coarse.classes() } else { 1 });
        let size = n * coarse.ways(self.i);
        let mut first = vec![vec![0.0; size]; classes];
        let mut exits = vec![0.0; size];
        let codes = p.len() / n;
        for ((code, states), key) in p.chunks_exact(n).enumerate().zip(self.all_keys()) {
            let class = if classes > 1 { code * r / codes } else { 0 };
            let start = self.numbers[key] * n;
            add(&mut first[class][start..][..n], 1.0, states);
            add(&mut exits[start..][..n], self.exits[key], states);
        }
        let mut mass = vec![0.0; size];
        first.iter().for_each(|first| add(&mut mass, 1.0, first));
        let share = |(part, whole): (&f64, &f64)| if *whole > 0.0 { part / whole } else { 0.0 };
        let shares = |parts: &Vec<f64>| parts.iter().zip(&mass).map(share).collect();
        let by_class = |class: usize| {
            let pages = |state: usize| coarse.pages(self.i, state / n)[class] as f64 * self.ageing.exits[class];
            (0..size).map(pages).collect()
        };
        let exits = if classes > 1 { (0..classes).map(by_class).collect() } else { vec![shares(&exits)] };
        let first = first.iter().map(shares).collect();
        (mass, Unknown { first, exits })
    }

    /// Multiplies masses by factors on the coarse space.
    pub(super) fn scale(&self, p: &mut [f64], factors: &[f64]) {
        let n = self.n();
        for (states, key) in p.chunks_exact_mut(n).zip(self.all_keys()) {
            let factors = &factors[self.numbers[key] * n..][..n];
            states.iter_mut().zip(factors).for_each(|(mass, factor)| *mass *= factor);
        }
    }

    /// Masses of (arrival phase, service phase), and the rate at which pages become obsolete.
    pub(super) fn totals(&self, p: &[f64]) -> (Vec<f64>, f64) {
        let mut mass = vec![0.0; self.n()];
        let mut obsolete = 0.0;
        for (states, key) in p.chunks_exact(mass.len()).zip(self.all_keys()) {
            add(&mut mass, 1.0, states);
            obsolete += self.exits[key] * states.iter().sum::<f64>();
        }
        (mass, obsolete)
    }

    /// The level for given flow from below and level above; `old` serves for moves back to earlier phases.
    pub(super) fn solved(&self, from_below: &[f64], above: Option<&[f64]>, old: &[f64]) -> Vec<f64> {
        let mut new = vec![0.0; from_below.len()];
        let len = self.block_len();
        for stage in &self.stages {
            let blocks = map(stage, |&block| {
                let mut flow = from_below[block * len..][..len].to_vec();
                self.add_departures(&mut flow, block, above);
                self.add_outer_moves(&mut flow, block, &new, old);
                self.settle(&mut flow, block, &old[block * len..][..len]);
                flow
            });
            stage.iter().zip(blocks).for_each(|(block, flow)| new[block * len..][..len].copy_from_slice(&flow));
        }
        new
    }

    /// Flow from the level above: service takes the first page, obsolescence any.
    fn add_departures(&self, flow: &mut [f64], block: usize, above: Option<&[f64]>) {
        let Some(above) = above else { return };
        let (r, n, len) = (self.r(), self.n(), flow.len());
        for first in 0..r {
            let from = &above[(first * self.blocks() + block) * len..][..len];
            add_product(flow, from, &self.frame.service[self.i + 1]);
        }
        // The last page of the level above stands behind all of this one.
        let last = if self.watched { self.outer + self.inner } else { usize::MAX };
        for place in (0..=self.outer).filter(|place| *place != last) {
            let after = r.pow((self.outer - place) as u32);
            for (phase, exit) in self.ageing.exits.iter().enumerate() {
                let from = (block / after * r + phase) * after + block % after;
                add(flow, *exit, &above[from * len..][..len]);
            }
        }
        let above = &above[block * r * len..][..r * len];
        for place in (1..=self.inner).filter(|place| self.outer + place != last) {
            let run = n * r.pow((self.inner - place) as u32);
            for (into, from) in flow.chunks_exact_mut(run).zip(above.chunks_exact(r * run)) {
                for (exit, from) in self.ageing.exits.iter().zip(from.chunks_exact(run)) {
                    add(into, *exit, from);
                }
            }
        }
    }

    /// Flow from other blocks of the level: pages of the leading digits move to another phase.
    fn add_outer_moves(&self, flow: &mut [f64], block: usize, new: &[f64], old: &[f64]) {
        let len = flow.len();
        for (place, to) in self.digits(block, self.outer).enumerate() {
            let step = self.r().pow(place as u32);
            for from in (0..self.r()).filter(|&from| self.ageing.moves[(from, to)] > 0.0) {
                let source = if from < to { new } else { old };
                let start = (block + from * step - to * step) * len;
                add(flow, self.ageing.moves[(from, to)], &source[start..][..len]);
            }
        }
    }

    /// The block from what flows into it: one pass over its codes.
    fn settle(&self, flow: &mut [f64], block: usize, old: &[f64]) {
        let n = self.n();
        let outer = self.key(block, self.outer);
        let mut state = vec![0.0; n];
        for (code, key) in self.keys.iter().enumerate() {
            let (done, rest) = flow.split_at_mut(code * n);
            let here = &mut rest[..n];
            self.add_inner_moves(here, code, done, old);
            state.copy_from_slice(here);
            here.fill(0.0);
            add_product(here, &state, &self.inverses[outer + key]);
        }
    }

    /// Flow from other codes of the block; `new` holds at least those before it.
    fn add_inner_moves(&self, into: &mut [f64], code: usize, new: &[f64], old: &[f64]) {
        let (r, n) = (self.r(), into.len());
        let (mut step, mut rest) = (1, code);
        for _ in 0..self.inner {
            let to = rest % r;
            for from in (0..r).filter(|&from| self.ageing.moves[(from, to)] > 0.0) {
                let source = if from < to { new } else { old };
                let start = (code + from * step - to * step) * n;
                add(into, self.ageing.moves[(from, to)], &source[start..][..n]);
            }
            step *= r;
            rest /= r;
        }
    }

    /// Where masses are after one step of a clock of the given rate.
    pub(super) fn stepped(&self, above: Option<&[f64]>, p: &[f64], clock: f64) -> Vec<f64> {
        let len = self.block_len();
        let blocks: Vec<usize> = (0..self.blocks()).collect();
        let stepped = map(&blocks, |&block| {
            let mut flow = vec![0.0; len];
            self.add_departures(&mut flow, block, above);
            self.add_outer_moves(&mut flow, block, p, p);
            let here = &p[block * len..][..len];
            self.add_all_inner_moves(&mut flow, here);
            self.take_stock(&mut flow, block, here, clock);
            flow
        });
        stepped.concat()
    }

    /// What stays in each state and what has come to it within a step, of which `flow` is the rate from other codes.
    fn take_stock(&self, flow: &mut [f64], block: usize, p: &[f64], clock: f64) {
        let (within, leaving) = (&self.frame.within[self.i], self.frame.leaving(self.i));
        let outer = self.key(block, self.outer);
        let n = leaving.len();
        for ((flow, p), key) in flow.chunks_exact_mut(n).zip(p.chunks_exact(n)).zip(&self.keys) {
            for (s, mass) in p.iter().enumerate() {
                let mut out = leaving[s] + self.paces[outer + key];
                for t in (0..n).filter(|&t| t != s) {
                    out += within[(s, t)];
                    flow[t] += mass * within[(s, t)];
                }
                flow[s] += mass * (clock - out).max(0.0);
            }
            flow.iter_mut().for_each(|mass| *mass /= clock);
        }
    }

    /// Flow between the codes of a block with masses `p`.
    fn add_all_inner_moves(&self, flow: &mut [f64], p: &[f64]) {
        let r = self.r();
        let mut run = self.n();
        for _ in 0..self.inner {
            for (into, p) in flow.chunks_exact_mut(r * run).zip(p.chunks_exact(r * run)) {
                for (from, to) in (0..r).flat_map(|from| (0..r).map(move |to| (from, to))) {
                    let rate = self.ageing.moves[(from, to)];
                    if rate > 0.0 {
                        add(&mut into[to * run..][..run], rate, &p[from * run..][..run]);
                    }
                }
            }
            run *= r;
        }
    }

    /// The fastest rate at which a state is left.
    pub(super) fn fastest(&self) -> f64 {
        self.frame.pace(self.i) + self.paces.iter().fold(0.0f64, |a, b| a.max(*b))
    }

    /// The rate at which the last page becomes obsolete.
    pub(super) fn last_exits(&self, p: &[f64]) -> f64 {
        let codes = p.chunks_exact(self.n()).zip(self.ageing.exits.iter().cycle());
        if self.i == 1 { 0.0 } else { codes.map(|(states, exit)| exit * states.iter().sum::<f64>()).sum() }
    }

    /// The largest imbalance of a state, relative to the flow through the level.
    pub(super) fn residual(&self, from_below: &[f64], above: Option<&[f64]>, p: &[f64]) -> f64 {
        let (n, len) = (self.n(), self.block_len());
        let (within, leaving) = (&self.frame.within[self.i], self.frame.leaving(self.i));
        let (mut worst, mut through) = (0.0f64, 0.0);
        for block in 0..self.blocks() {
            let mut flow = from_below[block * len..][..len].to_vec();
            self.add_departures(&mut flow, block, above);
            self.add_outer_moves(&mut flow, block, p, p);
            let here = &p[block * len..][..len];
            for (code, flow) in flow.chunks_exact_mut(n).enumerate() {
                self.add_inner_moves(flow, code, here, here);
                let digits = self.digits(block, self.outer).chain(self.digits(code, self.inner));
                let pace = digits.map(|digit| self.ageing.pace[digit]).sum();
                worst = worst.max(gap(flow, &here[code * n..][..n], within, &leaving, pace));
                through += flow.iter().sum::<f64>();
            }
        }
        if through > 0.0 { worst / through } else { 0.0 }
    }
}

/// Pages by phase from a key, if there are that many.
fn pages(key: usize, phases: usize, waiting: usize) -> Option<Vec<usize>> {
    let later: Vec<usize> =
        (1..phases).map(|phase| key / (waiting + 1).pow(phase as u32 - 1) % (waiting + 1)).collect();
    let first = waiting.checked_sub(later.iter().sum())?;
    Some(std::iter::once(first).chain(later).collect())
}

/// The largest difference between flow into and out of states with masses `p`, of which `flow` comes from elsewhere;
/// afterwards `flow` is all that comes in.
pub(super) fn gap(flow: &mut [f64], p: &[f64], within: &Matrix, leaving: &[f64], pace: f64) -> f64 {
    let mut out: Vec<f64> = leaving.iter().map(|rate| rate + pace).collect();
    for (from, mass) in p.iter().enumerate() {
        for to in (0..p.len()).filter(|&to| to != from) {
            out[from] += within[(from, to)];
            flow[to] += mass * within[(from, to)];
        }
    }
    flow.iter().zip(p).zip(&out).map(|((f, p), out)| (f - p * out).abs()).fold(0.0, f64::max)
}

fn add(into: &mut [f64], factor: f64, from: &[f64]) {
    into.iter_mut().zip(from).for_each(|(sum, value)| *sum += factor * value);
}

/// `into += from m`, for each run of states.
pub(super) fn add_product(into: &mut [f64], from: &[f64], m: &Matrix) {
    for (into, from) in into.chunks_exact_mut(m.columns()).zip(from.chunks_exact(m.rows())) {
        for (row, value) in from.iter().enumerate() {
            add(into, *value, m.row(row));
        }
    }
}
