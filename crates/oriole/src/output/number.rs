//! Numbers for people.

/// A number in at most six significant digits: `1234567.8` is `1.23457e6`, `0.05` is `0.05`.
#[must_use]
pub fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return format!("{value}");
    }
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    if (1e-4..1e9).contains(&rounded.abs()) { format!("{rounded}") } else { format!("{rounded:e}") }
}

/// A fraction as a percentage with two digits more than nothing: `4.25 %`.
#[must_use]
pub fn percent(fraction: f64) -> String {
    format!("{:.2} %", 100.0 * fraction)
}

/// A whole number with its thousands set apart: `1,234,567`.
#[must_use]
pub fn grouped(value: usize) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (5.0, "5"),
            (0.1 + 0.2, "0.3"),
            (432_000.0, "432000"),
            (1_234_567.8, "1234570"),
            (1.5e12, "1.5e12"),
            (0.000_012_345_678, "1.23457e-5"),
            (-2.5, "-2.5"),
        ];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn thousands_are_set_apart() {
        for (value, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345_678, "12,345,678")] {
            assert_eq!(grouped(value), text);
        }
    }
}
