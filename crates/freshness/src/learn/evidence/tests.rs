use super::*;
use rand::{RngExt, SeedableRng};

fn prior() -> Prior {
    Prior::new(0.5, 1.5).unwrap()
}

/// Visits to a page of rate `mu`, `gap` apart on average.
fn visit(page: &mut Evidence, mu: f64, gap: f64, times: usize, forgetting: Forgetting, rng: &mut rand_pcg::Pcg64) {
    for _ in 0..times {
        let tau = gap * rng.random_range(0.5..1.5);
        let changed = rng.random::<f64>() < -(-mu * tau).exp_m1();
        page.record(tau, if changed { Observation::Changed } else { Observation::Unchanged }, &prior(), forgetting);
    }
}

/// F-21: each visit adds what it is worth at the mean before it, in single precision.
#[test]
fn adds_up_what_visits_are_worth() {
    let mut page = Evidence::default();
    let mut sum = Worth::default();
    for (tau, seen) in
        [(1.0, Observation::Changed), (0.5, Observation::Unchanged), (2.0, Observation::ChangedAt { age: 0.3 })]
    {
        let one = Worth::of(seen, tau, page.estimate(&prior()).mean());
        sum = Worth { changes: sum.changes + one.changes, exposure: sum.exposure + one.exposure };
        page.record(tau, seen, &prior(), Forgetting::Never);
    }
    assert!((f64::from(page.changes()) / sum.changes - 1.0).abs() < 1e-6);
    assert!((f64::from(page.exposure()) / sum.exposure - 1.0).abs() < 1e-6);
    assert_eq!(size_of::<Evidence>(), 8);
    assert_eq!(Evidence::from_parts(page.changes(), page.exposure()), page);
    assert_eq!(Evidence::from_parts(f32::NAN, -1.0), Evidence::default());
}

/// A million visits in single precision: the estimate is within 10% (five standard errors of the 4,096 changes that are
/// kept).
#[test]
fn stays_sane_after_a_million_visits() {
    let mut rng = rand_pcg::Pcg64::seed_from_u64(3);
    for (mu, gap) in [(1.0, 1.0), (1e-7, 1e6), (3.0, 1e-2)] {
        let mut page = Evidence::default();
        visit(&mut page, mu, gap, 1_000_000, Forgetting::Never, &mut rng);
        let mean = page.estimate(&prior()).mean();
        assert!((mean / mu - 1.0).abs() < 0.1, "{mu} {gap}: {mean}");
        assert!(page.changes() <= 4096.0);
    }
    let mut still = Evidence::default();
    for _ in 0..1_000_000 {
        still.record(0.7, Observation::Unchanged, &prior(), Forgetting::Never);
    }
    assert!((still.exposure() / 0.7e6 - 1.0).abs() < 0.05, "{}", still.exposure());
}

#[test]
fn follows_a_rate_that_moves_only_if_it_forgets() {
    let estimate_after_move = |forgetting| {
        let mut rng = rand_pcg::Pcg64::seed_from_u64(5);
        let mut page = Evidence::default();
        visit(&mut page, 0.1, 1.0, 400, forgetting, &mut rng);
        visit(&mut page, 2.0, 1.0, 100, forgetting, &mut rng);
        page.estimate(&prior()).mean()
    };
    assert!(estimate_after_move(Forgetting::Never) < 0.6);
    for forgetting in [Forgetting::HalfLife(20.0), Forgetting::HalfLifeInVisits(20.0)] {
        let mean = estimate_after_move(forgetting);
        assert!(mean > 1.2 && mean < 3.2, "{forgetting:?}: {mean}");
    }
}

/// When everything has been forgotten the prior is left.
#[test]
fn forgetting_ends_at_the_prior() {
    let mut page = Evidence::default();
    for _ in 0..100 {
        page.record(0.1, Observation::Changed, &prior(), Forgetting::Never);
    }
    page.record(0.0, Observation::Unchanged, &prior(), Forgetting::HalfLifeInVisits(0.01));
    assert!((page.estimate(&prior()).mean() - prior().median()).abs() < 1e-6);
    // Half-lives that mean nothing forget nothing.
    for none in [Forgetting::HalfLife(0.0), Forgetting::HalfLife(f64::NAN), Forgetting::HalfLifeInVisits(-1.0)] {
        assert_eq!(none.remains(1.0), 1.0);
    }
}
