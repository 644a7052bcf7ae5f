mod simulation;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

use super::*;
use crate::arrivals::Bmap;
use crate::fit::renewal;
use crate::model::Model;
use crate::queue::solve;
use simulation::Simulation;

const COSTS: Costs = Costs { loss: 5.0, obsolete: 10.0, sojourn: 2.0, robot: 1.0, starvation: 20.0 };

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}

/// In the order of [`simulation::NAMES`].
fn numbers(measures: &Measures) -> [f64; 7] {
    [
        measures.arrival_rate,
        measures.p_loss,
        measures.p_obsolete,
        measures.p_starvation,
        measures.active_robots,
        measures.sojourn_served,
        measures.sojourn,
    ]
}

fn exponential(mean: f64) -> PhaseType {
    PhaseType::exponential(1.0 / mean).unwrap()
}

fn random_law(rng: &mut Pcg64Mcg) -> PhaseType {
    let p = rng.random_range(0.1..0.9);
    let rates = [rng.random_range(0.5..3.0), rng.random_range(0.5..3.0)];
    let law = match rng.random_range(0..3) {
        0 => PhaseType::exponential(rates[0]),
        1 => PhaseType::hyper_exponential(&[p, 1.0 - p], &rates),
        _ => PhaseType::coxian(&rates, &[p]),
    };
    law.unwrap()
}

fn random_system(rng: &mut Pcg64Mcg, places: usize, most: u32) -> Finishing {
    let cost = |rng: &mut Pcg64Mcg, most: f64| rng.random_range(0.0..most);
    let costs = Costs {
        loss: cost(rng, 10.0),
        obsolete: cost(rng, 20.0),
        sojourn: cost(rng, 4.0),
        robot: cost(rng, 2.0),
        starvation: cost(rng, 30.0),
    };
    let obsolescence = rng.random_bool(0.7).then(|| rng.random_range(0.01..1.0));
    let (service, fetch) = (random_law(rng), random_law(rng));
    let model = Finishing::new(places, service, obsolescence, fetch, most, costs).unwrap();
    let brings = if rng.random_bool(0.5) { 1.0 } else { rng.random_range(0.3..1.0) };
    model.bringing(brings).unwrap().reserving(rng.random_bool(0.3))
}

/// All policies that want fewer robots the more documents there are, and at least one with none.
fn staircases(places: usize, most: u32) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = (1..=most).map(|robots| vec![robots]).collect();
    for _ in 0..places {
        all = all
            .into_iter()
            .flat_map(|wanted| (0..=wanted[wanted.len() - 1]).map(move |next| [&wanted[..], &[next]].concat()))
            .collect();
    }
    all
}

/// C-29: with a fixed number of robots nobody ever has to be waited for, and it is the model of ADKNS.
#[test]
fn c29_fixed_numbers_are_those_of_robots_that_stop_at_once() {
    let mut rng = Pcg64Mcg::seed_from_u64(7);
    for _ in 0..30 {
        let system = random_system(&mut rng, 4, 3).reserving(false);
        let robot = renewal(&system.fetch).unwrap().thinned(system.brings);
        let mut process: Option<Bmap> = None;
        for robots in 1..=3 {
            let all = process.map_or(robot.clone(), |others| others.superposed(&robot));
            let law = (system.obsolescence > 0.0).then(|| exponential(1.0 / system.obsolescence));
            let model = Model::new(4, system.service.clone(), law, vec![(robots, all.clone())], system.costs).unwrap();
            let old = solve(&model, &model.fixed(robots));
            let new = system.solve(&system.fixed(robots).unwrap()).unwrap();
            for (a, b) in numbers(&old).into_iter().zip(numbers(&new)) {
                assert!(close(a, b, 1e-9), "{robots} robots: {old:?} {new:?}");
            }
            assert!(close(old.cost, new.cost, 1e-9) && close(old.sojourn_obsolete, new.sojourn_obsolete, 1e-8));
            assert!(old.levels.iter().zip(&new.levels).all(|(a, b)| close(*a, *b, 1e-10)) && new.residual < 1e-9);
            process = Some(all);
        }
    }
}

