use std::fmt;

use serde::{Deserialize, Serialize};

const DAY: i64 = 86_400_000;

/// A moment: milliseconds since 1970, UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Seconds since 1970 with their fraction.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e3
    }

    /// From seconds since 1970.
    #[must_use]
    pub fn from_seconds(seconds: f64) -> Self {
        Self((seconds * 1e3).round() as i64)
    }

    /// As fourteen digits: year, month, day, hour, minute, second.
    #[must_use]
    pub fn digits(self) -> String {
        self.to_string().chars().filter(char::is_ascii_digit).take(14).collect()
    }

    /// Reads `2026-01-31T12:34:56Z`, with or without a fraction of the second. Other zones are not understood.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (date, time) = text.strip_suffix('Z')?.split_once('T')?;
        let mut date = date.splitn(3, '-').map(number);
        let days = days(date.next()??, date.next()??, date.next()??)?;
        let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
        let mut time = time.splitn(3, ':').map(number);
        let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
        if hour > 23 || minute > 59 || second > 60 {
            return None;
        }
        let thousandths = number(&format!("{:0<3}", fraction.get(..fraction.len().min(3))?))?;
        Some(Self(days * DAY + (hour * 3600 + minute * 60 + second) * 1000 + thousandths))
    }
}

/// As in WARC and RFC 3339: `2026-01-31T12:34:56.789Z`. Years have four digits; a moment outside of them is the nearest
/// inside.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = self.0.clamp(-62_167_219_200_000, 253_402_300_799_999);
        let (year, month, day) = civil(moment.div_euclid(DAY));
        let rest = moment.rem_euclid(DAY);
        let (hour, minute, second) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60);
        write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z", rest % 1000)
    }
}

fn number(digits: &str) -> Option<i64> {
    let plain = !digits.is_empty() && digits.len() <= 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
    if plain { digits.parse().ok() } else { None }
}

/// Year, month and day from days since 1970 in the Gregorian calendar, counted in years that begin in March.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march + 2) / 5 + 1;
    let month = if march < 10 { march + 3 } else { march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// Days since 1970; none if there is no such day.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let year_of_era = shifted.rem_euclid(400);
    let march = (month + 9) % 12;
    let of_year = (153 * march + 2) / 5 + day - 1;
    let of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year;
    let days = era * 146_097 + of_era - 719_468;
    (civil(days) == (year, month, day)).then_some(days)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Timestamp;

    #[test]
    fn moments_as_text() {
        assert_eq!(Timestamp(0).to_string(), "1970-01-01T00:00:00.000Z");
        assert_eq!(Timestamp(951_868_799_999).to_string(), "2000-02-29T23:59:59.999Z");
        assert_eq!(Timestamp(951_868_799_999).digits(), "20000229235959");
        assert_eq!(Timestamp(i64::MAX).to_string(), "9999-12-31T23:59:59.999Z");
        assert_eq!(Timestamp(i64::MIN).to_string(), "0000-01-01T00:00:00.000Z");
        assert_eq!(Timestamp::parse("2024-02-29T00:00:00Z"), Some(Timestamp(1_709_164_800_000)));
        assert_eq!(Timestamp::parse("2024-02-29T00:00:00.5Z"), Some(Timestamp(1_709_164_800_500)));
        for wrong in ["", "2023-02-29T00:00:00Z", "2024-02-29", "2024-13-01T00:00:00Z", "2024-01-01T24:00:00Z", "x"] {
            assert_eq!(Timestamp::parse(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn text_and_back(moment in -62_167_219_200_000_i64..253_402_300_799_999) {
            prop_assert_eq!(Timestamp::parse(&Timestamp(moment).to_string()), Some(Timestamp(moment)));
        }

        #[test]
        fn any_text(text in "\\PC*|[0-9T:.Z-]{0,30}") {
            let _ = Timestamp::parse(&text);
        }
    }
}
