//! C-27 for arrivals: the likelihood rises and is that of the process, and known processes are recovered.

use proptest::prelude::*;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::fit::map2;

/// Gaps and batches of a process, from its first batch on.
pub(crate) fn simulated(process: &Bmap, batches: usize, seed: u64) -> Vec<Observation> {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let (mut phase, mut gap, mut run) = (0, 0.0, Vec::new());
    while run.len() < batches {
        let (wait, batch, next) = process.step(phase, &mut rng);
        gap += wait;
        phase = next;
        if batch > 0 {
            run.push((gap, batch));
            gap = 0.0;
        }
    }
    run
}

/// `ln P` of a run by powers of matrices: `pi exp(D_0 x_1) D_{b_1} exp(D_0 x_2) ... e`, the exponential by its series after
/// halving.
fn log_likelihood(process: &Bmap, start: &[f64], run: &[Observation]) -> f64 {
    let n = process.phases();
    let exponential = |x: f64| {
        let mut power = Matrix::identity(n);
        let mut sum = power.clone();
        let step = process.matrices()[0].scaled(x / 1024.0);
        for k in 1..20 {
            power = power.times(&step).scaled(1.0 / f64::from(k));
            sum.add(1.0, &power);
        }
        (0..10).fold(sum, |sum, _| sum.times(&sum))
    };
    let (mut row, mut log) = (start.to_vec(), 0.0);
    for &(gap, batch) in run {
        row = process.matrices()[batch].after(&exponential(gap).after(&row));
        let total: f64 = row.iter().sum();
        log += total.ln();
        row.iter_mut().for_each(|mass| *mass /= total);
    }
    log
}

#[test]
fn c27_the_likelihood_is_that_of_the_process() {
    let process = crate::model::examples::paper(5).arrivals()[2].1.clone();
    let run = simulated(&process, 200, 1);
    let climb =
        hidden_chain(std::slice::from_ref(&run), &[2, 1], &EmOptions { iterations: 30, tolerance: 0.0 }).unwrap();
    let chain = &climb.parameters;
    let start = [chain.start[0], 0.0, chain.start[1]];
    let wanted = log_likelihood(&chain.process().unwrap(), &start, &run);
    // The process has moves of at least 1e-9, the chain may have none.
    assert!((climb.log_likelihood() - wanted).abs() < 1e-4, "{} {wanted}", climb.log_likelihood());
}

#[test]
fn c27_errors_shrink_with_the_root_of_the_sample() {
    // Hyper-exponential gaps, slowly decaying correlation.
    let moments = [1.0, 4.0, 30.0];
    let process = map2::from_decay(&moments, 0.8).unwrap();
    let d1 = &process.matrices()[1];
    let error = |n: usize| {
        let one = |seed: u64| {
            let options = EmOptions { iterations: 300, tolerance: 1e-7 };
            let fitted = hidden_chain(&[simulated(&process, n, seed)], &[1, 1], &options).unwrap();
            let fitted = fitted.parameters.process().unwrap();
            let m = &fitted.matrices()[1];
            let slow = usize::from(m.row_sums()[1] < m.row_sums()[0]);
            let at = |i: usize, j: usize| m[(i ^ slow, j ^ slow)];
            let square = |i: usize, j: usize| (at(i, j) / d1[(i, j)] - 1.0).powi(2);
            (square(0, 0) + square(0, 1) + square(1, 0) + square(1, 1)) / 4.0
        };
        ((1..=6).map(one).sum::<f64>() / 6.0).sqrt()
    };
    let (few, many) = (error(1000), error(16_000));
    // Sixteen times the sample: a quarter of the error. Six seeds scatter by about a third.
    assert!(many < 0.08, "{few} {many}");
    assert!((2.0..8.0).contains(&(few / many)), "{few} {many}");
}

#[test]
fn c27_batches_that_depend_on_the_phase_are_seen() {
    // Slow phase: single pages; fast phase: batches of three.
    let d0 = Matrix::from_fn(2, 2, |i, j| if i == j { [-0.2, -5.0][i] } else { 0.0 });
    let d1 = Matrix::from_fn(2, 2, |i, j| [[0.15, 0.05], [0.0, 0.0]][i][j]);
    let d3 = Matrix::from_fn(2, 2, |i, j| [[0.0, 0.0], [0.5, 4.5]][i][j]);
    let process = Bmap::new(vec![d0, d1, Matrix::zeros(2, 2), d3]).unwrap();
    let run = simulated(&process, 4000, 3);
    let fitted = hidden_chain(&[run], &[1, 1], &EmOptions::default()).unwrap().parameters.process().unwrap();
    let slow = usize::from(fitted.matrices()[0][(1, 1)] > fitted.matrices()[0][(0, 0)]);
    let at = |k: usize, i: usize, j: usize| fitted.matrices()[k][(i ^ slow, j ^ slow)];
    // 4000 batches, about 360 changes of phase each way: five standard errors are about a quarter.
    for (got, wanted) in [(at(1, 0, 0), 0.15), (at(1, 0, 1), 0.05), (at(3, 1, 0), 0.5), (at(3, 1, 1), 4.5)] {
        assert!((got / wanted - 1.0).abs() < 0.25, "{got} {wanted}");
    }
    assert!(at(3, 0, 0) < 1e-3 && at(1, 1, 1) < 1e-2);
    assert_eq!(fitted.matrices()[2], Matrix::zeros(2, 2), "no batch of two was seen");
}

#[test]
fn c27_long_sequences_and_far_gaps_do_not_underflow() {
    let mut run: Vec<Observation> = (0..20_000).map(|i| (1.0 + f64::from(i % 7), 1)).collect();
    run[10_000].0 = 1e7;
    let climb = best_hidden_chain(&[run], 2, &EmOptions { iterations: 5, tolerance: 0.0 }).unwrap();
    assert!(climb.log_likelihood().is_finite());
    assert!(climb.parameters.process().is_ok());
}

#[test]
fn wrong_sequences_are_refused() {
    let error = |gaps: &[f64], phases| {
        let run = gaps.iter().map(|gap| (*gap, 1)).collect();
        best_hidden_chain(&[run], phases, &EmOptions::default()).unwrap_err().to_string()
    };
    assert!(error(&[1.0; 9], 2).contains("too few gaps to fit anything: 9"));
    assert!(error(&[0.0; 10], 2).contains("value 1 of the sample is 0"));
    assert!(error(&[1.0; 10], 0).contains("0 phases"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// The likelihood never falls (beyond rounding), whatever the sequence, and what comes out is an arrival process.
    #[test]
    fn c27_the_likelihood_never_falls(
        gaps in prop::collection::vec((-3.0f64..3.0, 1usize..4), 20..80), cut in 1usize..19, phases in 1usize..5
    ) {
        let run: Vec<Observation> = gaps.iter().map(|(x, batch)| (x.exp(), *batch)).collect();
        let runs = [run[..cut].to_vec(), run[cut..].to_vec()];
        for orders in partitions(phases) {
            let climb = hidden_chain(&runs, &orders, &EmOptions { iterations: 40, tolerance: 0.0 }).unwrap();
            for pair in climb.log_likelihoods.windows(2) {
                prop_assert!(pair[1] >= pair[0] - 1e-11 * pair[0].abs(), "{:?}", pair);
            }
            prop_assert!(climb.parameters.process().is_ok());
        }
    }
}
