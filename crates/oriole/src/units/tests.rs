use proptest::prelude::*;

use super::*;

fn days(text: &str) -> f64 {
    text.parse::<Span>().unwrap_or_else(|error| panic!("{text}: {error}")).days()
}

fn per_day(text: &str) -> f64 {
    text.parse::<Rate>().unwrap_or_else(|error| panic!("{text}: {error}")).per_day()
}

/// One multiplication and one division: within two units in the last place.
fn close(got: f64, wanted: f64) {
    assert!((got / wanted - 1.0).abs() < 1e-15, "{got} is not {wanted}");
}

#[test]
fn durations() {
    close(days("1d"), 1.0);
    close(days("200ms"), 0.2 / 86_400.0);
    close(days(" 0.5 s "), 0.5 / 86_400.0);
    close(days("1h30m"), 5_400.0 / 86_400.0);
    close(days("2 weeks"), 14.0);
    close(days("1e-3s"), 1e-3 / 86_400.0);
    close(days("5µs"), 5e-6 / 86_400.0);
    close(days(".5d"), 0.5);
}

#[test]
fn rates() {
    close(per_day("5/s"), 432_000.0);
    close(per_day("10000/day"), 10_000.0);
    close(per_day("300 / h"), 7_200.0);
    close(per_day("1/10s"), 8_640.0);
    close(per_day("7/w"), 1.0);
}

#[test]
fn fractions() {
    assert_eq!("0.05".parse(), Ok(Fraction(0.05)));
    assert_eq!("5%".parse(), Ok(Fraction(0.05)));
    for wrong in ["0", "1", "-0.1", "nan", "inf", "100%", "", "x"] {
        assert!(wrong.parse::<Fraction>().is_err(), "{wrong}");
    }
}

#[test]
fn sizes() {
    let bytes = |text: &str| text.parse::<Size>().unwrap_or_else(|error| panic!("{text}: {error}")).bytes();
    for (text, wanted) in
        [("1B", 1), ("500 kB", 500_000), ("10MB", 10_000_000), ("10MiB", 10 << 20), ("1.5GiB", 3 << 29)]
    {
        assert_eq!(bytes(text), wanted, "{text}");
    }
    assert_eq!(bytes("1024TiB"), 1 << 50);
    for wrong in ["", "10", "0B", "MB", "-1MB", "nanMB", "1e300MB", "1025TiB", "0.5B", "10mb", "10 M", "1MB1kB"] {
        assert!(wrong.parse::<Size>().is_err(), "{wrong}");
    }
    insta::assert_snapshot!("10".parse::<Size>().unwrap_err(), @"`10` has no unit of size; give a size such as 500kB, 10MB or 1GiB (B, kB, MB, GB, TB; KiB, MiB, GiB, TiB)");
}

#[test]
fn seconds_are_as_typed() {
    for seconds in [0.1, 1.0, 3.0, 60.0, 1e-3] {
        assert_eq!(format!("{seconds}s").parse::<Span>().unwrap().seconds(), seconds);
    }
    assert_eq!("5/s".parse::<Rate>().unwrap().per_second(), 5.0);
}

#[test]
fn messages_say_what_is_accepted() {
    let message = |error: TextError| error.to_string();
    insta::assert_snapshot!(message("5".parse::<Span>().unwrap_err()), @"`5` has no unit of time; give a time such as 200ms, 0.5s, 10min, 1h30m or 30d (ns, us, ms, s, m, h, d, w, y)");
    insta::assert_snapshot!(message("5 parsec".parse::<Span>().unwrap_err()), @"`parsec` is not a unit of time; give a time such as 200ms, 0.5s, 10min, 1h30m or 30d (ns, us, ms, s, m, h, d, w, y)");
    insta::assert_snapshot!(message("0/s".parse::<Rate>().unwrap_err()), @"`0/s` is not a rate from 1e-30 to 1e30 per day; give a number per unit of time such as 5/s, 300/h, 10000/day or 1/10s");
    insta::assert_snapshot!(message("5".parse::<Rate>().unwrap_err()), @"`5` does not say per which unit of time; give a number per unit of time such as 5/s, 300/h, 10000/day or 1/10s");
    insta::assert_snapshot!(message("-5/s".parse::<Rate>().unwrap_err()), @"`-5` is not a number; give a number per unit of time such as 5/s, 300/h, 10000/day or 1/10s");
}

#[test]
fn a_span_is_printed_in_a_fitting_unit() {
    for (text, printed) in [("200ms", "200 ms"), ("90s", "1.5 min"), ("36h", "1.5 d"), ("1e-12s", "0.001 ns")] {
        assert_eq!(text.parse::<Span>().unwrap().to_string(), printed);
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in ".*") {
        let _ = text.parse::<Span>();
        let _ = text.parse::<Rate>();
        let _ = text.parse::<Fraction>();
        let _ = text.parse::<Size>();
    }

    /// A size is printed as one that reads back as itself.
    #[test]
    fn sizes_read_back(bytes in 1u64..=1 << 50) {
        prop_assert_eq!(Size { bytes }.to_string().parse::<Size>().unwrap().bytes(), bytes);
    }

    /// The same from pieces of the grammar, which random text hardly ever hits.
    #[test]
    fn no_near_miss_panics(text in "[0-9.eE+/ -]{0,6}(ns|µs|ms|s|m|h|d)?[0-9.e/]{0,4}(s|day|%)?") {
        for parsed in [text.parse::<Span>().map(Span::days), text.parse::<Rate>().map(Rate::per_day)].into_iter().flatten() {
            prop_assert!(parsed > 0.0 && parsed.is_finite());
        }
        let _ = text.parse::<Fraction>();
    }

    /// What is accepted means what it says.
    #[test]
    fn a_rate_is_a_number_over_a_span(number in 1e-9f64..1e9, span in 1e-9f64..1e9) {
        let rate = per_day(&format!("{number}/{span}h"));
        prop_assert!((rate / (number * 24.0 / span) - 1.0).abs() < 1e-14);
    }
}
