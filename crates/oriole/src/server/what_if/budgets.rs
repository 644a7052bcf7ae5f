//! How stale the copies would be at other budgets.

use freshness::Pages;
use freshness::allocation::{Restraints, Visits, proportional, restrained_cost, restrained_optimum, uniform};
use serde::Serialize;

use super::sample::Sample;

/// Budgets are drawn from the one asked about over 2^5 to 2^5 times it, in steps of 2^(1/2).
const OCTAVES: i32 = 5;
const STEPS_PER_OCTAVE: i32 = 2;

/// Parts of the pages, by weight, whose copies are out of date on average at a budget.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Stale {
    /// Requests per second; null if they are not limited.
    pub(super) budget: Option<f64>,
    /// With the best order of visits.
    pub(super) best: Option<f64>,
    /// With all pages visited equally often.
    pub(super) uniform: Option<f64>,
    /// With pages visited as often as they change.
    pub(super) proportional: Option<f64>,
}

/// How stale the copies would be.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Staleness {
    /// Pages kept fresh, and those of them that were looked at.
    pub(super) pages: usize,
    pub(super) sampled: usize,
    /// At the budget there is.
    pub(super) current: Stale,
    /// At the budget that was asked about.
    pub(super) wanted: Stale,
    /// At budgets around it.
    pub(super) curve: Vec<Stale>,
}

/// Compares budgets; none if no page is kept fresh.
pub(super) fn compare(sample: &Sample, current: Option<f64>, wanted: Option<f64>) -> Option<Staleness> {
    Pages::new(&sample.rates, &sample.weights).ok().filter(|pages| pages.total_weight() > 0.0)?;
    // Without a budget the question is what all pages would need to be visited as often as they change.
    let changes = sample.rates.iter().sum::<f64>() / sample.share();
    let middle = wanted.or(current).unwrap_or(changes.max(f64::MIN_POSITIVE));
    let last = OCTAVES * STEPS_PER_OCTAVE;
    let budget = |step: i32| middle * 2f64.powf(f64::from(step) / f64::from(STEPS_PER_OCTAVE));
    Some(Staleness {
        pages: sample.pages,
        sampled: sample.rates.len(),
        current: stale(sample, current)?,
        wanted: stale(sample, wanted)?,
        curve: (-last..=last).filter_map(|step| stale(sample, Some(budget(step)))).collect(),
    })
}

/// How stale copies are at a budget. The pages looked at get their share of it.
fn stale(sample: &Sample, budget: Option<f64>) -> Option<Stale> {
    let Sample { rates, weights, host_of, least_revisit, .. } = sample;
    let pages = Pages::new(rates, weights).ok()?;
    let share = sample.share();
    let host_limits: Vec<f64> = sample.host_limits.iter().map(|limit| limit * share).collect();
    let budget_of_sample = budget.unwrap_or(f64::INFINITY) * share;
    let restraints = Restraints { budget: budget_of_sample, least: *least_revisit, host_of, host_limits: &host_limits };
    let part = |visits: Visits| Some(visits.cost / pages.total_weight()).filter(|part| part.is_finite());
    let rule = |shares: Vec<f64>| part(restrained_cost(rates, weights, &shares, &restraints));
    Some(Stale {
        budget,
        best: part(restrained_optimum(rates, weights, &restraints)),
        uniform: rule(uniform(rates.len())),
        proportional: rule(proportional(&pages)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Sample {
        Sample {
            rates: (1..=5).map(f64::from).collect(),
            weights: vec![1.0; 5],
            host_of: vec![0; 5],
            host_limits: vec![f64::INFINITY],
            least_revisit: 0.0,
            pages: 5,
        }
    }

    /// Cho and Garcia-Molina: rates 1 to 5, equal weights, five accesses: 1.15, 1.36, 1.35, 1.14 and none.
    #[test]
    fn the_known_example() {
        let known = compare(&sample(), Some(5.0), Some(5.0)).unwrap();
        let fresh = |rate: f64, visits: f64| visits / rate * (1.0 - (-rate / visits).exp());
        let best: f64 = [(1.0, 1.15), (2.0, 1.36), (3.0, 1.35), (4.0, 1.14)].map(|(mu, f)| fresh(mu, f)).iter().sum();
        let uniform: f64 = (1..=5).map(|mu| fresh(f64::from(mu), 1.0)).sum();
        // Frequencies are printed with two digits, and the cost is flat around the best ones.
        assert!((known.wanted.best.unwrap() - (1.0 - best / 5.0)).abs() < 1e-4, "{known:?}");
        assert!((known.wanted.uniform.unwrap() - (1.0 - uniform / 5.0)).abs() < 1e-12, "{known:?}");
        // As often as they change: every page is fresh to the same part.
        assert!((known.wanted.proportional.unwrap() - (1.0 - fresh(3.0, 1.0))).abs() < 1e-12, "{known:?}");
    }

    #[test]
    fn more_budget_is_never_worse_and_the_best_is_below_all() {
        let known = compare(&sample(), Some(5.0), Some(2.0)).unwrap();
        assert_eq!(known.curve.len(), 21);
        assert_eq!((known.curve[0].budget, known.curve[20].budget), (Some(2.0 / 32.0), Some(64.0)));
        for pair in known.curve.windows(2) {
            assert!(pair[1].best < pair[0].best && pair[1].uniform < pair[0].uniform, "{pair:?}");
        }
        for point in known.curve {
            assert!(point.best < point.uniform && point.uniform < point.proportional, "{point:?}");
        }
    }

    #[test]
    fn a_sample_stands_for_all() {
        let half = Sample { pages: 10, ..sample() };
        let (all, half) = (compare(&sample(), None, Some(5.0)), compare(&half, None, Some(10.0)));
        let (all, half) = (all.unwrap(), half.unwrap());
        assert!((all.wanted.best.unwrap() - half.wanted.best.unwrap()).abs() < 1e-12);
        assert_eq!(all.current.budget, None);
        assert!(compare(&Sample::default(), Some(1.0), Some(1.0)).is_none());
    }
}
