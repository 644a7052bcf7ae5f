//! C-17: search and proof against trying everything.

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use crate::arrivals::readings::independent;
use crate::decision::process::Process;
use crate::decision::{Averages, DecisionError, markov_bound};
use crate::model::{Admission, Costs, Model, RobotPolicy, examples};
use crate::optimise::search::Search;
use crate::optimise::sets::Sets;
use crate::optimise::staircase::{count, enumerate};
use crate::optimise::{OptimiseError, optimise};
use crate::queue::solve;
use crate::random_models::random_model;
use crate::{Bmap, Matrix, PhaseType};

fn any_admission(model: Model, rng: &mut Pcg64Mcg) -> Model {
    let rules = [Admission::Partial, Admission::CompleteRejection, Admission::CompleteAdmission];
    model.with_admission(rules[rng.random_range(0..3)])
}

/// All functions of the number of pages that do not rise, one by one through the queue's own solver.
fn by_hand(model: &Model) -> Vec<(Vec<u32>, f64)> {
    let modes: Vec<u32> = model.arrivals().iter().map(|(r, _)| *r).collect();
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for _ in 0..=model.buffer() {
        let longer = |chi: &Vec<u32>| {
            let fit = modes.iter().filter(|r| chi.last().is_none_or(|last| *r <= last));
            fit.map(|r| chi.iter().copied().chain([*r]).collect()).collect::<Vec<Vec<u32>>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    let cost = |chi: &Vec<u32>| solve(model, &RobotPolicy::new(model, chi.clone()).unwrap()).cost;
    all.iter().map(|chi| (chi.clone(), cost(chi))).collect()
}

/// C-17: every way to the optimum gives the same cost for every set of modes, to 1e-9; and nothing is below the bound over all
/// policies.
fn check_search(seed: u64) {
    let mut rng = Pcg64Mcg::seed_from_u64(seed);
    let model = any_admission(random_model(&mut rng, 8), &mut rng);
    let process = Process::new(&model).unwrap();
    let set: Vec<usize> = (0..process.modes().len()).collect();
    let tried = Sets::by_trying_all(&process, &set, false).unwrap();
    let searched = Sets::by_search(&process, &set, false).unwrap();
    let close = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs();
    assert!(close(searched.best.score.1, tried.best.score.1));
    assert!(close(searched.lower, tried.best.score.1));
    for ((set, found, exact), (other, wanted, _)) in searched.by_set.iter().zip(&tried.by_set) {
        assert_eq!(set, other);
        assert!(*exact && close(found.score.1, wanted.score.1), "{set:?} {found:?} {wanted:?}");
    }
    assert!(markov_bound(&model).unwrap().lower <= tried.best.score.1 * (1.0 + 1e-9));
}

#[test]
fn c17_three_modes_where_two_do_not_help() {
    // Descent alone stays at one mode here: no single boundary improves it, two together do.
    check_search(7_140_973_519_021_089_445);
}

#[test]
fn c17_descent_alone_mostly_equals_enumeration() {
    // Without proof and without help from smaller sets. It can fail, and then the proof repairs it; here it does not.
    for seed in 0..200 {
        let model = random_model(&mut Pcg64Mcg::seed_from_u64(seed), 8);
        let process = Process::new(&model).unwrap();
        let set: Vec<usize> = (0..process.modes().len()).collect();
        let cost = |averages: &Averages| (0.0, averages.cost(model.costs()));
        let found = Search { process: &process, set: &set, first_used: false, score: &cost }.best(&[]).unwrap();
        let tried = Sets::by_trying_all(&process, &set, false).unwrap();
        assert!(found.score.1 <= tried.best.score.1 * (1.0 + 1e-9), "{found:?} {:?}", tried.best);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn c17_search_equals_enumeration(seed in any::<u64>()) {
        check_search(seed);
    }

    /// C-17: enumeration visits every policy once with the cost that the queue's solver finds.
    #[test]
    fn c17_enumeration_is_complete(seed in any::<u64>()) {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let model = any_admission(random_model(&mut rng, 4), &mut rng);
        let process = Process::new(&model).unwrap();
        let set: Vec<usize> = (0..process.modes().len()).collect();
        let mut seen = Vec::new();
        enumerate(&process, &set, &mut |staircase, averages| {
            let chi: Vec<u32> = (0..=model.buffer()).map(|i| process.modes()[staircase.position(i)]).collect();
            seen.push((chi, averages.cost(model.costs())));
        });
        let mut wanted = by_hand(&model);
        seen.sort_by(|a, b| a.0.cmp(&b.0));
        wanted.sort_by(|a, b| a.0.cmp(&b.0));
        prop_assert_eq!(seen.len(), count(&model, set.len()));
        prop_assert_eq!(seen.len(), wanted.len());
        for ((chi, cost), (other, known)) in seen.iter().zip(&wanted) {
            prop_assert_eq!(chi, other);
            prop_assert!((cost / known - 1.0).abs() < 1e-9);
        }
    }

    /// Dearer never is cheaper, and by no more than the price.
    #[test]
    fn c17_optimum_is_monotone_in_costs(seed in any::<u64>(), which in 0..5usize, factor in 1.0f64..3.0) {
        let mut rng = Pcg64Mcg::seed_from_u64(seed);
        let model = random_model(&mut rng, 6);
        let mut costs = *model.costs();
        let price = [&mut costs.loss, &mut costs.obsolete, &mut costs.sojourn, &mut costs.robot, &mut costs.starvation];
        *price.into_iter().nth(which).unwrap() *= factor;
        let arrivals = model.arrivals().to_vec();
        let service = model.service().clone();
        let dearer = Model::new(model.buffer(), service, model.obsolescence().cloned(), arrivals, costs).unwrap();
        let [before, after] = [&model, &dearer].map(|model| optimise(model, None).unwrap().best.measures.cost);
        prop_assert!(before <= after * (1.0 + 1e-12) && after <= before * factor * (1.0 + 1e-12));
    }
}

#[test]
fn c17_search_beyond_enumeration() {
    // 47,905 policies: more than are tried one by one, few enough to try them here.
    let model = examples::paper(63);
    let process = Process::new(&model).unwrap();
    let set = [0, 1, 2, 3];
    assert_eq!(count(&model, 4), 47_905);
    let tried = Sets::by_trying_all(&process, &set, false).unwrap();
    let searched = optimise(&model, None).unwrap();
    assert!((searched.best.measures.cost / tried.best.score.1 - 1.0).abs() < 1e-11);
    assert!((searched.best.lower / tried.best.score.1 - 1.0).abs() < 1e-8, "{}", searched.best.lower);
    for (row, (_, wanted, _)) in searched.by_modes.iter().zip(&tried.by_set) {
        assert!((row.cost / wanted.score.1 - 1.0).abs() < 1e-9, "{row:?} {wanted:?}");
    }
}

/// Robots that are alike, each with a slow and a fast phase.
fn bursty_robots(robots: usize, buffer: usize) -> Model {
    let d0 = Matrix::from_rows(&[vec![-1.0, 0.6], vec![0.5, -2.5]]).unwrap();
    let d1 = Matrix::from_rows(&[vec![0.4, 0.0], vec![0.0, 2.0]]).unwrap();
    let robot = Bmap::new(vec![d0, d1]).unwrap();
    let arrivals = (1..).zip(independent(&vec![robot; robots])).collect();
    let costs = Costs { loss: 5.0, obsolete: 3.0, sojourn: 2.0, robot: 3.0, starvation: 100.0 };
    let (service, ageing) = (PhaseType::exponential(2.0).unwrap(), PhaseType::exponential(0.2).unwrap());
    Model::new(buffer, service, Some(ageing), arrivals, costs).unwrap()
}

/// C-5, C-17: on the phases of each set of modes, or on all 64 phases: every policy once, with the same cost up to rounding.
#[test]
fn c17_robots_that_are_alike_are_enumerated_by_modes() {
    let model = bursty_robots(6, 2);
    let process = Process::new(&model).unwrap();
    let set = [0, 1, 2, 3, 4, 5];
    let mut seen = Vec::new();
    enumerate(&process, &set, &mut |staircase, averages| seen.push((staircase.clone(), *averages)));
    assert_eq!(seen.len(), count(&model, 6));
    seen.sort_by(|a, b| a.0.ends.cmp(&b.0.ends));
    seen.dedup_by(|a, b| a.0 == b.0);
    assert_eq!(seen.len(), 56);
    for (staircase, averages) in &seen {
        let wanted = staircase.evaluate(&process, &set).unwrap().cost(model.costs());
        assert!((averages.cost(model.costs()) / wanted - 1.0).abs() < 1e-12);
        let robots = (0..=2).map(|i| process.modes()[staircase.position(i)]).collect();
        let solved = solve(&model, &RobotPolicy::new(&model, robots).unwrap()).cost;
        assert!((solved / wanted - 1.0).abs() < 1e-12, "{solved} {wanted}");
    }
}

/// C-17: fifty modes, of which pairs are not listed; all 22,100 policies are tried here. One phase, so the proof is at once.
#[test]
fn c17_many_modes_by_search() {
    let arrivals = (1..=50u32).map(|r| (r, Bmap::poisson(0.1 * f64::from(r)).unwrap())).collect();
    let costs = Costs { loss: 2.0, obsolete: 10.0, sojourn: 2.0, robot: 2.0, starvation: 30.0 };
    let (service, ageing) = (PhaseType::exponential(1.0).unwrap(), PhaseType::exponential(0.2).unwrap());
    let model = Model::new(2, service, Some(ageing), arrivals, costs).unwrap();
    let process = Process::new(&model).unwrap();
    let set: Vec<usize> = (0..50).collect();
    let tried = Sets::by_trying_all(&process, &set, false).unwrap();
    let searched = Sets::by_search(&process, &set, false).unwrap();
    assert!((searched.best.score.1 / tried.best.score.1 - 1.0).abs() < 1e-9);
    assert!((searched.lower / tried.best.score.1 - 1.0).abs() < 1e-8);
    assert!(searched.by_set.len() == 1 && searched.best.staircase.used().len() > 1, "{:?}", searched.best);
}

/// 16 Poisson robots, no obsolescence, a server that 8 can overload.
fn sixteen_robots(buffer: usize) -> Model {
    let arrivals = (1..=16u32).map(|r| (r, Bmap::poisson(0.13 * f64::from(r)).unwrap())).collect();
    let costs = Costs { loss: 20.0, obsolete: 0.0, sojourn: 1.0, robot: 0.2, starvation: 40.0 };
    Model::new(buffer, PhaseType::exponential(1.0).unwrap(), None, arrivals, costs).unwrap()
}

#[test]
fn c17_sixteen_robots_and_two_hundred_places() {
    // More robots than can be served, and nothing ages: passages against the drift take up to 2^200.
    let model = sixteen_robots(200);
    let found = optimise(&model, None).unwrap();
    assert!(found.best.lower <= found.best.measures.cost * (1.0 + 1e-9));
    // With one phase everywhere the number of pages is the whole state: the bound over all policies is a second opinion.
    let bound = markov_bound(&model).unwrap();
    assert!((bound.lower / found.best.measures.cost - 1.0).abs() < 1e-6, "{bound:?} {:?}", found.best);
}

#[test]
fn what_cannot_be_optimised() {
    let model = examples::paper(5);
    let message = |modes: &[u32]| optimise(&model, Some(modes)).unwrap_err().to_string();
    assert_eq!(message(&[]), "no modes were given; list at least one number of robots");
    assert_eq!(message(&[1, 3]), "modes must be listed from most robots to fewest, each once; 1 is followed by 3");
    assert!(message(&[7, 3]).contains("7 robots are to be active"));
    // Too large even for bounds.
    let law = PhaseType::erlang(6, 1.0).unwrap();
    let large = Model::new(60, model.service().clone(), Some(law), model.arrivals().to_vec(), *model.costs()).unwrap();
    assert!(
        matches!(optimise(&large, None), Err(OptimiseError::TooLarge(error)) if (error.phases, error.places) == (6, 60))
    );
    // Pairs of pages never fit into one place.
    let pairs = Bmap::poisson(1.0).unwrap().with_batches(&[0.0, 1.0]);
    let one = Model::new(1, model.service().clone(), None, vec![(1, pairs)], *model.costs()).unwrap();
    let refused = optimise(&one.with_admission(Admission::CompleteRejection), None).unwrap_err();
    assert_eq!(refused, OptimiseError::Decision(DecisionError::NothingIndexed));
}

/// Too many phases of service for a search, which one mode does not need.
#[test]
fn one_mode_of_many_phases() {
    let (law, paper) = (PhaseType::erlang(601, 601.0).unwrap(), examples::paper(1));
    let poisson = |modes: u32| (1..=modes).map(|r| (r, Bmap::poisson(f64::from(r)).unwrap())).collect::<Vec<_>>();
    let model = |modes: u32| Model::new(1, law.clone(), None, poisson(modes), *paper.costs()).unwrap();
    let best = optimise(&model(1), None).unwrap().best;
    // Erlang's loss formula for one place: lost with probability rho/(1 + rho), whatever the law of service.
    assert!((best.measures.p_loss - 0.5).abs() < 1e-12 && best.is_proven());
    assert_eq!(markov_bound(&model(1)).unwrap().lower, best.measures.cost);
    assert_eq!(
        optimise(&model(2), None).unwrap_err().to_string(),
        "601 states with a full buffer are too many for a search over policies, the limit is 600: describe service or arrivals with fewer phases"
    );
}

#[test]
fn one_mode_only() {
    let optimum = optimise(&examples::paper(5), Some(&[2])).unwrap();
    assert_eq!((optimum.best.modes, optimum.best.thresholds, optimum.by_modes), (vec![2], vec![], vec![]));
}
