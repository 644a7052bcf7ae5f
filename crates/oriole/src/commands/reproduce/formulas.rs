//! Formulas of ADKNS that need a correction, each with what the printed form gives in numbers.

use anyhow::Result;
use control::arrivals::readings::independent;
use control::matrix::Absorbing;
use control::model::examples::{paper_arrivals, paper_obsolescence, paper_service};
use control::{Bmap, Matrix, PhaseType};

use super::check::{Check, Part};

pub(super) fn formulas() -> Result<Part> {
    let checks = [independent_robots()?, second_page()].concat();
    Ok(Part::new("formulas", "Formulas that need a correction, and what follows from the printed form", checks))
}

/// Section 2, reading 1: two robots as that of the example, one of them active.
fn independent_robots() -> Result<Vec<Check>> {
    let reason = "the phases of inactive robots go on moving, so D(1) of each is added by a Kronecker sum; with the product rows \
                  of D_0 + D_1 + ... do not sum to 0, and phases of two robots change only together";
    let robot = &paper_arrivals()[0].1;
    let (size, silent) = (robot.phases(), robot.generator());
    let printed = with_batches(&robot.matrices()[0].kronecker(&silent), robot, size);
    let corrected = with_batches(&robot.matrices()[0].kronecker_sum(&silent), robot, size);
    let [before, after] = [&printed, &corrected].map(worst_row_sum);
    let rate = independent(&[robot.clone(), robot.clone()])[0].rate();
    Ok(vec![
        Check::words("reading 1 of the arrivals: D_0, one of two robots active", "D_0 (x) D(1)", "D_0 (+) D(1)")
            .because_both(before > 1e-3, after < 1e-12, reason),
        Check::number("its rows of D_0 + D_1 + ..., furthest from 0", &format!("{before:.2}"), after).because_both(
            before > 1e-3,
            after < 1e-12,
            reason,
        ),
        Check::number("pages per unit of time with the sum, those of one robot", "1.28", rate),
    ])
}

/// `D_0 + D_1 (x) I + D_2 (x) I + ...` with some `D_0`.
fn with_batches(d0: &Matrix, robot: &Bmap, size: usize) -> Matrix {
    let mut sum = d0.clone();
    robot.matrices()[1..].iter().for_each(|d| sum.add(1.0, &d.kronecker(&Matrix::identity(size))));
    sum
}

fn worst_row_sum(m: &Matrix) -> f64 {
    m.row_sums().into_iter().map(f64::abs).fold(0.0, f64::max)
}

/// (20) for a page that finds one, just begun: the chance that it is indexed, and before a clock of rate 1 rings.
fn second_page() -> Vec<Check> {
    let reason = "when the page before it leaves, the page itself goes to the server: its service begins in a phase of beta and its \
                  obsolescence phase no longer matters; B_0 (x) I_R keeps that phase in place of the service phase, and has a \
                  fitting size only if M = R, as in the example";
    let counted = "built without either formula; the corrected one gives the same";
    let (service, ageing) = (paper_service(), paper_obsolescence());
    let exits = Matrix::column_vector(service.exits());
    let restart = exits.times(&Matrix::row_vector(service.start()));
    let ones = Matrix::column_vector(&vec![1.0; ageing.order()]);
    let printed = after_one(&service, &ageing, &exits.kronecker(&Matrix::identity(ageing.order())));
    let corrected = after_one(&service, &ageing, &restart.kronecker(&ones));
    let known = state_by_state(&service, &ageing);
    let (wrong, right) = ((printed - known).abs() > 1e-3, (corrected - known).abs() < 1e-12);
    vec![
        Check::words("(20), i = 1: the matrix before v_0(u)", "S_0 (x) I_R", "S_0 beta (x) e_R")
            .because_both(wrong, right, reason),
        Check::number("its E exp(-T), pages that find one just begun", &format!("{printed:.5}"), corrected)
            .because_both(wrong, right, reason),
        Check::beyond("the same from the chain of the page, state by state", known, counted),
    ]
}

/// `(beta (x) gamma) (I - A_1)^-1 B v_0(1)` with `v_0(1) = (I - S)^-1 S_0` and `A_1 = S (+) Gamma`.
fn after_one(service: &PhaseType, ageing: &PhaseType, b: &Matrix) -> f64 {
    let own_service: Vec<f64> = service.exits().iter().map(|exit| 1.0 + exit).collect();
    let v_0 = Absorbing::new(service.rates(), &own_service).solve_column(service.exits());
    let both = |m: usize, r: usize| 1.0 + service.exits()[m] + ageing.exits()[r];
    let leaving: Vec<f64> = (0..service.order()).flat_map(|m| (0..ageing.order()).map(move |r| both(m, r))).collect();
    let v_1 = Absorbing::new(&service.rates().kronecker_sum(ageing.rates()), &leaving).solve_column(&b.before(&v_0));
    let begin = Matrix::row_vector(service.start()).kronecker(&Matrix::row_vector(ageing.start()));
    begin.before(&v_1)[0]
}

/// The same from the chain of the page, built state by state: waiting in (service phase, own phase), then in service.
fn state_by_state(service: &PhaseType, ageing: &PhaseType) -> f64 {
    let (m, r) = (service.order(), ageing.order());
    let (waiting, all) = (|s: usize, a: usize| s * r + a, m * r + m);
    let mut rates = Matrix::zeros(all, all);
    let mut leaving = vec![1.0; all];
    for s in 0..m {
        for a in 0..r {
            let here = waiting(s, a);
            (0..m).filter(|t| *t != s).for_each(|t| rates[(here, waiting(t, a))] += service.rates()[(s, t)]);
            (0..r).filter(|b| *b != a).for_each(|b| rates[(here, waiting(s, b))] += ageing.rates()[(a, b)]);
            (0..m).for_each(|t| rates[(here, m * r + t)] += service.exits()[s] * service.start()[t]);
            leaving[here] += ageing.exits()[a];
        }
        (0..m).filter(|t| *t != s).for_each(|t| rates[(m * r + s, m * r + t)] += service.rates()[(s, t)]);
        leaving[m * r + s] += service.exits()[s];
    }
    let served: Vec<f64> = vec![0.0; m * r].into_iter().chain(service.exits().iter().copied()).collect();
    let v = Absorbing::new(&rates, &leaving).solve_column(&served);
    (0..m * r).map(|here| service.start()[here / r] * ageing.start()[here % r] * v[here]).sum()
}
