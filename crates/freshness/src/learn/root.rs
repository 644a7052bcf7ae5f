//! Newton's method that cannot leave its bracket.

/// The root in `[low, high]` of an increasing function given with its slope, by Newton's method from `start`, halving
/// the bracket whenever a step would leave it. Exact to a few units in the last place of the root.
pub(super) fn increasing_root(mut low: f64, mut high: f64, start: f64, f: impl Fn(f64) -> (f64, f64)) -> f64 {
    let mut x = start.clamp(low, high);
    for _ in 0..200 {
        let (value, slope) = f(x);
        if value == 0.0 {
            return x;
        }
        if value < 0.0 {
            low = x
        } else {
            high = x
        }
        let newton = x - value / slope;
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if (next - x).abs() <= 4.0 * f64::EPSILON * x.abs() {
            return next;
        }
        x = next;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_roots_that_newton_alone_would_miss() {
        // From 3, Newton on atan runs away.
        let atan = |x: f64| (x.atan(), 1.0 / (1.0 + x * x));
        assert!(increasing_root(-10.0, 20.0, 3.0, atan).abs() < 1e-15);
        let cube = |x: f64| (x * x * x - 2.0, 3.0 * x * x);
        assert!((increasing_root(0.0, 2.0, 0.0, cube) - 2f64.cbrt()).abs() < 1e-15);
        // No slope at all: bisection.
        let step = |x: f64| (if x < 0.3 { -1.0 } else { 1.0 }, 0.0);
        assert!((increasing_root(0.0, 1.0, 0.5, step) - 0.3).abs() < 1e-15);
    }
}
