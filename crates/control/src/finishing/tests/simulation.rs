//! Robots and documents one by one: nothing of the chain is used here.

use std::collections::VecDeque;

use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::finishing::Finishing;

/// What is measured.
pub(super) const NAMES: [&str; 7] =
    ["arrivals", "loss", "obsolete", "starvation", "robots", "sojourn served", "sojourn"];

/// The system in motion.
pub(super) struct Simulation<'a> {
    system: &'a Finishing,
    wanted: &'a [u32],
    rng: Pcg64Mcg,
    now: f64,
    /// When each robot under way will be back.
    robots: Vec<f64>,
    /// When each document came and when it becomes obsolete if it still waits, the one being indexed first.
    documents: VecDeque<(f64, f64)>,
    done_at: f64,
    tally: Tally,
}

#[derive(Default)]
struct Tally {
    arrivals: f64,
    lost: f64,
    obsolete: f64,
    served: f64,
    starved: f64,
    robots: f64,
    sojourn_served: f64,
    sojourn_obsolete: f64,
}

impl<'a> Simulation<'a> {
    pub(super) fn new(system: &'a Finishing, wanted: &'a [u32], seed: u64) -> Self {
        let rng = Pcg64Mcg::seed_from_u64(seed);
        let (robots, documents) = (Vec::new(), VecDeque::new());
        let tally = Tally::default();
        Self { system, wanted, rng, now: 0.0, robots, documents, done_at: f64::INFINITY, tally }
    }

    /// Mean and standard error of each measure over batches of so much time, after one to warm up.
    pub(super) fn run(mut self, batches: usize, time: f64) -> [(f64, f64); 7] {
        self.until(time);
        let values: Vec<[f64; 7]> = (0..batches).map(|batch| self.batch((batch + 2) as f64 * time, time)).collect();
        std::array::from_fn(|k| {
            let n = batches as f64;
            let mean = values.iter().map(|batch| batch[k]).sum::<f64>() / n;
            let squares: f64 = values.iter().map(|batch| (batch[k] - mean).powi(2)).sum();
            (mean, (squares / (n - 1.0) / n).sqrt())
        })
    }

    fn batch(&mut self, end: f64, time: f64) -> [f64; 7] {
        self.tally = Tally::default();
        self.until(end);
        let t = &self.tally;
        let all = t.sojourn_served + t.sojourn_obsolete;
        [
            t.arrivals / time,
            t.lost / t.arrivals,
            t.obsolete / t.arrivals,
            t.starved / time,
            t.robots / time,
            t.sojourn_served / t.served,
            all / t.arrivals,
        ]
    }

    fn until(&mut self, end: f64) {
        while self.now < end {
            while self.robots.len() < self.wanted[self.documents.len()] as usize {
                let time = self.system.fetch.sample(&mut self.rng);
                self.robots.push(self.now + time);
            }
            let back = self.robots.iter().copied().enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
            let waiting = self.documents.iter().enumerate().skip(1).map(|(k, (_, deadline))| (k, *deadline));
            let obsolete = waiting.min_by(|a, b| a.1.total_cmp(&b.1));
            let [back_at, obsolete_at] = [back, obsolete].map(|next| next.map_or(f64::INFINITY, |(_, at)| at));
            let next = back_at.min(obsolete_at).min(self.done_at);
            self.pass(next.min(end));
            match () {
                () if next > end => {}
                () if next == self.done_at => self.done(),
                () if next == back_at => self.back(back.map_or(0, |(robot, _)| robot)),
                () => self.obsolete(obsolete.map_or(0, |(k, _)| k)),
            }
        }
    }

    fn pass(&mut self, to: f64) {
        let time = to - self.now;
        self.tally.robots += time * self.robots.len() as f64;
        self.tally.starved += if self.documents.is_empty() { time } else { 0.0 };
        self.now = to;
    }

    fn back(&mut self, robot: usize) {
        self.robots.swap_remove(robot);
        if self.rng.random::<f64>() >= self.system.brings {
            return;
        }
        self.tally.arrivals += 1.0;
        if self.documents.len() == self.system.buffer {
            self.tally.lost += 1.0;
            return;
        }
        let wait = exponential(&mut self.rng) / self.system.obsolescence;
        self.documents.push_back((self.now, self.now + wait));
        if self.documents.len() == 1 {
            self.begin();
        }
    }

    fn begin(&mut self) {
        self.done_at = self.now + self.system.service.sample(&mut self.rng);
    }

    fn done(&mut self) {
        let Some((came, _)) = self.documents.pop_front() else { return };
        self.tally.served += 1.0;
        self.tally.sojourn_served += self.now - came;
        self.done_at = f64::INFINITY;
        if !self.documents.is_empty() {
            self.begin();
        }
    }

    fn obsolete(&mut self, which: usize) {
        let Some((came, _)) = self.documents.remove(which) else { return };
        self.tally.obsolete += 1.0;
        self.tally.sojourn_obsolete += self.now - came;
    }
}

fn exponential<R: Rng>(rng: &mut R) -> f64 {
    -(1.0 - rng.random::<f64>()).ln()
}
