use std::time::Duration;

/// The longest wait that is granted to a server.
const LONGEST: Duration = Duration::from_secs(86_400);

/// How long a server asks to be left alone: `Retry-After`, in seconds or as a date, at most a day.
///
/// `now` is in seconds since 1970; `date` reads an HTTP date.
#[must_use]
pub fn retry_after(value: &str, now: f64, date: impl Fn(&str) -> Option<f64>) -> Option<Duration> {
    let value = value.trim();
    let seconds = match value.parse::<u64>() {
        Ok(seconds) => seconds as f64,
        Err(_) if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) => f64::INFINITY,
        Err(_) => date(value)? - now,
    };
    Some(Duration::from_secs_f64(seconds.clamp(0.0, LONGEST.as_secs_f64())))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn seconds_and_dates() {
        let at_1100 = |text: &str| (text == "a date").then_some(1100.0);
        let wait = |value: &str| retry_after(value, 1000.0, at_1100).map(|wait| wait.as_secs());
        assert_eq!(wait("120"), Some(120));
        assert_eq!(wait(" 0 "), Some(0));
        assert_eq!(wait("a date"), Some(100));
        assert_eq!(wait("99999999999999999999999"), Some(86_400));
        assert_eq!(wait("1000000"), Some(86_400));
        assert_eq!(wait("-5"), None);
        assert_eq!(wait("soon"), None);
        assert_eq!(wait(""), None);
        assert_eq!(retry_after("a date", 2000.0, at_1100), Some(Duration::ZERO));
    }

    proptest! {
        #[test]
        fn any_header_is_at_most_a_day(value in "\\PC*|[0-9]{0,40}|\\s*[0-9]+\\s*", now: f64) {
            let read_date = |text: &str| crate::date::parse(text).map(|seconds| seconds as f64);
            if let Some(wait) = retry_after(&value, now, read_date) {
                prop_assert!(wait <= LONGEST);
            }
        }
    }
}
