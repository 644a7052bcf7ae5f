//! The models of ADKNS section 7, with the misprints corrected.

use super::{Costs, Model};
use crate::arrivals::Bmap;
use crate::matrix::Matrix;
use crate::phase_type::PhaseType;

fn matrix(entries: [f64; 4]) -> Matrix {
    Matrix::from_fn(2, 2, |i, j| entries[2 * i + j])
}

fn bmap(d: &[[f64; 4]]) -> Bmap {
    Bmap::new(d.iter().map(|entries| matrix(*entries)).collect()).unwrap_or_else(|error| unreachable!("{error}"))
}

fn law(start: [f64; 2], rates: [f64; 4]) -> PhaseType {
    PhaseType::new(&start, &matrix(rates)).unwrap_or_else(|error| unreachable!("{error}"))
}

/// The service law of the first example, mean 0.657.
#[must_use]
pub fn paper_service() -> PhaseType {
    law([0.4, 0.6], [-3.0, 1.0, 2.0, -3.0])
}

/// The obsolescence law of the first example, mean 5. It is exponential in disguise.
#[must_use]
pub fn paper_obsolescence() -> PhaseType {
    law([0.3, 0.7], [-0.6, 0.4, 0.1, -0.3])
}

/// The arrival processes of the first example, for one to four robots.
///
/// Corrected: the last entry of `D_0^(3)` is -3.48, the first entries of `D_1^(2)` and `D_2^(2)` are 0.01 and 0.02.
#[must_use]
pub fn paper_arrivals() -> Vec<(u32, Bmap)> {
    vec![
        (1, bmap(&[[-10.0, 2.0, 0.0, -0.5], [0.05, 3.0, 0.29, 0.005], [0.05, 4.9, 0.2, 0.005]])),
        (2, bmap(&[[-5.65, 1.1, 0.0, -0.85], [0.01, 2.5, 0.25, 0.0], [0.02, 0.5, 0.25, 0.0], [0.02, 1.5, 0.1, 0.25]])),
        (3, bmap(&[[-2.48, 0.48, 0.48, -3.48], [1.5, 0.0, 0.0, 2.25], [0.5, 0.0, 0.0, 0.75]])),
        (
            4,
            bmap(&[
                [-1.45, 0.45, 0.6, -2.6],
                [0.25, 0.0, 0.0, 0.5],
                [0.0, 0.0, 0.0, 0.0],
                [0.0, 0.0, 0.0, 0.0],
                [0.75, 0.0, 0.0, 1.5],
            ]),
        ),
    ]
}

/// The costs of the first example.
pub const PAPER_COSTS: Costs = Costs { loss: 5.0, obsolete: 10.0, sojourn: 2.0, robot: 20.0, starvation: 300.0 };

/// The first example with room for `buffer` pages (5 in the paper).
///
/// # Panics
/// If `buffer` is zero.
#[must_use]
pub fn paper(buffer: usize) -> Model {
    Model::new(buffer, paper_service(), Some(paper_obsolescence()), paper_arrivals(), PAPER_COSTS)
        .unwrap_or_else(|error| panic!("{error}"))
}

/// The measured crawler: up to four robots, 20 places.
///
/// The printed `D_0` is rounded so that the rows of `D_0 + D_1` do not vanish; here `D_0` has the row sums of `A`.
#[must_use]
pub fn measured_crawler() -> Model {
    let a = [0.0037, 6.58e-5, 1.3e-4, 0.0064];
    let sizes = [0.040445227, 0.18404232, 0.26405114, 0.5057307, 8.8163983e-4, 7.7143486e-4, 0.0018734847, 0.00220405];
    let sum: f64 = sizes.iter().sum();
    let d0 = [-(a[0] + a[1]), 0.0, 0.0, -(a[2] + a[3])];
    let batches = bmap(&[d0, a]).with_batches(&sizes.map(|p| p / sum));
    let arrivals = (1..=4).map(|r| (r, batches.sped_up(f64::from(r)))).collect();
    let service = law([0.0057, 0.9943], [-0.0014, 0.0, 0.0, -0.2409]);
    let obsolescence = PhaseType::exponential(0.0005).ok();
    let costs = Costs { loss: 200.0, obsolete: 250.0, sojourn: 3.0, robot: 20.0, starvation: 600.0 };
    Model::new(20, service, obsolescence, arrivals, costs).unwrap_or_else(|error| unreachable!("{error}"))
}
