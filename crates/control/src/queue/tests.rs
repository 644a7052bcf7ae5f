//! C-6 to C-11 against the tables of ADKNS (as corrected) and independent solutions.

use super::*;
use crate::model::{Admission, examples};
use crate::phase_type::PhaseType;

fn cost(model: &Model, modes: &[u32], thresholds: &[usize]) -> f64 {
    solve(model, &RobotPolicy::thresholds(model, modes, thresholds).unwrap()).cost
}

#[test]
fn fixed_numbers_of_robots() {
    let model = examples::paper(5);
    // To half a unit of the last printed digit.
    for (robots, printed, half) in [(1, 149.91, 0.005), (2, 110.0, 0.05), (3, 89.405, 0.0005), (4, 130.312, 0.0005)] {
        let cost = solve(&model, &model.fixed(robots)).cost;
        assert!((cost - printed).abs() < half, "{robots}: {cost}");
    }
}

#[test]
fn reference_values_at_five_places() {
    let model = examples::paper(5);
    let m = solve(&model, &RobotPolicy::new(&model, vec![3, 3, 3, 1, 1, 1]).unwrap());
    assert!((m.cost - 63.542_547_69).abs() < 1e-8, "{}", m.cost);
    assert!((m.sojourn_served - 1.724_057_49).abs() < 1e-8);
    for (got, printed) in [
        (m.arrival_rate, 2.1731),
        (m.p_loss, 0.1734),
        (m.p_obsolete, 0.1717),
        (m.p_success, 0.6549),
        (m.p_starvation, 0.0648),
    ] {
        assert!((got - printed).abs() < 5e-5, "{got} {printed}");
    }
    assert!((m.active_robots - 1.752).abs() < 5e-4);
    assert!((m.p_loss + m.p_obsolete + m.p_success - 1.0).abs() < 1e-13);
    assert!(m.residual < 1e-14, "{}", m.residual);
}

#[test]
fn truly_phase_type_obsolescence() {
    // Hyper-exponential: start (0.9, 0.1), first rate 1, mean 5; solved independently with a sparse generator.
    let law = PhaseType::hyper_exponential(&[0.9, 0.1], &[1.0, 0.1 / (5.0 - 0.9)]).unwrap();
    let (paper, costs) = (examples::paper(5), examples::PAPER_COSTS);
    let model = Model::new(5, paper.service().clone(), Some(law), paper.arrivals().to_vec(), costs).unwrap();
    let m = solve(&model, &RobotPolicy::thresholds(&model, &[3, 1], &[2]).unwrap());
    assert!((m.cost - 93.101_933_35).abs() < 1e-8, "{}", m.cost);
    assert!((m.sojourn_served - 1.218_307_42).abs() < 1e-8);
    let levels = [0.11884428, 0.20205671, 0.26022473, 0.26966417, 0.10063738, 0.04857273];
    for (got, wanted) in m.levels.iter().zip(levels) {
        assert!((got - wanted).abs() < 1e-8);
    }
}

#[test]
fn measured_crawler_within_a_third_of_a_percent() {
    let model = examples::measured_crawler();
    for (robots, printed) in [(1, 666.28), (2, 657.07), (3, 639.03), (4, 621.25)] {
        let cost = solve(&model, &model.fixed(robots)).cost;
        assert!((cost / printed - 1.0).abs() < 0.003, "{robots}: {cost}");
    }
    assert!((cost(&model, &[4, 1], &[2]) - 564.49).abs() < 0.005);
}

