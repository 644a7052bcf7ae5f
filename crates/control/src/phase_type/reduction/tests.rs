//! C-3: a reduced law is the law it came from, and what can be reduced is.

use proptest::prelude::*;

use super::*;
use crate::arrivals::Bmap;
use crate::model::{Costs, Model};

/// Largest relative difference of two laws: of `E exp(-uX)` and of `1 - E exp(-uX) = u beta (uI - S)^-1 e`, both sums without
/// a subtraction, over `u` from 1e-4 of the slowest to 1e4 of the fastest rate. They determine the law, and are not what
/// the reduction looks at.
fn difference(a: &PhaseType, b: &PhaseType) -> f64 {
    let rates: Vec<f64> =
        (0..a.order()).map(|i| -a.rates[(i, i)]).chain(a.exits.iter().copied()).filter(|r| *r > 0.0).collect();
    let slowest = rates.iter().copied().fold(f64::INFINITY, f64::min).min(1.0 / a.mean());
    let decades = (1e8 * a.pace() / slowest).log10();
    let both = |law: &PhaseType, u: f64| {
        let solved = law.absorbing(u).solve_row(&law.start);
        (dot(&solved, &law.exits), u * solved.iter().sum::<f64>())
    };
    (0..=60)
        .map(|k| 1e-4 * slowest * 10f64.powf(decades * f64::from(k) / 60.0))
        .map(|u| (both(a, u), both(b, u)))
        .map(|((a1, a2), (b1, b2))| (b1 / a1 - 1.0).abs().max((b2 / a2 - 1.0).abs()))
        .fold(0.0, f64::max)
}

/// Numbers spread over many orders of magnitude, some of them zero.
fn rate() -> impl Strategy<Value = f64> {
    prop_oneof![1 => Just(0.0), 3 => (-6.0f64..6.0).prop_map(|e| 10f64.powf(e)), 3 => 0.1f64..10.0]
}

/// A law of `n` phases with rates between phases, out of them, and weights of their start.
fn chain(n: usize) -> impl Strategy<Value = PhaseType> {
    let numbers = |count| prop::collection::vec(rate(), count);
    (numbers(n * n), numbers(n), numbers(n)).prop_filter_map(
        "the chain must begin and end",
        move |(moves, exits, weights)| {
            let off = Matrix::from_fn(n, n, |i, j| if i == j { 0.0 } else { moves[n * i + j] });
            let sum: f64 = weights.iter().sum();
            let law = PhaseType {
                start: weights.iter().map(|w| w / sum).collect(),
                rates: with_diagonal(&off, &exits),
                exits,
            };
            let fine = sum > 0.0 && (0..n).all(|i| law.rates[(i, i)] < 0.0) && law.first_endless_phase().is_none();
            fine.then_some(law)
        },
    )
}

/// Every phase in two copies with the same future: what enters it is split, and copies move to each other.
fn split(law: &PhaseType, shares: &[f64], swaps: &[f64]) -> PhaseType {
    let n = law.order();
    let share = |j: usize| if j < n { shares[j] } else { 1.0 - shares[j - n] };
    let off = Matrix::from_fn(2 * n, 2 * n, |i, j| match (i == j, i % n == j % n) {
        (true, _) => 0.0,
        (false, true) => swaps[i],
        (false, false) => law.rates[(i % n, j % n)] * share(j),
    });
    let exits: Vec<f64> = (0..2 * n).map(|i| law.exits[i % n]).collect();
    PhaseType {
        start: (0..2 * n).map(|j| law.start[j % n] * share(j)).collect(),
        rates: with_diagonal(&off, &exits),
        exits,
    }
}

