//! The generator of the whole system, block by block: the Lemma of ADKNS section 3.
//!
//! A state with `i >= 1` pages is (arrival phase, service phase, obsolescence phases of the `i - 1` waiting pages in order of
//! arrival), in lexicographic order.

use crate::arrivals::Bmap;
use crate::matrix::{Matrix, dot};
use crate::model::{Admission, Model, RobotPolicy};

pub(crate) struct Blocks<'a> {
    model: &'a Model,
    policy: &'a RobotPolicy,
    /// `gamma`, `Gamma` and `Gamma_0`; one phase that never ends if there is no obsolescence.
    pub(crate) gamma: Vec<f64>,
    gamma_rates: Matrix,
    pub(crate) gamma_exits: Vec<f64>,
}

impl<'a> Blocks<'a> {
    pub(crate) fn new(model: &'a Model, policy: &'a RobotPolicy) -> Self {
        match model.reduced_obsolescence() {
            Some(law) => Self {
                model,
                policy,
                gamma: law.start().to_vec(),
                gamma_rates: law.rates().clone(),
                gamma_exits: law.exits().to_vec(),
            },
            None => Self::without_obsolescence(model, policy),
        }
    }

    /// The same with pages that never become obsolete.
    pub(crate) fn without_obsolescence(model: &'a Model, policy: &'a RobotPolicy) -> Self {
        Self { model, policy, gamma: vec![1.0], gamma_rates: Matrix::zeros(1, 1), gamma_exits: vec![0.0] }
    }

    /// The most pages there can be.
    pub(crate) fn top(&self) -> usize {
        self.model.most_pages()
    }

    /// Arrival process with `i` pages in the system.
    pub(crate) fn arrivals(&self, i: usize) -> &Bmap {
        // The policy was checked against the model when it was made.
        let robots = self.policy.with_pages(i);
        self.model.arrivals_of(robots).unwrap_or(&self.model.arrivals()[0].1)
    }

    pub(crate) fn w(&self) -> usize {
        self.model.arrivals()[0].1.phases()
    }

    pub(crate) fn m(&self) -> usize {
        self.model.service().order()
    }

    pub(crate) fn r(&self) -> usize {
        self.gamma.len()
    }

    /// Obsolescence phases of `waiting` pages.
    pub(crate) fn waiting_states(&self, waiting: usize) -> usize {
        self.r().pow(waiting as u32)
    }

    /// States with `i` pages, other than the arrival phase.
    pub(crate) fn inner_states(&self, i: usize) -> usize {
        if i == 0 { 1 } else { self.m() * self.waiting_states(i - 1) }
    }

    /// How many pages of a batch of `k` are admitted with `i` in the system.
    pub(crate) fn admitted(&self, i: usize, k: usize) -> usize {
        let free = self.model.buffer().saturating_sub(i);
        match self.model.admission() {
            Admission::Partial => k.min(free),
            Admission::CompleteRejection => {
                if k <= free {
                    k
                } else {
                    0
                }
            }
            Admission::CompleteAdmission => {
                if free > 0 {
                    k
                } else {
                    0
                }
            }
        }
    }

    /// The sum of the `D_k`, `k >= 1`, of which `l` pages are admitted with `i` in the system.
    fn batches_admitted(&self, i: usize, l: usize) -> Matrix {
        let mut sum = Matrix::zeros(self.w(), self.w());
        let (d, free) = (self.arrivals(i).matrices(), self.model.buffer().saturating_sub(i));
        let sizes = match (self.model.admission(), l) {
            // All that find fewer places than they need.
            (Admission::Partial, l) if l == free => l.max(1)..d.len(),
            (Admission::CompleteRejection, 0) => free + 1..d.len(),
            (Admission::CompleteAdmission, 0) if free == 0 => 1..d.len(),
            // Just those of that size.
            (_, 0) => 0..0,
            (_, l) => l..l + 1,
        };
        for k in sizes.filter(|&k| k < d.len() && self.admitted(i, k) == l) {
            sum.add(1.0, &d[k]);
        }
        sum
    }

    /// Rates at which pages arrive, and are lost, in each arrival phase with `i` in the system.
    pub(crate) fn arriving_and_lost(&self, i: usize) -> (Vec<f64>, Vec<f64>) {
        let (mut arriving, mut lost) = (vec![0.0; self.w()], vec![0.0; self.w()]);
        for (k, d) in self.arrivals(i).matrices().iter().enumerate().skip(1) {
            for nu in 0..self.w() {
                let batches: f64 = d.row(nu).iter().sum();
                arriving[nu] += k as f64 * batches;
                lost[nu] += (k - self.admitted(i, k)) as f64 * batches;
            }
        }
        (arriving, lost)
    }

    /// The largest jump up from `i`.
    pub(crate) fn largest_jump(&self, i: usize) -> usize {
        let (batch, free) = (self.arrivals(i).largest_batch(), self.model.buffer().saturating_sub(i));
        match self.model.admission() {
            Admission::Partial | Admission::CompleteRejection => batch.min(free),
            Admission::CompleteAdmission => self.admitted(i, batch),
        }
    }

