//! What becomes of the pages that wait.

use super::{Nature, Oldest};
use crate::model::Model;
use crate::queue::ageing::Ageing;
use crate::queue::frame::Frame;

/// Bounds on the mean number of waiting pages that will be indexed, and that will become obsolete, by row and service phase.
///
/// Under first come, first served it does not depend on anything that arrives later. By Little's law (C-19) the mean number of
/// pages in the system that will be indexed is `lambda P_success` times their mean time in it, and so for obsolete ones.
pub(in crate::queue) struct Prospects {
    /// By level, row, service phase: (least, most) indexed, (least, most) obsolete.
    values: Vec<Vec<f64>>,
    service_phases: usize,
}

const COLUMNS: usize = 4;

/// With cycles a level is solved again until no value changes by more than this part of itself.
const SETTLED: f64 = 1e-14;

impl Prospects {
    /// With `T_i` the number that will be indexed and `A_i`, `B_i` as in the Lemma, `-A_i T_i = S_0 + B_i T_{i-1}` for two or
    /// more pages: the end of a service starts that of the next page. For obsolete ones `Gamma_0` stands for `S_0`.
    pub(in crate::queue) fn new(model: &Model, ageing: &Ageing, oldest: usize, nature: Nature) -> Self {
        let frame = Frame::of_service(model);
        let space = Oldest::new(&frame, ageing, oldest, nature);
        let ends = model.service().exits();
        let mut values = vec![vec![0.0; COLUMNS], vec![0.0; ends.len() * COLUMNS]];
        for i in 2..=frame.top() {
            let right =
                space.filled(i, COLUMNS, |row, m, column| if column < 2 { ends[m] } else { space.exit(i, row) });
            let mut here = space.solved(i, &values[i - 1], right.clone(), &vec![0.0; right.len()]);
            while !ageing.is_acyclic() {
                let next = space.solved(i, &values[i - 1], right.clone(), &here);
                let settled = here.iter().zip(&next).all(|(old, new)| (new - old).abs() <= SETTLED * new);
                here = next;
                if settled {
                    break;
                }
            }
            values.push(here);
        }
        Self { values, service_phases: ends.len() }
    }

    /// Least and most of the pages in a state of level `i` that will be indexed, the one in service included.
    pub(in crate::queue) fn indexed(&self, i: usize, row: usize, service_phase: usize) -> [f64; 2] {
        let [low, high] = self.pair(i, row, service_phase, 0);
        let in_service = f64::from(u8::from(i > 0));
        [in_service + low, in_service + high]
    }

    /// Least and most of the pages in a state of level `i` that will become obsolete.
    pub(in crate::queue) fn obsolete(&self, i: usize, row: usize, service_phase: usize) -> [f64; 2] {
        self.pair(i, row, service_phase, 2)
    }

    fn pair(&self, i: usize, row: usize, service_phase: usize, column: usize) -> [f64; 2] {
        if i == 0 {
            return [0.0, 0.0];
        }
        let start = (row * self.service_phases + service_phase) * COLUMNS + column;
        [self.values[i][start], self.values[i][start + 1]]
    }
}