proptest! {
    /// C-3 for laws whose rates lie up to 12 orders of magnitude apart.
    #[test]
    fn c3_a_reduced_law_is_the_same_law(law in (1usize..6).prop_flat_map(chain)) {
        let reduced = law.reduced();
        prop_assert!(reduced.order() <= law.order());
        // The rounding of a relative 1e-13 in rates, times the number of phases, times what survival asks of it.
        prop_assert!(difference(&law, &reduced) < 1e-10);
    }

    /// C-3 where mean and variance are those of a rare slow phase alone: exact survival is a sum of exponentials.
    #[test]
    fn c3_rare_slow_phases_are_kept(rates in prop::collection::vec(0.3f64..3.0, 1..4), rare in -12.0f64..-1.0, slow in 0.0f64..8.0) {
        let (p, n) = (10f64.powf(rare), rates.len());
        let mut chances = vec![(1.0 - p) / n as f64; n];
        chances.push(p);
        let all: Vec<f64> = rates.into_iter().chain([10f64.powf(-slow)]).collect();
        let law = PhaseType::hyper_exponential(&chances, &all).unwrap();
        let reduced = law.reduced();
        for k in -3..=12 {
            let x = 10f64.powi(k);
            let exact: f64 = chances.iter().zip(&all).map(|(p, rate)| p * (-rate * x).exp()).sum();
            prop_assert!((reduced.survival(x) - exact).abs() <= 1e-10 * exact + 1e-18, "{k} {exact}");
        }
    }

    /// C-3: copies with the same future, and run backwards with the same past, are merged again.
    #[test]
    fn c3_copies_are_merged(
        law in (1usize..4).prop_flat_map(chain),
        shares in prop::collection::vec(0.1f64..0.9, 3),
        swaps in prop::collection::vec(rate(), 6),
    ) {
        let law = law.reduced();
        for padded in [split(&law, &shares, &swaps), split(&law, &shares, &swaps).reversed()] {
            prop_assert_eq!(padded.reduced().order(), law.order());
            prop_assert!(difference(&law, &padded.reduced()) < 1e-10);
        }
    }
}

#[test]
fn c3_two_phases_hidden_among_three() {
    // Of the third phase's term `1/(s + 2)` nothing is left, as 0.325 - 1.575 x 0.5/1.5 + 0.1 x 4/2 = 0.
    let rates = Matrix::from_rows(&[vec![-0.5, 0.0, 0.0], vec![0.0, -4.0, 0.0], vec![1.575, 0.1, -2.0]]).unwrap();
    let hidden = PhaseType::new(&[0.5, 0.3, 0.2], &rates).unwrap();
    let merged = hidden.without_unreached().merged_both_ways();
    let reduced = hidden.reduced();
    assert_eq!((merged.order(), reduced.order()), (3, 2));
    assert!(difference(&hidden, &reduced) < 1e-12);
}

#[test]
fn c3_many_phases_take_little_time() {
    let law = PhaseType::erlang(600, 600.0).unwrap();
    assert_eq!(law.reduced().order(), 600);
}

/// Costs of one robot that brings two pages per unit of time to an indexer of rate one, from a generator built state by state.
#[test]
fn c3_queues_with_rare_slow_obsolescence_as_solved_by_others() {
    let costs = Costs { loss: 5.0, obsolete: 10.0, sojourn: 2.0, robot: 20.0, starvation: 300.0 };
    let scan = [0.30558117640009713, 0.03825018735148307, 0.6492228581557208, 0.006945778092699079];
    let scan_rates = [0.3178966701898147, 2.901695917884886, 2.4720699302635305, 0.0019223897961157669];
    for (buffer, chances, rates, wanted) in [
        (4, &[0.5, 0.4999, 0.0001][..], &[1.0, 2.0, 0.0001][..], 84.68932365507175),
        (4, &[1.0 - 1e-12, 1e-12], &[1.0, 1e-12], 76.27777777772627),
        (3, &scan, &scan_rates, 84.80143007912821),
    ] {
        let arrivals = Bmap::new(vec![Matrix::from_fn(1, 1, |_, _| -2.0), Matrix::from_fn(1, 1, |_, _| 2.0)]).unwrap();
        let law = PhaseType::hyper_exponential(chances, rates).unwrap();
        let service = PhaseType::exponential(1.0).unwrap();
        let model = Model::new(buffer, service, Some(law), vec![(1, arrivals)], costs).unwrap();
        let cost = crate::queue::solve(&model, &model.fixed(1)).cost;
        assert!((cost / wanted - 1.0).abs() < 1e-9, "{cost} {wanted}");
    }
}