/// C-29: one robot or none is the model of ADKNS too: while it is under way documents only become fewer, so it is always wanted.
#[test]
fn c29_one_robot_or_none_is_as_if_it_stopped_at_once() {
    let system = Finishing::new(5, random_law(&mut Pcg64Mcg::seed_from_u64(3)), Some(0.3), exponential(0.7), 1, COSTS);
    let system = system.unwrap();
    let nothing = Bmap::poisson(1e-13).unwrap();
    let arrivals = vec![(1, Bmap::poisson(1.0 / 0.7).unwrap()), (0, nothing)];
    let model = Model::new(5, system.service.clone(), Some(exponential(1.0 / 0.3)), arrivals, COSTS).unwrap();
    for up_to in 1..=5 {
        let wanted: Vec<u32> = (0..=5).map(|documents| u32::from(documents < up_to)).collect();
        let old = solve(&model, &RobotPolicy::new(&model, wanted.clone()).unwrap());
        let new = system.solve(&system.policy(wanted).unwrap()).unwrap();
        for (a, b) in numbers(&old).into_iter().zip(numbers(&new)) {
            assert!(close(a, b, 1e-8), "{up_to}: {old:?} {new:?}");
        }
    }
}

/// The whole generator over (documents, robots under way) for exponential laws, reached or not, by elimination with pivots.
fn brute_force(system: &Finishing, wanted: &[u32]) -> [f64; 5] {
    let (places, most) = (system.buffer, wanted.iter().copied().max().unwrap());
    let states: Vec<(usize, u32)> = (0..=places).flat_map(|i| (wanted[i]..=most).map(move |n| (i, n))).collect();
    let find = |i: usize, n: u32| states.iter().position(|state| *state == (i, n.max(wanted[i]))).unwrap();
    let (back, done) = (1.0 / system.fetch.mean(), 1.0 / system.service.mean());
    let size = states.len();
    let mut a = vec![vec![0.0; size + 1]; size];
    for (from, &(i, n)) in states.iter().enumerate() {
        let rate = f64::from(n) * back;
        let mut jumps = vec![];
        if n > 0 {
            jumps.push((find((i + 1).min(places), n - 1), rate * system.brings));
            jumps.push((find(i, n - 1), rate * (1.0 - system.brings)));
        }
        if i > 0 {
            jumps.push((find(i - 1, n), done + (i - 1) as f64 * system.obsolescence));
        }
        for (to, rate) in jumps {
            a[to][from] += rate;
            a[from][from] -= rate;
        }
    }
    a[size - 1] = vec![1.0; size + 1];
    let p = gauss(a);
    let mean = |of: &dyn Fn(usize, u32) -> f64| states.iter().zip(&p).map(|(&(i, n), p)| p * of(i, n)).sum::<f64>();
    let arrivals = mean(&|_, n| f64::from(n) * back * system.brings);
    let lost = mean(&|i, n| if i == places { f64::from(n) * back * system.brings } else { 0.0 });
    let obsolete = mean(&|i, _| i.saturating_sub(1) as f64 * system.obsolescence);
    [
        arrivals,
        lost / arrivals,
        obsolete / arrivals,
        mean(&|i, _| f64::from(u8::from(i == 0))),
        mean(&|_, n| f64::from(n)),
    ]
}

fn gauss(mut a: Vec<Vec<f64>>) -> Vec<f64> {
    let n = a.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|i, j| a[*i][k].abs().total_cmp(&a[*j][k].abs())).unwrap();
        a.swap(k, pivot);
        for i in (0..n).filter(|i| *i != k) {
            let factor = a[i][k] / a[k][k];
            let row = a[k].clone();
            a[i].iter_mut().zip(row).for_each(|(x, y)| *x -= factor * y);
        }
    }
    (0..n).map(|i| a[i][n] / a[i][i]).collect()
}

