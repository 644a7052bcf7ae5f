//! Moments as headers and sitemaps write them.

const DAY: i64 = 86_400;

const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// `Sun, 06 Nov 1994 08:49:37 GMT`, from whole seconds since 1970.
pub(crate) fn http(seconds: i64) -> String {
    let (year, month, day) = civil(seconds.div_euclid(DAY));
    let weekday = WEEKDAYS[seconds.div_euclid(DAY).rem_euclid(7) as usize];
    let (hour, minute, second) = clock(seconds);
    let month = MONTHS[month as usize - 1];
    format!("{weekday}, {day:02} {month} {year:04} {hour:02}:{minute:02}:{second:02} GMT")
}

/// `1994-11-06T08:49:37Z`
pub(crate) fn iso(seconds: i64) -> String {
    let (year, month, day) = civil(seconds.div_euclid(DAY));
    let (hour, minute, second) = clock(seconds);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Reads what [`http`] writes; other forms are for the birds.
pub(crate) fn parse_http(text: &str) -> Option<i64> {
    let mut words = text.trim().strip_suffix(" GMT")?.split_once(", ")?.1.split(' ');
    let day = number(words.next()?, 2)?;
    let name = words.next()?;
    let month = MONTHS.iter().position(|known| *known == name)? as i64 + 1;
    let year = number(words.next()?, 4)?;
    let mut time = words.next()?.split(':').map(|part| number(part, 2));
    let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
    let fits = (1..=31).contains(&day) && hour < 24 && minute < 60 && second <= 60;
    (fits && words.next().is_none() && time.next().is_none())
        .then(|| days(year, month, day) * DAY + hour * 3_600 + minute * 60 + second)
}

fn number(text: &str, digits: usize) -> Option<i64> {
    (text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

fn clock(seconds: i64) -> (i64, i64, i64) {
    let second = seconds.rem_euclid(DAY);
    (second / 3_600, second / 60 % 60, second % 60)
}

/// Days since 1970 of a date of the Gregorian calendar (Hinnant's `days_from_civil`).
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date of a day since 1970 (Hinnant's `civil_from_days`).
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let (day, month) = (of_year - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    (year_of_era + days.div_euclid(146_097) * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_example_of_the_standard() {
        assert_eq!(http(784_111_777), "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(parse_http("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
        assert_eq!(iso(784_111_777), "1994-11-06T08:49:37Z");
        assert_eq!(iso(951_782_400), "2000-02-29T00:00:00Z");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(seconds in 0..253_402_300_799_i64) {
            prop_assert_eq!(parse_http(&http(seconds)), Some(seconds));
        }

        #[test]
        fn no_text_panics(text in ".*", near in "[A-Za-z]{3}, [0-9]{1,3} (Jan|Feb|x) [0-9]{1,5} [0-9:]{0,10} GMT") {
            _ = parse_http(&text);
            _ = parse_http(&near);
        }
    }
}
