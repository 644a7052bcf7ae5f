//! The states that are reached, and the rates between them.

use std::collections::BTreeMap;

use super::{Finishing, FinishingError};
use crate::matrix::Matrix;
use crate::phase_type::PhaseType;

/// Robots under way in each phase of a fetch.
pub(super) type Robots = Vec<u32>;

/// The most states of all.
const MOST_STATES: usize = 400_000;

/// The most states with one number of documents: the work is the third power of it.
const MOST_OF_ONE: usize = 1_500;

/// Beyond so many multiplications a chain is not solved.
const MOST_WORK: f64 = 2e11;

/// A state with a given number of documents.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct State {
    pub(super) robots: Robots,
    /// The phase of service; 0 if there is nothing to index.
    pub(super) service: usize,
}

impl State {
    pub(super) fn under_way(&self) -> u32 {
        self.robots.iter().sum()
    }
}

/// All states with one number of documents.
#[derive(Debug, Default)]
pub(super) struct Level {
    pub(super) states: Vec<State>,
    /// Rates by state to others of this number of documents, of one more, and of one fewer.
    pub(super) within: Vec<Vec<(usize, f64)>>,
    pub(super) up: Vec<Vec<(usize, f64)>>,
    pub(super) down: Vec<Vec<(usize, f64)>>,
    known: BTreeMap<State, usize>,
}

/// The chain under a policy.
#[derive(Debug)]
pub(super) struct Chain {
    /// By number of documents.
    pub(super) levels: Vec<Level>,
}

/// A rate to a state with so many documents.
type Jump = (usize, State, f64);

impl Chain {
    /// All states that are reached under a policy that wants so many robots with 0, 1, ... documents.
    pub(super) fn new(model: &Finishing, wanted: &[u32]) -> Result<Self, FinishingError> {
        let mut chain = Self { levels: Vec::new() };
        let jumps = Jumps { model, wanted };
        // All fresh robots in one phase: every state leads back to it.
        let first = likeliest(model.fetch.start());
        let robots = (0..model.fetch.order()).map(|phase| if phase == first { wanted[0] } else { 0 }).collect();
        chain.find(0, State { robots, service: 0 });
        let mut open = vec![(0, 0)];
        let mut states = 1;
        while let Some((documents, from)) = open.pop() {
            let state = chain.levels[documents].states[from].clone();
            for (to_documents, to_state, rate) in jumps.of(documents, &state) {
                let (to, is_new) = chain.find(to_documents, to_state);
                if is_new {
                    open.push((to_documents, to));
                    states += 1;
                }
                chain.levels[documents].add(from, to_documents as isize - documents as isize, to, rate);
            }
            chain.check(states, documents)?;
        }
        chain.check_work(states)?;
        Ok(chain)
    }

    /// The position of a state among those with so many documents, and whether it is new.
    fn find(&mut self, documents: usize, state: State) -> (usize, bool) {
        while self.levels.len() <= documents {
            self.levels.push(Level::default());
        }
        self.levels[documents].find(state)
    }

    fn check(&self, states: usize, documents: usize) -> Result<(), FinishingError> {
        let block = self.levels[documents].states.len();
        if states > MOST_STATES || block > MOST_OF_ONE {
            return Err(FinishingError::TooLarge { states, block });
        }
        Ok(())
    }

    fn check_work(&self, states: usize) -> Result<(), FinishingError> {
        let block = self.levels.iter().map(|level| level.states.len()).max().unwrap_or(0);
        if self.work() > MOST_WORK { Err(FinishingError::TooLarge { states, block }) } else { Ok(()) }
    }

    /// Multiplications that solving it takes, about.
    pub(super) fn work(&self) -> f64 {
        self.levels.iter().map(|level| (level.states.len() as f64).powi(3)).sum()
    }
}

impl Level {
    fn find(&mut self, state: State) -> (usize, bool) {
        if let Some(known) = self.known.get(&state) {
            return (*known, false);
        }
        let position = self.states.len();
        self.known.insert(state.clone(), position);
        self.states.push(state);
        for rates in [&mut self.within, &mut self.up, &mut self.down] {
            rates.push(Vec::new());
        }
        (position, true)
    }

    fn add(&mut self, from: usize, step: isize, to: usize, rate: f64) {
        match step {
            0 if from == to => {}
            0 => self.within[from].push((to, rate)),
            1 => self.up[from].push((to, rate)),
            _ => self.down[from].push((to, rate)),
        }
    }
}

/// What can happen.
struct Jumps<'a> {
    model: &'a Finishing,
    wanted: &'a [u32],
}

