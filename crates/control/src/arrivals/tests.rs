//! C-4 and C-5 against the paper's printed figures, published moments and simulation.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::model::examples;

fn matrix(rows: &[&[f64]]) -> Matrix {
    Matrix::from_rows(&rows.iter().map(|row| row.to_vec()).collect::<Vec<_>>()).unwrap()
}

#[test]
fn c4_figures_printed_in_section_7() {
    let printed = [(1.28, -0.218, 0.853), (2.41, -0.111, 1.208), (3.125, 0.02, 2.5), (4.64, 0.035, 1.43)];
    for ((_, bmap), (rate, correlation, batches)) in examples::paper(5).arrivals().iter().zip(printed) {
        assert!((bmap.rate() - rate).abs() < 0.006, "{}", bmap.rate());
        assert!((bmap.correlation(1) - correlation).abs() < 0.0006, "{}", bmap.correlation(1));
        assert!((bmap.batch_rate() - batches).abs() < 0.0015, "{}", bmap.batch_rate());
    }
}

#[test]
fn c4_moments_and_lags_computed_elsewhere() {
    // BuTools' MarginalMomentsFromMAP and LagCorrelationsFromMAP.
    let map = Bmap::new(vec![matrix(&[&[-14.0, 1.0], &[1.0, -25.0]]), matrix(&[&[6.0, 7.0], &[3.0, 21.0]])]).unwrap();
    for (k, wanted) in (1..).zip([0.04918032786885246, 0.005260932876133214, 0.0009181867601560783]) {
        assert!((map.interval_moment(k) / wanted - 1.0).abs() < 1e-12);
    }
    for (lag, wanted) in (1..).zip([0.02241571110398646, 0.006743981850769724, 0.0020289916743005064]) {
        assert!((map.correlation(lag) / wanted - 1.0).abs() < 1e-10);
    }
    let variance = map.interval_moment(2) - map.interval_moment(1).powi(2);
    assert!((map.variance() / variance - 1.0).abs() < 1e-12);
}

#[test]
fn c5_readings_keep_rates() {
    let robot = examples::paper(5).arrivals()[2].1.clone();
    let independent = readings::independent(&[robot.clone(), robot.clone(), robot.clone()]);
    for (active, bmap) in (1..).zip(&independent) {
        assert_eq!(bmap.phases(), 8);
        assert!((bmap.rate() / (f64::from(active) * robot.rate()) - 1.0).abs() < 1e-12);
    }
    for (q, bmap) in [0.25, 1.0].iter().zip(readings::thinned(&robot, &[0.25, 1.0])) {
        assert!((bmap.rate() / (q * robot.rate()) - 1.0).abs() < 1e-12);
    }
    let batches = robot.matrices()[1..].to_vec();
    let halves: Vec<Matrix> = batches.iter().map(|m| m.scaled(0.5)).collect();
    let marked = readings::marked(&robot.matrices()[0], &[halves.clone(), halves]).unwrap();
    assert!((marked[0].rate() / (0.5 * robot.rate()) - 1.0).abs() < 1e-12);
    assert!((marked[1].rate() / robot.rate() - 1.0).abs() < 1e-12);
}

#[test]
fn c4_steps_have_the_rate() {
    let bmap = &examples::paper(5).arrivals()[0].1.clone();
    let mut rng = Pcg64Mcg::seed_from_u64(3);
    let (mut phase, mut time, mut pages) = (0, 0.0, 0);
    let n = 400_000;
    for _ in 0..n {
        let (wait, batch, next) = bmap.step(phase, &mut rng);
        time += wait;
        pages += batch;
        phase = next;
    }
    // 400,000 events leave a standard error of about 0.3%; negative correlation makes it less.
    assert!((pages as f64 / time / bmap.rate() - 1.0).abs() < 0.01, "{}", pages as f64 / time);
}

#[test]
fn wrong_processes_are_refused_with_the_place() {
    let error = |d: Vec<Matrix>| Bmap::new(d).unwrap_err().to_string();
    let (out, back) = (matrix(&[&[-1.0, 0.5], &[0.0, -1.0]]), matrix(&[&[0.5, 0.0], &[1.0, 0.0]]));
    assert!(Bmap::new(vec![out.clone(), back.clone()]).is_ok());
    assert!(error(vec![out.clone()]).contains("1 matrix was given"));
    assert!(error(vec![out.clone(), matrix(&[&[1.0]])]).contains("D_1 is 1 x 1"));
    assert!(error(vec![out.clone(), matrix(&[&[0.5, 0.0], &[0.9, 0.0]])]).contains("row 2"));
    assert!(error(vec![out.clone(), matrix(&[&[0.5, 0.0], &[-1.0, 2.0]])]).contains("D_1, row 2, column 1: -1"));
    assert!(
        error(vec![matrix(&[&[-1.0, 0.5], &[0.0, 3.0]]), back]).contains("D_0, row 2, column 2: 3 must be negative")
    );
    assert!(
        error(vec![matrix(&[&[-1.0, 0.0], &[0.0, -1.0]]), matrix(&[&[1.0, 0.0], &[0.0, 1.0]])]).contains("irreducible")
    );
    let silent = vec![matrix(&[&[-1.0, 1.0], &[1.0, -1.0]]), matrix(&[&[0.0, 0.0], &[0.0, 0.0]])];
    assert!(error(silent).contains("no page ever arrives"));
}
