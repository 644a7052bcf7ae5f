//! C-14, C-15: the three solvers against each other and against solutions by others.

use proptest::prelude::*;

use super::vectors::{CASES, Law};
use super::*;
use crate::arrivals::Bmap;
use crate::matrix::Matrix;
use crate::model::{Admission, Costs, examples};
use crate::phase_type::PhaseType;

/// The paper's example with another law of obsolescence.
pub(crate) fn paper_with(law: Law, buffer: usize) -> Model {
    let law = match law {
        Law::Hyper(first) => PhaseType::hyper_exponential(&[0.9, 0.1], &[first, 0.1 / (5.0 - 0.9 / first)]),
        Law::Erlang(phases) => PhaseType::erlang(phases, phases as f64 / 5.0),
    };
    let (service, arrivals) = (examples::paper_service(), examples::paper_arrivals());
    Model::new(buffer, service, law.ok(), arrivals, examples::PAPER_COSTS).unwrap()
}

fn sub_generator(moves: &[f64], exits: &[f64]) -> Matrix {
    let n = exits.len();
    let out = |i: usize| exits[i] + (0..n).filter(|&j| j != i).map(|j| moves[i * n + j]).sum::<f64>();
    Matrix::from_fn(n, n, |i, j| if i == j { -out(i) } else { moves[i * n + j] })
}

/// An obsolescence law with `n` phases; moves to earlier ones only if it may have cycles.
fn law(n: usize, cycles: bool) -> impl Strategy<Value = PhaseType> {
    let rates = prop::collection::vec(prop_oneof![Just(0.0), 0.05f64..3.0], n * n);
    (prop::collection::vec(0.05f64..1.0, n), rates, prop::collection::vec(0.02f64..4.0, n)).prop_map(
        move |(start, mut moves, exits)| {
            let sum: f64 = start.iter().sum();
            let start: Vec<f64> = start.iter().map(|p| p / sum).collect();
            if !cycles {
                (0..n).for_each(|i| (0..i).for_each(|j| moves[i * n + j] = 0.0));
            }
            PhaseType::new(&start, &sub_generator(&moves, &exits)).unwrap()
        },
    )
}

/// Two phases, batches of up to three, for two numbers of robots.
fn arrivals() -> impl Strategy<Value = Vec<(u32, Bmap)>> {
    let rates = || prop::collection::vec(0.05f64..2.0, 16);
    (rates(), rates()).prop_map(|both| {
        let bmap = |rates: &[f64]| {
            let row = |i: usize| rates.iter().enumerate().filter(|(k, _)| k / 2 % 2 == i).map(|(_, r)| r).sum::<f64>();
            let d0 = Matrix::from_fn(2, 2, |i, j| if i == j { rates[3 * i] - row(i) } else { rates[2 * i + j] });
            let rest = rates[4..].chunks_exact(4).map(|d| Matrix::from_fn(2, 2, |i, j| d[2 * i + j]));
            Bmap::repaired(std::iter::once(d0).chain(rest).collect(), 1.0).unwrap().0
        };
        vec![(1, bmap(&both.0)), (3, bmap(&both.1))]
    })
}

/// A model with `buffer` places and a policy for it.
pub(crate) fn system(phases: usize, cycles: bool, buffer: usize) -> impl Strategy<Value = (Model, RobotPolicy)> {
    let service = (0.05f64..0.95, prop::collection::vec(0.1f64..3.0, 4), prop::collection::vec(0.2f64..3.0, 2))
        .prop_map(|(p, moves, exits)| PhaseType::new(&[p, 1.0 - p], &sub_generator(&moves, &exits)).unwrap());
    let admission =
        prop::sample::select(vec![Admission::Partial, Admission::CompleteRejection, Admission::CompleteAdmission]);
    let costs = Costs { loss: 5.0, obsolete: 10.0, sojourn: 20.0, robot: 2.0, starvation: 30.0 };
    (law(phases, cycles), arrivals(), service, admission, 0..=buffer).prop_map(
        move |(law, arrivals, service, admission, threshold)| {
            let model = Model::new(buffer, service, Some(law), arrivals, costs).unwrap().with_admission(admission);
            let policy = RobotPolicy::thresholds(&model, &[3, 1], &[threshold]).unwrap();
            (model, policy)
        },
    )
}

