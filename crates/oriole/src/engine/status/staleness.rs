//! How stale the copies are, and how stale they would be if pages were visited otherwise.

use crawl::fleet::Survey;
use freshness::Pages;
use freshness::allocation::{Restraints, Visits, proportional, restrained_cost, restrained_optimum, uniform};

/// Parts of the pages kept fresh, by weight, whose copies are out of date.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Staleness {
    /// Now, as far as is known.
    pub(super) estimate: Option<f64>,
    /// On average with the best order of visits within budget, delays of hosts and the shortest time between visits (law F-28).
    pub(super) bound: Option<f64>,
    /// On average if all pages were visited equally often.
    pub(super) uniform: Option<f64>,
    /// On average if pages were visited as often as they change.
    pub(super) proportional: Option<f64>,
}

/// How stale the pages of a survey are. They are a sample, which gets its share of what may be asked.
pub(super) fn staleness(survey: &Survey, budget: Option<f64>) -> Staleness {
    let Ok(pages) = Pages::new(&survey.rates, &survey.weights) else { return Staleness::default() };
    let total = pages.total_weight();
    if total <= 0.0 {
        return Staleness::default();
    }
    let stale = |((rate, weight), age): ((&f64, &f64), &f64)| -weight * (-rate * age).exp_m1();
    let now: f64 = survey.rates.iter().zip(&survey.weights).zip(&survey.ages).map(stale).sum();
    let share = survey.rates.len() as f64 / survey.kept_fresh.max(1) as f64;
    let host_limits: Vec<f64> = survey.host_limits.iter().map(|limit| limit * share).collect();
    let restraints = Restraints {
        budget: budget.unwrap_or(f64::INFINITY) * share,
        least: survey.least_revisit,
        host_of: &survey.host_of,
        host_limits: &host_limits,
    };
    let part = |visits: Visits| Some(visits.cost / total).filter(|part| part.is_finite());
    let rule = |shares: Vec<f64>| part(restrained_cost(&survey.rates, &survey.weights, &shares, &restraints));
    Staleness {
        estimate: Some(now / total),
        bound: part(restrained_optimum(&survey.rates, &survey.weights, &restraints)),
        uniform: rule(uniform(survey.rates.len())),
        proportional: rule(proportional(&pages)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use freshness::special;

    fn survey() -> Survey {
        Survey {
            kept_fresh: 8,
            rates: vec![0.01, 0.1, 0.001, 0.02],
            weights: vec![1.0, 1.0, 1.0, 2.0],
            ages: vec![0.0, 10.0, 1e9, 0.0],
            host_of: vec![0, 0, 1, 1],
            host_limits: vec![f64::INFINITY; 2],
            ..Survey::default()
        }
    }

    #[test]
    fn the_best_is_below_the_others_and_restraints_cost() {
        let free = staleness(&survey(), Some(0.2));
        // Of the weight of 5: a page of age 0 is current, one of rate 0.1 and age 10 is not with 1 - 1/e, the oldest is not.
        let estimate = (1.0 - (-1f64).exp() + 1.0) / 5.0;
        assert!((free.estimate.unwrap() - estimate).abs() < 1e-12);
        assert!(free.bound < free.uniform && free.uniform < free.proportional, "{free:?}");
        let slow_host = Survey { host_limits: vec![0.02, f64::INFINITY], ..survey() };
        assert!(staleness(&slow_host, Some(0.2)).bound > free.bound);
        let long_rest = Survey { least_revisit: 100.0, ..survey() };
        assert!(staleness(&long_rest, Some(0.2)).bound > free.bound);
    }

    /// The sample is half of all pages and gets half of the budget: four visits in 40 seconds.
    #[test]
    fn a_sample_gets_its_share() {
        let u = |rate: f64| rate * 40.0;
        let stale = |rate: f64| special::phi(u(rate)) / u(rate);
        let uniform = (stale(0.01) + stale(0.1) + stale(0.001) + 2.0 * stale(0.02)) / 5.0;
        assert!((staleness(&survey(), Some(0.2)).uniform.unwrap() - uniform).abs() < 1e-12);
    }

    #[test]
    fn nothing_is_kept_fresh() {
        assert_eq!(staleness(&Survey::default(), Some(1.0)), Staleness::default());
    }
}