#[test]
fn c29_any_policy_agrees_with_the_whole_generator() {
    let mut rng = Pcg64Mcg::seed_from_u64(11);
    for _ in 0..60 {
        let system = random_system(&mut rng, 5, 4);
        let system = Finishing {
            service: exponential(system.service.mean()),
            ..system.fetching(exponential(system.fetch.mean()))
        };
        let mut wanted: Vec<u32> = (0..=5).map(|_| rng.random_range(0..=4)).collect();
        wanted.sort_by_key(|robots| std::cmp::Reverse(*robots));
        wanted[0] = wanted[0].max(1);
        let truth = brute_force(&system, &system.kept(&wanted));
        let measures = system.solve(&system.policy(wanted.clone()).unwrap()).unwrap();
        for (a, b) in numbers(&measures).into_iter().zip(truth) {
            assert!(close(a, b, 1e-9), "{wanted:?}: {measures:?} {truth:?}");
        }
        let flows = measures.p_loss + measures.p_obsolete + measures.p_success;
        assert!(close(flows, 1.0, 1e-10), "{flows}");
    }
}

/// C-29 against a simulation with documents and robots one by one, for all measures that have an interval there.
#[test]
fn c29_agrees_with_a_simulation() {
    let fetches = [
        PhaseType::coxian(&[1.0 / 0.05, 1.0 / 0.02], &[1.0]).unwrap(),
        PhaseType::hyper_exponential(&[0.8, 0.2], &[40.0, 5.0]).unwrap(),
    ];
    let service = PhaseType::hyper_exponential(&[0.9, 0.1], &[60.0, 20.0]).unwrap();
    for (seed, fetch) in (1..).zip(fetches) {
        let system = Finishing::new(6, service.clone(), Some(0.9), fetch, 5, COSTS).unwrap().bringing(0.8).unwrap();
        for (wanted, reserve) in
            [(vec![5, 3, 1, 0, 0, 0, 0], false), (vec![5, 5, 5, 5, 2, 1, 1], false), (vec![5; 7], true)]
        {
            let system = system.clone().reserving(reserve);
            let measures = system.solve(&system.policy(wanted.clone()).unwrap()).unwrap();
            let simulated = Simulation::new(&system, &system.kept(&wanted), seed).run(40, 400.0);
            for (k, number) in numbers(&measures).into_iter().enumerate() {
                let (mean, error) = simulated[k];
                // Four standard errors of 40 batches: once in some 3,000 comparisons by chance.
                assert!(
                    (mean - number).abs() <= 4.0 * error + 1e-12,
                    "{wanted:?} {}: {number}, {mean} +- {error}",
                    simulation::NAMES[k]
                );
            }
        }
    }
}

/// C-30: the search finds the best of all staircases, and it is never worse than any fixed number.
#[test]
fn c30_best_of_all_staircases() {
    let mut rng = Pcg64Mcg::seed_from_u64(5);
    let mut missed = 0;
    for round in 0..100 {
        let system = random_system(&mut rng, 3, 3);
        let best = system.optimise().unwrap();
        let cost = |wanted: Vec<u32>| system.solve(&system.policy(wanted).unwrap()).unwrap().cost;
        let truth = staircases(3, 3).into_iter().map(cost).fold(f64::INFINITY, f64::min);
        assert!(best.is_settled && best.measures.cost >= truth - 1e-9 * truth.abs());
        assert!(best.fixed.len() == 3 && best.fixed.iter().all(|(_, fixed)| best.measures.cost <= fixed + 1e-9));
        assert!(best.policy.robots().windows(2).all(|pair| pair[0] >= pair[1]));
        assert!(best.measures.cost <= 1.01 * truth, "{round}: {} {truth} {system:?}", best.measures.cost);
        missed += u32::from(best.measures.cost > truth + 1e-9 * truth.abs());
    }
    assert!(missed == 0, "{missed} missed");
}

