//! Sums of many terms.

/// A compensated sum (Kahan): its error does not grow with the number of terms.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    total: f64,
    /// What rounding has added to `total` beyond the terms.
    surplus: f64,
}

impl Sum {
    pub(crate) fn add(&mut self, term: f64) {
        let corrected = term - self.surplus;
        let total = self.total + corrected;
        self.surplus = (total - self.total) - corrected;
        self.total = total;
    }

    pub(crate) fn total(&self) -> f64 {
        self.total
    }
}

impl FromIterator<f64> for Sum {
    fn from_iter<I: IntoIterator<Item = f64>>(terms: I) -> Self {
        let mut sum = Self::default();
        terms.into_iter().for_each(|term| sum.add(term));
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_million_tenths_lose_nothing() {
        let total = std::iter::repeat_n(0.1, 10_000_000).collect::<Sum>().total();
        // A plain sum is off by 1.6e-4. One rounding of the result is 1.2e-10, of 0.1 itself 1e-10 in the sum.
        assert!((total - 1e6).abs() < 3e-10, "{total}");
    }
}