/// All measures but the residual, by name.
pub(crate) fn all(m: &Measures) -> Vec<(String, f64)> {
    let scalars = [
        ("cost", m.cost),
        ("arrival rate", m.arrival_rate),
        ("p_loss", m.p_loss),
        ("p_obsolete", m.p_obsolete),
        ("p_success", m.p_success),
        ("p_starvation", m.p_starvation),
        ("active robots", m.active_robots),
        ("sojourn served", m.sojourn_served),
        ("sojourn obsolete", m.sojourn_obsolete),
        ("sojourn", m.sojourn),
    ];
    let scalars = scalars.map(|(name, value)| (name.to_owned(), value));
    let robots = m.robots.iter().map(|(r, share)| (format!("{r} robots"), *share));
    let levels = m.levels.iter().enumerate().map(|(i, mass)| (format!("{i} pages"), *mass));
    scalars.into_iter().chain(robots).chain(levels).collect()
}

fn assert_same(got: &Measures, wanted: &Measures, tolerance: f64) {
    assert_eq!(all(got).len(), all(wanted).len());
    for ((name, got), (_, wanted)) in all(got).iter().zip(all(wanted)) {
        assert!((got - wanted).abs() <= tolerance * wanted.abs().max(1e-6), "{name}: {got}, wanted {wanted}");
    }
}

#[test]
fn c14_solutions_by_others() {
    for (law, buffer, modes, thresholds, [cost, v1, arrivals, lost, obsolete, served], levels) in CASES {
        let model = paper_with(law, buffer);
        let policy = RobotPolicy::thresholds(&model, modes, thresholds).unwrap();
        let (m, _) = matrix_free::solve(&model, &policy);
        // The constants have eleven digits, of which an iterative sparse solution has about ten.
        let close = |got: f64, wanted: f64| (got / wanted - 1.0).abs() < 2e-9;
        let flows =
            [m.arrival_rate, m.p_loss * m.arrival_rate, m.p_obsolete * m.arrival_rate, m.p_success * m.arrival_rate];
        let got = [m.cost, m.sojourn_served, flows[0], flows[1], flows[2], flows[3]];
        for (got, wanted) in got.iter().zip([cost, v1, arrivals, lost, obsolete, served]) {
            assert!(close(*got, wanted), "{law:?} {buffer}: {got} {wanted}");
        }
        assert!(m.levels.iter().zip(levels).all(|(got, wanted)| close(*got, *wanted)), "{law:?} {buffer}");
        assert!(m.residual < 1e-13, "{}", m.residual);
    }
}

#[test]
fn c14_agrees_with_direct_elimination() {
    for (law, buffer) in
        [(Law::Hyper(1.0), 8), (Law::Erlang(2), 8), (Law::Erlang(3), 5), (Law::Hyper(7.0), 1), (Law::Erlang(2), 2)]
    {
        let model = paper_with(law, buffer);
        for policy in [model.fixed(4), RobotPolicy::thresholds(&model, &[4, 2, 1], &[0, 1]).unwrap()] {
            assert_same(&matrix_free::solve(&model, &policy).0, &solve(&model, &policy), 1e-11);
        }
    }
}

#[test]
fn the_solver_is_chosen_by_size() {
    let method = |law, buffer| {
        let model = paper_with(law, buffer);
        let solved = solve_to(&model, &model.fixed(3), 0.05).unwrap();
        solved.method
    };
    assert_eq!(method(Law::Erlang(2), 6), Method::Direct);
    // Exponential, whatever its phases say.
    let model = examples::paper(60);
    assert_eq!(solve_to(&model, &model.fixed(3), 0.05).unwrap().method, Method::Direct);
    assert!(matches!(method(Law::Erlang(2), 10), Method::MatrixFree { sweeps } if sweeps < 60));
    let Method::Certified { oldest, bounds } = method(Law::Hyper(7.0), 24) else {
        panic!("larger than the arrays may be")
    };
    assert!(oldest >= 1 && bounds.relative_width() < 0.05);
    let model = paper_with(Law::Erlang(6), 60);
    let error = solve_to(&model, &model.fixed(3), 0.05).unwrap_err();
    assert!(error.to_string().starts_with("6 phases of obsolescence and 60 places need"), "{error}");
}

