//! C-6 to C-11 against the tables of ADKNS (as corrected) and independent solutions.

use super::*;
use crate::model::examples;
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
