use super::*;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, LogNormal, Poisson};

fn evidence(changes: f64, exposure: f64) -> Evidence {
    Evidence::from_parts(changes as f32, exposure as f32)
}

fn fallback() -> Prior {
    Prior::new(0.1, 2.0).unwrap()
}

/// Pages with lognormal rates, each watched for a while.
fn pages(n: u64, median: f64, spread: f64, watch: f64, rng: &mut rand_pcg::Pcg64) -> Vec<(u64, Evidence)> {
    let law = LogNormal::new(median.ln(), spread).unwrap();
    let page = |key, rng: &mut rand_pcg::Pcg64| {
        let exposure = watch * rng.random_range(0.3..1.7);
        let changes = Poisson::new(law.sample(rng) * exposure).unwrap().sample(rng);
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

/// F-26: the fit finds the law the rates came from, on average over 20 samples of 64 pages to 0.15 in the logarithms:
/// the standard error is 0.04, the rest is the normal approximation and the pull of the fallback.
#[test]
fn f26_finds_the_law_of_the_pages() {
    let mut rng = rand_pcg::Pcg64::seed_from_u64(21);
    for (median, spread) in [(0.01, 0.7), (1.0, 1.5), (20.0, 1.0)] {
        let (mut off_median, mut off_spread) = (0.0, 0.0);
        for _ in 0..20 {
            let prior = pool(&pages(1000, median, spread, 5.0 / median, &mut rng)).fit(&fallback());
            off_median += (prior.median() / median).ln() / 20.0;
            off_spread += (prior.spread() / spread).ln() / 20.0;
        }
        assert!(off_median.abs() < 0.15 && off_spread.abs() < 0.15, "{median} {spread}: {off_median} {off_spread}");
    }
}

/// Changes seen in no time at all, as signals may seem to show, do not drag the others along; nor do the wildest pages beyond a limit.
#[test]
fn f26_pages_seen_for_no_time_do_not_run_away() {
    let mut rng = rand_pcg::Pcg64::seed_from_u64(22);
    let mut all = pages(36, 0.02, 1.0, 100.0, &mut rng);
    let before = pool(&all).fit(&fallback());
    all.extend((100..110).map(|key| (key, evidence(7.0, 0.0))));
    assert_eq!(pool(&all).fit(&fallback()), before);
    all.extend((200..210).map(|key| (key, evidence(7.0, 1e-20))));
    let after = pool(&all).fit(&fallback());
    assert!(after.spread() <= MOST_SPREAD && after.median() < 1e9, "{after:?}");
}

/// A single page moves the prior towards what it shows but not all the way, and pages that never change do not drive it
/// to zero.
#[test]
fn f26_few_pages_do_not_overturn_the_fallback() {
    let one = pool(&[(1, evidence(1.0, 0.5))]).fit(&fallback());
    assert!(one.median() > fallback().median() && one.median() < 0.7, "{one:?}");
    let still: Vec<_> = (0..50).map(|key| (key, evidence(0.0, 30.0))).collect();
    let prior = pool(&still).fit(&fallback());
    assert!(prior.median() < 0.03 && prior.median() > 1e-9, "{prior:?}");
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
        let pages = super::tests::pages(n, 1.0, 1.0, 3.0, &mut rng);
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
        pages in proptest::collection::vec((0f32..1e4, -30.0f32..30.0), 0..100), log_median in -12.0f64..12.0,
    ) {
        let mut pool = PooledPrior::new();
        for (key, (changes, exponent)) in pages.into_iter().enumerate() {
            pool.observe(key as u64, Evidence::from_parts(changes, 10f32.powf(exponent)));
        }
        let prior = pool.fit(&Prior::new(10f64.powf(log_median), 2.0).unwrap());
        prop_assert!(Prior::new(prior.median(), prior.spread()).is_ok(), "{:?}", prior);
    }
}
