//! How long ago, in a word or two.

use store::Timestamp;

const UNITS: [(f64, &str); 6] =
    [(1.0, "s"), (60.0, "min"), (3_600.0, "h"), (86_400.0, "d"), (31_557_600.0, "y"), (f64::INFINITY, "")];

/// A length of time in whole numbers of the largest unit of which there are two, such as `90 min` or `3 d`.
#[must_use]
pub fn length(seconds: f64) -> String {
    counted(seconds, f64::floor)
}

fn counted(seconds: f64, whole: fn(f64) -> f64) -> String {
    let pairs = UNITS.windows(2).find(|pair| seconds < 2.0 * pair[1].0);
    let (unit, name) = pairs.map_or(UNITS[0], |pair| pair[0]);
    format!("{:.0} {name}", whole(seconds / unit).max(0.0))
}

/// `3 h ago`, `in 2 d`, or `now`. What is past is counted in full, what is to come to the nearest.
#[must_use]
pub fn relative(at: Timestamp, now: Timestamp) -> String {
    let seconds = now.seconds() - at.seconds();
    match seconds {
        seconds if seconds >= 1.0 => format!("{} ago", length(seconds)),
        seconds if seconds <= -1.0 => format!("in {}", counted(-seconds, f64::round)),
        _ => "now".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time() {
        let cases = [
            (0.4, "0 s"),
            (1.9, "1 s"),
            (119.0, "119 s"),
            (120.0, "2 min"),
            (7_199.0, "119 min"),
            (7_200.0, "2 h"),
            (172_799.0, "47 h"),
            (172_800.0, "2 d"),
            (63_115_200.0, "2 y"),
            (1e12, "31688 y"),
        ];
        for (seconds, text) in cases {
            assert_eq!(length(seconds), text);
        }
    }

    #[test]
    fn before_and_after_now() {
        let now = Timestamp(1_000_000_000);
        assert_eq!(relative(Timestamp(now.0 - 10_800_000), now), "3 h ago");
        assert_eq!(relative(Timestamp(now.0 + 5_000), now), "in 5 s");
        assert_eq!(relative(Timestamp(now.0 + 200), now), "now");
        assert_eq!(relative(Timestamp(now.0 + 30 * 86_400_000 - 5), now), "in 30 d");
        assert_eq!(relative(Timestamp(now.0 - 30 * 86_400_000 + 5), now), "29 d ago");
        assert_eq!(relative(Timestamp(i64::MIN), now), "292271023 y ago");
    }
}
