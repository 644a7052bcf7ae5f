//! The transform of a law for many pages.

use super::AccessTime;

/// [`AccessTime::decay`] and [`AccessTime::deficit`] at a cost per page that does not depend on the law.
///
/// Constant and gamma laws are evaluated directly. For the others (a quadrature, a matrix or a whole sample per page)
/// both functions are interpolated in `ln mu`, octave by octave, by polynomials through Chebyshev points; the error is
/// below 1e-12 of the value.
#[derive(Clone, Debug)]
pub struct Transform<'a> {
    law: &'a AccessTime,
    table: Option<Table>,
}

impl<'a> Transform<'a> {
    /// Prepares `law` for the given change rates.
    #[must_use]
    pub fn of(law: &'a AccessTime, change_rates: &[f64]) -> Self {
        let costly = !matches!(law, AccessTime::Constant { .. } | AccessTime::Gamma { .. });
        let positive = change_rates.iter().copied().filter(|&mu| mu > 0.0);
        let (low, high) = positive.fold((f64::INFINITY, 0.0_f64), |(low, high), mu| (low.min(mu), high.max(mu)));
        let octaves = if high > 0.0 { (high.log2() - low.log2()) as usize + 2 } else { 0 };
        // Worth it only if the table has fewer points than there are pages.
        let table = (costly && high > 0.0 && octaves * POINTS * 2 < change_rates.len())
            .then(|| Table::new(law, low.log2().floor() as i32, octaves));
        Self { law, table }
    }

    /// `b = -ln h(mu)`.
    #[must_use]
    pub fn decay(&self, mu: f64) -> f64 {
        match &self.table {
            Some(table) if mu > 0.0 => table.decay.at(mu, table.first_octave),
            _ => self.law.decay(mu),
        }
    }

    /// Both [`Self::decay`] and [`Self::deficit`].
    #[must_use]
    pub fn decay_and_deficit(&self, mu: f64) -> (f64, f64) {
        match self.table {
            None => self.law.decay_and_deficit(mu),
            Some(_) => (self.decay(mu), self.deficit(mu)),
        }
    }

    /// `mu E[X] - b`.
    #[must_use]
    pub fn deficit(&self, mu: f64) -> f64 {
        match &self.table {
            Some(Table { deficit: Some(deficit), first_octave, .. }) if mu > 0.0 => deficit.at(mu, *first_octave),
            Some(Table { deficit: None, .. }) => 0.0,
            _ => self.law.deficit(mu),
        }
    }
}

/// Chebyshev points per octave.
const POINTS: usize = 18;

#[derive(Clone, Debug)]
struct Table {
    first_octave: i32,
    decay: Curve,
    /// `None` if the deficit is zero, as for a sample of equal values.
    deficit: Option<Curve>,
}

impl Table {
    fn new(law: &AccessTime, first_octave: i32, octaves: usize) -> Self {
        let deficit = Curve::new(|mu| law.deficit(mu), first_octave, octaves);
        Self { first_octave, decay: Curve::new(|mu| law.decay(mu), first_octave, octaves), deficit: deficit.finite() }
    }
}

/// `ln f(mu)` per octave as a Chebyshev series in `log2 mu`.
#[derive(Clone, Debug)]
struct Curve {
    series: Vec<[f64; POINTS]>,
}

impl Curve {
    fn new(f: impl Fn(f64) -> f64, first_octave: i32, octaves: usize) -> Self {
        let octave = |o: usize| {
            let values: Vec<f64> = (0..POINTS)
                .map(|k| {
                    let position = f64::from(first_octave) + o as f64 + 0.5 + 0.5 * angle(k).cos();
                    f(position.exp2()).ln()
                })
                .collect();
            std::array::from_fn(|n| {
                let sum: f64 = values.iter().enumerate().map(|(k, v)| v * (n as f64 * angle(k)).cos()).sum();
                sum * if n == 0 { 1.0 } else { 2.0 } / POINTS as f64
            })
        };
        Self { series: (0..octaves).map(octave).collect() }
    }

    fn finite(self) -> Option<Self> {
        self.series.iter().flatten().all(|c| c.is_finite()).then_some(self)
    }

    fn at(&self, mu: f64, first_octave: i32) -> f64 {
        let position = mu.log2() - f64::from(first_octave);
        let octave = (position.max(0.0) as usize).min(self.series.len() - 1);
        clenshaw(&self.series[octave], 2.0 * (position - octave as f64) - 1.0).exp()
    }
}

fn angle(k: usize) -> f64 {
    std::f64::consts::PI * (k as f64 + 0.5) / POINTS as f64
}

/// The Chebyshev series with coefficients `c` at `x`.
fn clenshaw(c: &[f64; POINTS], x: f64) -> f64 {
    let (mut b1, mut b2) = (0.0, 0.0);
    for &coefficient in c[1..].iter().rev() {
        (b1, b2) = (2.0 * x * b1 - b2 + coefficient, b1);
    }
    x * b1 - b2 + c[0]
}
