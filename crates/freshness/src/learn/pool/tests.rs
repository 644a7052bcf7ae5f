use super::*;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, Gamma, Poisson};

fn evidence(changes: f64, exposure: f64) -> Evidence {
    Evidence::from_parts(changes as f32, exposure as f32)
}

fn fallback() -> RateEstimate {
    RateEstimate::new(0.5, 5.0).unwrap()
}

/// Pages with gamma rates, each watched for a while.
fn gamma_pages(n: u64, shape: f64, mean: f64, watch: f64, rng: &mut rand_pcg::Pcg64) -> Vec<(u64, Evidence)> {
    let law = Gamma::new(shape, mean / shape).unwrap();
    let page = |key, rng: &mut rand_pcg::Pcg64| {
        let (mu, exposure) = (law.sample(rng), watch * rng.random_range(0.3..1.7));
        let changes = if mu * exposure > 1e-12 { Poisson::new(mu * exposure).unwrap().sample(rng) } else { 0.0 };
        (key, evidence(changes, exposure))
    };
    (0..n).map(|key| page(key, rng)).collect()
}

fn pool(pages: &[(u64, Evidence)]) -> PooledPrior {
    let mut pool = PooledPrior::new();
    pages.iter().for_each(|&(key, page)| pool.observe(key, page));
    pool
}

#[test]
fn without_pages_the_fallback_stays() {
    assert_eq!(PooledPrior::new().fit(&fallback()), fallback());
    assert!(PooledPrior::new().is_empty());
}

/// F-26: the fit finds the law the rates came from. 64 pages: a quarter for the mean, a factor two for the shape, which
/// is about two standard errors, with the penalty pulling.
#[test]
fn f26_finds_the_law_of_the_pages() {
    let mut rng = rand_pcg::Pcg64::seed_from_u64(21);
    for (shape, mean) in [(0.5, 0.01), (1.0, 1.0), (3.0, 20.0)] {
        let (mut ln_mean, mut ln_shape) = (0.0, 0.0);
        for _ in 0..20 {
            let prior = pool(&gamma_pages(1000, shape, mean, 5.0 / mean, &mut rng)).fit(&fallback());
            ln_mean += (prior.mean() / mean).ln() / 20.0;
            ln_shape += (prior.shape() / shape).ln() / 20.0;
        }
        assert!(ln_mean.abs() < 0.1 && ln_shape.abs() < 0.3, "{shape} {mean}: {ln_mean} {ln_shape}");
    }
}

/// F-26: no pair (shape, rate) on a grid beats the fit.
#[test]
fn f26_maximises_the_penalised_marginal_likelihood() {
    let mut rng = rand_pcg::Pcg64::seed_from_u64(22);
    for n in [1, 3, 64] {
        let pages = pool(&gamma_pages(n, 0.8, 0.3, 4.0, &mut rng));
        let prior = pages.fit(&fallback());
        let fit = Fit { pages: &pages.sample, ln_mean: fallback().mean().ln(), ln_shape: fallback().shape().ln() };
        let best = fit.value(prior.shape().ln(), prior.rate().ln());
        for i in -60..=60 {
            for j in -60..=60 {
                assert!(fit.value(f64::from(i) * 0.05, f64::from(j) * 0.15) <= best + 1e-6);
            }
        }
    }
}

/// A single page moves the mean towards what it shows but not past half of the way on the scale of logarithms when it
/// shows next to nothing, and pages that never change do not drive the prior to zero.
#[test]
fn f26_few_pages_do_not_overturn_the_fallback() {
    let one = pool(&[(1, evidence(1.0, 0.5))]).fit(&fallback());
    assert!(one.mean() > fallback().mean() && one.mean() < 1.0, "{one:?}");
    let still: Vec<_> = (0..50).map(|key| (key, evidence(0.0, 30.0))).collect();
    let prior = pool(&still).fit(&fallback());
    assert!(prior.mean() < 0.01 && prior.mean() > 1e-5, "{prior:?}");
}

#[test]
fn pages_that_go_are_forgotten() {
    let mut pages = pool(&[(1, evidence(1.0, 1.0)), (2, evidence(3.0, 1.0))]);
    pages.forget(2);
    assert_eq!(pages, pool(&[(1, evidence(1.0, 1.0))]));
}

proptest! {
    /// F-26: shards merged in any order are the pool of all pages; observing again replaces.
    #[test]
    fn f26_shards_make_the_same_pool(n in 1u64..300, cut in 0u64..300, seed in 0u64..1000) {
        let mut rng = rand_pcg::Pcg64::seed_from_u64(seed);
        let pages = gamma_pages(n, 1.0, 1.0, 3.0, &mut rng);
        let whole = pool(&pages);
        let (first, second) = pages.split_at(cut.min(n) as usize);
        let (mut left, mut right) = (pool(first), pool(second));
        left.merge(&pool(second));
        right.merge(&pool(first));
        prop_assert_eq!(&left, &whole);
        prop_assert_eq!(&right, &whole);
        prop_assert!(whole.len() as u64 == n.min(64));
        let mut again = whole.clone();
        pages.iter().for_each(|&(key, page)| again.observe(key, page));
        prop_assert_eq!(again, whole);
    }

    /// Any evidence gives a usable prior.
    #[test]
    fn f26_fit_is_always_a_law(
        pages in proptest::collection::vec((0f32..1e4, -30.0f32..30.0), 0..100), log_rate in -12.0f64..12.0,
    ) {
        let mut pool = PooledPrior::new();
        for (key, (changes, exponent)) in pages.into_iter().enumerate() {
            pool.observe(key as u64, Evidence::from_parts(changes, 10f32.powf(exponent)));
        }
        let prior = pool.fit(&RateEstimate::new(0.5, 10f64.powf(log_rate)).unwrap());
        prop_assert!(prior.mean() > 0.0 && prior.mean().is_finite() && prior.shape().is_finite(), "{:?}", prior);
    }
}
