//! Axes: from values to places, and where the ticks go.

use crate::output::number::short;

/// An axis from the value at one end to that at the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    scale: Scale,
    from: f64,
    to: f64,
    /// Places of the two ends.
    ends: (f64, f64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Scale {
    Linear,
    Logarithmic,
}

impl Axis {
    /// A linear axis from zero to a round number of at least `most`.
    pub(crate) fn linear(most: f64, ends: (f64, f64)) -> Self {
        let most = if most > 0.0 && most.is_finite() { most } else { 1.0 };
        let step = round_step(most / 5.0);
        Self { scale: Scale::Linear, from: 0.0, to: (most / step).ceil().max(1.0) * step, ends }
    }

    /// A linear axis between round numbers, from at most `least` to at least `most`.
    pub(crate) fn between(least: f64, most: f64, ends: (f64, f64)) -> Self {
        let (least, most) = if (most - least).is_finite() { (least, most) } else { (0.0, 1.0) };
        let span = if most > least { most - least } else { most.abs().max(1.0) };
        let step = round_step(span / 5.0);
        let from = (least / step).floor() * step;
        Self { scale: Scale::Linear, from, to: ((most / step).ceil() * step).max(from + step), ends }
    }

    /// A linear axis from the first value to the last, round or not.
    pub(crate) fn exact(from: f64, to: f64, ends: (f64, f64)) -> Self {
        let to = if to > from { to } else { from + 1.0 };
        Self { scale: Scale::Linear, from, to, ends }
    }

    /// A logarithmic axis; an empty range is widened.
    pub(crate) fn logarithmic(from: f64, to: f64, ends: (f64, f64)) -> Self {
        let (from, to) = if to / from < 2.0 { (from / 2.0, to * 2.0) } else { (from, to) };
        Self { scale: Scale::Logarithmic, from, to, ends }
    }

    /// The place of a value, kept between the ends.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear => (value - self.from) / (self.to - self.from),
            Scale::Logarithmic => (value / self.from).ln() / (self.to / self.from).ln(),
        };
        self.ends.0 + share.clamp(0.0, 1.0) * (self.ends.1 - self.ends.0)
    }

    /// The two ends' places.
    pub(crate) fn ends(&self) -> (f64, f64) {
        self.ends
    }

    /// The two ends' values.
    pub(crate) fn range(&self) -> (f64, f64) {
        (self.from, self.to)
    }

    /// Values that get a tick, with their text.
    pub(crate) fn ticks(&self) -> Vec<(f64, String)> {
        let values = match self.scale {
            Scale::Linear => {
                let span = self.to - self.from;
                let step = round_step((span / 5.0).max(f64::MIN_POSITIVE));
                let first = (self.from / step).round();
                (0..=(span / step).round() as u32).map(|n| (first + f64::from(n)) * step).collect()
            }
            Scale::Logarithmic => self.logarithmic_ticks(),
        };
        values.into_iter().map(|value| (value, short(value))).collect()
    }

    fn logarithmic_ticks(&self) -> Vec<f64> {
        let (low, high) = (self.from.log10(), self.to.log10());
        let decades = high - low;
        let within = |value: &f64| (self.from * 0.999..=self.to * 1.001).contains(value);
        if decades > 3.0 {
            let every = (decades / 7.0).ceil().max(1.0);
            let first = (low / every).ceil() as i32;
            let last = (high / every).floor() as i32;
            return (first..=last).map(|n| 10f64.powf(f64::from(n) * every)).filter(within).collect();
        }
        let decade = |n: i32| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(n));
        (low.floor() as i32..=high.ceil() as i32).flat_map(decade).filter(within).collect()
    }
}

/// The smallest of 1, 2, 5, 10, ... times a power of ten that is at least `wanted`.
fn round_step(wanted: f64) -> f64 {
    let decade = 10f64.powf(wanted.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|digit| digit * decade).into_iter().find(|step| *step >= wanted * 0.999).unwrap_or(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis) -> Vec<String> {
        axis.ticks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(texts(&Axis::linear(0.93, (0.0, 1.0))), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(texts(&Axis::linear(37.0, (0.0, 1.0))), ["0", "10", "20", "30", "40"]);
        assert_eq!(texts(&Axis::logarithmic(0.3, 70.0, (0.0, 1.0))), ["0.5", "1", "2", "5", "10", "20", "50"]);
        assert_eq!(texts(&Axis::between(63.5, 149.9, (0.0, 1.0))), ["60", "80", "100", "120", "140", "160"]);
        assert_eq!(texts(&Axis::between(5.0, 5.0, (0.0, 1.0))), ["5", "5.2", "5.4", "5.6", "5.8", "6"]);
        let wide = texts(&Axis::logarithmic(1e-12, 1e6, (0.0, 1.0)));
        assert!(wide.len() <= 9 && wide.contains(&"1".to_string()), "{wide:?}");
    }

    #[test]
    fn nothing_to_show_is_shown_from_zero_to_one() {
        let nothing = (f64::NEG_INFINITY, f64::INFINITY);
        for axis in [Axis::linear(0.0, (0.0, 1.0)), Axis::between(nothing.0, nothing.1, (0.0, 1.0))] {
            assert_eq!(texts(&axis), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
            assert_eq!(axis.place(0.5), 0.5);
        }
    }

    #[test]
    fn ends_are_at_the_ends() {
        let axis = Axis::logarithmic(1.0, 100.0, (50.0, 250.0));
        for (value, place) in [(1.0, 50.0), (10.0, 150.0), (100.0, 250.0), (1e9, 250.0), (1e-9, 50.0)] {
            assert!((axis.place(value) - place).abs() < 1e-9, "{value}");
        }
    }
}
