//! C-27: the fit that is kept is the one that should be.

use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::fit::deliveries::{Batch, Grouping};
use crate::fit::em_arrivals::tests::simulated;
use crate::model::examples;
use crate::phase_type::PhaseType;

const ALL: [Method; 3] = [Method::Moments, Method::Likelihood, Method::Joint];

fn trace(process: &Bmap, n: usize, seed: u64) -> Trace {
    let mut now = 0.0;
    let batch = |&(gap, size): &Observation| {
        now += gap;
        Batch { at: now, until: now, since: Some(gap), after_stop: false, size }
    };
    let batches = simulated(process, n, seed).iter().map(batch).collect();
    Trace { batches, grouping: Grouping { batch_gap: Some(0.0), stop_gap: f64::INFINITY } }
}

fn options() -> EmOptions {
    EmOptions { iterations: 200, tolerance: 1e-6 }
}

/// With one phase the density is `lambda e^(-lambda x) p_b`; and the chain that expectation maximisation climbs on has the
/// likelihood that is found from its matrices, but for the start of the run.
#[test]
fn c27_likelihood_is_that_of_the_definition() {
    let poisson = Bmap::poisson(2.0).unwrap().with_batches(&[0.3, 0.7]);
    let wanted = (2.0f64 * 0.3).ln() - 2.0 * 0.4 + (2.0f64 * 0.7).ln() - 2.0 * 1.1;
    assert!((log_likelihood(&poisson, &[vec![(0.4, 1)], vec![(1.1, 2)]]) - wanted).abs() < 1e-12);
    let trace = trace(&examples::paper(5).arrivals()[0].1, 1000, 1);
    for joint in [false, true] {
        let fitted = arrivals_by_em(&trace, 2, joint, &options()).unwrap();
        let (climbed, found) =
            (fitted.report.goodness.unwrap().log_likelihood, log_likelihood(&fitted.process, &trace.runs()));
        assert!((climbed - found).abs() < 2.0, "{climbed} {found}");
    }
}

/// Sizes that depend on the phase ask for the joint fit; independent ones do not pay for its parameters.
#[test]
fn c27_joint_fit_only_where_sizes_depend_on_gaps() {
    let matrix = |e: [f64; 4]| Matrix::from_fn(2, 2, |i, j| e[2 * i + j]);
    let (slow, fast) = (matrix([0.08, 0.01, 0.0, 0.0]), matrix([0.0, 0.0, 0.1, 1.9]));
    let silent = matrix([-0.09, 0.0, 0.0, -2.0]);
    let dependent = Bmap::new(vec![silent.clone(), slow.clone(), fast.clone()]).unwrap();
    let choice = choose_arrivals(&trace(&dependent, 3000, 2), None, &ALL, &options()).unwrap();
    assert_eq!(choice.best.method, Method::Joint);
    assert!((choice.best.fitted.process.rate() / dependent.rate() - 1.0).abs() < 0.1);
    let mut together = slow;
    together.add(1.0, &fast);
    let independent = Bmap::new(vec![silent, together]).unwrap().with_batches(&[0.5, 0.1, 0.1, 0.1, 0.2]);
    let choice = choose_arrivals(&trace(&independent, 3000, 2), None, &ALL, &options()).unwrap();
    assert_ne!(choice.best.method, Method::Joint);
    assert_eq!((choice.others.len(), choice.refused.len()), (2, 0));
    assert!(choice.others.iter().all(|other| other.information() >= choice.best.information()));
}

#[test]
fn c27_laws_by_moments_or_likelihood() {
    let sample = |law: &PhaseType, n: usize| -> Vec<f64> {
        let mut rng = Pcg64Mcg::seed_from_u64(4);
        (0..n).map(|_| law.sample(&mut rng)).collect()
    };
    let both = [Method::Moments, Method::Likelihood];
    // Two sizes far apart: three moments say little about the bulk.
    let law = PhaseType::hyper_exponential(&[0.01, 0.99], &[0.001, 1.0]).unwrap();
    let choice = choose_law(&sample(&law, 4000), None, &both, &options()).unwrap();
    assert_eq!((choice.best.method, choice.best.fitted.law.order()), (Method::Likelihood, 2));
    // 4000 values: the Kolmogorov-Smirnov distance of the true law is below 1.63/sqrt n in 99 of 100 samples.
    assert!(choice.best.fitted.report.goodness.unwrap().kolmogorov_smirnov.unwrap() < 1.63 / 4000f64.sqrt());
    // An exponential law has one parameter whichever way it is found.
    let choice = choose_law(&sample(&PhaseType::exponential(1.0).unwrap(), 4000), None, &both, &options()).unwrap();
    assert_eq!((choice.best.method, choice.best.fitted.law.order()), (Method::Likelihood, 1));
    assert!(matches!(choose_law(&[1.0], None, &both, &options()), Err(FitError::TooFew { .. })));
}