impl Jumps<'_> {
    fn of(&self, documents: usize, state: &State) -> Vec<Jump> {
        let mut jumps = self.of_robots(documents, state);
        if documents > 0 {
            self.of_indexer(documents, state, &mut jumps);
        }
        jumps
    }

    /// Robots go on, or are back.
    fn of_robots(&self, documents: usize, state: &State) -> Vec<Jump> {
        let (fetch, brings) = (&self.model.fetch, self.model.brings);
        let under_way = state.under_way();
        let speed = self.model.at_work[under_way as usize] / f64::from(under_way.max(1));
        let mut jumps = Vec::new();
        for (phase, robots) in state.robots.iter().enumerate().filter(|(_, robots)| **robots > 0) {
            let pace = f64::from(*robots) * speed;
            for (next, rate) in onward(fetch, phase) {
                let mut moved = state.clone();
                moved.robots[phase] -= 1;
                moved.robots[next] += 1;
                jumps.push((documents, moved, pace * rate));
            }
            let back = pace * fetch.exits()[phase];
            if back == 0.0 {
                continue;
            }
            let mut left = state.robots.clone();
            left[phase] -= 1;
            self.arrive(documents, state.service, &left, back * brings, &mut jumps);
            if brings < 1.0 {
                self.put(documents, state.service, left, back * (1.0 - brings), &mut jumps);
            }
        }
        jumps
    }

    /// A document comes; it is lost if there is no place.
    fn arrive(&self, documents: usize, service: usize, robots: &Robots, rate: f64, jumps: &mut Vec<Jump>) {
        if documents > 0 {
            self.put((documents + 1).min(self.model.buffer), service, robots.clone(), rate, jumps);
            return;
        }
        for (phase, share) in beginnings(&self.model.service) {
            self.put(1, phase, robots.clone(), rate * share, jumps);
        }
    }

    /// The indexer goes on or is done, or a document becomes obsolete.
    fn of_indexer(&self, documents: usize, state: &State, jumps: &mut Vec<Jump>) {
        let service = &self.model.service;
        for (next, rate) in onward(service, state.service) {
            jumps.push((documents, State { robots: state.robots.clone(), service: next }, rate));
        }
        let (done, left) = (service.exits()[state.service], documents - 1);
        if done > 0.0 && left == 0 {
            self.put(0, 0, state.robots.clone(), done, jumps);
        } else if done > 0.0 {
            for (phase, share) in beginnings(service) {
                self.put(left, phase, state.robots.clone(), done * share, jumps);
            }
        }
        let obsolete = left as f64 * self.model.obsolescence;
        if obsolete > 0.0 {
            self.put(left, state.service, state.robots.clone(), obsolete, jumps);
        }
    }

    /// Robots are sent out while more are wanted; each begins its fetch in some phase.
    fn put(&self, documents: usize, service: usize, robots: Robots, rate: f64, jumps: &mut Vec<Jump>) {
        let mut fleets = BTreeMap::from([(robots, rate)]);
        let under_way = fleets.keys().flatten().sum::<u32>();
        for _ in under_way..self.wanted[documents].max(under_way) {
            let mut more = BTreeMap::new();
            for (robots, rate) in fleets {
                for (phase, share) in beginnings(&self.model.fetch) {
                    let mut robots = robots.clone();
                    robots[phase] += 1;
                    *more.entry(robots).or_insert(0.0) += rate * share;
                }
            }
            fleets = more;
        }
        jumps.extend(fleets.into_iter().map(|(robots, rate)| (documents, State { robots, service }, rate)));
    }
}

/// Phases in which a time begins, with their probabilities.
fn beginnings(law: &PhaseType) -> impl Iterator<Item = (usize, f64)> {
    law.start().iter().copied().enumerate().filter(|(_, share)| *share > 0.0)
}

/// Phases that follow one, with their rates.
fn onward(law: &PhaseType, phase: usize) -> impl Iterator<Item = (usize, f64)> {
    law.rates().row(phase).iter().copied().enumerate().filter(move |(next, rate)| *next != phase && *rate > 0.0)
}

fn likeliest(start: &[f64]) -> usize {
    (0..start.len()).fold(0, |best, phase| if start[phase] > start[best] { phase } else { best })
}

/// Rates as a matrix.
pub(super) fn matrix(rates: &[Vec<(usize, f64)>], columns: usize) -> Matrix {
    let mut matrix = Matrix::zeros(rates.len(), columns);
    for (from, rates) in rates.iter().enumerate() {
        for (to, rate) in rates {
            matrix[(from, *to)] += rate;
        }
    }
    matrix
}
