//! Pages and access-time law reduced to the two numbers per page that the optimisation needs.

use crate::access_time::{AccessTime, Transform};
use crate::pages::Pages;
use crate::parallel::fill_pairs;

/// An instance of the scheduling problem.
///
/// With `q = mu E[X]` page `i` enters every formula only through its *value* `a = c/q` and its *decay* `b = -ln h(mu)`:
/// whatever the policy, `C = sum a (q - b) + sum a psi`, where the first sum is the same for every policy and `psi` is,
/// for instance, `x phi(b/x)` for accesses evenly spaced at frequency `x` (law F-2).
///
/// A page that never changes or has no weight gets value zero. Sixteen bytes per page.
#[derive(Clone, Debug)]
pub struct Instance {
    values: Vec<f64>,
    decays: Vec<f64>,
    mean_access_time: f64,
    total_weight: f64,
    unavoidable: f64,
}

impl Instance {
    /// Prepares the pages for the given access-time law.
    #[must_use]
    pub fn new(pages: &Pages<'_>, law: &AccessTime) -> Self {
        let (rates, weights) = (pages.change_rates(), pages.weights());
        let transform = Transform::of(law, rates);
        let mean = law.mean();
        let mut values = vec![0.0; rates.len()];
        let mut decays = vec![0.0; rates.len()];
        let sums = fill_pairs(&mut values, &mut decays, |first, values, decays| {
            let mut sums = (0.0, 0.0);
            for (i, (value, decay)) in (first..).zip(values.iter_mut().zip(decays)) {
                let (mu, c) = (rates[i], weights[i]);
                let (b, deficit) = transform.decay_and_deficit(mu);
                *decay = b;
                *value = value_of(c, mu * mean);
                sums.0 += c;
                sums.1 += *value * deficit;
            }
            sums
        });
        let (total_weight, unavoidable) = sums.iter().fold((0.0, 0.0), |(w, u), (pw, pu)| (w + pw, u + pu));
        Self { values, decays, mean_access_time: mean, total_weight, unavoidable }
    }

    /// Number of pages.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are no pages.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// `a_i = c_i / (mu_i E[X])`, zero for a page that never changes or has no weight.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// `b_i = -ln h(mu_i)`.
    #[must_use]
    pub fn decays(&self) -> &[f64] {
        &self.decays
    }

    /// `E[X]`.
    #[must_use]
    pub fn mean_access_time(&self) -> f64 {
        self.mean_access_time
    }

    /// `sum c_i`.
    #[must_use]
    pub fn total_weight(&self) -> f64 {
        self.total_weight
    }

    /// `sum a_i (mu_i E[X] - b_i)`, the part of the cost that the variance of the access time causes under every policy.
    #[must_use]
    pub fn unavoidable_cost(&self) -> f64 {
        self.unavoidable
    }
}

/// `a = c/q`, and zero where the page can neither be stale nor matter.
pub(crate) fn value_of(c: f64, q: f64) -> f64 {
    if c > 0.0 && q > 0.0 { (c / q).min(f64::MAX) } else { 0.0 }
}
