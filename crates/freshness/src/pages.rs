//! The pages of an instance: how often each changes and what it is worth.

use thiserror::Error;

/// The least positive change rate, weight or time that is taken; smaller ones could make products underflow.
pub const LEAST: f64 = 1e-60;

/// The largest change rate, weight or time that is taken.
pub const MOST: f64 = 1e60;

/// Whether a change rate or weight can be worked with: zero, or from [`LEAST`] to [`MOST`].
#[must_use]
pub fn in_range(value: f64) -> bool {
    value == 0.0 || (LEAST..=MOST).contains(&value)
}

/// Change rates and weights of pages, checked: zero or from 1e-60 to 1e60, as many of one as of the other.
///
/// The two are kept apart because at a hundred million pages one pass over eight bytes costs half of one over sixteen.
#[derive(Clone, Copy, Debug)]
pub struct Pages<'a> {
    change_rates: &'a [f64],
    weights: &'a [f64],
}

/// What is wrong with a set of pages.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum PagesError {
    /// There are no pages.
    #[error("there are no pages")]
    Empty,
    /// The slices differ in length.
    #[error("{change_rates} change rates but {weights} weights")]
    Lengths {
        /// Number of change rates.
        change_rates: usize,
        /// Number of weights.
        weights: usize,
    },
    /// A change rate is negative, not a number or beyond all measure.
    #[error("page {page}: change rate {value} is neither 0 nor a number from 1e-60 to 1e60")]
    ChangeRate {
        /// Position of the page, from 0.
        page: usize,
        /// The offending value.
        value: f64,
    },
    /// A weight is negative, not a number or beyond all measure.
    #[error("page {page}: weight {value} is neither 0 nor a number from 1e-60 to 1e60")]
    Weight {
        /// Position of the page, from 0.
        page: usize,
        /// The offending value.
        value: f64,
    },
}

impl<'a> Pages<'a> {
    /// Checks and borrows the pages.
    ///
    /// # Errors
    /// Names the first page whose change rate or weight is not [in range](in_range).
    pub fn new(change_rates: &'a [f64], weights: &'a [f64]) -> Result<Self, PagesError> {
        if change_rates.is_empty() {
            return Err(PagesError::Empty);
        }
        if change_rates.len() != weights.len() {
            return Err(PagesError::Lengths { change_rates: change_rates.len(), weights: weights.len() });
        }
        let wrong = |values: &[f64]| values.iter().position(|&v| !in_range(v));
        if let Some(page) = wrong(change_rates) {
            return Err(PagesError::ChangeRate { page, value: change_rates[page] });
        }
        if let Some(page) = wrong(weights) {
            return Err(PagesError::Weight { page, value: weights[page] });
        }
        Ok(Self { change_rates, weights })
    }

    /// Number of pages.
    #[must_use]
    pub fn len(&self) -> usize {
        self.change_rates.len()
    }

    /// Always false: an instance has at least one page.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// `mu_i`, changes per unit of time.
    #[must_use]
    pub fn change_rates(&self) -> &'a [f64] {
        self.change_rates
    }

    /// `c_i`, the cost of page `i` being out of date.
    #[must_use]
    pub fn weights(&self) -> &'a [f64] {
        self.weights
    }

    /// `sum c_i`, the cost when nothing is ever accessed and every page changes.
    #[must_use]
    pub fn total_weight(&self) -> f64 {
        self.weights.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_page_that_is_wrong() {
        let wrong = |rates: &[f64], weights: &[f64]| Pages::new(rates, weights).map(|_| ()).unwrap_err();
        assert_eq!(wrong(&[], &[]), PagesError::Empty);
        assert_eq!(wrong(&[1.0, -1.0], &[1.0, 1.0]), PagesError::ChangeRate { page: 1, value: -1.0 });
        assert!(matches!(wrong(&[f64::NAN], &[1.0]), PagesError::ChangeRate { page: 0, .. }));
        assert_eq!(wrong(&[1.0], &[f64::INFINITY]), PagesError::Weight { page: 0, value: f64::INFINITY });
        assert_eq!(wrong(&[1.0], &[]), PagesError::Lengths { change_rates: 1, weights: 0 });
    }
}