#[test]
fn c11_c12_sojourn_laws_are_consistent() {
    let model = examples::paper(5);
    let policy = RobotPolicy::thresholds(&model, &[3, 1], &[2]).unwrap();
    let (m, sojourn) = (solve(&model, &policy), Sojourn::of(&model, &policy));
    assert!((sojourn.probability(Fate::Served) - m.p_success).abs() < 1e-13);
    assert!((sojourn.probability(Fate::Obsolete) - m.p_obsolete).abs() < 1e-13);
    for fate in [Fate::Served, Fate::Obsolete, Fate::Any] {
        // The transform is 1 - u m1 + u^2 m2/2 - u^3 m3/6 + ... for small u; the next term is below 1e-9 of it here.
        let u = 1e-3;
        let series = 1.0 - u * sojourn.moment(fate, 1) + u * u * sojourn.moment(fate, 2) / 2.0;
        let series = series - u.powi(3) * sojourn.moment(fate, 3) / 6.0;
        assert!((sojourn.transform(fate, u) - series).abs() < 1e-9, "{fate:?}");
        // E[T] = integral of P(T > t): trapezoids of 0.02 up to 40, where the tail is below 1e-9.
        let step = 0.02;
        let tails: Vec<f64> = (0..=2_000).map(|n| 1.0 - sojourn.distribution(fate, f64::from(n) * step)).collect();
        let integral = step * (tails.iter().sum::<f64>() - 0.5 * (tails[0] + tails[2_000]));
        assert!((integral / sojourn.mean(fate) - 1.0).abs() < 1e-3, "{fate:?}: {integral}");
        // And the transform is that of the distribution, integrated by parts: u integral e^(-ut) P(T <= t) dt.
        let u = 0.7;
        let terms = (0..=2_000).map(|n| (-u * step * f64::from(n)).exp() * (1.0 - tails[n as usize]));
        let sum = u * step * (terms.sum::<f64>() - 0.5 * (1.0 - tails[0]));
        assert!((sum - sojourn.transform(fate, u)).abs() < 2e-4, "{fate:?}: {sum}");
        let median = sojourn.quantile(fate, 0.9);
        assert!((sojourn.distribution(fate, median) - 0.9).abs() < 1e-8);
    }
}

/// With one place a page that is not lost is indexed at once: its time is the service time.
#[test]
fn c12_with_one_place_the_time_is_that_of_the_service() {
    let (model, service) = (examples::paper(1), examples::paper_service());
    let sojourn = Sojourn::of(&model, &model.fixed(3));
    let mut law = sojourn.law();
    for t in [3.0, 0.0, 0.1, 20.0, 1.0] {
        // Sums of at most a few hundred positive terms.
        assert!((law.distribution(Fate::Served, t) - service.distribution(t)).abs() < 1e-13, "{t}");
    }
    assert!((law.quantile(Fate::Served, 0.99) / service.quantile(0.99) - 1.0).abs() < 1e-9);
    assert_eq!(law.distribution(Fate::Served, 1e9), 1.0);
    assert_eq!(sojourn.quantile(Fate::Obsolete, 0.5), 0.0);
    let lost = solve(&model, &model.fixed(3)).p_loss;
    assert!((sojourn.distribution(Fate::Any, 0.0) - lost).abs() < 1e-13);
}

#[test]
fn c13_admission_rules() {
    let paper = examples::paper(3);
    let policy = paper.fixed(4);
    let with = |admission| solve(&examples::paper(3).with_admission(admission), &policy);
    let [partial, reject, admit] =
        [Admission::Partial, Admission::CompleteRejection, Admission::CompleteAdmission].map(with);
    for m in [&partial, &reject, &admit] {
        assert!((m.p_loss + m.p_obsolete + m.p_success - 1.0).abs() < 1e-12);
        assert!(m.residual < 1e-13);
    }
    assert_eq!((partial.levels.len(), reject.levels.len(), admit.levels.len()), (4, 4, 7));
    assert!(admit.p_loss < partial.p_loss && partial.p_loss < reject.p_loss);
    // Without batches the three are the same.
    let arrivals = vec![(1, crate::Bmap::poisson(1.0).unwrap())];
    let single = Model::new(3, examples::paper_service(), None, arrivals, examples::PAPER_COSTS).unwrap();
    let costs = [Admission::Partial, Admission::CompleteRejection, Admission::CompleteAdmission]
        .map(|rule| solve(&single.clone().with_admission(rule), &single.fixed(1)).cost);
    assert!((costs[0] - costs[1]).abs() < 1e-12 && (costs[0] - costs[2]).abs() < 1e-12);
}

/// C-7: with a thousand places most levels are rarer than the smallest number there is; the balance is that of the others.
#[test]
fn c7_levels_too_rare_for_numbers_do_not_count() {
    let model = examples::paper(1000);
    let measures = solve(&model, &RobotPolicy::thresholds(&model, &[3, 1], &[3]).unwrap());
    assert!(measures.residual < 1e-12, "{}", measures.residual);
    assert!((measures.levels.iter().sum::<f64>() - 1.0).abs() < 1e-12);
}