    /// `Q_{i,i+l}`: `D_l (x) I (x) gamma^l`, with a service started if the system was empty.
    pub(crate) fn up(&self, i: usize, l: usize) -> Matrix {
        let batches = self.batches_admitted(i, l);
        let fresh = |pages: usize| power(&Matrix::row_vector(&self.gamma), pages);
        if i == 0 {
            return batches.kronecker(&Matrix::row_vector(self.model.service().start())).kronecker(&fresh(l - 1));
        }
        batches.kronecker(&Matrix::identity(self.inner_states(i))).kronecker(&fresh(l))
    }

    /// The rates of `Q_{i,i}`; what stands on the diagonal is of no account.
    pub(crate) fn within(&self, i: usize) -> Matrix {
        let mut phases = self.arrivals(i).matrices()[0].clone();
        phases.add(1.0, &self.batches_admitted(i, 0));
        if i == 0 { phases } else { phases.kronecker_sum(&self.inner(i - 1)) }
    }

    /// `A = S (+) Gamma^(+ waiting)`: service and ageing with as many pages waiting; what stands on the diagonal is of no account.
    pub(crate) fn inner(&self, waiting: usize) -> Matrix {
        let service = self.model.service().rates();
        if self.r() == 1 {
            // One phase of obsolescence adds to the diagonal only.
            return service.clone();
        }
        (0..waiting).fold(service.clone(), |sum, _| sum.kronecker_sum(&self.gamma_rates))
    }

    /// `Q_{i,i-1}`.
    pub(crate) fn down(&self, i: usize) -> Matrix {
        Matrix::identity(self.w()).kronecker(&self.departures(i - 1))
    }

    /// `B = S_0 beta (x) e (x) I + I (x) Gamma_0^(+ waiting)`; with nobody waiting `S_0`.
    pub(crate) fn departures(&self, waiting: usize) -> Matrix {
        let service = self.model.service();
        let exits = Matrix::column_vector(service.exits());
        if waiting == 0 {
            return exits;
        }
        let r = self.r();
        let restart = exits.times(&Matrix::row_vector(service.start()));
        if r == 1 {
            let mut sum = restart;
            sum.add(waiting as f64 * self.gamma_exits[0], &Matrix::identity(self.m()));
            return sum;
        }
        let first_leaves =
            Matrix::column_vector(&vec![1.0; r]).kronecker(&Matrix::identity(self.waiting_states(waiting - 1)));
        let mut sum = restart.kronecker(&first_leaves);
        let ageing = Matrix::column_vector(&self.gamma_exits);
        for place in 0..waiting {
            let before = Matrix::identity(self.m() * self.waiting_states(place));
            let after = Matrix::identity(self.waiting_states(waiting - 1 - place));
            sum.add(1.0, &before.kronecker(&ageing).kronecker(&after));
        }
        sum
    }

    /// The mass of each arrival phase with `i` pages.
    pub(crate) fn arrival_phases(&self, i: usize, p: &[f64]) -> Vec<f64> {
        p.chunks(self.inner_states(i)).map(|chunk| chunk.iter().sum()).collect()
    }

    /// Rate at which pages are indexed with `i` pages.
    pub(crate) fn service_flow(&self, i: usize, p: &[f64]) -> f64 {
        if i == 0 {
            return 0.0;
        }
        let waiting = self.waiting_states(i - 1);
        let by_phase = p.chunks(waiting).map(|chunk| chunk.iter().sum::<f64>());
        by_phase.zip(self.model.service().exits().iter().cycle()).map(|(mass, exit)| mass * exit).sum()
    }

    /// Rate at which waiting pages become obsolete with `i` pages.
    pub(crate) fn obsolescence_flow(&self, i: usize, p: &[f64]) -> f64 {
        if i < 2 {
            return 0.0;
        }
        let (r, states) = (self.r(), self.waiting_states(i - 1));
        if r == 1 {
            return (i - 1) as f64 * self.gamma_exits[0] * p.iter().sum::<f64>();
        }
        let exits: Vec<f64> = (0..states)
            .map(|code| (0..i - 1).map(|place| self.gamma_exits[code / r.pow(place as u32) % r]).sum())
            .collect();
        p.chunks(states).map(|chunk| dot(chunk, &exits)).sum()
    }

    /// For a batch process with `i` pages: rates at which batches of `k` come, by inner state.
    pub(crate) fn batches_seen(&self, i: usize, p: &[f64], k: usize) -> Vec<f64> {
        let rates = self.arrivals(i).matrices()[k].row_sums();
        let inner = self.inner_states(i);
        (0..inner).map(|s| rates.iter().enumerate().map(|(nu, rate)| rate * p[nu * inner + s]).sum()).collect()
    }

    pub(crate) fn model(&self) -> &Model {
        self.model
    }
}

/// The `n`-th Kronecker power.
fn power(m: &Matrix, n: usize) -> Matrix {
    if m.entries().len() == 1 {
        return Matrix::from_fn(1, 1, |_, _| m[(0, 0)].powi(n as i32));
    }
    (0..n).fold(Matrix::identity(1), |product, _| product.kronecker(m))
}
