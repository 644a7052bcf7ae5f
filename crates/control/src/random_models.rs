//! Models drawn at random, for tests.

use rand::RngExt;
use rand_pcg::Pcg64Mcg;

use crate::arrivals::Bmap;
use crate::matrix::Matrix;
use crate::model::{Costs, Model};
use crate::phase_type::PhaseType;

/// One or two phases of arrival and service, two to four modes, batches of up to three, up to `buffer` places; obsolescence
/// none, exponential, or of two phases if there are few places.
pub(crate) fn random_model(rng: &mut Pcg64Mcg, buffer: usize) -> Model {
    let buffer = rng.random_range(1..=buffer);
    let phases = rng.random_range(1..=2);
    let arrivals = (1..=rng.random_range(2..=4)).map(|r| (r, random_bmap(rng, phases, f64::from(r)))).collect();
    let service = random_law(rng, 1.0);
    let obsolescence = match rng.random_range(0..3) {
        0 => None,
        1 if buffer <= 4 => Some(random_law(rng, 4.0)),
        _ => PhaseType::exponential(rng.random_range(0.05..1.0)).ok(),
    };
    let mut cost = |most: f64| rng.random_range(0.0..most);
    let costs =
        Costs { loss: cost(10.0), obsolete: cost(10.0), sojourn: cost(4.0), robot: cost(5.0), starvation: cost(50.0) };
    Model::new(buffer, service, obsolescence, arrivals, costs).unwrap()
}

fn random_bmap(rng: &mut Pcg64Mcg, phases: usize, pace: f64) -> Bmap {
    let batches = rng.random_range(1..=3);
    let mut d: Vec<Matrix> = (0..=batches)
        .map(|_| {
            let entries: Vec<f64> = (0..phases * phases).map(|_| pace * rng.random::<f64>().powi(3)).collect();
            Matrix::from_fn(phases, phases, |i, j| entries[i * phases + j])
        })
        .collect();
    for i in 0..phases {
        d[0][(i, i)] = 0.0;
        let out: f64 = d.iter().map(|m| m.row_sums()[i]).sum();
        d[0][(i, i)] = -out;
    }
    Bmap::new(d).unwrap()
}

fn random_law(rng: &mut Pcg64Mcg, mean: f64) -> PhaseType {
    let p = rng.random_range(0.1..0.9);
    let rates = [rng.random_range(0.3..3.0), rng.random_range(0.3..3.0)];
    match rng.random_range(0..3) {
        0 => PhaseType::exponential(rates[0]),
        1 => PhaseType::hyper_exponential(&[p, 1.0 - p], &rates),
        _ => PhaseType::coxian(&rates, &[p]),
    }
    .unwrap()
    .scaled(mean)
}