/// C-30: with many robots and places too, no neighbour is better, and a fixed number is only taken where it is best.
#[test]
fn c30_larger_systems() {
    let fetch = PhaseType::coxian(&[1.0 / 0.05, 1.0 / 0.006], &[1.0]).unwrap();
    let system = Finishing::new(20, exponential(0.0207), Some(0.93), fetch, 8, COSTS).unwrap();
    let best = system.optimise().unwrap();
    assert!(best.is_settled, "{}", best.tried);
    let least = best.fixed.iter().map(|(_, cost)| *cost).fold(f64::INFINITY, f64::min);
    assert!(best.measures.cost < 0.85 * least, "{} {least}", best.measures.cost);
    // An indexer that is never the bottleneck: all robots whatever happens.
    let costs = Costs { loss: 1.0, obsolete: 1.0, sojourn: 1.0, robot: 0.01, starvation: 10.0 };
    let quick = Finishing::new(64, exponential(1e-3), Some(1e-5), exponential(0.3), 64, costs).unwrap().reserving(true);
    let best = quick.optimise().unwrap();
    assert_eq!(best.policy.robots()[0], 64);
}

/// C-29: more robots never lower the loss, places kept lose nothing, and work that lacks is like slower robots.
#[test]
fn c29_robots_places_and_work() {
    let mut rng = Pcg64Mcg::seed_from_u64(13);
    for _ in 0..20 {
        let system = random_system(&mut rng, 4, 4).reserving(false);
        let of = |system: &Finishing, robots| system.solve(&system.fixed(robots).unwrap()).unwrap();
        let losses: Vec<f64> = (1..=4).map(|robots| of(&system, robots).p_loss).collect();
        assert!(losses.windows(2).all(|pair| pair[0] <= pair[1] + 1e-12), "{losses:?}");
        assert_eq!(of(&system.clone().reserving(true), 4).p_loss, 0.0);
        let half = system.clone().with_work(&[0.5, 1.0, 1.5, 2.0]).unwrap();
        let slow = system.fetching(system.fetch.scaled(2.0));
        let (half, slow) = (of(&half, 3), of(&slow, 3));
        assert!(close(half.p_loss, slow.p_loss, 1e-10) && close(half.sojourn, slow.sojourn, 1e-10));
        assert!(close(2.0 * half.active_robots, slow.active_robots, 1e-10));
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let one = exponential(1.0);
    let new = |places, obsolescence, most| Finishing::new(places, one.clone(), obsolescence, one.clone(), most, COSTS);
    assert!(matches!(new(0, None, 1), Err(FinishingError::Model(ModelError::NoBuffer))));
    assert_eq!(new(1, None, 0), Err(FinishingError::Robots(0)));
    assert_eq!(new(1, Some(-1.0), 1), Err(FinishingError::Obsolescence(-1.0)));
    let system = new(2, None, 3).unwrap();
    assert_eq!(system.clone().bringing(0.0), Err(FinishingError::Brings(0.0)));
    assert_eq!(system.clone().with_work(&[1.0, 0.5, 0.5]), Err(FinishingError::AtWork { robots: 2, at_work: 0.5 }));
    assert_eq!(system.clone().with_work(&[1.0]), Err(FinishingError::Robots(1)));
    assert_eq!(system.policy(vec![0, 0, 0]), Err(FinishingError::NeverBegins));
    assert_eq!(system.policy(vec![4, 1, 0]), Err(FinishingError::TooMany { wanted: 4, most: 3 }));
    assert_eq!(system.policy(vec![1, 1, 2]), Err(FinishingError::Rises { documents: 2 }));
    assert!(matches!(system.policy(vec![1]), Err(FinishingError::Model(ModelError::PolicyLength { .. }))));
    let law = PhaseType::erlang(9, 9.0).unwrap();
    let many = Finishing::new(9, law.clone(), None, law, 30, COSTS).unwrap();
    assert!(matches!(many.solve(&many.fixed(30).unwrap()), Err(FinishingError::TooLarge { .. })));
}
