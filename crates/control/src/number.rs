//! Numbers in messages.

/// A number of things, of one or several of which we speak.
pub(crate) fn count(number: usize, one: &str, several: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { several })
}

/// A count, shortened if it is long.
pub(crate) fn many(number: f64) -> String {
    if number < 1e6 { format!("{number}") } else { format!("{number:.1e}") }
}

/// All digits, or an exponent where they would be many.
pub(crate) fn plain(value: &f64) -> String {
    let size = value.abs();
    if size == 0.0 || (1e-6..1e16).contains(&size) { format!("{value}") } else { format!("{value:e}") }
}
