//! Time averages with confidence intervals, by batch means.

/// The stale cost over time, in batches of equal length.
pub(crate) struct Meter {
    start: f64,
    batch: f64,
    sums: Vec<f64>,
}

impl Meter {
    pub fn new(start: f64, duration: f64, batches: usize) -> Self {
        Self { start, batch: duration / batches as f64, sums: vec![0.0; batches] }
    }

    /// Adds `weight` over `[from, to)`, split over the batches it spans; what lies outside the measured time is cut off.
    pub fn add(&mut self, from: f64, to: f64, weight: f64) {
        let last = self.sums.len() as f64;
        let from = ((from - self.start) / self.batch).max(0.0);
        let to = ((to - self.start) / self.batch).min(last);
        if from >= to {
            return;
        }
        let (first_batch, last_batch) = (from as usize, (to as usize).min(self.sums.len() - 1));
        if first_batch == last_batch {
            self.sums[first_batch] += weight * (to - from);
            return;
        }
        self.sums[first_batch] += weight * ((first_batch + 1) as f64 - from);
        for sum in &mut self.sums[first_batch + 1..last_batch] {
            *sum += weight;
        }
        self.sums[last_batch] += weight * (to - last_batch as f64);
    }

    /// The average of each batch.
    pub fn into_means(self) -> Vec<f64> {
        self.sums
    }
}

/// A mean with its 95% interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// Half the width of the 95% interval: `t_{n-1} s/sqrt(n)`.
    pub half_width: f64,
}

impl Estimate {
    /// Student's interval for the mean of independent values, such as batches or differences of batches.
    ///
    /// With fewer than two values the interval is infinite.
    #[must_use]
    pub fn of(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        if values.len() < 2 {
            return Self { mean, half_width: f64::INFINITY };
        }
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
        Self { mean, half_width: student_975(n - 1.0) * (variance / n).sqrt() }
    }

    /// Whether the interval contains `value`.
    #[must_use]
    pub fn contains(&self, value: f64) -> bool {
        (self.mean - value).abs() <= self.half_width
    }

    /// Whether the whole interval lies below the whole of the other.
    #[must_use]
    pub fn is_below(&self, other: &Self) -> bool {
        self.mean + self.half_width < other.mean - other.half_width
    }
}

/// The 97.5% point of Student's law with `nu` degrees of freedom: the Cornish-Fisher expansion about the normal point,
/// right to 1e-4 from 9 degrees on and to 0.01 from 4 (Abramowitz and Stegun 26.7.5).
fn student_975(nu: f64) -> f64 {
    let z: f64 = 1.959_963_984_540_054;
    let g1 = (z.powi(3) + z) / 4.0;
    let g2 = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    let g3 = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
    let g4 = (79.0 * z.powi(9) + 776.0 * z.powi(7) + 1482.0 * z.powi(5) - 1920.0 * z.powi(3) - 945.0 * z) / 92_160.0;
    z + (g1 + (g2 + (g3 + g4 / nu) / nu) / nu) / nu
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn student_points_are_those_of_the_tables() {
        for (nu, t, within) in [(4.0, 2.7764, 0.01), (9.0, 2.2622, 2e-4), (19.0, 2.0930, 1e-4), (99.0, 1.9842, 1e-4)] {
            assert!((student_975(nu) - t).abs() < within, "{nu}: {} {t}", student_975(nu));
        }
    }

    #[test]
    fn the_estimate_of_a_small_sample() {
        // Mean 3, s^2 = 2.5, n = 5: 2.776 sqrt(0.5) = 1.963.
        let estimate = Estimate::of(&[1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(estimate.mean, 3.0);
        assert!((estimate.half_width - 1.963).abs() < 0.01);
        assert!(estimate.contains(4.9) && !estimate.contains(5.1));
    }

    proptest! {
        /// Splitting an interval over batches loses and invents nothing: every batch has the overlap it should have.
        #[test]
        fn intervals_are_split_over_the_batches(from in -5.0f64..30.0, length in 0.0f64..40.0, weight in 0.1f64..10.0) {
            let (start, duration, batches) = (2.0, 20.0, 8);
            let mut meter = Meter::new(start, duration, batches);
            meter.add(from, from + length, weight);
            let width = duration / batches as f64;
            for (i, mean) in meter.into_means().into_iter().enumerate() {
                let (low, high) = (start + i as f64 * width, start + (i + 1) as f64 * width);
                let overlap = ((from + length).min(high) - from.max(low)).max(0.0);
                prop_assert!((mean - weight * overlap / width).abs() < 1e-9);
            }
        }
    }
}