/// C-16: `p(n) = p0 prod lambda_i/(n-1)! int Phi(x)^(n-1) e^(-mu x) dx` with `Phi(x) = int_0^x P(T > u) du`, by Simpson's rule.
fn brandt_and_brandt(rates: &[f64], mu: f64, patience: &PhaseType) -> Vec<f64> {
    let (steps, end) = (4_000, 60.0 / mu);
    let step = end / f64::from(steps);
    let tails: Vec<f64> = (0..=2 * steps).map(|k| patience.survival(f64::from(k) * step / 2.0)).collect();
    let mut phi = vec![0.0];
    for tails in tails.windows(3).step_by(2) {
        phi.push(phi[phi.len() - 1] + step / 6.0 * (tails[0] + 4.0 * tails[1] + tails[2]));
    }
    let integral = |n: usize| -> f64 {
        let value = |k: usize| phi[k].powi(n as i32 - 1) * (-mu * step * k as f64).exp();
        (0..steps as usize).step_by(2).map(|k| step / 3.0 * (value(k) + 4.0 * value(k + 1) + value(k + 2))).sum()
    };
    let mut weights = vec![1.0];
    let mut factor = 1.0;
    for n in 1..rates.len() {
        factor *= rates[n - 1] / (n as f64 - 1.0).max(1.0);
        weights.push(factor * integral(n));
    }
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

#[test]
fn c16_closed_form_for_scalar_rates() {
    let mu = 1.3;
    let patience = [
        PhaseType::erlang(2, 0.8).unwrap(),
        PhaseType::hyper_exponential(&[0.7, 0.3], &[2.0, 0.1]).unwrap(),
        PhaseType::new(&[0.3, 0.7], &sub_generator(&[0.0, 1.5, 0.4, 0.0], &[0.1, 0.9])).unwrap(),
        PhaseType::coxian(&[3.0, 1.0, 0.2], &[0.6, 0.5]).unwrap(),
    ];
    for law in patience {
        let arrivals = vec![(1, Bmap::poisson(1.1).unwrap()), (2, Bmap::poisson(2.9).unwrap())];
        let service = PhaseType::exponential(mu).unwrap();
        let model = Model::new(9, service, Some(law.clone()), arrivals, Costs::default()).unwrap();
        let policy = RobotPolicy::thresholds(&model, &[2, 1], &[5]).unwrap();
        let rates: Vec<f64> = policy.robots().iter().map(|r| [1.1, 2.9][*r as usize - 1]).collect();
        let wanted = brandt_and_brandt(&rates, mu, &law);
        let got = matrix_free::solve(&model, &policy).0.levels;
        // Simpson's rule with these steps is good to about 1e-9.
        assert!(got.iter().zip(&wanted).all(|(g, w)| (g / w - 1.0).abs() < 1e-8), "{got:?}\n{wanted:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// C-14: for any law, with cycles or without, any admission rule.
    #[test]
    fn c14_random_systems_two_phases((model, policy) in (1usize..6, any::<bool>()).prop_flat_map(|(k, c)| system(2, c, k))) {
        assert_same(&matrix_free::solve(&model, &policy).0, &solve(&model, &policy), 1e-10);
    }

    #[test]
    fn c14_random_systems_three_phases((model, policy) in (1usize..4, any::<bool>()).prop_flat_map(|(k, c)| system(3, c, k))) {
        assert_same(&matrix_free::solve(&model, &policy).0, &solve(&model, &policy), 1e-10);
    }
}

/// Twenty phases and four places: arrays would be small, but not the lists of how many pages may be in each phase.
#[test]
fn many_phases_are_bounded_or_refused() {
    let law = PhaseType::erlang(20, 4.0).unwrap();
    let paper = examples::paper(4);
    let model = Model::new(4, paper.service().clone(), Some(law), paper.arrivals().to_vec(), *paper.costs()).unwrap();
    let solved = solve_to(&model, &model.fixed(2), 0.1).map(|solved| matches!(solved.method, Method::Certified { .. }));
    assert!(solved.unwrap_or(true));
}

/// Batches of ten thousand pages that all stay, of which the first nine thousand or so sizes never come.
#[test]
fn c13_large_batches_take_time_in_proportion() {
    let one = |rate: f64| Matrix::from_fn(1, 1, |_, _| rate);
    let mut d = vec![one(0.0); 10_001];
    (d[0], d[10_000]) = (one(-1.0), one(1.0));
    let model =
        Model::new(5, PhaseType::exponential(1e4).unwrap(), None, vec![(1, Bmap::new(d).unwrap())], Costs::default());
    let model = model.unwrap().with_admission(Admission::CompleteAdmission);
    let measures = solve_to(&model, &model.fixed(1), 0.1).unwrap().measures;
    // The mean size of the admitted batches is that of all, and the indexer works half of the time or nearly.
    assert!((measures.arrival_rate - 1e4).abs() < 1e-6 && measures.residual < 1e-10);
    assert!((measures.p_success * 1e4 - (1.0 - measures.p_starvation) * 1e4).abs() < 1e-5, "{measures:?}");
}
