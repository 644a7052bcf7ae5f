//! Law C-26, beyond two phases: gaps of one shape at two speeds.
//!
//! Two phases bind the size of the correlations to the variation of the gaps, and cannot do regular gaps at all. Here each gap
//! is `V Y` with independent `Y` of mean one and `V = m_1 + delta` or `m_1 - delta`, equally often; the speed stays with
//! probability `(1+g)/2`. Then `rho_k = A g^k` with `A = delta^2/v`, `v` the variance of the gaps, and `Y` has the moments
//! `m_2/(m_1^2 + delta^2)` and `m_3/(m_1^3 + 3 m_1 delta^2)`.

use super::FitError;
use super::map2::CorrelationError;
use super::moments::acyclic;
use crate::arrivals::Bmap;
use crate::matrix::Matrix;

/// The process with three moments of the gaps and correlations `amplitude g^k`, from a shape of at most `phases` phases: twice
/// as many in all.
///
/// # Errors
/// If `amplitude` is not in `[0, min(1, 1/c^2))` or `g` not in `[-1, 1)`, or if no shape of so few phases has its moments.
pub fn two_speeds(moments: &[f64; 3], amplitude: f64, g: f64, phases: usize) -> Result<Bmap, FitError> {
    let [m1, m2, m3] = *moments;
    let variance = m2 - m1 * m1;
    let most = f64::min(1.0, m1 * m1 / variance);
    if !((0.0..most).contains(&amplitude) && (-1.0..1.0).contains(&g)) {
        return Err(CorrelationError { wanted: amplitude * g, low: -most, high: most }.into());
    }
    let delta = (amplitude * variance).sqrt();
    let shape = acyclic(&[1.0, m2 / (m1 * m1 + delta * delta), m3 / (m1.powi(3) + 3.0 * m1 * delta * delta)], phases)?;
    let slow = [1.0 / (m1 + delta), 1.0 / (m1 - delta)];
    let speeds = Matrix::from_fn(2, 2, |i, j| if i == j { slow[i] } else { 0.0 });
    let moves = Matrix::from_fn(2, 2, |i, j| 0.5 * slow[i] * if i == j { 1.0 + g } else { 1.0 - g });
    let ends = Matrix::column_vector(shape.exits()).times(&Matrix::row_vector(shape.start()));
    Ok(Bmap::new(vec![speeds.kronecker(shape.rates()), moves.kronecker(&ends)])?)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn c26_correlation_beyond_two_phases() {
        // BuTools' MAPFromFewMomentsAndCorrelations does this with six phases in another structure.
        let wanted = [1.2, 4.32, 20.0];
        assert!(super::super::map2::from_correlation(&wanted, -0.4).is_err());
        let process = two_speeds(&wanted, 0.4, -1.0, 5).unwrap();
        assert_eq!(process.phases(), 10);
        for (k, wanted) in (1..).zip(wanted) {
            assert!((process.interval_moment(k) / wanted - 1.0).abs() < 1e-9);
        }
        assert!((process.correlation(1) + 0.4).abs() < 1e-9);
    }

    #[test]
    fn impossible_correlations_are_refused() {
        let error = |amplitude, g| two_speeds(&[1.0, 3.0, 15.0], amplitude, g, 10).unwrap_err().to_string();
        assert!(error(0.6, 0.9).contains("0.54 at lag 1 is out of reach"));
        assert!(error(0.2, 1.0).contains("out of reach"));
    }

    proptest! {
        /// Moments and correlations are those asked for.
        #[test]
        fn c26_two_speeds(variation in 0.1f64..0.9, share in 0.0f64..0.5, g in -1.0f64..0.95, third in 1.15f64..1.5) {
            let second = 1.0 + variation;
            let wanted = [1.0, second, second * second * third];
            let Ok(process) = two_speeds(&wanted, share, g, 40) else {
                // Only a third moment near the least possible for the shape is refused.
                let spread = 1.0 + share * variation;
                let least = (second / spread).powi(2) * (1.0 + 3.0 * share * variation);
                prop_assert!(wanted[2] < 1.1 * least);
                return Ok(());
            };
            for (k, wanted) in (1..).zip(wanted) {
                prop_assert!((process.interval_moment(k) / wanted - 1.0).abs() < 1e-6);
            }
            for lag in 1..4 {
                prop_assert!((process.correlation(lag) - share * g.powi(lag as i32)).abs() < 1e-6);
            }
        }
    }
}
