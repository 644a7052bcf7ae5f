//! C-2 and C-3 against closed forms, published values and sampling.

use proptest::prelude::*;
use rand::SeedableRng;
use rand_pcg::Pcg64Mcg;

use super::*;

fn law(start: &[f64], rows: &[&[f64]]) -> PhaseType {
    let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.to_vec()).collect();
    PhaseType::new(start, &Matrix::from_rows(&rows).unwrap()).unwrap()
}

fn service() -> PhaseType {
    law(&[0.4, 0.6], &[&[-3.0, 1.0], &[2.0, -3.0]])
}

fn obsolescence() -> PhaseType {
    law(&[0.3, 0.7], &[&[-0.6, 0.4], &[0.1, -0.3]])
}

#[test]
fn c2_moments() {
    // Computed independently with BuTools' formulas.
    let three = law(&[0.1, 0.9, 0.0], &[&[-6.2, 2.0, 0.0], &[2.0, -9.0, 1.0], &[1.0, 0.0, -3.0]]);
    let wanted =
        [0.20938722294654497, 0.10448912014333092, 0.0890915003919073, 0.11026674096545433, 0.17953027324720897];
    for (k, wanted) in (1..).zip(wanted) {
        assert!((three.moment(k) / wanted - 1.0).abs() < 1e-13);
    }
    assert!((service().mean() - 0.657).abs() < 0.0005, "ADKNS section 7");
    assert!((service().moment(3) / 1.598833819241982 - 1.0).abs() < 1e-13);
}

#[test]
fn c2_erlang_in_closed_form() {
    let erlang = PhaseType::erlang(3, 2.0).unwrap();
    for x in [0.01f64, 0.7, 5.0, 60.0] {
        let tail = (-2.0 * x).exp() * (1.0 + 2.0 * x + 2.0 * x * x);
        assert!((erlang.survival(x) / tail - 1.0).abs() < 1e-12, "{x}");
        let density = 4.0 * x * x * (-2.0 * x).exp();
        assert!((erlang.density(x) / density - 1.0).abs() < 1e-12, "{x}");
        assert!((erlang.transform(x) - (2.0 / (2.0 + x)).powi(3)).abs() < 1e-15);
    }
    assert!((erlang.squared_variation() - 1.0 / 3.0).abs() < 1e-14);
}

#[test]
fn c3_the_papers_obsolescence_law_is_exponential() {
    let reduced = obsolescence().reduced();
    assert_eq!(reduced.order(), 1);
    assert!((reduced.exits()[0] - 0.2).abs() < 1e-14);
}

#[test]
fn c3_reduces_what_can_be_reduced_and_nothing_else() {
    assert_eq!(service().reduced().order(), 2);
    assert_eq!(PhaseType::erlang(4, 1.0).unwrap().reduced().order(), 4);
    // Two phases of the same rate in a mixture are one.
    let mixture = PhaseType::hyper_exponential(&[0.2, 0.3, 0.5], &[1.0, 1.0, 7.0]).unwrap();
    assert_eq!(mixture.reduced().order(), 2);
    // A phase never reached.
    assert_eq!(law(&[1.0, 0.0], &[&[-1.0, 0.0], &[1.0, -2.0]]).reduced().order(), 1);
    // Two phases disguised as three: start in the stationary-like mixture of a symmetric pair that is not lumpable.
    let disguised = law(&[0.5, 0.25, 0.25], &[&[-2.0, 0.5, 0.5], &[0.0, -3.0, 1.0], &[0.0, 1.0, -3.0]]);
    let reduced = disguised.reduced();
    assert_eq!(reduced.order(), 2);
    for x in [0.1, 1.0, 4.0] {
        assert!((reduced.survival(x) / disguised.survival(x) - 1.0).abs() < 1e-10);
    }
}

#[test]
fn wrong_laws_are_refused_with_the_place() {
    let error = |start: &[f64], rows: &[&[f64]]| {
        let rows: Vec<Vec<f64>> = rows.iter().map(|row| row.to_vec()).collect();
        PhaseType::new(start, &Matrix::from_rows(&rows).unwrap()).unwrap_err().to_string()
    };
    assert!(error(&[0.5, 0.4], &[&[-1.0, 0.0], &[0.0, -1.0]]).contains("sums to 0.9"));
    assert!(error(&[1.0], &[&[1.0]]).contains("row 1, column 1: 1 must be negative"));
    assert!(error(&[1.0, 0.0], &[&[-1.0, -0.5], &[0.0, -1.0]]).contains("row 1, column 2: -0.5 must not be negative"));
    assert!(error(&[1.0, 0.0], &[&[-1.0, 1.5], &[0.0, -1.0]]).contains("row 1 sums to 0.5"));
    assert!(error(&[1.0, 0.0], &[&[-1.0, 1.0], &[1.0, -1.0]]).contains("never left for good"));
    assert!(error(&[1.0], &[&[f64::NAN]]).contains("not a finite number"));
    assert!(error(&[1.0, 0.0], &[&[-1.0]]).contains("start has 2 phases"));
    assert!(PhaseType::erlang(0, 1.0).is_err());
}

#[test]
fn c2_samples_follow_the_law() {
    let mut rng = Pcg64Mcg::seed_from_u64(1);
    let (law, n) = (service(), 100_000);
    let sample: Vec<f64> = (0..n).map(|_| law.sample(&mut rng)).collect();
    for p in [0.1, 0.5, 0.9, 0.99] {
        let x = law.quantile(p);
        let below = sample.iter().filter(|s| **s <= x).count() as f64 / f64::from(n);
        // Five standard errors.
        assert!((below - p).abs() < 5.0 * (p * (1.0 - p) / f64::from(n)).sqrt(), "{p} {below}");
    }
}

proptest! {
    /// C-2: survival falls from one, the quantile inverts it, and a reduced law is the same law.
    #[test]
    fn c2_c3_laws_of_random_chains(entries in prop::collection::vec(0.0f64..3.0, 12), x in 0.0f64..5.0, p in 0.01f64..0.99) {
        let exits = &entries[9..];
        let off = |i: usize, j: usize| if i == j { 0.0 } else { entries[3 * i + j] };
        let out = |i: usize| (0..3).map(|j| off(i, j)).sum::<f64>() + exits[i] + 0.1;
        let rates = Matrix::from_fn(3, 3, |i, j| if i == j { -out(i) } else { off(i, j) });
        let law = PhaseType::new(&[0.2, 0.3, 0.5], &rates).unwrap();
        prop_assert!((0.0..=1.0).contains(&law.survival(x)) && law.survival(x) >= law.survival(x + 0.1));
        prop_assert!((law.distribution(law.quantile(p)) - p).abs() < 1e-10);
        let reduced = law.reduced();
        prop_assert!(reduced.order() <= 3);
        prop_assert!((reduced.survival(x) - law.survival(x)).abs() < 1e-8);
    }
}
